"""What messages of the chat family tell, in whatever spelling they come.

Read are: OpenAI chat messages (`role`, `content`, `tool_calls`, the old `function_call`, content parts), items of the
Responses API (`type` message, function_call, function_call_output, reasoning), Anthropic content parts (tool_use,
tool_result, thinking) and ShareGPT turns (`from`, `value`).
"""

from collections.abc import Iterator
from typing import NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.local.imports.identity import json_text, plain, quoted, time_of
from kindgi_tui.local.imports.json_values import json_in_text

_ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "agent",
    "agent": "agent",
    "ai": "agent",
    "gpt": "agent",
    "chatgpt": "agent",
    "bot": "agent",
    "model": "agent",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
    "observation": "tool",
    "function_response": "tool",
    "tool_response": "tool",
    "system": "system",
    "developer": "system",
}
_CALLING = {"function_call", "tool_call"}
_TEXT_PARTS = {"text", "input_text", "output_text"}
_HIDDEN_PARTS = {"thinking", "redacted_thinking", "reasoning"}
_SHOWN_AS = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "input_file": "file",
    "document": "file",
}


class Call(NamedTuple):
    """A tool call as a source tells it."""

    id: str | None
    """The source's id for it, where it has one."""
    name: str
    """The tool."""
    arguments: Json
    """A JSON value, or the text when it was not JSON."""


class Told(NamedTuple):
    """One thing a message tells, before ids are settled."""

    role: str
    """user, agent, tool or system."""
    content: Json
    """What was said, or the tool's result; None for nothing."""
    calls: tuple[Call, ...] = ()
    """The tools an agent's message calls."""
    answers: str | None = None
    """The id of the call a tool's message answers, where it says so."""
    tool: str | None = None
    """The tool a tool's message comes from, where it says so."""
    failed: bool = False
    """Whether a tool's message tells a failure."""
    created_at: str | None = None
    """When it was said, as ISO text, where known."""
    apart: bool = False
    """Whether it is a call that stands as an item of its own, beside its model message's other calls."""


class Unreadable(ValueError):
    """A record that is left out; the text is the reason, one sentence."""


def told_by(messages: list[Json]) -> Iterator[Told]:
    """What the messages tell, in order. Raises Unreadable at a message that can't be understood."""
    for number, message in enumerate(messages, 1):
        if isinstance(message, dict):
            yield from _told_by_one(message, number)
        elif message is not None:
            raise Unreadable(f"Message {number} is not an object.")


def _told_by_one(message: dict[str, Json], number: int) -> Iterator[Told]:
    kind = _word(message.get("type"))
    created = time_of(message.get("created_at") or message.get("createdAt") or message.get("timestamp"))
    at = created.isoformat().replace("+00:00", "Z") if created else None
    if kind in ("function_call", "custom_tool_call") and "role" not in message:
        name = message.get("name")
        call = Call(
            _word(message.get("call_id") or message.get("id")),
            plain(name) if isinstance(name, str) and name else "unknown",
            json_in_text(message.get("arguments", message.get("input"))),
        )
        yield Told("agent", None, (call,), created_at=at, apart=True)
        return
    if kind in ("function_call_output", "custom_tool_call_output") and "role" not in message:
        content = _result_content(message.get("output"))
        yield Told("tool", content, answers=_word(message.get("call_id")), created_at=at)
        return
    if kind in _HIDDEN_PARTS and "role" not in message:
        return
    said = message.get("role", message.get("from"))
    content = message.get("content") if "content" in message else message.get("value")
    if isinstance(said, str) and said.lower() in _CALLING:
        yield Told("agent", None, tuple(_calls_in_text(content)), created_at=at)
        return
    role = _ROLES.get(said.lower()) if isinstance(said, str) else None
    if role is None:
        name = quoted(said) if isinstance(said, str) else "none"
        raise Unreadable(f"Message {number} has no role that is known (its role is {name}).")
    if role == "tool":
        own = message.get("toolCall")
        kindgi = own if isinstance(own, dict) else {}
        name = message.get("name", kindgi.get("toolId"))
        yield Told(
            "tool",
            _result_content(content),
            answers=_word(message.get("tool_call_id", kindgi.get("invocationId"))),
            tool=plain(name) if isinstance(name, str) and name else None,
            failed=message.get("is_error") is True or kindgi.get("failed") is True,
            created_at=at,
        )
        return
    calls = tuple(_calls(message)) if role == "agent" else ()
    if role == "agent" and isinstance(content, dict) and isinstance(content.get("toolCalls"), list):
        calls += tuple(_calls({"tool_calls": content["toolCalls"]}))
        content = content.get("text")
    if not isinstance(content, list):
        if content is None and role == "agent" and isinstance(message.get("refusal"), str):
            content = message["refusal"]
        yield Told(role, _scalar_text(content), calls, created_at=at)
        return
    yield from _told_by_parts(content, role, calls, at)


def _told_by_parts(parts: list[Json], role: str, calls: tuple[Call, ...], at: str | None) -> Iterator[Told]:
    """A message's content parts: tool results are messages of their own, before what is said beside them."""
    words: list[str] = []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(part, dict) and kind == "tool_use" and role == "agent":
            name = part.get("name")
            named = plain(name) if isinstance(name, str) and name else "unknown"
            calls += (Call(_word(part.get("id")), named, part.get("input")),)
        elif isinstance(part, dict) and kind == "tool_result":
            yield Told(
                "tool",
                _result_content(part.get("content")),
                answers=_word(part.get("tool_use_id")),
                failed=part.get("is_error") is True,
                created_at=at,
            )
        else:
            shown = _shown(part)
            if shown is not None:
                words.append(shown)
    yield Told(role, "\n".join(words) if words else None, calls, created_at=at)


def _shown(part: Json) -> str | None:
    """A content part as text; a part that is no text is shown as `[image]`, `[file]` and so on (rule 4)."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return None if part is None else json_text(part)
    kind = _word(part.get("type"))
    text = part.get("text")
    if isinstance(text, str) and (kind is None or kind in _TEXT_PARTS):
        return text
    if kind == "refusal" and isinstance(part.get("refusal"), str):
        return str(part["refusal"])
    if kind is not None:
        return None if kind in _HIDDEN_PARTS else f"[{_SHOWN_AS.get(kind, kind)}]"
    return json_text(part)


def _result_content(content: Json) -> Json:
    """A tool's result: text parts joined, everything else as it is."""
    if isinstance(content, list) and content and all(_is_part(part) for part in content):
        return "\n".join(shown for part in content if (shown := _shown(part)) is not None)
    return content


def _is_part(part: Json) -> bool:
    if not isinstance(part, dict):
        return False
    kind = part.get("type")
    return isinstance(kind, str) and (kind in _TEXT_PARTS or kind in _SHOWN_AS or kind == "image")


def _scalar_text(content: Json) -> Json:
    return json_text(content) if isinstance(content, bool | int | float) else content


def _word(value: Json) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None


def _calls(message: dict[str, Json]) -> Iterator[Call]:
    listed = message.get("tool_calls")
    for call in listed if isinstance(listed, list) else ():
        if isinstance(call, dict):
            function = call.get("function", call.get("custom"))
            yield _call(_word(call.get("id")), function if isinstance(function, dict) else call)
    old = message.get("function_call")
    if isinstance(old, dict):
        yield _call(None, old)


def _call(identity: str | None, function: dict[str, Json]) -> Call:
    name = function.get("name", function.get("function"))
    arguments = function.get("arguments", function.get("args", function.get("input")))
    named = plain(name) if isinstance(name, str) and name else "unknown"
    return Call(identity, named, json_in_text(arguments))


def _calls_in_text(content: Json) -> Iterator[Call]:
    """ShareGPT's `function_call` turns: JSON text of one call or a list of calls; else the text is kept."""
    value = json_in_text(content)
    listed = value if isinstance(value, list) else [value]
    calls = [call for call in listed if isinstance(call, dict) and isinstance(call.get("name"), str)]
    if calls and len(calls) == len(listed):
        for call in calls:
            yield _call(_word(call.get("id")), call)
    else:
        yield Call(None, "unknown", content)
