"""What can be done with the cases of a test set."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "test_set_cases",
    ("open", "enter", "Run", "Opens the run the case was made from."),
    ("compare", "c", "Compare", "Compares a new version of the agent on this set."),
    ("agreement", "a", "Agreement", "Shows how far people agree, two by two, and on what they don't."),
    (
        "settle",
        "s",
        "Settle",
        "Judges the items people disagree on, then opens the runs they corrected differently.",
    ),
    ("reasons", "o", "All reasons", "Shows every reason and whole texts, or two reasons an item again."),
    ("export", "e", "Export", "Writes the cases as JSONL to a file."),
    ("down", "j down", "Next", "Goes to the next case.", False),
    ("up", "k up", "Previous", "Goes to the case before.", False),
    ("text-down", "d space", "Scroll", "Scrolls the case's text on."),
    ("text-up", "u", "Scroll back", "Scrolls the case's text back.", False),
    ("page-down", "pagedown", "Page down", "Goes a page of cases on.", False),
    ("page-up", "pageup", "Page up", "Goes a page of cases back.", False),
    ("first", "home", "First", "Goes to the first case.", False),
    ("last", "end G", "Last", "Goes to the last case.", False),
)
"""In the order they are shown."""
