"""One docked line for text: a search, a filter, a reason. Verdict keys are dead while it has the focus."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Static

from kindgi_tui.tui.content import line
from kindgi_tui.tui.widgets.key_footer import KeyFooter

if TYPE_CHECKING:
    from textual.widgets import Input

    from kindgi_tui.tui.widgets.prompt_line import PromptLine

LATER_SECONDS = 0.4
"""How long after the screen the text line is made, unless it is asked for before."""


class Prompt(Horizontal):
    """The line. It is hidden until `ask`; Enter gives the text back, Escape leaves and keeps it as a draft."""

    DEFAULT_CSS = """
    Prompt { height: 1; display: none; background: $panel; }
    Prompt.-asking { display: block; }
    Prompt Static { width: auto; padding: 0 1; color: $primary; }
    Prompt Input, Prompt Input:focus { border: none; height: 1; padding: 0; width: 1fr; background: $panel; }
    """

    class Answered(Message):
        """The text was given."""

        def __init__(self, purpose: str, text: str) -> None:
            super().__init__()
            self.purpose = purpose
            """What was asked."""
            self.text = text
            """The text as it was typed."""

    class Changed(Message):
        """The text is being typed."""

        def __init__(self, purpose: str, text: str) -> None:
            super().__init__()
            self.purpose = purpose
            """What was asked."""
            self.text = text
            """The text so far."""

    class Left(Message):
        """The line was left without giving the text."""

        def __init__(self, purpose: str, draft: str) -> None:
            super().__init__()
            self.purpose = purpose
            """What was asked."""
            self.draft = draft
            """What stood there."""

    def __init__(self) -> None:
        super().__init__()
        self.purpose = ""
        """What is being asked; empty while nothing is."""
        self._label = Static("", markup=False)
        self._line: PromptLine | None = None

    def compose(self) -> ComposeResult:
        """The label; the text comes soon after the first frame, which shall not wait for it."""
        yield self._label

    def on_mount(self) -> None:
        """Makes the text line when nothing else is to be done."""
        self.set_timer(LATER_SECONDS, self._make_line)

    def _make_line(self) -> None:
        # Who leaves at once has no screen any more that it could stand on.
        if self.is_attached:
            self._text_line()

    def _text_line(self) -> "PromptLine":
        if self._line is None:
            from kindgi_tui.tui.widgets.prompt_line import PromptLine

            self._line = PromptLine(self.answer, self.leave)
            self.mount(self._line)
        return self._line

    def ask(self, purpose: str, label: str, text: str = "") -> None:
        """Shows the line with what is asked for, and gives it the focus."""
        self.purpose = purpose
        self._label.update(line(label, 60))
        text_line = self._text_line()
        text_line.start_with(text)
        self.add_class("-asking")
        self._take_footers_place(True)
        text_line.focus()

    @property
    def text(self) -> str:
        """What stands in it."""
        return self._text_line().value

    def put(self, text: str, cursor: int) -> None:
        """Puts another text into the line while it is asked for, the cursor at that character."""
        self._text_line().start_with(text, cursor)

    def close(self) -> None:
        """Hides the line."""
        self.purpose = ""
        if self._line is not None:
            self._line.end()
        self.remove_class("-asking")
        self._take_footers_place(False)

    def _take_footers_place(self, asking: bool) -> None:
        """Stands in the footer's place, whose keys are text now: the body keeps its height and isn't painted anew."""
        for footer in self.screen.query(KeyFooter):
            footer.display = not asking

    def on_input_changed(self, event: "Input.Changed") -> None:
        """Says what is being typed."""
        event.stop()
        if self.purpose:
            self.post_message(self.Changed(self.purpose, event.value))

    def answer(self) -> None:
        """Gives the text back. The keys belong to the screen at once, so that none typed after is lost in the line."""
        if self.purpose:
            self.post_message(self.Answered(self.purpose, self._text_line().value))
            self._hand_back()

    def leave(self) -> None:
        """Leaves the line; the text stays a draft."""
        if self.purpose:
            self.post_message(self.Left(self.purpose, self._text_line().value))
            self._hand_back()

    def _hand_back(self) -> None:
        self.close()
        focus_body = getattr(self.screen, "focus_body", None)
        if focus_body is not None:
            focus_body()
