"""A test set's cases keep what people said that their runs should have done (DESIGN sections 7 and 8)."""

import sqlite3

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import CaseCorrection, Expectation, ExpectedCall
from kindgi_tui.local.store.case_corrections import case_corrections
from kindgi_tui.local.store.test_sets import all_cases, gather_cases, get_case, store_test_set, version_seq
from kindgi_tui.local.store.values import dump_json, storable
from tests.local.store.making import run
from tests.local.store.test_test_sets import asked, built, judged

WRONG: Json = {
    "decisions": "wrong",
    "shouldCall": [{"toolId": "acme.look", "args": {"query": "a", "big": 9007199254740993}}],
    "mustNotCall": ["acme.note"],
    "answer": "wrong",
    "shouldSay": "ten days \ud800",
}


def corrected(
    store: sqlite3.Connection,
    run_id: str,
    identity: str,
    expect: Json,
    created: int,
    *,
    asserter: str = "ben",
    expert: bool = False,
    ended: int | None = None,
) -> None:
    """Writes a correction down as the workspace does."""
    store.execute(
        "INSERT INTO corrections (id, run, expect, expert, asserter, participant, created, ended) "
        "VALUES (?, (SELECT seq FROM runs WHERE id = ?), ?, ?, ?, '', ?, ?)",
        (identity, storable(run_id), dump_json(expect), int(expert), asserter, created, ended),
    )


def test_live_corrections_stand_in_the_case_oldest_first_and_stay_as_they_were(
    store: sqlite3.Connection,
) -> None:
    judged(store, run(id="one"), 1)
    judged(store, run(id="two \ud800"), 2)
    corrected(store, "one", "newer", {"answer": "right"}, 20, asserter="ann", expert=True)
    corrected(store, "one", "older", WRONG, 10)
    corrected(store, "one", "replaced", {"answer": "right"}, 5, asserter="carl", ended=6)
    corrected(store, "two \ud800", "second", {"decisions": "right"}, 7)
    built(store)
    by_id = {each.case_id: each for each in all_cases(store, version_seq(store, "acme.set", "1.0.0"))}
    assert by_id["one"].corrections == (
        CaseCorrection(
            correction_id="older",
            expect=Expectation(
                decisions="wrong",
                should_call=(
                    ExpectedCall(tool_id="acme.look", arguments={"query": "a", "big": 9007199254740993}),
                ),
                must_not_call=("acme.note",),
                answer="wrong",
                should_say="ten days \ud800",
            ),
        ),
        CaseCorrection(correction_id="newer", expect=Expectation(answer="right"), expert=True),
    )
    assert [each.correction_id for each in by_id["two \ud800"].corrections] == ["second"]
    assert by_id["one"].strict
    # A version never changes, whatever is said later.
    store.execute("UPDATE corrections SET ended = 30")
    assert get_case(store, "acme.set", "1.0.0", "one") == by_id["one"]
    assert case_corrections(store, ["one", "two \ud800"]) == {}


def test_a_case_without_corrections_is_stored_as_before(store: sqlite3.Connection) -> None:
    judged(store, run(id="one"), 1)
    request = asked()
    gathered = gather_cases(store, request)
    assert "corrections" not in gathered.cases[0][1]
    store_test_set(store, request, gathered, "ann")
    (case,) = all_cases(store, version_seq(store, "acme.set", "1.0.0"))
    assert (case.corrections, case.strict) == ((), False)


def test_a_corrected_run_that_nobody_judged_is_no_case(store: sqlite3.Connection) -> None:
    judged(store, run(id="one"), 1)
    from kindgi_tui.local.store.runs import insert_run

    insert_run(store, run(id="two"))
    corrected(store, "two", "c", {"answer": "right"}, 1)
    built(store)
    assert [each.case_id for each in all_cases(store, version_seq(store, "acme.set", "1.0.0"))] == ["one"]
