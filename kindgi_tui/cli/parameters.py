"""Values of options that several nouns take: segments, moments, pages, and ids that complete in the shell."""

import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from kindgi_tui.cli import completing
from kindgi_tui.domain.runs import Segment
from kindgi_tui.workbench import Page

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

PAGE = 25
"""How many rows a list shows unless told."""

MOST = 500
"""How many rows one page holds at most; `--all` reads pages of this size."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class SegmentType(click.ParamType[Segment]):
    """A segment, `key:value`."""

    name = "key:value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Segment:
        """Splits at the first colon."""
        if isinstance(value, Segment):
            return value
        key, colon, rest = str(value).partition(":")
        if not key or not colon or not rest:
            self.fail(f"A segment is key:value, such as company:acme; got {value!r}.", param, ctx)
        return Segment(key=key, value=rest)


class MomentType(click.ParamType[datetime]):
    """A moment: ISO 8601 with a zone, or a day (its first moment in UTC)."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Reads it; a moment without a zone is refused, because it could be any of 24."""
        if isinstance(value, datetime):
            return value
        text = str(value)
        moment = _moment(text)
        if moment is None:
            words = "A time is ISO 8601 with a zone (2026-10-09T12:00:00Z) or a day (2026-10-09)"
            self.fail(f"{words}; got {text!r}.", param, ctx)
        return moment


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        if _DAY.fullmatch(text):
            return moment.replace(tzinfo=UTC)
        return None if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


class PlaceType(click.Path):
    """A file's or folder's path that this system can have."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> "str | bytes | os.PathLike[str]":
        """Refuses what no path can hold, so that no file call meets it."""
        try:
            usable = b"\0" not in os.fsencode(value)
        except ValueError:
            usable = False
        if not usable:
            self.fail(f"No file can be called {value!r}.", param, ctx)
        return super().convert(value, param, ctx)


FILE = PlaceType(path_type=Path, dir_okay=False)
"""A file, perhaps not there yet."""

FOLDER = PlaceType(path_type=Path, file_okay=False)
"""A folder, perhaps not there yet."""

EXISTING_FOLDER = PlaceType(path_type=Path, file_okay=False, exists=True)
"""A folder that is there."""

FILES = PlaceType(path_type=Path)
"""A file or folder."""

SEGMENT = SegmentType()
MOMENT = MomentType()


def project_option(function: F) -> F:
    """`--project`, by id, slug or name."""
    return click.option(
        "--project",
        metavar="PROJECT",
        shell_complete=completing.projects,
        help="The project, by id, slug or name (else the default one).",
    )(function)


def project_filter(function: F) -> F:
    """`--project` of a list: without it, the list has every project's."""
    return click.option(
        "--project",
        metavar="PROJECT",
        shell_complete=completing.projects,
        help="Only of this project, by id, slug or name.",
    )(function)


def segment_option(function: F) -> F:
    """`--segment`, repeated for a path from coarse to fine."""
    return click.option(
        "--segment",
        "segments",
        type=SEGMENT,
        multiple=True,
        metavar="KEY:VALUE",
        help="A segment such as company:acme; repeat it for a path, coarse to fine.",
    )(function)


def since_and_until(words: str) -> Callable[[F], F]:
    """`--since` (inclusive) and `--until` (exclusive), with what they are about in `words`."""

    def add(function: F) -> F:
        until = click.option("--until", type=MOMENT, metavar="TIME", help=f"Only {words} before this time.")
        since = click.option(
            "--since", type=MOMENT, metavar="TIME", help=f"Only {words} at this time or later."
        )
        return since(until(function))

    return add


def paged(function: F) -> F:
    """`--limit`, `--cursor` and `--all`, for lists that come in pages."""
    whole = click.option("--all", "whole", is_flag=True, help="Every row, page after page.")
    cursor = click.option("--cursor", metavar="CURSOR", help="Go on where the last page ended.")
    limit = click.option(
        "--limit", type=click.IntRange(1, MOST), default=PAGE, show_default=True, help="Rows of a page."
    )
    return limit(cursor(whole(function)))


async def pages(
    read: Callable[[int, str | None], Awaitable[Page[T]]], limit: int, cursor: str | None, whole: bool
) -> AsyncIterator[Page[T]]:
    """The page asked for, or with `whole` that one and all after it."""
    page = await read(MOST if whole else limit, cursor)
    yield page
    while whole and page.has_more and page.next_cursor is not None:
        page = await read(MOST, page.next_cursor)
        yield page
