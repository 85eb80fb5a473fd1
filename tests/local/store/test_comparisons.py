"""Comparisons in the file: one owner at a time, each repetition once, a dead owner's place taken once."""

import sqlite3

import pytest

from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.store import comparisons as kept
from kindgi_tui.local.store import repetitions
from kindgi_tui.local.store.comparison_lists import list_comparisons
from kindgi_tui.local.store.judgments import add_judgment
from kindgi_tui.local.store.repetitions import FinishedRepetition
from kindgi_tui.local.store.runs import insert_run
from kindgi_tui.local.store.test_sets import gather_cases, store_test_set, version_seq
from kindgi_tui.workbench import Conflict, Invalid, NotFound
from tests.local.store.making import ANN, PROJECT, run, said


@pytest.fixture
def started(store: sqlite3.Connection) -> str:
    for name in ("one", "two"):
        insert_run(store, run(id=name))
        add_judgment(store, said(name), ANN)
    build = BuildRequest(test_set_id="acme.set", version="1.0.0", project_id=PROJECT, agent_id="acme.picker")
    store_test_set(store, build, gather_cases(store, build), "ann")
    return start(store)


def start(store: sqlite3.Connection, **changes: object) -> str:
    fields = {
        "test_set_id": "acme.set",
        "project_id": PROJECT,
        "agent_id": "acme.picker",
        "subject_version": "0.2.0",
        "repetitions": 2,
        **changes,
    }
    request = ComparisonRequest.model_validate(fields)
    return kept.insert_comparison(store, request, version_seq(store, "acme.set", None), "ann", 2)


def done(case: str, repetition: int, *, error: bool = False, cost: float = 0.25) -> FinishedRepetition:
    return FinishedRepetition(
        case, repetition, f"replay of {case}", {"said": "\ud800"}, error, cost, not cost
    )


def grow_old(store: sqlite3.Connection) -> None:
    store.execute("UPDATE comparisons SET heartbeat = heartbeat - 60000")


def test_it_waits_until_somebody_owns_it(store: sqlite3.Connection, started: str) -> None:
    made = kept.get_comparison(store, started)
    assert (made.status, made.test_set_version, made.started_by) == ("pending", "1.0.0", "ann")
    assert (made.progress.cases, made.progress.repetitions, made.progress.finished) == (2, 4, 0)
    assert kept.claim(store, started, "p1", 1)
    assert not kept.claim(store, started, "p2", 2)
    assert kept.get_comparison(store, started[:8]).status == "running"


def test_only_the_owner_beats_and_records(store: sqlite3.Connection, started: str) -> None:
    kept.claim(store, started, "p1", 1)
    assert kept.beat(store, started, "p1") is None
    assert kept.beat(store, started, "p2") == "lost"
    assert kept.cancel_wanted(store, started, "p2") == "lost"
    assert not repetitions.record_repetitions(store, started, "p2", [done("one", 1)])
    assert repetitions.finished_repetitions(store, started) == []
    assert repetitions.record_repetitions(store, started, "p1", [done("one", 1)])
    assert repetitions.record_repetitions(
        store, started, "p1", [done("two", 1), done("one", 2, error=True, cost=0)]
    )
    progress = kept.get_comparison(store, started).progress
    assert (
        progress.finished,
        progress.finished_cases,
        progress.errors,
        progress.cost_usd,
        progress.cached,
    ) == (
        *(3, 1, 1, 0.5),
        1,
    )
    assert repetitions.finished_repetitions(store, started) == [
        done("one", 1),
        done("one", 2, error=True, cost=0),
        done("two", 1),
    ]


def test_a_repetition_is_recorded_once(store: sqlite3.Connection, started: str) -> None:
    kept.claim(store, started, "p1", 1)
    repetitions.record_repetitions(store, started, "p1", [done("one", 1)])
    with pytest.raises(sqlite3.IntegrityError):
        repetitions.record_repetitions(store, started, "p1", [done("one", 1)])


def test_cancelling(store: sqlite3.Connection, started: str) -> None:
    kept.claim(store, started, "p1", 1)
    assert kept.request_cancel(store, started[:8]) == started
    assert kept.beat(store, started, "p1") == "person"
    assert kept.cancel_wanted(store, started, "p1") == "person"
    assert kept.finish(store, started, "p1", "cancelled", None, cancel_reason="person")
    with pytest.raises(Conflict) as refused:
        kept.request_cancel(store, started)
    assert refused.value.code == "eval-run-already-terminal"
    waiting = start(store)
    kept.request_cancel(store, waiting)
    assert kept.get_comparison(store, waiting).status == "cancelled"
    assert not kept.claim(store, waiting, "p1", 1)


def test_it_ends_once(store: sqlite3.Connection, started: str) -> None:
    kept.claim(store, started, "p1", 1)
    assert not kept.finish(store, started, "p2", "completed", {})
    assert not kept.finish(store, started, None, "completed", {})
    assert kept.finish(store, started, "p1", "completed", {"summary": "\ud800"})
    assert not kept.finish(store, started, "p1", "failed", {})
    ended = kept.get_comparison(store, started)
    assert (ended.status, ended.result) == ("completed", {"summary": "\ud800"})
    assert ended.completed_at is not None
    assert kept.get_comparison(store, started, with_result=False).result is None
    assert kept.beat(store, started, "p1") == "lost"


def test_a_dead_owners_place_is_taken_once(store: sqlite3.Connection, started: str) -> None:
    kept.claim(store, started, "p1", 1)
    assert kept.dead_leases(store) == []
    assert not kept.take_over(store, started, "p2")
    grow_old(store)
    assert kept.dead_leases(store) == [started]
    assert kept.take_over(store, started, "p2")
    assert not kept.take_over(store, started, "p3")
    assert kept.dead_leases(store) == []
    assert kept.beat(store, started, "p1") == "lost"
    assert not repetitions.record_repetitions(store, started, "p1", [done("one", 1)])
    assert kept.finish(store, started, "p2", "failed", None, error="Interrupted: \ud800")
    assert kept.get_comparison(store, started).error == "Interrupted: \ud800"


def test_one_that_nobody_ever_owned_dies_too(store: sqlite3.Connection, started: str) -> None:
    grow_old(store)
    assert kept.dead_leases(store) == [started]


def test_resuming_keeps_what_finished(store: sqlite3.Connection, started: str) -> None:
    kept.claim(store, started, "p1", 1)
    repetitions.record_repetitions(store, started, "p1", [done("one", 1)])
    with pytest.raises(Conflict) as refused:
        kept.reopen(store, started)
    assert refused.value.code == "eval-run-not-resumable"
    kept.finish(store, started, "p1", "failed", {}, error="it broke")
    kept.reopen(store, started)
    again = kept.get_comparison(store, started)
    assert (again.status, again.error, again.result, again.completed_at) == ("pending", None, None, None)
    assert again.progress.finished == 1
    assert kept.dead_leases(store) == []
    assert kept.claim(store, started, "p2", 2)
    assert repetitions.finished_repetitions(store, started) == [done("one", 1)]


def test_lists(store: sqlite3.Connection, started: str) -> None:
    ids = [started, *(start(store) for _ in range(4))][::-1]
    listed: list[str] = []
    cursor = None
    for _ in range(4):
        page = list_comparisons(store, PROJECT, "acme.set", 2, cursor)
        listed += [each.id for each in page.data]
        cursor = page.next_cursor
        if not page.has_more:
            break
    assert listed == ids
    assert list_comparisons(store, "other", None, 5, None).data == ()
    assert list_comparisons(store, None, "none", 5, None).data == ()
    assert list_comparisons(store, "\ud800", "\ud800", 5, None).data == ()
    with pytest.raises(Invalid):
        list_comparisons(store, None, None, 5, "nonsense")
    with pytest.raises(NotFound):
        kept.get_comparison(store, "nonsense")
    with pytest.raises(NotFound):
        kept.get_comparison(store, ids[0][:3])
