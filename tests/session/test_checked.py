"""What a case expected and whether it passed, in a person's words."""

from datetime import UTC, datetime
from typing import Any

import pytest

from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.session.checked import checked_entries, repetition_words, state_words
from kindgi_tui.session.reviewing import Review

SEARCH = {"toolId": "acme.search", "args": {"query": "refund"}}
SUBJECT = {"kind": "agent", "id": "acme.picker", "version": "0.1.0"}


def case(**given: Any) -> Case:
    return Case.read({"caseId": "c1", "subject": SUBJECT, "output": {"appended": []}, "items": [], **given})


def result(**given: Any) -> CaseResult:
    return CaseResult.read({"caseId": "c1", **given})


def test_each_part_says_what_was_expected_and_what_was_found() -> None:
    expect = {"decisions": "wrong", "shouldCall": [SEARCH], "answer": "wrong", "shouldSay": "14 days"}
    differing = {
        "correctionId": "c1",
        "repetition": 2,
        "differences": [
            {
                "kind": "field-value",
                "toolId": "acme.search",
                "field": "query",
                "expected": "refund",
                "actual": "fees",
            }
        ],
    }
    outcome = {
        "correctionId": "c1",
        "pass": False,
        "repetitionsPassed": 1,
        "repetitions": 3,
        "why": "It never says how long.",
        "parts": {"decisions": False, "answer": False},
    }
    told = checked_entries(
        case(expect=expect, expert=True),
        result(corrections=[outcome], correctionDifferences=[differing]),
    )
    (entry,) = told
    assert (entry.expert, entry.passed, entry.repetitions, entry.at) == (
        True, False, "1 of 3 repetitions", "in repetition 2",
    )  # fmt: skip
    assert repetition_words(entry) == "passed in 1 of 3 repetitions; what differed in repetition 2"
    decisions, answer = entry.parts
    assert decisions.expected == ('should have called acme.search with query "refund"',)
    assert decisions.found == ('should have called acme.search with query "refund"; called it with "fees"',)
    assert (state_words(decisions), decisions.part) == ("✗ failed", "decisions")
    assert answer.expected == ('the answer is wrong: should say "14 days"',)
    assert answer.found == ("It never says how long.",)


def test_a_part_that_isnt_told_apart_is_told_from_what_was_found() -> None:
    """On a set built from judged runs each correction is one entry, without parts."""
    both = {"decisions": "right", "answer": "right"}
    corrections = [{"correctionId": "k1", "expect": both}]
    failed = {"correctionId": "k1", "pass": False, "repetitionsPassed": 0, "repetitions": 1}
    (entry,) = checked_entries(case(corrections=corrections), result(corrections=[failed]))
    assert [part.passed for part in entry.parts] == [None, None]
    (entry,) = checked_entries(case(corrections=corrections), result(corrections=[{**failed, "why": "No."}]))
    assert [part.passed for part in entry.parts] == [None, False]
    (entry,) = checked_entries(case(corrections=corrections), result(corrections=[{**failed, "pass": True}]))
    assert [part.passed for part in entry.parts] == [True, True]
    one = [{"correctionId": "k1", "expect": {"decisions": "right"}}]
    (entry,) = checked_entries(case(corrections=one), result(corrections=[failed]))
    assert entry.parts[0].passed is False
    assert entry.parts[0].found == ("it called other tools than the recorded run",)


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ({"error": "No model."}, "the run ended with an error, so there was nothing to check: No model."),
        (
            {"stopped": {"toolId": "acme.log"}},
            "the run stopped at acme.log, which the replay refused, so there was nothing to check",
        ),
    ],
)
@pytest.mark.parametrize(
    "expect",
    [
        {"decisions": "right", "answer": "right"},
        {"decisions": "wrong", "shouldCall": [SEARCH], "answer": "wrong", "shouldSay": "14 days"},
        {"decisions": "wrong", "mustNotCall": ["acme.log"]},
        {"answer": "right"},
    ],
)
@pytest.mark.parametrize("own", [True, False])
def test_each_part_of_a_case_that_never_came_to_an_end_says_why(
    trouble: dict[str, Any], words: str, expect: dict[str, Any], own: bool
) -> None:
    failed: dict[str, Any] = {"correctionId": "c1", "pass": False, "repetitionsPassed": 0, "repetitions": 1}
    told: dict[str, Any] = {"corrections": [{"correctionId": "c1", "expect": expect}]}
    if own:
        failed["parts"] = {part: False for part in ("decisions", "answer") if part in expect}
        told = {"expect": expect}
    (entry,) = checked_entries(case(**told), result(corrections=[failed], **trouble))
    assert {part.part for part in entry.parts} == {"decisions", "answer"} & expect.keys()
    for part in entry.parts:
        assert (part.passed, part.found) == (False, (words,))


def turn(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    listed = [
        {"id": f"k{at}", "name": name, "arguments": arguments} for at, (name, arguments) in enumerate(calls)
    ]
    return {"appended": [{"role": "agent", "content": {"toolCalls": listed}}]}


def replay(run_id: str, output: Any, **given: Any) -> RunDetail:
    return RunDetail(
        id=run_id, project_id="p", subject=Subject(**SUBJECT), status="completed", created_at=datetime.now(UTC),
        output=output, **given,
    )  # fmt: skip


def test_decisions_that_were_right_say_which_call_differed() -> None:
    recorded = turn(("acme.search", {"query": "refund"}))
    one = case(expect={"decisions": "right"}, output=recorded)
    outcome = {
        "correctionId": "c1",
        "pass": False,
        "repetitionsPassed": 0,
        "repetitions": 1,
        "parts": {"decisions": False},
    }
    differ = (
        'should have called acme.search with query "refund", as the recorded run did; didn\'t call it',
        'called acme.log with text "x", which the recorded run didn\'t',
    )
    # As the result has it, a refused call too; and where the result has no calls, as the run has it.
    tools = [{"toolId": "acme.log", "arguments": {"text": "x"}, "source": "refused"}]
    (entry,) = checked_entries(one, result(corrections=[outcome], tools=tools))
    assert entry.parts[0].found == differ
    other = replay("r1", turn(("acme.log", {"text": "x"})))
    (entry,) = checked_entries(one, result(corrections=[outcome], runIds=["r1"]), other)
    assert (entry.parts[0].found, entry.at, repetition_words(entry)) == (differ, "", "")
    (entry,) = checked_entries(one, result(corrections=[outcome]))
    assert entry.parts[0].found == ("it called other tools than the recorded run",)
    # Of several repetitions the one that is looked at speaks for itself.
    several = result(corrections=[{**outcome, "repetitions": 2, "repetitionsPassed": 1}], runIds=["r0", "r1"])
    (entry,) = checked_entries(one, several, other)
    assert (entry.parts[0].found, entry.at) == (differ, "in repetition 2")
    (entry,) = checked_entries(one, several, replay("r0", recorded))
    assert repetition_words(entry) == "passed in 1 of 2 repetitions"
    assert entry.parts[0].found == (
        "another repetition called other tools than the recorded run, or ended before it could be checked",
    )
    ended = replay("r1", None).model_copy(update={"status": "failed", "failure": "Out of memory."})
    (entry,) = checked_entries(one, several, ended)
    assert (entry.parts[0].found, entry.at) == (("the run ended with: Out of memory.",), "in repetition 2")


def test_what_is_missing_on_a_side_is_told_from_the_other() -> None:
    expect = {"answer": "wrong", "why": "too long"}
    (unchecked,) = checked_entries(case(expect=expect), result(unchecked="No model is named."))
    assert (unchecked.passed, unchecked.parts[0].passed) == (None, None)
    outcome = {"correctionId": "gone", "pass": False, "repetitionsPassed": 0, "repetitions": 1, "why": "No."}
    (gone,) = checked_entries(None, result(corrections=[outcome]))
    assert (gone.id, gone.passed, gone.parts[0].found) == ("gone", False, ("No.",))
    assert checked_entries(case(), result()) == ()
    assert checked_entries(case(expect={}), result()) == ()


def test_the_case_list_is_narrowed_to_failed_unchecked_and_newly_ones() -> None:
    def row(case_id: str, **given: Any) -> dict[str, Any]:
        return {"caseId": case_id, **given}

    def told(passed: bool) -> list[dict[str, Any]]:
        return [{"correctionId": "x", "pass": passed, "repetitionsPassed": int(passed), "repetitions": 1}]

    document: Any = {
        "summary": {
            "cases": 4,
            "corrections": {"checked": 3, "passed": 1},
            "unchecked": {"count": 1, "reasons": ["No model is named."]},
        },
        "perCase": [
            row("a", corrections=told(True)),
            row("b", corrections=told(False)),
            row("c", corrections=told(False)),
            row("d", unchecked="No model is named."),
        ],
        "ours": {
            "judge": {"provider": "anthropic", "model": "m"},
            "cases": [
                {"caseId": "b", "standing": "regressed", "isNew": False, "change": -1.0, "newly": "failing"},
                {"caseId": "a", "standing": "improved", "isNew": False, "change": 1.0, "newly": "passing"},
                {"caseId": "c", "standing": "unchanged", "isNew": False, "change": 0.0, "newly": None},
                {"caseId": "d", "standing": "unknown", "isNew": False, "change": None, "newly": None},
            ],
        },
    }
    review = Review()
    review.take(document, 10)
    found = {
        name: [one.entry.case_id for one in review.narrowed(name)]
        for name in ("failed", "newly failing", "newly passing", "unchecked")
    }
    assert found == {"failed": ["b", "c"], "newly failing": ["b"], "newly passing": ["a"], "unchecked": ["d"]}
    counts = review.counts
    assert (counts.checked, counts.passed, counts.unchecked, counts.reasons, counts.judge) == (
        3, 1, 1, ("No model is named.",), "anthropic m",
    )  # fmt: skip


def test_every_case_of_a_graded_comparison_says_its_numbers_alike() -> None:
    """Also one that couldn't be checked; without graded parts none does."""
    checked = {"correctionId": "a", "pass": True, "repetitionsPassed": 1, "repetitions": 1}
    for parts, graded in (({"parts": {"answer": True}}, True), ({}, False)):
        ran = {"caseId": "a", "candidate": [{}], "corrections": [{**checked, **parts}]}
        rows = [ran, {"caseId": "b", "candidate": [{}], "unchecked": "No model is named."}]
        for listed in ([{"caseId": "a"}, {"caseId": "b"}], []):
            review = Review()
            document: Any = {"summary": {}, "perCase": rows, "ours": {"cases": listed}}
            review.take(document, 10)
            assert [one.graded for one in review.cases] == [graded, graded]
            assert [one.graded for one in review.narrowed("unchecked")] == [graded]


def test_what_only_experts_grade_is_not_graded_and_says_so() -> None:
    (entry,) = checked_entries(case(expect={"decisions": "right"}), result())
    assert (entry.passed, state_words(entry.parts[0])) == (None, "– not graded")
