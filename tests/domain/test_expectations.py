"""What an expectation must have so that it can be graded."""

from typing import Any

import pytest

from kindgi_tui.domain.corrections import CALLS_LIMIT, TEXT_LIMIT, Expectation, ExpectedCall
from kindgi_tui.domain.expectations import checked_expectation
from kindgi_tui.domain.limits import LimitError
from tests.domain.corrected import REFUND, RIGHT_ANSWER, RIGHT_CALLS, SEARCH, WRONG_ANSWER, should_call

CALL = ExpectedCall(tool_id=SEARCH)


@pytest.mark.parametrize(
    "expect",
    [
        RIGHT_CALLS,
        RIGHT_ANSWER,
        WRONG_ANSWER,
        Expectation(answer="wrong", why="Too long."),
        Expectation(answer="wrong", should_say="x" * TEXT_LIMIT, why="😀" * (TEXT_LIMIT // 2)),
        should_call((SEARCH, None)),
        should_call((SEARCH, {}), (SEARCH, {"query": None}), never=(REFUND,)),
        should_call(never=(REFUND,)),
        should_call(*[(SEARCH, None)] * CALLS_LIMIT, never=tuple(str(n) for n in range(CALLS_LIMIT))),
        Expectation(decisions="right", answer="right"),
        Expectation(decisions="right", answer="wrong", why="Too long."),
    ],
)
def test_well_formed_ones_come_back_as_they_are(expect: Expectation) -> None:
    assert checked_expectation(expect) is expect


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "expect"),
        ({"should_call": (CALL,)}, "expect.shouldCall"),
        ({"decisions": "wrong"}, "expect.decisions"),
        ({"decisions": "right", "should_call": (CALL,)}, "expect.shouldCall"),
        ({"decisions": "right", "must_not_call": (SEARCH,)}, "expect.mustNotCall"),
        ({"answer": "right", "must_not_call": (SEARCH,)}, "expect.mustNotCall"),
        ({"decisions": "wrong", "should_call": (CALL,) * (CALLS_LIMIT + 1)}, "expect.shouldCall"),
        ({"decisions": "wrong", "must_not_call": ("a",) * (CALLS_LIMIT + 1)}, "expect.mustNotCall"),
        ({"decisions": "wrong", "should_call": (CALL,), "must_not_call": (SEARCH,)}, "expect.mustNotCall"),
        ({"decisions": "wrong", "should_call": (ExpectedCall(tool_id=" "),)}, "expect.shouldCall"),
        ({"decisions": "wrong", "must_not_call": ("",)}, "expect.mustNotCall"),
        ({"answer": "wrong"}, "expect.answer"),
        ({"answer": "wrong", "why": " \n"}, "expect.why"),
        ({"answer": "wrong", "should_say": "x", "why": ""}, "expect.why"),
        ({"answer": "wrong", "should_say": "x" * (TEXT_LIMIT + 1)}, "expect.shouldSay"),
        ({"answer": "wrong", "why": "😀" * (TEXT_LIMIT // 2 + 1)}, "expect.why"),
        ({"answer": "right", "why": "x"}, "expect.why"),
        ({"decisions": "right", "should_say": "x"}, "expect.shouldSay"),
    ],
)
def test_what_is_refused_names_its_field(given: dict[str, Any], field: str) -> None:
    with pytest.raises(LimitError) as refused:
        checked_expectation(Expectation(**given))
    assert refused.value.field == field
    assert refused.value.sentence.endswith(".")


def test_a_tool_is_forbidden_once() -> None:
    assert checked_expectation(should_call(never=("b", "a", "b"))).must_not_call == ("b", "a")


@pytest.mark.parametrize(
    ("expect", "field"),
    [
        (RIGHT_CALLS, "expect.decisions"),
        (RIGHT_ANSWER, "expect.answer"),
        (should_call((SEARCH, None), answer="right"), "expect.answer"),
    ],
)
def test_a_case_made_from_nothing_has_no_recording_that_was_right(expect: Expectation, field: str) -> None:
    assert checked_expectation(expect) is expect
    with pytest.raises(LimitError) as refused:
        checked_expectation(expect, recorded=False)
    assert refused.value.field == field


def test_a_case_made_from_nothing_says_what_would_be_right() -> None:
    for expect in (WRONG_ANSWER, should_call((SEARCH, {"query": "a"}), answer="wrong", why="Too long.")):
        assert checked_expectation(expect, recorded=False) is expect
