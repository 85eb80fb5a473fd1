"""What can be done in a comparison."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "comparison",
    (
        "open",
        "enter",
        "Open",
        "Opens the case: recorded beside new, word by word, with its items and tool calls.",
    ),
    (
        "filter",
        "f",
        "Filter",
        "Goes on to the next filter of the cases: regressed, improved, new, diverged and so on.",
    ),
    ("judge", "J", "Judge new", "Judges every new item nobody judged, one after another."),
    ("rescore", "R", "Rescore", "Rates the replays again with the verdicts since; nothing is replayed."),
    ("cancel", "x", "Cancel", "Cancels it while it runs; what finished is kept."),
    ("resume", "z", "Resume", "Runs what is left of a failed or cancelled one."),
    ("raw", "w", "Raw", "Shows the whole headline and the result as JSON, or the comparison again."),
    ("unfilter", "backspace", "All cases", "Shows all cases again.", False),
    ("down", "j down", "Next", "Goes to the next case.", False),
    ("up", "k up", "Previous", "Goes to the case before.", False),
    ("page-down", "pagedown space", "Page down", "Goes a page on.", False),
    ("page-up", "pageup", "Page up", "Goes a page back.", False),
    ("first", "home", "First", "Goes to the first case.", False),
    ("last", "end G", "Last", "Goes to the last case.", False),
)
"""In the order they are shown."""
