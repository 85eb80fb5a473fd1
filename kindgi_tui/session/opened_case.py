"""One case of a comparison as a person looks at it: one repetition's items, verdicts on the new ones, the next case."""

import asyncio
import time
from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.items import Item, output_items
from kindgi_tui.domain.judgments import Group, ItemRef, Judgment, Verdict
from kindgi_tui.domain.matching import by_key, carried
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
from kindgi_tui.domain.rating import changes_of
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.domain.test_sets import Case, ItemSummary
from kindgi_tui.session.judging_groups import SpeakingAs
from kindgi_tui.session.judging_seen import Clock, SeenGuard
from kindgi_tui.session.reviewing import Review, Reviewed

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

T = TypeVar("T")

Kind = Literal["new", "kept", "dropped", "missing"]
"""How an item of the new output, or of the recorded one, stands to the other; `missing`: it is in neither."""

MOST = 1_000
"""Judgments of one replay that are read."""


class CaseItem(NamedTuple):
    """One item of a case."""

    kind: Kind
    """How it stands."""
    key: str
    """Its key."""
    ref: ItemRef | None
    """What a verdict on it names: the derived key, pointer and rank; only new ones can be judged here."""
    value: Json
    """Its content, in the new output, or in the recorded one when it was dropped; None where it is missing."""
    rank_before: int | None
    """Its place in the recorded list, from 0."""
    rank: int | None
    """Its place now, from 0."""
    said: ItemSummary | None
    """What people said of it in the test set; None of new ones."""


def case_items(case: Case, output: Json) -> tuple[CaseItem, ...]:
    """The items of one replay of a case: new ones first, for people to judge, then kept, dropped, and missing.

    Missing is what somebody said yes or no of by hand that neither output has: nothing was dropped.
    """
    agent_turn = case.subject.kind == "agent"
    items = output_items(output, agent_turn)
    changes = changes_of(carried(items, by_key(case.items), case.output), case.items)
    now = {item.key: item for item in items}
    then = {item.key: item for item in output_items(case.output, agent_turn)}
    said = {item.key: item for item in case.items}
    found = [_item("new", one.key, now, None, one.rank, None) for one in changes.new]
    found += [
        _item("kept", one.key, now, one.rank_before, one.rank, said.get(one.key)) for one in changes.kept
    ]
    kinds: tuple[Kind, ...] = ("dropped", "missing")
    found += [
        _item(kind, one.key, then, one.rank_before, None, said.get(one.key))
        for kind in kinds
        for one in changes.dropped
        if (one.key in then) == (kind == "dropped")
    ]
    return tuple(found)


def _item(
    kind: Kind,
    key: str,
    values: Mapping[str, Item],
    before: float | int | None,
    now: float | int | None,
    said: ItemSummary | None,
) -> CaseItem:
    item = values.get(key)
    ref = None
    if kind == "new" and item is not None:
        ref = ItemRef(key=item.key, pointer=item.pointer, rank=item.rank)
    return CaseItem(
        kind, key, ref, None if item is None else item.value,
        None if before is None else int(before), None if now is None else int(now), said,
    )  # fmt: skip


class OpenedCase:
    """A case of a list, and what is said while it is open."""

    def __init__(
        self,
        workbench: "Workbench",
        person: Person,
        comparison: Comparison,
        cases: Sequence[Reviewed],
        place: int,
        clock: Clock = time.monotonic,
        group: str | None = None,
    ) -> None:
        """`cases` are the list one comes from, in its order, `place` the one to open.

        `person` is who judges, as the group with the id `group` where that covers the replay.
        """
        self._workbench = workbench
        self._me = person.id
        self._speaking = SpeakingAs(person)
        self._speaking.chosen = group
        self._order = asyncio.Lock()
        self._said: list[tuple[str, str]] = []
        self.comparison = comparison
        """The comparison it is of; after a rescore, the rescore."""
        self.cases = list(cases)
        """The list."""
        self.place = place
        """Where in it one is."""
        self.repetition = 0
        """Which repetition is shown, from 0."""
        self.case: Case | None = None
        """The case as the test set has it; None when it isn't there any more."""
        self.replay: RunDetail | None = None
        """The repetition's run; None when there is none."""
        self.items: tuple[CaseItem, ...] = ()
        """Its items."""
        self.judgments: tuple[Judgment, ...] = ()
        """What was said of it, by anybody."""
        self.on_the_way: dict[tuple[str, str], Verdict] = {}
        """Verdicts that are being recorded, by run id and item key."""
        self.seen = SeenGuard(clock)
        """Which items could be read."""

    @property
    def reviewed(self) -> Reviewed:
        """The case in the result."""
        return self.cases[self.place]

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs of its repetitions."""
        return tuple(run for run in self.reviewed.result.run_ids if run)

    @property
    def group(self) -> Group | None:
        """The group one speaks as here; None: as nobody but oneself."""
        return None if self.replay is None else self._speaking.group_for(self.replay)

    @property
    def undoable(self) -> int:
        """How many verdicts can be taken back."""
        return len(self._said)

    @property
    def open_items(self) -> int:
        """How many new items nobody judged."""
        return sum(item.kind == "new" and self.verdict(item) is None for item in self.items)

    @property
    def output(self) -> Json:
        """The replay's output."""
        return None if self.replay is None else self.replay.output

    def go(self, place: int) -> None:
        """Goes to another case of the list; `load` opens it."""
        self.place, self.repetition = max(0, min(place, len(self.cases) - 1)), 0

    async def load(self) -> None:
        """Reads the case, the repetition's run and what was said of it. Raises what reading raises."""
        result, runs = self.reviewed.result, self.runs
        self.repetition = min(self.repetition, max(0, len(runs) - 1))
        version = self.comparison.test_set_version
        case = await _found(
            self._workbench.test_sets.case(self.comparison.test_set_id, version, result.case_id)
        )
        replay = await _found(self._workbench.runs.get(runs[self.repetition])) if runs else None
        said = await self._said_of(replay)
        if self._speaking.chosen is not None and replay is not None:
            self._speaking.set(await self._workbench.groups.list(replay.project_id))
        self.case, self.replay, self.judgments = case, replay, said
        output = self.output
        self.items = case_items(case, output) if case is not None and output is not None else ()

    async def load_judgments(self) -> None:
        """Reads again what was said of the replay."""
        replay = self.replay
        said = await self._said_of(replay)
        if replay is self.replay:
            self.judgments = said

    async def _said_of(self, replay: RunDetail | None) -> tuple[Judgment, ...]:
        if replay is None:
            return ()
        return (await self._workbench.judgments.list(JudgmentFilter(run_id=replay.id), limit=MOST)).data

    def verdict(self, item: CaseItem) -> str | None:
        """Somebody's verdict on a new item, or the one that is on its way; None while nobody judged it."""
        said = None if self.replay is None else self.on_the_way.get((self.replay.id, item.key))
        return said or next((one.verdict for one in self.judgments if one.item.key == item.key), None)

    def mine(self, item: CaseItem) -> str | None:
        """My verdict on a new item."""
        own = (one.verdict for one in self.judgments if one.item.key == item.key and one.asserter == self._me)
        return next(own, None)

    def first_open(self, after: int = -1) -> int:
        """The first new item after that place that nobody judged, going round; else the place itself."""
        places = [n for n, item in enumerate(self.items) if item.kind == "new" and self.verdict(item) is None]
        return next((place for place in places if place > after), places[0] if places else max(0, after))

    async def judge(self, run_id: str, item: CaseItem, verdict: Verdict) -> None:
        """Records my verdict on a new item; verdicts are recorded in the order they are said.

        Raises what recording raises.
        """
        assert item.ref is not None
        group = None if self.group is None else self.group.id
        self.on_the_way[(run_id, item.key)] = verdict
        try:
            async with self._order:
                await self._workbench.judgments.add(
                    NewJudgment(run_id=run_id, item=item.ref, verdict=verdict, group=group)
                )
                self._said.append((run_id, item.key))
        finally:
            self.on_the_way.pop((run_id, item.key), None)
            await self.load_judgments()

    async def take_back(self) -> tuple[str, str] | None:
        """Takes the last verdict back; gives its run and item key, None when there is none. Raises what that raises."""
        async with self._order:
            if not self._said:
                return None
            run_id, key = self._said[-1]
            await self._workbench.judgments.take_back(run_id, key)
            self._said.pop()
        await self.load_judgments()
        return run_id, key

    async def rescore(self) -> str:
        """Rates the replays again; the list keeps its order. Gives the new headline. Raises what that raises."""
        rescored = await self._workbench.comparisons.rescore(self.comparison.id)
        review = Review()
        review.take(rescored.result, rescored.request.k)
        now = {case.entry.case_id: case for case in review.cases}
        self.comparison = rescored
        self.cases = [now.get(case.entry.case_id, case) for case in self.cases]
        return review.headline


async def _found(read: Awaitable[T]) -> T | None:
    """What it gives, None where it is gone, or where the runtime doesn't offer such."""
    from kindgi_tui.workbench import NotFound, Unsupported

    try:
        return await read
    except (NotFound, Unsupported):
        return None
