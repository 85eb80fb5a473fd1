"""What can be done in the outbox."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "outbox",
    ("open", "enter", "Open", "Opens the run that the verdict is about."),
    (
        "send",
        "s",
        "Send",
        "Sends it again, over a newer verdict too; where it only waits, everything that waits is tried now.",
    ),
    ("drop", "x", "Drop", "Forgets it, after asking: it is never sent."),
    ("refresh", "R", "Refresh", "Looks what waits now; the screen does that by itself too."),
    ("down", "j down", "Next", "Goes to the next one.", False),
    ("up", "k up", "Previous", "Goes to the one before.", False),
    ("page-down", "pagedown space", "Page down", "Goes a page on.", False),
    ("page-up", "pageup", "Page up", "Goes a page back.", False),
    ("text-down", "d", "Scroll", "Scrolls the entry's text on.", False),
    ("text-up", "u", "Scroll back", "Scrolls the entry's text back.", False),
    ("first", "home", "First", "Goes to the one that is sent first.", False),
    ("last", "end G", "Last", "Goes to the last one.", False),
)
"""In the order they are shown."""
