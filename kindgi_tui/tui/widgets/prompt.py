"""One docked line for text: a search, a filter, a reason. Verdict keys are dead while it has the focus."""

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from kindgi_tui.tui.content import line
from kindgi_tui.tui.widgets.key_footer import KeyFooter


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
        self._input = _Line(select_on_focus=False)
        self._input.cursor_blink = False

    def compose(self) -> ComposeResult:
        """The label and the text."""
        yield self._label
        yield self._input

    def ask(self, purpose: str, label: str, text: str = "") -> None:
        """Shows the line with what is asked for, and gives it the focus."""
        self.purpose = purpose
        self._label.update(line(label, 60))
        with self.prevent(Input.Changed):
            self._input.value = text
        self._input.cursor_position = len(text)
        self.add_class("-asking")
        self._take_footers_place(True)
        self._input.focus()

    def close(self) -> None:
        """Hides the line."""
        self.purpose = ""
        self.remove_class("-asking")
        self._take_footers_place(False)

    def _take_footers_place(self, asking: bool) -> None:
        """Stands in the footer's place, whose keys are text now: the body keeps its height and isn't painted anew."""
        for footer in self.screen.query(KeyFooter):
            footer.display = not asking

    def on_input_changed(self, event: Input.Changed) -> None:
        """Says what is being typed."""
        event.stop()
        if self.purpose:
            self.post_message(self.Changed(self.purpose, event.value))

    def answer(self) -> None:
        """Gives the text back. The keys belong to the screen at once, so that none typed after is lost in the line."""
        if self.purpose:
            self.post_message(self.Answered(self.purpose, self._input.value))
            self._hand_back()

    def leave(self) -> None:
        """Leaves the line; the text stays a draft."""
        if self.purpose:
            self.post_message(self.Left(self.purpose, self._input.value))
            self._hand_back()

    def _hand_back(self) -> None:
        self.close()
        focus_body = getattr(self.screen, "focus_body", None)
        if focus_body is not None:
            focus_body()


class _Line(Input):
    """The text itself; Enter and Escape take effect before the next key is looked at."""

    async def _on_key(self, event: events.Key) -> None:
        prompt = self.parent
        if event.key in ("enter", "escape") and isinstance(prompt, Prompt):
            event.stop()
            event.prevent_default()
            if event.key == "enter":
                prompt.answer()
            else:
                prompt.leave()
            return
        await super()._on_key(event)
