"""What can be done while setting up a comparison."""

from kindgi_tui.tui.actions import table
from kindgi_tui.tui.screens.form_actions import FORM_ROWS

ACTIONS = table(
    "compare",
    ("start", "s", "Start", "Starts the comparison; it runs on whatever you do next."),
    (
        "against",
        "v",
        "Against",
        "Shows what changed since another version: a recorded one, or any published.",
    ),
    *FORM_ROWS,
)
"""In the order they are shown."""
