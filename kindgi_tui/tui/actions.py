"""Actions: something a person can do with a key, named `place.verb`. `registry` has all of them.

A screen has a method `do_<verb>` for each action of its place (dashes become underscores), and says in `why_not` why
one can't be done now.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Action:
    """Something a person can do with a key."""

    id: str
    """`place.verb`, stable: keymaps and the palette name it so."""
    keys: tuple[str, ...]
    """Its default keys, in Textual's names; the first is shown."""
    words: str
    """What the footer says, one or two words."""
    help: str
    """What it does, a sentence for the help and the palette."""
    footer: bool = True
    """Whether the footer shows it when there is room."""

    @property
    def place(self) -> str:
        """Where it applies: a screen's name, or `everywhere`."""
        return self.id.partition(".")[0]

    @property
    def verb(self) -> str:
        """What it does, in a word."""
        return self.id.partition(".")[2]


EVERYWHERE = "everywhere"
"""The place of actions that every screen has."""

_SHOWN = {
    "slash": "/", "question_mark": "?", "left_square_bracket": "[", "right_square_bracket": "]", "enter": "⏎",
    "escape": "Esc", "ctrl+p": "^P", "ctrl+q": "^Q", "ctrl+z": "^Z", "space": "Space", "pageup": "PgUp",
    "pagedown": "PgDn", "colon": ":", "up": "↑", "down": "↓", "tab": "Tab", "home": "Home", "end": "End",
    "backspace": "⌫", "f2": "F2",
}  # fmt: skip


def shown_key(key: str) -> str:
    """A key as a person reads it."""
    return _SHOWN.get(key, key)


Row = tuple[str, str, str, str] | tuple[str, str, str, str, bool]
"""One action of a table: its verb, its keys parted by spaces, its words, its help, and whether the footer has it."""


def table(place: str, *rows: Row) -> tuple[Action, ...]:
    """The actions of a place, in the order they are shown."""
    return tuple(Action(f"{place}.{row[0]}", tuple(row[1].split()), row[2], row[3], *row[4:]) for row in rows)


EVERYWHERE_ACTIONS = table(
    EVERYWHERE,
    ("help", "question_mark", "Help", "Shows every key of this screen, and what it does."),
    ("palette", "ctrl+p colon", "Commands", "Finds anything that can be done here, by its words."),
    (
        "go",
        "g",
        "Go to",
        "Then r, j, t, c, o, a or w: Runs, Judge, Test sets, Comparisons, Groups, Audit, Outbox, from a screen "
        "over one back to it; g once more: the top of the list.",
    ),
    (
        "groups",
        "",
        "Groups",
        "Goes to the groups judges speak as: make, weigh, restrict, retire (g o).",
        False,
    ),
    ("audit", "", "Audit", "Goes to what was done here, by whom, when (g a).", False),
    ("outbox", "", "Outbox", "Goes to the verdicts a runtime doesn't have yet: send, drop (g w).", False),
    (
        "project",
        "P",
        "Project",
        "Goes on to the next project; the screens show its runs, sets and comparisons.",
        False,
    ),
    ("back", "escape", "Back", "Goes back to where one came from."),
    (
        "theme",
        "f2",
        "Theme",
        "Goes on to the next theme: dark, light, high contrast, the terminal's own.",
        False,
    ),
    ("quit", "ctrl+q", "Quit", "Leaves; everything said is stored, and comparisons go on.", False),
)
"""What every screen has."""
