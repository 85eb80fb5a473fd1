"""What a run should have done, written and read in the wire's names."""

import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from kindgi_tui.domain.corrections import Expectation, ExpectedCall
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.wire.expectations import DEEPEST, check_arguments, read_expectation, written_expectation
from tests.local.store.correcting import expectations


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(expectations())
def test_what_is_written_is_read_back(expect: Expectation) -> None:
    written = written_expectation(expect)
    assert read_expectation(json.loads(json.dumps(written))) == expect
    assert None not in written.values()


def test_nulls_count_as_not_said() -> None:
    told: Any = {
        "decisions": None,
        "shouldCall": None,
        "mustNotCall": None,
        "answer": "right",
        "shouldSay": None,
        "why": None,
    }
    assert read_expectation(told) == Expectation(answer="right")
    call: Any = {"decisions": "wrong", "shouldCall": [{"toolId": "a", "args": None}]}
    assert read_expectation(call).should_call == (ExpectedCall(tool_id="a"),)
    empty: Any = {"decisions": "wrong", "shouldCall": [{"toolId": "a", "args": {}}]}
    assert read_expectation(empty).should_call == (ExpectedCall(tool_id="a", arguments={}),)


@pytest.mark.parametrize(
    ("told", "field", "words"),
    [
        (None, "expect", "is an object"),
        ([], "expect", "is an object"),
        ({"decision": "right"}, "decision", 'no field "decision". It has decisions, shouldCall'),
        ({"runId": "x", "answer": "right"}, "runId", 'no field "runId"'),
        ({"decisions": "Right"}, "expect.decisions", "one of: right, wrong"),
        ({"answer": True}, "expect.answer", "one of: right, wrong"),
        ({"answer": {}}, "expect.answer", "one of: right, wrong"),
        ({"shouldSay": 5}, "expect.shouldSay", "in quotes"),
        ({"why": ["x"]}, "expect.why", "in quotes"),
        ({"shouldCall": "a"}, "expect.shouldCall", "a list of {toolId, args}"),
        ({"shouldCall": ["a"]}, "expect.shouldCall[1]", "an object of"),
        ({"shouldCall": [{"toolId": "a"}, {}]}, "expect.shouldCall[2].toolId", "a tool's id"),
        (
            {"shouldCall": [{"toolId": "a", "arguments": {}}]},
            "arguments",
            'no field "arguments". It has toolId, args',
        ),
        (
            {"shouldCall": [{"toolId": "a", "args": []}]},
            "expect.shouldCall[1].args",
            "an object of arguments",
        ),
        ({"shouldCall": [{"toolId": "a", "args": {"n": math.nan}}]}, "expect.shouldCall[1].args", "nan"),
        ({"mustNotCall": {"a": 1}}, "expect.mustNotCall", "a list of tool ids"),
        ({"mustNotCall": ["a", " "]}, "expect.mustNotCall[2]", "a tool's id"),
    ],
)
def test_what_is_wrong_is_named(told: Any, field: str, words: str) -> None:
    with pytest.raises(LimitError) as refused:
        read_expectation(told)
    assert refused.value.field == field
    assert words in refused.value.sentence
    assert refused.value.sentence.endswith(".")


def test_fields_beside_it_are_let_through_by_name() -> None:
    told: Any = {"answer": "right", "runId": "x"}
    assert read_expectation(told, ("runId",)) == Expectation(answer="right")
    with pytest.raises(LimitError, match="why, runId"):
        read_expectation({**told, "group": "g"}, ("runId",))


@pytest.mark.parametrize("inner", [list, dict])
def test_arguments_have_a_depth(inner: type) -> None:
    value: Any = 1
    for _ in range(DEEPEST - 1):
        value = [value] if inner is list else {"a": value}
    assert check_arguments({"a": value}, "args") == {"a": value}
    with pytest.raises(LimitError, match="deeper than 100"):
        check_arguments({"a": [value]}, "args")
