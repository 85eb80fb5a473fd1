"""What can be done in comparison."""

from kindgi_tui.tui.actions import table

ACTIONS = table("comparison")
"""In the order they are shown."""
