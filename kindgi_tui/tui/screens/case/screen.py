"""A case of a comparison: recorded beside new, its items, new ones judged right here, its tool calls."""

import asyncio
import time
from collections.abc import Sequence
from functools import partialmethod

from textual import on
from textual.app import ComposeResult
from textual.widgets import Static

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.items import answer_of
from kindgi_tui.domain.judgments import Verdict
from kindgi_tui.session.judging_seen import Clock
from kindgi_tui.session.opened_case import CaseItem, OpenedCase
from kindgi_tui.session.reviewing import Reviewed
from kindgi_tui.text import json_text, one_line
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.case import blocks
from kindgi_tui.tui.screens.case.items import item_row
from kindgi_tui.tui.screens.case.words import items_line, marks_line, title_line
from kindgi_tui.tui.screens.comparison.rows import candidate_name
from kindgi_tui.tui.screens.correct.opening import open_correct
from kindgi_tui.tui.screens.moves import Moves
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.text_pane import Block, Run, TextPane

RAW = 200_000
"""Characters of raw JSON that are shown."""

SLOW_SECONDS = 0.2
"""After how long a verdict that isn't recorded yet is shown as on its way."""

TOO_EARLY = "That came before the item could be read, and doesn't count: look, then press again."
"""What is said of a verdict the seen guard held back."""


class CaseScreen(Moves, WorkScreen):
    """One case of a comparison, one repetition at a time."""

    PLACE = "case"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("case")
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (14, "-high")]

    def __init__(
        self, comparison: Comparison, cases: Sequence[Reviewed], place: int, clock: Clock = time.monotonic
    ) -> None:
        """`cases` are the list one comes from, in its order, `place` the one to show; `clock` is the seen guard's."""
        super().__init__()
        self._given = (comparison, cases, place, clock)
        self._opened: OpenedCase | None = None
        self._answers: blocks.Answers | None = None
        self._raw = False
        self._heads: dict[str, str] = {}

    @property
    def opened(self) -> OpenedCase:
        """The case that is open."""
        if self._opened is None:
            comparison, cases, place, clock = self._given
            kept = self.app.state.get("judge.group")
            group = kept if isinstance(kept, str) else None
            self._opened = OpenedCase(self.workbench, self.app.person, comparison, cases, place, clock, group)
        return self._opened

    @property
    def _experts(self) -> bool:
        """Whether expert groups alone count."""
        return self.opened.comparison.request.weighing == "experts-only"

    @property
    def comparison_id(self) -> str:
        """The comparison the case is of."""
        return self.opened.comparison.id

    @property
    def rows(self) -> LineList:
        """The items."""
        return self.query_one("#case-items", LineList)

    @property
    def pane(self) -> TextPane:
        """The text."""
        return self.query_one("#case-text", TextPane)

    @property
    def current(self) -> CaseItem | None:
        """The item the cursor stands on."""
        at, items = self.rows.cursor, self.opened.items
        return items[at] if 0 <= at < len(items) else None

    def compose_body(self) -> ComposeResult:
        """Title, what to know, the answers and calls, the items."""
        yield Static("", id="case-title", markup=False)
        yield Static("", id="case-marks", markup=False)
        yield TextPane(id="case-text")
        yield Static("", id="case-items-title", markup=False)
        yield LineList(self._row, id="case-items", empty="It has no output, so there are no items.")

    def on_mount(self) -> None:
        """Loads it."""
        self.rows.focus()
        self._load_now()

    def on_screen_resume(self) -> None:
        """Judgments made meanwhile show."""
        if self._answers is not None:
            self.work(self._look_again(), group="said", exclusive=True)

    def on_resize(self) -> None:
        """The answers have another room."""
        self.call_after_refresh(self._show_text, True)

    def _load_now(self) -> None:
        self.load(self._load)

    async def _load(self, keep: bool = False) -> None:
        opened = self.opened
        await opened.load()
        agent_turn = opened.case is None or opened.case.subject.kind == "agent"
        before = answer_of(None if opened.case is None else opened.case.output, agent_turn)
        # Comparing long answers word by word takes a while.
        self._answers = await asyncio.to_thread(blocks.answers, before, answer_of(opened.output, agent_turn))
        self.rows.styles.height = max(1, len(opened.items))
        self.rows.show(len(opened.items), self.rows.cursor if keep else opened.first_open())
        self._show_head()
        self._show_text(keep)
        self.changed()

    async def _look_again(self) -> None:
        await self.opened.load_judgments()
        self._show_verdicts()

    def _show_verdicts(self, key: str | None = None) -> None:
        """Shows what was said, of one item or of all."""
        for number, item in enumerate(self.opened.items):
            if key is None or item.key == key:
                self.rows.repaint(number)
        self._show_head()
        self.changed()

    def _show_head(self) -> None:
        for name, told in (("title", title_line), ("marks", marks_line), ("items-title", items_line)):
            words = told(self.opened)
            if self._heads.get(name) != words:
                self._heads[name] = words
                self.query_one(f"#case-{name}", Static).update(line(words, 400))

    def _show_text(self, keep: bool = False) -> None:
        opened = self.opened
        if self._answers is None or not self.is_attached:
            return
        result, case, output = opened.reviewed.result, opened.case, opened.output
        if self._raw:
            entry = _raw_entry(opened.comparison, result.case_id)
            self.pane.show([Block(json_text({"result": entry, "output": output}, RAW))], keep_place=keep)
            return
        recorded = "" if case is None else one_line(f"{case.subject.id} {case.subject.version}", 60)
        failure = None if opened.replay is None else opened.replay.failure
        shown: list[Block | Run] = blocks.trouble_blocks(result, failure)
        cells = self.pane.scrollable_content_region.width
        shown += blocks.question_blocks(case, cells)
        shown += blocks.expected_blocks(case, result, opened.replay)
        shown += blocks.answer_blocks(self._answers, recorded, candidate_name(opened.comparison), cells)
        shown += blocks.call_blocks(blocks.traces(result, output, opened.repetition))
        self.pane.show([*shown, *blocks.said_blocks(case, self._experts)], keep_place=keep)

    def _row(self, number: int, width: int) -> list[Cell] | None:
        opened = self.opened
        if not 0 <= number < len(opened.items) or opened.replay is None:
            return None
        item = opened.items[number]
        place = (opened.replay.id, item.key)
        opened.seen.painted([place])
        row = item_row(item, opened.judgments, self.app.person.id, width, self._experts)
        waiting = opened.on_the_way.get(place) if item.kind == "new" else None
        if waiting is not None:
            row[1] = Cell("✓ yes …" if waiting == "yes" else "✗ no  …", row[1].cells, waiting)
        return row

    def why_not(self, verb: str) -> str | None:
        """What needs a new item, another case, another repetition, or a run."""
        opened, item = self.opened, self.current
        if verb in ("yes", "no"):
            if item is None:
                return "There is no item here to judge."
            if item.kind != "new" or item.ref is None:
                return "Its verdicts are carried over from the recorded run: only new items are judged here."
            if opened.replay is None or opened.replay.status != "completed":
                return "Only a completed replay can be judged."
        if verb == "undo" and not opened.undoable:
            return "Nothing was said here that could be taken back."
        if verb == "next-case" and opened.place + 1 >= len(opened.cases):
            return "This is the last case of the list: Esc goes back to it."
        if verb == "previous-case" and opened.place == 0:
            return "This is the first case of the list."
        if verb == "rescore" and opened.comparison.status != "completed":
            return f"Only a completed comparison can be rescored; this one is {opened.comparison.status}."
        if verb.startswith("repetition"):
            runs, number = len(opened.runs), verb.partition("-")[2]
            if runs < 2:
                return "This case has one repetition."
            if number and int(number) > runs:
                return f"This case has {runs} repetitions."
        if verb == "correct":
            return self._why_not_corrected()
        if verb == "replay" and opened.replay is None:
            return "There is no replay of this case."
        return None

    def _why_not_corrected(self) -> str | None:
        case = self.opened.case
        if case is None:
            return "The case is being loaded." if self._answers is None else "The case isn't there any more."
        if case.from_nothing:
            return "This case was made from nothing: there is no recorded run to correct."
        return None

    def do_correct(self) -> None:
        """Says what the recorded run should have done."""
        case = self.opened.case
        if case is not None:
            open_correct(self.app, case.past_run)

    def do_yes(self) -> None:
        """Yes."""
        self._judge("yes")

    def do_no(self) -> None:
        """No."""
        self._judge("no")

    def _judge(self, verdict: Verdict) -> None:
        opened, item = self.opened, self.current
        if item is None or opened.replay is None:
            return
        run_id = opened.replay.id
        if not opened.seen.seen((run_id, item.key)):
            self.say(TOO_EARLY, "no")
            return
        if opened.mine(item) == verdict:
            self.say(f"{one_line(item.key, 60)}: that is what you said.")
        else:
            opened.on_the_way[(run_id, item.key)] = verdict
            self.set_timer(SLOW_SECONDS, self._show_slow)
            self.work(self._record(run_id, item, verdict), group="verdicts")
        self.rows.go(opened.first_open(self.rows.cursor))

    def _show_slow(self) -> None:
        """A verdict that is long on its way is shown so."""
        if self.opened.on_the_way:
            self.rows.repaint()

    async def _record(self, run_id: str, item: CaseItem, verdict: Verdict) -> None:
        try:
            await self.opened.judge(run_id, item, verdict)
        finally:
            self._show_verdicts(item.key)
        left = self.opened.open_items
        further = f"{left} more here" if left else "all new items here are judged: ] goes on, R rescores"
        self.say(f"{'✓ yes' if verdict == 'yes' else '✗ no'}: {one_line(item.key, 60)} · {further}")

    def do_undo(self) -> None:
        """Takes the last verdict back."""
        self.work(self._take_back(), group="verdicts")

    async def _take_back(self) -> None:
        opened = self.opened
        taken = await opened.take_back()
        if taken is None:
            return
        run_id, key = taken
        if opened.replay is not None and run_id == opened.replay.id:
            self.rows.go(
                next((n for n, item in enumerate(opened.items) if item.key == key), self.rows.cursor)
            )
        self._show_verdicts(key)
        self.say(f"Taken back: {one_line(key, 60)}")

    def do_rescore(self) -> None:
        """Rates the replays again."""
        self.work(self._rescore(), group="act", exclusive=True)

    async def _rescore(self) -> None:
        self.say("Rescoring …")
        headline = await self.opened.rescore()
        await self._load(keep=True)
        self.say(f"Rescored: {headline}")

    def do_next_case(self) -> None:
        """The next case."""
        self._to_case(self.opened.place + 1)

    def do_previous_case(self) -> None:
        """The case before."""
        self._to_case(self.opened.place - 1)

    def _to_case(self, place: int) -> None:
        self.opened.go(place)
        self.say("")
        self._load_now()

    def do_repetition(self) -> None:
        """The next repetition."""
        self._show_repetition((self.opened.repetition + 1) % max(1, len(self.opened.runs)))

    def _show_repetition(self, number: int) -> None:
        self.opened.repetition = number
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
        case = self.opened.case
        self._open_run(self.opened.reviewed.entry.case_id if case is None else case.past_run)

    def do_replay(self) -> None:
        """The replay's run."""
        if self.opened.replay is not None:
            self._open_run(self.opened.replay.id)

    def _open_run(self, run_id: str) -> None:
        from kindgi_tui.tui.screens.run.screen import RunScreen

        self.app.push_screen(RunScreen(run_id))

    def do_raw(self) -> None:
        """JSON, or the case again."""
        self._raw = not self._raw
        self.set_class(self._raw, "-raw")
        self.call_after_refresh(self._show_text)

    def stepping(self) -> LineList | TextPane:
        """The items, or the JSON."""
        return self.pane if self._raw else self.rows

    def paging(self) -> LineList | TextPane:
        """The text."""
        return self.pane

    def do_line_down(self) -> None:
        """A line on."""
        self.pane.scroll_lines(1)

    def do_line_up(self) -> None:
        """A line back."""
        self.pane.scroll_lines(-1)

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
