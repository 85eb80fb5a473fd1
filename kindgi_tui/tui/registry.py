"""The one registry of actions: bindings, footer, palette and help are all made from it, so none can lie."""

from textual.binding import Binding, BindingType

from kindgi_tui.tui.actions import EVERYWHERE, EVERYWHERE_ACTIONS, Action
from kindgi_tui.tui.screens.audit.actions import ACTIONS as AUDIT
from kindgi_tui.tui.screens.case.actions import ACTIONS as CASE
from kindgi_tui.tui.screens.case_add.actions import ACTIONS as CASE_ADD
from kindgi_tui.tui.screens.compare.actions import ACTIONS as COMPARE
from kindgi_tui.tui.screens.comparison.actions import ACTIONS as COMPARISON
from kindgi_tui.tui.screens.comparisons.actions import ACTIONS as COMPARISONS
from kindgi_tui.tui.screens.correct.actions import ACTIONS as CORRECT
from kindgi_tui.tui.screens.group_form.actions import ACTIONS as GROUP_FORM
from kindgi_tui.tui.screens.groups.actions import ACTIONS as GROUPS
from kindgi_tui.tui.screens.judge.actions import ACTIONS as JUDGE
from kindgi_tui.tui.screens.outbox.actions import ACTIONS as OUTBOX
from kindgi_tui.tui.screens.own_cases.actions import ACTIONS as OWN_CASES
from kindgi_tui.tui.screens.run.actions import ACTIONS as RUN
from kindgi_tui.tui.screens.runs.actions import ACTIONS as RUNS
from kindgi_tui.tui.screens.test_set_build.actions import ACTIONS as TEST_SET_BUILD
from kindgi_tui.tui.screens.test_set_cases.actions import ACTIONS as TEST_SET_CASES
from kindgi_tui.tui.screens.test_sets.actions import ACTIONS as TEST_SETS

ACTIONS: tuple[Action, ...] = (
    *RUNS, *RUN, *JUDGE, *CORRECT, *TEST_SETS, *TEST_SET_CASES, *TEST_SET_BUILD, *OWN_CASES, *CASE_ADD, *COMPARE,
    *COMPARISONS, *COMPARISON, *CASE, *GROUPS, *GROUP_FORM, *AUDIT, *OUTBOX,
    *EVERYWHERE_ACTIONS,
)  # fmt: skip
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


def bindings_of(place: str) -> list[BindingType]:
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
