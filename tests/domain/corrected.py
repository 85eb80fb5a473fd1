"""Cases with expectations, and what their replays came to, for the tests of grading."""

from typing import Any

from kindgi_tui.domain.corrections import AnswerVerdict, CaseCorrection, Expectation, ExpectedCall
from kindgi_tui.domain.replays import Outcome, ReplayReport, ToolTrace
from kindgi_tui.domain.runs import Subject
from kindgi_tui.domain.test_sets import Case

SEARCH = "acme-ops.search-articles"
REFUND = "acme-ops.refund"
LOG = "acme-ops.log-suggestion"

Call = tuple[str, Any] | tuple[str, Any, str]
"""A tool, what it was called with, and where the result came from (`recorded` unless told)."""


def turn(*calls: tuple[str, Any], answer: str = "Done.") -> dict[str, Any]:
    """An agent's turn that made these calls, then answered."""
    appended: list[Any] = [{"role": "user", "content": "q"}]
    for at, (tool_id, arguments) in enumerate(calls):
        listed = [{"id": f"c{at}", "name": tool_id, "arguments": arguments}]
        appended.append({"role": "agent", "content": {"toolCalls": listed}})
        appended.append(
            {"role": "tool", "toolCall": {"toolId": tool_id, "invocationId": f"c{at}"}, "content": {}}
        )
    return {"appended": [*appended, {"role": "agent", "content": answer}]}


def ran(*calls: Call) -> Outcome:
    """A repetition that made these calls and answered."""
    traces = [
        ToolTrace(tool_id=call[0], arguments=call[1], source=call[2] if len(call) > 2 else "recorded")
        for call in calls
    ]
    return Outcome(output=turn(), replay=ReplayReport(tools=tuple(traces)))


FAILED = Outcome(error="The model refused to answer.")
STOPPED = Outcome(stopped={"toolId": LOG, "arguments": {}, "reason": "replay: no"})


def case(expect: Expectation | None = None, *recorded: tuple[str, Any], **more: Any) -> Case:
    """A case of an agent's own test set that expects this; its run made the recorded calls."""
    given: dict[str, Any] = {"output": turn(*recorded), "context": {}}
    if expect is not None:
        given["expect"] = expect
    subject = Subject(kind="agent", id="acme-ops.picker", version="0.1.0")
    return Case(**{"case_id": "case", "subject": subject, "input": "q", **given, **more})


def built(*expects: Expectation, expert: bool = False, **more: Any) -> Case:
    """A case of a set built from judged runs, with corrections `k1`, `k2`, …"""
    corrections = tuple(
        [
            CaseCorrection(correction_id=f"k{at}", expect=one, expert=expert)
            for at, one in enumerate(expects, 1)
        ]
    )
    return case(None, corrections=corrections, **more)


def should_call(
    *calls: tuple[str, dict[str, Any] | None], never: tuple[str, ...] = (), **more: Any
) -> Expectation:
    """Wrong decisions, with the calls it should have made."""
    listed = tuple([ExpectedCall(tool_id=tool_id, arguments=arguments) for tool_id, arguments in calls])
    return Expectation(decisions="wrong", should_call=listed, must_not_call=never, **more)


def said(*passed: bool | None, entry: str = "case", why: str | None = None) -> list[AnswerVerdict]:
    """What the judging model found of the first repetitions' answers."""
    return [
        AnswerVerdict(entry_id=entry, repetition=at, passed=one, why=why if not one else None)
        for at, one in enumerate(passed, 1)
    ]


RIGHT_CALLS = Expectation(decisions="right")
RIGHT_ANSWER = Expectation(answer="right")
WRONG_ANSWER = Expectation(answer="wrong", should_say="How long the refund takes.")
