"""The cases of one version of a test set: the question, each item with what people said of it, the way to the run.

Over them stands how far people agree who judged the same items.
"""

from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from kindgi_tui.domain.agreement import Agreement
from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.session.exporting import export_cases
from kindgi_tui.session.window import Window
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.agreeing import Agreeing
from kindgi_tui.tui.screens.moves import Moves
from kindgi_tui.tui.screens.test_set_cases.rows import case_blocks, case_row
from kindgi_tui.tui.screens.test_sets.rows import cases_words
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.text_pane import TextPane
from kindgi_tui.workbench import Page

NO_RECORDING = "This case was made from nothing: there is no recorded run to open."
"""Why the way to the run is closed."""


class CasesScreen(Agreeing, Moves):
    """The cases of a version."""

    PLACE = "test_set_cases"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("test_set_cases")

    def __init__(self, version: TestSetVersion) -> None:
        super().__init__()
        self._version = version
        self._window: Window[Case] | None = None
        self._groups: dict[str, str] = {}
        self._whole = False

    def compose_body(self) -> ComposeResult:
        """The title, the list of cases, the one the cursor stands on."""
        one = self._version
        title = f"{one.test_set_id} {one.version} · {cases_words(one)}"
        yield Static(line(title, 300), id="cases-title", markup=False)
        yield Static("", id="cases-agreement", classes="agreement", markup=False)
        with Container(id="cases-body"):
            yield LineList(self._row, id="cases-list")
            yield TextPane(id="cases-text")

    @property
    def current(self) -> Case | None:
        """The case the cursor stands on."""
        return None if self._window is None else self._window.get(self.rows.cursor)

    def on_mount(self) -> None:
        """Loads the first cases."""
        self.focus_body()
        self.load(self._load)

    def on_screen_resume(self) -> None:
        """What was judged elsewhere counts when one comes back."""
        self.count_agreement()

    async def read_agreement(self) -> Agreement:
        """How far people agree on this version."""
        return await self.workbench.test_sets.agreement(self._version.test_set_id, self._version.version)

    async def _load(self) -> None:
        one, sets = self._version, self.workbench.test_sets

        async def fetch(limit: int, cursor: str | None, backwards: bool) -> Page[Case]:
            # A window that began at the start is never asked to go back.
            return await sets.cases(one.test_set_id, one.version, limit, cursor)

        async def count() -> int:
            return one.case_count

        window: Window[Case] = Window(fetch, count)
        await window.open()
        groups = await self.workbench.groups.list(one.project_id, retired=True)
        self._groups = {group.id: group.name for group in groups}
        self._window = window
        self.rows.show(window.count, 0, "The set has no cases.")
        self.show_text()
        self.changed()

    def _row(self, number: int, width: int) -> list[Cell] | None:
        window = self._window
        if window is None:
            return None
        case = window.get(number)
        if window.short_of(number):
            self.work(self._around(number), group="pages", exclusive=True)
        return None if case is None else case_row(case, width)

    async def _around(self, number: int) -> None:
        if self._window is not None and await self._window.load_around(number):
            self.rows.show(self._window.count)
            self.show_text(keep=True)
            self.changed()

    def show_text(self, keep: bool = False) -> None:
        """The case, or the agreement."""
        case = self.current
        parts = self.agreement_text
        if parts is None:
            parts = [] if case is None else [*case_blocks(case, self._whole, self._groups)]
        self.query_one(TextPane).show(parts, keep_place=keep)

    @on(LineList.Moved)
    def _moved(self) -> None:
        self.agreement_shown = False
        self.show_text()
        self.changed()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.do_open()

    def why_not(self, verb: str) -> str | None:
        """What needs a case."""
        if verb in ("open", "reasons") and self.current is None:
            return "There is no case here yet."
        if verb == "open" and self.current is not None and self.current.from_nothing:
            return NO_RECORDING
        return self.why_not_agreement(verb)

    def do_open(self) -> None:
        """Opens the run the case was made from."""
        from kindgi_tui.tui.screens.run.screen import RunScreen

        if self.current is not None:
            self.app.push_screen(RunScreen(self.current.past_run))

    def do_compare(self) -> None:
        """Compares on this version."""
        from kindgi_tui.tui.screens.compare.screen import CompareScreen

        self.app.push_screen(CompareScreen(self._version.test_set_id, self._version.version))

    def do_reasons(self) -> None:
        """Shows all, or less."""
        self._whole, self.agreement_shown = not self._whole, False
        self.show_text(keep=True)

    def do_export(self) -> None:
        """Asks where to write the cases."""
        one = self._version
        self.prompt.ask("export", "Write the cases to", f"{one.test_set_id}-{one.version}.jsonl")

    @on(Prompt.Answered)
    def _answered(self, event: Prompt.Answered) -> None:
        if event.purpose == "export":
            self.work(self._export(Path(event.text).expanduser()), group="export")

    async def _export(self, path: Path) -> None:
        one = self._version
        count = await export_cases(self.workbench, one.test_set_id, one.version, path)
        self.say(f"Wrote {count:,} {'case' if count == 1 else 'cases'} to {path}")
