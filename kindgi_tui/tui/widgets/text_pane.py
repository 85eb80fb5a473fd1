"""A pane of long text, wrapped to its width a piece at a time and painted a line at a time.

Text is given as blocks in one style each. Only what is looked at is wrapped beyond the first screens, so that a
long conversation opens at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kindgi_tui.text import truncate_cells, width, wrap
from kindgi_tui.tui.widgets.named_styles import NamedStyles

LINES = 20_000
"""The most lines a block is wrapped to."""


@dataclass(frozen=True)
class Block:
    """Some text in one style. Whoever makes it has cleaned it."""

    text: str
    """The text; newlines start new lines."""
    style: str = ""
    """The name of a component style of the pane, without its prefix."""
    indent: int = 0
    """How many cells each of its lines is moved to the right."""


@dataclass(frozen=True)
class Run:
    """A line made of pieces in several styles, never wrapped."""

    pieces: tuple[tuple[str, str], ...]
    """Words and the name of their style."""


@dataclass(frozen=True)
class Flow:
    """Text in several styles, wrapped together. Whoever makes it has cleaned it."""

    pieces: tuple[tuple[str, str], ...]
    """Words and the name of their style, one after another."""
    indent: int = 0
    """How many cells each of its lines is moved to the right."""
    hang: int = 0
    """How many cells more each line but the first is."""


Line = tuple[tuple[str, str], ...]
"""One painted line: words and the name of their style."""

Part = Block | Run | Flow
"""What a pane's text is made of."""


@dataclass(frozen=True)
class Wrapped:
    """Text that was wrapped before it is shown."""

    cells: int
    """The width it was wrapped to."""
    lines: tuple[Line, ...]
    """The lines."""


def wrap_parts(parts: Sequence[Part], cells: int) -> list[Line]:
    """The lines of a pane that is `cells` wide. Takes no widget, so that any thread can do it."""
    lines: list[Line] = []
    for part in parts:
        if isinstance(part, Run):
            lines.append(part.pieces)
            continue
        room = max(1, cells - 1 - part.indent - (part.hang if isinstance(part, Flow) else 0))
        if isinstance(part, Flow):
            lines += _flowing(part, room)
        else:
            lines += [
                ((" " * part.indent, ""), (words, part.style)) for words in wrap(part.text, room, LINES)
            ]
    return lines


def _flowing(flow: Flow, room: int) -> list[Line]:
    """A flow's lines: the text is wrapped as one, and each line takes the styles of where it came from."""
    text = "".join(words for words, _ in flow.pieces)
    lines: list[Line] = []
    at = piece = begun = 0
    for number, words in enumerate(wrap(text, room, LINES)):
        start = text.find(words, at)
        if start < 0:
            start = at
        end = at = start + len(words)
        pieces: list[tuple[str, str]] = [(" " * (flow.indent + (flow.hang if number else 0)), "")]
        while piece < len(flow.pieces) and begun < end:
            part, style = flow.pieces[piece]
            low, high = max(start, begun), min(end, begun + len(part))
            if low < high:
                pieces.append((text[low:high], style))
            if begun + len(part) > end:
                break
            begun += len(part)
            piece += 1
        lines.append(tuple(pieces))
    return lines


class TextPane(ScrollView, can_focus=True, inherit_bindings=False):
    """The pane. `show` sets what it holds; keys belong to the screen, which calls `scroll_by` and `page`."""

    COMPONENT_CLASSES = {
        "text-pane--head", "text-pane--dim", "text-pane--yes", "text-pane--no", "text-pane--bad", "text-pane--key",
        "text-pane--added", "text-pane--removed", "text-pane--found", "text-pane--strong",
    }  # fmt: skip
    DEFAULT_CSS = """
    TextPane { background: $background; color: $foreground; scrollbar-size-vertical: 1; overflow-x: hidden; }
    TextPane .text-pane--head { color: $primary; text-style: bold; }
    TextPane .text-pane--dim { color: $secondary; }
    TextPane .text-pane--yes { color: $success; }
    TextPane .text-pane--no { color: $warning; }
    TextPane .text-pane--bad { color: $error; text-style: bold; }
    TextPane .text-pane--key { color: $primary; }
    TextPane .text-pane--added { color: $success; text-style: underline; }
    TextPane .text-pane--removed { color: $error; text-style: strike; }
    TextPane .text-pane--found { text-style: reverse; }
    TextPane .text-pane--strong { text-style: bold; }
    """

    def __init__(self, *, id: str | None = None, empty: str = "") -> None:
        """`empty` says what to do while there is nothing to show."""
        super().__init__(id=id)
        self._blocks: tuple[Part, ...] = ()
        self._lines: Sequence[Line] = []
        self._wrapped_to = -1
        self._empty = empty
        self._style = NamedStyles(self, "text-pane")

    def show(
        self, blocks: Sequence[Part], *, keep_place: bool = False, wrapped: Wrapped | None = None
    ) -> None:
        """Shows other text, from its start, or with `keep_place` where one was.

        `wrapped` is the same text wrapped before; it is taken when it has this pane's width.
        """
        top, height, before = self.scroll_offset.y, self.size.height, self._lines
        nothing = not self._blocks
        self._blocks = tuple(blocks)
        self._wrapped_to = -1
        if wrapped is not None and wrapped.cells == self.size.width:
            self._take(wrapped.lines)
        self._layout()
        if not keep_place:
            self.scroll_to(y=0, animate=False, force=True)
        if nothing or not self._blocks:
            self.refresh()
            return
        # Only lines that differ are painted: a step through a list beside it stays small.
        for y in range(height):
            if before[top + y : top + y + 1] != self._lines[top + y : top + y + 1]:
                self.refresh(Region(0, y, self.size.width, 1))

    @property
    def lines(self) -> Sequence[Line]:
        """The wrapped lines."""
        return self._lines

    def scroll_lines(self, lines: int) -> None:
        """Scrolls by so many lines."""
        self.scroll_to(y=max(0, self.scroll_offset.y + lines), animate=False, force=True)

    def page(self, pages: int) -> None:
        """Scrolls by so many heights."""
        self.scroll_lines(pages * max(1, self.size.height - 1))

    def find(self, words: str, after: int = -1) -> int | None:
        """The next line that has these words, going round at the end; it is scrolled to."""
        wanted = words.casefold()
        total = len(self._lines)
        for step in range(1, total + 1):
            number = (after + step) % total
            if wanted in "".join(piece for piece, _ in self._lines[number]).casefold():
                self.scroll_to(y=max(0, number - 1), animate=False, force=True)
                return number
        return None

    def _layout(self) -> None:
        cells = self.size.width
        if cells <= 0 or cells == self._wrapped_to:
            return
        self._take(wrap_parts(self._blocks, cells))

    def _take(self, lines: Sequence[Line]) -> None:
        cells = self.size.width
        self._wrapped_to = cells
        self._lines = lines
        self._size_text(self.size.height)

    def _size_text(self, view: int) -> None:
        # While the text fits into the view its size says nothing, and setting it would paint the whole pane anew.
        lines = len(self._lines)
        self.virtual_size = Size(self.size.width, lines if lines > view else 1)

    def notify_style_update(self) -> None:
        """Forgets the styles of the last theme."""
        super().notify_style_update()
        self._style.forget()

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        cells = self.scrollable_content_region.width
        number = y + self.scroll_offset.y
        pieces: Line = self._lines[number] if number < len(self._lines) else ()
        if not self._blocks and y == 0:
            pieces = ((self._empty, "dim"),)
        segments: list[Segment] = []
        left = cells
        for words, style in pieces:
            size = width(words)
            if size > left:
                words = truncate_cells(words, left)
                size = width(words)
            segments.append(Segment(words, self._style(style)))
            left -= size
        segments.append(Segment(" " * left, self._style("")))
        return Strip(segments, cells)

    def on_resize(self, event: events.Resize) -> None:
        """Wraps anew when the width changed."""
        self._layout()
        self._size_text(event.size.height)
