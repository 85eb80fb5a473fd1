"""Test sets: the list, each at its newest version or an older one, what it was built from, and what to do with it."""

from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from kindgi_tui.domain.own_test_sets import OwnTestSet
from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.session.exporting import export_cases
from kindgi_tui.session.own_sets import NOW, as_it_stands, listed_sets
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.moves import Moves
from kindgi_tui.tui.screens.test_set_build.screen import BUILT, BuildScreen
from kindgi_tui.tui.screens.test_sets.rows import cases_words, own_blocks, set_blocks, set_row
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.text_pane import TextPane

EMPTY = "No test sets yet: b builds one from judged runs."
"""What stands there before there are sets."""

EMPTY_UNJUDGED = "No test sets yet, and no judged runs to build one from: judge some first, g j."
"""What stands there before anything was judged."""

OWN_EXPORT = "Its cases aren't frozen as they are now: v goes to a frozen version, which can be exported."
"""Why an own set as it stands isn't exported."""

OWN_VERSIONS = "It isn't frozen yet: the first comparison on it makes its first version."
"""What is said of a set without versions."""

EMPTY_FILTER = "No set's id has these letters. Backspace shows all, / types others."
"""What stands there when the filter leaves nothing."""


class TestSetsScreen(Moves, WorkScreen):
    """The list of test sets."""

    __test__ = False
    PLACE = "test_sets"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("test_sets")

    def __init__(self) -> None:
        super().__init__()
        self._sets: tuple[TestSetVersion, ...] = ()
        self._own: dict[str, OwnTestSet] = {}
        self._rows: list[TestSetVersion] = []
        self._versions: dict[str, tuple[TestSetVersion, ...]] = {}
        self._picked: dict[str, TestSetVersion] = {}
        self._groups: dict[str, str] = {}
        self._typed = ""
        self._before = ""
        self._loaded = False

    def compose_body(self) -> ComposeResult:
        """The title with the count, the list, what the set was built from."""
        yield Static(line("Test sets"), id="test-sets-title", markup=False)
        with Container(id="test-sets-body"):
            yield LineList(self._row, id="test-sets-list")
            yield TextPane(id="test-sets-about")

    @property
    def rows(self) -> LineList:
        """The list."""
        return self.query_one("#test-sets-list", LineList)

    @property
    def current(self) -> TestSetVersion | None:
        """The version the cursor stands on."""
        at = self.rows.cursor
        return self._shown(self._rows[at]) if at < len(self._rows) else None

    def _shown(self, newest: TestSetVersion) -> TestSetVersion:
        return self._picked.get(newest.test_set_id, newest)

    def on_mount(self) -> None:
        """Shows the list as it was left."""
        kept = self.app.state.get("test_sets.filter")
        self._typed = kept if isinstance(kept, str) else ""
        self.rows.focus()
        self.load(self._load)

    def on_screen_resume(self) -> None:
        """What was built or judged elsewhere shows when one comes back."""
        if self._loaded:
            self.load(self._load)

    def _row(self, number: int, width: int) -> list[Cell] | None:
        newest = self._rows[number]
        shown = self._shown(newest)
        versions = self._versions.get(newest.test_set_id, ())
        frozen = [one for one in versions if one.version]
        place = f"{frozen.index(shown) + 1} of {len(frozen)}" if shown in versions[1:] else ""
        return set_row(shown, place, width, self._own.get(newest.test_set_id))

    async def _load(self) -> None:
        """Reads the list anew; what was just built is gone to and told."""
        project = self.app.project.id
        listed = await listed_sets(self.workbench, project)
        self._sets, self._own = listed.sets, listed.own
        self._groups = {one.id: one.name for one in await self.workbench.groups.list(project, retired=True)}
        self._versions.clear()
        empty = EMPTY
        if not self._sets and not await self.workbench.runs.count(RunFilter(project_id=project, judged=True)):
            empty = EMPTY_UNJUDGED
        built = self.app.options.pop(BUILT, None)
        wanted = None if self.current is None else self.current.test_set_id
        if built is not None:
            wanted = built[0]
            self._picked.pop(wanted, None)
            if self._typed.casefold() not in wanted.casefold():
                self._typed = ""
        self._before = ""
        self._loaded = True
        self._filter(wanted, empty)
        if built is not None:
            self._tell_built(*built)

    def _tell_built(self, test_set_id: str, version: str, project_id: str) -> None:
        made = self.current
        if project_id != self.app.project.id or made is None:
            self.say(f"Built {test_set_id} {version}, in another project.")
            return
        self.say(f"Built {test_set_id} {version}: {cases_words(made)}. Enter shows them, c compares on them.")

    def _filter(self, wanted: str | None = None, empty: str = EMPTY) -> None:
        letters = self._typed.casefold()
        self._rows = [one for one in self._sets if letters in one.test_set_id.casefold()]
        at = next((at for at, one in enumerate(self._rows) if one.test_set_id == wanted), 0)
        self.query_one(TextPane).set_class(not self._rows, "-nothing")
        self.rows.show(len(self._rows), at, EMPTY_FILTER if self._typed and self._sets else empty)
        filtered = f" — {self._typed}" if self._typed else ""
        count = f"{len(self._rows):,} {'set' if len(self._rows) == 1 else 'sets'}"
        self.query_one("#test-sets-title", Static).update(line(f"Test sets · {count}{filtered}", 300))
        self.work(self._show_about(), group="about", exclusive=True)
        self.changed()

    async def _show_about(self) -> None:
        shown = self.current
        pane = self.query_one(TextPane)
        if shown is None:
            pane.show([])
            return
        versions = await self._versions_of(shown.test_set_id)
        if self.current != shown:
            return
        names = [one.version for one in versions if one.version]
        own = self._own.get(shown.test_set_id)
        pane.show(
            own_blocks(own, names)
            if own is not None and not shown.version
            else set_blocks(shown, names, self._groups)
        )

    async def _versions_of(self, test_set_id: str) -> tuple[TestSetVersion, ...]:
        if test_set_id not in self._versions:
            own = self._own.get(test_set_id)
            # An own set as it stands now comes before its frozen versions, and may have none of them yet.
            standing = () if own is None else (as_it_stands(own),)
            frozen = own is None or own.version is not None
            found = await self.workbench.test_sets.versions(test_set_id) if frozen else ()
            self._versions[test_set_id] = (*standing, *found)
        return self._versions[test_set_id]

    @on(LineList.Moved)
    def _moved(self) -> None:
        self.work(self._show_about(), group="about", exclusive=True)
        self.changed()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.do_open()

    def why_not(self, verb: str) -> str | None:
        """What needs a set, or a filter."""
        shown = self.current
        if verb in ("open", "compare", "versions", "export") and shown is None:
            return EMPTY_FILTER if self._sets else EMPTY
        if verb == "export" and shown is not None and not shown.version:
            return OWN_EXPORT
        if verb == "clear" and not self._typed:
            return "All sets are shown: / types letters to filter by."
        return None

    def do_open(self) -> None:
        """Opens the cases."""
        shown = self.current
        if shown is None:
            return
        if not shown.version:
            from kindgi_tui.tui.screens.own_cases.screen import OwnCasesScreen

            self.app.push_screen(OwnCasesScreen(self._own[shown.test_set_id]))
            return
        from kindgi_tui.tui.screens.test_set_cases.screen import CasesScreen

        self.app.push_screen(CasesScreen(shown))

    def do_build(self) -> None:
        """Builds the next version of this set; on an agent's own, which is never built, a new set."""
        of = None if self.current is None else self.current.test_set_id
        self.app.push_screen(BuildScreen(None if of in self._own else of))

    def do_new(self) -> None:
        """Builds a new set."""
        self.app.push_screen(BuildScreen())

    def do_compare(self) -> None:
        """Compares on this version."""
        from kindgi_tui.tui.screens.compare.screen import CompareScreen

        if self.current is not None:
            self.app.push_screen(CompareScreen(self.current.test_set_id, self.current.version or None))

    def do_versions(self) -> None:
        """The next older version, or the newest again."""
        # In a group of its own: the list that is read anew when one comes back must not swallow the key.
        self.work(self._next_version(), group="versions", exclusive=True)

    async def _next_version(self) -> None:
        shown = self.current
        if shown is None:
            return
        versions = await self._versions_of(shown.test_set_id)
        if len(versions) == 1:
            one = f"{shown.test_set_id} has one version: b builds the next."
            self.say(one if shown.version else OWN_VERSIONS, "no")
            return
        at = versions.index(shown) if shown in versions else 0
        after = versions[(at + 1) % len(versions)]
        self._picked[shown.test_set_id] = after
        self.rows.repaint(self.rows.cursor)
        frozen = [one for one in versions if one.version]
        told = NOW
        if after.version:
            told = f"{after.version}: {frozen.index(after) + 1} of {len(frozen)} versions, newest first"
        self.say(told)
        await self._show_about()

    def do_export(self) -> None:
        """Asks where to write the cases."""
        one = self.current
        if one is not None:
            self.prompt.ask("export", "Write the cases to", f"{one.test_set_id}-{one.version}.jsonl")

    def do_filter(self) -> None:
        """Types letters of an id."""
        self._before = self._typed
        self.prompt.ask("filter", "Id has", self._typed)

    def do_clear(self) -> None:
        """Shows all."""
        self._apply("")

    def do_refresh(self) -> None:
        """Looks for new sets."""
        self.load(self._load)

    @on(Prompt.Changed)
    def _typing(self, event: Prompt.Changed) -> None:
        if event.purpose == "filter":
            self._apply(event.text.strip())

    @on(Prompt.Left)
    def _left(self, event: Prompt.Left) -> None:
        """Escape takes back what was typed."""
        if event.purpose == "filter":
            self._apply(self._before)

    @on(Prompt.Answered)
    def _answered(self, event: Prompt.Answered) -> None:
        one = self.current
        if event.purpose == "filter":
            self._apply(event.text.strip())
        elif event.purpose == "export" and one is not None:
            path = Path(event.text).expanduser()
            self.work(self._export(one, path), group="export")

    def _apply(self, typed: str) -> None:
        self._typed = typed
        self.app.state.put("test_sets.filter", typed or None)
        self._filter(self.current.test_set_id if self.current else None)

    async def _export(self, one: TestSetVersion, path: Path) -> None:
        count = await export_cases(self.workbench, one.test_set_id, one.version, path)
        self.say(f"Wrote {count:,} {'case' if count == 1 else 'cases'} to {path}")
