"""What stands there until the workbench is open, or why it can't be opened."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Static

from kindgi_tui.tui.content import line, plain


class OpeningScreen(Screen[None]):
    """Names the workspace; when it can't be opened, says why and what to do next."""

    BINDINGS = [
        Binding("q,escape,ctrl+q", "app.quit", "Quit", id="opening.quit"),
        Binding("r", "app.open_again", "Try again", id="opening.again"),
    ]
    DEFAULT_CSS = """
    OpeningScreen Static { padding: 1 2; width: 1fr; height: auto; }
    """

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where

    def compose(self) -> ComposeResult:
        """The sentence."""
        yield Static(line(f"Opening {self._where} …", 200))

    def failed(self, sentence: str, waiting: str = "") -> None:
        """Says why it can't be opened, and what waits to be sent meanwhile."""
        told = [sentence, *([waiting] if waiting else []), "r tries again · q leaves."]
        self.query_one(Static).update(plain("\n\n".join(told), limit=4_000))
