"""What can be done in Correct."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "correct",
    ("save", "s", "Save", "Saves the correction; what you said of the run before stays as history."),
    ("edit", "e enter", "Edit", "Writes the call's arguments as JSON, or the text, on one line."),
    ("editor", "E", "$EDITOR", "Writes the arguments or the text in $EDITOR, or in a box here."),
    ("add", "n", "New call", "Adds a call: picks a tool, then writes its arguments."),
    ("forbid", "f", "Forbid", "The tool must not be called."),
    ("remove", "x", "Remove", "Doesn't ask for the call, or empties the text."),
    (
        "undo",
        "u",
        "Take back",
        "Takes the last change back, again and again; after saving, the saved correction.",
    ),
    ("keep", "y", "As it was", "The call is right as it was recorded."),
    ("any", "w", "Any args", "The tool should be called, with whatever arguments."),
    (
        "part",
        "tab",
        "Other part",
        "Goes to the answer, or back to the calls; while writing, puts a field in.",
    ),
    ("decisions-right", "d", "Calls right", "The run's decisions were right: the tools it called.", False),
    ("decisions-wrong", "D", "Calls wrong", "Its decisions were wrong: it should have called these.", False),
    ("answer-right", "a", "Answer right", "The run's answer was right.", False),
    (
        "answer-wrong",
        "A",
        "Answer wrong",
        "Its answer was wrong: what it should say, or why it is wrong.",
        False,
    ),
    ("unsay", "z", "Unsay", "Says neither right nor wrong of the part one is in.", False),
    ("group", "G", "Group", "Goes on to the next group you may speak as.", False),
    ("forbid-tool", "F", "Forbid a tool", "Picks a tool that must not be called.", False),
    ("whole", "v", "Whole row", "Shows the row whole, with the tool's input; again: the run.", False),
    (
        "calls",
        "o",
        "Open calls",
        "Shows the whole run with its calls, or what was asked and answered.",
        False,
    ),
    (
        "anew",
        "R",
        "Start anew",
        "Drops the draft: what is saved stands there again, else what the run did.",
        False,
    ),
    ("down", "j down", "Down", "Goes to the next row.", False),
    ("up", "k up", "Up", "Goes to the row before.", False),
    ("page-down", "pagedown space", "Page down", "Scrolls the run a page on.", False),
    ("page-up", "pageup", "Page up", "Scrolls the run a page back.", False),
    ("first", "home", "First row", "Goes to the first row.", False),
    ("last", "end", "Last row", "Goes to the last row.", False),
)
"""In the order they are shown."""
