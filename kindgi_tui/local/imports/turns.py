"""An agent's turn out of messages: what went in, what was there before, what the turn added."""

from datetime import datetime, timedelta
from typing import NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.conversations import history_context
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.local.imports.identity import UNKNOWN_VERSION, agent_id_of_file, dotted_id, version_of
from kindgi_tui.local.imports.messages import Turned
from kindgi_tui.local.imports.records import ImportOptions, Place
from kindgi_tui.local.imports.told import Unreadable


class Turn(NamedTuple):
    """One turn of an agent."""

    input: Json
    """The human message; an empty text when there is none."""
    history: list[Json]
    """The messages before it."""
    appended: list[Json]
    """The human message and everything after it."""
    number: int
    """Which turn of the conversation it is, from 1."""


def _role(message: Json) -> Json:
    return message.get("role") if isinstance(message, dict) else None


def _turn_at(messages: list[Json], start: int | None) -> Turn:
    if start is None:
        # No human spoke: what came before the agent's first message is history.
        start = next((i for i, m in enumerate(messages) if _role(m) in ("agent", "tool")), len(messages))
        return _renumbered("", messages, start)
    message = messages[start]
    return _renumbered(message.get("content") if isinstance(message, dict) else "", messages, start)


def _renumbered(spoken: Json, messages: list[Json], start: int) -> Turn:
    humans = sum(_role(message) == "user" for message in messages[:start])
    appended: list[Json] = [
        {**message, "sequence": place} if isinstance(message, dict) else message
        for place, message in enumerate(messages[start:])
    ]
    return Turn(spoken, messages[:start], appended, humans + 1)


def last_turn(messages: list[Json]) -> Turn:
    """A conversation's last turn: from its last human message on. Raises Unreadable when nothing follows it."""
    start = next((i for i in range(len(messages) - 1, -1, -1) if _role(messages[i]) == "user"), None)
    turn = _turn_at(messages, start)
    if not any(_role(message) == "agent" for message in turn.appended):
        raise Unreadable("The agent said and did nothing after the last human message.")
    return turn


def whole_trajectory(messages: list[Json]) -> Turn:
    """A whole trajectory as one turn: from its first human message on. Raises Unreadable when the agent is silent."""
    start = next((i for i, message in enumerate(messages) if _role(message) == "user"), None)
    turn = _turn_at(messages, start)
    if not any(_role(message) == "agent" for message in turn.appended):
        raise Unreadable("The agent said and did nothing.")
    return turn


def context_of(turn: Turn) -> dict[str, Json]:
    """The turn's context in the wire's names: its history, the newest 200 messages of it."""
    return history_context(turn.history)


def calls_tools(message: Json) -> bool:
    """Whether an agent's message calls tools (DESIGN section 4)."""
    content = message.get("content") if isinstance(message, dict) else None
    return isinstance(content, dict) and isinstance(content.get("toolCalls"), list)


def output_of(
    turn: Turn, turned: Turned, usage: dict[str, Json] | None = None, provider: dict[str, Json] | None = None
) -> dict[str, Json]:
    """The turn's result in Kindgi's shape. `usage` has only what the record tells; `output` only where it is told."""
    agents = [message for message in turn.appended if _role(message) == "agent"]
    said = [message for message in agents if not calls_tools(message)]
    output: dict[str, Json] = {"turnNumber": turn.number, "appended": turn.appended}
    if agents:
        output["response"] = (said or agents)[-1]
    output["retrieved"] = []
    output["violations"] = []
    output["usage"] = {"steps": len(agents), **(usage or {})}
    if provider is not None:
        output["provider"] = provider
    if turned.has_typed:
        output["output"] = turned.typed
    return output


def subject_of(record: dict[str, Json], place: Place, options: ImportOptions) -> Subject:
    """The agent a record is ascribed to: what was asked for, else what it or its metadata says, else the file's
    name; its version likewise, else `unknown`."""
    told = metadata_of(record)
    agent, version = options.agent, options.agent_version
    for source in (record, told):
        named = source.get("agent")
        inner = named if isinstance(named, dict) else {}
        for value in (named, inner.get("id"), inner.get("name"), *_values(source, _AGENT_KEYS)):
            if agent is None and isinstance(value, str):
                agent = dotted_id(value)
        for value in (inner.get("version"), *_values(source, _VERSION_KEYS)):
            if version is None:
                version = version_of(value)
    return Subject(kind="agent", id=agent or agent_id_of_file(place.file), version=version or UNKNOWN_VERSION)


_AGENT_KEYS = ("agent_id", "agentId", "agent_name", "agentName")
_VERSION_KEYS = ("agent_version", "agentVersion", "service.version")


def _values(source: dict[str, Json], keys: tuple[str, ...]) -> tuple[Json, ...]:
    return tuple(source.get(key) for key in keys)


def metadata_of(record: dict[str, Json]) -> dict[str, Json]:
    """The record's `metadata`, empty when it has none."""
    told = record.get("metadata")
    return told if isinstance(told, dict) else {}


def start_of(told: datetime | None, place: Place, options: ImportOptions) -> datetime:
    """When a run started: what its record tells, else the time of the import, in the order of the file."""
    return told or options.imported_at + timedelta(microseconds=(place.position or 0) % 10**9)


def turn_run(
    run_id: str,
    turn: Turn,
    output: dict[str, Json],
    record: Json,
    subject: Subject,
    place: Place,
    options: ImportOptions,
    source: str,
    times: tuple[datetime | None, datetime | None] = (None, None),
    context: dict[str, Json] | None = None,
) -> RunDetail:
    """A completed run of one turn. `times`: its start and end, where known; `context` is added to its history."""
    started, ended = times
    return RunDetail(
        id=run_id,
        project_id=options.project_id,
        subject=subject,
        status="completed",
        created_at=start_of(started, place, options),
        completed_at=ended,
        segments=options.segments,
        source=source,
        input=turn.input,
        output=output,
        context={**context_of(turn), **(context or {})},
        raw=record,
    )
