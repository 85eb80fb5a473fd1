"""The footer: the keys of this screen, as many as fit; those that can't be used now stand dimmed."""

from collections.abc import Callable

from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from kindgi_tui.text import width
from kindgi_tui.tui.actions import Action, shown_key
from kindgi_tui.tui.widgets.status_line import style_of


class KeyFooter(Widget):
    """One line of keys and words, made from the registry. A click does what the key does."""

    COMPONENT_CLASSES = {"key-footer--key", "key-footer--off"}
    DEFAULT_CSS = """
    KeyFooter { height: 1; background: $surface; color: $foreground; }
    KeyFooter .key-footer--key { color: $primary; text-style: bold; }
    KeyFooter .key-footer--off { text-style: dim; }
    """

    def __init__(
        self,
        actions: tuple[Action, ...],
        why_not: Callable[[Action], str | None],
        key_of: Callable[[Action], str | None],
    ) -> None:
        """`why_not` says why an action can't be done now; `key_of` its first key, which a keymap may have changed."""
        super().__init__()
        self._actions = tuple(action for action in actions if action.footer)
        self._why_not = why_not
        self._key_of = key_of
        self._spans: list[tuple[int, int, Action]] = []
        self._shown: tuple[object, ...] = ()

    def update(self) -> None:
        """Repaints when something changed that it shows."""
        shown = tuple(self._why_not(action) is None for action in self._actions)
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The keys, first ones first, while there is room."""
        cells = self.size.width
        base, key_style, off = (
            self.rich_style,
            style_of(self, "key-footer--key"),
            style_of(self, "key-footer--off"),
        )
        segments: list[Segment] = []
        self._spans = []
        at = 0
        for action in self._actions:
            named = self._key_of(action)
            if named is None:
                continue
            key, words = f" {shown_key(named)} ", f"{action.words} "
            size = width(key) + width(words)
            if at + size > cells:
                break
            usable = self._why_not(action) is None
            segments += [Segment(key, key_style if usable else off), Segment(words, base if usable else off)]
            self._spans.append((at, at + size, action))
            at += size
        segments.append(Segment(" " * (cells - at), base))
        return Strip(segments, cells)

    async def on_click(self, event: events.Click) -> None:
        """Does what the clicked key does."""
        for start, end, action in self._spans:
            if start <= event.x < end:
                await self.screen.run_action(f"act('{action.id}')")
