"""A list of one-line rows over any number of them, painted a line at a time (Textual's line API).

A step of the cursor repaints two lines; at the edge the list scrolls by half its height, so that most steps stay so.
Keys belong to the screen: it calls `move`, `page`, `first` and `last`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kindgi_tui.text import truncate_cells, width, wrap
from kindgi_tui.tui.widgets.named_styles import NamedStyles


@dataclass(frozen=True)
class Cell:
    """Words of a row in one style; whoever makes it has cleaned them."""

    words: str
    """What it says."""
    cells: int
    """How wide it is painted; words are cut or padded."""
    style: str = ""
    """The name of a component style of the list, without its prefix: `dim`, `yes`, `no`, `bad`, `key`."""


class LineList(ScrollView, can_focus=True, inherit_bindings=False):
    """The list. `row` gives a row's cells, or None while it is not loaded."""

    COMPONENT_CLASSES = {
        "line-list--cursor", "line-list--dim", "line-list--yes", "line-list--no", "line-list--bad", "line-list--key",
    }  # fmt: skip
    DEFAULT_CSS = """
    LineList { background: $background; color: $foreground; scrollbar-size-vertical: 1; overflow-x: hidden; }
    LineList .line-list--cursor { background: $primary-muted; color: $foreground; text-style: bold; }
    LineList .line-list--dim { color: $secondary; }
    LineList .line-list--yes { color: $success; }
    LineList .line-list--no { color: $warning; }
    LineList .line-list--bad { color: $error; }
    LineList .line-list--key { color: $primary; }
    """

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, line_list: "LineList", number: int) -> None:
            super().__init__()
            self.line_list = line_list
            """Which list."""
            self.number = number
            """The row's number, from 0."""

        @property
        def control(self) -> "LineList":
            """Which list, for handlers that select by it."""
            return self.line_list

    class Chosen(Message):
        """A row was chosen with the mouse's second click; keys choose through the screen."""

        def __init__(self, line_list: "LineList", number: int) -> None:
            super().__init__()
            self.line_list = line_list
            """Which list."""
            self.number = number
            """The row's number, from 0."""

        @property
        def control(self) -> "LineList":
            """Which list, for handlers that select by it."""
            return self.line_list

    def __init__(
        self, row: Callable[[int, int], Sequence[Cell] | None], *, id: str | None = None, empty: str = ""
    ) -> None:
        """`row(number, width)` gives a row's cells; `empty` says what to do while there are none."""
        super().__init__(id=id)
        self._row = row
        self._empty = empty
        self._cursor = 0
        self._count = 0
        self._style = NamedStyles(self, "line-list")

    @property
    def cursor(self) -> int:
        """The number of the row the cursor stands on."""
        return self._cursor

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self._count

    def show(self, count: int, cursor: int | None = None, empty: str | None = None) -> None:
        """The list has `count` rows now; the cursor stays where it is, or goes to `cursor`."""
        before, self._count = self._count, count
        if empty is not None:
            self._empty = empty
        # While the rows fit into the view their number says nothing of its size, and setting it would paint all anew.
        self.virtual_size = Size(max(1, self.size.width), max(count, self.size.height, 1))
        wanted = self._cursor if cursor is None else cursor
        self._cursor = max(0, min(wanted, count - 1))
        if not self._follow(0):
            # Rows below the last one were blank and stay so.
            rows = min(max(before, count, 1) - self.scroll_offset.y, self.size.height)
            # What stands there instead of rows takes as many lines as it needs.
            rows = rows if before and count else self.size.height
            self.refresh(Region(0, 0, self.size.width, max(1, rows)))

    def repaint(self, number: int | None = None) -> None:
        """Paints one row anew, or all that are in view."""
        if number is None:
            self.refresh()
            return
        y = number - self.scroll_offset.y
        if 0 <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    def move(self, steps: int) -> None:
        """Moves the cursor by so many rows."""
        self.go(self._cursor + steps, steps)

    def page(self, pages: int) -> None:
        """Moves the cursor by so many heights of the view."""
        self.go(self._cursor + pages * max(1, self.size.height - 1), 0)

    def first(self) -> None:
        """Goes to the first row."""
        self.go(0)

    def last(self) -> None:
        """Goes to the last row."""
        self.go(self._count - 1)

    def go(self, number: int, steps: int = 0) -> None:
        """Puts the cursor on a row; `steps` of 1 or -1 scrolls by half the view at the edge."""
        before = self._cursor
        self._cursor = max(0, min(number, self._count - 1))
        if self._cursor == before:
            return
        if not self._follow(steps):
            self.repaint(before)
            self.repaint(self._cursor)
        self.post_message(self.Moved(self, self._cursor))

    def _follow(self, steps: int) -> bool:
        """Scrolls so that the cursor is in view; whether it scrolled."""
        top, height = self.scroll_offset.y, max(1, self.size.height)
        if top <= self._cursor < top + height:
            return False
        y = self._cursor if self._cursor < top else self._cursor - height + 1
        if abs(steps) == 1:
            y += steps * (height // 2)
        self.scroll_to(y=max(0, y), animate=False, force=True)
        self.refresh()
        return True

    def notify_style_update(self) -> None:
        """Forgets the styles of the last theme."""
        super().notify_style_update()
        self._style.forget()

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        number = y + self.scroll_offset.y
        # Not `size`: a scroll bar would hide the last cell, and with it the sign that words were cut.
        cells = self.scrollable_content_region.width
        if number >= self._count:
            told = wrap(self._empty, max(1, cells - 2)) if self._count == 0 and self._empty else ()
            words = told[y] if y < len(told) else ""
            return Strip([Segment(_fit(f" {words}" if words else "", cells), self._style("dim"))], cells)
        here = number == self._cursor
        row = self._row(number, cells - 2)
        left = cells - 2
        pieces: list[tuple[str, str]] = []
        for cell in row or (Cell("…", left, "dim"),):
            size = min(cell.cells, left)
            if size <= 0:
                break
            pieces.append((_fit(cell.words, size), cell.style))
            left -= size
        pieces.append((" " * left, ""))
        if here:
            # The mark says where the cursor is without colour; one style for the line keeps a step small on the wire.
            mark = "▸ " if self.has_focus else "› "
            return Strip(
                [Segment(mark + "".join(words for words, _ in pieces), self._style("cursor"))], cells
            )
        segments = [Segment("  ", self._style(""))]
        segments += [Segment(words, self._style(style)) for words, style in pieces if words]
        return Strip(segments, cells)

    def on_focus(self) -> None:
        """Shows that keys go here."""
        self.repaint(self._cursor)

    def on_blur(self) -> None:
        """Shows that keys go elsewhere."""
        self.repaint(self._cursor)

    def on_resize(self, event: events.Resize) -> None:
        """Keeps the cursor in view."""
        self.virtual_size = Size(max(1, event.size.width), max(self._count, event.size.height, 1))
        self._follow(0)

    def on_click(self, event: events.Click) -> None:
        """Goes to the clicked row; a click on the row one is on chooses it."""
        number = event.y + self.scroll_offset.y
        if number >= self._count:
            return
        if number == self._cursor and event.chain > 1:
            self.post_message(self.Chosen(self, number))
        self.go(number)


def _fit(words: str, cells: int) -> str:
    """Words cut or padded to exactly so many cells."""
    size = width(words)
    if size > cells:
        words = truncate_cells(words, cells)
        size = width(words)
    return words + " " * (cells - size)
