"""Printing a list: a table for people, `data`, `hasMore` and `nextCursor` for programs."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeVar

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.tables import Column, table
from kindgi_tui.domain.base import Json
from kindgi_tui.wire import v04
from kindgi_tui.workbench import Page

T = TypeVar("T")


def print_list(
    call: Call,
    rows: Sequence[T],
    *,
    shape: Callable[[T], Json],
    columns: Sequence[Column],
    cells: Callable[[T], Sequence[str]],
    empty: str,
) -> None:
    """Prints a list that comes whole; `empty` says what to do when it has no rows."""
    if call.json:
        call.out.json(v04.page(rows, shape))
    elif rows:
        call.out.lines(table(columns, [cells(row) for row in rows], call.out.width))
    else:
        call.out.paragraph(call.hint(empty))


async def print_pages(
    call: Call,
    pages: AsyncIterator[Page[T]],
    *,
    shape: Callable[[T], Json],
    columns: Sequence[Column],
    cells: Callable[[T], Sequence[str]],
    empty: str,
) -> None:
    """Prints a list that comes in pages; where there is more, the way to it goes to standard error."""
    rows: list[T] = []
    last: Page[T] | None = None
    printed = False
    async for page in pages:
        last = page
        if call.json:
            rows.extend(page.data)
        elif page.data:
            # A page is printed when it is there, so that a long list starts at once.
            lines = table(columns, [cells(row) for row in page.data], call.out.width)
            call.out.lines(lines[1:] if printed else lines)
            printed = True
        if call.out.gone:
            return
    if last is None:
        return
    if call.json:
        call.out.json(v04.page(rows, shape, last.has_more, last.next_cursor))
    elif not printed:
        call.out.paragraph(call.hint(empty))
    elif last.has_more and last.next_cursor is not None:
        say(f"There is more: add --all, or --cursor {last.next_cursor} for the next page.")
