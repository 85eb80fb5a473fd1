"""Where one stands in a sitting: the run in view, the item under the cursor, what comes next, how much is left."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

from kindgi_tui.domain.items import Item
from kindgi_tui.session.judging_queue import AHEAD, Entry, Feed, Sheet, Sheets
from kindgi_tui.session.trying import until_reached

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

What = Literal["run", "item", "entries", "loaded"]
"""What changed: another run (or none) is in view; the item or what was said; the list of runs; a run came in."""

NEAR_END = 20
"""So many runs before the end of what is known, more are fetched."""


class Walk:
    """The way through the runs of a sitting. Nothing here waits: what must be loaded is told when it has come."""

    def __init__(
        self,
        workbench: "Workbench",
        person_id: str,
        changed: Callable[[What], None],
        failed: Callable[[Exception], None],
        settled: Callable[[str], Awaitable[None]],
    ) -> None:
        """`settled` waits until what was said of a run is stored."""
        self._changed = changed
        self._failed = failed
        self._settled = settled
        self._tasks: set[asyncio.Task[None]] = set()
        self.sheets = Sheets(workbench, person_id, self._came)
        """The runs that are loaded."""
        self.feed = Feed([])
        """The runs of the sitting."""
        self.second_look = False
        """Whether what was judged before counts as open until it is said again."""
        self.index = 0
        """The place of the run in view."""
        self.cursor = 0
        """The place of the item under the cursor."""
        self.sheet: Sheet | None = None
        """The run in view; None while it is loaded, and at the end."""
        self.at_end = False
        """Whether one is past the last run."""
        self.left = 0
        """How many items are open, as far as is known."""

    @property
    def entry(self) -> Entry | None:
        """The run in view, in the sitting."""
        return self.feed.entries[self.index] if 0 <= self.index < len(self.feed.entries) else None

    @property
    def item(self) -> Item | None:
        """The item under the cursor."""
        sheet = self.sheet
        return sheet.items[self.cursor] if sheet is not None and 0 <= self.cursor < len(sheet.items) else None

    def start(self, feed: Feed, left: int, second_look: bool = False) -> None:
        """Begins a sitting at its first run."""
        self.sheets.forget()
        self.feed, self.left, self.second_look = feed, left, second_look
        self.index, self.cursor, self.sheet, self.at_end = 0, 0, None, False
        self._to(0)

    def changed(self) -> None:
        """Tells that something about the runs of the sitting is different."""
        self._changed("run")

    def is_open(self, sheet: Sheet, key: str) -> bool:
        """Whether an item is still to be judged in this sitting."""
        return sheet.is_open(key, self.second_look)

    def open_items(self, sheet: Sheet) -> int:
        """How many of a run's items are still to be judged."""
        return sum(self.is_open(sheet, item.key) for item in sheet.items)

    def recount(self, sheet: Sheet, before: int) -> None:
        """Takes over what a step changed: `before` items of the run were open."""
        after = self.open_items(sheet)
        self.left = max(0, self.left + after - before)
        place = self.feed.find(sheet.run.id)
        if place is not None:
            self.feed.entries[place].finished = after == 0

    def advance(self) -> None:
        """Goes on to the next open item: of this run, after the cursor, then before it; else of the next run."""
        sheet = self.sheet
        if sheet is None:
            return
        count = len(sheet.items)
        for step in range(1, count + 1):
            place = (self.cursor + step) % count
            if self.is_open(sheet, sheet.items[place].key):
                self.cursor = place
                self._changed("item")
                return
        self.on_from(self.index + 1)

    def move(self, steps: int) -> None:
        """Moves the cursor by items."""
        self.stand(self.cursor + steps)

    def stand(self, place: int) -> None:
        """Puts the cursor on an item of the run in view."""
        if self.sheet is not None and self.sheet.items:
            self.cursor = max(0, min(place, len(self.sheet.items) - 1))
            self._changed("item")

    def go_run(self, steps: int) -> bool:
        """Goes to the next run, or the one before, finished or not; False where there is none."""
        place = self.index + steps
        if place < 0 or (self.at_end and steps > 0):
            return False
        self._to(place)
        return True

    def jump(self, run_id: str, key: str | None) -> None:
        """Goes to a run of the sitting, onto an item."""
        place = self.feed.find(run_id)
        if place is not None:
            if place == self.index and self.sheet is not None:
                self._arrive(key)
                self._changed("item")
            else:
                self._to(place, key)

    def bring(self, run_id: str) -> Entry:
        """The run's entry; one that is not in the sitting comes in before the run in view."""
        if self.feed.find(run_id) is None:
            self.feed.bring(run_id, self.index)
            self.index += 1
        return self.feed.bring(run_id, self.index)

    def on_from(self, place: int) -> None:
        """Goes to the first run from that place on that is not finished."""
        entries = self.feed.entries
        while place < len(entries) and entries[place].finished:
            place += 1
        self._to(place)

    def _to(self, place: int, key: str | None = None) -> None:
        self.index, self.cursor, self.sheet = place, 0, None
        self.at_end = place >= len(self.feed.entries) and self.feed.complete
        entry = self.entry
        if entry is not None:
            self.sheet = self.sheets.ready(entry.run_id)
            if self.sheet is not None:
                self._arrive(key)
            else:
                self._try(partial(self._load, entry, key), lambda: self.entry is entry and self.sheet is None)
        elif not self.at_end:
            self._try(partial(self._wait_for, place), lambda: self.index == place and self.sheet is None)
        self._changed("run")
        self.spawn(self._ahead)

    def _arrive(self, key: str | None) -> None:
        sheet = self.sheet
        if sheet is None:
            return
        places = [
            place
            for place, item in enumerate(sheet.items)
            if (item.key == key if key is not None else self.is_open(sheet, item.key))
        ]
        self.cursor = places[0] if places else 0

    async def _load(self, entry: Entry, key: str | None) -> None:
        await self._settled(entry.run_id)
        sheet = await self.sheets.load(entry)
        if self.entry is entry and self.sheet is None:
            self.sheet = sheet
            self._arrive(key)
            self._changed("run")

    async def _wait_for(self, place: int) -> None:
        """Fetches more runs until that place is there, or there are no more."""
        while place >= len(self.feed.entries) and not self.feed.complete:
            self.left += await self.feed.more()
        if self.index == place and self.sheet is None:
            self._to(place)

    async def _ahead(self) -> None:
        """Loads the runs that come next, before they are needed."""
        if not self.feed.complete and self.index + NEAR_END >= len(self.feed.entries):
            self.left += await self.feed.more()
            self._changed("entries")
        for entry in self.feed.entries[self.index : self.index + AHEAD + 1]:
            await self._settled(entry.run_id)
            await self.sheets.load(entry)

    def _came(self, sheet: Sheet) -> None:
        place = self.feed.find(sheet.run.id)
        entry = self.feed.entries[place] if place is not None else None
        if entry is not None:
            entry.run = entry.run or sheet.run
            if entry.expected is not None:
                # The page counted it from afar; now it is known.
                self.left = max(0, self.left + self.open_items(sheet) - entry.expected)
                entry.expected = None
        self._changed("loaded")

    def _try(self, job: Callable[[], Awaitable[None]], wanted: Callable[[], bool]) -> None:
        """Runs beside what the run in view needs, again and again while it can't be reached and is in view."""
        self.spawn(partial(until_reached, job, self._failed, wanted))

    def spawn(self, job: Callable[[], Awaitable[None]]) -> None:
        """Runs something beside; what goes wrong is told."""

        async def guarded() -> None:
            try:
                await job()
            except Exception as cause:  # noqa: BLE001 - it becomes a sentence on the screen
                self._failed(cause)

        task = asyncio.get_running_loop().create_task(guarded(), name="judging-walk")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Ends what is under way."""
        for task in list(self._tasks):
            task.cancel()
        await self.sheets.close()
