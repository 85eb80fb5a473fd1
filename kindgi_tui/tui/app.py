"""The terminal face: opening the workbench, going from screen to screen, themes, errors."""

import importlib
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import SystemCommand
from textual.binding import BindingType
from textual.screen import Screen

from kindgi_tui.opening import Target, workspace_folder
from kindgi_tui.tui.opens import Opens
from kindgi_tui.tui.profile import Profile, choose_profile
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.themes import CYCLE, THEMES
from kindgi_tui.tui.widgets.status_line import Kind, Where

if TYPE_CHECKING:
    from kindgi_tui.config.state import State
    from kindgi_tui.domain.comparison_records import Comparison
    from kindgi_tui.domain.projects import Person, Project
    from kindgi_tui.session.following import Watcher

log = logging.getLogger("kindgi_tui.tui")


def _screen(place: str, name: str) -> Callable[[], Screen[Any]]:
    """A screen of `screens/<place>/screen.py`, imported when it is first shown."""

    def made() -> Screen[Any]:
        module = importlib.import_module(f"kindgi_tui.tui.screens.{place}.screen")
        screen: Screen[Any] = getattr(module, name)()
        return screen

    return made


MODES: dict[str, Callable[[], Screen[Any]]] = {
    "runs": _screen("runs", "RunsScreen"),
    "judge": _screen("judge", "JudgeScreen"),
    "test_sets": _screen("test_sets", "TestSetsScreen"),
    "comparisons": _screen("comparisons", "ComparisonsScreen"),
    "groups": _screen("groups", "GroupsScreen"),
    "audit": _screen("audit", "AuditScreen"),
    "outbox": _screen("outbox", "OutboxScreen"),
}
"""The screens one goes to; others are pushed on them."""

SITTINGS = frozenset({"judge_items", "judge_disputed", "judge_run", "judge_from"})
"""Options that ask Judge for something: Esc goes back to where that was asked."""

BETWEEN = "between"
"""What is shown while the screens of a project make place for those of another."""

GO: dict[str, str] = {
    "r": "runs", "j": "judge", "t": "test_sets", "c": "comparisons", "o": "groups", "a": "audit",
    "w": "outbox",
}  # fmt: skip
"""After `g`: where a key goes."""


class WorkbenchApp(Opens):
    """The app. One workbench, one project at a time, one person."""

    TITLE = "kindgi-tui"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []
    CSS = """
    Screen { background: $background; color: $foreground; }
    """

    state: "State"
    """What is kept between starts."""
    person: "Person"
    """Who is acting."""
    project: "Project"
    """Where one works."""

    def __init__(
        self,
        target: Target,
        profile: Profile | None = None,
        *,
        start: str | None = None,
        project: str | None = None,
        state_folder: Path | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        """`start` names the first screen (else the one last left), `options` are what that screen starts with."""
        super().__init__(ansi_color=(profile or choose_profile()).ansi)
        self.profile = profile or choose_profile()
        """What the terminal can do."""
        self.target = target
        """Which workbench is opened."""
        self.options = options or {}
        """What the first screen starts with; it takes them out."""
        self._start = start
        self._asked_project = project
        self._state_folder = state_folder
        self.pressed = ("", 0.0)
        """The key whose action runs, and when it was pressed (seconds, monotonic)."""
        self._going = False
        self._watcher: Watcher | None = None
        self._came_from: str | None = None
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = "ansi-dark" if self.profile.ansi else CYCLE[0]

    @property
    def where(self) -> Where:
        """Where one works and as whom, for the status line."""
        if not self.opened:
            return Where()
        return Where(
            person=self.person.id,
            project=self.project.name,
            place=Path(self.workbench.where).name,
            profile=self.profile.name,
            waiting=self.waiting,
        )

    @property
    def log_path(self) -> Path:
        """The file that unexpected errors are written to."""
        return workspace_folder(self.target) / "logs" / "tui.log"

    async def show_first(self) -> None:
        """Shows the first screen of the open workbench."""
        self.add_mode(BETWEEN, self.get_default_screen)
        for mode, factory in MODES.items():
            self.add_mode(mode, factory)
        first = self._start or self.state.get("screen")
        await self.switch_mode(first if isinstance(first, str) and first in MODES else "runs")
        if self.remote:
            from kindgi_tui.tui.outbox_look import OUTBOX_SECONDS, OutboxLook

            self.set_interval(OUTBOX_SECONDS, OutboxLook(self).look)

    async def settle(self) -> None:
        """Finds out who acts and where one works; what was kept between starts is taken up."""
        from kindgi_tui.config.state import State
        from kindgi_tui.workbench import NotFound

        self.person = await self.workbench.people.me()
        self.state = State(self.workbench.where, self.person.id, self._state_folder, self._unkept)
        kept = self.state.get("project")
        wanted = self._asked_project or (kept if isinstance(kept, str) else None)
        try:
            self.project = await self.workbench.projects.get(wanted)
        except NotFound:
            if self._asked_project is not None:
                raise
            self.project = await self.workbench.projects.get()
        theme = self.state.get("theme")
        if isinstance(theme, str) and theme in self.available_themes and self.profile.colour:
            self.theme = theme

    def _unkept(self, sentence: str) -> None:
        """What was typed or chosen can't be kept for the next start: said, and gone on."""
        log.warning("%s", sentence)
        for screen in reversed(self.screen_stack):
            if isinstance(screen, WorkScreen) and screen.is_mounted:
                # After what the key that tried it says itself.
                screen.call_after_refresh(screen.say, sentence, "error")
                return

    async def on_event(self, event: events.Event) -> None:
        """Takes the key after `g` before any screen sees it, and remembers which key is acted on."""
        if isinstance(event, events.Key):
            self.pressed = (event.key, event.time)
        if self._going and isinstance(event, events.Key):
            self._going = False
            event.stop()
            await self._go(event.key)
            return
        await super().on_event(event)

    def on_cursor_position(self, event: events.CursorPosition) -> None:
        """The terminal answered where its cursor is: all that was written before has come there."""
        reported = getattr(self.screen, "reported", None)
        if reported is not None:
            reported()

    def do_go(self) -> None:
        """Waits for the key that says where to go."""
        self._going = True
        places = "r Runs · j Judge · t Test sets · c Comparisons · o Groups · a Audit · w Outbox · g the top"
        self._say(f"Go to: {places}", "hint")

    async def _go(self, key: str) -> None:
        if key == "g":
            first = getattr(self.screen, "do_first", None)
            if first is not None:
                first()
            self._say("")
            return
        mode = GO.get(key)
        if mode is None or mode not in MODES:
            self._say("")
            return
        self._say("")
        await self.go_to(mode)

    async def do_groups(self) -> None:
        """To the groups."""
        await self.go_to("groups")

    async def do_audit(self) -> None:
        """To what was done, by whom, when."""
        await self.go_to("audit")

    async def do_outbox(self) -> None:
        """To the verdicts that a runtime doesn't have yet."""
        await self.go_to("outbox")

    async def go_to(self, mode: str) -> None:
        """Shows one of the main screens, as it was left; where one is in it already, what lies over it is left."""
        self.state.put("screen", mode)
        came = self.current_mode if mode == "judge" and SITTINGS & self.options.keys() else None
        self._came_from = None if came == mode else came
        if mode != self.current_mode:
            await self.switch_mode(mode)
            return
        while len(self.screen_stack) > 1:
            over = self.screen
            if isinstance(over, WorkScreen):
                over.do_back()
            else:
                self.pop_screen()
            if self.screen is over:
                # It finishes something first, and says so.
                return

    def watch_comparison(self, comparison_id: str) -> None:
        """Says so, with a bell, when that comparison ends while one is elsewhere; for those that start or open one."""
        from kindgi_tui.session.following import Watcher

        if self._watcher is None:
            self._watcher = Watcher(self.workbench, self._comparison_ended)
        self._watcher.watch(comparison_id)

    def _comparison_ended(self, comparison: "Comparison") -> None:
        from kindgi_tui.session.following import ended_sentence

        if getattr(self.screen, "comparison_id", None) == comparison.id:
            return
        self.bell()
        for screen in reversed(self.screen_stack):
            if isinstance(screen, WorkScreen):
                screen.say(
                    ended_sentence(comparison), "told" if comparison.status == "completed" else "error"
                )
                return

    def _say(self, sentence: str, kind: Kind = "told") -> None:
        if isinstance(self.screen, WorkScreen):
            self.screen.say(sentence, kind)

    def go_back(self) -> None:
        """Goes back to the screen under this one."""
        if len(self.screen_stack) > 1:
            self.pop_screen()
        elif self._came_from is not None:
            self.call_later(self.go_to, self._came_from)
        else:
            self._say("This is where it starts: g goes elsewhere, ^Q leaves.")

    def do_help(self) -> None:
        """Shows the keys of this screen."""
        from kindgi_tui.tui.screens.help import HelpScreen

        place = self.screen.PLACE if isinstance(self.screen, WorkScreen) else ""
        self.push_screen(HelpScreen(place))

    def do_palette(self) -> None:
        """Opens the command palette."""
        from kindgi_tui.tui.palette import open_palette

        open_palette(self)

    async def do_project(self) -> None:
        """Goes on to the next project, and opens the screens anew for it."""
        projects = await self.workbench.projects.list()
        if len(projects) < 2:
            self._say("There is one project: kindgi-tui projects add NAME makes another.")
            return
        places = [project.id for project in projects]
        here = places.index(self.project.id) if self.project.id in places else -1
        self.project = projects[(here + 1) % len(projects)]
        self.state.put("project", self.project.id)
        mode = self.current_mode
        await self.switch_mode(BETWEEN)
        for name, factory in MODES.items():
            if name in self._screen_stacks:
                await self.remove_mode(name)
                self.add_mode(name, factory)
        await self.switch_mode(mode)
        self._say(f"Project: {self.project.name}")

    def do_theme(self) -> None:
        """Goes on to the next theme, and keeps it."""
        now = CYCLE.index(self.theme) if self.theme in CYCLE else 0
        self.theme = CYCLE[(now + 1) % len(CYCLE)]
        self.state.put("theme", self.theme)
        self._say(f"Theme: {self.theme}")

    def do_quit(self) -> None:
        """Leaves."""
        self.exit()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Textual's own commands stay out: the palette is made from the registry."""
        return ()

    async def on_unmount(self) -> None:
        """Closes the workbench; comparisons go on."""
        if self._watcher is not None:
            await self._watcher.close()
        if self.opened:
            self.opened = False
            await self.workbench.close()
