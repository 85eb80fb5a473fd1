"""What can be done in Comparisons."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "comparisons",
    (
        "open",
        "enter",
        "Open",
        "Opens the comparison: headline, metrics, cases; the newest rescore where there is one.",
    ),
    ("new", "n", "New", "Starts a new comparison: a candidate on a test set."),
    ("cancel", "x", "Cancel", "Cancels a running comparison; what finished is kept."),
    (
        "again",
        "R",
        "Resume/rescore",
        "Resumes a failed or cancelled one, or rescores a completed one with new verdicts.",
    ),
    ("refresh", "r", "Refresh", "Looks for new ones now.", False),
    ("down", "j down", "Next", "Goes to the next one.", False),
    ("up", "k up", "Previous", "Goes to the one before.", False),
    ("page-down", "pagedown space", "Page down", "Goes a page on.", False),
    ("page-up", "pageup", "Page up", "Goes a page back.", False),
    ("first", "home", "First", "Goes to the newest one.", False),
    ("last", "end G", "Last", "Goes to the oldest one.", False),
)
"""In the order they are shown."""
