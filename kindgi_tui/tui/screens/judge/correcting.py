"""The way from Judge to Correct, and the sign that the run in view is corrected by me."""

from typing import TYPE_CHECKING

from kindgi_tui.session.correcting import live_correction, said_words
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.correct.opening import open_correct, why_not_corrected
from kindgi_tui.workbench import NotFound, Unsupported

if TYPE_CHECKING:
    from kindgi_tui.session.judging import JudgingSession


class CorrectionKeys(WorkScreen):
    """Correcting the run in view; mixed into the screen."""

    session: "JudgingSession"
    """What is being judged."""
    _corrected = ("", "")
    _not_offered: str | None = None
    """Why nothing can be corrected where one works, as it was answered; None: nothing says so."""

    @property
    def corrected_words(self) -> str:
        """What I said the run in view should have done, in a few words; empty: nothing that is known."""
        sheet = self.session.walk.sheet
        run_id, words = self._corrected
        return words if sheet is not None and sheet.run.id == run_id else ""

    def show_corrected(self) -> None:
        """Shows the sign; the title has it."""
        raise NotImplementedError

    def look_for_correction(self) -> None:
        """Looks, beside everything else, whether the run in view is corrected by me."""
        sheet = self.session.walk.sheet
        if sheet is not None:
            self.work(self._look(sheet.run.id), group="corrected", exclusive=True)

    async def _look(self, run_id: str) -> None:
        try:
            live = await live_correction(self.workbench, run_id, self.app.person.id)
        except NotFound:
            live = None
        except Unsupported as cause:
            live, self._not_offered = None, cause.sentence
        before = self.corrected_words
        self._corrected = (run_id, "" if live is None else said_words(live.expect))
        if self.is_mounted and self.corrected_words != before:
            self.show_corrected()

    def why_not_correct(self) -> str | None:
        """What needs a run in view that has ended."""
        sheet = self.session.walk.sheet
        if sheet is None and self.session.walk.at_end:
            return "There is no run in view to correct: [ goes back to the last one."
        return self._not_offered or why_not_corrected(None if sheet is None else sheet.run)

    def do_correct(self) -> None:
        """Says what the run in view should have done."""
        sheet = self.session.walk.sheet
        if sheet is not None:
            open_correct(self.app, sheet.run.id)
