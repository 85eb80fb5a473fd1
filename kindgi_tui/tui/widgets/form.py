"""A form for the keyboard: a line a field, its value or the hint that holds in its place, what is wrong beside it.

Keys belong to the screen: it calls `move`, and asks for text in its prompt. Only lines that changed are painted.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kindgi_tui.session.fields import FormField
from kindgi_tui.text import one_line, truncate_cells, width, wrap
from kindgi_tui.tui.widgets.named_styles import NamedStyles


class _Line(NamedTuple):
    """A painted line: which field it belongs to, and its words with the names of their styles."""

    field: int
    pieces: tuple[tuple[str, str], ...]


class Form(ScrollView, can_focus=True, inherit_bindings=False):
    """The form. `show` sets its fields; the cursor stays on the field of the same name."""

    COMPONENT_CLASSES = {"form--cursor", "form--dim", "form--bad", "form--key", "form--strong"}
    DEFAULT_CSS = """
    Form {
        background: $background; color: $foreground; scrollbar-size-vertical: 1; scrollbar-gutter: stable;
        overflow-x: hidden;
    }
    Form .form--cursor { background: $primary-muted; color: $foreground; }
    Form .form--dim { color: $secondary; }
    Form .form--bad { color: $error; }
    Form .form--key { color: $primary; }
    Form .form--strong { text-style: bold; }
    """

    class Moved(Message):
        """The cursor stands on another field."""

        def __init__(self, field: FormField) -> None:
            super().__init__()
            self.field = field
            """Which one."""

    class Pressed(Message):
        """The field one is on was clicked: it is to be edited."""

        def __init__(self, field: FormField) -> None:
            super().__init__()
            self.field = field
            """Which one."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._fields: tuple[FormField, ...] = ()
        self._lines: list[_Line] = []
        self._at = 0
        self._style = NamedStyles(self, "form")

    @property
    def field(self) -> FormField | None:
        """The field the cursor stands on; None while there are none."""
        return self._fields[self._at] if self._fields else None

    @property
    def fields(self) -> tuple[FormField, ...]:
        """The fields, in order."""
        return self._fields

    def show(self, fields: Sequence[FormField]) -> None:
        """Shows these fields as they are now."""
        name = self.field.name if self.field is not None else None
        self._fields = tuple(fields)
        self._at = next((at for at, field in enumerate(self._fields) if field.name == name), 0)
        self._layout()

    def move(self, steps: int) -> None:
        """Moves the cursor by so many fields."""
        self.go(self._at + steps)

    def go_to(self, name: str) -> None:
        """Puts the cursor on a field, if there is one of that name."""
        for at, field in enumerate(self._fields):
            if field.name == name:
                self.go(at)

    def go(self, at: int) -> None:
        """Puts the cursor on the field at that place, from 0; beyond the ends it stays at them."""
        at = max(0, min(at, len(self._fields) - 1))
        if at == self._at or not self._fields:
            return
        before, self._at = self._at, at
        if not self._follow():
            for number, painted in enumerate(self._lines):
                if painted.field in (before, at):
                    self._repaint(number)
        self.post_message(self.Moved(self._fields[at]))

    def _layout(self) -> None:
        cells = self.scrollable_content_region.width
        if cells <= 0:
            return
        lines = [line for at, field in enumerate(self._fields) for line in _lines_of(at, field, cells - 2)]
        before, self._lines = self._lines, lines
        if len(before) != len(lines):
            self.virtual_size = Size(cells, max(1, len(lines)))
            self._follow()
            self.refresh()
            return
        for number, (old, new) in enumerate(zip(before, lines, strict=True)):
            if old != new:
                self._repaint(number)

    def _repaint(self, number: int) -> None:
        y = number - self.scroll_offset.y
        if 0 <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    def _follow(self) -> bool:
        """Scrolls so that the field one is on is in view with what is wrong with it; whether it scrolled."""
        rows = [number for number, line in enumerate(self._lines) if line.field == self._at]
        top, height = self.scroll_offset.y, max(1, self.size.height)
        if not rows or (top <= rows[0] and rows[-1] < top + height):
            return False
        y = rows[0] - height // 3 if rows[0] < top else max(rows[-1] - height + 1 + height // 3, 0)
        self.scroll_to(y=max(0, min(y, rows[0])), animate=False, force=True)
        self.refresh()
        return True

    def notify_style_update(self) -> None:
        """Forgets the styles of the last theme."""
        super().notify_style_update()
        self._style.forget()

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        cells = self.scrollable_content_region.width
        number = y + self.scroll_offset.y
        if number >= len(self._lines):
            return Strip([Segment(" " * cells, self._style(""))], cells)
        line = self._lines[number]
        here = line.field == self._at
        first = number == 0 or self._lines[number - 1].field != line.field
        over = self.get_component_rich_style("form--cursor", partial=True) if here else Style.null()
        mark = ("▸ " if self.has_focus else "› ") if here and first else "  "
        segments = [Segment(mark, self._style("key") + over)]
        left = cells - 2
        for words, style in line.pieces:
            shown = words if width(words) <= left else truncate_cells(words, left)
            segments.append(Segment(shown, self._style(style) + over))
            left -= width(shown)
        segments.append(Segment(" " * max(0, left), self._style("") + over))
        return Strip(segments, cells)

    def on_focus(self) -> None:
        """Shows that keys go here."""
        self._repaint_cursor()

    def on_blur(self) -> None:
        """Shows that keys go elsewhere."""
        self._repaint_cursor()

    def _repaint_cursor(self) -> None:
        for number, line in enumerate(self._lines):
            if line.field == self._at:
                self._repaint(number)

    def on_resize(self, event: events.Resize) -> None:
        """Lays the lines out anew."""
        self._lines = []
        self._layout()
        self._follow()

    def on_click(self, event: events.Click) -> None:
        """Goes to the clicked field; a second click edits it."""
        number = event.y + self.scroll_offset.y
        if number >= len(self._lines):
            return
        at = self._lines[number].field
        if at == self._at and event.chain > 1:
            self.post_message(self.Pressed(self._fields[at]))
        self.go(at)


def _lines_of(at: int, field: FormField, cells: int) -> list[_Line]:
    """A field's lines at that many cells."""
    label = 11 if cells < 50 else 15
    words = one_line(field.words, 200)
    standing = words or one_line(field.hint_words, 200)
    room = max(4, cells - label)
    signs = 4 if field.turns else 0
    shown = truncate_cells(standing, max(1, room - signs))
    style = "" if words else "dim"
    pieces = [(truncate_cells(field.label, label - 1).ljust(label), "strong")]
    pieces += [("‹ ", "key"), (shown, style), (" ›", "key")] if field.turns else [(shown, style)]
    left = room - signs - width(shown)
    if field.problem is None:
        if field.note and left > 4:
            pieces.append((f"  {one_line(field.note, left - 3)}", "dim"))
        return [_Line(at, tuple(pieces))]
    problem = f"✗ {one_line(field.problem, 300)}"
    if width(problem) + 2 <= left:
        pieces.append((f"  {problem}", "bad"))
        return [_Line(at, tuple(pieces))]
    below = [_Line(at, (("  ", ""), (part, "bad"))) for part in wrap(problem, max(4, cells - 3), 3)]
    return [_Line(at, tuple(pieces)), *below]
