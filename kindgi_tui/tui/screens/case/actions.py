"""What can be done in case."""

from kindgi_tui.tui.actions import table

ACTIONS = table("case")
"""In the order they are shown."""
