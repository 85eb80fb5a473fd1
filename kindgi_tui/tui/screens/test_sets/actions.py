"""What can be done in Test sets."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "test_sets",
    ("open", "enter", "Cases", "Opens the cases of the version: what people said of each item."),
    ("build", "b", "Build", "Builds the next version of this set, or the first set, from judged runs."),
    ("new", "n", "New set", "Builds a new set from judged runs."),
    ("compare", "c", "Compare", "Compares a new version of the agent on this set."),
    ("versions", "v", "Version", "Goes on to an older version of the set, and round to the newest."),
    ("export", "e", "Export", "Writes the cases of the version as JSONL to a file."),
    ("filter", "slash", "Filter", "Shows only sets whose id has these letters."),
    ("clear", "backspace", "Clear", "Shows all sets again."),
    ("refresh", "R", "Refresh", "Looks for new sets now.", False),
    ("down", "j down", "Next", "Goes to the next set.", False),
    ("up", "k up", "Previous", "Goes to the set before.", False),
    ("page-down", "pagedown space", "Page down", "Goes a page on.", False),
    ("page-up", "pageup", "Page up", "Goes a page back.", False),
    ("first", "home", "First", "Goes to the first one.", False),
    ("last", "end G", "Last", "Goes to the last one.", False),
)
"""In the order they are shown."""
