"""A window on a long list: keyset pages around where one looks, loaded before they are needed.

The list may have a million rows; only the pages one came by are loaded. Rows are numbered from the list's start;
pages grow the window downwards, and from its end upwards, so that both ends are one step away.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from kindgi_tui.workbench import Page

T = TypeVar("T")

PAGE = 100
"""How many rows a page has."""

AT_ONCE = 5_000
"""How many rows one load brings in at most."""


class Fetch(Protocol[T]):
    """Gives a page of the list."""

    def __call__(self, limit: int, cursor: str | None, backwards: bool, /) -> "Awaitable[Page[T]]":
        """At most `limit` rows after the cursor, or, backwards, before it.

        A page backwards has its rows in the list's order, and its `next_cursor` leads farther back.
        """
        ...


class Window(Generic[T]):
    """The loaded part of a list. `count` is what the list holds in all, as far as is known."""

    def __init__(self, fetch: Fetch[T], count: Callable[[], Awaitable[int]]) -> None:
        self._fetch = fetch
        self._count = count
        self._busy = asyncio.Lock()
        self.rows: list[T] = []
        """The loaded rows, in order."""
        self.top = 0
        """The number of the first loaded row."""
        self.count = 0
        """How many rows the list holds."""
        self._down: str | None = None
        self._up: str | None = None
        self.at_start = False
        """Whether the first loaded row is the list's first."""
        self.at_end = False
        """Whether the last loaded row is the list's last."""

    async def open(self) -> None:
        """Loads the first page and the count."""
        async with self._busy:
            await self._start()

    async def _start(self) -> None:
        page = await self._fetch(PAGE, None, False)
        self.rows, self.top = list(page.data), 0
        self._down, self._up = page.next_cursor, None
        self.at_start, self.at_end = True, not page.has_more
        self.count = len(self.rows) if self.at_end else max(len(self.rows), await self._count())

    async def to_start(self) -> None:
        """Makes the window stand at the list's start."""
        async with self._busy:
            if not self.at_start:
                await self._start()

    async def to_end(self) -> None:
        """Makes the window stand at the list's end."""
        async with self._busy:
            if self.at_end:
                return
            page = await self._fetch(PAGE, None, True)
            self.count = max(await self._count(), len(page.data))
            self.rows = list(page.data)
            self.top = self.count - len(self.rows)
            self._up, self._down = page.next_cursor, None
            self.at_start, self.at_end = not page.has_more, True

    def get(self, number: int) -> T | None:
        """The row with that number; None while it is not loaded."""
        place = number - self.top
        return self.rows[place] if 0 <= place < len(self.rows) else None

    def short_of(self, number: int, margin: int = PAGE) -> bool:
        """Whether rows within `margin` of that number are still to be loaded."""
        return (not self.at_end and number + margin >= self.top + len(self.rows)) or (
            not self.at_start and number - margin < self.top
        )

    async def load_around(self, number: int, margin: int = PAGE) -> bool:
        """Loads what is missing within `margin` of that number; whether anything changed."""
        changed = False
        async with self._busy:
            for _ in range(AT_ONCE // PAGE):
                if (
                    not self.at_end
                    and self._down is not None
                    and number + margin >= self.top + len(self.rows)
                ):
                    page = await self._fetch(PAGE, self._down, False)
                    self.rows += page.data
                    self._down, self.at_end = page.next_cursor, not page.has_more
                elif not self.at_start and self._up is not None and number - margin < self.top:
                    page = await self._fetch(PAGE, self._up, True)
                    self.rows[:0] = page.data
                    self.top = max(0, self.top - len(page.data))
                    self._up, self.at_start = page.next_cursor, not page.has_more
                else:
                    break
                changed = True
            loaded = self.top + len(self.rows)
            # Where the count is only known to be at least so much, one more row says that the list goes on.
            self.count = loaded if self.at_end else max(self.count, loaded + 1)
        return changed
