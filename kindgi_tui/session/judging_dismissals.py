"""Taking runs off the queue for everybody, and putting them back (DESIGN section 10).

Unlike a verdict a dismissal goes straight to where the queue is and shows once it is done there: verdicts said
meanwhile never wait for it.
"""

from typing import TYPE_CHECKING

from kindgi_tui.domain.judging import Dismissal, QueueState
from kindgi_tui.session.judging_queue import Entry
from kindgi_tui.session.judging_undo import Step, Steps
from kindgi_tui.session.judging_walk import Walk

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench


class Dismissals:
    """Dismissing and reopening the runs of a sitting."""

    def __init__(self, workbench: "Workbench", walk: Walk, steps: Steps, person_id: str) -> None:
        self._workbench = workbench
        self._walk = walk
        self._steps = steps
        self._person_id = person_id

    def why_not(self, verb: str) -> str | None:
        """Why the run in view can't be dismissed (`dismiss`) or reopened (`reopen`) now; None when it can."""
        entry = self._walk.entry
        if entry is None or self._walk.sheet is None:
            return "The run is being loaded."
        sheet = self._walk.sheet
        if verb == "reopen":
            return None if entry.dismissed else "This run isn't dismissed."
        if entry.dismissed:
            return "This run is dismissed already: X puts it back."
        if sheet.run.replay_of is not None:
            return "A replay is in nobody's queue."
        if entry.state is not None and not entry.state.can_dismiss:
            return "You may not dismiss this run there."
        if all(item.key in sheet.mine for item in sheet.items):
            return "You have judged this run: it is in your queue no more."
        return None

    async def dismiss(self, run_id: str, reason: str) -> str:
        """Takes a run off the queue and goes on; what it came to. Raises the workbench's errors."""
        why = reason.strip() or None
        await self._workbench.queue.dismiss(run_id, why)
        entry = self._walk.bring(run_id)
        here = self._walk.entry is entry
        passed = self._close(entry)
        cursor = self._walk.cursor if here else 0
        state = entry.state or QueueState()
        told = Dismissal(by=self._person_id, reason=why)
        entry.state = state.model_copy(update={"dismissal": told, "can_reopen": True})
        entry.dismissed = True
        self._steps.add(Step(run_id, cursor, (), passed, dismissed=True))
        if here:
            self._walk.on_from(self._walk.index + 1)
        return "Dismissed for everybody" + (f" — {why}" if why else "") + " · u puts it back"

    def _close(self, entry: Entry) -> tuple[str, ...]:
        sheet = self._walk.sheets.ready(entry.run_id)
        if sheet is None:
            entry.finished = True
            return ()
        before = self._walk.open_items(sheet)
        passed = tuple(item.key for item in sheet.items if self._walk.is_open(sheet, item.key))
        sheet.passed.update(passed)
        self._walk.recount(sheet, before)
        return passed

    async def reopen(self, run_id: str) -> str:
        """Puts a dismissed run back into everybody's queue; what it came to. Raises the workbench's errors."""
        await self._workbench.queue.reopen(run_id)
        self._opened(run_id)
        return "It is back in the queue."

    def _opened(self, run_id: str) -> None:
        place = self._walk.feed.find(run_id)
        if place is None:
            return
        entry = self._walk.feed.entries[place]
        entry.dismissed = False
        self._steps.forget_dismissal(run_id)
        sheet = self._walk.sheets.ready(run_id)
        if sheet is not None:
            before = self._walk.open_items(sheet)
            sheet.passed.clear()
            self._walk.recount(sheet, before)
        if entry.state is not None:
            entry.state = entry.state.model_copy(update={"dismissal": None, "can_reopen": False})
        self._walk.changed()
