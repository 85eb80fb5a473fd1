"""Each row of DESIGN section 7's table that is about decisions."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.corrections import DecisionDifference, Expectation
from kindgi_tui.domain.decisions import (
    NOTHING_RECORDED,
    RECORDED_UNREADABLE,
    MadeCall,
    decision_differences,
    grade_decisions,
    made_calls,
    recorded_tools,
    why_unreadable,
)
from kindgi_tui.domain.replays import Outcome, ReplayReport, ToolTrace
from kindgi_tui.domain.runs import Subject
from tests.domain.corrected import (
    LOG,
    REFUND,
    RIGHT_ANSWER,
    RIGHT_CALLS,
    SEARCH,
    WRONG_ANSWER,
    case,
    ran,
    should_call,
    turn,
)


def differences(expect: Expectation, *calls: tuple[Any, ...]) -> list[dict[str, Any]]:
    """What differs, as it is written."""
    made = [MadeCall(one[0], one[1], len(one) > 2 and one[2] == "refused") for one in calls]
    found = decision_differences(expect, made)
    graded = grade_decisions(expect, made, frozenset())
    assert graded.passed is (not found)
    return [{name: getattr(one, name) for name in one.model_fields_set} for one in found]


def test_exactly_as_many_calls_as_listed() -> None:
    expect = should_call((SEARCH, None), (SEARCH, None))
    count = {"kind": "count", "tool_id": SEARCH, "expected": 2}
    assert differences(expect, (SEARCH, {})) == [count | {"actual": 1}]
    assert differences(expect, (SEARCH, {}), (SEARCH, {"a": 1})) == []
    assert differences(expect, *[(SEARCH, {})] * 3) == [count | {"actual": 3}]
    assert differences(expect) == [count | {"actual": 0}]


def test_the_given_fields_are_there_and_equal_and_others_are_free() -> None:
    expect = should_call((SEARCH, {"query": "refund", "limit": 3}))
    assert differences(expect, (SEARCH, {"query": "refund", "limit": 3.0, "lang": "en"})) == []
    assert differences(expect, (SEARCH, {"query": "refunds", "lang": "en"})) == [
        {"kind": "field-value", "tool_id": SEARCH, "field": "query", "call": 1, "expected": "refund",
         "actual": "refunds"},
        {"kind": "missing-field", "tool_id": SEARCH, "field": "limit", "call": 1, "expected": 3},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "actual", "equal"),
    [
        (1, 1.0, True), (1, True, False), ("1", 1, False), (None, None, True), (None, 0, False),
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}, True), ({"a": 1}, {"a": 1, "b": 2}, False), ([1, 2], [2, 1], False),
    ],
)  # fmt: skip
def test_equality_is_that_of_json(expected: Any, actual: Any, equal: bool) -> None:
    expect = should_call((SEARCH, {"x": expected}))
    assert (not differences(expect, (SEARCH, {"x": actual}))) is equal


def test_null_is_not_missing() -> None:
    expect = should_call((SEARCH, {"x": None}))
    missing = {"kind": "missing-field", "tool_id": SEARCH, "field": "x", "call": 1, "expected": None}
    assert differences(expect, (SEARCH, {})) == [missing]
    (valued,) = differences(should_call((SEARCH, {"x": 1})), (SEARCH, {"x": None}))
    assert (valued["kind"], valued["actual"]) == ("field-value", None)


@pytest.mark.parametrize("arguments", ["not json", None, ["refund"], 7])
def test_arguments_that_are_no_object_have_no_fields(arguments: Any) -> None:
    assert differences(should_call((SEARCH, None)), (SEARCH, arguments)) == []
    (missing,) = differences(should_call((SEARCH, {"query": "a"})), (SEARCH, arguments))
    assert missing["kind"] == "missing-field"


def test_calls_are_paired_in_any_order_by_best_match() -> None:
    expect = should_call((SEARCH, {"query": "a", "n": 1}), (SEARCH, {"query": "b", "n": 1}))
    assert differences(expect, (SEARCH, {"query": "b", "n": 1}), (SEARCH, {"query": "a", "n": 1})) == []
    # In the order of the calls four fields would differ, and three if the first took its best one.
    expect = should_call((SEARCH, {"q": 1, "r": 1}), (SEARCH, {"q": 1, "r": 2}))
    (only,) = differences(expect, (SEARCH, {"q": 1, "r": 2}), (SEARCH, {"q": 9, "r": 1}))
    assert (only["field"], only["call"], only["actual"]) == ("q", 1, 9)


def test_an_unspecific_call_leaves_the_specific_one_its_match() -> None:
    expect = should_call((SEARCH, None), (SEARCH, {"query": "a"}))
    assert differences(expect, (SEARCH, {"query": "a"}), (SEARCH, {"query": "b"})) == []


def test_too_many_calls_still_say_which_field_was_wrong() -> None:
    expect = should_call((SEARCH, {"query": "a"}))
    kinds = [one["kind"] for one in differences(expect, (SEARCH, {"query": "b"}), (SEARCH, {"query": "c"}))]
    assert kinds == ["count", "field-value"]
    kinds = [one["kind"] for one in differences(expect, (SEARCH, {"query": "b"}), (SEARCH, {"query": "a"}))]
    assert kinds == ["count"]


def test_forbidden_tools_and_tools_nobody_listed() -> None:
    expect = should_call((SEARCH, None), never=(REFUND,))
    assert differences(expect, (SEARCH, {}), (LOG, {"free": True})) == []
    assert differences(expect, (SEARCH, {}), (REFUND, {"amount": 5}), (REFUND, {"amount": 6})) == [
        {"kind": "must-not-call", "tool_id": REFUND, "actual": {"amount": 5}},
        {"kind": "must-not-call", "tool_id": REFUND, "actual": {"amount": 6}},
    ]
    assert differences(should_call(never=(REFUND,))) == []


def test_a_refused_call_counts_as_made_and_is_marked() -> None:
    expect = should_call((REFUND, {"amount": 5}), never=(LOG,))
    assert differences(expect, (REFUND, {"amount": 5}, "refused")) == []
    assert differences(expect, (REFUND, {"amount": 6}, "refused"), (LOG, {}, "refused")) == [
        {"kind": "field-value", "tool_id": REFUND, "field": "amount", "call": 1, "expected": 5, "actual": 6,
         "refused": True},
        {"kind": "must-not-call", "tool_id": LOG, "actual": {}, "refused": True},
    ]  # fmt: skip
    (count,) = differences(expect, (REFUND, {"amount": 5}), (REFUND, {"amount": 5}, "refused"))
    assert count == {"kind": "count", "tool_id": REFUND, "expected": 1, "actual": 2, "refused": True}


def test_right_decisions_are_the_same_set_of_tools() -> None:
    recorded = recorded_tools(case(RIGHT_CALLS, (SEARCH, {"q": 1}), (SEARCH, {"q": 2}), (LOG, {})))
    assert recorded == frozenset({SEARCH, LOG})
    made: list[tuple[Any, ...]] = [
        ((LOG, {"other": 1}), (SEARCH, {}, "refused")),
        ((SEARCH, {}),),
        ((SEARCH, {}), (LOG, {}), (REFUND, {})),
        (),
    ]
    passed = [grade_decisions(RIGHT_CALLS, made_calls(ran(*calls)) or (), recorded) for calls in made]
    assert [one.passed for one in passed] == [True, False, False, False]
    assert not any(one.differences for one in passed)
    assert grade_decisions(RIGHT_CALLS, made_calls(ran()) or (), frozenset()).passed


@pytest.mark.parametrize(
    "output",
    [
        None,
        "a text",
        {"output": 1},
        {"appended": "?"},
        {"appended": ["?"]},
        {"appended": [{"role": "agent", "content": {"toolCalls": "?"}}]},
        {"appended": [{"role": "agent", "content": {"toolCalls": [{"id": "c"}]}}]},
    ],
)
def test_recorded_calls_that_cannot_be_read(output: Any) -> None:
    unreadable = case(RIGHT_CALLS, output=output)
    assert recorded_tools(unreadable) is None
    assert why_unreadable(unreadable, RIGHT_CALLS) == RECORDED_UNREADABLE
    assert why_unreadable(unreadable, should_call((SEARCH, None))) is None
    assert why_unreadable(unreadable, RIGHT_ANSWER) is None


def test_a_flow_and_a_case_made_from_nothing_have_no_recorded_calls() -> None:
    flow = case(RIGHT_CALLS, subject=Subject(kind="flow", id="acme.flow", version="1.0.0"))
    assert why_unreadable(flow, RIGHT_CALLS) == RECORDED_UNREADABLE
    nothing = case(RIGHT_CALLS, output=None, from_nothing=True)
    assert why_unreadable(nothing, RIGHT_CALLS) == NOTHING_RECORDED
    assert why_unreadable(nothing, RIGHT_ANSWER) == NOTHING_RECORDED
    assert why_unreadable(nothing, WRONG_ANSWER) is None


def test_calls_that_are_in_no_report_are_read_from_the_output() -> None:
    """An unknown tool's call, and one that a past rejection stopped, leave no trace."""
    output = turn((SEARCH, {}), ("acme-ops.unknown", {"x": 1}))
    trace = ToolTrace(call_id="c0", tool_id=SEARCH, arguments={}, source="refused")
    made = made_calls(Outcome(output=output, replay=ReplayReport(tools=(trace,))))
    assert made == (MadeCall(SEARCH, {}, True), MadeCall("acme-ops.unknown", {"x": 1}, False))
    rejected = made_calls(Outcome(output=turn((REFUND, {})), replay=ReplayReport(tools=())))
    assert rejected == (MadeCall(REFUND, {}, False),)
    assert made_calls(Outcome(output=turn((REFUND, {})))) == (MadeCall(REFUND, {}, False),)
    # Without ids they can't be told apart, so the report alone counts.
    nameless = ToolTrace(tool_id=SEARCH, arguments={}, source="live")
    assert made_calls(Outcome(output=output, replay=ReplayReport(tools=(nameless,)))) == (
        MadeCall(SEARCH, {}, False),
    )
    assert made_calls(Outcome(output={"text": "a flow's"})) is None
    assert made_calls(Outcome(output={"text": "a flow's"}, replay=ReplayReport(tools=()))) == ()


VALUES = st.sampled_from([0, 1, "a", None, [1]])
ARGUMENTS = st.dictionaries(st.sampled_from("xyz"), VALUES, max_size=3)
TOOLS = st.sampled_from([SEARCH, REFUND, LOG])
CALLS = st.lists(st.tuples(TOOLS, ARGUMENTS), max_size=5)


@given(CALLS, st.randoms())
def test_the_order_of_the_calls_does_not_matter(listed: list[Any], chance: Any) -> None:
    expect = should_call(*listed)
    made = [(tool_id, {**arguments, "more": 1}) for tool_id, arguments in listed]
    chance.shuffle(made)
    assert differences(expect, *made) == []


@given(CALLS, CALLS, st.randoms())
def test_refusing_calls_changes_no_pass_or_fail(listed: list[Any], made: list[Any], chance: Any) -> None:
    expect = should_call(*listed, never=() if any(one[0] == LOG for one in listed) else (LOG,))
    refused = [(*one, "refused" if chance.random() < 0.5 else "live") for one in made]
    plain = differences(expect, *made)
    marked = [{name: one[name] for name in one if name != "refused"} for one in differences(expect, *refused)]
    assert marked == plain


@given(CALLS, CALLS)
def test_expecting_less_of_a_call_never_makes_it_fail(listed: list[Any], made: list[Any]) -> None:
    """Monotone: fewer fields given differ in no more fields, and forbidding nothing forbids no more."""
    whole = differences(should_call(*listed), *made)
    less = differences(should_call(*[(tool_id, None) for tool_id, _ in listed]), *made)
    assert [one for one in whole if one["kind"] == "count"] == less
    forbidden = differences(should_call(*[one for one in listed if one[0] != LOG], never=(LOG,)), *made)
    free = differences(should_call(*[one for one in listed if one[0] != LOG]), *made)
    assert forbidden[: len(free)] == free
    assert len(forbidden) - len(free) == sum(one[0] == LOG for one in made)


def test_a_hundred_calls_are_quick() -> None:
    fields = {f"field{n}": n for n in range(8)}
    expect = should_call(*[(SEARCH, {**fields, "query": n}) for n in range(100)])
    started = time.process_time()
    assert differences(expect, *[(SEARCH, {**fields, "query": 99 - n}) for n in range(100)]) == []
    assert len(differences(expect, *[(SEARCH, {**fields, "query": -n}) for n in range(1, 101)])) == 100
    assert time.process_time() - started < 10


def test_a_difference_reads_back_as_it_was_written() -> None:
    (found,) = decision_differences(should_call((SEARCH, {"x": 1})), [MadeCall(SEARCH, {"x": None}, True)])
    wire = {"kind": "field-value", "toolId": SEARCH, "field": "x", "call": 1, "expected": 1, "actual": None}
    assert DecisionDifference.read({**wire, "refused": True}) == found
