"""Lists and counts of runs under random filters, held to a model in plain Python."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.runs import RunDetail, Segment, Subject
from kindgi_tui.local.store.judgments import add_judgment, remove_judgment
from kindgi_tui.local.store.run_lists import count_runs, list_runs
from kindgi_tui.local.store.runs import insert_run
from kindgi_tui.local.store.values import cursor_of
from kindgi_tui.workbench import Invalid
from tests.local.store.making import ANN, OTHER, PROJECT, START, opened, run, said

PATHS = ("", "company:acme", "company:acme/team:one", "company:acme/team:two", "company:acme2", "team:one")


@dataclass(repr=False)
class Model:
    """What the list should hold: the runs as they were written, with whether they are judged."""

    store: sqlite3.Connection
    runs: list[tuple[RunDetail, bool]]

    def expected(self, query: RunFilter) -> list[str]:
        found = [
            (each.created_at, seq, each.id)
            for seq, (each, judged) in enumerate(self.runs)
            if _matches(each, judged, query)
        ]
        return [identity for _, _, identity in sorted(found, reverse=True)]


def _matches(each: RunDetail, judged: bool, query: RunFilter) -> bool:
    replays = "include" if query.comparison_id is not None and query.replays == "exclude" else query.replays
    replay = each.replay_of is not None
    return (
        query.project_id in (None, each.project_id)
        and query.subject_kind in (None, each.subject.kind)
        and query.subject_id in (None, each.subject.id)
        and query.subject_version in (None, each.subject.version)
        and (not query.statuses or each.status in query.statuses)
        and query.judged in (None, judged)
        and each.segments[: len(query.segments)] == query.segments
        and (query.created_since is None or each.created_at >= query.created_since)
        and (query.created_until is None or each.created_at < query.created_until)
        and (replays == "include" or replay == (replays == "only"))
        and query.comparison_id in (None, each.comparison_id)
        and query.source in (None, each.source)
    )


def _made(number: int) -> RunDetail:
    """The runs differ in everything a filter asks; many start in the same minute."""
    replay = number % 5 == 0
    changes: dict[str, object] = {
        "project_id": OTHER if number % 7 == 0 else PROJECT,
        "status": ("completed", "completed", "failed", "running")[number % 4],
        "source": "chat" if number % 6 == 0 else "recorded",
        "replay_of": "past" if replay else None,
        "comparison_id": f"c{number % 2}" if replay else None,
    }
    kind = "flow" if number % 9 == 0 else "agent"
    # An agent and a flow can share an id.
    subject = Subject.model_validate(
        {"kind": kind, "id": f"acme.s{number % 3}", "version": f"0.{number % 2}.0"}
    )
    changed = run(minute=number * 7 % 40, path=PATHS[number % 6], subject=subject)
    return changed.model_copy(update=changes)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Model]:
    path: Path = tmp_path_factory.mktemp("lists") / "workspace.db"
    store = opened(path)
    store.execute("BEGIN")
    runs: list[tuple[RunDetail, bool]] = []
    for number in range(240):
        made = _made(number)
        insert_run(store, made)
        judged = made.status == "completed" and number % 3 == 0
        if judged:
            add_judgment(store, said(made.id), ANN)
        elif made.status == "completed" and number % 3 == 1:
            # Judged once, and no more.
            remove_judgment(store, add_judgment(store, said(made.id), ANN).id, ANN)
        runs.append((made, judged))
    store.execute("COMMIT")
    yield Model(store, runs)
    store.close()


def _segments(path: str) -> tuple[Segment, ...]:
    return tuple(
        Segment(key=part.split(":")[0], value=part.split(":")[1]) for part in path.split("/") if part
    )


times = st.none() | st.integers(-1, 41).map(lambda minute: START + timedelta(minutes=minute))
filters = st.builds(
    RunFilter,
    project_id=st.sampled_from([None, None, PROJECT, OTHER, "nowhere"]),
    subject_kind=st.sampled_from([None, None, "agent", "flow"]),
    subject_id=st.sampled_from([None, None, "acme.s0", "acme.s1", "acme.none"]),
    subject_version=st.sampled_from([None, None, "0.0.0", "0.1.0"]),
    statuses=st.lists(st.sampled_from(["completed", "failed", "running", "pending"]), max_size=3).map(tuple),
    judged=st.sampled_from([None, None, True, False]),
    segments=st.sampled_from(["", "", *PATHS, "company:none"]).map(_segments),
    created_since=times,
    created_until=times,
    replays=st.sampled_from(["exclude", "include", "only"]),
    comparison_id=st.sampled_from([None, None, None, "c0", "c1", "none"]),
    source=st.sampled_from([None, None, "recorded", "chat", "\ud800"]),
).filter(lambda query: query.subject_id is not None or query.subject_version is None)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=filters, limit=st.integers(1, 60), backwards=st.booleans())
def test_pages_and_counts_are_the_models(model: Model, query: RunFilter, limit: int, backwards: bool) -> None:
    expected = model.expected(query)
    assert count_runs(model.store, query) == len(expected)
    listed: list[str] = []
    cursor = None
    for _ in range(len(expected) + 2):
        page = list_runs(model.store, query, limit, cursor, backwards)
        ids = [each.id for each in page.data]
        assert len(ids) <= limit
        listed = ids + listed if backwards else listed + ids
        assert page.has_more == (page.next_cursor is not None)
        if not page.has_more:
            break
        cursor = page.next_cursor
    assert listed == expected


def test_a_listed_run_says_what_the_whole_run_says(model: Model) -> None:
    by_id = {each.id: (each, judged) for each, judged in model.runs}
    for listed in list_runs(model.store, RunFilter(replays="include"), 500, None).data:
        whole, judged = by_id[listed.id]
        for field in ("project_id", "subject", "status", "created_at", "segments", "replay_of", "source"):
            assert getattr(listed, field) == getattr(whole, field)
        assert listed.judgments == int(judged)
        assert listed.preview == "how do I get a refund"


def test_the_kept_counts_are_those_of_the_rows(model: Model) -> None:
    kept = model.store.execute(
        "SELECT project, is_replay, subject_version, status, judged, source, count FROM run_counts WHERE count"
    ).fetchall()
    counted = model.store.execute(
        "SELECT project, is_replay, subject_version, status, judged, source, count(*) FROM runs GROUP BY 1,2,3,4,5,6"
    ).fetchall()
    assert sorted(kept) == sorted(counted)
    by_path = model.store.execute("SELECT path, sum(count) FROM path_counts GROUP BY 1").fetchall()
    rows = model.store.execute("SELECT path, count(*) FROM run_paths GROUP BY 1").fetchall()
    assert sorted(by_path) == sorted(rows)


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_page_has_a_size(model: Model, limit: int) -> None:
    with pytest.raises(Invalid, match="limit"):
        list_runs(model.store, RunFilter(), limit, None)


def test_a_version_needs_its_agent(model: Model) -> None:
    for ask in (lambda q: list_runs(model.store, q, 5, None), lambda q: count_runs(model.store, q)):
        with pytest.raises(Invalid) as refused:
            ask(RunFilter(subject_version="0.1.0"))
        assert refused.value.field == "agentVersion"


def test_a_searchs_cursor_is_not_a_lists(model: Model) -> None:
    with pytest.raises(Invalid):
        list_runs(model.store, RunFilter(), 5, cursor_of(3))
    with pytest.raises(Invalid):
        list_runs(model.store, RunFilter(text="refund"), 5, cursor_of(3, 4))
    with pytest.raises(Invalid):
        list_runs(model.store, RunFilter(text="refund"), 5, None, backwards=True)


def test_a_run_that_comes_while_one_pages_moves_nothing(store: sqlite3.Connection) -> None:
    for minute in range(6):
        insert_run(store, run(minute=minute, id=f"run-{minute}"))
    first = list_runs(store, RunFilter(), 3, None)
    insert_run(store, run(minute=9, id="newest"))
    second = list_runs(store, RunFilter(), 3, first.next_cursor)
    assert [each.id for each in (*first.data, *second.data)] == [
        f"run-{minute}" for minute in (5, 4, 3, 2, 1, 0)
    ]
