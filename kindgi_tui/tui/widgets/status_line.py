"""The status line: what was just said or done, and where one works, in one place, without a pop-up."""

from typing import Literal, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from kindgi_tui.text import one_line, truncate_cells, width, wrap

Kind = Literal["told", "hint", "no", "error"]
"""A sentence about what happened, which keys go on from here, why something can't be done, or what went wrong."""

MARKS: dict[Kind, str] = {"told": "", "hint": "", "no": "✗ ", "error": "! "}
"""What stands before a sentence, so that its kind does not rest on colour."""


LONGEST = 2000
"""The longest sentence it keeps, in characters."""

MOST_LINES = 8
"""The most lines that why something failed takes."""

PERSON_CELLS, PLACE_CELLS = 12, 22
"""How long a person's and a place's name are where there is little room, in cells."""


class Where(NamedTuple):
    """Where one works, and as whom."""

    person: str = ""
    """Who acts."""
    project: str = ""
    """The project's name."""
    place: str = ""
    """The workspace's folder, or the runtime's address."""
    profile: str = ""
    """The terminal's profile."""
    waiting: str = ""
    """What waits to be sent to the runtime, in words; empty for nothing."""

    def words(self, cells: int) -> str:
        """As much of it as fits, what waits first; at the least who and where, shortened. Empty: nothing is open."""
        if not self.person:
            return ""
        short = f"{one_line(self.person, PERSON_CELLS)}@{one_line(self.place, PLACE_CELLS)}"
        named = f"{one_line(self.person, 30)} · {one_line(self.project, 40)} · {one_line(self.place, 40)}"
        told = ""
        for parts in ((self.waiting, named, self.profile), (self.waiting, named), (self.waiting, short)):
            told = " · ".join(part for part in parts if part)
            if width(told) <= cells:
                break
        return told


class StatusLine(Widget):
    """One line: the last sentence on the left, where one works on the right, always. An error stays until a key.

    What just happened is cut for it where there is little room; which keys go on, and why something failed or can't be
    done, goes on over further lines, so that a runtime's reason can be read whole.
    """

    COMPONENT_CLASSES = {"status-line--error", "status-line--where"}
    DEFAULT_CSS = """
    StatusLine { height: 1; background: $panel; color: $foreground; }
    StatusLine .status-line--error { color: $error; text-style: bold; }
    StatusLine .status-line--where { color: $secondary; }
    """

    def __init__(self, where: Where = Where()) -> None:  # noqa: B008 - a frozen value
        super().__init__()
        self._sentence = ""
        self._kind: Kind = "told"
        self._where = where
        self._lines = [""]

    @property
    def sentence(self) -> str:
        """What it says now."""
        return self._sentence

    def say(self, sentence: str, kind: Kind = "told") -> None:
        """Shows a sentence in the place of the last one; words from outside are cleaned here."""
        words = one_line(sentence, LONGEST)
        if (words, kind) != (self._sentence, self._kind):
            self._sentence, self._kind = words, kind
            self._fit()

    def show_where(self, where: Where) -> None:
        """Sets where one works, and as whom."""
        self._where = where
        self._fit()

    def on_resize(self) -> None:
        """Another width: a sentence may need more lines now, or fewer."""
        self._fit()

    @property
    def _said(self) -> str:
        return f" {MARKS[self._kind]}{self._sentence}"

    def _fit(self) -> None:
        self._lines = self._laid(self.size.width)
        self.styles.height = len(self._lines)
        self.refresh()

    def _laid(self, cells: int) -> list[str]:
        """The sentence as lines; the last leaves room for where one works."""
        short = self._where.words(0)
        room = cells - (width(short) + 3 if short else 0)
        said = self._said
        if not cells or self._kind == "told" or width(said) <= room:
            return [said]
        lines = [f" {line}" for line in wrap(said.strip(), cells - 1)]
        if width(lines[-1]) > room:
            lines.append("")
        return [*lines[: MOST_LINES - 1], "".join(lines[MOST_LINES - 1 :])]

    def render_line(self, y: int) -> Strip:
        """A line of the sentence; the last also says where one works."""
        cells = self.size.width
        style = self.rich_style
        if self._kind == "error":
            style += self.get_component_rich_style("status-line--error", partial=True)
        if y >= len(self._lines) - 1:
            return self._line(self._lines[-1] if y == len(self._lines) - 1 else "", cells, style)
        line = truncate_cells(self._lines[y], cells)
        return Strip([Segment(line + " " * (cells - width(line)), style)], cells)

    def _line(self, said: str, cells: int, style: Style) -> Strip:
        base = self.rich_style
        where = self._where.words(cells - width(said) - 3)
        told = f" {where} " if where else ""
        said = truncate_cells(said, max(0, cells - width(told)))
        between = " " * max(0, cells - width(said) - width(told))
        segments = [Segment(said, style), Segment(between, base)]
        if told:
            dim = base + self.get_component_rich_style("status-line--where", partial=True)
            segments.append(Segment(told, dim))
        return Strip(segments, cells).crop(0, cells)


def style_of(widget: Widget, name: str) -> Style:
    """A component's style over its widget's own."""
    return widget.rich_style + widget.get_component_rich_style(name, partial=True)
