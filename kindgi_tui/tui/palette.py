"""The command palette: every action of the screen one is on, found by its words, and none the registry lacks."""

from functools import partial
from typing import TYPE_CHECKING

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from kindgi_tui.tui.actions import Action, shown_key
from kindgi_tui.tui.registry import actions_of
from kindgi_tui.tui.screens.base import WorkScreen

if TYPE_CHECKING:
    from textual.app import App


class RegistryProvider(Provider):
    """Offers the registry's actions; one that can't be done now says why beside it."""

    def _offers(self) -> "list[tuple[Action, str]]":
        screen = self.screen
        if not isinstance(screen, WorkScreen):
            return []
        offers = []
        for action in actions_of(screen.PLACE):
            reason = screen.why_not_action(action)
            offers.append((action, action.help if reason is None else f"Not now: {reason}"))
        return offers

    async def discover(self) -> Hits:
        """All of them, in the registry's order."""
        for action, help_text in self._offers():
            yield DiscoveryHit(
                Content(_title(action)), partial(self._do, action), text=action.words, help=help_text
            )

    async def search(self, query: str) -> Hits:
        """Those whose words or help match."""
        matcher = self.matcher(query)
        for action, help_text in self._offers():
            title = _title(action)
            score = max(matcher.match(title), matcher.match(action.help) * 0.8)
            if score > 0:
                yield Hit(score, Content(title), partial(self._do, action), text=title, help=help_text)

    async def _do(self, action: Action) -> None:
        screen = self.screen
        if isinstance(screen, WorkScreen):
            await screen.action_act(action.id)


def _title(action: Action) -> str:
    keys = " ".join(shown_key(key) for key in action.keys)
    return f"{action.words}  ({keys})" if keys else action.words


def open_palette(app: "App[None]") -> None:
    """Opens the palette over the screen."""
    app.push_screen(CommandPalette(providers=[RegistryProvider], placeholder="What would you like to do?"))
