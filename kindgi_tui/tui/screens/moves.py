"""The keys that move in a screen's list, or in the text that stands in its place or beside it."""

from kindgi_tui.text import one_line
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.widgets.line_list import LineList
from kindgi_tui.tui.widgets.text_pane import TextPane

FAR = 1_000_000_000
"""More lines than any text has."""


class Moves(WorkScreen):
    """Down, up, pages and ends; mixed into a screen, which may say what they move in: else its list."""

    @property
    def rows(self) -> LineList:
        """The list."""
        return self.query_one(LineList)

    def stepping(self) -> LineList | TextPane:
        """What a step moves in."""
        return self.rows

    def paging(self) -> LineList | TextPane:
        """What a page moves in; where a step does, unless a screen says another."""
        return self.stepping()

    def show_unloaded(self, sentence: str) -> None:
        """The reason stands where the rows would; rows that are shown stay."""
        if not self.rows.count:
            self.rows.show(0, 0, one_line(sentence, 400))

    def _step(self, steps: int) -> None:
        widget = self.stepping()
        if isinstance(widget, TextPane):
            widget.scroll_lines(steps)
        else:
            widget.move(steps)

    def do_down(self) -> None:
        """The next row, or a line on."""
        self._step(1)

    def do_up(self) -> None:
        """The row before, or a line back."""
        self._step(-1)

    def do_page_down(self) -> None:
        """A page on."""
        self.paging().page(1)

    def do_page_up(self) -> None:
        """A page back."""
        self.paging().page(-1)

    def do_first(self) -> None:
        """The first row, or the top."""
        widget = self.stepping()
        if isinstance(widget, TextPane):
            widget.scroll_lines(-FAR)
        else:
            widget.first()

    def do_last(self) -> None:
        """The last row, or the end."""
        widget = self.stepping()
        if isinstance(widget, TextPane):
            widget.scroll_lines(FAR)
        else:
            widget.last()

    def do_text_down(self) -> None:
        """Scrolls the text beside the list on."""
        self.query_one(TextPane).page(1)

    def do_text_up(self) -> None:
        """Scrolls the text beside the list back."""
        self.query_one(TextPane).page(-1)

    def focus_body(self) -> None:
        """What steps move in has the keys."""
        self.stepping().focus()
