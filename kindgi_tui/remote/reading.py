"""Reading answers field by field: what isn't as it should be is one clear error, never a traceback."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TypeVar

from kindgi_tui.domain.base import Json
from kindgi_tui.remote.failures import garbled

Word = TypeVar("Word", bound=str)


def object_of(value: Json, what: str) -> dict[str, Json]:
    """The value as an object. Raises Unavailable (`invalid-response`)."""
    if not isinstance(value, dict):
        raise garbled(f"{what} is not an object")
    return value


def rows_of(value: Json, what: str) -> list[dict[str, Json]]:
    """The rows of a page. Raises Unavailable."""
    rows = object_of(value, what).get("data")
    if not isinstance(rows, list):
        raise garbled(f"{what} has no `data`")
    return [object_of(row, f"a row of {what}") for row in rows]


def text(value: dict[str, Json], name: str, what: str) -> str:
    """A field that is text. Raises Unavailable."""
    found = value.get(name)
    if not isinstance(found, str):
        raise garbled(f"{what} has no `{name}`")
    return found


def text_if(value: dict[str, Json], name: str) -> str | None:
    """A field that is text, where it is there."""
    found = value.get(name)
    return found if isinstance(found, str) else None


def word(value: dict[str, Json], name: str, known: Iterable[Word], what: str) -> Word:
    """A field that is one of the known words. Raises Unavailable for another."""
    found = text(value, name, what)
    for one in known:
        if found == one:
            return one
    raise garbled(f'the `{name}` of {what} is "{found[:80]}", which it doesn\'t know')


def whole(value: dict[str, Json], name: str, default: int = 0) -> int:
    """A field that is a whole number, else the default."""
    found = value.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return default
    return int(found) if abs(found) < 2**53 else default


def rank(value: dict[str, Json]) -> int | None:
    """An item's rank, where it has one."""
    found = value.get("rank")
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def moment(value: dict[str, Json], name: str, what: str) -> datetime:
    """A field that is a time. Raises Unavailable."""
    found = moment_if(value, name)
    if found is None:
        raise garbled(f"{what} has no `{name}` that is a time")
    return found


def moment_if(value: dict[str, Json], name: str) -> datetime | None:
    """A field that is a time, where it is there and can be read; one without a zone counts as UTC."""
    found = value.get(name)
    if not isinstance(found, str):
        return None
    try:
        read = datetime.fromisoformat(found)
        return read.astimezone(UTC) if read.tzinfo is not None else read.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def next_page(value: Json, what: str) -> tuple[bool, str | None]:
    """Whether more rows follow, and the cursor to them. The number of rows says nothing. Raises Unavailable."""
    page = object_of(value, what)
    more, cursor = page.get("hasMore"), text_if(page, "nextCursor")
    if not isinstance(more, bool):
        raise garbled(f"{what} doesn't say whether there is more")
    if more and cursor is None:
        raise garbled(f"{what} says there is more, and not where")
    return more, cursor if more else None
