"""Runs: a list over any number of runs, filtered as one types, with a preview beside it; new runs appear."""

from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widgets import Static

from kindgi_tui.domain.runs import Run
from kindgi_tui.session.filters import HELP, read_filter
from kindgi_tui.session.window import Window
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.moves import Moves
from kindgi_tui.tui.screens.runs.rows import run_row
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.text_pane import TextPane

LIVE_SECONDS = 2.0
"""How often it is looked whether runs were added. Nothing is painted when none were."""

REST_SECONDS = 0.15
"""How long the cursor rests before its run is shown beside the list."""

EMPTY = "No runs yet. Bring some in: kindgi-tui runs import FILE — or start with kindgi-tui demo."
"""What stands there before there are runs."""

EMPTY_THERE = "This runtime has no runs of this project yet: R looks again."
"""What stands there before a runtime has runs."""

EMPTY_FILTER = "No run matches. Backspace lifts the filter, f changes it."
"""What stands there when the filter leaves nothing."""


class RunsScreen(Moves, WorkScreen):
    """The list of runs."""

    PLACE = "runs"
    # In the class and not in a file beside it: a file makes Textual read every stylesheet again before the first frame.
    DEFAULT_CSS = """
    RunsScreen #runs-title { height: 1; padding: 0 1; background: $panel; color: $primary; text-style: bold; }
    RunsScreen #runs-list { width: 3fr; height: 1fr; }
    RunsScreen #runs-preview { width: 2fr; height: 1fr; border-left: solid $panel; padding: 0 0 0 1; }
    RunsScreen.-tiny #runs-preview, RunsScreen.-narrow #runs-preview { display: none; }
    """
    BINDINGS = bindings_of("runs")
    TITLE_ID: ClassVar[str] = "runs-title"
    """The id of the line above the list."""

    def __init__(self) -> None:
        super().__init__()
        self._typed = ""
        self._before = ""
        self._resting: Timer | None = None
        self._window: Window[Run] | None = None
        self._known = 0

    def compose_body(self) -> ComposeResult:
        """The title with the count, the list, the preview."""
        yield Static("", id=self.TITLE_ID, markup=False)
        with Horizontal():
            yield LineList(self._row, id="runs-list")
            yield TextPane(id="runs-preview")

    @property
    def rows(self) -> LineList:
        """The list."""
        return self.query_one("#runs-list", LineList)

    @property
    def current(self) -> Run | None:
        """The run the cursor stands on."""
        return self._window.get(self.rows.cursor) if self._window is not None else None

    def on_mount(self) -> None:
        """Shows the list as it was left."""
        kept = self.app.state.get("runs.filter")
        self._typed = kept if isinstance(kept, str) else ""
        if self.app.state.get("runs.preview") is False:
            self.query_one(TextPane).display = False
        self.rows.focus()
        self.load(self._load)
        self.every(LIVE_SECONDS, self._look)

    def on_screen_resume(self) -> None:
        """Judgments made elsewhere show when one comes back."""
        if self._window is not None:
            self.load(partial(self._load, keep=True))

    def _row(self, number: int, width: int) -> list[Cell] | None:
        window = self._window
        if window is None:
            return None
        run = window.get(number)
        if window.short_of(number):
            self.work(self._around(number), group="pages")
        return None if run is None else run_row(run, width)

    async def _load(self, keep: bool = False) -> None:
        """Opens the list anew for the filter as it is typed; `keep` keeps the cursor."""
        read = read_filter(self._typed, self.app.project.id)
        runs = self.workbench.runs
        window: Window[Run] = Window(
            lambda limit, cursor, backwards: runs.list(read.query, limit, cursor, backwards),
            lambda: runs.count(read.query),
        )
        await window.open()
        cursor = self.rows.cursor if keep else 0
        if keep and cursor:
            await window.load_around(cursor)
        self._window, self._known = window, window.count
        self.rows.show(window.count, cursor, self._empty)
        self._show_title()
        if read.problem is not None:
            self.say(read.problem, "no")
        self.changed()
        # The rows are painted before the preview is looked up.
        self.call_after_refresh(self._preview_soon)

    @property
    def _empty(self) -> str:
        """What stands there where there are no rows."""
        if self._typed:
            return EMPTY_FILTER
        return self.app.in_place(EMPTY_THERE if self.app.remote else EMPTY)

    def _preview_soon(self) -> None:
        if not self.is_attached:
            return
        self.work(self._show_preview(), group="preview", exclusive=True)

    def _show_title(self) -> None:
        window = self._window
        count = f"{window.count:,}" if window is not None else "…"
        runs = "run" if count == "1" else "runs"
        filtered = f" — {self._typed}" if self._typed else ""
        self.query_one(f"#{self.TITLE_ID}", Static).update(line(f"Runs · {count} {runs}{filtered}", 300))

    async def _around(self, number: int) -> None:
        window = self._window
        if window is not None and await window.load_around(number) and window is self._window:
            self.rows.show(window.count)

    async def _look(self) -> None:
        """Shows new runs when the cursor stands at the top; else says how many there are."""
        window = self._window
        if window is None or not self.is_current or self.prompt.purpose:
            return
        count = await self.workbench.runs.count(read_filter(self._typed, self.app.project.id).query)
        if count == self._known:
            return
        fresh, self._known = count - self._known, count
        if self.rows.cursor == 0:
            await self._load(keep=True)
        if fresh > 0:
            self.say(
                f"{fresh} new {'run' if fresh == 1 else 'runs'}"
                + ("" if self.rows.cursor == 0 else ": g g shows them")
            )

    @on(LineList.Moved)
    def _moved(self) -> None:
        # A step paints two lines; the preview follows once the cursor rests, not at every step on the way.
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(REST_SECONDS, self._preview_soon)
        self.changed()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.do_open()

    async def _show_preview(self) -> None:
        pane = next(iter(self.query(TextPane)), None)
        run = self.current
        if pane is None:
            return
        if not pane.display or pane.size.width == 0:
            return
        if run is None:
            pane.show([])
            return
        # What a preview needs is not needed for the first frame.
        from kindgi_tui.domain.queries import JudgmentFilter
        from kindgi_tui.tui.screens.runs.blocks import run_blocks

        detail = await self.workbench.runs.get(run.id)
        said = await self.workbench.judgments.list(JudgmentFilter(run_id=run.id), limit=100)
        if self.current is not None and self.current.id == run.id:
            pane.show(run_blocks(detail, said.data))

    def why_not(self, verb: str) -> str | None:
        """What needs a run, or a filter."""
        if verb in ("open", "export", "judge") and self.current is None:
            return "There is no run here: Backspace lifts the filter." if self._typed else self._empty
        if verb == "export" and self.app.remote:
            return "Runs leave a runtime through a workspace: kindgi-tui runs pull copies them there."
        if verb == "clear" and not self._typed:
            return "There is no filter to lift: f sets one, / searches."
        return None

    def do_open(self) -> None:
        """Opens the run."""
        from kindgi_tui.tui.screens.run.screen import RunScreen

        if self.current is not None:
            self.app.push_screen(RunScreen(self.current.id))

    async def do_judge(self) -> None:
        """Judges from this run on."""
        if self.current is not None:
            self.app.options["judge_from"] = self.current.id
            await self.app.go_to("judge")

    def do_filter(self) -> None:
        """Types a filter."""
        self._before = self._typed
        self.say(HELP)
        self.prompt.ask("filter", "Filter", self._typed + (" " if self._typed else ""))

    def do_search(self) -> None:
        """Types words to search."""
        self._before = self._typed
        self.prompt.ask("filter", "Search", self._typed)

    def do_clear(self) -> None:
        """Lifts the filter."""
        self._apply("")

    def do_preview(self) -> None:
        """Shows or hides the preview."""
        pane = self.query_one(TextPane)
        pane.display = not pane.display
        self.app.state.put("runs.preview", pane.display)
        self.call_after_refresh(self._preview_soon)

    def do_refresh(self) -> None:
        """Looks for new runs."""
        self.load(partial(self._load, keep=True))

    def do_export(self) -> None:
        """Asks where to write the run."""
        run = self.current
        if run is not None:
            self.prompt.ask("export", "Write the run to", f"run-{run.id[:8]}.jsonl")

    def do_first(self) -> None:
        """The newest run."""
        self.work(self._to("first"), group="load", exclusive=True)

    def do_last(self) -> None:
        """The oldest run."""
        self.work(self._to("last"), group="load", exclusive=True)

    async def _to(self, where: str) -> None:
        window = self._window
        if window is None:
            return
        if where == "first":
            await window.to_start()
        elif read_filter(self._typed, self.app.project.id).query.text is None:
            await window.to_end()
        self.rows.show(window.count)
        if where == "first":
            self.rows.first()
        else:
            self.rows.last()

    @on(Prompt.Changed)
    def _typing(self, event: Prompt.Changed) -> None:
        if event.purpose == "filter":
            self._typed = event.text.strip()
            self.load(self._load)

    @on(Prompt.Left)
    def _left(self, event: Prompt.Left) -> None:
        """Escape takes back what was typed."""
        if event.purpose == "filter":
            self._apply(self._before)

    @on(Prompt.Answered)
    def _answered(self, event: Prompt.Answered) -> None:
        if event.purpose == "filter":
            self._apply(event.text.strip())
        elif event.purpose == "export" and self.current is not None:
            self.work(self._export(self.current.id, Path(event.text).expanduser()))
        self.focus_body()

    def _apply(self, typed: str) -> None:
        self._typed = typed
        self.app.state.put("runs.filter", typed or None)
        self.say("")
        self.load(self._load)

    async def _export(self, run_id: str, path: Path) -> None:
        written = await self.workbench.runs.export(run_id)
        try:
            with path.open("x", encoding="ascii") as file:
                file.write(written + "\n")
        except FileExistsError:
            self.say(f"{path} is there already: give another name.", "error")
            return
        except OSError as cause:
            self.say(f"{path} can't be written: {cause.strerror}.", "error")
            return
        self.say(f"Wrote {path}")
