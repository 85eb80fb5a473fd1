"""The 0.1 dialect: its answers as the domain's models, and ours as its bodies (measured facts of Kindgi 0.1)."""

from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import ValidationError

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.catalog import CatalogVersion, EntryKind
from kindgi_tui.domain.conversations import history_context
from kindgi_tui.domain.judgments import Group, ItemRef, Judgment, Restriction, Verdict
from kindgi_tui.domain.projects import RIGHTS, Person, Project, Right
from kindgi_tui.domain.runs import Run, RunDetail, RunStatus, Segment, Subject
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.remote.failures import garbled
from kindgi_tui.remote.reading import moment, moment_if, object_of, rank, text, text_if, whole, word
from kindgi_tui.remote.runtime import given
from kindgi_tui.wire.v01 import time_text
from kindgi_tui.workbench import Denied

STATUSES: tuple[RunStatus, ...] = ("pending", "running", "suspended", "completed", "failed", "cancelled")
"""Where a run may stand."""

VERDICTS: tuple[Verdict, ...] = ("yes", "no")
"""What a judgment says."""

PREVIEW = 200
"""The longest preview of an input, in characters."""

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_ROLES: tuple[Literal["standard", "senior", "admin"], ...] = ("standard", "senior", "admin")


def person(value: dict[str, Json]) -> Person:
    """Who a token is. Raises Denied when it is neither a person nor a service."""
    told = value.get("principal")
    principal = told if isinstance(told, dict) else {}
    actor = text_if(value, "actor") or ""
    kind, _, named = actor.partition(":")
    identity = text_if(principal, "id") or named
    if not identity:
        raise Denied(
            "This token is neither a person's nor a service's, so nobody could be named as the judge. "
            "Give another with KINDGI_API_TOKEN or `kindgi-tui profiles add NAME --url URL`.",
        )
    is_service = "service" in (text_if(principal, "kind") or kind)
    told_user = value.get("user")
    user = told_user if isinstance(told_user, dict) else {}
    role = text_if(value, "reviewerRole")
    is_admin = value.get("tenantAdmin") is True or value.get("role") == "admin"
    told_right = text_if(value, "right")
    # Our server says what the token may do. Elsewhere the runtime decides at each request, and a face only hides what
    # can't work at all.
    supposed: Right = "admin" if is_admin else "editor"
    return Person(
        id=identity,
        kind="service" if is_service else "user",
        name=text_if(user, "displayName") or text_if(user, "primaryEmail") or "",
        reviewer_role=next((one for one in _ROLES if one == role), None),
        right=next((one for one in RIGHTS if one == told_right), supposed),
        created_at=_BEGINNING,
    )


def project(value: dict[str, Json]) -> Project:
    """A project."""
    return Project(
        id=text(value, "id", "a project"),
        slug=text_if(value, "slug") or "",
        name=text_if(value, "name") or "",
        is_default=value.get("isDefault") is True,
        created_at=moment_if(value, "createdAt") or _BEGINNING,
    )


def run(value: dict[str, Json]) -> Run:
    """A run, as lists show it; its preview is the first message of its turn, where its output came along."""
    fields = _run_fields(value)
    return Run(**fields, preview=preview(run_input(value.get("output"))))


def run_detail(
    value: dict[str, Json], given_input: Json = None, context: dict[str, Json] | None = None
) -> RunDetail:
    """A run, whole. The wire has no input and no context: those are given."""
    entered = run_input(value.get("output")) if given_input is None else given_input
    return RunDetail(
        **_run_fields(value),
        preview=preview(entered),
        input=entered,
        output=value.get("output"),
        context=context or {},
    )


def _run_fields(value: dict[str, Json]) -> dict[str, Any]:
    what = "a run"
    told = value.get("agent")
    agent = told if isinstance(told, dict) else None
    failure = value.get("failure")
    message = text_if(failure, "message") if isinstance(failure, dict) else None
    return {
        "id": text(value, "id", what),
        "project_id": text_if(value, "projectId") or "",
        "subject": Subject(
            kind="agent",
            id=text(agent, "id", "a run's agent"),
            version=text_if(agent, "version") or "unknown",
        )
        if agent is not None
        else Subject(
            kind="flow", id=text(value, "flowId", what), version=text_if(value, "flowVersion") or "unknown"
        ),
        "status": word(value, "status", STATUSES, what),
        "created_at": moment(value, "createdAt", what),
        "completed_at": moment_if(value, "completedAt"),
        "segments": segments(value.get("segments")),
        "conversation_id": None if agent is None else text_if(agent, "conversationId"),
        "replay_of": text_if(value, "replayOf"),
        "comparison_id": text_if(value, "evalRunId"),
        "failure": message or text_if(value, "failureMessage"),
    }


def segments(value: Json) -> tuple[Segment, ...]:
    """A path of segments."""
    found = value if isinstance(value, list) else []
    return tuple(
        Segment(key=str(one.get("key")), value=str(one.get("value")))
        for one in found
        if isinstance(one, dict)
    )


def run_input(output: Json) -> Json:
    """What went into an agent's turn: the first message of a user among those its output appended; None without."""
    appended = output.get("appended") if isinstance(output, dict) else None
    for message in appended if isinstance(appended, list) else ():
        if isinstance(message, dict) and message.get("role") == "user":
            return message.get("content")
    return None


def preview(entered: Json) -> str:
    """The first words of an input, on one line."""
    from kindgi_tui.wire.v04 import plain

    words = entered if isinstance(entered, str) else "" if entered is None else str(plain(entered))
    return " ".join(words[: 4 * PREVIEW].split())[:PREVIEW]


def history(messages: list[dict[str, Json]], output: Json) -> dict[str, Json]:
    """The context of a turn from its conversation's messages: what was said before the turn's own."""
    appended = output.get("appended") if isinstance(output, dict) else None
    first = appended[0] if isinstance(appended, list) and appended else None
    start = first.get("sequence") if isinstance(first, dict) else None
    before = [
        one
        for one in messages
        if isinstance(start, int) and isinstance(place := one.get("sequence"), int) and place < start
    ]
    return history_context(before) if before else {}


def judgment(value: dict[str, Json]) -> Judgment:
    """A judgment."""
    what = "a judgment"
    item = object_of(value.get("item"), "a judgment's item")
    told = value.get("assertedBy")
    asserter = text_if(told, "id") if isinstance(told, dict) else None
    return Judgment(
        id=text(value, "id", what),
        run_id=text(value, "runId", what),
        item=ItemRef(
            key=text(item, "key", "a judgment's item"), pointer=text_if(item, "pointer"), rank=rank(item)
        ),
        verdict=word(value, "verdict", VERDICTS, what),
        reason=text_if(value, "reason"),
        group_id=text_if(value, "judgeClassId"),
        restricted=value.get("restricted") is True,
        asserter=asserter or "",
        participant=text_if(value, "participantId"),
        created_at=moment(value, "createdAt", what),
        ended_at=moment_if(value, "unregisteredAt"),
        superseded_by=text_if(value, "supersededBy"),
    )


def judgment_body(
    run_id: str,
    item: ItemRef,
    verdict: Verdict,
    reason: str | None,
    group_id: str | None,
    participant: str | None,
) -> dict[str, Json]:
    """The body of a verdict: exactly the derived key, pointer and rank (DESIGN section 4, fine print 1)."""
    return given(
        {
            "runId": run_id,
            "item": given({"key": item.key, "pointer": item.pointer, "rank": item.rank}),
            "verdict": verdict,
            "reason": reason or None,
            "judgeClassId": group_id,
            "participantId": participant,
        }
    )


def group(value: dict[str, Json]) -> Group:
    """A group."""
    what = "a group"
    told = value.get("scope")
    scope = told if isinstance(told, dict) else {}
    weight = value.get("weight")
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        raise garbled("a group has no `weight`")
    return Group(
        id=text(value, "id", what),
        name=text(value, "name", what),
        weight=weight,
        description=text_if(value, "description"),
        project_id=text_if(scope, "projectId"),
        agent_id=text_if(scope, "agentId"),
        restriction=_restriction(value.get("assertableBy")),
        created_at=moment_if(value, "createdAt") or _BEGINNING,
        retired_at=moment_if(value, "unregisteredAt"),
    )


def _restriction(value: Json) -> Restriction | None:
    if not isinstance(value, dict):
        return None
    kinds, people = value.get("principalKinds"), value.get("principalIds")
    known: tuple[Literal["user", "service"], ...] = ("user", "service")
    role = text_if(value, "minReviewerRole")
    named = tuple(one for one in (people if isinstance(people, list) else ()) if isinstance(one, str))
    return Restriction(
        principal_ids=named,
        unnamed=0 if named else max(0, whole(value, "principalCount")),
        principal_kinds=tuple(one for one in known if isinstance(kinds, list) and one in kinds),
        min_reviewer_role=next((one for one in _ROLES if one == role), None),
    )


def restriction_body(value: Restriction) -> dict[str, Json]:
    """Who may speak as a group, as the wire says it."""
    return given(
        {
            "principalIds": list(value.principal_ids) or None,
            "principalKinds": list(value.principal_kinds) or None,
            "minReviewerRole": value.min_reviewer_role,
        }
    )


def entry(value: dict[str, Json], kind: EntryKind) -> CatalogVersion:
    """A version of an agent, a flow or a tool. The wire doesn't say when it was published."""
    return CatalogVersion(
        kind=kind,
        id=text(value, "id", f"a {kind}"),
        version=text_if(value, "version") or "",
        digest=text_if(value, "pinsDigest") or "",
        pack_digest="",
        definition=value,
        published_at=moment_if(value, "publishedAt") or moment_if(value, "createdAt"),
    )


def build_body(request: BuildRequest, group_ids: list[str]) -> dict[str, Json]:
    """The body of a build."""
    path: list[Json] = [{"key": one.key, "value": one.value} for one in request.segments]
    return given(
        {
            "version": request.version,
            "projectId": request.project_id,
            "agentId": request.agent_id,
            "flowId": request.flow_id,
            "agentVersion": request.subject_version,
            "since": None if request.since is None else time_text(request.since),
            "until": None if request.until is None else time_text(request.until),
            "judgeClassIds": list[Json](group_ids) or None,
            "minJudgments": request.min_judgments,
            "segments": path or None,
            "description": request.description,
        }
    )


def test_set(value: dict[str, Json]) -> TestSetVersion:
    """A version of a test set. The wire doesn't say who built it, nor how many more runs there were."""
    what = "a test set"
    identity, version = text(value, "id", what), text(value, "version", what)
    told = value.get("spec")
    spec = told if isinstance(told, dict) else {}
    told_query = spec.get("query")
    query = told_query if isinstance(told_query, dict) else {}
    count = whole(spec, "caseCount", whole(value, "caseCount"))
    project_id = text_if(value, "projectId") or text_if(spec, "projectId") or ""
    groups = query.get("judgeClassIds")
    return TestSetVersion(
        test_set_id=identity,
        version=version,
        project_id=project_id,
        description=text_if(value, "description"),
        case_count=count,
        available=count + (1 if spec.get("truncated") is True else 0),
        request=BuildRequest(
            test_set_id=identity,
            version=version,
            project_id=project_id,
            agent_id=text_if(query, "agentId"),
            flow_id=text_if(query, "flowId"),
            subject_version=text_if(query, "agentVersion"),
            since=moment_if(query, "since"),
            until=moment_if(query, "until"),
            groups=tuple(one for one in groups if isinstance(one, str)) if isinstance(groups, list) else (),
            min_judgments=whole(query, "minJudgments") or None,
            segments=segments(query.get("segments")),
            description=text_if(value, "description"),
        ),
        created_at=moment_if(spec, "builtAt") or moment_if(value, "createdAt") or _BEGINNING,
        created_by="",
    )


def case(value: dict[str, Json]) -> Case:
    """A case of a test set. Raises Unavailable (`invalid-response`)."""
    told = value
    if "runId" in value and value.get("runId") == value.get("caseId"):
        # A run's own case is that run: 0.4 says so, a case of ours leaves it out.
        told = {name: field for name, field in value.items() if name != "runId"}
    try:
        return Case.read(told)
    except ValidationError as cause:
        wrong = cause.errors()[0]
        place = ".".join(map(str, wrong["loc"]))
        raise garbled(f"the `{place}` of a case is wrong") from None
