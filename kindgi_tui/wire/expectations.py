"""What a run should have done, in the wire's names: `{decisions, shouldCall, mustNotCall, answer, shouldSay, why}`.

One shape for the store, the command line's files, our JSONL and the API. Reading checks the shape and names what
it doesn't know; the rules of what fits together are `domain.expectations`'.
"""

import math
from collections.abc import Mapping
from typing import cast

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import Expectation, ExpectedCall, Mark
from kindgi_tui.domain.limits import LimitError

FIELDS = ("decisions", "shouldCall", "mustNotCall", "answer", "shouldSay", "why")
"""Every field, in the order they are written."""

CALL_FIELDS = ("toolId", "args")
"""The fields of one expected call."""

DEEPEST = 100
"""How deep lists and objects may stand inside one another in a call's arguments."""


def written_expectation(expect: Expectation) -> dict[str, Json]:
    """An expectation as the wire writes it: what wasn't said is left out."""
    shaped: dict[str, Json] = {}
    if expect.decisions is not None:
        shaped["decisions"] = expect.decisions
    if expect.should_call:
        shaped["shouldCall"] = [_written_call(call) for call in expect.should_call]
    if expect.must_not_call:
        shaped["mustNotCall"] = list(expect.must_not_call)
    if expect.answer is not None:
        shaped["answer"] = expect.answer
    if expect.should_say is not None:
        shaped["shouldSay"] = expect.should_say
    if expect.why is not None:
        shaped["why"] = expect.why
    return shaped


def _written_call(call: ExpectedCall) -> Json:
    if call.arguments is None:
        return {"toolId": call.tool_id}
    return {"toolId": call.tool_id, "args": call.arguments}


def read_expectation(value: Json, beside: tuple[str, ...] = (), what: str = "A correction") -> Expectation:
    """The expectation that a JSON object says, a null counting as not said; fields named in `beside` may stand there
    too and are not read. `what` is what a sentence calls the object.

    Raises LimitError, which names the field: no object, a field that is unknown or of another shape, arguments that
    are no JSON.
    """
    if not isinstance(value, dict):
        raise LimitError("expect", "What a run should have done is an object, such as {decisions: right}.")
    _check_fields(value, (*FIELDS, *beside), what)
    return Expectation(
        decisions=_mark(value, "decisions"),
        should_call=tuple(
            _read_call(call, f"expect.shouldCall[{place}]")
            for place, call in enumerate(_list(value, "shouldCall", "{toolId, args}"), 1)
        ),
        must_not_call=tuple(
            _tool_id(tool, f"expect.mustNotCall[{place}]")
            for place, tool in enumerate(_list(value, "mustNotCall", "tool ids"), 1)
        ),
        answer=_mark(value, "answer"),
        should_say=_text(value, "shouldSay"),
        why=_text(value, "why"),
    )


def check_arguments(value: Json, field: str) -> dict[str, Json]:
    """A call's arguments: an object of JSON values, nested at most 100 deep. Raises LimitError."""
    if not isinstance(value, dict):
        raise LimitError(field, f'{field} must be an object of arguments, such as {{"query": "refund"}}.')
    inside: list[tuple[Json, int]] = [(value, 1)]
    while inside:
        child, depth = inside.pop()
        if isinstance(child, dict | list) and depth > DEEPEST:
            raise LimitError(field, f"{field} is nested deeper than {DEEPEST} levels.")
        if isinstance(child, float) and not math.isfinite(child):
            raise LimitError(field, f"{field} has a number that JSON doesn't have: {child}.")
        if isinstance(child, dict):
            inside += [(each, depth + 1) for each in child.values()]
        elif isinstance(child, list):
            inside += [(each, depth + 1) for each in child]
    return value


def _check_fields(value: Mapping[str, Json], known: tuple[str, ...], what: str) -> None:
    unknown = [name for name in value if name not in known]
    if unknown:
        has = ", ".join(known)
        raise LimitError(unknown[0], f'{what} has no field "{unknown[0]}". It has {has}.')


def _mark(value: Mapping[str, Json], field: str) -> Mark | None:
    told = value.get(field)
    if told is None or told in ("right", "wrong"):
        return cast("Mark | None", told)
    raise LimitError(f"expect.{field}", f"expect.{field} must be one of: right, wrong.")


def _text(value: Mapping[str, Json], field: str) -> str | None:
    told = value.get(field)
    if told is None or isinstance(told, str):
        return told
    raise LimitError(f"expect.{field}", f"expect.{field} must be text: put it in quotes.")


def _list(value: Mapping[str, Json], field: str, of: str) -> list[Json]:
    told = value.get(field)
    if told is None:
        return []
    if not isinstance(told, list):
        raise LimitError(f"expect.{field}", f"expect.{field} must be a list of {of}.")
    return told


def _read_call(value: Json, field: str) -> ExpectedCall:
    if not isinstance(value, dict):
        raise LimitError(field, f"{field} must be an object of {{toolId, args}}.")
    _check_fields(value, CALL_FIELDS, field)
    arguments = value.get("args")
    return ExpectedCall(
        tool_id=_tool_id(value.get("toolId"), f"{field}.toolId"),
        arguments=None if arguments is None else check_arguments(arguments, f"{field}.args"),
    )


def _tool_id(value: Json, field: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise LimitError(field, f"{field} must be a tool's id, such as acme-ops.search-articles.")
    return value
