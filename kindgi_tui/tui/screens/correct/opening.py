"""The way to Correct, for the screens it opens over."""

from typing import TYPE_CHECKING

from kindgi_tui.domain.runs import Run

if TYPE_CHECKING:
    from kindgi_tui.tui.app import WorkbenchApp


def why_not_corrected(run: Run | None) -> str | None:
    """Why a run can't be corrected now, a sentence; None when it can."""
    if run is None:
        return "The run is being loaded."
    if run.status in ("pending", "running", "suspended"):
        return f"The run is {run.status}: only one that has ended can be corrected."
    return None


def open_correct(app: "WorkbenchApp", run_id: str) -> None:
    """Opens Correct on a run; going back from it leads to where one was."""
    from kindgi_tui.tui.screens.correct.screen import CorrectScreen

    app.push_screen(CorrectScreen(run_id))
