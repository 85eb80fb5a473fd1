"""The queue of runs that owe a verdict, on a real file: what is in it, in which order, and how it is found."""

import json
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.judging import QueueFilter
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.runs import Segment, Subject
from kindgi_tui.local.store import dismissals, disputes, guidelines, owed, queue
from kindgi_tui.local.store.judgments import add_judgment, remove_judgment, take_back
from kindgi_tui.local.store.projects import add_project
from kindgi_tui.local.store.runs import insert_run
from kindgi_tui.local.store.schema import APPLICATION_ID, MIGRATIONS
from kindgi_tui.storage.opening import connect, open_file
from kindgi_tui.workbench import Conflict, Invalid, NotFound
from tests.local.store.making import ANN, ARTICLES, BEN, OTHER, PROJECT, run, said

ALL = QueueFilter(project_id=PROJECT)
ANSWERED = {"appended": [{"role": "agent", "content": "Hello."}], "output": {"articles": []}}
NOTHING = {"appended": [], "output": {"articles": []}}
KEYS = ("a", "b", "/output/articles/2")


def ids(
    store: sqlite3.Connection, query: QueueFilter = ALL, limit: int = 100, person: str = "ann"
) -> list[str]:
    """The whole queue, page by page."""
    found: list[str] = []
    cursor = None
    for _ in range(1_000):
        page = queue.list_queue(store, query, person, limit, cursor)
        found += [each.run.id for each in page.data]
        if not page.has_more:
            return found
        cursor = page.next_cursor
    raise AssertionError("the queue has no end")


def judge(store: sqlite3.Connection, run_id: str, keys: tuple[str, ...] = KEYS) -> None:
    for key in keys:
        add_judgment(store, said(run_id, key), ANN)


def test_completed_runs_that_owe_something_come_oldest_first(store: sqlite3.Connection) -> None:
    newer, older = run(minute=5), run(minute=1)
    answered = run(minute=3, output=ANSWERED)
    others = [
        run(status="failed", output=None, failure="x"),
        run(replay_of=older.id),
        run(project_id=OTHER),
        run(output=NOTHING),
        run(status="running", output=None),
    ]
    for each in (newer, older, answered, *others):
        insert_run(store, each)
    assert ids(store) == [older.id, answered.id, newer.id]
    assert ids(store, limit=1) == [older.id, answered.id, newer.id]
    page = queue.list_queue(store, ALL, "ann", 10, None)
    assert [(each.owed, each.judged) for each in page.data] == [(3, 0), (1, 0), (3, 0)]


def test_a_run_leaves_the_queue_with_its_last_item_and_comes_back_with_an_undo(
    store: sqlite3.Connection,
) -> None:
    first, second = run(minute=1), run(minute=2)
    insert_run(store, first)
    insert_run(store, second)
    judge(store, first.id, KEYS[:2])
    assert ids(store)[0] == first.id
    assert queue.list_queue(store, ALL, "ann", 1, None).data[0].judged == 2
    judge(store, first.id, KEYS[2:])
    assert ids(store) == [second.id]
    assert ids(store, person="ben") == [first.id, second.id]
    add_judgment(store, said(first.id, "a", "no"), ANN)
    assert ids(store) == [second.id]
    take_back(store, first.id, "a", ANN, None)
    assert ids(store) == [second.id]
    take_back(store, first.id, "a", ANN, None)
    assert ids(store) == [first.id, second.id]


def test_an_answer_judged_beside_a_list_pays_nothing(store: sqlite3.Connection) -> None:
    both = run(output={"appended": [{"role": "agent", "content": "Hi"}], "output": ARTICLES["output"]})
    insert_run(store, both)
    answer = said(both.id).model_copy(update={"item": ItemRef(key="answer", pointer="/appended/0/content")})
    add_judgment(store, answer, ANN)
    judge(store, both.id, KEYS[:2])
    assert ids(store) == [both.id]
    guidelines.set_owed(store, PROJECT, "agent", both.subject.id, "answer")
    assert ids(store) == []
    guidelines.set_owed(store, PROJECT, "agent", both.subject.id, "all")
    assert queue.list_queue(store, ALL, "ann", 10, None).data[0].owed == 4
    judge(store, both.id, KEYS[2:])
    assert ids(store) == []


def test_the_same_own_key_in_two_lists_is_owed_once(store: sqlite3.Connection) -> None:
    twice = run(output={"output": {"x": [{"id": "a"}], "y": [{"id": "a"}, {"id": "b"}]}, "appended": []})
    insert_run(store, twice)
    assert queue.list_queue(store, ALL, "ann", 10, None).data[0].owed == 2


def test_participants_verdicts_are_not_mine(store: sqlite3.Connection) -> None:
    only = run()
    insert_run(store, only)
    for key in KEYS:
        add_judgment(store, said(only.id, key, participant="user-1"), ANN)
    assert ids(store) == [only.id]


def test_skips_are_mine_and_are_offered_again(store: sqlite3.Connection) -> None:
    first, second = run(minute=1), run(minute=2)
    for each in (first, second):
        insert_run(store, each)
    queue.skip_run(store, first.id, "ann")
    assert ids(store) == [second.id]
    assert ids(store, person="ben") == [first.id, second.id]
    assert [each.run.id for each in queue.list_skipped(store, ALL, "ann", 10, None).data] == [first.id]
    assert queue.queue_progress(store, ALL, "ann").skipped == 1
    judge(store, first.id)
    assert queue.list_skipped(store, ALL, "ann", 10, None).data == ()
    take_back(store, first.id, "a", ANN, None)
    queue.unskip_run(store, first.id, "ann")
    assert ids(store) == [first.id, second.id]


def test_filters_by_agent_and_path(store: sqlite3.Connection) -> None:
    mine = run("acme.a", path="company:x/team:y", minute=1)
    other = run("acme.b", path="company:x", minute=2)
    flow = run(subject=Subject(kind="flow", id="acme.a", version="1.0.0"), output={"z": 1}, minute=3)
    for each in (mine, other, flow):
        insert_run(store, each)

    def by(**fields: object) -> list[str]:
        return ids(store, QueueFilter.model_validate({"project_id": PROJECT, **fields}))

    assert by(subject_id="acme.a") == [mine.id, flow.id]
    assert by(subject_id="acme.a", subject_kind="agent") == [mine.id]
    assert by(segments=(Segment(key="company", value="x"),)) == [mine.id, other.id]
    assert by(segments=(Segment(key="company", value="x"), Segment(key="team", value="y"))) == [mine.id]
    assert by(subject_id="nobody") == []
    team = QueueFilter(project_id=PROJECT, segments=(Segment(key="company", value="x"),))
    assert queue.queue_progress(store, team, "ann").left == 2
    queue.skip_run(store, mine.id, "ann")
    assert [each.run.id for each in queue.list_skipped(store, team, "ann", 9, None).data] == [mine.id]


def test_a_random_order_is_the_seeds_own_and_the_same_again(store: sqlite3.Connection) -> None:
    runs = [run(minute=number, path="company:x") for number in range(60)]
    for each in runs:
        insert_run(store, each)

    def by(seed: str, limit: int = 7, **more: object) -> list[str]:
        fields = {"project_id": PROJECT, "order": "random", "seed": seed, **more}
        return ids(store, QueueFilter.model_validate(fields), limit)

    once = by("7")
    assert sorted(once) == sorted(each.id for each in runs)
    assert once == by("7", 100) != by("8")
    assert once != [each.id for each in runs]
    judge(store, once[0])
    assert by("7") == once[1:]
    assert len(by("7", segments=(Segment(key="company", value="x"),))) == 59


def test_progress_counts_runs_and_items(store: sqlite3.Connection) -> None:
    runs = [run(minute=number) for number in range(4)] + [run(minute=9, output=ANSWERED)]
    for each in runs:
        insert_run(store, each)
    judge(store, runs[0].id)
    judge(store, runs[1].id, KEYS[:1])
    queue.skip_run(store, runs[2].id, "ann")
    told = queue.queue_progress(store, ALL, "ann")
    assert (told.left, told.items_left, told.skipped, told.judged) == (3, 2 + 3 + 1, 1, 1)
    for order in ("oldest", "random"):
        page = queue.list_queue(store, ALL.model_copy(update={"order": order}), "ann", 99, None)
        assert len(page.data) == told.left
        assert sum(each.owed - each.judged for each in page.data) == told.items_left


def test_disagreements_come_and_go(store: sqlite3.Connection) -> None:
    only = run()
    insert_run(store, only)
    add_judgment(store, said(only.id, "a", "yes"), ANN)
    assert disputes.list_disputes(store, ALL, 10, None).data == ()
    theirs = add_judgment(store, said(only.id, "a", "no"), BEN)
    found = disputes.list_disputes(store, ALL, 10, None).data
    assert [(each.run.id, each.item_key, each.yes, each.no) for each in found] == [
        (only.id, "a", ("ann",), ("ben",))
    ]
    assert disputes.list_disputes(store, QueueFilter(project_id=OTHER), 10, None).data == ()
    remove_judgment(store, theirs.id, BEN)
    assert disputes.list_disputes(store, ALL, 10, None).data == ()


def test_a_dismissed_run_is_in_nobodys_queue_until_it_is_put_back(store: sqlite3.Connection) -> None:
    runs = [run("x.a", minute=1), run("x.b", minute=2), run("x.a", minute=3)]
    for each in runs:
        insert_run(store, each)
    judge(store, runs[2].id, ("a",))
    dismissals.dismiss_run(store, runs[0].id, "  Not a real customer. ", "ann")
    dismissals.dismiss_run(store, runs[2].id, None, "ann")
    for person in ("ann", "ben"):
        assert ids(store, person=person) == [runs[1].id]
        told = queue.queue_progress(store, ALL, person)
        assert (told.left, told.items_left) == (1, 3)
    first = dismissals.list_dismissed(store, ALL, 1, None)
    assert first.has_more
    second = dismissals.list_dismissed(store, ALL, 1, first.next_cursor)
    assert not second.has_more
    told_of = [(each.run.id, each.state.dismissal) for each in (*first.data, *second.data)]
    assert [one for one, _ in told_of] == [runs[0].id, runs[2].id]
    whys = [(why.by, why.reason) for _, why in told_of if why is not None]
    assert whys == [("ann", "Not a real customer."), ("ann", None)]
    only = ALL.model_copy(update={"subject_id": "x.a"})
    assert dismissals.count_dismissed(store, only) == 2
    dismissals.reopen_run(store, runs[2].id)
    assert ids(store) == [runs[1].id, runs[2].id]
    assert queue.queue_progress(store, ALL, "ann").items_left == 5
    with pytest.raises(Conflict, match="isn't open"):
        dismissals.dismiss_run(store, runs[0].id, None, "ben")
    with pytest.raises(Conflict, match="isn't dismissed"):
        dismissals.reopen_run(store, runs[1].id)
    with pytest.raises(Invalid, match="at most 500 characters"):
        dismissals.dismiss_run(store, runs[1].id, "x" * 501, "ann")
    failed = run(status="failed", output=None, failure="x")
    insert_run(store, failed)
    with pytest.raises(NotFound, match="isn't in the judging queue"):
        dismissals.dismiss_run(store, failed.id, None, "ann")


def test_a_mark_moves_on_and_goes_back_when_something_is_owed_again(
    store: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "MARK_BEHIND", 3)
    runs = [run(minute=number) for number in range(10)]
    for each in runs:
        insert_run(store, each)
    assert not queue.mark_is_behind(store, ALL, "ann")
    for each in runs[:6]:
        judge(store, each.id)
    assert queue.mark_is_behind(store, ALL, "ann")
    queue.move_mark(store, ALL, "ann")
    assert not queue.mark_is_behind(store, ALL, "ann")
    assert ids(store) == [each.id for each in runs[6:]]
    take_back(store, runs[2].id, "a", ANN, None)
    assert ids(store) == [runs[2].id, *(each.id for each in runs[6:])]
    queue.move_mark(store, ALL, "ann")
    late = run(minute=-5)
    insert_run(store, late)
    assert ids(store)[0] == late.id
    judge(store, late.id)
    judge(store, runs[2].id)
    queue.skip_run(store, runs[6].id, "ann")
    queue.move_mark(store, ALL, "ann")
    assert ids(store) == [each.id for each in runs[7:]]
    queue.unskip_run(store, runs[6].id, "ann")
    assert ids(store) == [each.id for each in runs[6:]]
    for each in runs[6:]:
        judge(store, each.id)
    queue.move_mark(store, ALL, "ann")
    assert ids(store) == []
    guidelines.set_owed(store, PROJECT, "agent", runs[0].subject.id, "all")
    assert ids(store) == []


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_queue_is_what_a_plain_look_at_everything_says(
    store: sqlite3.Connection, data: st.DataObject
) -> None:
    """Random doings, marks moved at any time: the queue is what the definitions say, read the slow way."""
    store.execute("BEGIN")
    try:
        runs = [
            run(data.draw(st.sampled_from(["x.a", "x.b"])), minute=data.draw(st.integers(0, 20)))
            for _ in range(6)
        ]
        for each in runs:
            insert_run(store, each)
        skipped: set[str] = set()
        dismissed: set[str] = set()
        said_of: dict[str, dict[str, list[str]]] = {each.id: {} for each in runs}
        for _ in range(data.draw(st.integers(0, 25))):
            each = data.draw(st.sampled_from(runs))
            match data.draw(
                st.sampled_from(
                    [
                        "yes",
                        "no",
                        "back",
                        "skip",
                        "unskip",
                        "dismiss",
                        "reopen",
                        "mark",
                        "mark of one",
                        "late",
                    ]
                )
            ):
                case "yes" | "no" as verdict:
                    key = data.draw(st.sampled_from(KEYS))
                    past = said_of[each.id].setdefault(key, [])
                    if not past or past[-1] != verdict:
                        past.append(verdict)
                    add_judgment(store, said(each.id, key, verdict), ANN)
                case "back":
                    for key, past in said_of[each.id].items():
                        if past:
                            take_back(store, each.id, key, ANN, None)
                            past.pop()
                            break
                case "skip":
                    queue.skip_run(store, each.id, "ann")
                    skipped.add(each.id)
                case "unskip":
                    queue.unskip_run(store, each.id, "ann")
                    skipped.discard(each.id)
                case "dismiss":
                    done = sum(bool(past) for past in said_of[each.id].values()) == 3
                    if each.id in dismissed or done:
                        with pytest.raises(Conflict):
                            dismissals.dismiss_run(store, each.id, None, "ann")
                    else:
                        dismissals.dismiss_run(store, each.id, "why", "ann")
                        dismissed.add(each.id)
                case "reopen":
                    if each.id in dismissed:
                        dismissals.reopen_run(store, each.id)
                        dismissed.discard(each.id)
                    else:
                        with pytest.raises(Conflict):
                            dismissals.reopen_run(store, each.id)
                case "mark":
                    queue.move_mark(store, ALL, "ann")
                case "mark of one":
                    queue.move_mark(store, ALL.model_copy(update={"subject_id": each.subject.id}), "ann")
                case "late":
                    runs.append(run("x.a", minute=data.draw(st.integers(-20, 30))))
                    insert_run(store, runs[-1])
                    said_of[runs[-1].id] = {}
        wanted = [
            each.id
            for each in sorted(runs, key=lambda each: each.created_at)
            if each.id not in skipped | dismissed
            and sum(bool(past) for past in said_of[each.id].values()) < 3
        ]
        by_time = {each.id: each.created_at for each in runs}
        found = ids(store)
        assert sorted(found) == sorted(wanted)
        assert all(by_time[one] <= by_time[two] for one, two in pairwise(found))
        assert sorted(ids(store, ALL.model_copy(update={"order": "random"}))) == sorted(wanted)
        off = dismissals.list_dismissed(store, ALL, 100, None).data
        assert {one.run.id for one in off} == dismissed
        assert dismissals.count_dismissed(store, ALL) == len(dismissed)
        told = queue.queue_progress(store, ALL, "ann")
        assert told.left == len(wanted)
        assert told.items_left == sum(3 - sum(bool(p) for p in said_of[one].values()) for one in wanted)
    finally:
        store.execute("ROLLBACK")


def plan(store: sqlite3.Connection, sql: str, scope: queue.Scope) -> list[str]:
    values = {**scope.values, "created": 0, "run": 0, "limit": 5, "low": 0, "high": 1}
    return [row[3] for row in store.execute(f"EXPLAIN QUERY PLAN {sql}", values)]


@pytest.mark.parametrize("subject", [None, "acme.picker"])
@pytest.mark.parametrize("path", ["", "company:x"])
@pytest.mark.parametrize("order", ["oldest", "random"])
def test_the_next_run_is_found_on_indexes_alone(
    store: sqlite3.Connection, subject: str | None, path: str, order: str
) -> None:
    insert_run(store, run(path="company:x"))
    segments = (Segment(key="company", value="x"),) if path else ()
    query = QueueFilter(project_id=PROJECT, subject_id=subject, segments=segments)
    scope = queue.Scope(store, query, "ann")
    steps = plan(store, queue.oldest_sql(scope) if order == "oldest" else queue.random_sql(scope), scope)
    assert not [step for step in steps if step.startswith("SCAN") or "TEMP B-TREE" in step], steps
    assert sum("judged_by" in step or " j " in step for step in steps) == 1


def test_runs_of_an_older_file_are_counted_once(
    store: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owed, "BATCH", 2)
    runs = [run(minute=number) for number in range(5)]
    for each in runs:
        insert_run(store, each)
    store.execute("DELETE FROM owed")
    store.execute("DELETE FROM owed_counts")
    store.execute("UPDATE owed_state SET counted = 0, before = (SELECT max(seq) FROM runs)")
    assert ids(store) == []
    while owed.count_older(store):
        pass
    assert not owed.counting_is_behind(store)
    assert ids(store) == [each.id for each in runs]
    assert queue.queue_progress(store, ALL, "ann").items_left == 15


def test_an_older_file_comes_along_with_what_was_judged(tmp_path: Path) -> None:
    path = tmp_path / "workspace.db"
    open_file(path, APPLICATION_ID, MIGRATIONS[:1], 5.0)
    with closing(connect(path, 5.0)) as old:
        add_project(old, "Default", "default", PROJECT)
        old.execute("INSERT INTO subjects VALUES (1, 'agent', 'acme.picker')")
        old.execute("INSERT INTO subject_versions VALUES (1, 1, '0.1.0')")
        for seq, status in ((1, "completed"), (2, "failed"), (3, "completed")):
            old.execute(
                "INSERT INTO runs (seq, id, project, subject, subject_version, status, created, source, preview) "
                "VALUES (?, ?, 1, 1, 1, ?, ?, 'recorded', '')",
                (seq, f"run-{seq}", status, seq),
            )
            old.execute(
                "INSERT INTO run_documents VALUES (?, 'null', ?, '{}', NULL)", (seq, json.dumps(ARTICLES))
            )
        for key, rank, verdict, who in (
            ("a", 0, "yes", "ann"),
            ("b", 1, "yes", "ann"),
            ("a", 0, "no", "ben"),
        ):
            old.execute(
                "INSERT INTO judgments (id, run, item_key, rank, verdict, restricted, asserter, created) "
                "VALUES (?, 1, ?, ?, ?, 0, ?, 5)",
                (f"{who}-{key}", key, rank, verdict, who),
            )
    open_file(path, APPLICATION_ID, MIGRATIONS, 5.0)
    with closing(connect(path, 5.0)) as new:
        while owed.count_older(new):
            pass
        page = queue.list_queue(new, ALL, "ann", 9, None)
        assert [(each.run.id, each.owed, each.judged) for each in page.data] == [
            ("run-1", 3, 2),
            ("run-3", 3, 0),
        ]
        disputed = disputes.list_disputes(new, ALL, 9, None).data
        assert [(each.run.id, each.item_key) for each in disputed] == [("run-1", "a")]


def test_guidelines_are_kept_version_by_version(store: sqlite3.Connection) -> None:
    insert_run(store, run())
    assert guidelines.newest_guideline(store, PROJECT, "agent", "acme.picker") is None
    one = guidelines.save_guideline(store, PROJECT, "agent", "acme.picker", "Be kind \ud800", "ann")
    same = guidelines.save_guideline(store, PROJECT, "agent", "acme.picker", "Be kind \ud800", "ben")
    two = guidelines.save_guideline(store, PROJECT, "agent", "acme.picker", "Be strict", "ben")
    assert (one.version, one.created_by, one.text, same) == (1, "ann", "Be kind \ud800", one)
    assert guidelines.guideline_versions(store, PROJECT, "agent", "acme.picker") == (two, one)
    with pytest.raises(Invalid):
        guidelines.save_guideline(store, PROJECT, "agent", "acme.picker", "x" * 100_001, "ann")
