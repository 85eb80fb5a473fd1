"""Comparisons of the project, newest first, rescores folded under what they score again; running ones move."""

from textual import on
from textual.app import ComposeResult
from textual.widgets import Static

from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.session.following import FINAL
from kindgi_tui.session.window import Window
from kindgi_tui.tui.content import line, plain
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.comparison.rows import candidate_name
from kindgi_tui.tui.screens.comparisons.rows import comparison_row, notes_of
from kindgi_tui.tui.screens.moves import Moves
from kindgi_tui.tui.widgets.line_list import Cell, LineList

LIVE_SECONDS = 2.0
"""How often it is looked how far running ones are, and for new ones. Nothing is painted when nothing moved."""

EMPTY = "No comparisons yet. n starts one: a candidate on a test set (g t has those)."
"""What stands there before there are any."""


class ComparisonsScreen(Moves, WorkScreen):
    """The list of comparisons."""

    PLACE = "comparisons"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("comparisons")
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-high")]

    def __init__(self) -> None:
        super().__init__()
        self._window: Window[Comparison] | None = None

    def compose_body(self) -> ComposeResult:
        """The title with the count, the list, the headline of the one the cursor stands on."""
        yield Static("", id="comparisons-title", markup=False)
        yield LineList(self._row, id="comparisons-list")
        yield Static("", id="comparisons-about", markup=False)

    @property
    def rows(self) -> LineList:
        """The list."""
        return self.query_one("#comparisons-list", LineList)

    @property
    def current(self) -> Comparison | None:
        """The comparison the cursor stands on."""
        return self._window.get(self.rows.cursor) if self._window is not None else None

    def on_mount(self) -> None:
        """Loads the list, and looks after running ones."""
        self.rows.focus()
        self.do_refresh()
        self.every(LIVE_SECONDS, self._look)

    def on_screen_resume(self) -> None:
        """What happened elsewhere shows."""
        if self._window is not None:
            self.do_refresh()

    def _row(self, number: int, width: int) -> list[Cell] | None:
        window = self._window
        if window is None:
            return None
        one = window.get(number)
        if window.short_of(number):
            self.work(self._around(number), group="pages")
        return None if one is None else comparison_row(one, width)

    async def _load(self) -> None:
        """Reads the list anew; the cursor stays on its comparison, and nothing is painted when nothing changed."""
        project, comparisons = self.app.project.id, self.workbench.comparisons
        here = self.current
        window: Window[Comparison] = Window(
            lambda limit, cursor, backwards: comparisons.list(
                project, None, limit, cursor, backwards=backwards, folded=True
            ),
            lambda: comparisons.count(project),
        )
        await window.open()
        cursor = self.rows.cursor
        if cursor:
            await window.load_around(cursor)
        if here is not None:
            ids = [one.id for one in window.rows]
            cursor = window.top + ids.index(here.id) if here.id in ids else cursor
        before, self._window = self._window, window
        if before is None or before.rows != window.rows or before.count != window.count:
            self.rows.show(window.count, cursor, EMPTY)
            count = f"{window.count:,} comparison{'' if window.count == 1 else 's'}"
            title = f"Comparisons · {count} of {self.app.project.name}"
            self.query_one("#comparisons-title", Static).update(line(title, 200))
            self._show_about()
            self.changed()

    async def _around(self, number: int) -> None:
        window = self._window
        if window is not None and await window.load_around(number) and window is self._window:
            self.rows.show(window.count)

    async def _look(self) -> None:
        """Shows how far running ones are, and new ones."""
        window, comparisons = self._window, self.workbench.comparisons
        if window is None or not self.is_current:
            return
        newest = (await comparisons.list(self.app.project.id, None, 1, None, folded=True)).data
        first = window.get(0)
        anew = window.at_start and (newest[0].id if newest else None) != (first.id if first else None)
        for place, one in enumerate(window.rows):
            if one.status in FINAL:
                continue
            now = await comparisons.get(one.id)
            anew = anew or now.status in FINAL
            if now != one and window is self._window:
                window.rows[place] = now
                self.rows.repaint(window.top + place)
        if anew:
            self.load(self._load)

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._show_about()
        self.changed()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.do_open()

    def _show_about(self) -> None:
        one = self.current
        words = ""
        if one is not None:
            told = [
                f"{candidate_name(one)} on {one.test_set_id} {one.test_set_version}",
                *notes_of(one),
                one.id[:8],
            ]
            headline = one.error or (one.brief.headline if one.brief is not None else "")
            words = " · ".join(told) + (f"\n{headline}" if headline else "")
        self.query_one("#comparisons-about", Static).update(plain(words, limit=1_000))

    def why_not(self, verb: str) -> str | None:
        """What needs a comparison that stands so."""
        one = self.current
        if verb in ("open", "cancel", "again") and one is None:
            return (
                EMPTY if self._window is not None and self._window.count == 0 else "It is still being loaded."
            )
        if verb == "cancel" and one is not None and one.status in FINAL:
            return f"It is {one.status}: there is nothing to cancel."
        if verb == "again" and one is not None and one.status != "completed":
            no_resume = self.workbench.comparisons.no_resume
            if one.status in FINAL:
                return no_resume or None
            resumed = "" if no_resume else "resumed when it was cancelled, and "
            return f"It is {one.status}: it can be {resumed}rescored when it is completed."
        return None

    def do_open(self) -> None:
        """Opens it."""
        from kindgi_tui.tui.screens.comparison.screen import ComparisonScreen

        if self.current is not None:
            self.app.push_screen(ComparisonScreen(self.current.id))

    def do_new(self) -> None:
        """Starts a new one."""
        from kindgi_tui.tui.screens.compare.screen import CompareScreen

        self.app.push_screen(CompareScreen())

    def do_cancel(self) -> None:
        """Cancels it."""
        if self.current is not None:
            self.work(self._cancel(self.current), group="act")

    async def _cancel(self, one: Comparison) -> None:
        await self.workbench.comparisons.cancel(one.id)
        more = "" if self.workbench.comparisons.no_resume else " R resumes it."
        self.say(f"Cancelling {candidate_name(one)}; what finished is kept.{more}")
        await self._load()

    def do_again(self) -> None:
        """Resumes or rescores it."""
        if self.current is not None:
            self.work(self._again(self.current), group="act")

    async def _again(self, one: Comparison) -> None:
        if one.status == "completed":
            rescored = await self.workbench.comparisons.rescore(one.newest_rescore or one.id)
            brief = rescored.result.get("ours") if isinstance(rescored.result, dict) else None
            headline = brief.get("headline") if isinstance(brief, dict) else None
            self.say(f"Rescored: {headline if isinstance(headline, str) else ''}")
        else:
            await self.workbench.comparisons.resume(one.id)
            self.app.watch_comparison(one.id)
            self.say(f"Resumed {candidate_name(one)}: what finished isn't run again.")
        await self._load()

    def do_refresh(self) -> None:
        """Looks for new ones."""
        self.load(self._load)

    def do_first(self) -> None:
        """The newest one."""
        self.work(self._to_end(first=True), group="load", exclusive=True)

    def do_last(self) -> None:
        """The oldest one."""
        self.work(self._to_end(first=False), group="load", exclusive=True)

    async def _to_end(self, first: bool) -> None:
        window = self._window
        if window is None:
            return
        await (window.to_start() if first else window.to_end())
        self.rows.show(window.count)
        self.rows.first() if first else self.rows.last()
