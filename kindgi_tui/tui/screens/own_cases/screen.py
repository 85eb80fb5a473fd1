"""An agent's own test set as it stands now: its cases with what each expects, retiring, adding by hand."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from kindgi_tui.domain.agreement import Agreement
from kindgi_tui.domain.own_test_sets import OwnCase, OwnTestSet
from kindgi_tui.session.window import Window
from kindgi_tui.text import one_line
from kindgi_tui.tui.actions import Action
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.agreeing import Agreeing
from kindgi_tui.tui.screens.moves import Moves
from kindgi_tui.tui.screens.own_cases.rows import own_case_blocks, own_case_row, title_words
from kindgi_tui.tui.screens.test_set_cases.rows import NO_RECORDING, question
from kindgi_tui.tui.widgets.key_footer import in_place
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.text_pane import TextPane
from kindgi_tui.workbench import Page

EMPTY = "No test cases yet: judge or correct runs of the agent, or n adds one by hand."
"""What stands there before there is a case."""

NONE_RETIRED = "No case is retired: z shows the live ones."
"""What stands there while none is retired."""


class OwnCasesScreen(Agreeing, Moves):
    """The cases of an own test set, live or retired."""

    PLACE = "own_cases"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("own_cases")

    def __init__(self, own: OwnTestSet) -> None:
        super().__init__()
        self._own = own
        self._window: Window[OwnCase] | None = None
        self._groups: dict[str, str] = {}
        self._whole = False
        self._retired = False
        self._to_tell: OwnCase | None = None

    def compose_body(self) -> ComposeResult:
        """The title, the list of cases, the one the cursor stands on."""
        yield Static(line(title_words(self._own, False), 300), id="own-cases-title", markup=False)
        yield Static("", id="own-cases-agreement", classes="agreement", markup=False)
        with Container(id="own-cases-body"):
            yield LineList(self._row, id="own-cases-list")
            yield TextPane(id="own-cases-text")

    @property
    def current(self) -> OwnCase | None:
        """The case the cursor stands on."""
        return None if self._window is None else self._window.get(self.rows.cursor)

    def on_mount(self) -> None:
        """Loads the first cases."""
        self.focus_body()
        self.load(self._load)

    def on_screen_resume(self) -> None:
        """What was said or added elsewhere shows when one comes back."""
        self.count_agreement()
        if self._window is not None:
            self.load(self._load)

    async def read_agreement(self) -> Agreement:
        """How far people agree on the live cases as they are now."""
        return await self.workbench.cases.agreement(self._own.agent_id, self._own.project_id)

    async def _load(self) -> None:
        cases, agent, project = self.workbench.cases, self._own.agent_id, self._own.project_id
        retired = self._retired
        self._own = own = await cases.own(agent, project)

        async def fetch(limit: int, cursor: str | None, backwards: bool) -> Page[OwnCase]:
            # A window that began at the start is never asked to go back.
            return await cases.list(agent, project, retired, limit, cursor)

        async def count() -> int:
            return own.retired if retired else own.available

        window: Window[OwnCase] = Window(fetch, count)
        await window.open()
        groups = await self.workbench.groups.list(project, retired=True)
        self._groups = {group.id: group.name for group in groups}
        self._window = window
        self.query_one("#own-cases-title", Static).update(line(title_words(own, retired), 300))
        made, self._to_tell = self._to_tell, None
        cursor = self.rows.cursor if made is None else _place_of(made, window)
        self.rows.show(window.count, cursor, NONE_RETIRED if retired else EMPTY)
        self.rows.repaint()
        self.show_text()
        self.changed()
        if made is not None:
            self.say(f"Added: {one_line(question(made.case, 200), 50)}")

    def _row(self, number: int, width: int) -> list[Cell] | None:
        window = self._window
        if window is None:
            return None
        case = window.get(number)
        if window.short_of(number):
            self.work(self._around(number), group="pages", exclusive=True)
        return None if case is None else own_case_row(case, width)

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
            parts = [] if case is None else [*own_case_blocks(case, self._whole, self._groups)]
        self.query_one(TextPane).show(parts, keep_place=keep)

    @on(LineList.Moved)
    def _moved(self) -> None:
        self.agreement_shown = False
        self.show_text()
        self.changed()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        reason = self.why_not("open")
        if reason is None:
            self.do_open()
        else:
            self.say(reason, "no")

    def why_not(self, verb: str) -> str | None:
        """What needs a case, a run, or the other list."""
        case = self.current
        if verb in ("open", "add-from", "retire", "bring-back", "reasons") and case is None:
            return NONE_RETIRED if self._retired else EMPTY
        if verb in ("open", "add-from") and case is not None and case.run_id is None:
            return NO_RECORDING
        if verb == "retire" and self._retired:
            return "These are retired: b brings one back."
        if verb == "bring-back" and not self._retired:
            return "This case is live: z shows the retired ones."
        return self.why_not_agreement(verb)

    def footer_order(self, actions: tuple[Action, ...]) -> tuple[Action, ...]:
        """Among the retired ones, what brings one back and leads to the live ones stands where Retire does."""
        return in_place(actions, "retire", ("bring-back", "retired")) if self._retired else actions

    def do_open(self) -> None:
        """Opens the run the case was made from."""
        from kindgi_tui.tui.screens.run.screen import RunScreen

        if self.current is not None and self.current.run_id is not None:
            self.app.push_screen(RunScreen(self.current.run_id))

    def do_compare(self) -> None:
        """Compares on the cases as they are now."""
        from kindgi_tui.tui.screens.compare.screen import CompareScreen

        self.app.push_screen(CompareScreen(self._own.id))

    def do_add(self) -> None:
        """Adds a case by hand."""
        self._open_form(None)

    def do_add_from(self) -> None:
        """Adds a case by hand from this case's run."""
        self._open_form(None if self.current is None else self.current.run_id)

    def _open_form(self, run_id: str | None) -> None:
        from kindgi_tui.tui.screens.case_add.screen import CaseAddScreen

        own = self._own
        self.app.push_screen(CaseAddScreen(own.agent_id, own.project_id, run_id, self._was_added))

    def _was_added(self, case: OwnCase) -> None:
        """The next load puts the cursor on it, among the live ones, and says so."""
        self._to_tell, self._retired = case, False

    def do_retire(self) -> None:
        """Leaves it out."""
        self.work(self._move(True), group="move")

    def do_bring_back(self) -> None:
        """Brings it back."""
        self.work(self._move(False), group="move")

    async def _move(self, retire: bool) -> None:
        case = self.current
        if case is None:
            return
        cases = self.workbench.cases
        await (cases.retire(case.id) if retire else cases.bring_back(case.id))
        asked = one_line(question(case.case, 200), 50)
        await self._load()
        self.count_agreement()
        self.say(f"Retired: {asked} · z shows the retired ones" if retire else f"Live again: {asked}", "hint")

    def do_retired(self) -> None:
        """The retired ones, or the live ones again."""
        self._retired = not self._retired
        self.load(self._load)

    def do_reasons(self) -> None:
        """Shows all, or less."""
        self._whole, self.agreement_shown = not self._whole, False
        self.show_text(keep=True)

    def do_refresh(self) -> None:
        """Looks now."""
        self.count_agreement()
        self.load(self._load)


def _place_of(case: OwnCase, window: Window[OwnCase]) -> int:
    """The row of a case that was just added: the newest stand first."""
    return next((at for at, one in enumerate(window.rows) if one.id == case.id), 0)
