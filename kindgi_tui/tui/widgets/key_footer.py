"""The footer: the keys of this screen, as many as fit, the help's always; those that can't be used now stand dimmed."""

from collections.abc import Callable, Iterable

from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from kindgi_tui.text import width
from kindgi_tui.tui.actions import EVERYWHERE, Action, shown_key
from kindgi_tui.tui.widgets.status_line import style_of

HELP = f"{EVERYWHERE}.help"
"""The action that always has room: under it every other key stands."""


def fitting(
    actions: Iterable[Action], key_of: Callable[[Action], str | None], cells: int
) -> list[tuple[Action, str, str]]:
    """Which of the actions fit into so many cells, in their order, each as its key and its words.

    The help's room is kept: where not all of them fit, it follows the last one that does.
    """
    told = [
        (action, f" {shown_key(key)} ", f"{action.words} ")
        for action in actions
        if (key := key_of(action)) is not None
    ]
    kept = next((one for one in told if one[0].id == HELP), None)
    found: list[tuple[Action, str, str]] = []
    left = cells
    for one in told:
        size = _size(one)
        reserved = 0 if kept is None or one is kept or kept in found else _size(kept)
        if size + reserved > left:
            break
        found.append(one)
        left -= size
    if kept is not None and kept not in found and _size(kept) <= left:
        found.append(kept)
    return found


def _size(told: tuple[Action, str, str]) -> int:
    return width(told[1]) + width(told[2])


def in_place(actions: tuple[Action, ...], verb: str, others: tuple[str, ...]) -> tuple[Action, ...]:
    """The actions with those of the `others` where the one of `verb` stands, and without that one."""
    moved = [action for action in actions if action.verb in others]
    found: list[Action] = []
    for action in actions:
        found += moved if action.verb == verb else [] if action in moved else [action]
    return tuple(found)


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
        order: Callable[[tuple[Action, ...]], tuple[Action, ...]] = tuple,
    ) -> None:
        """`why_not` says why an action can't be done now; `key_of` its first key, which a keymap may have changed;
        `order` gives those that stand here now, the first ones first."""
        super().__init__()
        self._all = tuple(action for action in actions if action.footer)
        self._order = order
        self._why_not = why_not
        self._key_of = key_of
        self._spans: list[tuple[int, int, Action]] = []
        self._shown: tuple[object, ...] = ()

    def update(self) -> None:
        """Repaints when something changed that it shows."""
        shown = tuple((action.id, self._why_not(action) is None) for action in self._order(self._all))
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
        for told in fitting(self._order(self._all), self._key_of, cells):
            action, key, words = told
            size = _size(told)
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
