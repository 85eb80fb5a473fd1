"""The one registry of actions: bindings, footer, palette and help are all made from it, so none can lie."""

from textual.binding import Binding

from kindgi_tui.tui.actions import EVERYWHERE, EVERYWHERE_ACTIONS, Action
from kindgi_tui.tui.screens.runs.actions import ACTIONS as RUNS

ACTIONS: tuple[Action, ...] = (*RUNS, *EVERYWHERE_ACTIONS)
"""Every action there is."""


def actions_of(place: str) -> tuple[Action, ...]:
    """The actions of a place, its own first, then those every screen has."""
    own = tuple(action for action in ACTIONS if action.place == place)
    return (*own, *(action for action in ACTIONS if action.place == EVERYWHERE))


def action_by_id(action_id: str) -> Action:
    """The action with that id. Raises KeyError."""
    for action in ACTIONS:
        if action.id == action_id:
            return action
    raise KeyError(action_id)


def bindings_of(place: str) -> list[Binding]:
    """A place's bindings, each with its action's id, so that a keymap can change its keys."""
    return [
        Binding(
            ",".join(action.keys),
            f"act('{action.id}')",
            action.words,
            show=False,
            tooltip=action.help,
            id=action.id,
        )
        for action in actions_of(place)
        if action.keys
    ]
