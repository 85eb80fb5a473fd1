"""A comparison as it runs and when it is done: headline, metrics, counts, progress, the cases, regressions first."""

import asyncio

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.session.following import FINAL, Look, looks
from kindgi_tui.session.reviewing import FILTERS, Review, Reviewed, newest_of, place_of, questions_of
from kindgi_tui.text import clean, json_text
from kindgi_tui.tui.content import line, plain
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.comparison.rows import case_row, count_lines, filter_line
from kindgi_tui.tui.screens.comparison.words import end_words, headline_words, title_words
from kindgi_tui.tui.screens.moves import Moves
from kindgi_tui.tui.widgets.clamped import Clamped
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.metric_panel import MetricPanel
from kindgi_tui.tui.widgets.progress_line import ProgressLine
from kindgi_tui.tui.widgets.text_pane import Block, TextPane

RAW = 200_000
"""Characters of raw JSON that are shown."""

NO_CASES = "No case has a result yet: they appear here as they finish."
"""What stands there before a case finished."""


class ComparisonScreen(Moves, WorkScreen):
    """One comparison. Leaving it leaves the comparison running."""

    PLACE = "comparison"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("comparison")
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-low"), (22, "-high")]

    def __init__(self, comparison_id: str) -> None:
        """`comparison_id` is the comparison, or any rescore of it: the newest one is shown."""
        super().__init__()
        self._asked = comparison_id
        self._comparison: Comparison | None = None
        self._result: Json = None
        self._review = Review()
        self._narrowed_to = "all"
        self._cases: tuple[Reviewed, ...] = ()
        self._questions: dict[str, str] = {}
        self._rescores = 0
        self._waiting = 0
        self._said: dict[str, str] = {}

    @property
    def comparison_id(self) -> str:
        """The id of the comparison that is shown."""
        return self._comparison.id if self._comparison is not None else self._asked

    @property
    def review(self) -> Review:
        """Its cases and figures."""
        return self._review

    @property
    def rows(self) -> LineList:
        """The case list."""
        return self.query_one("#comparison-list", LineList)

    @property
    def current(self) -> Reviewed | None:
        """The case the cursor stands on."""
        at = self.rows.cursor
        return self._cases[at] if 0 <= at < len(self._cases) else None

    def compose_body(self) -> ComposeResult:
        """Title, headline, metrics, counts, progress, cases; the raw JSON in their place."""
        yield Static(line(f"Comparison {self._asked}", 100), id="comparison-title", markup=False)
        with Vertical(id="comparison-body"):
            yield Clamped("w shows all", id="comparison-headline")
            yield MetricPanel()
            yield Static("", id="comparison-counts", markup=False)
            yield ProgressLine()
            yield Static("", id="comparison-filter", markup=False)
            yield LineList(self._row, id="comparison-list", empty=NO_CASES)
        yield TextPane(id="comparison-raw")

    def on_mount(self) -> None:
        """Loads it."""
        self.rows.focus()

    def on_screen_resume(self) -> None:
        """Looks at it, and while it runs follows it: a hidden panel paints nothing."""
        self.load(self._open, "follow")

    def on_screen_suspend(self) -> None:
        """Stops following; the comparison goes on."""
        self.workers.cancel_group(self, "follow")

    def on_resize(self) -> None:
        """The filters have another room."""
        self._show_filter()

    async def _open(self) -> None:
        comparison = await newest_of(self.workbench, self._asked)
        self._rescores = len(
            await self.workbench.comparisons.rescores(comparison.rescore_of or comparison.id)
        )
        await self._show(Look(comparison=comparison, result=comparison.result))
        if not self._questions:
            self.work(self._load_questions(comparison), group="questions", exclusive=True)
        if comparison.status not in FINAL:
            self.app.watch_comparison(comparison.id)
            async for look in looks(self.workbench, comparison.id, self.app.profile.panel_hz):
                await self._show(look)

    async def _load_questions(self, comparison: Comparison) -> None:
        async for page in questions_of(self.workbench, comparison):
            self._questions.update(page)
            self.rows.repaint()

    async def _show(self, look: Look) -> None:
        """Shows what changed since the last look."""
        before, self._comparison = self._comparison, look.comparison
        comparison = look.comparison
        moved = look.result is not self._result
        if moved or before is None:
            self._result = look.result
            self._review.take(look.result, comparison.request.k)
            self._narrow()
            self.query_one(MetricPanel).show(self._review.measures, comparison.request.subject_version)
        if look.ended:
            self._waiting = await self.workbench.comparisons.waiting(comparison.id)
        self._set("title", title_words(comparison, self._rescores))
        self._set("headline", headline_words(comparison, self._review))
        self._set("counts", "\n".join(count_lines(comparison, self._review.counts)))
        progress = self.query_one(ProgressLine)
        if look.ended:
            resumes = not self.workbench.comparisons.no_resume
            progress.say(end_words(comparison, self._review, self._waiting, resumes))
        else:
            progress.show(comparison.progress, look.rate, look.left)
        if before is None or before.status != comparison.status or moved:
            self.changed()
        if self.has_class("-raw") and moved:
            self._show_raw(keep=True)

    def _set(self, name: str, words: str) -> None:
        """Sets one of the texts, when it says something else."""
        if self._said.get(name) != words:
            self._said[name] = words
            if name == "headline":
                self.query_one(Clamped).tell(words)
                return
            shown = plain(words, limit=2_000) if name == "counts" else line(words, 400)
            self.query_one(f"#comparison-{name}", Static).update(shown)

    def _narrow(self, to_top: bool = False) -> None:
        """Narrows the list to the filter; the cursor stays on its case."""
        here = self.current
        self._cases = self._review.narrowed(self._narrowed_to)
        place = None if here is None or to_top else place_of(self._cases, here.entry.case_id)
        empty = (
            NO_CASES
            if self._narrowed_to == "all"
            else f"No case is {self._narrowed_to}: f goes on, Backspace shows all."
        )
        self.rows.show(len(self._cases), place or 0, empty)
        self._show_filter()

    def _show_filter(self) -> None:
        words = filter_line(self._narrowed_to, self._review.sizes(), max(20, self.size.width - 2))
        self._set("filter", words)

    def _row(self, number: int, width: int) -> list[Cell] | None:
        if not 0 <= number < len(self._cases):
            return None
        case = self._cases[number]
        return case_row(case, self._questions.get(case.entry.case_id, ""), width)

    def why_not(self, verb: str) -> str | None:
        """What needs a case, new items, or a comparison that stands so."""
        comparison = self._comparison
        if comparison is None:
            return None if verb in ("down", "up", "first", "last") else "It is still being loaded."
        status = comparison.status
        if verb == "open" and self.current is None:
            return "There is no case here: Backspace shows all." if self._narrowed_to != "all" else NO_CASES
        if verb == "judge" and not self._review.unjudged():
            return "No new item waits for a verdict."
        if verb == "rescore" and status != "completed":
            return f"Only a completed comparison can be rescored; this one is {status}."
        if verb == "cancel" and status in FINAL:
            return f"It is {status}: there is nothing to cancel."
        if verb == "resume" and self.workbench.comparisons.no_resume:
            return self.workbench.comparisons.no_resume
        if verb == "resume" and (status not in ("failed", "cancelled") or comparison.rescore_of is not None):
            return f"Only a failed or cancelled comparison can be resumed; this one is {status}."
        if verb == "unfilter" and self._narrowed_to == "all":
            return "All cases are shown: f narrows them."
        return None

    def do_open(self) -> None:
        """Opens the case."""
        from kindgi_tui.tui.screens.case.screen import CaseScreen

        if self._comparison is not None and self.current is not None:
            self.app.push_screen(CaseScreen(self._comparison, self._cases, self.rows.cursor))

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.do_open()

    @on(LineList.Moved)
    def _moved(self) -> None:
        self.changed()

    def do_filter(self) -> None:
        """The next filter that leaves a case."""
        sizes = self._review.sizes()
        at = FILTERS.index(self._narrowed_to)
        self._narrowed_to = next(
            (name for name in (*FILTERS[at + 1 :], *FILTERS[:at]) if name == "all" or sizes[name]), "all"
        )
        self._narrow(to_top=True)
        self.changed()

    def do_unfilter(self) -> None:
        """All cases."""
        self._narrowed_to = "all"
        self._narrow()
        self.changed()

    async def do_judge(self) -> None:
        """Judges the new items, one after another."""
        self.app.options["judge_items"] = self._review.unjudged()
        await self.app.go_to("judge")

    def do_rescore(self) -> None:
        """Rates the replays again."""
        self.work(self._rescore(), group="act", exclusive=True)

    async def _rescore(self) -> None:
        assert self._comparison is not None
        self.say("Rescoring …")
        await self.workbench.comparisons.rescore(self._comparison.id)
        await self._open()
        self.say(f"Rescored: {self._review.headline}")

    def do_cancel(self) -> None:
        """Cancels it."""
        self.work(self._cancel(), group="act", exclusive=True)

    async def _cancel(self) -> None:
        assert self._comparison is not None
        await self.workbench.comparisons.cancel(self._comparison.id)
        more = "" if self.workbench.comparisons.no_resume else " z resumes it."
        self.say(f"Cancelling; what finished is kept.{more}")

    def do_resume(self) -> None:
        """Runs what is left."""
        self.work(self._resume(), group="act", exclusive=True)

    async def _resume(self) -> None:
        assert self._comparison is not None
        await self.workbench.comparisons.resume(self._comparison.id)
        self.say("Resumed: what finished isn't run again.")
        self.load(self._open, "follow")

    def do_raw(self) -> None:
        """The result as JSON, or the comparison again."""
        self.toggle_class("-raw")
        if self.has_class("-raw"):
            self._show_raw()
        self.focus_body()

    def _show_raw(self, keep: bool = False) -> None:
        self.work(self._written(keep), group="raw", exclusive=True)

    async def _written(self, keep: bool) -> None:
        text = await asyncio.to_thread(json_text, self._result, RAW)
        words = clean(self._said.get("headline", ""), 4_000)
        blocks = [Block(words, "strong"), Block(""), Block(text)] if words else [Block(text)]
        self.query_one("#comparison-raw", TextPane).show(blocks, keep_place=keep)

    def stepping(self) -> LineList | TextPane:
        """The case list, or the JSON in its place."""
        return self.query_one("#comparison-raw", TextPane) if self.has_class("-raw") else self.rows
