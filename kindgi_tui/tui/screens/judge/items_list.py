"""The items of the run in view. It knows which rows were in a frame, for the seen guard."""

from collections.abc import Callable, Sequence

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from kindgi_tui.session.judging_queue import Sheet
from kindgi_tui.session.judging_seen import Place
from kindgi_tui.text import truncate_cells, width
from kindgi_tui.tui.screens.judge.rows import bar_words, item_row
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.status_line import style_of


class ByHandList(LineList):
    """A list whose cursor is set by what is judged; only a click is somebody's hand, and is told apart."""

    class Clicked(Message):
        """A row was clicked."""

        def __init__(self, line_list: "ByHandList", number: int) -> None:
            super().__init__()
            self.line_list = line_list
            """Which list."""
            self.number = number
            """The row's number, from 0."""

        @property
        def control(self) -> "ByHandList":
            """Which list, for handlers that select by it."""
            return self.line_list

    def on_click(self, event: events.Click) -> None:
        """Says which row was clicked, and leaves the cursor to whoever hears it."""
        event.prevent_default()
        number = event.y + self.scroll_offset.y
        if number < self.count:
            self.post_message(self.Clicked(self, number))


class ItemsList(ByHandList):
    """One row an item: number, verdict, key, words, reason."""

    def __init__(self, written: Callable[[Sequence[Place]], None], *, id: str | None = None) -> None:
        """`written` is told of every item whose row was in a frame, once the frame is written."""
        super().__init__(self._cells, id=id)
        self._sheet: Sheet | None = None
        self._written = written
        self._in_frame: list[Place] = []
        self._shown: list[tuple[object, ...]] = []

    def show_sheet(self, sheet: Sheet | None, cursor: int, empty: str = "") -> None:
        """Shows a run's items."""
        self._sheet = sheet
        self._shown = [] if sheet is None else [_state(sheet, place) for place in range(len(sheet.items))]
        self.show(len(self._shown), cursor, empty)

    def update_sheet(self, cursor: int) -> None:
        """Paints the rows that changed, and moves the cursor."""
        sheet = self._sheet
        if sheet is None:
            return
        for place, before in enumerate(self._shown):
            after = _state(sheet, place)
            if after != before:
                self._shown[place] = after
                self.repaint(place)
        self.go(cursor)

    def _cells(self, number: int, cells: int) -> list[Cell] | None:
        sheet = self._sheet
        if sheet is None or number >= len(sheet.items):
            return None
        if not self._in_frame:
            # Runs when the frame that is being made was written.
            self.call_later(self._frame_written)
        self._in_frame.append((sheet.run.id, sheet.items[number].key))
        return item_row(sheet, number, cells)

    def _frame_written(self) -> None:
        places, self._in_frame = self._in_frame, []
        self._written(places)


def _state(sheet: Sheet, place: int) -> tuple[object, ...]:
    key = sheet.items[place].key
    return sheet.mine.get(key), key in sheet.passed, sheet.on_the_way(key)


class ItemBar(Widget):
    """The item to judge, its number and its verdict, in a place that never moves."""

    COMPONENT_CLASSES = {"bar--strong", "bar--yes", "bar--no", "bar--dim", "bar--key"}
    DEFAULT_CSS = """
    ItemBar { height: 1; background: $surface; color: $foreground; }
    ItemBar .bar--strong { text-style: bold; }
    ItemBar .bar--yes { color: $success; text-style: bold; }
    ItemBar .bar--no { color: $warning; text-style: bold; }
    ItemBar .bar--dim { color: $secondary; }
    ItemBar .bar--key { color: $primary; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._words: list[tuple[str, str]] = []
        self._of: tuple[Sheet | None, int] = (None, 0)

    def show(self, sheet: Sheet | None, place: int) -> None:
        """Shows an item; None: there is none."""
        self._of = (sheet, place)
        words = self._made()
        if words != self._words:
            self._words = words
            self.refresh()

    def _made(self) -> list[tuple[str, str]]:
        sheet, place = self._of
        if sheet is None or place >= len(sheet.items):
            return []
        return bar_words(sheet, sheet.items[place], place, self.size.width)

    def on_resize(self) -> None:
        """Fits the words anew."""
        self._words = self._made()

    def render_line(self, y: int) -> Strip:
        """The line."""
        left = self.size.width
        segments: list[Segment] = []
        for words, style in self._words:
            words = truncate_cells(words, left)
            segments.append(Segment(words, style_of(self, f"bar--{style}") if style else self.rich_style))
            left -= width(words)
        segments.append(Segment(" " * left, self.rich_style))
        return Strip(segments, self.size.width)
