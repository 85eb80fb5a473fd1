"""An expectation and a difference as a person would say it."""

from typing import Any

import pytest

from kindgi_tui.domain.correction_words import (
    call_words,
    difference_words,
    expectation_parts,
    expectation_words,
    other_tools_words,
)
from kindgi_tui.domain.corrections import DecisionDifference, Expectation, ExpectedCall
from kindgi_tui.domain.decisions import MadeCall, decision_differences
from tests.domain.corrected import REFUND, RIGHT_ANSWER, RIGHT_CALLS, SEARCH, should_call


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        (Expectation(), ""),
        (
            should_call(
                (SEARCH, {"query": "a refund", "limit": 3}), never=(REFUND,), answer="wrong", should_say="How long."
            ),
            'should have called acme-ops.search-articles with query "a refund", limit 3; '
            'must not call acme-ops.refund; the answer is wrong: should say "How long."',
        ),
        (
            should_call((SEARCH, None), (SEARCH, {}), answer="wrong", should_say="How long.", why="It says how much."),
            "should have called acme-ops.search-articles; should have called acme-ops.search-articles; "
            'the answer is wrong: should say "How long.", because "It says how much."',
        ),
        (Expectation(answer="wrong"), "the answer is wrong"),
        (Expectation(answer="wrong", why="Too\nlong."), 'the answer is wrong: because "Too\\nlong."'),
        (RIGHT_CALLS, "the decisions are right: should call the same tools"),
        (RIGHT_ANSWER, "the answer is right: should say the same"),
    ],
)  # fmt: skip
def test_an_expectation(expect: Expectation, words: str) -> None:
    assert expectation_words(expect) == words
    assert "; ".join(expectation_parts(expect)) == words


def test_a_long_argument_is_cut() -> None:
    words = call_words(ExpectedCall(tool_id="t", arguments={"text": "x" * 10_000}))
    assert len(words) < 2_100
    assert words.endswith("…")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"kind": "field-value", "field": "query", "expected": "refund", "actual": "order", "call": 1},
            'should have called search with query "refund"; called it with "order"',
        ),
        (
            {"kind": "field-value", "field": "n", "expected": {"a": 1}, "actual": None, "refused": True},
            'should have called search with n {"a":1}; called it with null (the replay refused it)',
        ),
        (
            {"kind": "missing-field", "field": "query", "expected": None},
            "should have called search with query null; called it without query",
        ),
        ({"kind": "count", "expected": 1, "actual": 2}, "called search 2 times, should have been 1"),
        ({"kind": "count", "expected": 2, "actual": 1}, "called search 1 time, should have been 2"),
        ({"kind": "count", "expected": 1, "actual": 0}, "didn't call search, should have been 1 time"),
        ({"kind": "count", "expected": 3, "actual": 0}, "didn't call search, should have been 3 times"),
        (
            {"kind": "count", "expected": 1, "actual": 2, "refused": True},
            "called search 2 times, should have been 1 (the replay refused some of them)",
        ),
        (
            {"kind": "count", "expected": 2, "actual": 1, "refused": True},
            "called search 1 time, should have been 2 (the replay refused it)",
        ),
        ({"kind": "must-not-call", "actual": {"x": 1}}, "called search, which it must not"),
        (
            {"kind": "must-not-call", "actual": {}, "refused": True},
            "called search, which it must not (the replay refused it)",
        ),
    ],
)
def test_a_difference(given: dict[str, Any], words: str) -> None:
    assert difference_words(DecisionDifference(tool_id="search", **given)) == words


def test_every_difference_that_is_found_has_words() -> None:
    expect = should_call((SEARCH, {"query": "a", "n": 1}), never=(REFUND,))
    calls = [MadeCall(SEARCH, {"query": "b"}, False), MadeCall(SEARCH, {}, False), MadeCall(REFUND, {}, True)]
    assert [difference_words(one) for one in decision_differences(expect, calls)] == [
        "called acme-ops.search-articles 2 times, should have been 1",
        'should have called acme-ops.search-articles with query "a"; called it with "b"',
        "should have called acme-ops.search-articles with n 1; called it without n",
        "called acme-ops.refund, which it must not (the replay refused it)",
    ]


def test_other_tools_than_the_recorded_run_called() -> None:
    def calls(*told: tuple[str, dict[str, Any] | None]) -> list[ExpectedCall]:
        return [ExpectedCall(tool_id=tool_id, arguments=arguments) for tool_id, arguments in told]

    same = calls(("b", None), ("a", {"q": 1}), ("a", None))
    assert other_tools_words(calls(("a", None), ("b", None)), same) == ()
    assert other_tools_words(
        calls(("c", {"q": "x"}), ("c", {"q": "y"})), calls(("b", {"n": 1}), ("b", {}))
    ) == (
        'should have called c with q "x", as the recorded run did; didn\'t call it',
        "called b with n 1, which the recorded run didn't",
    )
    assert other_tools_words([], calls(("b", None))) == ("called b, which the recorded run didn't",)
