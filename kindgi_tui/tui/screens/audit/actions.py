"""What can be done in Audit."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "audit",
    ("open", "enter", "Open", "Opens what it is about: the run, the comparison, the test set's version."),
    ("filter", "f", "Filter", "Narrows the list: who did it, what, on what, since and until when."),
    ("clear", "backspace", "Clear", "Lifts the filter."),
    ("refresh", "R", "Refresh", "Looks for what was done since."),
    ("down", "j down", "Next", "Goes to the next one.", False),
    ("up", "k up", "Previous", "Goes to the one before.", False),
    ("page-down", "pagedown space", "Page down", "Goes a page on.", False),
    ("page-up", "pageup", "Page up", "Goes a page back.", False),
    ("text-down", "d", "Scroll", "Scrolls the entry's text on.", False),
    ("text-up", "u", "Scroll back", "Scrolls the entry's text back.", False),
    ("first", "home", "First", "Goes to the newest one.", False),
    ("last", "end G", "Last", "Goes to the oldest one.", False),
)
"""In the order they are shown."""
