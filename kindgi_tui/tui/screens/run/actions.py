"""What can be done in a run."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "run",
    ("judge", "J", "Judge", "Judges this run."),
    ("correct", "c", "Correct", "Says what this run should have done."),
    ("calls", "o", "Open calls", "Opens or folds the tool calls."),
    ("raw", "w", "Raw", "Shows the output as JSON, or the conversation again."),
    ("search", "slash", "Search", "Finds words in it; n goes on to the next."),
    ("next-found", "n", "Next found", "Goes on to the next place that has the words.", False),
    ("down", "j down", "Down", "Scrolls a line on.", False),
    ("up", "k up", "Up", "Scrolls a line back.", False),
    ("page-down", "pagedown space", "Page down", "Scrolls a page on.", False),
    ("page-up", "pageup", "Page up", "Scrolls a page back.", False),
    ("first", "home", "Top", "Goes to the top.", False),
    ("last", "end G", "End", "Goes to the end.", False),
)
"""In the order they are shown."""
