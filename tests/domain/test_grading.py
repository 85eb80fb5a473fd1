"""What checking corrections comes to, over all repetitions of a case (DESIGN section 7)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.corrections import AnswerVerdict, CheckedParts, Checks, Expectation
from kindgi_tui.domain.decisions import NOTHING_RECORDED, RECORDED_UNREADABLE, REPLAY_UNREADABLE
from kindgi_tui.domain.grading import (
    NOT_JUDGED,
    GradedEntry,
    Grading,
    entries,
    grade,
    graded_parts,
    next_answer,
)
from kindgi_tui.domain.replays import Outcome
from kindgi_tui.domain.test_sets import Case
from tests.domain.corrected import (
    FAILED,
    LOG,
    RIGHT_ANSWER,
    RIGHT_CALLS,
    SEARCH,
    STOPPED,
    WRONG_ANSWER,
    built,
    case,
    ran,
    said,
    should_call,
    turn,
)

CALLS = should_call((SEARCH, {"query": "refund"}))
BOTH = should_call((SEARCH, {"query": "refund"}), answer="wrong", should_say="How long it takes.")
GOOD = ran((SEARCH, {"query": "refund"}))
BAD = ran((SEARCH, {"query": "order"}))


def entry(graded: Grading, at: int = 0) -> dict[str, Any]:
    """An entry as it is written, its id left out."""
    one = graded.corrections[at]
    written = {name: getattr(one, name) for name in one.model_fields_set - {"correction_id"}}
    if one.parts is not None:
        written["parts"] = {name: getattr(one.parts, name) for name in one.parts.model_fields_set}
    return written


def test_a_case_that_expects_nothing_has_nothing_to_check() -> None:
    for one in (case(), case(Expectation()), built()):
        assert entries(one) == ()
        assert grade(one, [GOOD]) == Grading()
        assert next_answer(one, [GOOD]) is None


def test_an_own_case_has_one_entry_and_a_built_one_an_entry_per_correction() -> None:
    assert entries(case(BOTH)) == (GradedEntry("case", BOTH),)
    assert entries(built(CALLS, RIGHT_ANSWER)) == (GradedEntry("k1", CALLS), GradedEntry("k2", RIGHT_ANSWER))


def test_experts_only_grades_what_experts_said() -> None:
    assert entries(case(BOTH), "experts-only") == ()
    assert entries(case(BOTH, expert=True), "experts-only") == (GradedEntry("case", BOTH),)
    assert entries(built(CALLS), "experts-only") == ()
    assert entries(built(CALLS, expert=True), "experts-only") == (GradedEntry("k1", CALLS),)
    assert grade(case(BOTH), [GOOD], said(True), "experts-only") == Grading()
    assert next_answer(case(BOTH), [GOOD], (), "experts-only") is None


# One test per row of the table.


def test_wrong_decisions() -> None:
    graded = grade(case(CALLS), [GOOD, BAD, GOOD, BAD])
    assert entry(graded) == {
        "passed": False,
        "repetitions_passed": 2,
        "repetitions": 4,
        "parts": {"decisions": False},
    }
    (differs,) = graded.correction_differences
    assert (differs.correction_id, differs.repetition) == ("case", 2)
    assert [one.actual for one in differs.differences] == ["order"]
    assert (graded.baseline, graded.candidate) == (Checks(passed=0, total=1), Checks(passed=0, total=1))
    passed = grade(case(CALLS), [GOOD, GOOD])
    assert (passed.corrections[0].passed, passed.correction_differences) == (True, ())
    assert passed.candidate == Checks(passed=1, total=1)


def test_right_decisions() -> None:
    one = case(RIGHT_CALLS, (SEARCH, {"query": "a"}), (LOG, {}))
    same = ran((LOG, {}, "refused"), (SEARCH, {"query": "z"}))
    graded = grade(one, [same, GOOD])
    assert entry(graded)["repetitions_passed"] == 1
    assert graded.correction_differences == ()
    assert (graded.baseline, graded.candidate) == (Checks(passed=1, total=1), Checks(passed=0, total=1))
    assert grade(one, [same]).candidate == Checks(passed=1, total=1)


def test_a_wrong_answer() -> None:
    why = "It never says how long the refund takes."
    graded = grade(case(WRONG_ANSWER), [GOOD] * 3, said(True, False, why=why))
    # The documents' example: one of three passed, and what failed says why.
    assert entry(graded) == {
        "passed": False,
        "repetitions_passed": 1,
        "repetitions": 3,
        "why": why,
        "parts": {"answer": False},
    }
    assert graded.baseline == Checks(passed=0, total=1)


def test_a_right_answer() -> None:
    graded = grade(case(RIGHT_ANSWER), [GOOD] * 2, said(True, True))
    assert entry(graded) == {
        "passed": True,
        "repetitions_passed": 2,
        "repetitions": 2,
        "parts": {"answer": True},
    }
    assert (graded.baseline, graded.candidate) == (Checks(passed=1, total=1), Checks(passed=1, total=1))


def test_a_case_expecting_both_parts_is_two_checks() -> None:
    graded = grade(case(BOTH), [GOOD, GOOD], said(True, False, why="No."))
    assert entry(graded)["parts"] == {"decisions": True, "answer": False}
    assert (graded.baseline, graded.candidate) == (Checks(passed=0, total=2), Checks(passed=1, total=2))
    mixed = Expectation(decisions="right", answer="wrong", why="Too long.")
    recorded = case(mixed, (SEARCH, {}))
    assert grade(recorded, [GOOD], said(True)).baseline == Checks(passed=1, total=2)


def test_a_repetition_passes_when_every_part_did() -> None:
    graded = grade(case(BOTH), [GOOD, BAD, GOOD], said(True, True, False))
    assert entry(graded)["repetitions_passed"] == 1
    assert entry(graded)["parts"] == {"decisions": False, "answer": False}


# Which answer is judged next.


def asked(one: Case, outcomes: list[Outcome], verdicts: list[AnswerVerdict]) -> tuple[str, int] | None:
    told = next_answer(one, outcomes, verdicts)
    return None if told is None else (told[0].id, told[1])


def test_answers_are_judged_in_order_until_one_fails() -> None:
    one, outcomes = case(WRONG_ANSWER), [GOOD] * 3
    assert [asked(one, outcomes, said(*passed)) for passed in ((), (True,), (True, True), (True, True, True))] == [
        ("case", 1),
        ("case", 2),
        ("case", 3),
        None,
    ]  # fmt: skip
    assert asked(one, outcomes, said(True, False)) is None
    assert asked(case(CALLS), outcomes, []) is None


def test_a_repetition_whose_decisions_failed_still_has_its_answer_judged() -> None:
    assert asked(case(BOTH), [BAD, GOOD], []) == ("case", 1)
    assert asked(case(BOTH), [BAD, GOOD], said(True)) == ("case", 2)


@pytest.mark.parametrize("ended", [FAILED, STOPPED])
def test_what_errored_or_stopped_fails_every_part_and_ends_the_answers(ended: Outcome) -> None:
    outcomes = [GOOD, ended, GOOD]
    assert asked(case(BOTH), outcomes, []) == ("case", 1)
    assert asked(case(BOTH), outcomes, said(True)) is None
    graded = grade(case(BOTH), outcomes, said(True))
    assert entry(graded) == {
        "passed": False,
        "repetitions_passed": 1,
        "repetitions": 3,
        "parts": {"decisions": False, "answer": False},
    }
    assert graded.correction_differences == ()
    # The differences are those of the first repetition that has any: one that ended has no calls to compare.
    (differs,) = grade(case(BOTH), [ended, BAD]).correction_differences
    assert differs.repetition == 2
    assert asked(case(BOTH), [ended, GOOD], []) is None
    assert not grade(case(CALLS), [ended]).corrections[0].passed


def test_the_corrections_of_a_built_case_are_judged_one_after_the_other() -> None:
    one, outcomes = built(RIGHT_ANSWER, CALLS, WRONG_ANSWER), [GOOD, GOOD]
    first = said(False, entry="k1", why="Another one.")
    assert asked(one, outcomes, []) == ("k1", 1)
    assert asked(one, outcomes, first) == ("k3", 1)
    verdicts = [*first, *said(True, True, entry="k3")]
    assert asked(one, outcomes, verdicts) is None
    graded = grade(one, outcomes, verdicts)
    assert [(each.correction_id, each.passed) for each in graded.corrections] == [
        ("k1", False),
        ("k2", True),
        ("k3", True),
    ]
    # Counted in the summary alone: neither parts nor checks.
    assert entry(graded) == {
        "passed": False,
        "repetitions_passed": 0,
        "repetitions": 2,
        "why": "Another one.",
    }
    assert (graded.baseline, graded.candidate) == (None, None)


# What can't be checked.


def test_an_answer_that_could_not_be_judged_makes_the_whole_case_unchecked() -> None:
    why = "The judging model's call failed: 503."
    verdicts = [*said(True), AnswerVerdict(entry_id="case", repetition=2, passed=None, why=why)]
    assert grade(case(BOTH), [BAD] * 3, verdicts) == Grading(unchecked=why)
    assert asked(case(BOTH), [BAD] * 3, verdicts) is None
    failed = [AnswerVerdict(entry_id="k1", repetition=1, passed=None, why=why)]
    one = built(RIGHT_ANSWER, WRONG_ANSWER)
    assert grade(one, [GOOD], [*failed, *said(True, entry="k2")]) == Grading(unchecked=why)
    assert asked(one, [GOOD], failed) is None


def test_answers_nobody_judged() -> None:
    assert grade(case(BOTH), [GOOD]) == Grading(unchecked=NOT_JUDGED)
    assert grade(case(BOTH), [GOOD, GOOD], said(True)) == Grading(unchecked=NOT_JUDGED)
    # A verdict that says neither why nor whether is none.
    blank = [AnswerVerdict(entry_id="case", repetition=1, passed=None)]
    assert grade(case(BOTH), [GOOD], blank) == Grading(unchecked=NOT_JUDGED)


def test_what_can_not_be_read_is_unchecked_and_its_answers_are_not_judged() -> None:
    both = Expectation(decisions="right", answer="right")
    unreadable = case(both, output="a text")
    assert grade(unreadable, [GOOD], said(True)) == Grading(unchecked=RECORDED_UNREADABLE)
    assert asked(unreadable, [GOOD], []) is None
    assert grade(case(CALLS), [GOOD, Outcome(output="a text")]) == Grading(unchecked=REPLAY_UNREADABLE)
    # The calls of a repetition don't matter where no decisions are expected.
    assert grade(case(RIGHT_ANSWER), [Outcome(output="a text")], said(True)).corrections[0].passed


def test_a_case_made_from_nothing() -> None:
    nothing = {"output": None, "from_nothing": True, "expert": True}
    graded = grade(case(BOTH, **nothing), [GOOD], said(True))
    # It has no recorded run that could have been right: its parts count against nothing on the other side.
    assert (graded.baseline, graded.candidate) == (Checks(passed=0, total=2), Checks(passed=2, total=2))
    right = case(Expectation(answer="right"), **nothing)
    assert grade(right, [GOOD], said(True)) == Grading(unchecked=NOTHING_RECORDED)
    assert asked(right, [GOOD], []) is None


# What a graded part did, for the standing of a case.


def parts_of(one: Case, graded: Grading) -> dict[str, tuple[bool | None, bool | None]]:
    return graded_parts(one, CaseResult(case_id="case", corrections=graded.corrections))


def test_graded_parts_before_and_now() -> None:
    mixed = Expectation(decisions="right", answer="wrong", why="Too long.")
    one = case(mixed, (SEARCH, {}))
    assert parts_of(one, grade(one, [ran()], said(True))) == {
        "case:decisions": (True, False),
        "case:answer": (False, True),
    }
    two = built(mixed, RIGHT_ANSWER, output=turn((SEARCH, {})))
    verdicts = [*said(True, entry="k1"), *said(False, entry="k2")]
    assert parts_of(two, grade(two, [GOOD], verdicts)) == {"k1": (False, True), "k2": (True, False)}
    assert parts_of(case(), Grading()) == {}


# Properties.

OUTCOMES = st.lists(st.sampled_from([GOOD, BAD, FAILED, STOPPED]), min_size=1, max_size=5)
TOLD = st.lists(st.sampled_from([True, True, False, None]), min_size=5, max_size=5)
EXPECTS = st.sampled_from([CALLS, RIGHT_CALLS, WRONG_ANSWER, RIGHT_ANSWER, BOTH])


def judged(
    one: Case, outcomes: list[Outcome], told: dict[tuple[str, int], bool | None]
) -> list[AnswerVerdict]:
    """The verdicts of a judging model that is asked as `next_answer` says."""
    verdicts: list[AnswerVerdict] = []
    for _ in range(100):
        wanted = next_answer(one, outcomes, verdicts)
        if wanted is None:
            return verdicts
        place = (wanted[0].id, wanted[1])
        assert place not in {(each.entry_id, each.repetition) for each in verdicts}
        verdicts.append(AnswerVerdict(entry_id=place[0], repetition=place[1], passed=told[place], why="why"))
    raise AssertionError("it never ends")


@given(st.lists(EXPECTS, min_size=1, max_size=3), OUTCOMES, TOLD, st.randoms())
def test_judging_ends_and_the_order_of_verdicts_does_not_matter(
    expects: list[Expectation], outcomes: list[Outcome], told: list[bool | None], chance: Any
) -> None:
    one = built(*expects, output=turn((SEARCH, {})))
    known = {(f"k{at}", n): told[n - 1] for at in range(1, 4) for n in range(1, 6)}
    verdicts = judged(one, outcomes, known)
    graded = grade(one, outcomes, verdicts)
    shuffled = list(verdicts)
    chance.shuffle(shuffled)
    assert grade(one, outcomes, shuffled) == graded
    assert (graded.unchecked is None) is all(each.passed is not None for each in verdicts)
    assert len(graded.corrections) == (0 if graded.unchecked else len(expects))
    for each in verdicts:
        assert outcomes[each.repetition - 1] in (GOOD, BAD)


@given(EXPECTS, OUTCOMES, TOLD)
def test_a_worse_repetition_never_makes_more_pass(
    expect: Expectation, outcomes: list[Outcome], told: list[bool | None]
) -> None:
    one = case(expect, (SEARCH, {}))
    known: dict[tuple[str, int], bool | None] = {("case", n): told[n - 1] is not False for n in range(1, 6)}
    before = grade(one, outcomes, judged(one, outcomes, known)).corrections[0]
    for at in range(len(outcomes)):
        worse = [*outcomes[:at], FAILED, *outcomes[at + 1 :]]
        after = grade(one, worse, judged(one, worse, known)).corrections[0]
        assert after.repetitions_passed <= before.repetitions_passed
        assert not after.passed
        assert after.parts is not None
        assert {getattr(after.parts, part) for part in CheckedParts.model_fields} <= {False, None}


@given(EXPECTS, OUTCOMES, TOLD)
def test_an_entry_passes_when_every_repetition_and_every_part_did(
    expect: Expectation, outcomes: list[Outcome], told: list[bool | None]
) -> None:
    one = case(expect, (SEARCH, {}))
    known: dict[tuple[str, int], bool | None] = {("case", n): told[n - 1] is not False for n in range(1, 6)}
    graded = grade(one, outcomes, judged(one, outcomes, known))
    (checked,) = graded.corrections
    assert checked.parts is not None
    parts = [getattr(checked.parts, part) for part in expect.parts]
    assert (
        checked.passed is (checked.repetitions_passed == checked.repetitions == len(outcomes)) is all(parts)
    )
    assert graded.candidate == Checks(passed=sum(parts), total=len(parts))
    assert graded.baseline is not None
    assert graded.baseline.total == len(parts)
    if graded.correction_differences:
        assert not checked.parts.decisions
        first = graded.correction_differences[0].repetition
        assert outcomes[first - 1] is BAD
        assert BAD not in outcomes[: first - 1]
