"""The runs of a sitting, in their order: a page of the queue at a time, and each run whole before it is shown."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kindgi_tui.domain.items import Item, output_items
from kindgi_tui.domain.judging import Owed, QueuedRun, QueueFilter, QueueState, owed_items
from kindgi_tui.domain.judgments import Judgment, Verdict
from kindgi_tui.domain.queries import JudgmentFilter
from kindgi_tui.domain.runs import Run, RunDetail, SubjectKind
from kindgi_tui.session.judging_writes import Write
from kindgi_tui.workbench import Unsupported

if TYPE_CHECKING:
    from kindgi_tui.workbench import Page, Workbench

PAGE = 50
"""Runs of the queue that are fetched at once."""

AHEAD = 4
"""Runs after the one in view that are loaded before they are needed."""

PAGES = 100
"""Pages of a run's judgments, or of disputed items, that are read at most; each has 100 rows."""

KEPT = 64
"""Runs that are kept whole."""


@dataclass(frozen=True)
class Said:
    """A verdict of mine, as it stands."""

    verdict: Verdict
    """Yes or no."""
    reason: str | None = None
    """Why."""
    group_id: str | None = None
    """The group it was said as; None: no group."""


@dataclass
class Entry:
    """One run of the sitting."""

    run_id: str
    """The run."""
    keys: tuple[str, ...] | None = None
    """The items to judge; None: those its agent's setting says."""
    run: Run | None = None
    """The run as lists show it, where it is known."""
    expected: int | None = None
    """How many open items it was counted with; None: it was counted with the whole queue."""
    finished: bool = False
    """Whether nothing in it is open any more."""
    skipped: bool = False
    """Whether it was skipped in this sitting."""
    dismissed: bool = False
    """Whether it is off everybody's queue."""
    state: QueueState | None = None
    """What the queue told of it; None: it didn't come from a queue."""
    apart: tuple[str, ...] = ()
    """Who corrected it differently from one another: it is in the sitting to be corrected again, `c`."""


@dataclass
class Sheet:
    """One run whole, with what is to be judged and what was said."""

    run: RunDetail
    """The run."""
    items: tuple[Item, ...]
    """The items to judge, in order."""
    mine: dict[str, Said]
    """My verdicts by item key."""
    others: dict[str, tuple[Judgment, ...]]
    """Everybody else's by item key, newest first."""
    passed: set[str] = field(default_factory=set)
    """Items that were skipped in this sitting."""
    confirmed: set[str] = field(default_factory=set)
    """In a second look: items that were judged, or whose verdict was said again, in this sitting."""
    writes: dict[str, Write] = field(default_factory=dict)
    """The last write about each item, by its key."""

    def on_the_way(self, key: str) -> bool:
        """Whether what was said of the item isn't on disk yet."""
        write = self.writes.get(key)
        return write is not None and write.state == "waiting"

    def is_open(self, key: str, second_look: bool = False) -> bool:
        """Whether the item is still to be judged."""
        if key in self.passed:
            return False
        return key not in self.confirmed if second_look else key not in self.mine


Fetch = Callable[[int, str | None], Awaitable["Page[QueuedRun]"]]
"""Gives a page of queued runs."""


class Feed:
    """The runs of the sitting. It grows at its end while there are more."""

    def __init__(
        self,
        entries: list[Entry],
        fetch: Fetch | None = None,
        limit: int | None = None,
        *,
        counted: bool = False,
    ) -> None:
        """`entries` come first. `limit`: how many runs at most. `counted`: pages count as open what they hold."""
        self.entries = entries
        """The runs so far."""
        self._fetch = fetch
        self._limit = limit
        self._counted = counted
        self._cursor: str | None = None
        self._known = {entry.run_id for entry in entries}
        self._busy = asyncio.Lock()
        self.complete = fetch is None
        """Whether no more runs follow."""

    async def more(self) -> int:
        """Fetches the next page; gives how many open items came with it, as far as pages count."""
        async with self._busy:
            if self.complete or self._fetch is None:
                return 0
            room = PAGE if self._limit is None else min(PAGE, self._limit - len(self.entries))
            if room <= 0:
                self.complete = True
                return 0
            page = await self._fetch(room, self._cursor)
            self._cursor = page.next_cursor
            self.complete = not page.has_more or page.next_cursor is None
            items = 0
            for each in page.data:
                if each.run.id not in self._known:
                    self._known.add(each.run.id)
                    left = each.owed - each.judged
                    self.entries.append(
                        Entry(
                            each.run.id,
                            run=each.run,
                            expected=left if self._counted else None,
                            dismissed=each.state.dismissal is not None,
                            state=each.state,
                        )
                    )
                    items += left if self._counted else 0
            if self._limit is not None and len(self.entries) >= self._limit:
                self.complete = True
            return items

    def bring(self, run_id: str, place: int) -> Entry:
        """The run's entry; one that is not in the sitting comes in at that place."""
        found = self.find(run_id)
        if found is None:
            found = min(place, len(self.entries))
            self.entries.insert(found, Entry(run_id))
            self._known.add(run_id)
        return self.entries[found]

    def find(self, run_id: str) -> int | None:
        """The place of a run; None when it is not in the sitting."""
        return next((place for place, entry in enumerate(self.entries) if entry.run_id == run_id), None)


class Sheets:
    """Runs loaded whole, the last ones used kept."""

    def __init__(self, workbench: "Workbench", person_id: str, loaded: Callable[[Sheet], None]) -> None:
        """`loaded` is told of each one that came in."""
        self._workbench = workbench
        self._person_id = person_id
        self._loaded = loaded
        self._kept: OrderedDict[str, Sheet] = OrderedDict()
        self._coming: dict[str, asyncio.Task[Sheet]] = {}
        self._owed: dict[tuple[str, SubjectKind, str], Owed] = {}

    def ready(self, run_id: str) -> Sheet | None:
        """The run, when it is loaded."""
        sheet = self._kept.get(run_id)
        if sheet is not None:
            self._kept.move_to_end(run_id)
        return sheet

    async def load(self, entry: Entry) -> Sheet:
        """The run, loaded when it is not; two who ask at once get the same. Raises the workbench's errors."""
        found = self.ready(entry.run_id)
        if found is not None:
            return found
        task = self._coming.get(entry.run_id)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._read(entry), name="judging-load")
            self._coming[entry.run_id] = task
            task.add_done_callback(lambda done: self._coming.pop(entry.run_id, None))
        return await asyncio.shield(task)

    async def again(self, entry: Entry) -> Sheet:
        """The run as it is stored now."""
        old = self._kept.pop(entry.run_id, None)
        sheet = await self.load(entry)
        if old is not None:
            sheet.passed, sheet.confirmed = old.passed, old.confirmed
        return sheet

    def forget(self) -> None:
        """Forgets what was loaded: a setting changed, or another sitting begins."""
        self._kept.clear()
        self._owed.clear()

    async def close(self) -> None:
        """Ends what is being loaded."""
        for task in list(self._coming.values()):
            task.cancel()

    async def owed(self, run: Run) -> Owed:
        """Which items of the run's agent are judged, asked once."""
        name = (run.project_id, run.subject.kind, run.subject.id)
        if name not in self._owed:
            try:
                self._owed[name] = await self._workbench.guidelines.owed(*name)
            except Unsupported:
                self._owed[name] = "elements"
        return self._owed[name]

    async def _said(self, run_id: str) -> tuple[Judgment, ...]:
        found: list[Judgment] = []
        cursor: str | None = None
        for _ in range(PAGES):
            page = await self._workbench.judgments.list(JudgmentFilter(run_id=run_id), 100, cursor)
            found += page.data
            cursor = page.next_cursor
            if not page.has_more or cursor is None:
                break
        return tuple(found)

    async def _read(self, entry: Entry) -> Sheet:
        run = await self._workbench.runs.get(entry.run_id)
        said = await self._said(run.id)
        owed = await self.owed(run)
        sheet = await asyncio.to_thread(_sheet, run, said, owed, entry.keys, self._person_id)
        self._kept[entry.run_id] = sheet
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        self._loaded(sheet)
        return sheet


def _sheet(
    run: RunDetail, said: tuple[Judgment, ...], owed: Owed, keys: tuple[str, ...] | None, person_id: str
) -> Sheet:
    items = output_items(run.output, run.subject.kind == "agent") if run.status == "completed" else ()
    if keys is None:
        chosen = owed_items(items, owed)
    else:
        by_key: dict[str, Item] = {}
        for item in items:
            by_key.setdefault(item.key, item)
        chosen = tuple(by_key[key] for key in dict.fromkeys(keys) if key in by_key)
    mine: dict[str, Said] = {}
    others: dict[str, list[Judgment]] = {}
    for one in said:
        if one.asserter == person_id and one.participant is None:
            mine[one.item.key] = Said(one.verdict, one.reason, one.group_id)
        else:
            others.setdefault(one.item.key, []).append(one)
    return Sheet(run, chosen, mine, {key: tuple(each) for key, each in others.items()})


def queue_feed(
    workbench: "Workbench", query: QueueFilter, limit: int | None, first: str | None = None
) -> Feed:
    """The runs that owe a verdict of mine; `first` comes before them, owed or not."""
    entries = [] if first is None else [Entry(first)]
    return Feed(
        entries,
        lambda size, cursor: workbench.queue.list(query, size, cursor),
        limit,
        counted=limit is not None,
    )


def skipped_feed(workbench: "Workbench", query: QueueFilter) -> Feed:
    """The runs I skipped, again."""
    return Feed([], lambda size, cursor: workbench.queue.skipped(query, size, cursor), counted=True)


def dismissed_feed(workbench: "Workbench", query: QueueFilter) -> Feed:
    """The runs that were dismissed."""
    return Feed([], lambda size, cursor: workbench.queue.dismissed(query, size, cursor), counted=True)


async def disputed_feed(workbench: "Workbench", query: QueueFilter) -> Feed:
    """The items of which verdicts differ, then the runs that people corrected differently."""
    keys: dict[str, list[str]] = {}
    runs: dict[str, Run] = {}
    cursor: str | None = None
    for _ in range(PAGES):
        page = await workbench.queue.disagreements(query, 100, cursor)
        for each in page.data:
            keys.setdefault(each.run.id, []).append(each.item_key)
            runs[each.run.id] = each.run
        cursor = page.next_cursor
        if not page.has_more or cursor is None:
            break
    apart: dict[str, tuple[str, ...]] = {}
    cursor = None
    for _ in range(PAGES):
        corrected = await workbench.queue.corrected_apart(query, 100, cursor)
        for one in corrected.data:
            keys.setdefault(one.run.id, [])
            runs[one.run.id] = one.run
            apart[one.run.id] = one.people
        cursor = corrected.next_cursor
        if not corrected.has_more or cursor is None:
            break
    return items_feed(keys, runs, apart)


def items_feed(
    keys: Mapping[str, list[str]],
    runs: Mapping[str, Run] | None = None,
    apart: Mapping[str, tuple[str, ...]] | None = None,
) -> Feed:
    """Exactly these items, by run. `apart`: who corrected a run differently, by run."""
    return Feed(
        [
            Entry(
                run_id,
                tuple(of_run),
                (runs or {}).get(run_id),
                expected=len(set(of_run)),
                apart=(apart or {}).get(run_id, ()),
            )
            for run_id, of_run in keys.items()
        ]
    )
