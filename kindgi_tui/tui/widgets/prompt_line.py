"""The text of the docked line; Enter and Escape take effect before the next key is looked at."""

from collections.abc import Callable

from textual import events
from textual.widgets import Input

PASSED_ON = 200
"""The most keys that are passed on until the focus has moved."""


class PromptLine(Input):
    """The text itself."""

    def __init__(self, answer: Callable[[], None], leave: Callable[[], None]) -> None:
        """`answer` is called on Enter, `leave` on Escape."""
        super().__init__(select_on_focus=False)
        self.cursor_blink = False
        self._answer = answer
        self._leave = leave
        self._asking = False
        self._passed_on = 0

    def start_with(self, text: str, cursor: int | None = None) -> None:
        """Holds this text, the cursor behind it or at that character; nobody is told of a change."""
        self._asking, self._passed_on = True, 0
        with self.prevent(Input.Changed):
            self.value = text
        self.cursor_position = len(text) if cursor is None else cursor

    def end(self) -> None:
        """Nothing is asked any more: keys that still come here are passed on."""
        self._asking = False

    async def _on_key(self, event: events.Key) -> None:
        if not self._asking and self._passed_on < PASSED_ON:
            # It was sent here while the key before it ended the line: it belongs to whoever gets the focus now.
            event.stop()
            event.prevent_default()
            again = events.Key(event.key, event.character)
            again.time = event.time
            self._passed_on += 1
            self.app.post_message(again)
            return
        if event.key in ("enter", "escape"):
            event.stop()
            event.prevent_default()
            if event.key == "enter":
                self._answer()
            else:
                self._leave()
            return
        await super()._on_key(event)
