"""What can be done in Groups."""

from kindgi_tui.tui.actions import table

ACTIONS = table(
    "groups",
    ("change", "enter", "Change", "Changes the group's weight, what it is for, and who may speak as it."),
    ("new", "n", "New", "Makes a group."),
    ("weigh", "w", "Weight", "Sets the group's weight, on one line."),
    ("lift", "x", "Open to all", "Lifts the restriction: anyone who may judge may speak as it."),
    ("retire", "D", "Retire", "Retires the group, after asking: nobody speaks as it, what was said still counts."),
    ("undo", "u", "Take back", "Takes the last step here back; again and again."),
    ("retired", "v", "Retired", "Shows the retired groups too, or the live ones alone."),
    ("bring-back", "b", "Bring back", "Brings a retired group back."),
    ("refresh", "R", "Refresh", "Looks for new groups now.", False),
    ("down", "j down", "Next", "Goes to the next group.", False),
    ("up", "k up", "Previous", "Goes to the group before.", False),
    ("page-down", "pagedown space", "Page down", "Goes a page on.", False),
    ("page-up", "pageup", "Page up", "Goes a page back.", False),
    ("first", "home", "First", "Goes to the first one.", False),
    ("last", "end G", "Last", "Goes to the last one.", False),
)  # fmt: skip
"""In the order they are shown."""
