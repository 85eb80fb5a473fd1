"""What can be done with an agent's own test cases."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "own_cases",
    ("open", "enter", "Run", "Opens the run the case was made from."),
    ("compare", "c", "Compare", "Compares a new version of the agent on these cases; they are frozen first."),
    ("add", "n", "New case", "Adds a case by hand, from nothing or from a run you name."),
    ("retire", "x", "Retire", "Leaves the case out of the next versions, until it is brought back."),
    ("agreement", "a", "Agreement", "Shows how far people agree, two by two, and on what they don't."),
    (
        "settle",
        "s",
        "Settle",
        "Judges the items people disagree on, then opens the runs they corrected differently.",
    ),
    ("add-from", "N", "From this run", "Adds a case by hand from the run of the case one is on."),
    ("bring-back", "b", "Bring back", "Brings a retired case back."),
    ("retired", "z", "Retired", "Shows the retired cases, or the live ones again."),
    ("reasons", "o", "All reasons", "Shows every reason and whole texts, or two reasons an item again."),
    ("refresh", "R", "Refresh", "Looks now for what was said meanwhile.", False),
    ("down", "j down", "Next", "Goes to the next case.", False),
    ("up", "k up", "Previous", "Goes to the case before.", False),
    ("text-down", "d space", "Scroll", "Scrolls the case's text on.", False),
    ("text-up", "u", "Scroll back", "Scrolls the case's text back.", False),
    ("page-down", "pagedown", "Page down", "Goes a page of cases on.", False),
    ("page-up", "pageup", "Page up", "Goes a page of cases back.", False),
    ("first", "home", "First", "Goes to the first case.", False),
    ("last", "end G", "Last", "Goes to the last case.", False),
)
"""In the order they are shown."""
