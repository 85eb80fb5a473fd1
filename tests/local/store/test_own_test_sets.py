"""An agent's own test set: its cases as they stand, added by hand, retired, frozen (DESIGN sections 7 and 8)."""

import sqlite3
import tempfile
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.corrections import CorrectionFilter, Expectation, ExpectedCall, NewCorrection
from kindgi_tui.domain.judgments import Restriction
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.domain.own_test_sets import (
    ExpectedItem,
    NewCase,
    OwnCase,
    own_test_set_id,
    parse_own_test_set_id,
)
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.store.corrections import add_correction, list_corrections, remove_correction
from kindgi_tui.local.store.groups import add_group, change_group, find_group
from kindgi_tui.local.store.judgments import add_judgment, remove_judgment
from kindgi_tui.local.store.own_cases import (
    add_own_case,
    bring_back_own_case,
    get_own_case,
    list_own_cases,
    retire_own_case,
)
from kindgi_tui.local.store.own_test_sets import freeze, gather_own, own_test_set, own_test_sets
from kindgi_tui.local.store.runs import insert_run
from kindgi_tui.local.store.schema import APPLICATION_ID, MIGRATIONS
from kindgi_tui.local.store.test_sets import all_cases, version_seq
from kindgi_tui.storage.opening import connect, open_file
from kindgi_tui.workbench import Conflict, Invalid, NotFound
from tests.local.store.making import ANN, BEN, OTHER, PROJECT, opened, person, run, said

AGENT = "acme.picker"
SET = own_test_set_id(AGENT, PROJECT)
SAYS = Expectation(answer="wrong", should_say="Refunds take five days.")
CALLS = Expectation(
    decisions="wrong", should_call=(ExpectedCall(tool_id="shop.refund", arguments={"order": 7}),)
)


def kept(store: sqlite3.Connection, **fields: Any) -> RunDetail:
    made = run(**fields)
    insert_run(store, made)
    return made


def correct(
    store: sqlite3.Connection,
    run_id: str,
    expect: Expectation,
    who: str = "ann",
    *,
    expert: bool = False,
    at: int = 1_000,
) -> None:
    """Somebody's live correction of a run, in place of the one they made before."""
    group = find_group(store, "restricted") if expert else None
    if expert and group is None:
        only_people = Restriction(principal_kinds=("user",))
        group = add_group(store, "restricted", 1, None, None, None, only_people)
    new = NewCorrection(run_id=run_id, expect=expect, group=None if group is None else group.id)
    assert add_correction(store, new, person(who), at).expert == expert


def uncorrect(store: sqlite3.Connection, run_id: str, who: str = "ann") -> None:
    live = list_corrections(store, CorrectionFilter(run_id=run_id, asserter=who), 10, None).data
    for each in live:
        remove_correction(store, each.id, person(who))


def live(store: sqlite3.Connection, retired: bool = False) -> dict[str, OwnCase]:
    return {one.id: one for one in list_own_cases(store, AGENT, PROJECT, retired, 100, None).data}


def frozen(store: sqlite3.Connection) -> tuple[str, bool]:
    version, made = freeze(store, AGENT, PROJECT, "ann")
    return version.version, made


def cases_of(store: sqlite3.Connection, version: str) -> dict[str, Case]:
    return {one.case_id: one for one in all_cases(store, version_seq(store, SET, version))}


def test_the_id_of_an_own_set_says_whose_it_is() -> None:
    assert f"agent.acme.picker.{PROJECT}" == SET
    assert parse_own_test_set_id(SET) == (AGENT, PROJECT)
    for other in (
        "acme.article-picks",
        "agent.acme.picker",
        f"agent.{PROJECT}",
        f"agents.acme.{PROJECT}",
        "",
    ):
        assert parse_own_test_set_id(other) is None


@given(st.from_regex(r"[a-z][a-z0-9.-]{0,60}", fullmatch=True), st.uuids().map(str))
def test_the_id_is_read_as_it_is_written(agent: str, project: str) -> None:
    assert parse_own_test_set_id(own_test_set_id(agent, project)) == (agent, project)


def test_a_case_per_run_that_is_judged_or_corrected_and_no_other(store: sqlite3.Connection) -> None:
    judged, corrected, both, gone = (kept(store, minute=at) for at in range(4))
    others = [
        kept(store),
        kept(store, agent="acme.other"),
        kept(store, project_id=OTHER),
        kept(store, replay_of=judged.id),
    ]
    for each in (judged, both, gone, *others[1:]):
        add_judgment(store, said(each.id), ANN)
    for each in (corrected, both, *others[2:]):
        correct(store, each.id, SAYS)
    uncorrect(store, others[2].id)
    remove_judgment(store, add_judgment(store, said(gone.id, verdict="no"), ANN).id, ANN)
    found = live(store)
    assert set(found) == {judged.id, corrected.id, both.id}
    assert [found[each.id].expect for each in (judged, corrected, both)] == [None, SAYS, SAYS]
    assert [[item.key for item in found[each.id].items] for each in (judged, corrected, both)] == [
        ["a"],
        [],
        ["a"],
    ]
    assert {(one.source, one.expert, one.run_id) for one in found.values()} == {
        ("run", False, each.id) for each in (judged, corrected, both)
    }
    assert (found[judged.id].by, found[both.id].by) == (None, "ann")
    state = own_test_set(store, AGENT, PROJECT)
    assert (state.id, state.case_count, state.available, state.retired) == (SET, 3, 3, 0)
    assert (state.version, state.changed) == (None, True)


def test_a_failed_run_that_was_corrected_is_a_case(store: sqlite3.Connection) -> None:
    failed = kept(store, status="failed", output=None, failure="boom")
    correct(store, failed.id, CALLS)
    assert live(store)[failed.id].expect == CALLS
    assert frozen(store) == ("1.0.1", True)
    assert cases_of(store, "1.0.1")[failed.id].output is None


def test_the_newest_experts_correction_counts_else_the_newest(store: sqlite3.Connection) -> None:
    made = kept(store)
    correct(store, made.id, SAYS, "ann", at=1)
    correct(store, made.id, CALLS, "ben", at=2)
    case = live(store)[made.id]
    assert (case.expect, case.expert, case.by) == (CALLS, False, "ben")
    older = Expectation(answer="right")
    correct(store, made.id, older, "eve", expert=True, at=0)
    case = live(store)[made.id]
    assert (case.expect, case.expert, case.by) == (older, True, "eve")
    newer = Expectation(decisions="right")
    correct(store, made.id, newer, "fay", expert=True, at=1)
    assert live(store)[made.id].expect == newer


def test_items_carry_their_groups_weights_as_a_built_set_does(store: sqlite3.Connection) -> None:
    group = add_group(store, "experts", 3, None, None, None, None)
    made = kept(store)
    add_judgment(store, said(made.id, "a", "yes", group=group.id, reason="fits"), ANN)
    add_judgment(store, said(made.id, "a", "no"), BEN)
    (item,) = live(store)[made.id].items
    assert (item.yes, item.no, item.yes_weight, item.total_weight) == (1, 1, 3, 4)
    assert [reason.reason for reason in item.reasons] == ["fits"]
    assert frozen(store) == ("1.0.1", True)
    change_group(store, group.id, 5, None, None, False)
    assert own_test_set(store, AGENT, PROJECT).changed
    assert frozen(store) == ("1.0.2", True)


def test_a_weight_nothing_here_was_said_with_changes_no_case(store: sqlite3.Connection) -> None:
    group = add_group(store, "others", 3, None, None, None, None)
    add_judgment(store, said(kept(store).id), ANN)
    assert frozen(store) == ("1.0.1", True)
    change_group(store, group.id, 5, None, None, False)
    assert not own_test_set(store, AGENT, PROJECT).changed
    assert frozen(store) == ("1.0.1", False)
    assert gather_own(store, AGENT, PROJECT) is None


def test_retired_cases_stay_out_until_they_are_brought_back(store: sqlite3.Connection) -> None:
    stays, goes = kept(store), kept(store)
    for each in (stays, goes):
        add_judgment(store, said(each.id), ANN)
    by_hand = add_own_case(store, NewCase(run_id=stays.id, expect=SAYS), "ann")
    for case in (goes.id, by_hand.id):
        retired = retire_own_case(store, case, "ben")
        assert (retired.retired_by, retired.id) == ("ben", case)
        assert retire_own_case(store, case, "ann") == retired
    assert set(live(store)) == {stays.id}
    assert set(live(store, retired=True)) == {goes.id, by_hand.id}
    add_judgment(store, said(goes.id, "b", "no"), BEN)
    assert set(live(store)) == {stays.id}
    state = own_test_set(store, AGENT, PROJECT)
    assert (state.case_count, state.retired) == (1, 2)
    assert frozen(store) == ("1.0.1", True)
    assert set(cases_of(store, "1.0.1")) == {stays.id}
    for case in (goes.id, by_hand.id):
        assert bring_back_own_case(store, case).retired_at is None
        assert bring_back_own_case(store, case).retired_at is None
    assert set(live(store)) == {stays.id, goes.id, by_hand.id}
    assert frozen(store) == ("1.0.2", True)


def test_a_case_by_hand_from_a_run_copies_it(store: sqlite3.Connection) -> None:
    made = kept(store, context={"history": [{"role": "user", "content": "hi"}]})
    items = (ExpectedItem(key="a", verdict="no"), ExpectedItem(key="new", verdict="yes"),
             ExpectedItem(key="/output/articles/2", verdict="yes"))  # fmt: skip
    added = add_own_case(store, NewCase(run_id=made.id[:20], expect=CALLS, items=items), "ann")
    assert (added.source, added.by, added.expert, added.run_id) == ("hand", "ann", True, made.id)
    assert added.id != made.id
    assert uuid.UUID(added.id)
    assert added.expect == CALLS
    assert [(one.key, one.pointer, one.rank, one.yes, one.no) for one in added.items] == [
        ("a", "/output/articles/0", 0, 0, 1),
        ("/output/articles/2", "/output/articles/2", 2, 1, 0),
        ("new", None, None, 1, 0),
    ]
    assert all(one.restricted is not None and one.restricted.total_weight == 1 for one in added.items)
    assert frozen(store) == ("1.0.1", True)
    case = cases_of(store, "1.0.1")[added.id]
    assert (case.past_run, case.expert, case.strict, case.from_nothing) == (made.id, True, True, False)
    assert (case.input, case.output, case.context) == (made.input, made.output, made.context)
    assert get_own_case(store, added.id[:8]) == added


def test_one_run_may_be_a_case_of_its_own_and_by_hand_too(store: sqlite3.Connection) -> None:
    made = kept(store)
    correct(store, made.id, SAYS)
    added = add_own_case(store, NewCase(run_id=made.id, expect=CALLS), "ann")
    assert frozen(store) == ("1.0.1", True)
    assert {one.case_id: one.past_run for one in cases_of(store, "1.0.1").values()} == {
        made.id: made.id,
        added.id: made.id,
    }


def test_a_case_from_nothing_has_no_recording(store: sqlite3.Connection) -> None:
    kept(store)
    new = NewCase(agent_id=AGENT, project_id=PROJECT, input="Is it open on Sunday?", expect=SAYS,
                  items=(ExpectedItem(key="kb-1", verdict="yes"),))  # fmt: skip
    added = add_own_case(store, new, "ann")
    assert (added.run_id, added.input, added.expert, added.expect) == (None, new.input, True, SAYS)
    assert frozen(store) == ("1.0.1", True)
    case = cases_of(store, "1.0.1")[added.id]
    assert (case.from_nothing, case.strict, case.output, case.context) == (True, False, None, None)
    assert case == added.case


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"expect": Expectation(decisions="right")}, "decisions can't be right"),
        ({"expect": Expectation(answer="right")}, "answer can't be right"),
        ({"expect": Expectation(should_say="so")}, "goes with a wrong answer"),
        ({"expect": Expectation()}, "says what is expected"),
        ({"input": " "}, "what the agent is asked"),
        ({"input": "x" * 100_001}, "100,000"),
        ({"agent_id": None}, "the run or the agent"),
        ({"items": (ExpectedItem(key="answer", verdict="yes"),)}, "--should-say"),
        ({"items": (ExpectedItem(key="/output/a/0", verdict="yes"),)}, "own ids"),
        ({"items": (ExpectedItem(key="k", verdict="yes"), ExpectedItem(key="k", verdict="no"))}, "twice"),
    ],
)
def test_what_a_case_from_nothing_cannot_say_is_refused(
    store: sqlite3.Connection, wrong: dict[str, Any], words: str
) -> None:
    kept(store)
    new = NewCase(agent_id=AGENT, project_id=PROJECT, input="hello", expect=SAYS).model_copy(update=wrong)
    with pytest.raises(LimitError, match=words):
        add_own_case(store, new, "ann")
    assert live(store) == {}


def test_what_no_case_can_be_made_of_is_refused(store: sqlite3.Connection) -> None:
    made = kept(store)
    replay, flow = kept(store, replay_of=made.id), kept(store, status="running", output=None)
    for run_id, kind in ((replay.id, Invalid), (flow.id, Conflict), ("00000000-none", NotFound)):
        with pytest.raises(kind):
            add_own_case(store, NewCase(run_id=run_id, expect=SAYS), "ann")
    with pytest.raises(LimitError, match="not both"):
        add_own_case(store, NewCase(run_id=made.id, input="x", expect=SAYS), "ann")
    with pytest.raises(Invalid, match="runs show"):
        add_own_case(
            store, NewCase(run_id=made.id, items=(ExpectedItem(key="answer", verdict="yes"),)), "ann"
        )
    with pytest.raises(NotFound, match="agents list"):
        add_own_case(store, NewCase(agent_id="x", project_id=PROJECT, input="x", expect=SAYS), "ann")
    for case in (made.id, replay.id, "nothing at all"):
        for ask in (get_own_case, bring_back_own_case, lambda c, i: retire_own_case(c, i, "ann")):
            with pytest.raises(NotFound, match="cases list"):
                ask(store, case)


def test_without_cases_freezing_is_refused_and_says_how_to_make_one(store: sqlite3.Connection) -> None:
    with pytest.raises(Conflict, match="kindgi-tui judge") as refused:
        freeze(store, AGENT, PROJECT, "ann")
    assert refused.value.code == "suggested-change-nothing-to-check"
    made = kept(store)
    judgment = add_judgment(store, said(made.id), ANN)
    assert frozen(store) == ("1.0.1", True)
    remove_judgment(store, judgment.id, ANN)
    with pytest.raises(Conflict):
        freeze(store, AGENT, PROJECT, "ann")
    state = own_test_set(store, AGENT, PROJECT)
    assert (state.case_count, state.version, state.changed) == (0, "1.0.1", True)
    assert [one.id for one in own_test_sets(store, PROJECT)] == [SET]


def test_the_same_cases_in_another_order_are_the_same_version(store: sqlite3.Connection) -> None:
    one, two = kept(store), kept(store)
    first = add_judgment(store, said(one.id), ANN, 1_000)
    add_judgment(store, said(two.id), ANN, 2_000)
    assert frozen(store) == ("1.0.1", True)
    assert list(cases_of(store, "1.0.1")) == [two.id, one.id]
    remove_judgment(store, first.id, ANN)
    add_judgment(store, said(one.id), ANN, 3_000)
    store.execute("UPDATE runs SET first_judged = 3000 WHERE id = ?", (one.id,))
    assert list(live(store)) == [one.id, two.id]
    assert not own_test_set(store, AGENT, PROJECT).changed
    assert frozen(store) == ("1.0.1", False)


def test_what_was_gathered_before_counts_only_while_nothing_was_said_since(store: sqlite3.Connection) -> None:
    made = kept(store)
    add_judgment(store, said(made.id), ANN)
    before = gather_own(store, AGENT, PROJECT)
    add_judgment(store, said(made.id, "b", "no"), ANN)
    version, _ = freeze(store, AGENT, PROJECT, "ann", before)
    assert [item.key for item in cases_of(store, version.version)[made.id].items] == ["a", "b"]


def test_a_page_goes_on_where_the_last_ended(store: sqlite3.Connection) -> None:
    for at in range(4):
        add_judgment(store, said(kept(store).id), ANN, 1_000 + at // 2)
        correct(store, kept(store).id, SAYS, at=1_000 + at // 2)
        add_own_case(store, NewCase(run_id=kept(store).id, expect=SAYS), "ann")
    whole = [one.id for one in list_own_cases(store, AGENT, PROJECT, False, 100, None).data]
    assert len(whole) == 12
    for size in (1, 2, 5, 12):
        found: list[str] = []
        cursor: str | None = None
        for _ in range(13):
            page = list_own_cases(store, AGENT, PROJECT, False, size, cursor)
            found += [one.id for one in page.data]
            cursor = page.next_cursor
            if not page.has_more:
                break
        assert found == whole
    times = [one.created_at for one in live(store).values()]
    assert times == sorted(times, reverse=True)


def test_a_version_takes_the_newest_and_says_how_many_there_were(
    store: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kindgi_tui.local.store.own_test_sets.MAX_CASES", 3)
    made = [kept(store) for _ in range(5)]
    for at, each in enumerate(made):
        add_judgment(store, said(each.id), ANN, 1_000 + at)
    state = own_test_set(store, AGENT, PROJECT)
    assert (state.case_count, state.available, state.truncated) == (3, 5, True)
    version, _ = freeze(store, AGENT, PROJECT, "ann")
    assert (version.case_count, version.available, version.truncated) == (3, 5, True)
    assert list(cases_of(store, "1.0.1")) == [each.id for each in reversed(made[2:])]
    retire_own_case(store, made[4].id, "ann")
    assert frozen(store) == ("1.0.2", True)
    assert list(cases_of(store, "1.0.2")) == [each.id for each in (made[3], made[2], made[1])]


def test_sets_stand_in_the_list_as_soon_as_they_have_a_case(store: sqlite3.Connection) -> None:
    assert own_test_sets(store, None) == ()
    add_judgment(store, said(kept(store).id), ANN)
    correct(store, kept(store, agent="acme.corrected", project_id=OTHER).id, SAYS)
    kept(store, agent="acme.hand")
    new = NewCase(agent_id="acme.hand", project_id=PROJECT, input="hi", expect=SAYS)
    add_own_case(store, new, "ann")
    assert [(one.agent_id, one.project_id, one.case_count) for one in own_test_sets(store, None)] == [
        ("acme.corrected", OTHER, 1),
        ("acme.hand", PROJECT, 1),
        (AGENT, PROJECT, 1),
    ]
    assert [one.agent_id for one in own_test_sets(store, OTHER)] == ["acme.corrected"]


def test_a_file_from_before_own_sets_has_its_cases_at_once(tmp_path: Path) -> None:
    for before in range(1, len(MIGRATIONS)):
        path = tmp_path / f"{before}.db"
        open_file(path, APPLICATION_ID, MIGRATIONS[:before], 5.0)
        open_file(path, APPLICATION_ID, MIGRATIONS, 5.0)
        with closing(connect(path, 5.0)) as connection:
            tables = {
                row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            assert {"hand_cases", "retired_runs", "frozen_versions"} <= tables


STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["yes", "no", "unsay", "correct", "uncorrect", "retire", "back"]), st.integers(0, 2)),
        st.tuples(st.sampled_from(["hand", "freeze", "freeze"]), st.integers(0, 2)),
    ),
    max_size=25,
)  # fmt: skip


class Model:
    """What the set holds, told by the steps alone."""

    def __init__(self, runs: list[str]) -> None:
        self.runs = runs
        self.verdicts: dict[int, str] = {}
        self.corrected: dict[int, int] = {}
        self.retired: set[int] = set()
        self.by_hand: dict[str, bool] = {}

    @property
    def content(self) -> frozenset[Any]:
        found: set[Any] = {
            (self.runs[at], self.verdicts.get(at), self.corrected.get(at))
            for at in range(3)
            if at not in self.retired and (at in self.verdicts or at in self.corrected)
        }
        return frozenset(found | {identity for identity, there in self.by_hand.items() if there})


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_every_change_makes_exactly_one_version_and_versions_never_change(
    steps: list[tuple[str, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(opened(Path(folder) / "w.db")) as store:
        made = [kept(store).id for _ in range(3)]
        model = Model(made)
        versions: list[tuple[TestSetVersion, frozenset[Any], dict[str, Case]]] = []
        for number, (step, at) in enumerate(steps):
            if step == "freeze":
                _check_freeze(store, model, versions)
            else:
                _take(store, model, step, at, number)
        for version, _, cases in versions:
            assert cases_of(store, version.version) == cases


def _take(store: sqlite3.Connection, model: Model, step: str, at: int, number: int) -> None:
    run_id = model.runs[at]
    is_case = at in model.verdicts or at in model.corrected
    if step in ("yes", "no"):
        add_judgment(store, said(run_id, "a", "yes" if step == "yes" else "no"), ANN)
        model.verdicts[at] = step
    elif step == "unsay" and at in model.verdicts:
        judgment = store.execute(
            "SELECT j.id FROM judgments j JOIN runs r ON r.seq = j.run WHERE r.id = ? AND j.ended IS NULL",
            (run_id,),
        ).fetchone()[0]
        remove_judgment(store, judgment, ANN)
        del model.verdicts[at]
    elif step == "correct":
        correct(store, run_id, Expectation(answer="wrong", should_say=f"say {number % 4}"), at=1_000 + number)
        model.corrected[at] = number % 4
    elif step == "uncorrect":
        uncorrect(store, run_id)
        model.corrected.pop(at, None)
    elif step == "hand":
        model.by_hand[add_own_case(store, NewCase(run_id=run_id, expect=SAYS), "ann").id] = True
    elif step == "retire" and is_case:
        retire_own_case(store, run_id, "ann")
        model.retired.add(at)
    elif step == "back" and is_case:
        bring_back_own_case(store, run_id)
        model.retired.discard(at)


def _check_freeze(
    store: sqlite3.Connection,
    model: Model,
    versions: list[tuple[TestSetVersion, frozenset[Any], dict[str, Case]]],
) -> None:
    content = model.content
    state = own_test_set(store, AGENT, PROJECT)
    assert state.case_count == len(content)
    if not content:
        with pytest.raises(Conflict):
            freeze(store, AGENT, PROJECT, "ann")
        return
    new = not versions or versions[-1][1] != content
    assert state.changed == new
    version, made = freeze(store, AGENT, PROJECT, "ann")
    assert made == new
    if new:
        assert version.version == f"1.0.{len(versions) + 1}"
        versions.append((version, content, cases_of(store, version.version)))
    assert version == versions[-1][0]
    assert freeze(store, AGENT, PROJECT, "ann") == (version, False)
    assert not own_test_set(store, AGENT, PROJECT).changed
