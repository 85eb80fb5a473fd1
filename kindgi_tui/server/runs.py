"""Runs: list, get, journal, start, cancel."""

import re
from datetime import datetime
from functools import partial
from typing import Any, get_args

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.javascript import read_leading_int
from kindgi_tui.domain.queries import Replays, RunFilter
from kindgi_tui.domain.runs import RunDetail, RunStatus, SubjectKind, TurnGiven
from kindgi_tui.server.asking import MOST, Answer, Ask
from kindgi_tui.server.bodies import NOTHING
from kindgi_tui.server.errors import Refusal, bad, missing
from kindgi_tui.server.fields import an_object, checked_project, segment_path
from kindgi_tui.server.operations import PAGED, SCOPED, Operation
from kindgi_tui.server.pages import after_key, page
from kindgi_tui.server.queries import is_uuid, loose_time, one_of, scope, uuid_param
from kindgi_tui.wire import v01_records as records
from kindgi_tui.workbench import Invalid, NotFound

STATUSES: tuple[str, ...] = get_args(RunStatus)
"""Where a run may stand."""

_WHOLE = re.compile(r"[1-9][0-9]*")
_OVER = ("completed", "failed", "cancelled")


async def list_runs(ask: Ask) -> Answer:
    """Runs, newest first."""
    project = scope(ask, checked=True)
    parent, trigger = _parent(ask), _trigger(ask)
    kind, identity, version = _subject(ask)
    statuses = _statuses(ask)
    replays, comparison = _replays(ask)
    included = _included(ask)
    since, until = _times(ask)
    top = one_of(ask, "topLevel", ("true", "false"), "`topLevel` must be `true` or `false`")
    if parent or trigger or (kind == "flow" and identity == records.TURN_FLOW[0] and _other_turn(version)):
        # No run here has a parent or a trigger, or is another flow version's turn.
        return Answer(page([], False, None))
    del top  # every run here is at the top
    if kind == "flow" and identity == records.TURN_FLOW[0]:
        kind, identity, version = "agent", None, None
    query = RunFilter(
        project_id=project,
        subject_kind=kind,
        subject_id=identity,
        subject_version=version,
        statuses=statuses,
        created_since=since,
        created_until=until,
        replays=replays,
        comparison_id=comparison,
    )
    # What runs now is above what ended, and leaves room for a row of that: its cursor is the page's.
    running = ask.served.turns.matching(query)[: ask.limit - 1] if ask.cursor is None else []
    try:
        found = await ask.bench.runs.list(query, ask.limit - len(running), ask.cursor)
    except Invalid as cause:
        raise bad("`cursor` is malformed" if cause.field == "cursor" else cause.sentence) from None
    ids = {run.id for run in found.data}
    rows = [records.run(run, ask.tenant) for run in running if run.id not in ids]
    rows += [
        records.run(await ask.bench.runs.get(run.id) if included else run, ask.tenant, included)
        for run in found.data
    ]
    return Answer(page(rows, found.has_more, found.next_cursor))


def _parent(ask: Ask) -> bool:
    parent = ask.get("parentRunId")
    if parent is not None and not is_uuid(parent):
        raise bad("`parentRunId` must be a run id (a UUID)")
    return parent is not None


def _trigger(ask: Ask) -> bool:
    trigger = ask.get("triggerId")
    if trigger is not None and not is_uuid(trigger):
        raise bad("`triggerId` must be a trigger id (a UUID)")
    return trigger is not None


def _other_turn(version: str | None) -> bool:
    return version is not None and version != records.TURN_FLOW[1]


def _subject(ask: Ask) -> tuple[SubjectKind | None, str | None, str | None]:
    for name in ("agentId", "agentVersion", "flowId", "flowVersion"):
        if ask.get(name) == "":
            raise bad(f"`{name}` must not be empty")
    for kind in ("agent", "flow"):
        if ask.get(f"{kind}Version") is not None and ask.get(f"{kind}Id") is None:
            raise bad(f"`{kind}Version` needs `{kind}Id`")
    agent, flow = ask.get("agentId"), ask.get("flowId")
    if agent is not None:
        if flow is not None and flow != records.TURN_FLOW[0]:
            return "flow", agent, ask.get("agentVersion")
        return "agent", agent, ask.get("agentVersion")
    return ("flow", flow, ask.get("flowVersion")) if flow is not None else (None, None, None)


def _statuses(ask: Ask) -> tuple[RunStatus, ...]:
    told = ask.all("status")
    unknown = [value or "(empty)" for value in told if value not in STATUSES]
    if unknown:
        raise bad(
            f"Unknown `status` value(s): {', '.join(unknown)}. Expected one or more of: {', '.join(STATUSES)}"
        )
    return tuple(told)  # type: ignore[arg-type]


def _replays(ask: Ask) -> tuple[Replays, str | None]:
    told: Any = one_of(
        ask, "replays", ("exclude", "include", "only"), "`replays` must be `exclude`, `include` or `only`"
    )
    comparison = ask.get("evalRunId")
    if comparison == "":
        raise bad("`evalRunId` must not be empty")
    if comparison is not None and told == "exclude":
        raise bad("`evalRunId` and `replays=exclude` cannot be combined")
    return told or ("exclude" if comparison is None else "include"), comparison


def _included(ask: Ask) -> bool:
    told = ask.all("include")
    unknown = [value or "(empty)" for value in told if value != "output"]
    if unknown:
        raise bad(f"Unknown `include` value(s): {', '.join(unknown)}")
    return bool(told)


def _times(ask: Ask) -> tuple[datetime | None, datetime | None]:
    found: list[datetime | None] = []
    for name in ("createdAfter", "createdBefore"):
        told = ask.get(name)
        moment = None if told is None else loose_time(told)
        if told is not None and moment is None:
            raise bad(f"`{name}` must be a date-time")
        found.append(moment)
    after, before = found
    if after is not None and before is not None and after >= before:
        raise bad("`createdAfter` must be earlier than `createdBefore`")
    return after, before


async def found_run(ask: Ask, details: bool = False) -> RunDetail:
    """The run that the path names. Raises Refusal."""
    identity = uuid_param(ask, "runId", "run")
    found = ask.served.turns.get(identity)
    try:
        found = found or await ask.bench.runs.get(identity)
    except NotFound:
        found = None
    if found is None or found.id != identity:
        sentence = f"No run with id {identity}"
        raise missing("run-not-found", sentence, {"runId": identity} if details else None)
    return found


async def get_run(ask: Ask) -> Answer:
    """One run."""
    return Answer(records.run(await found_run(ask), ask.tenant, output=True))


async def run_journal(ask: Ask) -> Answer:
    """How a run went, as far as that was recorded."""
    uuid_param(ask, "runId", "run")
    told = ask.given("limit")
    if told is not None and _WHOLE.fullmatch(told) is None:
        raise bad(f"`limit` must be a whole number, 1 or more (a page holds at most {MOST})")
    entries = records.journal(await found_run(ask))
    since = read_leading_int(ask.get("since") or "")
    if since is not None:
        entries = [entry for entry in entries if entry["sequence"] > since]  # type: ignore[operator]
    limit = ask.limit if told is not None else len(entries) or 1
    return Answer(
        after_key(entries, lambda entry: str(entry["sequence"]), lambda entry: entry, limit, ask.cursor)
    )


async def cancel_run(ask: Ask) -> Answer:
    """Cancels a run that was started without waiting for it; any other has ended when it is written down."""
    found = await found_run(ask, details=True)
    if found.status in _OVER:
        raise Refusal(
            409,
            "run-already-terminal",
            f"Run {found.id} is already {found.status}",
            {"runId": found.id, "status": found.status},
        )
    ask.may("editor", f'Not allowed to cancel run "{found.id}".')
    if ask.served.turns.get(found.id) is None:
        raise Refusal(501, "run-not-running", f"Run {found.id} doesn't run here: nothing can cancel it.")
    await ask.served.turns.cancel(found.id)
    return await _now(ask, found.id)


async def start_run(ask: Ask) -> Answer:
    """Runs one turn of an agent and answers when it ended; with `options.wait: false`, once it is under way."""
    value = ask.body()
    if value is NOTHING:
        raise bad("Request body must be valid JSON")
    body = an_object(value, "Request body must be an object")
    project = await checked_project(ask, body)
    agent, flow = body.get("agent"), body.get("flow")
    if agent and flow:
        raise bad("Provide exactly one of `agent` or `flow`, not both")
    subject = agent or flow
    if not isinstance(subject, str):
        raise bad("Request body must include `agent` or `flow`")
    if "input" not in body:
        raise bad("`input` is required")
    version = _start_version(body, "agent" if agent else "flow")
    segments = segment_path(body["segments"]) if "segments" in body else ()
    waits = _waits(body)
    if flow:
        await _check_known(ask, "flow", subject, version)
        raise Refusal(501, "flows-unsupported", "Flows can't be run here yet: run an agent.")
    message, given = _turn_given(ask, body["input"])
    if given.conversation_id is not None:
        version = await _going_on(ask, given.conversation_id, subject, version)
    await _check_known(ask, "agent", subject, version)
    ask.may("editor", f'Not allowed to run agent "{subject}".')
    landing = (project or await ask.bench.projects.get()).id
    start = partial(ask.bench.runs.start, landing, subject, version, message, segments, given=given)
    if waits:
        return Answer(records.run(await start(), ask.tenant, output=True), 201)
    run = await ask.served.turns.begin(lambda begun: start(begun=begun))
    return Answer(records.run(run, ask.tenant, output=True), 202)


def _turn_given(ask: Ask, value: Json) -> tuple[str, TurnGiven]:
    """The message of a turn, and what is given beside it; an empty text counts as left out. Raises Refusal."""
    fields = value if isinstance(value, dict) else {}
    if "userMessage" not in fields:
        raise bad("`input.userMessage` is required")
    message = fields["userMessage"]
    if not isinstance(message, str):
        raise bad("`input.userMessage` must be a string")
    conversation, participant = fields.get("conversationId"), fields.get("participantId")
    for name, told in (("conversationId", conversation), ("participantId", participant)):
        if told is not None and not isinstance(told, str):
            raise bad(f"`input.{name}` must be a string when supplied")
    return message, TurnGiven(
        conversation_id=conversation or None,
        participant_id=participant or None,
        parameters=fields.get("parameters"),
        started_by="person" if ask.bearer.person.kind == "user" else "key",
    )


async def _going_on(ask: Ask, conversation: str, agent: str, version: str | None) -> str | None:
    """The version of a turn that goes on a conversation: the conversation's unless one is named. Raises Refusal."""
    try:
        found = await ask.bench.conversations.get(conversation)
    except NotFound:
        sentence = f'No conversation with id "{conversation}"'
        raise missing("conversation-not-found", sentence, {"conversationId": conversation}) from None
    return version or (found.agent_version if found.agent_id == agent else None)


async def _now(ask: Ask, run_id: str, status: int = 200) -> Answer:
    return Answer(records.run(await ask.bench.runs.get(run_id), ask.tenant, output=True), status)


async def recorded(ask: Ask, identity: str) -> Answer:
    """The answer of a turn that was taken already."""
    value = ask.body()
    waits = _waits(value) if isinstance(value, dict) else True
    return await _now(ask, identity, 201 if waits else 202)


def _start_version(body: dict[str, Any], kind: str) -> str | None:
    version = body.get(f"{kind}Version")
    if f"{kind}Version" in body and not isinstance(version, str):
        raise bad(f"`{kind}Version` must be a string when supplied")
    return version


def _waits(body: dict[str, Any]) -> bool:
    """Whether the answer waits for the run's end. Raises Refusal."""
    told = body.get("options")
    options = {} if told is None else an_object(told, "`options` must be an object when supplied")
    for name in ("wait", "dryRun"):
        if not isinstance(options.get(name, False), bool):
            raise bad(f"`options.{name}` must be a boolean")
    if options.get("dryRun"):
        raise Refusal(501, "run-option-not-supported", "A run here can't be dry: leave `options.dryRun` out.")
    return options.get("wait", True) is True


async def _check_known(ask: Ask, kind: str, identity: str, version: str | None) -> None:
    catalog = ask.bench.agents if kind == "agent" else ask.bench.flows
    try:
        await catalog.get(identity, version)
    except NotFound:
        at = "" if version is None else f' at version "{version}"'
        raise missing(f"{kind}-not-found", f'No {kind} registered with id "{identity}"{at}') from None


OPERATIONS = (
    Operation(
        "GET",
        "/v1/runs",
        list_runs,
        "Runs, newest first.",
        "page:run",
        query=(
            *PAGED,
            *SCOPED,
            "parentRunId",
            "topLevel",
            "agentId",
            "agentVersion",
            "flowId",
            "flowVersion",
            "status",
            "createdAfter",
            "createdBefore",
            "triggerId",
            "replays",
            "evalRunId",
            "include",
        ),
    ),
    Operation(
        "POST",
        "/v1/runs",
        start_run,
        "Runs a turn of an agent; 202 where its end isn't waited for.",
        "run",
        201,
        also=(202,),
        body="startRun",
        keyed=True,
        again=recorded,
    ),
    Operation("GET", "/v1/runs/{runId}", get_run, "One run.", "run"),
    Operation(
        "GET",
        "/v1/runs/{runId}/journal",
        run_journal,
        "How a run went.",
        "page:journalEntry",
        query=(*PAGED, "since"),
    ),
    Operation("POST", "/v1/runs/{runId}/cancel", cancel_run, "Cancels a run.", "run", keyed=True),
)
"""Runs."""
