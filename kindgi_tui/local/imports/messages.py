"""Messages of the chat family as messages of a Kindgi turn.

A Kindgi message is `{sequence, role, content}`, role user, agent, tool or system; an agent's message that calls tools
has the content `{text, toolCalls: [{id, name, arguments}]}`, a tool's message a `toolCall` of `{toolId,
invocationId}` (and `failed: true`).
"""

from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.local.imports.identity import json_text, plain
from kindgi_tui.local.imports.json_values import json_in_text
from kindgi_tui.local.imports.told import Call, Told, told_by

# pydantic-ai delivers the typed answer as a call of this tool (import rule 8).
_OUTPUT_TOOL = "final_result"


class Turned(NamedTuple):
    """Messages in Kindgi's shape."""

    messages: list[Json]
    """The messages, numbered from 0 in `sequence`."""
    typed: Json = None
    """The typed answer, where the last output tool call gave one."""
    has_typed: bool = False
    """Whether `typed` says anything (it can be null)."""


class _OpenCalls:
    """The calls of one run that have no result yet, by the ids and tools their sources name."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, str] = OrderedDict()
        self._by_source: dict[str, deque[str]] = {}
        self._by_tool: dict[str, deque[str]] = {}
        self._used: dict[str, int] = {}

    def fresh(self, wanted: str | None) -> str:
        """An id that no other call of the run has: the wanted one, numbered when it occurred before."""
        name = plain(wanted) if wanted else f"call-{len(self._used) + 1}"
        identity = name
        while identity in self._used:
            self._used[name] += 1
            identity = f"{name}#{self._used[name]}"
        self._used[identity] = 1
        return identity

    def opened(self, call: Call) -> str:
        """The id of a new open call."""
        identity = self.fresh(call.id)
        self._open[identity] = call.name
        if call.id is not None:
            self._by_source.setdefault(call.id, deque()).append(identity)
        self._by_tool.setdefault(call.name, deque()).append(identity)
        return identity

    def answered(self, told: Told) -> tuple[str, str | None]:
        """The id and tool of the call that a tool's message answers; a fresh id when there is no such call."""
        if told.answers is not None:
            waiting = self._by_source.get(told.answers, deque())
        elif told.tool is not None:
            waiting = self._by_tool.get(told.tool, deque())
        else:
            waiting = deque(self._open if not self._open else (next(iter(self._open)),))
        while waiting:
            identity = waiting.popleft()
            if identity in self._open:
                return identity, self._open.pop(identity)
        return self.fresh(told.answers), None


def turned(messages: list[Json]) -> Turned:
    """The messages in Kindgi's shape, in their order. Raises Unreadable when one of them can't be understood.

    Messages that say nothing (null content, no call) are dropped (DESIGN section 4). A call without an id, or with
    one that occurred before, gets one by its order; a result without an id answers the first open call of its tool,
    or of any where it names none.
    """
    result: list[Json] = []
    calls = _OpenCalls()
    delivered: set[str] = set()
    typed: Json = None
    has_typed = False
    for told in _joined(told_by(messages)):
        if told.role == "tool":
            if told.answers in delivered or (told.answers is None and told.tool == _OUTPUT_TOOL):
                continue
            result.append(_tool_message(told, calls, len(result)))
            continue
        outputs = [call for call in told.calls if call.name == _OUTPUT_TOOL]
        others = [call for call in told.calls if call.name != _OUTPUT_TOOL]
        delivered.update(call.id for call in outputs if call.id is not None)
        content = told.content
        if outputs and not others:
            typed, has_typed = outputs[-1].arguments, True
            content = _text(typed)
        elif content is not None and not others:
            # What an earlier turn delivered is not this one's typed answer.
            typed, has_typed = None, False
        if others:
            listed: list[Json] = [
                {"id": calls.opened(call), "name": call.name, "arguments": call.arguments} for call in others
            ]
            content = {"text": _text(content), "toolCalls": listed}
        if content is not None:
            result.append(_stamped({"sequence": len(result), "role": told.role, "content": content}, told))
    return Turned(result, typed, has_typed)


def _tool_message(told: Told, calls: _OpenCalls, sequence: int) -> Json:
    identity, name = calls.answered(told)
    call: dict[str, Json] = {"toolId": told.tool or name or "unknown", "invocationId": identity}
    if told.failed:
        call["failed"] = True
    content = json_in_text(told.content)
    return _stamped({"sequence": sequence, "role": "tool", "content": content, "toolCall": call}, told)


def _stamped(message: dict[str, Json], told: Told) -> Json:
    return message if told.created_at is None else {**message, "createdAt": told.created_at}


def _text(content: Json) -> str:
    return "" if content is None else content if isinstance(content, str) else json_text(content)


def _joined(told: Iterator[Told]) -> Iterator[Told]:
    """Calls that stand as items of their own, one after the other, belong to one message of the model."""
    held: list[Told] = []
    for one in told:
        if held and not one.apart:
            yield held[0]._replace(calls=tuple(call for each in held for call in each.calls))
            held = []
        if one.apart:
            held.append(one)
        else:
            yield one
    if held:
        yield held[0]._replace(calls=tuple(call for each in held for call in each.calls))
