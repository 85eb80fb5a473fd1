"""What can be done in test sets."""

from kindgi_tui.tui.actions import table

ACTIONS = table("test_sets")
"""In the order they are shown."""
