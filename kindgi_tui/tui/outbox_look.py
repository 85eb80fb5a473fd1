"""Looking after the outbox at a runtime: how much waits, and why, where one can do something about it."""

import logging
from typing import TYPE_CHECKING

from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.widgets.status_line import StatusLine
from kindgi_tui.workbench import WorkbenchError

if TYPE_CHECKING:
    from kindgi_tui.tui.app import WorkbenchApp

log = logging.getLogger("kindgi_tui.tui")

OUTBOX_SECONDS = 1.0
"""How often it is looked what waits to be sent to a runtime. Nothing is painted when nothing changed."""


class OutboxLook:
    """What the app last saw of the outbox."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app
        self._why_waiting: str | None = None
        self._refused = 0
        self._known: set[str] = set()

    async def look(self) -> None:
        """Says in the status line how many verdicts wait to be sent, and how many need the person."""
        app = self._app
        try:
            counts = await app.workbench.outbox.counts()
            if counts.refused > self._refused:
                await self._say_why_refused()
            self._refused = counts.refused
        except WorkbenchError as cause:
            # Its file is locked or full: what is known stays, and the next look tells more.
            log.warning("the outbox can't be read: %s", cause.sentence)
            return
        if counts.sentence != self._why_waiting:
            self._why_waiting = counts.sentence
            if counts.sentence is not None and isinstance(app.screen, WorkScreen):
                app.screen.say(f"Your verdicts wait: {counts.sentence}", "error")
        words = [f"{counts.waiting} waiting"] if counts.waiting else []
        words += [f"{counts.refused} refused"] if counts.refused else []
        if " · ".join(words) != app.waiting:
            app.waiting = " · ".join(words)
            for line in app.screen.query(StatusLine):
                line.show_where(app.where)

    async def _say_why_refused(self) -> None:
        """Says the runtime's reason of the verdict that was refused last, and where it can be decided."""
        app = self._app
        found = [one for one in await app.workbench.outbox.list() if one.state != "waiting"]
        refused = [one for one in found if one.state != "unclaimed"] or found
        fresh = {one.run_id for one in refused if one.id not in self._known}
        self._known = {one.id for one in found}
        for stack in app._screen_stacks.values():
            for screen in stack:
                if isinstance(screen, WorkScreen):
                    screen.verdicts_refused(fresh)
        screen = app.screen
        # The outbox's own screen shows it in its row.
        if found and isinstance(screen, WorkScreen) and screen.PLACE != "outbox":
            why = refused[-1].sentence or "the runtime doesn't say why."
            screen.say(f"A verdict isn't taken: {why} Send it again or forget it: g w.", "no")
