"""Audit: what was done in the workspace, by whom, when; newest first, filtered as one types, an entry whole beside."""

from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from kindgi_tui.domain.projects import AuditEntry
from kindgi_tui.session.audit_filter import HELP, read_audit_filter
from kindgi_tui.session.window import Window
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.audit.about import Way, no_way, way_of
from kindgi_tui.tui.screens.audit.rows import audit_parts, audit_row
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.moves import Moves
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.text_pane import TextPane
from kindgi_tui.workbench import Page

EMPTY = "Nothing was done here yet that is noted: R looks again. Verdicts stand in the runs (g r)."
"""What stands there before anything is noted."""

EMPTY_FILTER = "Nothing that was done matches. Backspace lifts the filter, f changes it."
"""What stands there when the filter leaves nothing."""

STATE = "audit.filter"
"""What the filter is kept as between starts."""


class AuditScreen(Moves, WorkScreen):
    """The list of what was done."""

    PLACE = "audit"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("audit")
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-high")]

    def __init__(self) -> None:
        super().__init__()
        self._typed = ""
        self._before = ""
        self._unloaded = ""
        self._window: Window[AuditEntry] | None = None
        self._names: dict[str, str] = {}

    def compose_body(self) -> ComposeResult:
        """The title with the count, the list, the entry the cursor stands on."""
        yield Static(line("Audit"), id="audit-title", markup=False)
        with Container(id="audit-body"):
            yield LineList(self._row, id="audit-list")
            yield TextPane(id="audit-entry")

    @property
    def current(self) -> AuditEntry | None:
        """The entry the cursor stands on."""
        return None if self._window is None else self._window.get(self.rows.cursor)

    def on_mount(self) -> None:
        """Loads the list, filtered as it was left."""
        kept = self.app.state.get(STATE)
        self._typed = kept if isinstance(kept, str) else ""
        self._show_entry()
        self.focus_body()
        self.load(self._load)

    def on_screen_resume(self) -> None:
        """What was done elsewhere shows when one comes back."""
        if self._window is not None and not self.prompt.purpose:
            self.load(partial(self._load, keep=True))

    async def _load(self, keep: bool = False) -> None:
        """Reads the list anew for the filter as it is typed; `keep` leaves the cursor on its entry."""
        read, audit = read_audit_filter(self._typed), self.workbench.audit

        async def fetch(limit: int, cursor: str | None, backwards: bool) -> Page[AuditEntry]:
            # A window that began at the start is never asked to go back.
            return await audit.list(read.query, limit, cursor)

        window: Window[AuditEntry] = Window(fetch, lambda: audit.count(read.query))
        await window.open()
        if keep and self.rows.cursor:
            await window.load_around(self.rows.cursor)
        self._names = {one.id: one.name for one in await self.workbench.people.list()}
        cursor = 0
        # Where one went while it was read is where one stays.
        here = self.current if keep else None
        if here is not None and self.rows.cursor:
            cursor = next((at for at, one in enumerate(window.rows) if one.id == here.id), self.rows.cursor)
        self._window, self._unloaded = window, ""
        self.rows.show(window.count, cursor, EMPTY_FILTER if self._typed else EMPTY)
        self._show_title()
        self._show_entry()
        # What is half typed isn't wrong yet.
        if read.problem is not None and not self.prompt.purpose:
            self.say(read.problem, "no")
        self.changed()

    def show_unloaded(self, sentence: str) -> None:
        """The reason stands where the rows would, and is what the keys answer."""
        self._unloaded = sentence
        super().show_unloaded(sentence)
        self.changed()

    def _row(self, number: int, width: int) -> list[Cell] | None:
        window = self._window
        if window is None:
            return None
        entry = window.get(number)
        if window.short_of(number):
            self.work(self._around(number), group="pages")
        return None if entry is None else audit_row(entry, width)

    async def _around(self, number: int) -> None:
        window = self._window
        if window is not None and await window.load_around(number) and window is self._window:
            self.rows.show(window.count)
            self._show_entry()
            self.changed()

    def _show_title(self) -> None:
        count = 0 if self._window is None else self._window.count
        filtered = f" — {self._typed}" if self._typed else ""
        words = f"Audit · {count:,} {'entry' if count == 1 else 'entries'}{filtered}"
        self.query_one("#audit-title", Static).update(line(words, 300))

    def _show_entry(self) -> None:
        entry, pane = self.current, self.query_one(TextPane)
        pane.set_class(entry is None, "-nothing")
        pane.show([] if entry is None else audit_parts(entry, self._names))

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._show_entry()
        self.changed()

    @on(LineList.Chosen)
    async def _chosen(self) -> None:
        await self.action_act("audit.open")

    def why_not(self, verb: str) -> str | None:
        """What needs entries, one that has a screen, a filter."""
        if verb in ("open", "filter") and self._window is None and self._unloaded:
            return self._unloaded
        entry = self.current
        if verb == "open" and entry is None:
            return EMPTY_FILTER if self._typed else EMPTY
        if verb == "open" and entry is not None and way_of(entry) is None:
            return no_way(entry)
        if verb == "clear" and not self._typed:
            return "There is no filter to lift: f sets one."
        return None

    def do_open(self) -> None:
        """Opens what the entry is about."""
        way = None if self.current is None else way_of(self.current)
        if way is not None:
            self.work(self._open(way), group="open", exclusive=True)

    async def _open(self, way: Way) -> None:
        # Looked up first: what is gone since is a sentence here, not an empty screen.
        if way.to == "run":
            from kindgi_tui.tui.screens.run.screen import RunScreen

            self.app.push_screen(RunScreen((await self.workbench.runs.get(way.id)).id))
        elif way.to == "comparison":
            from kindgi_tui.tui.screens.comparison.screen import ComparisonScreen

            self.app.push_screen(ComparisonScreen((await self.workbench.comparisons.get(way.id)).id))
        else:
            from kindgi_tui.tui.screens.test_set_cases.screen import CasesScreen

            self.app.push_screen(CasesScreen(await self.workbench.test_sets.get(way.id, way.version)))

    def do_filter(self) -> None:
        """Types a filter."""
        self._before = self._typed
        self.say(HELP, "hint")
        self.prompt.ask("filter", "Filter", self._typed + (" " if self._typed else ""))

    def do_clear(self) -> None:
        """Lifts the filter."""
        self._apply("")

    def do_refresh(self) -> None:
        """Looks for what was done since."""
        self.load(partial(self._load, keep=True))

    @on(Prompt.Changed)
    def _typing(self, event: Prompt.Changed) -> None:
        if event.purpose == "filter" and self._typed != event.text.strip():
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

    def _apply(self, typed: str) -> None:
        self._typed = typed
        self.app.state.put(STATE, typed or None)
        self.say("")
        self.load(self._load)
