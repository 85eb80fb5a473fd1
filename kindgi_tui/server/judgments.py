"""Judgments: yes or no on one item of a run."""

from collections.abc import Mapping
from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.judgments import ItemRef, Judgment
from kindgi_tui.domain.limits import LimitError, check_item, check_reason, check_verdict
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.server.asking import Answer, Ask
from kindgi_tui.server.errors import Refusal, bad, denied, missing
from kindgi_tui.server.fields import an_object
from kindgi_tui.server.operations import PAGED, SCOPED, Operation
from kindgi_tui.server.pages import page, sifted
from kindgi_tui.server.queries import one_of, scope
from kindgi_tui.wire import v01_records as records
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound

_ITEM = "item is required: { key, pointer?, rank? }."


def _new_judgment(body: Mapping[str, Any]) -> NewJudgment:
    run = body.get("runId")
    if not isinstance(run, str) or not run.strip():
        raise bad("runId is required.")
    try:
        verdict = check_verdict(body.get("verdict"))
        item = _item(body.get("item"))
        group = body.get("judgeClassId")
        if "judgeClassId" in body and (not isinstance(group, str) or not group.strip()):
            raise bad("judgeClassId must be a judge class id, or left out for an unclassified judgment.")
        reason = check_reason(body["reason"]) if "reason" in body else None
    except LimitError as cause:
        raise bad(cause.sentence) from cause
    participant = body.get("participantId")
    if "participantId" in body and (not isinstance(participant, str) or not participant.strip()):
        raise bad("participantId must be a non-empty string.")
    return NewJudgment(
        run_id=run, item=item, verdict=verdict, reason=reason or None, group=group, participant=participant
    )


def _item(value: Any) -> ItemRef:
    if isinstance(value, list):
        value = {}
    if not isinstance(value, dict):
        raise bad(_ITEM)
    rank = value.get("rank")
    if isinstance(rank, float) and rank.is_integer():
        rank = int(rank)
    # A null that stands there is no pointer and no rank, unlike one that is left out.
    pointer = (0 if value["pointer"] is None else value["pointer"]) if "pointer" in value else None
    if "rank" in value and rank is None:
        rank = -1
    check_item(value.get("key"), pointer, rank)
    return ItemRef(key=value["key"], pointer=value.get("pointer"), rank=rank)


async def create(ask: Ask) -> Answer:
    """Records a verdict of the caller; it replaces their live one on the item."""
    new = _new_judgment(an_object(ask.body(), "Send a JSON object."))
    try:
        about = await ask.about(new.run_id)
    except NotFound:
        about = None
    if about is None or about.id != new.run_id:
        raise missing("run-not-found", f'No run "{new.run_id}".')
    unfinished = f'Run "{new.run_id}" has no output to judge yet (status {about.status}).'
    if ask.served.turns.get(new.run_id) is not None:
        raise Refusal(409, "run-not-finished", unfinished)
    if new.group is not None:
        await _check_group(ask, new.group)
    try:
        made = await ask.bench.judgments.add(new)
    except Conflict as cause:
        raise Refusal(409, cause.code, unfinished) from cause
    except Invalid as cause:
        raise _refused(cause, new) from cause
    except Denied as cause:
        details: dict[str, Json] = {"action": "write", "resource": f"project:{about.project_id}"}
        if cause.code == "judge-class-not-allowed":
            details["reason"] = cause.sentence
            raise Refusal(403, cause.code, cause.sentence, details) from cause
        raise denied(f'Not allowed to judge run "{new.run_id}".') from cause
    return Answer(records.judgment(made, about, ask.tenant, ask.bearer.person.kind), 201)


async def created(ask: Ask, identity: str) -> Answer:
    """The answer of a verdict that was recorded already."""
    made = await ask.bench.judgments.get(identity)
    about = await ask.about(made.run_id)
    return Answer(records.judgment(made, about, ask.tenant, ask.bearer.person.kind), 201)


async def _check_group(ask: Ask, reference: str) -> None:
    """The workbench also takes a group's name; the wire's classes are named by their ids alone."""
    try:
        found = await ask.bench.groups.get(reference)
    except (NotFound, Invalid):
        raise bad(_not_applicable(reference), "judge-class-not-applicable") from None
    if found.id != reference:
        raise bad(_not_applicable(reference), "judge-class-not-applicable")


def _not_applicable(reference: str | None) -> str:
    return f"Judge class \"{reference}\" doesn't exist or doesn't apply to this run's project or agent."


def _refused(cause: Invalid, new: NewJudgment) -> Refusal:
    if cause.code == "judge-class-not-applicable":
        return bad(_not_applicable(new.group), cause.code)
    return bad(cause.sentence, cause.code)


async def _kinds(ask: Ask) -> dict[str, str]:
    return {person.id: person.kind for person in await ask.bench.people.list()}


async def list_judgments(ask: Ask) -> Answer:
    """Live judgments, newest first."""
    project = scope(ask, checked=True)
    verdict: Any = one_of(ask, "verdict", ("yes", "no"), "verdict must be one of: yes, no.")
    agent, flow = ask.given("agentId"), ask.given("flowId")
    if ask.given("agentVersion") and agent is None:
        raise bad("agentVersion needs agentId.")
    participant = ask.given("participantId")
    query = JudgmentFilter(
        project_id=project,
        run_id=ask.given("runId"),
        subject_id=agent or flow,
        subject_version=ask.given("agentVersion"),
        verdict=verdict,
        group_id=ask.given("judgeClassId"),
    )

    async def fitting(judgment: Judgment) -> bool:
        kind = (await ask.about(judgment.run_id)).subject.kind
        return (agent is None or kind == "agent") and (flow is None or kind == "flow")

    if (agent and flow) or not await _known_run(ask, query.run_id):
        return Answer(page([], False, None))
    found = await sifted(
        lambda limit, cursor: ask.bench.judgments.list(query, limit, cursor),
        lambda one: participant is None or one.participant == participant,
        ask.limit,
        ask.cursor,
    )
    kinds = await _kinds(ask)
    rows = [
        records.judgment(one, await ask.about(one.run_id), ask.tenant, kinds.get(one.asserter, "user"))
        for one in found.data
        if await fitting(one)
    ]
    return Answer(page(rows, found.has_more, found.next_cursor))


async def _known_run(ask: Ask, run_id: str | None) -> bool:
    """Whether there is a run to list the judgments of: exactly that id, or none asked for."""
    if run_id is None:
        return True
    try:
        return (await ask.about(run_id)).id == run_id
    except (NotFound, Invalid):
        return False


async def get_judgment(ask: Ask) -> Answer:
    """One judgment, live or not, with the copies kept of its run."""
    found = await _found(ask, f'No judgment "{ask.params["judgmentId"]}".')
    run: RunDetail = await ask.bench.runs.get(found.run_id)
    kind = (await _kinds(ask)).get(found.asserter, "user")
    return Answer(records.judgment_with_copies(found, run, ask.tenant, kind))


async def _found(ask: Ask, sentence: str) -> Judgment:
    try:
        return await ask.bench.judgments.get(ask.params["judgmentId"])
    except NotFound:
        raise missing("judgment-not-found", sentence) from None


async def unregistered(ask: Ask, made: str) -> Answer:
    """The answer of a removal that was done already."""
    return Answer({"judgmentId": ask.params["judgmentId"], "unregistered": True})


async def unregister(ask: Ask) -> Answer:
    """Removes a live judgment."""
    identity = ask.params["judgmentId"]
    try:
        await ask.bench.judgments.remove(identity)
    except NotFound:
        raise missing("judgment-not-found", f'No live judgment "{identity}".') from None
    except Denied:
        raise denied(f'Not allowed to remove judgment "{identity}".') from None
    return Answer({"judgmentId": identity, "unregistered": True})


OPERATIONS = (
    Operation(
        "POST",
        "/v1/judgments",
        create,
        "Judges an item.",
        "judgment",
        201,
        body="createJudgment",
        keyed=True,
        again=created,
    ),
    Operation(
        "GET",
        "/v1/judgments",
        list_judgments,
        "Live judgments, newest first.",
        "page:judgment",
        query=(
            *PAGED,
            *SCOPED,
            "runId",
            "agentId",
            "agentVersion",
            "flowId",
            "verdict",
            "judgeClassId",
            "participantId",
        ),
    ),
    Operation("GET", "/v1/judgments/{judgmentId}", get_judgment, "One judgment.", "judgment"),
    Operation(
        "POST",
        "/v1/judgments/{judgmentId}/unregister",
        unregister,
        "Removes a judgment.",
        "judgmentRemoved",
        keyed=True,
        again=unregistered,
    ),
)
"""Judgments."""
