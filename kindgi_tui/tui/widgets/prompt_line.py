"""The text of the docked line; Enter and Escape take effect before the next key is looked at."""

from collections.abc import Callable

from textual import events
from textual.widgets import Input


class PromptLine(Input):
    """The text itself."""

    def __init__(self, answer: Callable[[], None], leave: Callable[[], None]) -> None:
        """`answer` is called on Enter, `leave` on Escape."""
        super().__init__(select_on_focus=False)
        self.cursor_blink = False
        self._answer = answer
        self._leave = leave

    def start_with(self, text: str, cursor: int | None = None) -> None:
        """Holds this text, the cursor behind it or at that character; nobody is told of a change."""
        with self.prevent(Input.Changed):
            self.value = text
        self.cursor_position = len(text) if cursor is None else cursor

    async def _on_key(self, event: events.Key) -> None:
        if event.key in ("enter", "escape"):
            event.stop()
            event.prevent_default()
            if event.key == "enter":
                self._answer()
            else:
                self._leave()
            return
        await super()._on_key(event)
