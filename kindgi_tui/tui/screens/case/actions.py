"""What can be done in a case of a comparison."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "case",
    ("yes", "y", "Yes", "Says yes to the new item one is on, and goes to the next."),
    ("no", "n", "No", "Says no to the new item one is on, and goes to the next."),
    ("undo", "u", "Take back", "Takes the last verdict said here back; again: the one before."),
    ("correct", "c", "Correct", "Says what the recorded run should have done."),
    ("next-case", "right_square_bracket", "Next case", "Goes to the next case, in the list's order."),
    ("rescore", "R", "Rescore", "Rates the replays again with the verdicts since, and shows what moved."),
    ("repetition", "tab", "Repetition", "Goes on to the next repetition of the case."),
    ("previous-case", "left_square_bracket", "Case before", "Goes to the case before, in the list's order."),
    ("original", "o", "Original run", "Opens the recorded run."),
    ("replay", "O", "Replay", "Opens the replay's run."),
    ("raw", "w", "Raw", "Shows the case's result and new output as JSON, or the case again."),
    ("down", "j down", "Next item", "Goes to the next item.", False),
    ("up", "k up", "Item before", "Goes to the item before.", False),
    ("page-down", "pagedown space", "Page down", "Scrolls the answers a page on.", False),
    ("page-up", "pageup", "Page up", "Scrolls the answers a page back.", False),
    ("line-down", "J", "Line down", "Scrolls the answers a line on.", False),
    ("line-up", "K", "Line up", "Scrolls the answers a line back.", False),
    ("first", "home", "First item", "Goes to the first item.", False),
    ("last", "end G", "Last item", "Goes to the last item.", False),
    *(
        (f"repetition-{one}", str(one), f"Repetition {one}", f"Shows repetition {one}.", False)
        for one in range(1, 10)
    ),
    ("repetition-10", "0", "Repetition 10", "Shows repetition 10.", False),
)
"""In the order they are shown."""
