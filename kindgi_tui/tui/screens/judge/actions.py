"""What can be done in judge."""

from kindgi_tui.tui.actions import table

ACTIONS = table("judge")
"""In the order they are shown."""
