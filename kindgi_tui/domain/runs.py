"""Runs: what an agent or a flow did once, as recorded (DESIGN section 2)."""

from datetime import datetime
from typing import Literal

from kindgi_tui.domain.base import Frozen, Json

RunStatus = Literal["pending", "running", "suspended", "completed", "failed", "cancelled"]
"""Where a run stands; `completed`, `failed` and `cancelled` are final."""

SubjectKind = Literal["agent", "flow"]
"""What ran: one agent's turn, or a flow."""


class Subject(Frozen):
    """What ran, at which version."""

    kind: SubjectKind
    """An agent's turn or a flow."""
    id: str
    """The dotted id, such as `acme-ops.article-picker`."""
    version: str
    """The exact version (`x.y.z`), or `unknown` for an imported run that does not say."""


class Segment(Frozen):
    """One step of the path a run was started in, coarse to fine, such as `company:acme`."""

    key: str
    """Lowercase letters, digits, `-` and `_`, starting with a letter."""
    value: str
    """1 to 256 characters."""


class RecordedCall(Frozen):
    """One tool call of a run, with what came back."""

    step: int
    """The place of the model's message among the run's agent messages, from 0."""
    call_id: str
    """The call's own id, unique within its run."""
    tool_id: str
    """Which tool was called."""
    tool_version: str | None = None
    """The version that answered, where the record says so."""
    arguments: Json = None
    """What the tool was called with: a JSON value, or the text when it was not JSON."""
    result: Json = None
    """The content of the tool's message: a failure comes back as it was recorded."""
    failed: bool = False
    """Whether the recorded result is a failure."""
    finished: bool = True
    """False when the run has no result of this call."""


class Run(Frozen):
    """A run, as lists show it."""

    id: str
    """A UUID."""
    project_id: str
    """The project it belongs to."""
    subject: Subject
    """What ran."""
    status: RunStatus
    """Where it stands."""
    created_at: datetime
    """When it started (UTC)."""
    completed_at: datetime | None = None
    """When it ended (UTC), where known."""
    segments: tuple[Segment, ...] = ()
    """The path it was started in, coarse to fine; empty when none."""
    conversation_id: str | None = None
    """The conversation an agent's turn belongs to."""
    replay_of: str | None = None
    """The past run this one replays."""
    comparison_id: str | None = None
    """The comparison that made this replay."""
    failure: str | None = None
    """Why it failed, in words; only on failed runs."""
    source: str = "recorded"
    """Where it came from: `recorded` here, or the import format's name."""
    judgments: int = 0
    """How many live judgments it has."""
    preview: str = ""
    """The first words of its input, for a list; made by the store, one line."""


class RunDetail(Run):
    """A run with everything it holds."""

    input: Json = None
    """What went in: an agent turn's user message, or a flow's input."""
    output: Json = None
    """What came out; an agent turn's has `appended` and, when typed, `output` (DESIGN section 4)."""
    context: dict[str, Json] = {}
    """What the turn had before it answered, in the wire's names: `history` (at most 200 messages),
    `historyTruncated`, `retrieved`, `toolEnv` (environment values by tool id), `sessionApproval`,
    and ours: `severalTurns` (true: a whole trajectory, which can't be replayed faithfully), and of a turn that was
    started with them `startedBy`, `participantId`, `parameters`."""
    raw: Json = None
    """The record an import made it from, as it stood in the file; None for a run recorded here."""


class TurnGiven(Frozen):
    """What a turn that is started is given beside its message; all of it is recorded with the run."""

    conversation_id: str | None = None
    """The conversation it goes on; None opens one."""
    participant_id: str | None = None
    """An app's own user, by an opaque id."""
    parameters: Json = None
    """Values for the parameters that the agent's instructions declare, by name; others are recorded and not read."""
    started_by: Literal["person", "key"] | None = None
    """Whether a person or a service asked for it over HTTP; None: neither, it was started here."""


def recorded_calls(output: Json) -> tuple[RecordedCall, ...]:
    """The tool calls of an agent turn's output, in order, each with the content of its tool message.

    A call stands in an agent message's `content.toolCalls` (`id`, `name`, `arguments`), its result in the
    `tool` message whose `toolCall.invocationId` is the call's id (Kindgi 0.1 turn result).
    """
    appended = output.get("appended") if isinstance(output, dict) else None
    if not isinstance(appended, list):
        return ()
    answers: dict[str, dict[str, Json]] = {}
    for message in appended:
        if isinstance(message, dict) and message.get("role") == "tool":
            call = message.get("toolCall")
            if isinstance(call, dict) and isinstance(call.get("invocationId"), str):
                answers.setdefault(str(call["invocationId"]), message)
    calls: list[RecordedCall] = []
    step = 0
    for message in appended:
        if not isinstance(message, dict) or message.get("role") != "agent":
            continue
        content = message.get("content")
        listed = content.get("toolCalls") if isinstance(content, dict) else None
        for call in listed if isinstance(listed, list) else ():
            if isinstance(call, dict) and isinstance(call.get("name"), str):
                calls.append(_recorded_call(step, call, answers.get(str(call.get("id")))))
        step += 1
    return tuple(calls)


def _recorded_call(step: int, call: dict[str, Json], answer: dict[str, Json] | None) -> RecordedCall:
    told = answer.get("toolCall") if answer is not None else None
    tool_call = told if isinstance(told, dict) else {}
    version = tool_call.get("toolVersion")
    return RecordedCall(
        step=step,
        call_id=str(call.get("id")),
        tool_id=str(call["name"]),
        tool_version=version if isinstance(version, str) else None,
        arguments=call.get("arguments"),
        result=answer.get("content") if answer is not None else None,
        failed=tool_call.get("failed") is True,
        finished=answer is not None,
    )
