"""The keys that move in a list, or in the text that stands in its place."""

from kindgi_tui.tui.widgets.line_list import LineList
from kindgi_tui.tui.widgets.text_pane import TextPane

FAR = 1_000_000_000
"""More rows or lines than anything here has."""


class Moves:
    """What the keys for down, up, pages and ends do; a screen says what they move in."""

    def stepping(self) -> LineList | TextPane:
        """What a step moves in."""
        raise NotImplementedError

    def paging(self) -> LineList | TextPane:
        """What a page moves in; where a step does, unless a screen says another."""
        return self.stepping()

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
        self._step(-FAR)

    def do_last(self) -> None:
        """The last row, or the end."""
        self._step(FAR)
