"""Corrections of runs: what a run should have done. The 0.4 dialect's alone, and there ours (DESIGN section 7)."""

from collections.abc import Mapping

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import Correction, CorrectionFilter, NewCorrection
from kindgi_tui.domain.runs import Run
from kindgi_tui.server.asking import Answer, Ask
from kindgi_tui.server.errors import Refusal, bad, denied, missing, of_workbench
from kindgi_tui.server.fields import Body
from kindgi_tui.server.operations import PAGED, SCOPED, Operation
from kindgi_tui.server.own_bodies import closed_object, expectation, optional_text, own_body, with_notes
from kindgi_tui.server.pages import after_key, page
from kindgi_tui.server.queries import is_uuid, scope, uuid_param
from kindgi_tui.server.runs import found_run
from kindgi_tui.server.schemas_own import MOST_AT_ONCE
from kindgi_tui.session.expected_tools import ToolDoubts
from kindgi_tui.wire import v04_records as records
from kindgi_tui.wire.dialects import RUN_CORRECTIONS, error_04
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound, Refused, WorkbenchError

_FIELDS = ("runId", "expect", "groupId", "participantId")
_MOST = f"corrections must be a list of 1 to {MOST_AT_ONCE:,} corrections, each an object of {', '.join(_FIELDS)}."


def _unknown(identity: str, live: bool = False) -> Refusal:
    which = "live correction of a run" if live else "correction of a run"
    return missing("run-correction-not-found", f'No {which} has the id "{identity}".')


async def _record(ask: Ask, found: Correction, kinds: Mapping[str, str]) -> dict[str, Json]:
    about = await ask.about(found.run_id)
    return records.correction(found, about, ask.tenant, kinds.get(found.asserter, "user"))


async def _kinds(ask: Ask) -> dict[str, str]:
    return {person.id: person.kind for person in await ask.bench.people.list()}


def _new(body: Body) -> NewCorrection:
    run = optional_text(body, "runId")
    if run is None:
        raise bad("runId is required.")
    if "expect" not in body:
        raise bad("expect is required: what the run should have done, such as {decisions: right}.")
    return NewCorrection(
        run_id=run,
        expect=expectation(body["expect"]),
        group=optional_text(body, "groupId"),
        participant=optional_text(body, "participantId"),
    )


async def _about(ask: Ask, new: NewCorrection) -> Run:
    """The run that is corrected, and whether its group can be meant. The workbench takes more names than the wire."""
    try:
        about = await ask.about(new.run_id)
    except (NotFound, Invalid):
        about = None
    if about is None or about.id != new.run_id:
        raise missing("run-not-found", f'No run "{new.run_id}".')
    if new.group is not None:
        try:
            group = await ask.bench.groups.get(new.group)
        except (NotFound, Invalid):
            group = None
        if group is None or group.id != new.group:
            raise _not_applicable(new.group)
    return about


def _not_applicable(group: str | None) -> Refusal:
    sentence = f"Judge class \"{group}\" doesn't exist or doesn't apply to this run's project or agent."
    return bad(sentence, "judge-class-not-applicable")


def _refused(cause: WorkbenchError, new: NewCorrection, about: Run) -> Refusal:
    """Why a correction can't be recorded, in the API's words."""
    if isinstance(cause, Conflict):
        sentence = f'Run "{new.run_id}" has not ended yet (status {about.status}): correct it when it has.'
        return Refusal(409, cause.code, sentence)
    if isinstance(cause, Denied):
        details: dict[str, Json] = {"action": "write", "resource": f"project:{about.project_id}"}
        if cause.code == "judge-class-not-allowed":
            return Refusal(403, cause.code, cause.sentence, details | {"reason": cause.sentence})
        return denied(f'Not allowed to correct run "{new.run_id}".')
    if cause.code == "judge-class-not-applicable":
        return _not_applicable(new.group)
    return of_workbench(cause)


async def create(ask: Ask) -> Answer:
    """Records a correction of the caller; it replaces their live one of the run."""
    new = _new(own_body(ask, _FIELDS))
    about = await _about(ask, new)
    try:
        made = await ask.bench.corrections.add(new)
    except WorkbenchError as cause:
        raise _refused(cause, new, about) from cause
    return Answer(await _made(ask, made, about, ToolDoubts(ask.bench)), 201)


async def _made(ask: Ask, made: Correction, about: Run, finding: ToolDoubts) -> dict[str, Json]:
    shaped = records.correction(made, about, ask.tenant, ask.bearer.person.kind)
    return with_notes(shaped, await finding.of_run(made.run_id, made.expect))


async def created(ask: Ask, identity: str) -> Answer:
    """The answer of a correction that was recorded already."""
    made = await ask.bench.corrections.get(identity)
    about = await ask.about(made.run_id)
    return Answer(await _made(ask, made, about, ToolDoubts(ask.bench)), 201)


async def create_several(ask: Ask) -> Answer:
    """Records corrections of the caller in their order: all, or none. Saying the same again changes nothing."""
    told = own_body(ask, ("corrections",)).get("corrections")
    if not isinstance(told, list) or not 1 <= len(told) <= MOST_AT_ONCE:
        raise bad(_MOST)
    new = [_new(closed_object(one, _FIELDS, f"corrections[{place}]")) for place, one in enumerate(told)]
    runs = [await _about(ask, one) for one in new]
    try:
        made = await ask.bench.corrections.add_all(new)
    except Refused as cause:
        refusals: list[Json] = []
        for place, each in cause.refusals:
            refused = _refused(each, new[place - 1], runs[place - 1])
            # Details leave as they are: these are in 0.4's words already.
            code, message, _ = error_04(refused.code, refused.message, {})
            refusals.append({"index": place - 1, "code": code, "message": message})
        raise bad(cause.sentence, details={"refusals": refusals}) from cause
    finding = ToolDoubts(ask.bench)
    rows: list[Json] = [await _made(ask, one, about, finding) for one, about in zip(made, runs, strict=True)]
    return Answer({"data": rows}, 201)


async def list_corrections(ask: Ask) -> Answer:
    """Live corrections, newest first."""
    project = scope(ask, checked=True)
    named = ask.given("projectId")
    if named is not None and not is_uuid(named):
        raise bad("`projectId` must be a project id (a UUID)")
    if named is not None and project not in (None, named):
        return Answer(page([], False, None))
    agent, flow, run = ask.given("agentId"), ask.given("flowId"), ask.given("runId")
    if agent is not None and flow is not None:
        raise bad("Name one of agentId and flowId: no run is both.")
    if run is not None:
        try:
            known = (await ask.about(run)).id == run
        except (NotFound, Invalid):
            known = False
        if not known:
            return Answer(page([], False, None))
    query = CorrectionFilter(
        project_id=named or project,
        run_id=run,
        subject_id=agent or flow,
        asserter=ask.given("asserter"),
        group_id=ask.given("judgeClassId"),
    )
    try:
        found = await ask.bench.corrections.list(query, ask.limit, ask.cursor)
    except NotFound:
        return Answer(page([], False, None))
    except Invalid as cause:
        raise bad("`cursor` is malformed" if cause.field == "cursor" else cause.sentence) from None
    kinds = await _kinds(ask)
    kind = "agent" if agent is not None else "flow" if flow is not None else None
    rows = [
        await _record(ask, one, kinds)
        for one in found.data
        if kind is None or (await ask.about(one.run_id)).subject.kind == kind
    ]
    return Answer(page(rows, found.has_more, found.next_cursor))


async def _found(ask: Ask) -> Correction:
    identity = ask.params["runCorrectionId"]
    try:
        found = await ask.bench.corrections.get(identity)
    except (NotFound, Invalid):
        found = None
    if found is None or found.id != identity:
        raise _unknown(identity)
    return found


async def get_correction(ask: Ask) -> Answer:
    """One correction, live or not."""
    return Answer(await _record(ask, await _found(ask), await _kinds(ask)))


async def unregister(ask: Ask) -> Answer:
    """Removes a live correction; somebody else's takes an admin."""
    own_body(ask, (), optional=True)
    found = await _found(ask)
    try:
        await ask.bench.corrections.remove(found.id)
    except NotFound:
        raise _unknown(found.id, live=True) from None
    except Denied:
        raise denied(
            f'Not allowed to remove correction "{found.id}" of a run: it is somebody else\'s.'
        ) from None
    return Answer({"correctionId": found.id, "unregistered": True})


async def unregistered(ask: Ask, made: str) -> Answer:
    """The answer of a removal that was done already."""
    return Answer({"correctionId": made, "unregistered": True})


async def history(ask: Ask) -> Answer:
    """Every correction ever made of a run, newest first; those that ended say when."""
    run = await found_run(ask, details=True)
    kinds = await _kinds(ask)
    found = await ask.bench.corrections.history(run.id)
    return Answer(
        after_key(
            found,
            lambda one: one.id,
            lambda one: records.correction(one, run, ask.tenant, kinds.get(one.asserter, "user")),
            ask.limit,
            ask.cursor,
        )
    )


async def take_back(ask: Ask) -> Answer:
    """Takes the caller's correction of a run back: the earlier one comes back as a new record, a first one goes."""
    uuid_param(ask, "runId", "run")
    body = own_body(ask, ("participantId", "correctionId"), optional=True)
    participant, meant = optional_text(body, "participantId"), optional_text(body, "correctionId")
    run = await found_run(ask, details=True)
    if meant is not None:
        await _check_live(ask, run, meant, participant)
    try:
        now = await ask.bench.corrections.take_back(run.id, participant)
    except NotFound:
        sentence = f"You have no live correction of run {run.id} to take back."
        raise missing("run-correction-not-found", sentence, {"runId": run.id}) from None
    return Answer(_taken_back(ask, run, now))


async def _check_live(ask: Ask, run: Run, meant: str, participant: str | None) -> None:
    """Whether the caller's live correction of the run is the one that is meant. Raises Refusal."""
    for one in await ask.bench.corrections.history(run.id):
        mine = one.asserter == ask.bearer.person.id and one.participant == participant
        if mine and one.id == meant and one.ended_at is None:
            return
    sentence = (
        f'Correction "{meant}" isn\'t your live one of run {run.id}: it was replaced, taken back or removed.'
    )
    raise missing("run-correction-not-found", sentence, {"runId": run.id})


def _taken_back(ask: Ask, run: Run, now: Correction | None) -> dict[str, Json]:
    shaped: dict[str, Json] = {"runId": run.id}
    if now is not None:
        shaped["correction"] = records.correction(now, run, ask.tenant, ask.bearer.person.kind)
    return shaped


async def taken_back(ask: Ask, made: str) -> Answer:
    """The answer of a taking back that was done already: what it noted is the earlier correction, else the run."""
    run = await found_run(ask, details=True)
    now = None if made == run.id else await ask.bench.corrections.get(made)
    return Answer(_taken_back(ask, run, now))


_ONE, _OF_RUN = f"{RUN_CORRECTIONS}/{{runCorrectionId}}", "/v1/runs/{runId}/run-corrections"
OPERATIONS = (
    Operation(
        "POST",
        RUN_CORRECTIONS,
        create,
        "Says what a run should have done.",
        "runCorrection",
        201,
        body="correctRun",
        keyed=True,
        again=created,
        only="0.4",
    ),
    Operation(
        "POST",
        f"{RUN_CORRECTIONS}/several",
        create_several,
        "Says of several runs what they should have done: of all, or of none.",
        "runCorrections",
        201,
        body="correctRuns",
        keyed=True,
        only="0.4",
    ),
    Operation(
        "GET",
        RUN_CORRECTIONS,
        list_corrections,
        "Live corrections of runs, newest first.",
        "page:runCorrection",
        query=(*PAGED, *SCOPED, "projectId", "runId", "agentId", "flowId", "groupId", "asserter"),
        only="0.4",
    ),
    Operation("GET", _ONE, get_correction, "One correction of a run.", "runCorrection", only="0.4"),
    Operation(
        "POST",
        f"{_ONE}/unregister",
        unregister,
        "Removes a correction of a run.",
        "runCorrectionRemoved",
        keyed=True,
        again=unregistered,
        only="0.4",
    ),
    Operation(
        "GET",
        _OF_RUN,
        history,
        "Every correction ever made of a run, newest first.",
        "page:runCorrection",
        query=PAGED,
        only="0.4",
    ),
    Operation(
        "POST",
        f"{_OF_RUN}/take-back",
        take_back,
        "Takes the caller's correction of a run back.",
        "runCorrectionTakenBack",
        body="takeBack",
        body_required=False,
        keyed=True,
        again=taken_back,
        only="0.4",
    ),
)
"""Corrections of runs."""
