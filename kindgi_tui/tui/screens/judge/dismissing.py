"""The keys of Judge that take a run off the queue for everybody, and put it back."""

from typing import TYPE_CHECKING

from textual import on

from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from kindgi_tui.session.judging import JudgingSession


class DismissKeys(WorkScreen):
    """Dismissing and reopening; mixed into the screen."""

    session: "JudgingSession"
    """What is being judged."""
    _dismissing: str | None = None

    def why_not_dismissing(self, verb: str) -> str | None:
        """Why the run in view can't be dismissed or reopened now; None when it can."""
        if self.session.walk.at_end:
            return "All done here: q looks again, u takes the last step back."
        return self.session.dismissals.why_not(verb)

    def do_dismiss(self) -> None:
        """Asks why, on the docked line."""
        sheet = self.session.walk.sheet
        if sheet is None:
            return
        self._dismissing = sheet.run.id
        self.say("Why does nobody need to judge this run? Enter dismisses it for everybody, Esc leaves it.")
        self.prompt.ask("dismiss", "Dismiss this run for everybody, because")

    @on(Prompt.Answered)
    def _dismissal_given(self, event: Prompt.Answered) -> None:
        if event.purpose == "dismiss" and self._dismissing is not None:
            run_id, self._dismissing = self._dismissing, None
            self.say("Dismissing the run …")
            self.work(self._dismiss(run_id, event.text), group="dismissing")

    @on(Prompt.Left)
    def _dismissal_left(self, event: Prompt.Left) -> None:
        if event.purpose == "dismiss":
            self._dismissing = None
            self.say("Nothing was dismissed.")

    async def _dismiss(self, run_id: str, reason: str) -> None:
        self.say(await self.session.dismissals.dismiss(run_id, reason))
        self.changed()

    def do_reopen(self) -> None:
        """Puts the run in view back into everybody's queue."""
        sheet = self.session.walk.sheet
        if sheet is not None:
            self.say("Putting the run back …")
            self.work(self._reopen(sheet.run.id), group="dismissing")

    async def _reopen(self, run_id: str) -> None:
        self.say(await self.session.dismissals.reopen(run_id))
        self.changed()
