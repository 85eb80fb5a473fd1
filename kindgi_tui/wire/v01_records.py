"""The 0.1 wire's records, made from ours (reference: the API's resources; DESIGN section 2).

Each function takes what the record needs beyond our model: the tenant's id, a run's output, who asserted.
What isn't there is left out, never null.
"""

import uuid
from collections.abc import Mapping
from datetime import datetime

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.catalog import CatalogVersion
from kindgi_tui.domain.comparison_records import Comparison, ComparisonRequest
from kindgi_tui.domain.conversations import Conversation
from kindgi_tui.domain.judging import QueuedRun
from kindgi_tui.domain.judgments import Group, Judgment
from kindgi_tui.domain.pointers import resolve
from kindgi_tui.domain.projects import Person, Project
from kindgi_tui.domain.runs import Run, RunDetail, Segment
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.domain.test_sets import MAX_CASES, Case
from kindgi_tui.wire.expectations import written_expectation
from kindgi_tui.wire.v01 import dump, error_text, time_text

TURN_FLOW = ("agent.turn", "1.1.0")
"""The flow, and its version, that an agent's turn shows as its own."""

STARTS = ("person", "key", "schedule", "webhook", "event")
"""What may have started a run."""

MASK = "•••"
"""What stands for an environment value a tool was sent: it may be a secret (DESIGN section 6)."""


def tenant_id(oldest: Project) -> str:
    """The id of the workspace as a tenant: the same at every start, from the project that was made first."""
    return str(uuid.uuid5(uuid.UUID(oldest.id), "kindgi-tui:tenant"))


def there(values: Mapping[str, Json]) -> dict[str, Json]:
    """The fields that are there."""
    return {name: value for name, value in values.items() if value is not None}


def actor(person: Person) -> str:
    """Who acts, as whoami and conversations write it."""
    return f"{'user' if person.kind == 'user' else 'service_account'}:{person.id}"


def project(value: Project, tenant: str) -> dict[str, Json]:
    """A project."""
    made = time_text(value.created_at)
    return {
        "id": value.id,
        "tenantId": tenant,
        "name": value.name,
        "slug": value.slug,
        "isDefault": value.is_default,
        "createdAt": made,
        "updatedAt": made,
    }


def segments(values: tuple[Segment, ...]) -> list[Json]:
    """A path of segments, coarse to fine."""
    return [{"key": one.key, "value": one.value} for one in values]


def run(value: Run, tenant: str, output: bool = False) -> dict[str, Json]:
    """A run; its output where it is asked for and there is one. The wire's run has no input."""
    subject = value.subject
    flow_id, flow_version = TURN_FLOW if subject.kind == "agent" else (subject.id, subject.version)
    ended = None if value.completed_at is None else time_text(value.completed_at)
    shaped: dict[str, Json] = {
        "id": value.id,
        "tenantId": tenant,
        "projectId": value.project_id,
        "flowId": flow_id,
        "flowVersion": flow_version,
        "status": value.status,
        "dryRun": False,
        "createdAt": time_text(value.created_at),
        "updatedAt": ended or time_text(value.created_at),
    }
    if ended is not None and value.status in ("completed", "failed", "cancelled"):
        shaped["completedAt"] = ended
    if output and isinstance(value, RunDetail) and value.status == "completed":
        shaped["output"] = dump(value.output)
    if value.status == "failed":
        message = value.failure or "The run failed; the record doesn't say why."
        shaped |= {"failure": {"code": "run-failed", "message": message}, "failureMessage": message}
    if subject.kind == "agent":
        shaped["agent"] = there(
            {"id": subject.id, "version": subject.version, "conversationId": value.conversation_id}
        )
    if value.segments:
        shaped["segments"] = segments(value.segments)
    if isinstance(value, RunDetail) and value.context.get("startedBy") in STARTS:
        shaped["startedBy"] = value.context["startedBy"]
    return shaped | there({"replayOf": value.replay_of, "evalRunId": value.comparison_id})


def journal(value: RunDetail) -> list[dict[str, Json]]:
    """What is known of how a run went: that it started, and how it ended."""
    entries: list[dict[str, Json]] = [
        {"sequence": 0, "kind": "run.started", "payload": {}, "timestamp": time_text(value.created_at)}
    ]
    if value.status in ("completed", "failed", "cancelled"):
        ended = value.completed_at or value.created_at
        payload: dict[str, Json] = {} if value.failure is None else {"message": value.failure}
        entries.append(
            {
                "sequence": 1,
                "kind": f"run.{value.status}",
                "payload": payload,
                "timestamp": time_text(ended),
            }
        )
    return entries


def conversation(value: Conversation, tenant: str) -> dict[str, Json]:
    """A conversation."""
    shaped: dict[str, Json] = {
        "id": value.id,
        "tenantId": tenant,
        "agentId": value.agent_id,
        "agentVersion": value.agent_version,
        "title": value.title,
        "projectId": value.project_id,
        "scope": {},
        "status": "open",
        "openedAt": time_text(value.opened_at),
        "turnCount": value.turns,
        "lastMessageAt": time_text(value.last_message_at),
    }
    if value.participant_id is not None:
        shaped["participantId"] = value.participant_id
    if value.replay_of is not None:
        shaped["metadata"] = {"replayOf": value.replay_of}
    return shaped


def message(value: Mapping[str, Json]) -> dict[str, Json]:
    """A message of a conversation, with the role and the content that every message has."""
    shaped = dump({"content": "", **value})
    if not isinstance(shaped, dict):
        raise TypeError("a message is an object")
    if shaped.get("role") not in ("user", "agent", "tool", "system"):
        shaped["role"] = "system"
    return shaped


def catalog_entry(value: CatalogVersion) -> dict[str, Json]:
    """A version of an agent, a flow or a tool, as its pack declares it."""
    shaped = dump(value.definition)
    if not isinstance(shaped, dict):
        raise TypeError("a definition is an object")
    shaped.pop("modulePath", None)
    shaped |= {"id": value.id, "version": value.version}
    if value.kind == "agent":
        shaped = {"capabilities": [], "tools": [], "retrieval": [], "guardrails": [], **shaped}
        shaped.setdefault("name", value.id)
    return shaped


def judgment(value: Judgment, about: Run, tenant: str, kind: str) -> dict[str, Json]:
    """A judgment of the run `about`; `kind`: whether a `user` or a `service` said it."""
    subject = about.subject
    item = there({"key": value.item.key, "pointer": value.item.pointer, "rank": value.item.rank})
    return there(
        {
            "id": value.id,
            "tenantId": tenant,
            "projectId": about.project_id,
            "runId": value.run_id,
            "subject": {"kind": subject.kind, "id": subject.id, "version": subject.version},
            "item": item,
            "verdict": value.verdict,
            "reason": value.reason,
            "judgeClassId": value.group_id,
            "restricted": True if value.restricted else None,
            "participantId": value.participant,
            "assertedBy": {"kind": kind, "id": value.asserter},
            "createdAt": time_text(value.created_at),
            "unregisteredAt": None if value.ended_at is None else time_text(value.ended_at),
            "supersededBy": value.superseded_by,
        }
    )


def judgment_with_copies(value: Judgment, about: RunDetail, tenant: str, kind: str) -> dict[str, Json]:
    """A judgment with the run it is about and the judged item's value."""
    subject = about.subject
    shaped = judgment(value, about, tenant, kind)
    copy: dict[str, Json] = {
        "runId": about.id,
        "subject": {"kind": subject.kind, "id": subject.id, "version": subject.version},
        "input": dump(about.input),
        "output": dump(about.output),
        "segments": segments(about.segments),
    }
    if about.context:
        copy["context"] = masked(dump(about.context))
    copy["capturedAt"] = time_text(value.created_at)
    shaped["run"] = copy
    if value.item.pointer is not None:
        found = resolve(about.output, value.item.pointer)
        if found.found:
            shaped["itemValue"] = dump(found.value)
    return shaped


def masked(context: Json) -> Json:
    """A context with its tools' environment values hidden."""
    sent = context.get("toolEnv") if isinstance(context, dict) else None
    if not isinstance(context, dict) or not isinstance(sent, dict):
        return context
    hidden: dict[str, Json] = {
        tool: dict.fromkeys(values, MASK) if isinstance(values, dict) else MASK
        for tool, values in sent.items()
    }
    return {**context, "toolEnv": hidden}


def group(value: Group, tenant: str, whole: bool) -> dict[str, Json]:
    """A judge class; the ids of who may assert it only when `whole`, for admins."""
    scope: dict[str, Json] = {"kind": "tenant"}
    if value.project_id is not None:
        scope = {"kind": "project", "projectId": value.project_id}
    if value.agent_id is not None:
        scope = {"kind": "agent", "projectId": value.project_id, "agentId": value.agent_id}
    shaped: dict[str, Json] = {"id": value.id, "tenantId": tenant, "scope": scope, "name": value.name}
    shaped["weight"] = dump(value.weight)
    if value.description is not None:
        shaped["description"] = value.description
    rule = value.restriction
    if rule is not None:
        ids = rule.principal_ids
        shaped["assertableBy"] = there(
            {
                "minReviewerRole": rule.min_reviewer_role,
                "principalKinds": list(rule.principal_kinds) or None,
                "principalIds": list(ids) if ids and whole else None,
                "principalCount": len(ids) or None,
            }
        )
    made = time_text(value.created_at)
    shaped |= {"createdAt": made, "updatedAt": made}
    if value.retired_at is not None:
        shaped |= {"updatedAt": time_text(value.retired_at), "unregisteredAt": time_text(value.retired_at)}
    return shaped


def build_query(value: BuildRequest) -> dict[str, Json]:
    """What a test set version was built from."""
    return there(
        {
            "agentId": value.agent_id,
            "agentVersion": value.subject_version if value.agent_id is not None else None,
            "flowId": value.flow_id,
            "since": None if value.since is None else time_text(value.since),
            "until": None if value.until is None else time_text(value.until),
            "judgeClassIds": list(value.groups) or None,
            "minJudgments": value.min_judgments,
            "segments": segments(value.segments) or None,
        }
    )


def suite(value: TestSetVersion, tenant: str) -> dict[str, Json]:
    """A version of an eval suite of kind `judged`."""
    shaped: dict[str, Json] = {
        "id": value.test_set_id,
        "tenantId": tenant,
        "projectId": value.project_id,
        "version": value.version,
        "kind": "judged",
    }
    if value.description is not None:
        shaped["description"] = value.description
    shaped["spec"] = {
        "source": "judgments",
        "projectId": value.project_id,
        "query": build_query(value.request),
        "caseCount": value.case_count,
        "truncated": value.case_count >= MAX_CASES,
        "builtAt": time_text(value.created_at),
    }
    return shaped


def built(value: TestSetVersion) -> dict[str, Json]:
    """A build's answer."""
    return {
        "suiteId": value.test_set_id,
        "version": value.version,
        "kind": "judged",
        "caseCount": value.case_count,
        "truncated": value.case_count >= MAX_CASES,
    }


def case(value: Case) -> dict[str, Json]:
    """A case of a test set."""
    shaped = dump(value)
    if not isinstance(shaped, dict):
        raise TypeError("a case is an object")
    if "context" in shaped:
        shaped["context"] = masked(shaped["context"])
    if value.expect is not None:
        shaped["expect"] = dump(written_expectation(value.expect))
    return {"input": None, "output": None, **shaped}


def settings(request: ComparisonRequest, rescore_of: str | None = None) -> dict[str, Json]:
    """A comparison's settings, defaults filled in."""
    sample = request.sample
    return there(
        {
            "baseline": "recorded",
            "reads": request.reads,
            "repetitions": request.repetitions,
            "k": request.k,
            # The default isn't told apart from one that was asked for.
            "classWeights": "restricted-only" if request.weighing == "experts-only" else None,
            "sample": None
            if sample is None
            else {"part": sample.part, "seed": sample.seed, "holdOutShare": sample.hold_out_share},
            "versions": None if request.versions is None else request.versions.wire or None,
            "overrides": None if request.overrides is None else request.overrides.wire,
            "rescoreOf": rescore_of,
        }
    )


def comparison(value: Comparison, tenant: str, so_far: Json = None) -> dict[str, Json]:
    """An eval run with its result; `so_far`, of one that runs, is the cases that finished."""
    request = value.request
    shaped: dict[str, Json] = {
        "runId": value.id,
        "tenantId": tenant,
        "projectId": value.project_id,
        "suiteId": value.test_set_id,
        "suiteVersion": value.test_set_version,
        "kind": "judged",
    }
    if request.flow_id is not None:
        shaped["flowRef"] = {"flowId": request.flow_id, "version": request.subject_version}
    else:
        shaped["agentRef"] = {"agentId": request.agent_id, "version": request.subject_version}
    shaped |= {"status": value.status, "dryRun": False, "startedAt": time_text(value.created_at)}
    if value.completed_at is not None:
        shaped["completedAt"] = time_text(value.completed_at)
    if isinstance(value.result, dict):
        kept = {name: value.result[name] for name in ("summary", "perCase") if name in value.result}
        shaped["result"] = dump(kept)
    elif isinstance(so_far, dict) and "perCase" in so_far:
        shaped["result"] = {"perCase": dump(so_far["perCase"])}
    # A person's own cancelling has no reason on this wire.
    reason = None if value.cancel_reason == "person" else value.cancel_reason
    error = None if value.error is None else error_text(value.error)
    shaped |= there({"error": error, "cancelReason": reason, "correlationId": request.correlation_id})
    told = settings(request, value.rescore_of)
    if told != settings(ComparisonRequest(test_set_id="", project_id="", subject_version="")):
        shaped["comparison"] = told
    return shaped


def queued(
    value: QueuedRun, state: str, said_as: Mapping[str | None, int], closed_at: datetime | None = None
) -> dict[str, Json]:
    """A run of the judging queue, without any of its content; the queue here is the caller's own.

    `said_as`: how many live judgments it has by group (None: of no group); `closed_at`: when it was judged.
    """
    one = value.run
    subject = one.subject
    flow_id = TURN_FLOW[0] if subject.kind == "agent" else subject.id
    agent: dict[str, Json] = (
        {"agentId": subject.id, "agentVersion": subject.version} if subject.kind == "agent" else {}
    )
    moment = time_text(one.completed_at or one.created_at)
    closed: dict[str, Json] = {} if closed_at is None else {"closedAt": time_text(closed_at)}
    by_class: list[Json] = [{"judgeClassId": group, "count": count} for group, count in said_as.items()]
    dismissal = value.state.dismissal
    if dismissal is not None:
        told = {
            "closedAt": None if dismissal.at is None else time_text(dismissal.at),
            "closedBy": dismissal.by,
            "reason": dismissal.reason,
        }
        closed = {name: value for name, value in told.items() if value is not None}
    return {
        "runId": one.id,
        "projectId": one.project_id,
        **agent,
        "flowId": flow_id,
        "runStatus": one.status,
        "completedAt": moment,
        "rules": [],
        "wantedClassIds": [],
        "anyJudgment": True,
        "progress": {"total": one.judgments, "byClass": by_class},
        "addedAt": moment,
        "state": state,
        **closed,
        "can": {"dismiss": state == "open", "reopen": state == "dismissed"},
    }
