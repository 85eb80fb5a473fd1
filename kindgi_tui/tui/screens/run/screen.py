"""One run: its conversation with tool calls folded or open, its items with what was said of them, or its raw JSON."""

from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.widgets import Static

from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.domain.queries import JudgmentFilter
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.text import json_text, one_line
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.correct.opening import open_correct, why_not_corrected
from kindgi_tui.tui.screens.runs.blocks import run_blocks
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.text_pane import Block, TextPane

RAW = 200_000
"""Characters of raw JSON that are shown."""


class RunScreen(WorkScreen):
    """One run, whole."""

    PLACE = "run"
    BINDINGS = bindings_of("run")
    DEFAULT_CSS = """
    RunScreen #run-title {
        text-wrap: nowrap; text-overflow: ellipsis; height: 1; padding: 0 1;
        background: $panel; color: $primary; text-style: bold;
    }
    RunScreen TextPane { height: 1fr; padding: 0 1; }
    """

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self._run_id = run_id
        self._run: RunDetail | None = None
        self._said: tuple[Judgment, ...] = ()
        self._folded = True
        self._raw = False
        self._words = ""
        self._found = -1

    def compose_body(self) -> ComposeResult:
        """The title and the text."""
        yield Static(line(f"Run {self._run_id}", 100), id="run-title", markup=False)
        yield TextPane()

    def on_mount(self) -> None:
        """Loads it."""
        self.focus_body()
        self.load(self._load)

    def on_screen_resume(self) -> None:
        """Judgments made meanwhile show."""
        if self._run is not None:
            self.load(partial(self._load, keep=True))

    async def _load(self, keep: bool = False) -> None:
        self._run = await self.workbench.runs.get(self._run_id)
        self._said = (
            await self.workbench.judgments.list(JudgmentFilter(run_id=self._run_id), limit=100)
        ).data
        title = f"Run {self._run.id} · {self._run.preview}"
        self.query_one("#run-title", Static).update(line(title, 400))
        self._show(keep)
        self.changed()

    def show_unloaded(self, sentence: str) -> None:
        """The reason stands where the run would."""
        if self._run is None:
            self.query_one(TextPane).show([Block(one_line(sentence, 400))])

    def _show(self, keep: bool = True) -> None:
        if self._run is None:
            return
        pane = self.query_one(TextPane)
        if self._raw:
            pane.show([Block(json_text(self._run.output, RAW))], keep_place=keep)
        else:
            pane.show(run_blocks(self._run, self._said, self._folded), keep_place=keep)

    def why_not(self, verb: str) -> str | None:
        """What needs an output, or words that were searched."""
        if verb == "judge" and (self._run is None or self._run.status != "completed"):
            return "Only a completed run can be judged."
        if verb == "correct":
            return why_not_corrected(self._run)
        if verb == "next-found" and not self._words:
            return "Nothing was searched yet: / searches."
        return None

    async def do_judge(self) -> None:
        """Judges this run."""
        self.app.options["judge_run"] = self._run_id
        await self.app.go_to("judge")

    def do_correct(self) -> None:
        """Says what it should have done."""
        open_correct(self.app, self._run_id)

    def do_calls(self) -> None:
        """Opens or folds the calls."""
        self._folded = not self._folded
        self._show()

    def do_raw(self) -> None:
        """Shows raw JSON, or the conversation again."""
        self._raw = not self._raw
        self._show(keep=False)

    def do_search(self) -> None:
        """Asks for words."""
        self.prompt.ask("search", "Search", self._words)

    def do_next_found(self) -> None:
        """The next place that has the words."""
        self._find()

    @on(Prompt.Answered)
    def _answered(self, event: Prompt.Answered) -> None:
        self._words, self._found = event.text, -1
        self.focus_body()
        if self._words:
            self._find()
        self.changed()

    def _find(self) -> None:
        found = self.query_one(TextPane).find(self._words, self._found)
        if found is None:
            self.say(f'"{self._words}" is not in it.', "no")
        else:
            self._found = found
            self.say(f'"{self._words}": n goes on to the next')

    def do_down(self) -> None:
        """A line on."""
        self.query_one(TextPane).scroll_lines(1)

    def do_up(self) -> None:
        """A line back."""
        self.query_one(TextPane).scroll_lines(-1)

    def do_page_down(self) -> None:
        """A page on."""
        self.query_one(TextPane).page(1)

    def do_page_up(self) -> None:
        """A page back."""
        self.query_one(TextPane).page(-1)

    def do_first(self) -> None:
        """The top."""
        self.query_one(TextPane).scroll_lines(-1_000_000)

    def do_last(self) -> None:
        """The end."""
        self.query_one(TextPane).scroll_lines(1_000_000)

    def focus_body(self) -> None:
        """The text has the keys."""
        self.query_one(TextPane).focus()
