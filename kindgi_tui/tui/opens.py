"""Opening the workbench behind the first frame; one that can't be opened says why, and is tried again."""

import asyncio
import contextlib
import gc
import logging
import signal
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from kindgi_tui.opening import Opened, Target, open_workbench, where_of, workspace_folder
from kindgi_tui.tui.screens.opening import OpeningScreen

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench, WorkbenchError

log = logging.getLogger("kindgi_tui.tui")


class Opens(App[None]):
    """The part of the app that opens the workbench."""

    target: Target
    """Which workbench is opened."""
    workbench: "Workbench"
    """The open workbench; from `show_first` on."""
    remote = False
    """Whether one works at a runtime."""
    waiting = ""
    """What waits to be sent to a runtime, in words."""
    failure: "WorkbenchError | None" = None
    """Why the workbench isn't open; None while it is, or is being opened."""
    opened = False
    """Whether it is open."""

    async def settle(self) -> None:
        """Finds out who acts and where one works. Raises the workbench's errors."""
        raise NotImplementedError

    async def show_first(self) -> None:
        """Shows the first screen of the open workbench."""
        raise NotImplementedError

    def in_place(self, words: str) -> str:
        """Words in which the commands they name work where one works."""
        from kindgi_tui.text.next_steps import in_place

        target = self.target
        return in_place(words, url=target.url, profile=target.profile, workspace=target.workspace)

    def get_default_screen(self) -> Screen[Any]:
        """What stands there until the workbench is open."""
        from kindgi_tui.workbench import WorkbenchError

        try:
            return OpeningScreen(where_of(self.target))
        except WorkbenchError:
            # Opening it says what is wrong.
            return OpeningScreen(str(workspace_folder(self.target)))

    def on_mount(self) -> None:
        """Opens the workbench after the first frame."""
        # A hang-up or an end asked from outside leaves as a person would: the terminal is put back as it was.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            for number in (signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, self.exit)
        self._begin()

    def action_open_again(self) -> None:
        """Tries at once to open what couldn't be opened; what is under way for the first time isn't cut."""
        if self.failure is not None:
            self._begin()

    def _begin(self) -> None:
        self.run_worker(self._open(), exit_on_error=False, name="open", group="open", exclusive=True)

    async def _open(self) -> None:
        from kindgi_tui.session.trying import until_reached
        from kindgi_tui.workbench import WorkbenchError

        try:
            # One that is away for a while is tried again until it is there.
            await until_reached(self._open_once, self._not_opened)
        except WorkbenchError as cause:
            self._not_opened(cause)
            return
        await self.show_first()
        self.set_timer(1.0, _collect_again)

    async def _open_once(self) -> None:
        from kindgi_tui.workbench import WorkbenchError

        # Importing the workbench takes as long as opening it: both stay off the event loop.
        self.workbench, found = await asyncio.to_thread(_opened, self.target)
        self.remote = found.address is not None
        try:
            await self.settle()
            await self.workbench.outbox.begin()
        except BaseException:
            # A try that is cut by the next one leaves nothing open either.
            with contextlib.suppress(WorkbenchError):
                count = (await self.workbench.outbox.counts()).waiting
                words = "verdict waits" if count == 1 else "verdicts wait"
                self.waiting = f"{count} {words} to be sent." if count else ""
            await self.workbench.close()
            raise
        self.opened, self.failure = True, None

    def _not_opened(self, cause: "WorkbenchError") -> None:
        gc.enable()
        self.failure = cause
        screen = self.screen
        if isinstance(screen, OpeningScreen):
            screen.failed(self.in_place(cause.sentence), self.waiting)
        self.waiting = ""

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Says why the workbench could not be opened, when it is nobody's sentence; the log has the rest."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            log.error("opening failed", exc_info=error)
            screen = self.screen
            if isinstance(screen, OpeningScreen):
                screen.failed(f"That failed ({type(error).__name__}: {error}).")


def _collect_again() -> None:
    """Lets the garbage collector go on; what stands since the start is not looked at again."""
    gc.freeze()
    gc.enable()


def _opened(target: Target) -> "tuple[Workbench, Opened]":
    return asyncio.run(open_workbench(target))
