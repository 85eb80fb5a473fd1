"""A bare line list in Textual that jumps half a page at the edge: the floor of a step."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

COUNT = 1_000_000
PLAIN, CURSOR = Style.parse("white on #101010"), Style.parse("black on cyan")


class Rows(ScrollView, can_focus=True, inherit_bindings=False):
    """The list."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("j,down", "move(1)"), Binding("k,up", "move(-1)")]
    cursor = 0

    def on_mount(self) -> None:
        """Says how long it is."""
        self.virtual_size = Size(118, COUNT)

    def render_line(self, y: int) -> Strip:
        """One line."""
        number = y + self.scroll_offset.y
        style = CURSOR if number == self.cursor else PLAIN
        words = f"{number:>9} 2026-11-30 12:00 acme.agent 0.1.0 completed  what the customer asked, number {number}"
        return Strip([Segment(words.ljust(self.size.width)[: self.size.width], style)])

    def action_move(self, steps: int) -> None:
        """Moves the cursor."""
        before, self.cursor = self.cursor, min(max(self.cursor + steps, 0), COUNT - 1)
        top, height = self.scroll_offset.y, self.size.height
        if top <= self.cursor < top + height:
            for number in (before, self.cursor):
                self.refresh(Region(0, number - top, self.size.width, 1))
        else:
            y = self.cursor if self.cursor < top else self.cursor - height + 1
            self.scroll_to(y=y + steps * (height // 2), animate=False)
            self.refresh()


class BareList(App[None]):
    """The list alone."""

    def compose(self) -> ComposeResult:
        """The list."""
        yield Rows()

    def on_mount(self) -> None:
        """Gives it the keys."""
        self.query_one(Rows).focus()


if __name__ == "__main__":
    BareList().run(mouse=False)
