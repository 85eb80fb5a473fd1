"""Eval runs: list, get, cancel, rescore, and their events as a stream."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any, get_args

from starlette.responses import StreamingResponse

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparing import taken_cases
from kindgi_tui.domain.comparison_options import options_of
from kindgi_tui.domain.comparison_records import Comparison, ComparisonEvent, ComparisonStatus
from kindgi_tui.domain.test_sets import MAX_CASES, Case
from kindgi_tui.server.asking import Answer, Ask
from kindgi_tui.server.bodies import NOTHING
from kindgi_tui.server.comparison_starts import failed_rescore, started, unknown_run
from kindgi_tui.server.errors import Refusal, bad
from kindgi_tui.server.fields import checked_project
from kindgi_tui.server.operations import PAGED, SCOPED, Operation
from kindgi_tui.server.pages import page, sifted
from kindgi_tui.server.queries import full_time, scope
from kindgi_tui.text import dumps_line
from kindgi_tui.wire import dialects, v01_test_sets
from kindgi_tui.workbench import Conflict, NotFound, WorkbenchError

STATUSES: tuple[str, ...] = get_args(ComparisonStatus)
"""Where an eval run may stand."""

STREAM_SECONDS = 300.0
"""How long a stream of events stays open without an end of the run."""

CASES_PAGE = 100
"""Cases read at once."""

_LIVE = ("pending", "running")


async def list_comparisons(ask: Ask) -> Answer:
    """Eval runs, newest first, with their results."""
    project = scope(ask)
    status = ask.given("status")
    if status is not None and status not in STATUSES:
        raise bad(f'Unknown status "{status}". Expected one of: {", ".join(STATUSES)}.')
    since, until = _time(ask, "from"), _time(ask, "to")
    agent, flow = ask.given("agentId"), ask.given("flowId")

    def keep(one: Comparison) -> bool:
        return (
            (status is None or one.status == status)
            and (agent is None or one.request.agent_id == agent)
            and (flow is None or one.request.flow_id == flow)
            and (since is None or one.created_at >= since)
            and (until is None or one.created_at < until)
        )

    found = await sifted(
        lambda limit, cursor: ask.bench.comparisons.list(project, ask.given("suiteId"), limit, cursor),
        keep,
        ask.limit,
        ask.cursor,
    )
    rows = [await _record(ask, await ask.bench.comparisons.get(one.id)) for one in found.data]
    return Answer(page(rows, found.has_more, found.next_cursor))


def _time(ask: Ask, name: str) -> datetime | None:
    told = ask.given(name)
    moment = None if told is None else full_time(told)
    if told is not None and moment is None:
        raise bad(f"`{name}` must be an ISO 8601 time")
    return moment


async def _record(ask: Ask, found: Comparison) -> dict[str, Json]:
    so_far = await ask.bench.comparisons.partial(found.id) if found.status in _LIVE else None
    return v01_test_sets.comparison(found, ask.tenant, so_far)


async def _found(ask: Ask) -> Comparison:
    identity = ask.params["evalRunId"]
    try:
        found = await ask.bench.comparisons.get(identity)
    except (NotFound, WorkbenchError):
        found = None
    if found is None or found.id != identity:
        raise unknown_run(identity)
    return found


def _dry(ask: Ask) -> dict[str, Json] | None:
    known: dict[str, Json] | None = ask.served.dry_runs.get(ask.params["evalRunId"])
    return known


async def get_comparison(ask: Ask) -> Answer:
    """One eval run, with what finished so far or its result."""
    dry = _dry(ask)
    return Answer(dry if dry is not None else await _record(ask, await _found(ask)))


def _over(identity: str, status: Json) -> Refusal:
    return Refusal(
        409,
        "eval-run-already-terminal",
        f"Cannot cancel eval run {identity}: already {status}",
        {"runId": identity, "status": status},
    )


async def cancel(ask: Ask) -> Answer:
    """Cancels an eval run; what finished stays."""
    dry = _dry(ask)
    if dry is not None:
        raise _over(str(dry["runId"]), dry["status"])
    found = await _found(ask)
    if found.status not in _LIVE:
        raise _over(found.id, found.status)
    ask.may("editor", f"Not allowed to cancel eval run {found.id}.")
    try:
        await ask.bench.comparisons.cancel(found.id)
    except Conflict:
        now = await ask.bench.comparisons.get(found.id)
        raise _over(found.id, now.status) from None
    return Answer(await _record(ask, await _settled(ask, found.id)))


async def _settled(ask: Ask, identity: str) -> Comparison:
    """The comparison once it ended, or as it is after two seconds: its executor ends within one."""
    for _ in range(40):
        now = await ask.bench.comparisons.get(identity)
        if now.status not in _LIVE:
            return now
        await asyncio.sleep(0.05)
    return await ask.bench.comparisons.get(identity)


async def rescore(ask: Ask) -> Answer:
    """Scores the replays again with what was judged on them since."""
    value = ask.body()
    if isinstance(value, dict) and value is not NOTHING:
        await checked_project(ask, value)
    dry = _dry(ask)
    if dry is not None:
        if dry["status"] != "completed":
            raise _not_rescorable(str(dry["runId"]), dry["status"])
        return failed_rescore(ask, dry)
    found = await _found(ask)
    if found.status != "completed":
        raise _not_rescorable(found.id, found.status)
    ask.may("editor", f"Not allowed to rescore eval run {found.id}.")
    try:
        made = await ask.bench.comparisons.rescore(found.id)
    except Conflict:
        raise _not_rescorable(found.id, found.status) from None
    return Answer({"runId": made.id}, 201)


def _not_rescorable(identity: str, status: Json) -> Refusal:
    sentence = (
        f"Eval run {identity} can't be rescored: only a completed comparison of a test set can "
        f"(this one is a judged run, {status})."
    )
    return Refusal(409, "eval-run-not-rescorable", sentence, {"runId": identity})


async def events(ask: Ask) -> StreamingResponse:
    """The cases as they finish, and the end, as server-sent events.

    A case's event is numbered by its place among the cases that are run, so it has one id whenever it is read, and they
    come as the cases finish. Every connection is told of all that finished, whatever was the last that the client had.
    """
    dry = _dry(ask)
    frames = _dry_frames(ask, dry) if dry is not None else _frames(ask, await _found(ask))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(frames, media_type="text/event-stream", headers=headers)


def _frame(ask: Ask, identity: str, place: str, event: str, data: dict[str, Json]) -> str:
    noun = "test-run" if ask.dialect == "0.4" else "eval-run"
    shaped = dialects.answer_04("comparison", data) if ask.dialect == "0.4" else data
    return f"id: {identity}:{place}\nevent: {noun}.{event}\ndata: {dumps_line(shaped)}\n\n"


async def _dry_frames(ask: Ask, record: dict[str, Json]) -> AsyncIterator[str]:
    yield _terminal(ask, record)


def _terminal(ask: Ask, record: dict[str, Json]) -> str:
    told = ("runId", "status", "result", "error")
    data: dict[str, Json] = {name: value for name, value in record.items() if name in told}
    return _frame(ask, str(record["runId"]), "terminal", str(record["status"]), data)


async def _frames(ask: Ask, first: Comparison) -> AsyncIterator[str]:
    identity, sent = first.id, set[str]()
    try:
        cases = await _cases(ask, first)
        places = {case.case_id: place for place, case in enumerate(cases)}
        checked = {case.case_id for case in cases if case.expect is not None or case.corrections}
        async for event in _while_served(ask.bench.comparisons.follow(identity), ask.served.stopping.told):
            now = event.comparison
            ended = event.kind == "end"
            document = now.result if ended else await ask.bench.comparisons.partial(identity)
            for case in _finished(document, ended, now.request.repetitions, checked):
                if case["caseId"] in sent:
                    continue
                place = places.setdefault(case["caseId"], len(places))
                data: dict[str, Json] = {"runId": identity, "caseIndex": place, **case}
                yield _frame(ask, identity, f"case:{place}", "case-completed", data)
                sent.add(case["caseId"])
            if ended:
                yield _terminal(ask, v01_test_sets.comparison(now, ask.tenant))
    except WorkbenchError as cause:
        yield f"event: error\ndata: {json.dumps({'code': cause.code, 'message': cause.sentence})}\n\n"


async def _cases(ask: Ask, one: Comparison) -> tuple[Case, ...]:
    """The cases that are run, in their order."""
    found: list[Case] = []
    cursor: str | None = None
    while len(found) < MAX_CASES:
        rows = await ask.bench.test_sets.cases(one.test_set_id, one.test_set_version, CASES_PAGE, cursor)
        found += rows.data
        cursor = rows.next_cursor
        if not rows.has_more or cursor is None:
            break
    return taken_cases(found, options_of(one.request, one.id, one.test_set_version).comparison)[0]


async def _while_served(
    events: AsyncIterator[ComparisonEvent], stopping: asyncio.Event
) -> AsyncIterator[ComparisonEvent]:
    """The events, until they end, the server stops, or the stream has been open long enough."""
    deadline = time.monotonic() + STREAM_SECONDS
    stopped = asyncio.ensure_future(stopping.wait())
    following = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            left = deadline - time.monotonic()
            await asyncio.wait((following, stopped), timeout=left, return_when=asyncio.FIRST_COMPLETED)
            event = following.result() if following.done() else None
            if event is None:
                return
            yield event
            following = asyncio.ensure_future(anext(events, None))
    finally:
        stopped.cancel()
        following.cancel()


def _finished(document: Json, ended: bool, repetitions: int, checked: set[str]) -> list[dict[str, Any]]:
    """The cases of a result; of one so far those with nothing to come: every repetition ran, and those of `checked`,
    which expect something, were checked."""
    cases = document.get("perCase") if isinstance(document, dict) else None
    rows = [case for case in cases if isinstance(case, dict)] if isinstance(cases, list) else []
    return [
        case
        for case in rows
        if ended
        or (
            _count(case.get("runIds")) >= repetitions
            and (case.get("caseId") not in checked or "corrections" in case or "unchecked" in case)
        )
    ]


def _count(value: Json) -> int:
    return len(value) if isinstance(value, list) else 0


_BASE, _ONE = "/v1/eval-runs", "/v1/eval-runs/{evalRunId}"
OPERATIONS = (
    Operation(
        "GET",
        _BASE,
        list_comparisons,
        "Comparisons, newest first, with their results.",
        "page:comparison",
        query=(*PAGED, *SCOPED, "suiteId", "status", "agentId", "flowId", "from", "to"),
    ),
    Operation("GET", _ONE, get_comparison, "One comparison.", "comparison"),
    Operation("POST", f"{_ONE}/cancel", cancel, "Cancels a comparison.", "comparison"),
    Operation(
        "POST",
        f"{_ONE}/rescore",
        rescore,
        "Scores a comparison's replays again.",
        "started",
        201,
        body="rescore",
        body_required=False,
        again=started,
    ),
    Operation("GET", f"{_ONE}/events", events, "A comparison's events as they come.", "events"),
)
"""Eval runs."""
