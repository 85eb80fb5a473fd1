"""The status line: what was just said or done, and where one works, in one place, without a pop-up."""

from typing import Literal

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from kindgi_tui.text import one_line, truncate_cells, width

Kind = Literal["told", "no", "error"]
"""A sentence about what happened, why something can't be done, or what went wrong."""

MARKS: dict[Kind, str] = {"told": "", "no": "✗ ", "error": "! "}
"""What stands before a sentence, so that its kind does not rest on colour."""


class StatusLine(Widget):
    """One line: the last sentence on the left, where one works on the right. An error stays until a key."""

    COMPONENT_CLASSES = {"status-line--error", "status-line--where"}
    DEFAULT_CSS = """
    StatusLine { height: 1; background: $panel; color: $foreground; }
    StatusLine .status-line--error { color: $error; text-style: bold; }
    StatusLine .status-line--where { color: $secondary; }
    """

    def __init__(self, where: str = "") -> None:
        super().__init__()
        self._sentence = ""
        self._kind: Kind = "told"
        self._where = one_line(where, 60)

    @property
    def sentence(self) -> str:
        """What it says now."""
        return self._sentence

    def say(self, sentence: str, kind: Kind = "told") -> None:
        """Shows a sentence in the place of the last one; words from outside are cleaned here."""
        words = one_line(sentence, 400)
        if (words, kind) != (self._sentence, self._kind):
            self._sentence, self._kind = words, kind
            self.refresh()

    def show_where(self, where: str) -> None:
        """Sets where one works, and as whom."""
        self._where = one_line(where, 60)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line, the sentence first: where one works gives way to it."""
        cells = self.size.width
        base = self.rich_style
        said = truncate_cells(f" {MARKS[self._kind]}{self._sentence}", cells)
        style = (
            base + self.get_component_rich_style("status-line--error", partial=True)
            if self._kind == "error"
            else base
        )
        segments = [Segment(said, style)]
        left = cells - width(said)
        where = f" {self._where} "
        if self._where and width(where) + 1 <= left:
            segments += [
                Segment(" " * (left - width(where)), base),
                Segment(where, base + self.get_component_rich_style("status-line--where", partial=True)),
            ]
        else:
            segments.append(Segment(" " * left, base))
        return Strip(segments, cells)


def style_of(widget: Widget, name: str) -> Style:
    """A component's style over its widget's own."""
    return widget.rich_style + widget.get_component_rich_style(name, partial=True)
