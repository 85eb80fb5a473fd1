"""A run as a person reads it: who said what, which tools were called with what, what came back."""

from typing import Literal

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.runs import RunDetail

Speaker = Literal["user", "agent", "tool", "system", "history"]
"""Who speaks."""


class Entry(Frozen):
    """One message, or one call of a tool."""

    speaker: Speaker
    """Who speaks; `tool` is a call with its result."""
    text: str | None = None
    """What was said, as it was; None for a call."""
    tool_id: str | None = None
    """The called tool."""
    arguments: Json = None
    """What it was called with."""
    result: Json = None
    """What came back."""
    finished: bool = True
    """Whether anything came back."""
    failed: bool = False
    """Whether the result is a failure."""
    past: bool = False
    """Whether it belongs to the conversation before this turn."""


def transcript(run: RunDetail) -> tuple[Entry, ...]:
    """The conversation before the turn, then the turn; a run without messages shows its input and output."""
    history = run.context.get("history")
    appended = run.output.get("appended") if isinstance(run.output, dict) else None
    if not isinstance(appended, list):
        appended = run.context.get("appended")
    entries = [entry.model_copy(update={"past": True}) for entry in _entries(history)]
    turn = _entries(appended)
    if not turn:
        if run.input is not None:
            entries.append(Entry(speaker="user", text=_words(run.input)))
        if run.output is not None and not isinstance(appended, list):
            entries.append(Entry(speaker="agent", text=_words(run.output)))
    return (*entries, *turn)


def _entries(messages: Json) -> list[Entry]:
    listed = (
        [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
    )
    results: dict[str, dict[str, Json]] = {}
    for message in listed:
        told = message.get("toolCall")
        if message.get("role") == "tool" and isinstance(told, dict):
            results.setdefault(str(told.get("invocationId")), message)
    entries: list[Entry] = []
    for message in listed:
        role, content = message.get("role"), message.get("content")
        if role == "tool":
            continue
        calls = content.get("toolCalls") if isinstance(content, dict) else None
        if isinstance(calls, list):
            text = content.get("text") if isinstance(content, dict) else None
            if isinstance(text, str) and text.strip():
                entries.append(Entry(speaker="agent", text=text))
            entries += [_call(call, results) for call in calls if isinstance(call, dict)]
            continue
        speaker: Speaker = "agent" if role == "agent" else "system" if role == "system" else "user"
        entries.append(Entry(speaker=speaker, text=_words(content)))
    return entries


def _call(call: dict[str, Json], results: dict[str, dict[str, Json]]) -> Entry:
    answer = results.get(str(call.get("id")))
    told = answer.get("toolCall") if answer is not None else None
    return Entry(
        speaker="tool",
        tool_id=str(call.get("name")),
        arguments=call.get("arguments"),
        result=None if answer is None else answer.get("content"),
        finished=answer is not None,
        failed=isinstance(told, dict) and told.get("failed") is True,
    )


def _words(content: Json) -> str:
    if isinstance(content, str):
        return content
    from kindgi_tui.text import json_text

    return json_text(content, 100_000)
