"""What can be done while adding a test case by hand."""

from kindgi_tui.tui.actions import table
from kindgi_tui.tui.screens.form_actions import FORM_ROWS

ACTIONS = table(
    "case_add",
    ("add", "a", "Add", "Adds the case to the agent's own test set."),
    *FORM_ROWS,
)
"""In the order they are shown."""
