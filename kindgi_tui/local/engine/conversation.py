"""A conversation as models read it, made from recorded messages in the wire's names."""

import json
import re
from collections.abc import Sequence

from kindgi_tui.domain.base import Json
from kindgi_tui.local.models.calls import (
    AgentMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)

EVENT_STARTS = ("webhook", "event")
"""What started a run whose message came from another system: the model reads it as data."""


_TAG = re.compile(r"<(?=[\s/\\\u200b-\u200f\u2060\ufeff]*event)", re.IGNORECASE)


def as_event(content: Json) -> str:
    """Words from outside as a block of data (DESIGN section 6).

    The block's own tags can't be forged in it, in whatever letters and with whatever blanks they are written.
    """
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return f"<event>\n{_TAG.sub('&lt;', text)}\n</event>"


def text_of(content: Json) -> str:
    """A message's content as words: text as it is, an object's `text`, anything else as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict) and isinstance(content.get("text"), str):
        return str(content["text"])
    return "" if content is None else json.dumps(content)


def history_messages(history: Json) -> list[Message]:
    """Recorded messages as a model reads them, oldest first; a result whose call isn't there is left out."""
    messages: list[Message] = []
    called: set[str] = set()
    for message in history if isinstance(history, list) else []:
        if not isinstance(message, dict):
            continue
        role, content = message.get("role"), message.get("content")
        if role == "user":
            messages.append(UserMessage(text=text_of(content)))
        elif role == "system":
            messages.append(SystemMessage(text=text_of(content)))
        elif role == "agent":
            calls = tuple(_calls(content))
            called.update(call.id for call in calls)
            text = text_of(content) if not isinstance(content, dict) or "text" in content else None
            messages.append(AgentMessage(text=text or None, tool_calls=calls))
        elif role == "tool":
            told = message.get("toolCall")
            call = told if isinstance(told, dict) else {}
            call_id = str(call.get("invocationId"))
            if call_id in called:
                messages.append(ToolResult(call_id=call_id, tool_id=str(call.get("toolId")), content=content))
    return messages


def latest(history: Sequence[Message], most: int | None) -> list[Message]:
    """At most the `most` latest messages (None: all), as an agent's `historyLimit` says.

    A result whose call was left out is left out too: no model takes one without its call.
    """
    if most is None:
        return list(history)
    kept = list(history[max(0, len(history) - most) :]) if most > 0 else []
    while kept and isinstance(kept[0], ToolResult):
        kept.pop(0)
    return kept


def _calls(content: Json) -> list[ToolCall]:
    listed = content.get("toolCalls") if isinstance(content, dict) else None
    return [
        ToolCall(id=str(call.get("id")), name=str(call.get("name")), arguments=call.get("arguments"))
        for call in (listed if isinstance(listed, list) else [])
        if isinstance(call, dict)
    ]
