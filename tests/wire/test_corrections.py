"""What checking corrections came to, in the documents' names, on both wires and back."""

from typing import Any

import pytest

from kindgi_tui.domain import scoring
from kindgi_tui.domain.comparisons import CaseResult, ComparisonSummary, Outcome
from kindgi_tui.domain.corrections import AnswerVerdict, CaseCorrection, Expectation, ExpectedCall
from kindgi_tui.domain.replays import ReplayReport, ToolTrace
from kindgi_tui.domain.runs import Subject
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.remote import v04 as remote_v04
from kindgi_tui.wire import v01, v04

SEARCH = "acme-ops.search-articles"
ENTRY = {
    "correctionId": "8f2c4e1a-6b0d-4c3e-9a57-2d1f0b7e4c93",
    "pass": False,
    "repetitionsPassed": 1,
    "repetitions": 3,
    "why": "It never says how long the refund takes.",
    "parts": {"decisions": True, "answer": False},
}
"""The documents' example of an entry, as it is written there."""


def case(**more: Any) -> Case:
    subject = Subject(kind="agent", id="acme-ops.article-picker", version="0.1.0")
    return Case(subject=subject, input="q", output={"appended": []}, context={}, **more)


def called(arguments: Any, source: str = "recorded") -> Outcome:
    trace = ToolTrace(tool_id=SEARCH, arguments=arguments, source=source)
    return Outcome(output={"appended": []}, replay=ReplayReport(tools=(trace,)))


EXPECT = Expectation(
    decisions="wrong",
    should_call=(ExpectedCall(tool_id=SEARCH, arguments={"query": "refund"}),),
    answer="wrong",
    should_say="How long the refund takes.",
)


def document(
    cases: list[Case], outcomes: dict[str, list[Outcome]], told: dict[str, list[AnswerVerdict]]
) -> Any:
    repetitions = max(len(each) for each in outcomes.values())
    options = {"comparison": {"repetitions": repetitions}}
    return v01.dump(scoring.compare(cases, outcomes, options, told))


def judged(entry: str, *passed: bool | None, why: str) -> list[AnswerVerdict]:
    return [
        AnswerVerdict(entry_id=entry, repetition=at, passed=one, why=why) for at, one in enumerate(passed, 1)
    ]


def own() -> Any:
    """An own test set's result: one case of three repetitions whose second answer failed, and one unchecked."""
    first, second = ENTRY["correctionId"], "unchecked"
    assert isinstance(first, str)
    cases = [case(case_id=first, expect=EXPECT), case(case_id=second, expect=EXPECT)]
    outcomes = {first: [called({"query": "refund"})] * 3, second: [called({})] * 3}
    told = {
        first: judged(first, True, False, why="It never says how long the refund takes."),
        second: judged(second, None, why="No model is named."),
    }
    return document(cases, outcomes, told)


def test_an_own_test_sets_entry_is_that_of_the_documents() -> None:
    result = own()
    checked, unchecked = result["perCase"]
    assert checked["corrections"] == [ENTRY]
    assert not {"unchecked", "correctionDifferences"} & set(checked)
    assert unchecked["unchecked"] == "No model is named."
    assert not {"corrections", "correctionDifferences"} & set(unchecked)
    assert result["summary"]["corrections"] == {"checked": 1, "passed": 0}
    assert result["summary"]["unchecked"] == {"count": 1, "reasons": ["No model is named."]}
    assert checked["baseline"]["checks"] == {"passed": 0, "total": 2}
    assert [score["checks"] for score in checked["candidate"]] == [{"passed": 1, "total": 2}] * 3


def test_a_built_sets_entries_and_differences() -> None:
    right = Expectation(decisions="right")
    more = ExpectedCall(tool_id=SEARCH, arguments={"query": "refund", "limit": 3})
    wrong = Expectation(decisions="wrong", should_call=(more,), must_not_call=("acme-ops.refund",))
    corrections = (
        CaseCorrection(correction_id="k1", expect=right),
        CaseCorrection(correction_id="k2", expect=wrong, expert=True),
    )
    refund = ToolTrace(tool_id="acme-ops.refund", arguments={"amount": 5}, source="refused")
    asked = called({"query": None})
    assert asked.replay is not None
    both = asked.model_copy(update={"replay": ReplayReport(tools=(*asked.replay.tools, refund))})
    result = document([case(case_id="c", corrections=corrections)], {"c": [both, called({}), both]}, {})
    (row,) = result["perCase"]
    plain = {"pass": False, "repetitionsPassed": 0, "repetitions": 3}
    assert row["corrections"] == [{"correctionId": "k1", **plain}, {"correctionId": "k2", **plain}]
    assert row["correctionDifferences"] == [
        {
            "correctionId": "k2",
            "repetition": 1,
            "differences": [
                {"kind": "field-value", "toolId": SEARCH, "expected": "refund", "actual": None, "field": "query",
                 "call": 1},
                {"kind": "missing-field", "toolId": SEARCH, "expected": 3, "field": "limit", "call": 1},
                {"kind": "must-not-call", "toolId": "acme-ops.refund", "actual": {"amount": 5}, "refused": True},
            ],
        }
    ]  # fmt: skip
    assert result["summary"]["corrections"] == {"checked": 2, "passed": 0}
    assert "checks" not in row["baseline"]


def test_what_was_written_reads_back_the_same() -> None:
    for result in (own(), document([case(case_id="c", expect=EXPECT)], {"c": [called({})]}, {})):
        rows = [CaseResult.read(row) for row in result["perCase"]]
        assert [v01.dump(row) for row in rows] == result["perCase"]
        assert v01.dump(ComparisonSummary.read(result["summary"])) == result["summary"]


def test_on_the_newer_wire_they_have_the_same_names_and_come_back() -> None:
    result = own()
    newer = v04.result(result)
    assert newer["perCase"] == result["perCase"]
    summary = newer["summary"]
    assert isinstance(summary, dict)
    assert {name: summary[name] for name in ("corrections", "unchecked")} == {
        "corrections": {"checked": 1, "passed": 0},
        "unchecked": {"count": 1, "reasons": ["No model is named."]},
    }
    back = remote_v04.result_down(newer)
    assert back["perCase"] == result["perCase"]
    read = ComparisonSummary.read(back["summary"])  # type: ignore[arg-type]
    assert read == ComparisonSummary.read(result["summary"])
    assert read.corrections is not None
    assert read.unchecked is not None


@pytest.mark.parametrize(
    "difference", [{"kind": "an-unknown-one", "toolId": SEARCH}, {"kind": "count"}, "count", None, 7]
)
def test_a_difference_of_another_shape_costs_no_result(difference: Any) -> None:
    known = {"kind": "count", "toolId": SEARCH, "expected": 1, "actual": 2}
    told = [{"correctionId": "k1", "repetition": 1, "differences": [difference, known]}]
    read = CaseResult.read({"caseId": "c", "correctionDifferences": told})
    assert [one.kind for one in read.correction_differences[0].differences] == ["count"]


def test_a_case_writes_what_it_expects_and_reads_it_back() -> None:
    corrections = (CaseCorrection(correction_id="k1", expect=EXPECT, expert=True),)
    own_case = case(case_id="c", run_id="r", expect=EXPECT, expert=True)
    written = v04.case(own_case)
    assert written["expect"] == {
        "decisions": "wrong",
        "shouldCall": [{"toolId": SEARCH, "args": {"query": "refund"}}],
        "answer": "wrong",
        "shouldSay": "How long the refund takes.",
    }
    assert (written["runId"], written["expert"]) == ("r", True)
    for one in (own_case, case(case_id="c", corrections=corrections), case(case_id="n", from_nothing=True)):
        assert Case.read(v01.dump(one)) == one  # type: ignore[arg-type]
    plain = v01.dump(case(case_id="c"))
    assert isinstance(plain, dict)
    assert not {"expect", "expert", "corrections", "runId", "fromNothing"} & set(plain)
