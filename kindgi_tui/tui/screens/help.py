"""Every key of a screen and what it does, made from the registry."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Static

from kindgi_tui.tui.actions import shown_key
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import actions_of
from kindgi_tui.tui.widgets.text_pane import Block, Run, TextPane


class HelpScreen(ModalScreen[None]):
    """The keys of one place. Any of Escape, `?` and `q` closes it."""

    BINDINGS = [
        Binding("escape,question_mark,q", "dismiss", "Close", id="help.close"),
        Binding("down,j", "move(1)", "Down", id="help.down"),
        Binding("up,k", "move(-1)", "Up", id="help.up"),
        Binding("pagedown,space", "page(1)", "Page down", id="help.page-down"),
        Binding("pageup", "page(-1)", "Page up", id="help.page-up"),
    ]
    DEFAULT_CSS = """
    HelpScreen { align: center middle; }
    HelpScreen #help-title { dock: top; width: 1fr; background: $panel; color: $primary; padding: 0 1; }
    HelpScreen TextPane { width: 90%; max-width: 100; height: 90%; background: $surface; border: none; padding: 0; }
    """

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place = place

    def compose(self) -> ComposeResult:
        """The keys."""
        yield Static(line(f"Keys of {self._place.replace('_', ' ')} — Esc closes", 100), id="help-title")
        yield TextPane()

    def on_mount(self) -> None:
        """Fills it from the registry."""
        blocks: list[Block | Run] = []
        for action in actions_of(self._place):
            keys = " ".join(shown_key(key) for key in action.keys)
            blocks.append(Run(((f" {keys:<12} ", "key"), (action.words, "strong"))))
            blocks.append(Block(action.help, "", 14))
        self.query_one(TextPane).show(blocks)

    def action_move(self, lines: int) -> None:
        """Scrolls by lines."""
        self.query_one(TextPane).scroll_lines(lines)

    def action_page(self, pages: int) -> None:
        """Scrolls by heights."""
        self.query_one(TextPane).page(pages)
