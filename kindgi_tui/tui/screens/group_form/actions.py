"""What can be done while making or changing a group."""

from kindgi_tui.tui.actions import table
from kindgi_tui.tui.screens.form_actions import FORM_ROWS

ACTIONS = table("group_form", ("save", "s", "Save", "Saves the group."), *FORM_ROWS)
"""In the order they are shown."""
