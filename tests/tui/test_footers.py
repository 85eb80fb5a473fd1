"""What the bottom of a screen has to show at 80 columns: the help's key, the place's main keys, hints whole."""

from pathlib import Path

import pytest

from kindgi_tui.tui.actions import EVERYWHERE, Action
from kindgi_tui.tui.registry import ACTIONS, actions_of
from kindgi_tui.tui.widgets.key_footer import HELP, fitting
from kindgi_tui.tui.widgets.status_line import StatusLine
from tests.tui.conftest import painted, running, until

MAIN = {
    "runs": "open judge filter search",
    "run": "judge correct calls",
    "judge": "yes no undo reason correct skip",
    "correct": "save edit editor add forbid undo",
    "test_sets": "open build compare",
    "test_set_cases": "open compare agreement settle",
    "test_set_build": "build edit",
    "own_cases": "open compare add retire agreement settle",
    "case_add": "add edit",
    "compare": "start edit",
    "comparisons": "open new cancel again",
    "comparison": "open filter judge rescore",
    "case": "yes no undo correct next-case rescore",
    "groups": "change new undo",
    "group_form": "save edit",
    "audit": "open filter clear refresh",
    "outbox": "open send drop refresh",
}
"""What a person comes to a place for, by verb: what has to be seen there however narrow it is."""


def first_key(action: Action) -> str | None:
    return action.keys[0] if action.keys else None


def shown_at(place: str, cells: int) -> list[Action]:
    actions = [action for action in actions_of(place) if action.footer]
    told = fitting(actions, first_key, cells)
    assert sum(len(key) + len(words) for _, key, words in told) <= cells
    return [action for action, _, _ in told]


def test_every_place_has_its_main_keys_named_here() -> None:
    assert MAIN.keys() == {action.place for action in ACTIONS} - {EVERYWHERE}


@pytest.mark.parametrize("place", MAIN)
def test_the_help_and_the_main_keys_stand_in_the_footer_at_80_columns(place: str) -> None:
    shown = shown_at(place, 80)
    assert HELP in [action.id for action in shown]
    missing = set(MAIN[place].split()) - {action.verb for action in shown}
    assert not missing


@pytest.mark.parametrize("place", MAIN)
def test_the_help_stands_there_at_any_width_once_and_nothing_is_left_out_where_all_fits(place: str) -> None:
    for cells in range(8, 300):
        ids = [action.id for action in shown_at(place, cells)]
        assert ids.count(HELP) == 1
    assert shown_at(place, 300) == [action for action in actions_of(place) if action.footer and action.keys]


async def test_a_hint_stands_whole_at_80_columns(demo: Path) -> None:
    """Over a second line where one is too short; what only happened is cut."""
    async with running(demo, (80, 24)) as (app, pilot):
        line = app.screen.query_one(StatusLine)
        before = line.size.height
        await pilot.press("g")
        await until(
            lambda: "o Groups · a Audit · w Outbox · g the top" in " ".join(painted(line).split()), pilot
        )
        await pilot.press("escape")
        await until(lambda: line.size.height == before == 1, pilot)
