"""One live correction per run, asserter and participant; the rest is history (DESIGN section 7)."""

import sqlite3
from collections.abc import Callable
from contextlib import nullcontext

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.corrections import (
    CALLS_LIMIT,
    TEXT_LIMIT,
    Correction,
    CorrectionFilter,
    Expectation,
    ExpectedCall,
)
from kindgi_tui.domain.judgments import Restriction
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.runs import Subject
from kindgi_tui.local.store.corrections import (
    add_correction,
    add_corrections,
    corrections_of_run,
    get_correction,
    history_of_run,
    list_corrections,
    remove_correction,
    take_back_correction,
)
from kindgi_tui.local.store.groups import add_group, change_group, retire_group
from kindgi_tui.local.store.run_lists import list_runs
from kindgi_tui.local.store.runs import insert_run, run_seq
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound, Refused, WorkbenchError
from tests.local.store.correcting import BOTH, LATE, RIGHT, SEARCH, SEARCHED, corrected, expectations
from tests.local.store.making import ANN, BEN, OTHER, PROJECT, opened, person, run


@pytest.fixture
def a_run(store: sqlite3.Connection) -> str:
    made = run()
    insert_run(store, made)
    return made.id


def live(store: sqlite3.Connection, run_id: str) -> list[Correction]:
    return list(corrections_of_run(store, run_seq(store, run_id)))


def history(store: sqlite3.Connection, run_id: str) -> list[Correction]:
    return list(history_of_run(store, run_seq(store, run_id)))


def test_a_correction_comes_back_as_it_was_said(store: sqlite3.Connection, a_run: str) -> None:
    made = add_correction(store, corrected(a_run, BOTH, participant="u-1"), BEN, 1000)
    assert (made.run_id, made.expect, made.asserter, made.participant) == (a_run, BOTH, "ben", "u-1")
    assert (made.group_id, made.expert, made.ended_at, made.superseded_by) == (None, False, None, None)
    assert made.created_at.timestamp() == 1
    assert get_correction(store, made.id) == made == get_correction(store, made.id[:8])
    assert live(store, a_run) == history(store, a_run) == [made]


def test_correcting_again_replaces_and_keeps_history(store: sqlite3.Connection, a_run: str) -> None:
    first = add_correction(store, corrected(a_run), BEN)
    second = add_correction(store, corrected(a_run, SEARCHED), BEN)
    assert live(store, a_run) == [second]
    assert [each.id for each in history(store, a_run)] == [second.id, first.id]
    before = get_correction(store, first.id)
    assert before.superseded_by == second.id
    assert before.ended_at == second.created_at
    assert before.model_copy(update={"ended_at": None, "superseded_by": None}) == first


def test_the_same_said_again_changes_nothing(store: sqlite3.Connection, a_run: str) -> None:
    first = add_correction(store, corrected(a_run, SEARCHED), BEN)
    call = SEARCHED.should_call[0]
    turned = call.model_copy(update={"arguments": {"n": 3.0, "query": "refund"}})
    same = SEARCHED.model_copy(update={"should_call": (turned,), "must_not_call": ("acme.mail", "acme.mail")})
    assert add_correction(store, corrected(a_run, same), BEN) == first
    assert len(history(store, a_run)) == 1
    other = call.model_copy(update={"arguments": {"n": True, "query": "refund"}})
    add_correction(store, corrected(a_run, SEARCHED.model_copy(update={"should_call": (other,)})), BEN)
    assert len(history(store, a_run)) == 2


def test_the_same_as_another_group_is_not_the_same(store: sqlite3.Connection, a_run: str) -> None:
    add_group(store, "G", 1, None, None, None, None, group_id="g")
    add_correction(store, corrected(a_run), BEN)
    again = add_correction(store, corrected(a_run, group="G"), BEN)
    assert (again.group_id, len(history(store, a_run))) == ("g", 2)


def test_people_and_participants_stand_beside_each_other(store: sqlite3.Connection, a_run: str) -> None:
    made = [
        add_correction(store, corrected(a_run, participant=participant), who)
        for who in (ANN, BEN)
        for participant in (None, "u-1", "u-2")
    ]
    assert {each.id for each in live(store, a_run)} == {each.id for each in made}
    assert list_runs(store, RunFilter(judged=True), 5, None).data == (), "a correction is no judgment"


def test_the_file_itself_refuses_two_live_ones(store: sqlite3.Connection, a_run: str) -> None:
    add_correction(store, corrected(a_run), BEN)
    with pytest.raises(sqlite3.IntegrityError):
        store.execute(
            "INSERT INTO corrections (id, run, expect, expert, asserter, participant, created) "
            "SELECT 'x', run, expect, expert, asserter, participant, created FROM corrections"
        )


def test_taking_back_goes_on_to_the_first(store: sqlite3.Connection, a_run: str) -> None:
    said = [LATE, SEARCHED, RIGHT, BOTH]
    seen = {add_correction(store, corrected(a_run, each), BEN).id for each in said}
    for expect in (RIGHT, SEARCHED, LATE):
        back = take_back_correction(store, a_run, BEN, None)
        assert back is not None
        assert back.expect == expect
        assert back.id not in seen, "it comes back as a new record"
        assert live(store, a_run) == [back]
        seen.add(back.id)
    assert take_back_correction(store, a_run, BEN, None) is None
    assert live(store, a_run) == []
    assert {each.id for each in history(store, a_run)} == seen
    with pytest.raises(NotFound):
        take_back_correction(store, a_run, BEN, None)


def test_what_was_removed_does_not_come_back(store: sqlite3.Connection, a_run: str) -> None:
    add_correction(store, corrected(a_run), BEN)
    second = add_correction(store, corrected(a_run, RIGHT), BEN)
    remove_correction(store, second.id[:8], BEN)
    add_correction(store, corrected(a_run, SEARCHED), BEN)
    assert take_back_correction(store, a_run, BEN, None) is None
    assert live(store, a_run) == []


def test_only_an_admin_removes_somebody_elses(store: sqlite3.Connection, a_run: str) -> None:
    anns = add_correction(store, corrected(a_run), ANN)
    bens = add_correction(store, corrected(a_run), BEN)
    with pytest.raises(Denied):
        remove_correction(store, anns.id, person("carl", "editor"))
    remove_correction(store, bens.id, ANN)
    assert live(store, a_run) == [anns]
    with pytest.raises(NotFound, match="not live any more"):
        remove_correction(store, bens.id, ANN)


STEPS = st.lists(
    st.tuples(
        st.sampled_from([ANN, BEN]),
        st.sampled_from([None, "u-1"]),
        st.sampled_from([LATE, SEARCHED, RIGHT, "back", "remove"]),
    ),
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_any_order_of_saying_and_taking_back(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Person, str | None, Expectation | str]]
) -> None:
    """A stack for each person and participant says what is live; history has every record that was ever given."""
    store = opened(tmp_path_factory.mktemp("steps") / "workspace.db")
    made = run()
    insert_run(store, made)
    stacks: dict[tuple[str, str | None], list[Expectation]] = {}
    given_out: dict[str, Correction] = {}
    for who, participant, step in steps:
        stack = stacks.setdefault((who.id, participant), [])
        if isinstance(step, Expectation):
            one = add_correction(store, corrected(made.id, step, participant=participant), who)
            given_out[one.id] = one
            if stack[-1:] != [step]:
                stack.append(step)
        elif not stack:
            with pytest.raises(NotFound):
                take_back_correction(store, made.id, who, participant)
        elif step == "back":
            back = take_back_correction(store, made.id, who, participant)
            stack.pop()
            assert (None if back is None else back.expect) == (stack[-1] if stack else None)
            if back is not None:
                given_out[back.id] = back
        else:
            (mine,) = [
                each
                for each in live(store, made.id)
                if (each.asserter, each.participant) == (who.id, participant)
            ]
            remove_correction(store, mine.id, who)
            stack.clear()
    now = {(each.asserter, each.participant): each.expect for each in live(store, made.id)}
    assert now == {whose: stack[-1] for whose, stack in stacks.items() if stack}
    every = {each.id: each for each in history(store, made.id)}
    assert every.keys() == given_out.keys()
    for identity, one in every.items():
        assert one.model_copy(update={"ended_at": None, "superseded_by": None}) == given_out[identity]
        if one.superseded_by is not None:
            after = every[one.superseded_by]
            assert (after.asserter, after.participant) == (one.asserter, one.participant)
            assert one.ended_at is not None
    store.close()


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    expect=expectations(), names=st.tuples(*[st.text(st.characters(exclude_categories=()), max_size=6)] * 3)
)
def test_any_expectation_and_any_text_is_kept_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, expect: Expectation, names: tuple[str, str, str]
) -> None:
    participant, asserter, run_id = (f"{name}\x00\ud800k" for name in names)
    store = opened(tmp_path_factory.mktemp("texts") / "workspace.db")
    insert_run(store, run(id=f"run {run_id}"))
    who = person(asserter)
    made = add_correction(store, corrected(f"run {run_id}", expect, participant=participant), who)
    assert live(store, f"run {run_id}") == [made]
    assert (made.expect, made.participant, made.asserter, made.run_id) == (
        *(expect, participant, asserter),
        f"run {run_id}",
    )
    assert add_correction(store, corrected(f"run {run_id}", expect, participant=participant), who) == made
    assert list_corrections(store, CorrectionFilter(asserter=asserter), 5, None).data == (made,)
    store.close()


def test_an_expert_group_counts_as_it_was_when_it_was_said(store: sqlite3.Connection, a_run: str) -> None:
    experts = add_group(store, "Experts", 3, None, None, None, Restriction(min_reviewer_role="senior"))
    with pytest.raises(Denied, match='You can\'t correct as "Experts"') as refused:
        add_correction(store, corrected(a_run, group="Experts"), BEN)
    assert refused.value.code == "judge-class-not-allowed"
    senior = BEN.model_copy(update={"reviewer_role": "senior"})
    made = add_correction(store, corrected(a_run, group="Experts"), senior)
    assert (made.group_id, made.expert) == (experts.id, True)
    change_group(store, "Experts", None, None, None, True)
    assert get_correction(store, made.id).expert
    later = add_correction(store, corrected(a_run, RIGHT, group=experts.id), BEN)
    assert not later.expert
    change_group(store, "Experts", None, None, Restriction(min_reviewer_role="admin"), False)
    assert not get_correction(store, later.id).expert
    back = take_back_correction(store, a_run, BEN, None)
    assert back is not None
    assert (back.group_id, back.expert, back.expect) == (experts.id, True, LATE)


def test_a_copied_correction_is_as_expert_as_it_was(store: sqlite3.Connection, a_run: str) -> None:
    add_group(store, "Experts", 3, None, None, None, Restriction(min_reviewer_role="senior"))
    add_group(store, "Readers", 1, None, None, None, None)
    for group, expert in (("Experts", False), ("Experts", True), ("Readers", True)):
        new = corrected(a_run, group=group, expert=expert)
        with pytest.raises(Denied) if group == "Experts" else nullcontext():
            assert not add_correction(store, new, BEN).expert, "who corrects here can't say so"
        made = add_correction(
            store, new.model_copy(update={"participant": f"{group} {expert}"}), BEN, copied=True
        )
        assert made.expert == expert


def test_a_group_covers_its_project_and_agent(store: sqlite3.Connection, a_run: str) -> None:
    add_group(store, "Elsewhere", 1, None, OTHER, None, None)
    add_group(store, "Other agent", 1, None, PROJECT, "acme.other", None)
    add_group(store, "This agent", 1, None, PROJECT, "acme.picker", None)
    for name in ("Elsewhere", "Other agent", "nobody"):
        with pytest.raises(Invalid) as refused:
            add_correction(store, corrected(a_run, group=name), BEN)
        assert refused.value.code == "judge-class-not-applicable"
    assert add_correction(store, corrected(a_run, group="This agent"), BEN).group_id is not None
    retire_group(store, "This agent")
    with pytest.raises(Invalid):
        add_correction(store, corrected(a_run, RIGHT, group="This agent"), BEN)


@pytest.mark.parametrize("status", ["pending", "running", "suspended"])
def test_a_run_that_goes_on_is_not_corrected(store: sqlite3.Connection, status: str) -> None:
    made = run(status=status)
    insert_run(store, made)
    for expect in (RIGHT, LATE):
        with pytest.raises(Conflict, match=status) as refused:
            add_correction(store, corrected(made.id, expect), BEN)
        assert refused.value.code == "run-not-finished"


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
@pytest.mark.parametrize("output", [None, {"appended": []}])
def test_an_answer_needs_an_output_and_decisions_do_not(
    store: sqlite3.Connection, status: str, output: object
) -> None:
    made = run(status=status, output=output)
    insert_run(store, made)
    assert add_correction(store, corrected(made.id, SEARCHED), BEN).expect == SEARCHED
    for expect in (LATE, BOTH):
        if output is not None:
            assert add_correction(store, corrected(made.id, expect), BEN).expect == expect
            continue
        with pytest.raises(Invalid, match="no output") as refused:
            add_correction(store, corrected(made.id, expect), BEN)
        assert refused.value.field == "answer"


def test_a_flow_has_an_answer_and_no_decisions(store: sqlite3.Connection) -> None:
    made = run(subject=Subject(kind="flow", id="acme.flow", version="1.0.0"), output=[1])
    insert_run(store, made)
    for expect in (RIGHT, SEARCHED, BOTH):
        with pytest.raises(Invalid, match="flow") as refused:
            add_correction(store, corrected(made.id, expect), BEN)
        assert refused.value.field == "decisions"
    assert add_correction(store, corrected(made.id), BEN).expect == LATE


def test_a_replay_is_corrected_like_any_run(store: sqlite3.Connection, a_run: str) -> None:
    replay = run(replay_of=a_run, comparison_id="c-1")
    insert_run(store, replay)
    assert add_correction(store, corrected(replay.id, BOTH), BEN).run_id == replay.id


@pytest.mark.parametrize(
    ("expect", "field"),
    [
        (Expectation(), "expect"),
        (Expectation(decisions="right", must_not_call=("a",)), "expect.mustNotCall"),
        (Expectation(decisions="wrong"), "expect.decisions"),
        (Expectation(decisions="wrong", should_call=(ExpectedCall(tool_id=" "),)), "expect.shouldCall"),
        (
            Expectation(decisions="wrong", should_call=(ExpectedCall(tool_id=SEARCH),) * (CALLS_LIMIT + 1)),
            "expect.shouldCall",
        ),
        (Expectation(answer="right", why="x"), "expect.why"),
        (Expectation(answer="wrong"), "expect.answer"),
        (Expectation(answer="wrong", should_say="x" * (TEXT_LIMIT + 1)), "expect.shouldSay"),
    ],
)
def test_what_can_not_be_graded_is_not_kept(
    store: sqlite3.Connection, a_run: str, expect: Expectation, field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        add_correction(store, corrected(a_run, expect), BEN)
    assert (refused.value.code, refused.value.field) == ("bad-input", field)
    with pytest.raises(Invalid) as refused:
        add_correction(store, corrected(a_run, participant=" "), BEN)
    assert refused.value.field == "participant"
    assert history(store, a_run) == []


def test_several_are_kept_in_order_or_all_refused_are_told(store: sqlite3.Connection, a_run: str) -> None:
    other = run()
    insert_run(store, other)
    made = add_corrections(
        store, [corrected(a_run), corrected(other.id, RIGHT), corrected(a_run, SEARCHED)], BEN
    )
    assert [each.expect for each in made] == [LATE, RIGHT, SEARCHED]
    assert [each.expect for each in live(store, a_run)] == [SEARCHED]
    store.execute("BEGIN")
    with pytest.raises(Refused) as refused:
        add_corrections(
            store,
            [corrected("nothing-here"), corrected(a_run, RIGHT), corrected(a_run, LATE, group="nobody")],
            BEN,
        )
    store.execute("ROLLBACK")
    assert [(place, type(why)) for place, why in refused.value.refusals] == [(1, NotFound), (3, Invalid)]
    assert refused.value.sentence == (
        "2 of 3 corrections can't be saved, so none was. Number 1: No run with id nothing-here. "
        "`kindgi-tui runs list` shows them."
    )


def _every(store: sqlite3.Connection, query: CorrectionFilter) -> list[str]:
    found: list[str] = []
    cursor = None
    for _ in range(100):
        page = list_corrections(store, query, 3, cursor)
        found += [each.id for each in page.data]
        if not page.has_more:
            return found
        cursor = page.next_cursor
    raise AssertionError("the list doesn't end")


def test_lists_under_every_filter(store: sqlite3.Connection) -> None:
    add_group(store, "G", 1, None, None, None, None, group_id="g")
    made: list[tuple[Correction, str, str]] = []
    for number in range(24):
        project = OTHER if number % 3 == 0 else PROJECT
        agent = f"acme.{number % 2}"
        each = run(agent, project_id=project)
        insert_run(store, each)
        add_correction(store, corrected(each.id, RIGHT), BEN if number % 2 else ANN, 1)
        new = corrected(each.id, group="G" if number % 5 == 0 else None)
        # Two at a time are made at the same moment.
        when = 1000 + number // 2
        made.append((add_correction(store, new, BEN if number % 2 else ANN, when), project, agent))
    made.reverse()
    checks: list[tuple[CorrectionFilter, Callable[[Correction, str, str], bool]]] = [
        (CorrectionFilter(), lambda *_: True),
        (CorrectionFilter(project_id=OTHER), lambda c, p, a: p == OTHER),
        (CorrectionFilter(subject_id="acme.1"), lambda c, p, a: a == "acme.1"),
        (CorrectionFilter(group_id="g"), lambda c, p, a: c.group_id == "g"),
        (CorrectionFilter(asserter="ben"), lambda c, p, a: c.asserter == "ben"),
        (CorrectionFilter(asserter="\ud800"), lambda *_: False),
        (
            CorrectionFilter(project_id=OTHER, asserter="ben"),
            lambda c, p, a: (p, c.asserter) == (OTHER, "ben"),
        ),
        (CorrectionFilter(run_id=made[3][0].run_id), lambda c, p, a: c == made[3][0]),
    ]
    for query, holds in checks:
        assert _every(store, query) == [each[0].id for each in made if holds(*each)], query


def test_wrong_questions_are_refused(store: sqlite3.Connection, a_run: str) -> None:
    made = add_correction(store, corrected(a_run), BEN)
    asks: list[tuple[Callable[[], object], type[WorkbenchError]]] = [
        (lambda: get_correction(store, made.id[:7]), NotFound),
        (lambda: get_correction(store, "\ud800" * 9), NotFound),
        (lambda: list_corrections(store, CorrectionFilter(run_id="nothing-here"), 5, None), NotFound),
        (lambda: list_corrections(store, CorrectionFilter(), 0, None), Invalid),
        (lambda: list_corrections(store, CorrectionFilter(), 5, "nonsense"), Invalid),
        (lambda: take_back_correction(store, "nothing-here", BEN, None), NotFound),
        (lambda: add_correction(store, corrected("nothing-here"), BEN), NotFound),
    ]
    for ask, kind in asks:
        with pytest.raises(kind):
            ask()
    same = made.id[:9]
    store.execute(
        "INSERT INTO corrections (id, run, expect, expert, asserter, participant, created) "
        "SELECT ? || 'x', run, expect, expert, 'carl', participant, created FROM corrections",
        (same,),
    )
    with pytest.raises(Invalid, match="Several corrections"):
        get_correction(store, same)
