"""What can be done in Runs."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "runs",
    ("open", "enter", "Open", "Opens the run: its conversation, items, judgments."),
    ("judge", "J", "Judge", "Judges the runs of this list, from this one on."),
    ("filter", "f", "Filter", "Narrows the list: agent, version, status, judged, segment, time, replays."),
    ("search", "slash", "Search", "Finds runs by words, or by a substring of three and more characters."),
    ("clear", "backspace", "Clear", "Lifts the filter and the search."),
    ("preview", "p", "Preview", "Shows or hides the preview beside the list.", False),
    ("export", "e", "Export", "Writes the run, or with x the whole list, as JSONL to a file."),
    ("refresh", "R", "Refresh", "Looks for new runs now.", False),
    ("down", "j down", "Next", "Goes to the next one.", False),
    ("up", "k up", "Previous", "Goes to the one before.", False),
    ("page-down", "pagedown space", "Page down", "Goes a page on.", False),
    ("page-up", "pageup", "Page up", "Goes a page back.", False),
    ("first", "home", "First", "Goes to the first one.", False),
    ("last", "end G", "Last", "Goes to the last one.", False),
)
"""In the order they are shown."""
