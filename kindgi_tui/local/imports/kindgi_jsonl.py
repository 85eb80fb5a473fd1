"""Our own JSONL, documented here: one run a line, in the Kindgi wire's names, with what people said of it.

`export_line` writes it, `read` reads it back. A line is an object; every field but what ran may be missing:

- `id` (also `runId`): the run's id. A UUID is kept; another text or number gives the same UUID on every import;
  without one the id comes from the content. A run whose id is known is not imported again.
- what ran: `agent` of `{id, version, conversationId?}` (or its id as text, or `agentId` and `agentVersion`), or
  `flowId` and `flowVersion`, or `subject` of `{kind: agent | flow, id, version}`. A version that is missing is
  `unknown`.
- `status`: completed (the default), failed or cancelled. A run that had not finished is left out: it would never
  be taken again once it has. `failure` of `{code?, message}` says why it failed (also a text, or
  `failureMessage`).
- `createdAt`, `completedAt`: ISO 8601 with a zone (without one: UTC). A run without a start gets the import's.
- `segments`: `[{key, value}]`, coarse to fine. `replayOf`, `evalRunId` (0.4: `testRunId`): set on replays.
- `input`: what went in. On an agent's run where it is missing: the first user message of the output.
- `output`: an agent's turn result (`{appended: [{sequence, role, content, toolCall?}], output?, usage?, ...}`), or
  just its answer as text, which becomes such a result; a flow's output, any JSON.
- `context`: what it had before it answered: `{history: [message], historyTruncated?, retrieved?, toolEnv?,
  sessionApproval?, severalTurns?}`; of a longer history the newest 200 messages are kept.
- `judgments`: `[{item: {key, pointer?, rank?}, verdict, reason?, assertedBy?: {kind, id}, participantId?,
  createdAt?}]`. `item` may be the key as text; a missing pointer and rank are those the output's item with that
  key has. `verdict` is yes or no (0.4: right or wrong, also as `mark`); `judge` may give the judge as text.
  Judges come in, and go out, under an alias unless names are asked for.
- `corrections`: `[{expect, assertedBy?, participantId?, createdAt?}]`, what the run should have done: `expect` is
  `{decisions?, shouldCall?: [{toolId, args?}], mustNotCall?, answer?, shouldSay?, why?}`, with `decisions` and
  `answer` right or wrong.
- `machineScores`: `[{name, value, explanation?}]`, also `reward`, `score`, `scores`: shown, never judgments.

`projectId` and `source` are written for readers, and not read: an import puts runs in the project it was told.
"""

import json
import math
from collections.abc import Iterable, Iterator

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.conversations import history_context
from kindgi_tui.domain.corrections import Correction
from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.domain.limits import LimitError, check_segments
from kindgi_tui.domain.runs import RunDetail, RunStatus, Segment, Subject
from kindgi_tui.local.imports.identity import (
    UNKNOWN_VERSION,
    named_id,
    plain,
    quoted,
    time_of,
    uuid_of,
    version_of,
)
from kindgi_tui.local.imports.json_values import Found
from kindgi_tui.local.imports.records import (
    ImportedCorrection,
    ImportedJudgment,
    ImportedRun,
    ImportOptions,
    MachineScore,
    Problem,
)
from kindgi_tui.local.imports.sayings import (
    correction_record,
    corrections_of,
    iso,
    judgment_record,
    judgments_of,
)
from kindgi_tui.local.imports.scores import machine_scores
from kindgi_tui.local.imports.turns import start_of, subject_of

NAME = "kindgi-jsonl"
"""The format's name."""

_FINAL: dict[str, RunStatus] = {"completed": "completed", "failed": "failed", "cancelled": "cancelled"}
_UNFINISHED = ("pending", "running", "suspended")
_WIRE_FIELDS = ("output", "input", "status", "createdAt", "judgments")


def sniff(value: Json) -> bool:
    """Whether a value is a record of this format."""
    if not isinstance(value, dict) or not any(field in value for field in _WIRE_FIELDS):
        return False
    agent = value.get("agent")
    named = (isinstance(agent, dict) and isinstance(agent.get("id"), str)) or isinstance(agent, str)
    if any(isinstance(value.get(field), str) for field in ("flowId", "agentId")):
        named = True
    return (named and not any(field in value for field in ("messages", "conversations", "traj"))) or (
        isinstance(value.get("subject"), dict) and "output" in value
    )


def read(found: Found, options: ImportOptions) -> Iterator[ImportedRun | Problem]:
    """The run of one record, and a problem for each part of it that was left out; or why there is no run."""
    record = found.value
    if not isinstance(record, dict):
        yield Problem(place=found.place, reason="The record is not an object.")
        return
    status = _status(record)
    if status is None:
        told = record.get("status")
        word = quoted(told) if isinstance(told, str) else "none that is known"
        reason = f"The run's status is {word}."
        if told in _UNFINISHED:
            reason = f"The run had not finished (it was {told}): import it again when it has."
        yield Problem(place=found.place, reason=reason)
        return
    problems: list[str] = []
    detail = _detail(record, status, found, options, problems)
    judgments = tuple(judgments_of(record, detail, options, problems))
    corrections = tuple(corrections_of(record, options, problems))
    yield ImportedRun(
        detail=detail,
        judgments=judgments,
        corrections=corrections,
        machine_scores=machine_scores(record),
        place=found.place,
    )
    for reason in problems:
        yield Problem(place=found.place, reason=reason)


def _status(record: dict[str, Json]) -> RunStatus | None:
    told = record.get("status")
    if told is None:
        return "failed" if record.get("failure") is not None else "completed"
    return _FINAL.get(told) if isinstance(told, str) else None


def _detail(
    record: dict[str, Json],
    status: RunStatus,
    found: Found,
    options: ImportOptions,
    problems: list[str],
) -> RunDetail:
    subject = _subject(record, found, options)
    agent = record.get("agent")
    conversation = agent.get("conversationId") if isinstance(agent, dict) else record.get("conversationId")
    output = record.get("output")
    given = record.get("input")
    if subject.kind == "agent":
        if "input" not in record:
            given = _first_human(output)
        if isinstance(output, str):
            output = _turn_result(given, output)
    replay = record.get("replayOf")
    comparison = record.get("evalRunId", record.get("testRunId"))
    return RunDetail(
        id=_run_id(record, subject),
        project_id=options.project_id,
        subject=subject,
        status=status,
        created_at=start_of(time_of(record.get("createdAt")), found.place, options),
        completed_at=time_of(record.get("completedAt")),
        segments=options.segments or _segments(record, problems),
        conversation_id=plain(conversation)[:200] if isinstance(conversation, str) else None,
        replay_of=uuid_of(replay),
        comparison_id=plain(comparison)[:200] if isinstance(comparison, str) else None,
        failure=_failure(record) if status == "failed" else None,
        source=NAME,
        input=given,
        output=output,
        context=_context(record),
        raw=record,
    )


def _subject(record: dict[str, Json], found: Found, options: ImportOptions) -> Subject:
    told = record.get("subject")
    subject = told if isinstance(told, dict) else {}
    flow = subject.get("id") if subject.get("kind") == "flow" else record.get("flowId")
    is_agent = record.get("agent") is not None or isinstance(record.get("agentId"), str)
    if isinstance(flow, str) and flow and not is_agent:
        version = version_of(subject.get("version", record.get("flowVersion")))
        return Subject(kind="flow", id=plain(flow)[:200], version=version or UNKNOWN_VERSION)
    return subject_of({"agent": subject, **record} if subject else record, found.place, options)


def _run_id(record: dict[str, Json], subject: Subject) -> str:
    for key in ("id", "runId"):
        own = record.get(key)
        if isinstance(own, str | int) and not isinstance(own, bool) and own != "":
            return uuid_of(own) or named_id(NAME, "id", str(own))
    content = [record.get(key) for key in ("agent", "flowId", "subject", "input", "output", "context")]
    return named_id(NAME, "content", subject.kind, *content)


def _first_human(output: Json) -> Json:
    appended = output.get("appended") if isinstance(output, dict) else None
    for message in appended if isinstance(appended, list) else ():
        if isinstance(message, dict) and message.get("role") == "user":
            return message.get("content")
    return ""


def _turn_result(given: Json, answer: str) -> dict[str, Json]:
    response: dict[str, Json] = {"sequence": 1, "role": "agent", "content": answer}
    asked: dict[str, Json] = {"sequence": 0, "role": "user", "content": given}
    return {
        "turnNumber": 1,
        "appended": [asked, response],
        "response": response,
        "retrieved": [],
        "violations": [],
        "usage": {"steps": 1},
    }


def _segments(record: dict[str, Json], problems: list[str]) -> tuple[Segment, ...]:
    told = record.get("segments")
    if told is None:
        return ()
    pairs = [(one.get("key"), one.get("value")) for one in _objects(told)]
    try:
        path = check_segments(pairs)
    except LimitError:
        path = ()
    if len(path) != (len(told) if isinstance(told, list) else -1):
        problems.append("The run's segments were left out: they are no list of at most 8 {key, value}.")
        return ()
    return tuple(Segment(key=key, value=plain(value)) for key, value in path)


def _failure(record: dict[str, Json]) -> str | None:
    told = record.get("failure")
    for words in (
        told,
        told.get("message") if isinstance(told, dict) else None,
        record.get("failureMessage"),
    ):
        if isinstance(words, str) and words:
            return plain(words)
    code = told.get("code") if isinstance(told, dict) else None
    return plain(code) if isinstance(code, str) else None


def _context(record: dict[str, Json]) -> dict[str, Json]:
    told = record.get("context")
    context = dict(told) if isinstance(told, dict) else {}
    history = context.get("history")
    return context | history_context(history) if isinstance(history, list) else context


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict):
            yield one


def export_line(
    detail: RunDetail,
    judgments: Iterable[Judgment | ImportedJudgment] = (),
    machine_scores: Iterable[MachineScore] = (),
    keep_judges: bool = False,
    corrections: Iterable[Correction | ImportedCorrection] = (),
) -> str:
    """The run as one line of this format, ASCII, without the line's end. Judges go out under an alias unless
    `keep_judges`; what the run was imported from (`raw`) stays behind."""
    record: dict[str, Json] = {"id": detail.id, "projectId": detail.project_id}
    if detail.subject.kind == "flow":
        record |= {"flowId": detail.subject.id, "flowVersion": detail.subject.version}
    else:
        agent: dict[str, Json] = {"id": detail.subject.id, "version": detail.subject.version}
        if detail.conversation_id is not None:
            agent["conversationId"] = detail.conversation_id
        record["agent"] = agent
    record |= {"status": detail.status, "createdAt": iso(detail.created_at)}
    if detail.completed_at is not None:
        record["completedAt"] = iso(detail.completed_at)
    if detail.segments:
        record["segments"] = [{"key": segment.key, "value": segment.value} for segment in detail.segments]
    if detail.replay_of is not None:
        record["replayOf"] = detail.replay_of
    if detail.comparison_id is not None:
        record["evalRunId"] = detail.comparison_id
    if detail.failure is not None:
        record["failure"] = {"code": "run-failed", "message": detail.failure}
    record |= {"source": detail.source, "input": detail.input, "output": detail.output}
    if detail.context:
        record["context"] = detail.context
    said: list[Json] = [judgment_record(judgment, keep_judges) for judgment in judgments]
    if said:
        record["judgments"] = said
    corrected: list[Json] = [correction_record(each, keep_judges) for each in corrections]
    if corrected:
        record["corrections"] = corrected
    scored: list[Json] = [_score_record(score) for score in machine_scores]
    if scored:
        record["machineScores"] = scored
    try:
        return json.dumps(record, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(_without_nan(record), separators=(",", ":"))


def _without_nan(value: Json) -> Json:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(child) for key, child in value.items()}
    return [_without_nan(child) for child in value] if isinstance(value, list) else value


def _score_record(score: MachineScore) -> Json:
    record: dict[str, Json] = {"name": score.name, "value": score.value}
    if score.explanation is not None:
        record["explanation"] = score.explanation
    return record
