"""The two parts of Correct, each with its rows: which one keys act on, and going from row to row."""

from typing import TYPE_CHECKING, Literal

from kindgi_tui.session.correcting_draft import CallRow
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.correct.parts_list import PartList
from kindgi_tui.tui.screens.correct.rows import TEXTS
from kindgi_tui.tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from kindgi_tui.session.correcting import Correcting

CALL = "call:"
"""What stands before a row's number in the name of the place its arguments are written at."""


class Parts(WorkScreen):
    """The rows of the calls and of the answer's texts; mixed into the screen."""

    correcting: "Correcting"
    """The run and its correction."""
    part: Literal["calls", "says"] = "calls"
    """The part keys act on."""
    outside = ""
    """The place that is written in a box on the screen; empty: none is."""

    @property
    def text(self) -> TextPane:
        """The run."""
        return self.query_one("#correct-text", TextPane)

    @property
    def calls(self) -> PartList:
        """The calls."""
        return self.query_one("#correct-calls", PartList)

    @property
    def says(self) -> PartList:
        """The two texts."""
        return self.query_one("#correct-says", PartList)

    @property
    def rows(self) -> PartList:
        """The rows of the part one is in."""
        return self.calls if self.part == "calls" else self.says

    @property
    def row(self) -> CallRow | None:
        """The call one is on."""
        calls, at = self.correcting.draft.calls, self.calls.cursor
        return calls[at] if self.part == "calls" and 0 <= at < len(calls) else None

    @property
    def place(self) -> str:
        """The place of the row one is on."""
        return f"{CALL}{self.calls.cursor}" if self.part == "calls" else TEXTS[self.says.cursor]

    def show_all(self) -> None:
        """Shows what stands there."""
        raise NotImplementedError

    def show_run(self) -> None:
        """Shows the run, or what is wanted in its place."""
        raise NotImplementedError

    def show_row(self) -> None:
        """Shows the row one is on whole, where that has room."""
        raise NotImplementedError

    def activate(self, part: Literal["calls", "says"]) -> None:
        """Keys act on that part from now on."""
        self.part = part
        self.calls.activate(part == "calls")
        self.says.activate(part == "says")
        if not self.prompt.purpose and not self.outside:
            self.rows.focus()
        self.show_row()
        self.changed()

    def go_to_call(self, number: int) -> None:
        """Goes to a row of the calls."""
        self.activate("calls")
        self.calls.go(number)

    def next_row(self) -> None:
        """Goes on to the next row of the part, if there is one."""
        self.rows.move(1)
        self.show_row()

    def _step(self, steps: int) -> None:
        before = self.rows.cursor
        self.rows.move(steps)
        if self.rows.cursor != before:
            return
        if steps > 0 and self.part == "calls":
            self.activate("says")
            self.says.go(0)
        elif steps < 0 and self.part == "says" and self.calls.count:
            self.activate("calls")
            self.calls.last()

    def do_down(self) -> None:
        """The next row."""
        self._step(1)

    def do_up(self) -> None:
        """The row before."""
        self._step(-1)

    def do_first(self) -> None:
        """The first row."""
        self.rows.first()

    def do_last(self) -> None:
        """The last row."""
        self.rows.last()

    def do_page_down(self) -> None:
        """A page on."""
        self.text.page(1)

    def do_page_up(self) -> None:
        """A page back."""
        self.text.page(-1)

    def do_part(self) -> None:
        """The other part."""
        self.activate("says" if self.part == "calls" else "calls")

    def focus_body(self) -> None:
        """The part one is in has the keys."""
        self.rows.focus()
