"""Text over a few lines, and a sign where it goes on."""

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from kindgi_tui.text import clean, truncate_cells, width, wrap

LONGEST = 4_000
"""Characters of a text that are looked at."""


class Clamped(Widget):
    """Words from outside on as many lines as they take, at most the stylesheet's `max-height`.

    `more` says how the rest is read; it ends the last line of a text that goes on.
    """

    DEFAULT_CSS = "Clamped { height: auto; }"

    def __init__(self, more: str, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._more = more
        self._words = ""

    def tell(self, words: str) -> None:
        """Shows other words."""
        self._words = clean(words, LONGEST)
        self.refresh(layout=True)

    def lines_in(self, cells: int) -> list[str]:
        """The lines it shows in a width of so many cells."""
        most = self.styles.max_height
        limit = None if most is None or most.cells is None else max(1, most.cells)
        if not self._words or limit is None:
            return wrap(self._words, cells) if self._words else []
        lines = wrap(self._words, cells, limit + 1)
        if len(lines) <= limit:
            return lines
        sign = f" … {self._more}" if cells >= 2 * width(self._more) + 3 else " …"
        last, room = lines[limit - 1], cells - width(sign)
        if room < 1:
            return [*lines[: limit - 1], "…"]
        kept = last if width(last) <= room else truncate_cells(last, room).removesuffix("…")
        return [*lines[: limit - 1], kept.rstrip() + sign]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as are shown."""
        return len(self.lines_in(width))

    def render(self) -> Content:
        """The lines."""
        return Content("\n".join(self.lines_in(self.size.width)))
