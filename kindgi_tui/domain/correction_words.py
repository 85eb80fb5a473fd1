"""What a correction expects, and how a replay differs from it, as a person would say it (DESIGN sections 7 and 12).

The sentences hold words from outside (ids of tools, arguments, what people wrote) as they came: they are plain text,
not cleaned, and a face cleans them before it shows them.
"""

from collections.abc import Iterable

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import DecisionDifference, Expectation, ExpectedCall
from kindgi_tui.domain.headline import one_line_json

REFUSED = "the replay refused it"
"""What is said of a call that the replay refused."""


def expectation_words(expect: Expectation) -> str:
    """What a run should have done, its parts joined by `; `: empty when nothing is expected. Not cleaned."""
    return "; ".join(expectation_parts(expect))


def expectation_parts(expect: Expectation) -> tuple[str, ...]:
    """What a run should have done, one phrase each: its calls, forbidden tools, then its answer. Not cleaned."""
    said: list[str] = []
    if expect.decisions == "right":
        said.append("the decisions are right: should call the same tools")
    if expect.decisions == "wrong":
        said.extend([f"should have called {call_words(call)}" for call in expect.should_call])
        said.extend([f"must not call {tool_id}" for tool_id in expect.must_not_call])
    if expect.answer == "right":
        said.append("the answer is right: should say the same")
    if expect.answer == "wrong":
        told = {"should say": expect.should_say, "because": expect.why}
        why = ", ".join(f"{word} {one_line_json(text)}" for word, text in told.items() if text is not None)
        said.append(f"the answer is wrong: {why}" if why else "the answer is wrong")
    return tuple(said)


def call_words(call: ExpectedCall) -> str:
    """A listed call: its tool, and the arguments it must have. Not cleaned."""
    given = ", ".join(f"{name} {one_line_json(value)}" for name, value in (call.arguments or {}).items())
    return f"{call.tool_id} with {given}" if given else call.tool_id


def difference_words(difference: DecisionDifference) -> str:
    """How a replay's calls differ from those that were expected, in one phrase. Not cleaned."""
    tool, field = difference.tool_id, difference.field
    refused = f" ({REFUSED})" if difference.refused else ""
    expected = one_line_json(difference.expected)
    match difference.kind:
        case "count":
            return _count_words(difference)
        case "must-not-call":
            return f"called {tool}, which it must not{refused}"
        case "missing-field":
            return f"should have called {tool} with {field} {expected}; called it without {field}{refused}"
        case "field-value":
            actual = one_line_json(difference.actual)
            return f"should have called {tool} with {field} {expected}; called it with {actual}{refused}"


def other_tools_words(recorded: Iterable[ExpectedCall], called: Iterable[ExpectedCall]) -> tuple[str, ...]:
    """How the tools a replay called differ from those the recorded run called, a phrase each: the missing ones first.

    A tool stands there once, with the arguments of its first call. Empty when they are the same ones. Not cleaned.
    """
    then, now = _by_tool(recorded), _by_tool(called)
    missing = [
        f"should have called {call_words(call)}, as the recorded run did; didn't call it"
        for tool_id, call in then.items()
        if tool_id not in now
    ]
    added = [
        f"called {call_words(call)}, which the recorded run didn't"
        for tool_id, call in now.items()
        if tool_id not in then
    ]
    return (*missing, *added)


def _by_tool(calls: Iterable[ExpectedCall]) -> dict[str, ExpectedCall]:
    found: dict[str, ExpectedCall] = {}
    for call in calls:
        found.setdefault(call.tool_id, call)
    return found


def _count_words(difference: DecisionDifference) -> str:
    tool, expected, actual = difference.tool_id, difference.expected, difference.actual
    refused = f" (the replay refused {'it' if actual == 1 else 'some of them'})" if difference.refused else ""
    if actual == 0:
        return f"didn't call {tool}, should have been {_times(expected)}"
    return f"called {tool} {_times(actual)}, should have been {one_line_json(expected)}{refused}"


def _times(count: Json) -> str:
    return "1 time" if count == 1 else f"{one_line_json(count)} times"
