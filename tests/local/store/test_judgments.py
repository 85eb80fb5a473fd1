"""One live judgment per run, item, asserter and participant; the rest is history (DESIGN section 4)."""

import sqlite3
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.judgments import ItemRef, Judgment, Restriction, Verdict
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment, RunFilter
from kindgi_tui.local.store.groups import add_group, change_group, retire_group
from kindgi_tui.local.store.judgments import (
    add_judgment,
    get_judgment,
    judgments_of_run,
    list_judgments,
    remove_judgment,
    take_back,
)
from kindgi_tui.local.store.run_lists import list_runs
from kindgi_tui.local.store.runs import insert_run, run_seq
from kindgi_tui.local.store.values import cursor_of, storable
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound, WorkbenchError
from tests.local.store.making import ANN, BEN, OTHER, PROJECT, opened, person, run, said


@pytest.fixture
def judged_run(store: sqlite3.Connection) -> str:
    made = run()
    insert_run(store, made)
    return made.id


def live(store: sqlite3.Connection, run_id: str) -> list[Judgment]:
    return list(judgments_of_run(store, run_seq(store, run_id)))


def ever(store: sqlite3.Connection, run_id: str, key: str) -> set[str]:
    """The ids of every judgment ever made of an item, live or not."""
    place = (run_seq(store, run_id), storable(key))
    rows = store.execute("SELECT id FROM judgments WHERE run = ? AND item_key = ?", place)
    return {identity for (identity,) in rows}


def test_a_verdict_comes_back_as_it_was_said(store: sqlite3.Connection, judged_run: str) -> None:
    made = add_judgment(store, said(judged_run, "b", "no", reason="wrong one", participant="u-1"), BEN)
    assert made == get_judgment(store, made.id)
    assert made.item == ItemRef(key="b", pointer="/output/articles/1", rank=1)
    assert (made.run_id, made.verdict, made.reason, made.asserter, made.participant, made.restricted) == (
        *(judged_run, "no", "wrong one", "ben", "u-1"),
        False,
    )


def test_judging_again_replaces_and_keeps_history(store: sqlite3.Connection, judged_run: str) -> None:
    first = add_judgment(store, said(judged_run), BEN)
    second = add_judgment(store, said(judged_run, verdict="no"), BEN)
    assert [each.id for each in live(store, judged_run)] == [second.id]
    assert ever(store, judged_run, "a") == {first.id, second.id}
    before = get_judgment(store, first.id)
    assert before.model_copy(update={"ended_at": None, "superseded_by": None}) == first
    assert (before.ended_at is not None, before.superseded_by) == (True, second.id)
    ended, by = store.execute(
        "SELECT ended, superseded_by FROM judgments WHERE id = ?", (first.id,)
    ).fetchone()
    assert (ended is not None, by) == (True, second.id)


def test_the_same_said_again_changes_nothing(store: sqlite3.Connection, judged_run: str) -> None:
    first = add_judgment(store, said(judged_run, reason=""), BEN)
    assert add_judgment(store, said(judged_run, reason=None), BEN) == first
    assert store.execute("SELECT count(*) FROM judgments").fetchone() == (1,)


def test_people_and_participants_stand_beside_each_other(store: sqlite3.Connection, judged_run: str) -> None:
    made = [
        add_judgment(store, said(judged_run, participant=participant), judge)
        for judge in (ANN, BEN)
        for participant in (None, "u-1", "u-2")
    ]
    assert {each.id for each in live(store, judged_run)} == {each.id for each in made}
    listed = list_runs(store, RunFilter(), 5, None).data[0]
    assert listed.judgments == len(made)


def test_the_file_itself_refuses_two_live_ones(store: sqlite3.Connection, judged_run: str) -> None:
    add_judgment(store, said(judged_run), BEN)
    with pytest.raises(sqlite3.IntegrityError):
        store.execute(
            "INSERT INTO judgments (id, run, item_key, verdict, restricted, asserter, created) "
            "SELECT 'x', run, item_key, verdict, restricted, asserter, created FROM judgments"
        )


def test_taking_back_goes_on_to_the_first(store: sqlite3.Connection, judged_run: str) -> None:
    verdicts: list[Verdict] = ["yes", "no", "yes", "no"]
    for number, verdict in enumerate(verdicts):
        add_judgment(store, said(judged_run, verdict=verdict, reason=f"r{number}"), BEN)
    seen = ever(store, judged_run, "a")
    for number in (2, 1, 0):
        back = take_back(store, judged_run, "a", BEN, None)
        assert back is not None
        assert (back.verdict, back.reason) == (verdicts[number], f"r{number}")
        assert back.id not in seen, "it comes back as a new record"
        assert live(store, judged_run) == [back]
        seen.add(back.id)
    assert take_back(store, judged_run, "a", BEN, None) is None
    assert live(store, judged_run) == []
    with pytest.raises(NotFound):
        take_back(store, judged_run, "a", BEN, None)
    assert list_runs(store, RunFilter(judged=True), 5, None).data == ()


def test_nobodys_undo_touches_anothers(store: sqlite3.Connection, judged_run: str) -> None:
    anns = add_judgment(store, said(judged_run), ANN)
    guests = add_judgment(store, said(judged_run, participant="u-1"), BEN)
    with pytest.raises(NotFound):
        take_back(store, judged_run, "a", BEN, None)
    add_judgment(store, said(judged_run, verdict="no"), BEN)
    assert take_back(store, judged_run, "a", BEN, None) is None
    assert {each.id for each in live(store, judged_run)} == {anns.id, guests.id}


def test_what_was_removed_does_not_come_back(store: sqlite3.Connection, judged_run: str) -> None:
    add_judgment(store, said(judged_run), BEN)
    second = add_judgment(store, said(judged_run, verdict="no"), BEN)
    remove_judgment(store, second.id, BEN)
    add_judgment(store, said(judged_run), BEN)
    assert take_back(store, judged_run, "a", BEN, None) is None
    assert live(store, judged_run) == []


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([ANN, BEN]),
            st.sampled_from("ab"),
            st.sampled_from(["yes", "no", "back", "remove"]),
        ),
        max_size=14,
    )
)
def test_any_order_of_saying_and_taking_back(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Person, str, str]]
) -> None:
    """A stack of verdicts for each person and item says what is live."""
    store = opened(tmp_path_factory.mktemp("steps") / "workspace.db")
    made = run()
    insert_run(store, made)
    stacks: dict[tuple[str, str], list[str]] = {}
    for who, key, step in steps:
        stack = stacks.setdefault((who.id, key), [])
        if step in ("yes", "no"):
            add_judgment(store, said(made.id, key, step), who)  # type: ignore[arg-type]
            if stack[-1:] != [step]:
                stack.append(step)
        elif not stack:
            with pytest.raises(NotFound):
                take_back(store, made.id, key, who, None)
        elif step == "back":
            take_back(store, made.id, key, who, None)
            stack.pop()
        else:
            mine = [each for each in live(store, made.id) if (each.asserter, each.item.key) == (who.id, key)]
            remove_judgment(store, mine[0].id, who)
            stack.clear()
    expected = sorted((who, key, stack[-1]) for (who, key), stack in stacks.items() if stack)
    assert sorted((each.asserter, each.item.key, each.verdict) for each in live(store, made.id)) == expected
    counted = store.execute("SELECT judgments, judged FROM runs").fetchone()
    assert counted == (len(expected), int(bool(expected)))
    store.close()


def test_only_an_admin_removes_somebody_elses(store: sqlite3.Connection, judged_run: str) -> None:
    anns = add_judgment(store, said(judged_run), ANN)
    bens = add_judgment(store, said(judged_run), BEN)
    with pytest.raises(Denied):
        remove_judgment(store, anns.id, person("carl", "editor"))
    remove_judgment(store, bens.id, ANN)
    assert live(store, judged_run) == [anns]
    with pytest.raises(NotFound):
        remove_judgment(store, bens.id, ANN)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"reason": "x" * 4001}, "reason"),
        ({"item": ItemRef(key="")}, "item"),
        ({"item": ItemRef(key=" ")}, "item"),
        ({"item": ItemRef(key="a", rank=-1)}, "rank"),
        ({"item": ItemRef(key="a", pointer="output")}, "pointer"),
        ({"item": ItemRef(key="a", pointer="/output/articles/9")}, "pointer"),
        ({"item": ItemRef(key="a", pointer="/output/articles/~")}, "pointer"),
        ({"participant": ""}, "participant"),
        ({"group": "nobody"}, "group"),
    ],
)
def test_what_is_wrong_is_named(
    store: sqlite3.Connection, judged_run: str, changes: dict[str, object], field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        add_judgment(store, said(judged_run).model_copy(update=changes), BEN)
    assert refused.value.field == field
    assert store.execute("SELECT count(*) FROM judgments").fetchone() == (0,)


def test_a_reason_may_have_4000_characters(store: sqlite3.Connection, judged_run: str) -> None:
    made = add_judgment(store, said(judged_run, reason="é" * 4000), BEN)
    assert made.reason == "é" * 4000


@pytest.mark.parametrize("pointer", [None, "", "/output", "/output/articles/2/title"])
def test_pointers_that_stand(store: sqlite3.Connection, judged_run: str, pointer: str | None) -> None:
    item = ItemRef(key="k", pointer=pointer)
    assert add_judgment(store, NewJudgment(run_id=judged_run, item=item, verdict="yes"), BEN).item == item


@pytest.mark.parametrize("changes", [{"status": "running"}, {"status": "failed"}, {"output": None}])
def test_a_run_without_an_output_is_not_judged(store: sqlite3.Connection, changes: dict[str, object]) -> None:
    made = run(**changes)  # type: ignore[arg-type]
    insert_run(store, made)
    with pytest.raises(Conflict) as refused:
        add_judgment(store, said(made.id), BEN)
    assert refused.value.code == "run-not-finished"


@settings(max_examples=60, deadline=None)
@given(texts=st.tuples(*[st.text(st.characters(exclude_categories=()), min_size=1, max_size=6)] * 4))
def test_any_text_is_kept_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, texts: tuple[str, str, str, str]
) -> None:
    key, reason, participant, name = (text + "\x00\ud800k" for text in texts)
    store = opened(tmp_path_factory.mktemp("texts") / "workspace.db")
    made = run(output={key: [{"id": key}]}, id=f"run {name}")
    insert_run(store, made)
    item = ItemRef(key=key, pointer="/" + key.replace("~", "~0").replace("/", "~1") + "/0", rank=0)
    judge = person(name)
    judgment = add_judgment(
        store,
        NewJudgment(run_id=made.id, item=item, verdict="no", reason=reason, participant=participant),
        judge,
    )
    (again,) = live(store, made.id)
    assert again == judgment
    assert (again.item, again.reason, again.participant, again.asserter, again.run_id) == (
        *(item, reason, participant, name),
        made.id,
    )
    assert list_judgments(store, JudgmentFilter(asserter=name, run_id=made.id), 5, None).data == (judgment,)
    assert take_back(store, made.id, key, judge, participant) is None
    store.close()


def test_groups_restrict_who_speaks(store: sqlite3.Connection, judged_run: str) -> None:
    experts = add_group(
        store, "Experts", 3, None, None, None, Restriction(min_reviewer_role="senior"), group_id="g-1"
    )
    with pytest.raises(Denied) as refused:
        add_judgment(store, said(judged_run, group="Experts"), BEN)
    assert refused.value.code == "judge-class-not-allowed"
    senior = BEN.model_copy(update={"reviewer_role": "senior"})
    made = add_judgment(store, said(judged_run, group="Experts"), senior)
    assert (made.group_id, made.restricted) == (experts.id, True)
    # What was said stays as it was said, whatever becomes of the group.
    change_group(store, "Experts", None, None, None, True)
    assert get_judgment(store, made.id).restricted
    later = add_judgment(store, said(judged_run, verdict="no", group="g-1"), BEN)
    assert not later.restricted
    back = take_back(store, judged_run, "a", BEN, None)
    assert back is not None
    assert (back.group_id, back.restricted, back.verdict) == (experts.id, True, "yes")


def test_of_groups_with_one_name_those_that_cover_the_run_are_meant(
    store: sqlite3.Connection, judged_run: str
) -> None:
    ours = add_group(store, "G", 1, None, PROJECT, None, None).id
    add_group(store, "G", 1, None, OTHER, None, None)
    assert add_judgment(store, said(judged_run, group="G"), BEN).group_id == ours
    wide = add_group(store, "G", 1, None, None, None, None).id
    with pytest.raises(Invalid, match="Several groups") as unclear:
        add_judgment(store, said(judged_run, "b", group="G"), BEN)
    assert unclear.value.code == "judge-class-ambiguous"
    assert [one.item.key for one in live(store, judged_run)] == ["a"]
    assert add_judgment(store, said(judged_run, "b", group=wide), BEN).group_id == wide
    copied = add_judgment(store, said(judged_run, "b", "no", group="G", restricted=False), BEN, copied=True)
    assert copied.group_id == ours, "where nobody can be asked: the one that is closest to the run"


def test_a_group_covers_its_project_and_agent(store: sqlite3.Connection, judged_run: str) -> None:
    add_group(store, "Elsewhere", 1, None, OTHER, None, None)
    add_group(store, "Other agent", 1, None, PROJECT, "acme.other", None)
    add_group(store, "This agent", 1, None, PROJECT, "acme.picker", None)
    for name in ("Elsewhere", "Other agent"):
        with pytest.raises(Invalid) as refused:
            add_judgment(store, said(judged_run, group=name), BEN)
        assert refused.value.code == "judge-class-not-applicable"
    assert add_judgment(store, said(judged_run, group="This agent"), BEN).group_id is not None
    retire_group(store, "This agent")
    with pytest.raises(Invalid):
        add_judgment(store, said(judged_run, "b", group="This agent"), BEN)


def _every(store: sqlite3.Connection, query: JudgmentFilter) -> list[str]:
    found: list[str] = []
    cursor = None
    for _ in range(100):
        page = list_judgments(store, query, 3, cursor)
        found += [each.id for each in page.data]
        if not page.has_more:
            return found
        cursor = page.next_cursor
    raise AssertionError("the list doesn't end")


def test_lists_under_every_filter(store: sqlite3.Connection) -> None:
    add_group(store, "G", 1, None, None, None, None, group_id="g")
    made: list[tuple[Judgment, str, str, str]] = []
    for number in range(24):
        project = OTHER if number % 3 == 0 else PROJECT
        agent = f"acme.{number % 2}"
        version = f"0.{number % 4}.0"
        each = run(agent, version, project_id=project)
        insert_run(store, each)
        new = said(each.id, verdict="no" if number % 4 else "yes", group="G" if number % 5 == 0 else None)
        made.append(
            (add_judgment(store, new, BEN if number % 2 else ANN, 1000 + number), project, agent, version)
        )
    made.reverse()
    checks: list[tuple[JudgmentFilter, Callable[[Judgment, str, str, str], bool]]] = [
        (JudgmentFilter(), lambda *_: True),
        (JudgmentFilter(project_id=OTHER), lambda j, p, a, v: p == OTHER),
        (JudgmentFilter(subject_id="acme.1"), lambda j, p, a, v: a == "acme.1"),
        (JudgmentFilter(subject_id="acme.1", subject_version="0.3.0"), lambda j, p, a, v: v == "0.3.0"),
        (JudgmentFilter(verdict="yes"), lambda j, p, a, v: j.verdict == "yes"),
        (JudgmentFilter(group_id="g"), lambda j, p, a, v: j.group_id == "g"),
        (JudgmentFilter(asserter="ben"), lambda j, p, a, v: j.asserter == "ben"),
        (JudgmentFilter(asserter="\ud800"), lambda *_: False),
        (JudgmentFilter(project_id="none"), lambda *_: False),
        (JudgmentFilter(run_id=made[3][0].run_id), lambda j, p, a, v: j == made[3][0]),
    ]
    for query, holds in checks:
        assert _every(store, query) == [each[0].id for each in made if holds(*each)], query


def test_wrong_questions_are_refused(store: sqlite3.Connection) -> None:
    asks: list[tuple[JudgmentFilter, int, str | None, type[WorkbenchError]]] = [
        (JudgmentFilter(subject_version="0.1.0"), 5, None, Invalid),
        (JudgmentFilter(run_id="nowhere"), 5, None, NotFound),
        (JudgmentFilter(), 0, None, Invalid),
        (JudgmentFilter(), 5, "nonsense", Invalid),
        (JudgmentFilter(), 5, cursor_of(1), Invalid),
    ]
    for query, limit, cursor, error in asks:
        with pytest.raises(error):
            list_judgments(store, query, limit, cursor)
    for missing in ("", "none", "\ud800", "\x00"):
        with pytest.raises(NotFound):
            get_judgment(store, missing)
