"""What can be done in compare."""

from kindgi_tui.tui.actions import table

ACTIONS = table("compare")
"""In the order they are shown."""
