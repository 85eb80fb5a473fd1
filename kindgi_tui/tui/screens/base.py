"""What every screen shares: its actions from the registry, the status line, the footer, the docked prompt."""

import inspect
import logging
import time
import weakref
from collections.abc import Callable, Coroutine, Set
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from kindgi_tui.session.trying import until_reached
from kindgi_tui.tui.actions import EVERYWHERE, Action
from kindgi_tui.tui.registry import action_by_id, actions_of
from kindgi_tui.tui.widgets.key_footer import KeyFooter
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.status_line import Kind, StatusLine
from kindgi_tui.workbench import WorkbenchError

if TYPE_CHECKING:
    from kindgi_tui.tui.app import WorkbenchApp
    from kindgi_tui.workbench import Workbench

log = logging.getLogger("kindgi_tui.tui")

LOOK_SHARE = 4.0
"""A look at what may have changed is followed by a pause of at least so many times as long."""


class WorkScreen(Screen[None]):
    """A screen of the workbench. `PLACE` names its actions; `do_<verb>` does them; `why_not` says why not now."""

    PLACE: ClassVar[str] = ""
    AUTO_FOCUS = None
    DEFAULT_CSS = """
    WorkScreen #bottom { dock: bottom; height: auto; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-medium"), (140, "-wide")]

    app: "WorkbenchApp"
    """The app, as ours."""

    @property
    def workbench(self) -> "Workbench":
        """The open workbench."""
        return self.app.workbench

    def compose(self) -> ComposeResult:
        """The body, then what every screen has at its bottom."""
        yield from self.compose_body()
        with Vertical(id="bottom"):
            yield Prompt()
            yield KeyFooter(actions_of(self.PLACE), self.why_not_action, self._key_of, self.footer_order)
            yield StatusLine(self.app.where)

    def compose_body(self) -> ComposeResult:
        """The screen's own widgets."""
        yield from ()

    @property
    def prompt(self) -> Prompt:
        """The docked line for text."""
        return self.query_one(Prompt)

    def say(self, sentence: str, kind: Kind = "told") -> None:
        """Says in the status line what happened, why something can't be done, or what went wrong."""
        sentence = self.app.in_place(sentence)
        for told in self.query(StatusLine):  # there is none any more where one leaves meanwhile
            told.say(sentence, kind)

    def changed(self) -> None:
        """Something changed that the footer shows."""
        self.query_one(KeyFooter).update()

    def why_not(self, verb: str) -> str | None:
        """Why the action can't be done now, a sentence; None when it can."""
        return None

    def footer_order(self, actions: tuple[Action, ...]) -> tuple[Action, ...]:
        """The actions as they stand in the footer now: a view may need others than the rest of its screen."""
        return actions

    def why_not_action(self, action: Action) -> str | None:
        """Why an action of this screen, or of every screen, can't be done now."""
        return None if action.place == EVERYWHERE else self.why_not(action.verb)

    def _key_of(self, action: Action) -> str | None:
        """The first key of an action, as the keymap has it."""
        for key, binding in self._bindings:
            if binding.id == action.id:
                return key
        return None

    async def action_act(self, action_id: str) -> None:
        """Does an action of the registry, or says why it can't be done; none while a text is being typed."""
        if self.prompt.purpose:
            return
        action = action_by_id(action_id)
        reason = self.why_not_action(action)
        if reason is not None:
            self.say(reason, "no")
            return
        target: object = self if action.place != EVERYWHERE or hasattr(self, method_of(action)) else self.app
        result = getattr(target, method_of(action))()
        if inspect.isawaitable(result):
            await result

    def work(self, job: Coroutine[Any, Any, Any], group: str = "work", exclusive: bool = False) -> None:
        """Runs a coroutine as a worker; what goes wrong becomes a sentence in the status line."""
        worker = self.run_worker(job, group=group, exclusive=exclusive, exit_on_error=False)
        # One that was cancelled before it began would be warned of as never awaited.
        weakref.finalize(worker, job.close).atexit = False

    def load(self, job: Callable[[], Coroutine[Any, Any, None]], group: str = "load") -> None:
        """Loads what the screen shows; what is loaded already in that group is cut.

        While it can't be reached it is tried again, and the reason stands there: the screen comes to life by itself.
        """
        self.work(self._loaded_or_told(job), group=group, exclusive=True)

    async def _loaded_or_told(self, job: Callable[[], Coroutine[Any, Any, None]]) -> None:
        told: list[str] = []

        def failed(cause: WorkbenchError) -> None:
            told.append(cause.sentence)
            self._load_failed(cause)

        try:
            await until_reached(job, failed)
        except WorkbenchError as cause:
            self._load_failed(cause)
            return
        if told and self.query_one(StatusLine).sentence == self.app.in_place(told[-1]):
            self.say("")

    def _load_failed(self, cause: WorkbenchError) -> None:
        self.show_error(cause)
        self.show_unloaded(self.app.in_place(cause.sentence))

    def show_unloaded(self, sentence: str) -> None:
        """Shows why nothing could be loaded where the rows would stand; on a screen that shows some, nothing."""

    def verdicts_refused(self, run_ids: Set[str]) -> None:
        """A runtime refused verdicts on these runs: what is shown of them isn't there."""

    def every(self, seconds: float, look: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Looks again and again, one look at a time, and less often where a look takes long.

        A look that fails becomes a sentence, said once, and the next one is tried: the screen stands.
        """
        busy = False
        not_before = 0.0

        async def guarded() -> None:
            nonlocal busy, not_before
            began = time.monotonic()
            try:
                await look()
            except Exception as cause:  # noqa: BLE001 - it becomes a sentence on the screen
                self.show_error(cause)
            finally:
                busy = False
                not_before = time.monotonic() + LOOK_SHARE * (time.monotonic() - began)

        def tick() -> None:
            nonlocal busy
            if not busy and time.monotonic() >= not_before:
                busy = True
                self.work(guarded(), group="looking")

        self.set_interval(seconds, tick)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Shows what went wrong in a worker, and logs what is nobody's sentence."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            event.stop()
            self.show_error(error)

    def show_error(self, error: BaseException) -> None:
        """An error as a sentence; the log has the rest."""
        if isinstance(error, WorkbenchError):
            self.say(error.sentence, "error")
            return
        log.error("an action failed", exc_info=error)
        self.say(f"That failed ({type(error).__name__}); the log has it: {self.app.log_path}", "error")

    def on_prompt_left(self, event: Prompt.Left) -> None:
        """The prompt was left: the keys belong to the screen again."""
        self.focus_body()

    def focus_body(self) -> None:
        """Gives the focus back to the screen's main widget."""

    def do_back(self) -> None:
        """Goes back."""
        self.app.go_back()

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text is never a row of keys."""
        event.stop()


def method_of(action: Action) -> str:
    """The name of the method that does an action."""
    return "do_" + action.verb.replace("-", "_")
