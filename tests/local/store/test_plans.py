"""Each single filter follows its own index: no scan of the runs, no sorting (DESIGN section 15)."""

import sqlite3
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from kindgi_tui.domain.corrections import CorrectionFilter
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment, RunFilter
from kindgi_tui.domain.runs import Segment
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.store.corrections import list_corrections
from kindgi_tui.local.store.judgments import add_judgment, list_judgments
from kindgi_tui.local.store.own_cases import list_own_cases
from kindgi_tui.local.store.own_test_sets import gather_own, own_test_sets
from kindgi_tui.local.store.run_lists import count_runs, list_runs
from kindgi_tui.local.store.run_search import index_for_search
from kindgi_tui.local.store.runs import get_run, insert_runs
from kindgi_tui.local.store.test_sets import gather_cases
from kindgi_tui.local.store.values import cursor_of, to_ms
from tests.benchmarks import store_rows
from tests.local.store.making import ANN, OTHER, PROJECT, opened, run

RUNS = 5000
MIDDLE = store_rows.START + store_rows.STEP * (RUNS // 2)
DEEP = cursor_of(to_ms(MIDDLE), RUNS // 2)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    store = opened(tmp_path_factory.mktemp("plans") / "workspace.db")
    store.execute("BEGIN")
    runs = list(store_rows.rows(0, RUNS, [PROJECT, OTHER]))
    insert_runs(store, runs)
    replay = run(id="a replay").model_copy(update={"replay_of": store_rows.run_id(1), "comparison_id": "c1"})
    insert_runs(store, [replay])
    for each in runs:
        if store_rows.judged(each, PROJECT):
            add_judgment(store, store_rows.verdict(each.id), ANN)
    while index_for_search(store):
        pass
    store.execute("COMMIT")
    yield store
    store.close()


def plans(store: sqlite3.Connection, ask: Callable[[sqlite3.Connection], object]) -> list[str]:
    """What SQLite does for every statement of `ask`, one line a step."""
    statements: list[str] = []
    store.set_trace_callback(statements.append)
    try:
        ask(store)
    finally:
        store.set_trace_callback(None)
    steps: list[str] = []
    for statement in statements:
        # What triggers and the full text search do inside is traced as comments.
        if statement.lstrip().upper().startswith(("SELECT", "UPDATE", "INSERT")):
            steps += [str(row[3]) for row in store.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert steps
    return steps


SMALL = (
    "projects",
    "subjects",
    "subject_versions",
    "people",
    "groups",
    "run_counts",
    "path_counts",
    "json_each",
    "j",
)
"""Tables that stay small, and lists that are given: they may be read whole."""


def wrong(steps: list[str]) -> list[str]:
    return [
        step
        for step in steps
        if "USE TEMP B-TREE" in step
        or (step.startswith("SCAN") and step.split()[1] not in SMALL and "VIRTUAL TABLE INDEX" not in step)
    ]


SINGLE: list[tuple[dict[str, object], str]] = [
    ({}, "runs_newest"),
    ({"project_id": PROJECT}, "runs_newest"),
    ({"subject_kind": "agent"}, "runs_subject"),
    ({"subject_id": "acme.agent-3"}, "runs_subject"),
    ({"subject_id": "acme.agent-3", "subject_version": "0.0.0"}, "runs_version"),
    ({"statuses": ("failed",)}, "runs_status"),
    ({"statuses": ("failed", "completed")}, "runs_status"),
    ({"judged": True}, "runs_judged"),
    ({"judged": False}, "runs_judged"),
    ({"segments": (Segment(key="company", value="c7"),)}, "PRIMARY KEY (path"),
    ({"created_since": MIDDLE}, "runs_newest"),
    ({"created_until": MIDDLE}, "runs_newest"),
    ({"created_since": MIDDLE, "created_until": MIDDLE + store_rows.STEP * 9}, "runs_newest"),
    ({"replays": "only"}, "runs_newest"),
    ({"replays": "include"}, "runs_newest"),
    ({"comparison_id": "c1"}, "runs_comparison"),
    ({"comparison_id": "c1", "project_id": PROJECT, "judged": False, "replays": "only"}, "runs_comparison"),
    (
        {
            "comparison_id": "c1",
            "project_id": PROJECT,
            "subject_id": "acme.agent-3",
            "statuses": ("completed",),
        },
        "runs_comparison",
    ),
    ({"source": "recorded"}, "runs_source"),
    ({"source": "kindgi-jsonl"}, "runs_source"),
]


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (CorrectionFilter(), "corrections_newest"),
        (CorrectionFilter(project_id=PROJECT), "corrections_newest"),
    ],
)
def test_a_page_of_corrections_follows_its_index(
    filled: sqlite3.Connection, query: CorrectionFilter, index: str
) -> None:
    for cursor in (None, cursor_of(1000, 5)):
        steps = plans(filled, partial(list_corrections, query=query, limit=100, cursor=cursor))
        assert [step for step in steps if "USE TEMP B-TREE" in step] == []
        assert any(index in step for step in steps), steps


@pytest.mark.parametrize("cursor", [None, DEEP])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("asked", "index"), SINGLE, ids=[str(asked) for asked, _ in SINGLE])
def test_a_page_follows_its_index(
    filled: sqlite3.Connection, asked: dict[str, object], index: str, cursor: str | None, backwards: bool
) -> None:
    query = RunFilter.model_validate(asked)
    steps = plans(filled, lambda c: list_runs(c, query, 100, cursor, backwards))
    assert wrong(steps) == []
    keyed = [
        step for step in steps if "COVERING INDEX runs_" in step or "SEARCH rp " in step or index in step
    ]
    assert keyed
    for step in keyed:
        assert index in step or index.startswith("PRIMARY"), step
        if cursor is not None and "SEARCH r " in step and "INDEX" in step:
            assert "created" in step, f"the place in the list is not looked up: {step}"


@pytest.mark.parametrize(
    "asked", [asked for asked, _ in SINGLE if not any(k.startswith("created") for k in asked)]
)
def test_counts_are_kept_and_not_counted(filled: sqlite3.Connection, asked: dict[str, object]) -> None:
    if "comparison_id" in asked:
        return
    statements: list[str] = []
    filled.set_trace_callback(statements.append)
    count_runs(filled, RunFilter.model_validate(asked))
    filled.set_trace_callback(None)
    assert any("_counts" in statement for statement in statements)
    for table in (" runs ", "run_paths"):
        assert not any(table in statement for statement in statements), statements


@pytest.mark.parametrize("text", ["refund", "refu", "order refund", store_rows.code(77), '"efun"', "und ord"])
def test_a_search_starts_from_its_index(filled: sqlite3.Connection, text: str) -> None:
    steps = plans(filled, lambda c: list_runs(c, RunFilter(text=text, project_id=PROJECT), 100, None))
    assert wrong(steps) == []
    scans = [step for step in steps if step.startswith("SCAN run_")]
    assert scans
    assert all("VIRTUAL TABLE INDEX" in step for step in scans)


def test_a_judgment_looks_everything_up(filled: sqlite3.Connection) -> None:
    (judged,) = list_runs(filled, RunFilter(judged=True), 1, None).data
    new: NewJudgment = store_rows.verdict(judged.id).model_copy(update={"reason": "again"})
    assert wrong(plans(filled, lambda c: add_judgment(c, new, ANN))) == []


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        ({}, "judgments_newest"),
        ({"asserter": "ann"}, "judgments_asserter"),
        ({"group_id": "g"}, "judgments_group"),
        ({"project_id": PROJECT}, "judgments_newest"),
        ({"verdict": "no"}, "judgments_newest"),
        ({"subject_id": "acme.agent-1"}, "judgments_newest"),
    ],
)
def test_a_list_of_judgments_follows_its_index(
    filled: sqlite3.Connection, asked: dict[str, object], index: str
) -> None:
    for cursor in (None, cursor_of(2**41, 2**40)):
        steps = plans(filled, lambda c: list_judgments(c, JudgmentFilter.model_validate(asked), 25, cursor))  # noqa: B023
        assert wrong(steps) == []
        assert any(index in step for step in steps), steps


def test_one_run_by_id_and_by_the_beginning_of_one(filled: sqlite3.Connection) -> None:
    whole = store_rows.run_id(5)
    for reference in (whole, whole[:12]):
        assert wrong(plans(filled, lambda c: get_run(c, reference))) == []  # noqa: B023
        assert get_run(filled, reference).id == whole


def test_a_build_reads_judged_runs_in_their_order(filled: sqlite3.Connection) -> None:
    request = BuildRequest(
        test_set_id="acme.set", version="1.0.0", project_id=PROJECT, agent_id="acme.agent-0", until=None
    )
    steps = plans(filled, lambda c: gather_cases(c, request))
    assert any("runs_first_judged" in step for step in steps)
    assert not [step for step in wrong(steps) if "ORDER BY" not in step]
    sorting = [step for step in steps if "USE TEMP B-TREE" in step]
    # A run's few judgments are sorted; the runs are not.
    assert len(sorting) <= len([step for step in steps if "judgments_live" in step])


def test_an_own_test_set_is_read_from_what_was_said(filled: sqlite3.Connection) -> None:
    """However many runs nobody said anything of: they are never gone through."""
    agent = own_test_sets(filled, PROJECT)[0].agent_id
    steps = plans(filled, lambda c: list_own_cases(c, agent, PROJECT, False, 100, None))
    assert any("runs_first_judged" in step for step in steps)
    steps += plans(filled, lambda c: own_test_sets(c, PROJECT))
    steps += plans(filled, lambda c: gather_own(c, agent, PROJECT))
    runs = [step for step in steps if step.split()[1] == "r"]
    assert runs
    assert [step for step in runs if "PRIMARY KEY" not in step and "runs_first_judged" not in step] == []
    scanned = {step.split()[1] for step in steps if step.startswith("SCAN")}
    assert scanned.isdisjoint({"runs", "judgments", "hand_cases", "cases"})
