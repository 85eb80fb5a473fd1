"""Runs that people corrected differently wait to be settled, on a real file."""

import sqlite3

import pytest

from kindgi_tui.domain.corrections import Expectation, ExpectedCall, NewCorrection
from kindgi_tui.domain.judging import QueueFilter
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.runs import Segment, Subject
from kindgi_tui.local.store.corrections import add_correction
from kindgi_tui.local.store.disputes import list_corrected_apart
from kindgi_tui.local.store.runs import insert_run
from kindgi_tui.workbench import Invalid, NotFound
from tests.local.store.making import ANN, BEN, OTHER, PROJECT, run

ALL = QueueFilter(project_id=PROJECT)
LATE = Expectation(answer="wrong", should_say="Within five days.")
RIGHT = Expectation(decisions="right")


def correct(
    store: sqlite3.Connection, run_id: str, who: Person, expect: Expectation, **fields: object
) -> None:
    new = NewCorrection.model_validate({"run_id": run_id, "expect": expect, **fields})
    add_correction(store, new, who)


def apart(
    store: sqlite3.Connection, query: QueueFilter = ALL, limit: int = 25
) -> list[tuple[str, tuple[str, ...]]]:
    """All of them, page by page."""
    found: list[tuple[str, tuple[str, ...]]] = []
    cursor = None
    for _ in range(100):
        page = list_corrected_apart(store, query, limit, cursor)
        assert len(page.data) <= limit
        found += [(one.run.id, one.people) for one in page.data]
        cursor = page.next_cursor
        if not page.has_more:
            return found
    raise AssertionError("the list has no end")


def test_what_two_people_say_differently_waits_until_they_say_the_same(store: sqlite3.Connection) -> None:
    insert_run(store, run(id="one"))
    correct(store, "one", ANN, LATE)
    assert apart(store) == []
    correct(store, "one", BEN, RIGHT)
    assert apart(store) == [("one", ("ben", "ann"))]
    correct(store, "one", BEN, LATE)
    assert apart(store) == []
    correct(store, "one", BEN, LATE.model_copy(update={"should_say": "Within six days."}))
    assert apart(store) == [("one", ("ben", "ann"))]


def test_the_order_of_arguments_is_no_difference(store: sqlite3.Connection) -> None:
    insert_run(store, run(id="one"))
    for who, arguments in ((ANN, {"a": 1, "b": [1.0]}), (BEN, {"b": [1], "a": 1})):
        call = ExpectedCall.make(tool_id="acme.search", arguments=arguments)
        correct(store, "one", who, Expectation(decisions="wrong", should_call=(call,)))
    assert apart(store) == []


def test_an_apps_own_users_can_differ_too(store: sqlite3.Connection) -> None:
    insert_run(store, run(id="one"))
    correct(store, "one", ANN, LATE, participant="u-1")
    correct(store, "one", ANN, RIGHT, participant="u-2")
    assert apart(store) == [("one", ("ann",))]


def test_they_come_oldest_first_in_pages_and_by_the_filter(store: sqlite3.Connection) -> None:
    made = [
        run(id="a", minute=1, path="company:acme/team:x"),
        run(id="b", minute=2),
        run(id="agreed", minute=3),
        run(id="other agent", minute=4, subject=Subject(kind="agent", id="acme.other", version="1.0.0")),
        run(id="elsewhere", minute=5, project_id=OTHER),
    ]
    for one in made:
        insert_run(store, one)
        correct(store, one.id, ANN, LATE)
        correct(store, one.id, BEN, LATE if one.id == "agreed" else RIGHT)
    names = [run_id for run_id, _ in apart(store, limit=1)]
    assert names == ["a", "b", "other agent"]
    assert [name for name, _ in apart(store, ALL.model_copy(update={"subject_id": "acme.picker"}))] == [
        "a",
        "b",
    ]
    acme = (Segment(key="company", value="acme"),)
    assert [name for name, _ in apart(store, ALL.model_copy(update={"segments": acme}))] == ["a"]
    assert [name for name, _ in apart(store, QueueFilter(project_id=OTHER))] == ["elsewhere"]
    with pytest.raises(NotFound):
        apart(store, QueueFilter(project_id="nowhere"))
    with pytest.raises(Invalid):
        list_corrected_apart(store, ALL, 25, "nonsense")
