"""A Textual hello world: the floor of starting."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Hello(App[None]):
    """One line of text."""

    def compose(self) -> ComposeResult:
        """The line."""
        yield Static("Hello")


if __name__ == "__main__":
    Hello().run(mouse=False)
