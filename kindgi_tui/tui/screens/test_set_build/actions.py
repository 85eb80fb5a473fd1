"""What can be done while building a test set."""

from kindgi_tui.tui.actions import table
from kindgi_tui.tui.screens.form_actions import FORM_ROWS

ACTIONS = table(
    "test_set_build",
    ("build", "b", "Build", "Builds this version of the test set from the runs it would take."),
    *FORM_ROWS,
)
"""In the order they are shown."""
