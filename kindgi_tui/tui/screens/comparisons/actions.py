"""What can be done in comparisons."""

from kindgi_tui.tui.actions import table

ACTIONS = table("comparisons")
"""In the order they are shown."""
