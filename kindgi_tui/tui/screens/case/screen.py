"""A case of a comparison: recorded beside new, its items, new ones judged right here, its tool calls."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partialmethod
from typing import TypeVar

from textual import on
from textual.app import ComposeResult
from textual.widgets import Static

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.judgments import Judgment, Verdict
from kindgi_tui.domain.queries import JudgmentFilter
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.session.reviewing import STANDINGS, Review, Reviewed, Verdicts, question
from kindgi_tui.text import json_text, one_line
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.case import blocks
from kindgi_tui.tui.screens.case.items import CaseItem, case_items, item_row
from kindgi_tui.tui.screens.comparison.rows import candidate_name, notes_of, shares
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.text_pane import Block, Run, TextPane
from kindgi_tui.workbench import NotFound

T = TypeVar("T")

RAW = 200_000
"""Characters of raw JSON that are shown."""

SEEN_SECONDS = 0.15
"""How long an item has been painted before a verdict on it counts (DESIGN section 12)."""


class CaseScreen(WorkScreen):
    """One case of a comparison, one repetition at a time."""

    PLACE = "case"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("case")
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (14, "-high")]

    def __init__(self, comparison: Comparison, cases: Sequence[Reviewed], place: int) -> None:
        """`cases` are the list one comes from, in its order; `place` is the one to show."""
        super().__init__()
        self.clock: Callable[[], float] = time.monotonic
        """What the seen guard goes by; tests give another."""
        self._comparison = comparison
        self._cases = list(cases)
        self._place = place
        self._repetition = 0
        self._case: Case | None = None
        self._replay: RunDetail | None = None
        self._items: tuple[CaseItem, ...] = ()
        self._judgments: tuple[Judgment, ...] = ()
        self._pending: dict[tuple[str, str], Verdict] = {}
        self._answers: blocks.Answers | None = None
        self._raw = False
        self._seen: dict[tuple[str, str], float] = {}
        self._verdicts: Verdicts | None = None

    @property
    def comparison_id(self) -> str:
        """The comparison the case is of."""
        return self._comparison.id

    @property
    def reviewed(self) -> Reviewed:
        """The case that is shown."""
        return self._cases[self._place]

    @property
    def rows(self) -> LineList:
        """The items."""
        return self.query_one("#case-items", LineList)

    @property
    def items(self) -> tuple[CaseItem, ...]:
        """The items that are shown."""
        return self._items

    @property
    def current(self) -> CaseItem | None:
        """The item the cursor stands on."""
        at = self.rows.cursor
        return self._items[at] if 0 <= at < len(self._items) else None

    @property
    def _runs(self) -> tuple[str, ...]:
        return tuple(run for run in self.reviewed.result.run_ids if run)

    def compose_body(self) -> ComposeResult:
        """Title, what to know, the answers and calls, the items."""
        yield Static("", id="case-title", markup=False)
        yield Static("", id="case-marks", markup=False)
        yield TextPane(id="case-text")
        yield Static("", id="case-items-title", markup=False)
        yield LineList(self._row, id="case-items", empty="It has no output, so there are no items.")

    def on_mount(self) -> None:
        """Loads it."""
        self._verdicts = Verdicts(self.workbench)
        self.rows.focus()
        self._load_now()

    def on_screen_resume(self) -> None:
        """Judgments made meanwhile show."""
        if self._case is not None:
            self.work(self._load_judgments(), group="said", exclusive=True)

    def on_resize(self) -> None:
        """The answers have another room."""
        self.call_after_refresh(self._show_text, True)

    def _load_now(self, keep: bool = False) -> None:
        self.work(self._load(keep), group="load", exclusive=True)

    async def _load(self, keep: bool = False) -> None:
        reviewed, comparison = self.reviewed, self._comparison
        result, runs = reviewed.result, self._runs
        self._repetition = min(self._repetition, max(0, len(runs) - 1))
        case = await _found(
            self.workbench.test_sets.case(comparison.test_set_id, comparison.test_set_version, result.case_id)
        )
        replay = await _found(self.workbench.runs.get(runs[self._repetition])) if runs else None
        said = await self._said_of(replay)
        agent_turn = case is None or case.subject.kind == "agent"
        output = None if replay is None else replay.output
        told = await asyncio.to_thread(
            blocks.answers,
            blocks.answer_of(None if case is None else case.output, agent_turn),
            blocks.answer_of(output, agent_turn),
        )
        self._case, self._replay, self._judgments, self._answers = case, replay, said, told
        self._items = case_items(case, output) if case is not None and output is not None else ()
        cursor = self.rows.cursor if keep else self._first_open()
        self.rows.styles.height = max(1, len(self._items))
        self.rows.show(len(self._items), cursor)
        self._show_head()
        self._show_text(keep)
        self.changed()

    async def _said_of(self, replay: RunDetail | None) -> tuple[Judgment, ...]:
        if replay is None:
            return ()
        return (await self.workbench.judgments.list(JudgmentFilter(run_id=replay.id), limit=1_000)).data

    async def _load_judgments(self) -> None:
        self._judgments = await self._said_of(self._replay)
        self._pending.clear()
        self.rows.repaint()
        self._show_head()
        self.changed()

    def _show_head(self) -> None:
        reviewed, case = self.reviewed, self._case
        asked = question(case) if case is not None else reviewed.result.case_id
        self.query_one("#case-title", Static).update(
            line(f"Case {self._place + 1:,} of {len(self._cases):,} · {asked}", 400)
        )
        marks = [STANDINGS.get(reviewed.standing, ""), f"{shares(reviewed)} judged yes", *notes_of(reviewed)]
        runs = len(self._runs)
        if runs > 1:
            marks.append(f"repetition {self._repetition + 1} of {runs}")
        self.query_one("#case-marks", Static).update(line(" · ".join(mark for mark in marks if mark), 400))
        new = [item for item in self._items if item.kind == "new"]
        open_ones = sum(not self._verdict(item) for item in new)
        told = f"Items · {len(new)} new, {open_ones} to judge · " + " · ".join(
            f"{sum(item.kind == kind for item in self._items)} {kind}" for kind in ("kept", "dropped")
        )
        self.query_one("#case-items-title", Static).update(line(told, 200))

    def _show_text(self, keep: bool = False) -> None:
        pane = self.query_one("#case-text", TextPane)
        if self._answers is None or not pane.is_attached:
            return
        result, replay, case = self.reviewed.result, self._replay, self._case
        output = None if replay is None else replay.output
        if self._raw:
            entry = _raw_entry(self._comparison, result.case_id)
            pane.show([Block(json_text({"result": entry, "output": output}, RAW))], keep_place=keep)
            return
        recorded = "" if case is None else one_line(f"{case.subject.id} {case.subject.version}", 60)
        shown: list[Block | Run] = blocks.trouble_blocks(result, None if replay is None else replay.failure)
        shown += [*blocks.question_blocks(case), Block("")]
        shown += blocks.answer_blocks(
            self._answers, recorded, candidate_name(self._comparison), pane.scrollable_content_region.width
        )
        shown += blocks.call_blocks(blocks.traces(result, output, self._repetition))
        pane.show([*shown, *blocks.said_blocks(case)], keep_place=keep)

    def _row(self, number: int, width: int) -> list[Cell] | None:
        if not 0 <= number < len(self._items) or self._replay is None:
            return None
        item = self._items[number]
        self._seen.setdefault((self._replay.id, item.key), self.clock())
        waiting = self._pending.get((self._replay.id, item.key)) if item.kind == "new" else None
        row = item_row(item, self._judgments, self.app.person.id, width)
        if waiting is not None:
            row[1] = Cell("✓ yes …" if waiting == "yes" else "✗ no  …", row[1].cells, waiting)
        return row

    def _verdict(self, item: CaseItem) -> str | None:
        """My verdict on a new item, or the one that is on its way."""
        if self._replay is None:
            return None
        said = self._pending.get((self._replay.id, item.key))
        mine = (one.verdict for one in self._judgments if one.item.key == item.key)
        return said or next(mine, None)

    def _first_open(self, after: int = -1) -> int:
        """The first new item after that one that nobody judged; else the first there is, or where one is."""
        places = [
            place
            for place, item in enumerate(self._items)
            if item.kind == "new" and self._verdict(item) is None
        ]
        return next((place for place in places if place > after), places[0] if places else max(0, after))

    def why_not(self, verb: str) -> str | None:
        """What needs a new item, another case, another repetition, or a run."""
        item = self.current
        if verb in ("yes", "no"):
            if item is None:
                return "There is no item here to judge."
            if item.kind != "new":
                return "Its verdicts are carried over from the recorded run: only new items are judged here."
            if self._replay is None or self._replay.status != "completed":
                return "Only a completed replay can be judged."
        if verb == "undo" and (self._verdicts is None or not self._verdicts.count):
            return "Nothing was said here that could be taken back."
        if verb == "next-case" and self._place + 1 >= len(self._cases):
            return "This is the last case of the list: Esc goes back to it."
        if verb == "previous-case" and self._place == 0:
            return "This is the first case of the list."
        if verb == "rescore" and self._comparison.status != "completed":
            return f"Only a completed comparison can be rescored; this one is {self._comparison.status}."
        if verb.startswith("repetition"):
            runs, _, number = len(self._runs), *verb.partition("-")[1:]
            if runs < 2:
                return "This case has one repetition."
            if number and int(number) > runs:
                return f"This case has {runs} repetitions."
        if verb == "replay" and self._replay is None:
            return "There is no replay of this case."
        return None

    def do_yes(self) -> None:
        """Yes."""
        self._judge("yes")

    def do_no(self) -> None:
        """No."""
        self._judge("no")

    def _judge(self, verdict: Verdict) -> None:
        item, replay = self.current, self._replay
        if item is None or item.ref is None or replay is None:
            return
        painted = self._seen.get((replay.id, item.key))
        if painted is None or self.clock() - painted < SEEN_SECONDS:
            self.say(
                "That came before the item could be read, and doesn't count: look, then press again.", "no"
            )
            return
        if self._mine(item) == verdict:
            self.say(f"{one_line(item.key, 60)}: that is what you said.")
            self._onward()
            return
        self._pending[(replay.id, item.key)] = verdict
        self.rows.repaint(self.rows.cursor)
        self.work(self._record(replay.id, item, verdict), group="verdicts")
        self._onward()

    def _mine(self, item: CaseItem) -> str | None:
        me = self.app.person.id
        own = (one.verdict for one in self._judgments if one.item.key == item.key and one.asserter == me)
        return next(own, None)

    def _onward(self) -> None:
        """Goes on to the next new item that nobody judged."""
        self.rows.go(self._first_open(self.rows.cursor))

    async def _record(self, run_id: str, item: CaseItem, verdict: Verdict) -> None:
        assert self._verdicts is not None and item.ref is not None
        try:
            await self._verdicts.say(run_id, item.ref, verdict)
        finally:
            self._pending.pop((run_id, item.key), None)
            if self._replay is not None and self._replay.id == run_id:
                self._judgments = await self._said_of(self._replay)
                self.rows.repaint()
                self._show_head()
                self.changed()
        left = sum(one.kind == "new" and self._verdict(one) is None for one in self._items)
        further = f"{left} more here" if left else "all new items here are judged: ] goes on, R rescores"
        self.say(f"{'✓ yes' if verdict == 'yes' else '✗ no'}: {one_line(item.key, 60)} · {further}")

    def do_undo(self) -> None:
        """Takes the last verdict back."""
        self.work(self._take_back(), group="verdicts")

    async def _take_back(self) -> None:
        assert self._verdicts is not None
        taken = await self._verdicts.take_back()
        await self._load_judgments()
        if taken is None:
            return
        run_id, key = taken
        if self._replay is not None and run_id == self._replay.id:
            self.rows.go(next((n for n, item in enumerate(self._items) if item.key == key), self.rows.cursor))
        self.say(f"Taken back: {one_line(key, 60)}")

    def do_rescore(self) -> None:
        """Rates the replays again."""
        self.work(self._rescore(), group="act", exclusive=True)

    async def _rescore(self) -> None:
        self.say("Rescoring …")
        rescored = await self.workbench.comparisons.rescore(self._comparison.id)
        review = Review()
        review.take(rescored.result, rescored.request.k)
        now = {case.result.case_id: case for case in review.cases}
        self._comparison = rescored
        self._cases = [now.get(case.result.case_id, case) for case in self._cases]
        await self._load(keep=True)
        self.say(f"Rescored: {review.headline}")

    def do_next_case(self) -> None:
        """The next case."""
        self._to_case(self._place + 1)

    def do_previous_case(self) -> None:
        """The case before."""
        self._to_case(self._place - 1)

    def _to_case(self, place: int) -> None:
        self._place, self._repetition = max(0, min(place, len(self._cases) - 1)), 0
        self.say("")
        self._load_now()

    def do_repetition(self) -> None:
        """The next repetition."""
        self._show_repetition((self._repetition + 1) % max(1, len(self._runs)))

    def _show_repetition(self, number: int) -> None:
        self._repetition = number
        self._load_now()

    do_repetition_1 = partialmethod(_show_repetition, 0)
    do_repetition_2 = partialmethod(_show_repetition, 1)
    do_repetition_3 = partialmethod(_show_repetition, 2)
    do_repetition_4 = partialmethod(_show_repetition, 3)
    do_repetition_5 = partialmethod(_show_repetition, 4)
    do_repetition_6 = partialmethod(_show_repetition, 5)
    do_repetition_7 = partialmethod(_show_repetition, 6)
    do_repetition_8 = partialmethod(_show_repetition, 7)
    do_repetition_9 = partialmethod(_show_repetition, 8)
    do_repetition_10 = partialmethod(_show_repetition, 9)

    def do_original(self) -> None:
        """The recorded run."""
        self._open_run(self.reviewed.result.case_id)

    def do_replay(self) -> None:
        """The replay's run."""
        if self._replay is not None:
            self._open_run(self._replay.id)

    def _open_run(self, run_id: str) -> None:
        from kindgi_tui.tui.screens.run.screen import RunScreen

        self.app.push_screen(RunScreen(run_id))

    def do_raw(self) -> None:
        """JSON, or the case again."""
        self._raw = not self._raw
        self.set_class(self._raw, "-raw")
        self.call_after_refresh(self._show_text)

    def do_down(self) -> None:
        """The next item; of the JSON, a line on."""
        self.do_line_down() if self._raw else self.rows.move(1)
        self.changed()

    def do_up(self) -> None:
        """The item before; of the JSON, a line back."""
        self.do_line_up() if self._raw else self.rows.move(-1)
        self.changed()

    def do_line_down(self) -> None:
        """A line on."""
        self.query_one("#case-text", TextPane).scroll_lines(1)

    def do_line_up(self) -> None:
        """A line back."""
        self.query_one("#case-text", TextPane).scroll_lines(-1)

    def do_page_down(self) -> None:
        """A page on."""
        self.query_one("#case-text", TextPane).page(1)

    def do_page_up(self) -> None:
        """A page back."""
        self.query_one("#case-text", TextPane).page(-1)

    def do_first(self) -> None:
        """The first item."""
        self.rows.first()

    def do_last(self) -> None:
        """The last item."""
        self.rows.last()

    @on(LineList.Moved)
    def _moved(self) -> None:
        self.changed()

    def focus_body(self) -> None:
        """The items have the keys."""
        self.rows.focus()


def _raw_entry(comparison: Comparison, case_id: str) -> Json:
    listed = comparison.result.get("perCase") if isinstance(comparison.result, dict) else None
    for entry in listed if isinstance(listed, list) else []:
        if isinstance(entry, dict) and entry.get("caseId") == case_id:
            return entry
    return None


async def _found(read: Awaitable[T]) -> T | None:
    """What it gives, None where it is gone."""
    try:
        return await read
    except NotFound:
        return None
