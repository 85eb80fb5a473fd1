"""Whether one repetition's tool calls are those that a correction expects (DESIGN section 7).

A call that the replay refused counts as made, whatever is expected.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import DecisionDifference, Expectation, ExpectedCall
from kindgi_tui.domain.javascript import json_equal
from kindgi_tui.domain.pairing import best_pairs
from kindgi_tui.domain.replays import Outcome
from kindgi_tui.domain.runs import recorded_calls
from kindgi_tui.domain.test_sets import Case

NOTHING_RECORDED = "The case was made from nothing: there is no recorded run that could have been right."
"""Why a case without a recording can't be checked on a part that was marked right."""

RECORDED_UNREADABLE = "The recorded run's tool calls can't be read, so nothing can be held against them."
"""Why `decisions: right` can't be checked."""

REPLAY_UNREADABLE = "The replay's tool calls can't be read."
"""Why decisions can't be checked on a repetition that ran."""


class MadeCall(NamedTuple):
    """A tool call that one repetition made, or would have made."""

    tool_id: str
    """Which tool."""
    arguments: Json
    """What it was called with: a JSON value, or the text when it was not JSON."""
    refused: bool
    """Whether the replay refused it."""


class GradedDecisions(NamedTuple):
    """What one repetition's tool calls came to."""

    passed: bool
    """Whether they are as expected."""
    differences: tuple[DecisionDifference, ...] = ()
    """In what they differ from the calls that were expected; none of `decisions: right`, which names no calls."""


def made_calls(outcome: Outcome) -> tuple[MadeCall, ...] | None:
    """The tool calls of a repetition that ran, in order; None where they can't be read.

    They are those of its report. A call that no tool answers, and one that a past rejection stopped, is in no
    report: it is taken from the output, where the report's calls have ids to tell them apart.
    """
    report = outcome.replay
    reported = report is not None and ("tools" in report.model_fields_set or bool(report.tools))
    traces = report.tools if report is not None else ()
    calls = [MadeCall(trace.tool_id, trace.arguments, trace.source == "refused") for trace in traces]
    if not _is_turn(outcome.output):
        return tuple(calls) if reported else None
    known = {trace.call_id for trace in traces}
    if None not in known:
        told = recorded_calls(outcome.output)
        calls.extend([MadeCall(c.tool_id, c.arguments, False) for c in told if c.call_id not in known])
    return tuple(calls)


def recorded_tools(case: Case) -> frozenset[str] | None:
    """The ids of the tools that a case's recorded run called; None where its calls can't be read."""
    if case.from_nothing or case.subject.kind != "agent" or not _is_turn(case.output):
        return None
    return frozenset([call.tool_id for call in recorded_calls(case.output)])


def why_unreadable(case: Case, expect: Expectation) -> str | None:
    """Why a case's expectation can't be checked, whatever its replays did; None: it can."""
    if case.from_nothing and "right" in (expect.decisions, expect.answer):
        return NOTHING_RECORDED
    if expect.decisions == "right" and recorded_tools(case) is None:
        return RECORDED_UNREADABLE
    return None


def grade_decisions(
    expect: Expectation, calls: Sequence[MadeCall], recorded: frozenset[str]
) -> GradedDecisions:
    """Whether a repetition's calls are as expected; `recorded` has the tools the recorded run called."""
    if expect.decisions == "right":
        return GradedDecisions(recorded == {call.tool_id for call in calls})
    if expect.decisions is None:
        return GradedDecisions(True)
    differences = decision_differences(expect, calls)
    return GradedDecisions(not differences, differences)


def decision_differences(expect: Expectation, calls: Sequence[MadeCall]) -> tuple[DecisionDifference, ...]:
    """In what calls differ from those that should have been made; none: each is as expected.

    Tools stand in the order in which they were listed: a wrong count first, then the fields of the calls that were
    paired, by the order of the listed calls; then each call of a forbidden tool.
    """
    listed: dict[str, list[ExpectedCall]] = {}
    for call in expect.should_call:
        listed.setdefault(call.tool_id, []).append(call)
    made: dict[str, list[MadeCall]] = {}
    for one in calls:
        made.setdefault(one.tool_id, []).append(one)
    found: list[DecisionDifference] = []
    for tool_id, wanted in listed.items():
        found.extend(_of_tool(tool_id, wanted, made.get(tool_id, [])))
    for tool_id in dict.fromkeys(expect.must_not_call):
        found.extend(
            [
                _difference("must-not-call", one, tool_id=tool_id, actual=one.arguments)
                for one in made.get(tool_id, ())
            ]
        )
    return tuple(found)


def _of_tool(
    tool_id: str, wanted: Sequence[ExpectedCall], made: Sequence[MadeCall]
) -> list[DecisionDifference]:
    found: list[DecisionDifference] = []
    if len(wanted) != len(made):
        refused = {"refused": True} if any(one.refused for one in made) else {}
        found.append(
            DecisionDifference.make(
                kind="count", tool_id=tool_id, expected=len(wanted), actual=len(made), **refused
            )
        )
    wrong = [[_wrong_fields(call, one) for one in made] for call in wanted]
    costs = [[len(fields) for fields in row] for row in wrong]
    for at, paired in best_pairs(costs):
        arguments = wanted[at].arguments or {}
        one = made[paired]
        for name in wrong[at][paired]:
            told: dict[str, Any] = {"tool_id": tool_id, "field": name, "call": at + 1}
            told["expected"] = arguments[name]
            if isinstance(one.arguments, dict) and name in one.arguments:
                found.append(_difference("field-value", one, **told, actual=one.arguments[name]))
            else:
                found.append(_difference("missing-field", one, **told))
    return found


def _wrong_fields(wanted: ExpectedCall, made: MadeCall) -> list[str]:
    """The given fields that a call doesn't have as they were given."""
    arguments = made.arguments if isinstance(made.arguments, dict) else {}
    return [
        name
        for name, value in (wanted.arguments or {}).items()
        if name not in arguments or not json_equal(value, arguments[name])
    ]


def _difference(kind: str, made: MadeCall, **told: Any) -> DecisionDifference:
    if made.refused:
        told["refused"] = True
    return DecisionDifference.make(kind=kind, **told)


def _is_turn(output: Json) -> bool:
    """Whether an output is an agent's turn whose calls can be read: each message, and each call by its tool's name."""
    appended = output.get("appended") if isinstance(output, dict) else None
    if not isinstance(appended, list):
        return False
    for message in appended:
        if not isinstance(message, dict):
            return False
        content = message.get("content")
        if message.get("role") != "agent" or not isinstance(content, dict) or "toolCalls" not in content:
            continue
        calls = content["toolCalls"]
        if not isinstance(calls, list):
            return False
        if not all(isinstance(call, dict) and isinstance(call.get("name"), str) for call in calls):
            return False
    return True
