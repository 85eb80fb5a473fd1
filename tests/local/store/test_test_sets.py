"""Test sets are built from judged runs, newest judged first, and never change (DESIGN section 8)."""

import sqlite3
from collections.abc import Callable
from datetime import timedelta

import pytest

from kindgi_tui.domain.runs import RunDetail, Segment
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.local.store.groups import add_group, change_group
from kindgi_tui.local.store.judgments import add_judgment, remove_judgment
from kindgi_tui.local.store.runs import insert_run
from kindgi_tui.local.store.test_sets import (
    all_cases,
    gather_cases,
    get_test_set,
    list_cases,
    list_test_sets,
    preview_build,
    store_test_set,
    test_set_versions,
    version_seq,
)
from kindgi_tui.local.store.values import from_ms, to_ms
from kindgi_tui.workbench import Conflict, Invalid, NotFound
from tests.local.store.making import ANN, BEN, OTHER, PROJECT, START, run, said

T0 = to_ms(START)


def asked(**changes: object) -> BuildRequest:
    return BuildRequest.model_validate(
        {
            "test_set_id": "acme.set",
            "version": "1.0.0",
            "project_id": PROJECT,
            "agent_id": "acme.picker",
            **changes,
        }
    )


def built(store: sqlite3.Connection, **changes: object) -> TestSetVersion:
    request = asked(**changes)
    return store_test_set(store, request, gather_cases(store, request), "ann")


def cases(store: sqlite3.Connection, version: str = "1.0.0") -> list[str]:
    return [each.case_id for each in all_cases(store, version_seq(store, "acme.set", version))]


def judged(
    store: sqlite3.Connection,
    made: RunDetail,
    minute: int,
    group: str | None = None,
    reason: str | None = None,
) -> str:
    """Writes the run down and judges it `minute` minutes after START."""
    insert_run(store, made)
    new = said(made.id, group=group, reason=reason)
    return add_judgment(store, new, BEN, T0 + minute * 60_000).id


def test_newest_judged_first_whatever_started_when(store: sqlite3.Connection) -> None:
    for name, started, minute in (("one", 9, 1), ("two", 5, 3), ("three", 7, 2)):
        judged(store, run(id=name, minute=started), minute)
    insert_run(store, run(id="nobody judged it"))
    made = built(store, description="all \ud800 of it")
    assert cases(store) == ["two", "three", "one"]
    assert (made.case_count, made.available, made.truncated, made.created_by) == (3, 3, False, "ann")
    assert made.description == "all \ud800 of it"
    assert get_test_set(store, "acme.set", None) == made


def test_the_first_judgment_counts_also_when_an_earlier_one_comes_later(store: sqlite3.Connection) -> None:
    judged(store, run(id="one"), 5)
    add_judgment(store, said("one", "b"), ANN, T0)
    judged(store, run(id="two"), 3)
    built(store)
    assert cases(store) == ["two", "one"]
    assert preview_build(store, asked(until=START + timedelta(minutes=1))).runs == 1


@pytest.mark.parametrize(
    ("since", "until", "ids"),
    [(2, None, ["r3", "r2"]), (None, 2, ["r1", "r0"]), (1, 3, ["r2", "r1"]), (2, 2, []), (None, None, None)],
)
def test_times_of_the_first_judgment(
    store: sqlite3.Connection, since: int | None, until: int | None, ids: list[str] | None
) -> None:
    for number in range(4):
        judged(store, run(id=f"r{number}"), number)
    times = {
        name: None if minute is None else from_ms(T0 + minute * 60_000)
        for name, minute in (("since", since), ("until", until))
    }
    if ids == []:
        with pytest.raises(Invalid) as refused:
            built(store, **times)
        assert refused.value.code == "test-set-empty"
    else:
        built(store, **times)
        assert cases(store) == (ids or ["r3", "r2", "r1", "r0"])


def test_other_runs_stay_out(store: sqlite3.Connection) -> None:
    judged(store, run(id="mine", version="0.2.0", path="a:1/b:2"), 1)
    judged(store, run(id="other project", project_id=OTHER), 2)
    judged(store, run("acme.other", id="other agent"), 3)
    judged(store, run(id="a replay", replay_of="mine"), 4)
    judged(store, run(id="other version", path="a:1"), 5)
    gone = judged(store, run(id="not judged any more"), 6)
    remove_judgment(store, gone, BEN)
    built(store)
    assert cases(store) == ["other version", "mine"]
    built(store, version="1.0.1", subject_version="0.2.0")
    assert cases(store, "1.0.1") == ["mine"]
    for number, (path, ids) in enumerate(
        [("a:1", ["other version", "mine"]), ("a:1/b:2", ["mine"])], start=2
    ):
        segments = tuple(Segment(key=part[0], value=part[2]) for part in path.split("/"))
        built(store, version=f"1.0.{number}", segments=segments)
        assert cases(store, f"1.0.{number}") == ids
    with pytest.raises(Invalid):
        built(store, version="2.0.0", segments=(Segment(key="a", value="none"),))


def test_groups_and_least_judgments(store: sqlite3.Connection) -> None:
    add_group(store, "Experts", 3, None, None, None, None, group_id="g")
    judged(store, run(id="one"), 1, group="Experts")
    judged(store, run(id="two"), 2)
    for key, group in (("b", "g"), ("/output/articles/2", None)):
        add_judgment(store, said("two", key, "no", group=group), BEN, T0 + 120_000)
    change_group(store, "Experts", 5, None, None, False)
    assert built(store, groups=("Experts",)).request.groups == ("g",), "another may have the name tomorrow"
    made = all_cases(store, version_seq(store, "acme.set", "1.0.0"))
    assert [(each.case_id, [item.key for item in each.items]) for each in made] == [
        ("two", ["b"]),
        ("one", ["a"]),
    ]
    assert made[0].items[0].total_weight == 5, "weights are read when the set is built"
    preview = preview_build(store, asked(groups=("g",)))
    assert (preview.runs, preview.items, preview.judgments, preview.too_few) == (2, 2, 2, 0)
    preview = preview_build(store, asked(min_judgments=2))
    assert (preview.runs, preview.items, preview.judgments, preview.too_few) == (1, 3, 3, 1)
    built(store, version="1.0.1", min_judgments=3)
    assert cases(store, "1.0.1") == ["two"]
    with pytest.raises(Invalid, match="2 have too few"):
        built(store, version="1.0.2", min_judgments=4)
    with pytest.raises(NotFound):
        built(store, version="1.0.2", groups=("nobody",))


def test_a_thousand_cases_and_how_many_there_were(store: sqlite3.Connection) -> None:
    store.execute("BEGIN")
    for number in range(1004):
        judged(store, run(id=f"r{number}"), number)
    store.execute("COMMIT")
    preview = preview_build(store, asked())
    assert (preview.runs, preview.more, preview.items) == (1000, 4, 1000)
    made = built(store)
    assert (made.case_count, made.available, made.truncated) == (1000, 1004, True)
    assert cases(store) == [f"r{number}" for number in range(1003, 3, -1)]
    assert get_test_set(store, "acme.set", "1.0.0") == made


def test_a_taken_version_and_another_project_are_refused(store: sqlite3.Connection) -> None:
    judged(store, run(id="one"), 1)
    judged(store, run(id="two", project_id=OTHER), 1)
    request = asked()
    gathered = gather_cases(store, request)
    built(store)
    attempts: list[Callable[[], TestSetVersion]] = [
        lambda: built(store),
        lambda: store_test_set(store, request, gathered, "ann"),
    ]
    for attempt in attempts:
        with pytest.raises(Conflict) as refused:
            attempt()
        assert refused.value.code == "eval-suite-already-registered"
        assert refused.value.sentence.startswith(
            'Version "1.0.0" of the test set "acme.set" is already registered'
        )
    with pytest.raises(Conflict) as refused:
        built(store, version="1.0.1", project_id=OTHER)
    assert refused.value.code == "eval-suite-project-mismatch"


@pytest.mark.parametrize("changes", [{"agent_id": None}, {"flow_id": "acme.flow"}])
def test_one_agent_or_one_flow(store: sqlite3.Connection, changes: dict[str, object]) -> None:
    with pytest.raises(Invalid) as refused:
        built(store, **changes)
    assert refused.value.field == "agentId"


def test_nothing_judged_builds_nothing(store: sqlite3.Connection) -> None:
    with pytest.raises(Invalid) as refused:
        built(store)
    assert refused.value.code == "test-set-empty"
    assert list_test_sets(store, None) == ()


def test_a_version_never_changes(store: sqlite3.Connection) -> None:
    hostile = {"articles": [{"id": "a", "t": "\ud800\x00\x1b[31m"}], "n": 10**400}
    judged(store, run(id="one", output={"output": hostile, "appended": []}), 1, reason="\udfff why")
    built(store)
    (before,) = all_cases(store, version_seq(store, "acme.set", None))
    assert before.output == {"output": hostile, "appended": []}
    assert before.items[0].reasons[0].reason == "\udfff why"
    add_judgment(store, said("one", "a", "no"), BEN)
    add_judgment(store, said("one", "a", "no"), ANN)
    assert all_cases(store, version_seq(store, "acme.set", None)) == (before,)
    built(store, version="1.1.0")
    (after,) = all_cases(store, version_seq(store, "acme.set", None))
    assert (after.items[0].yes, after.items[0].no) == (0, 2)


def test_lists_of_sets_versions_and_cases(store: sqlite3.Connection) -> None:
    for number in range(5):
        judged(store, run(id=f"r{number}"), number)
    for identity, version in (("b.set", "1.0.0"), ("a.set", "1.0.0"), ("a.set", "1.2.0"), ("a.set", "1.1.0")):
        built(store, test_set_id=identity, version=version)
    assert [(each.test_set_id, each.version) for each in list_test_sets(store, PROJECT)] == [
        ("a.set", "1.1.0"),
        ("b.set", "1.0.0"),
    ]
    assert list_test_sets(store, OTHER) == ()
    assert [each.version for each in test_set_versions(store, "a.set")] == ["1.1.0", "1.2.0", "1.0.0"]
    listed: list[str] = []
    cursor = None
    for _ in range(5):
        page = list_cases(store, "a.set", "1.2.0", 2, cursor)
        listed += [each.case_id for each in page.data]
        cursor = page.next_cursor
        if not page.has_more:
            break
    assert listed == ["r4", "r3", "r2", "r1", "r0"]
    for wrong in ("none", "\ud800"):
        with pytest.raises(NotFound):
            list_cases(store, wrong, None, 2, None)
        with pytest.raises(NotFound):
            list_cases(store, "a.set", wrong, 2, None)
    with pytest.raises(Invalid):
        list_cases(store, "a.set", None, 2, "nonsense")
