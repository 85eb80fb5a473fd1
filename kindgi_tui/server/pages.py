"""Pages of lists that the workbench gives whole, and of lists that are sifted on the way."""

import base64
import binascii
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from kindgi_tui.domain.base import Json
from kindgi_tui.server.errors import bad
from kindgi_tui.workbench import Page

T = TypeVar("T")

LOOKS = 20
"""How many pages of a list are looked through for one page of what fits; then there is more to ask for."""


def page(rows: Sequence[Json], has_more: bool, next_cursor: str | None) -> dict[str, Json]:
    """A page as the wire has it."""
    answer: dict[str, Json] = {"data": list(rows), "hasMore": has_more}
    if has_more and next_cursor is not None:
        answer["nextCursor"] = next_cursor
    return answer


def after_key(
    rows: Sequence[T], key: Callable[[T], str], shape: Callable[[T], Json], limit: int, cursor: str | None
) -> dict[str, Json]:
    """A page of a list that is there whole; its cursor names the last row by its key. Raises Refusal."""
    start = 0
    if cursor is not None:
        last = _named(cursor)
        places = [place for place, row in enumerate(rows) if key(row) == last]
        if not places:
            raise bad(
                "`cursor` isn't from this list, for these filters and this caller: start again without it"
            )
        start = places[0] + 1
    taken = rows[start : start + limit]
    more = start + limit < len(rows)
    following = base64.urlsafe_b64encode(key(taken[-1]).encode()).decode() if more and taken else None
    return page([shape(row) for row in taken], more, following)


def _named(cursor: str) -> str:
    try:
        return base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
    except (ValueError, binascii.Error):
        raise bad("`cursor` is malformed") from None


async def sifted(
    fetch: Callable[[int, str | None], Awaitable[Page[T]]],
    keep: Callable[[T], bool],
    limit: int,
    cursor: str | None,
) -> Page[T]:
    """A page of the rows that fit, read a page at a time, never past the last row that was looked at."""
    found: list[T] = []
    for _ in range(LOOKS):
        looked = await fetch(limit - len(found), cursor)
        found += [row for row in looked.data if keep(row)]
        cursor = looked.next_cursor
        if not looked.has_more or len(found) >= limit:
            return Page(data=tuple(found), has_more=looked.has_more, next_cursor=cursor)
    return Page(data=tuple(found), has_more=True, next_cursor=cursor)
