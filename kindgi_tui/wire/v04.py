"""The 0.4 wire shape of our records, as the command line prints them (DESIGN section 2).

Stated by 0.4's documents: `testRunId`, `testSetId`, `testSetVersion`, `status`, `groupWeights` with
`as-recorded` and `experts-only`, the metrics `passRate`, `caseCoverage`, `weightedPrecisionAtK`, `result` with
`summary` and `perCase`, `sample`, a correction's `expert`. Inferred by renaming 0.1's names the same way:
`summary.testRunId` (`evalRunId`), `summary.testSet` (`suite`), `rescoreOf`, a case item's `expert`
(`restricted`), `groupId` (`judgeClassId`), a group's fields, a judgment's `verdict`, the list filters. Ours,
beside the wire's: a comparison's `ours` (headline, intervals, cost, new items nobody judged), `progress` and `brief`.
What isn't there is left out, never null; the two sides and the delta of a metric are null without evidence.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TypeVar, cast

from pydantic import BaseModel

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison, ComparisonPlan
from kindgi_tui.domain.corrections import Correction
from kindgi_tui.domain.judgments import Group, Judgment
from kindgi_tui.domain.own_test_sets import OwnCase, OwnTestSet
from kindgi_tui.domain.runs import Run, RunDetail, Segment, Subject
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.wire.expectations import written_expectation

T = TypeVar("T")

SUMMARY_NAMES = {"evalRunId": "testRunId", "suite": "testSet", "classWeights": "groupWeights"}
"""Names of a summary in 0.1, and in 0.4."""

METRIC_NAMES = {
    "weightedYesShare": "passRate",
    "judgedCoverage": "caseCoverage",
    "weightedPrecisionAtK": "weightedPrecisionAtK",
}
"""Names of the metrics in 0.1, and in 0.4, in the order they are shown."""

WEIGHINGS = {"restricted-only": "experts-only"}
"""Values of the weighing whose spelling changed."""


def camel(name: str) -> str:
    """`snake_case` as `camelCase`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def time(value: datetime) -> str:
    """A moment as the wire writes it: UTC, milliseconds, `Z`."""
    moment = value.astimezone(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def plain(value: object) -> Json:
    """Any record of ours as JSON with camel-case names; JSON inside it is left as it came."""
    if isinstance(value, BaseModel):
        fields = ((name, getattr(value, name)) for name in type(value).model_fields)
        return {camel(name): plain(field) for name, field in fields if field is not None}
    if isinstance(value, datetime):
        return time(value)
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, frozenset):
        return [str(item) for item in sorted(value)]
    return cast(Json, value)


def without_none(values: Mapping[str, Json]) -> dict[str, Json]:
    """The fields that are there."""
    return {name: value for name, value in values.items() if value is not None}


def page(
    rows: Iterable[T], shape: Callable[[T], Json], has_more: bool = False, next_cursor: str | None = None
) -> dict[str, Json]:
    """A page of a list: `data`, `hasMore`, and `nextCursor` where there is one."""
    answer: dict[str, Json] = {"data": [shape(row) for row in rows], "hasMore": has_more}
    if next_cursor is not None:
        answer["nextCursor"] = next_cursor
    return answer


def subject(value: Subject) -> dict[str, Json]:
    """What ran: kind, id, version."""
    return {"kind": value.kind, "id": value.id, "version": value.version}


def segments(values: tuple[Segment, ...]) -> list[Json] | None:
    """A path of segments; None without one."""
    return [{"key": one.key, "value": one.value} for one in values] or None


def run(value: Run) -> dict[str, Json]:
    """A run; with what went in, what came out and its context when it is a whole one.

    The wire has no `input` and no `context`: those, `source`, `judgments` and `preview` are ours.
    """
    agent = value.subject.kind == "agent"
    shaped: dict[str, Json | None] = {
        "id": value.id,
        "projectId": value.project_id,
        "status": value.status,
        "createdAt": time(value.created_at),
        "completedAt": None if value.completed_at is None else time(value.completed_at),
        "agent": without_none(
            {
                "id": value.subject.id,
                "version": value.subject.version,
                "conversationId": value.conversation_id,
            }
        )
        if agent
        else None,
        "flowId": None if agent else value.subject.id,
        "flowVersion": None if agent else value.subject.version,
        "segments": segments(value.segments),
        "replayOf": value.replay_of,
        "testRunId": value.comparison_id,
        "failure": None if value.failure is None else {"code": "run-failed", "message": value.failure},
        "source": value.source,
        "judgments": value.judgments,
    }
    if isinstance(value, RunDetail):
        shaped |= {"input": value.input, "output": value.output, "context": value.context or None}
    else:
        shaped["preview"] = value.preview
    return without_none(shaped)


def judgment(value: Judgment, kind: str = "user") -> dict[str, Json]:
    """A judgment; `kind` is whether a person or a service said it."""
    return without_none(
        {
            "id": value.id,
            "runId": value.run_id,
            "item": plain(value.item),
            "verdict": value.verdict,
            "reason": value.reason,
            "groupId": value.group_id,
            "expert": True if value.restricted else None,
            "participantId": value.participant,
            "assertedBy": {"kind": kind, "id": value.asserter},
            "createdAt": time(value.created_at),
        }
    )


def correction(value: Correction, kind: str = "user") -> dict[str, Json]:
    """A correction; `kind` is whether a person or a service said it. `endedAt` and `supersededBy` are ours."""
    expect: Json = written_expectation(value.expect)
    return without_none(
        {
            "id": value.id,
            "runId": value.run_id,
            "expect": expect,
            "groupId": value.group_id,
            "expert": True if value.expert else None,
            "participantId": value.participant,
            "assertedBy": {"kind": kind, "id": value.asserter},
            "createdAt": time(value.created_at),
            "endedAt": None if value.ended_at is None else time(value.ended_at),
            "supersededBy": value.superseded_by,
        }
    )


def group(value: Group) -> dict[str, Json]:
    """A group: its scope, weight and who may speak as it."""
    scope: dict[str, Json] = {"kind": "workspace"}
    if value.project_id is not None:
        scope = {"kind": "project", "projectId": value.project_id}
    if value.agent_id is not None:
        scope = {"kind": "agent", "projectId": value.project_id, "agentId": value.agent_id}
    restriction = value.restriction
    assertable: Json = None
    if restriction is not None:
        assertable = without_none(
            {
                "principalIds": list(restriction.principal_ids) or None,
                "principalKinds": list(restriction.principal_kinds) or None,
                "minReviewerRole": restriction.min_reviewer_role,
            }
        )
    return without_none(
        {
            "id": value.id,
            "scope": scope,
            "name": value.name,
            "weight": value.weight,
            "description": value.description,
            "assertableBy": assertable,
            "createdAt": time(value.created_at),
            "retiredAt": None if value.retired_at is None else time(value.retired_at),
        }
    )


def build_query(value: BuildRequest) -> dict[str, Json]:
    """What a test set version was built from."""
    return without_none(
        {
            "agentId": value.agent_id,
            "flowId": value.flow_id,
            "version": value.subject_version,
            "since": None if value.since is None else time(value.since),
            "until": None if value.until is None else time(value.until),
            "groupIds": list(value.groups) or None,
            "minJudgments": value.min_judgments,
            "segments": segments(value.segments),
        }
    )


def test_set(value: TestSetVersion) -> dict[str, Json]:
    """A test set version; `caseCount` and `truncated` as a build answers them, `available` is ours."""
    return without_none(
        {
            "testSetId": value.test_set_id,
            "version": value.version,
            "kind": "corrections",
            "projectId": value.project_id,
            "description": value.description,
            "caseCount": value.case_count,
            "truncated": value.truncated,
            "available": value.available,
            "query": build_query(value.request),
            "createdAt": time(value.created_at),
            "createdBy": value.created_by,
        }
    )


def case(value: Case) -> dict[str, Json]:
    """A case: a copy of a run, with what people said of each item."""
    from kindgi_tui.wire import v01

    shaped = v01.dump(value)
    if not isinstance(shaped, dict):
        raise TypeError("a case is an object on the wire")
    if value.expect is not None:
        expect: Json = written_expectation(value.expect)
        shaped = {**shaped, "expect": expect}
    items = shaped.get("items")
    if isinstance(items, list):
        shaped = {**shaped, "items": [case_item(item) for item in items]}
    return shaped


def own_case(value: OwnCase) -> dict[str, Json]:
    """A case of an agent's own test set; `source`, `by`, `createdAt`, `retiredAt` and `retiredBy` are ours."""
    expect: Json = None if value.expect is None else written_expectation(value.expect)
    about: dict[str, Json] = {
        "runId": value.run_id,
        "expect": expect,
        "source": value.source,
        "by": value.by,
        "createdAt": time(value.created_at),
        "retiredAt": None if value.retired_at is None else time(value.retired_at),
        "retiredBy": value.retired_by,
    }
    return {**case(value.case), **without_none(about)}


def own_test_set(value: OwnTestSet) -> dict[str, Json]:
    """An agent's own test set as it stands now: `version` is the newest frozen one; all but the ids is ours."""
    return without_none(
        {
            "testSetId": value.id,
            "kind": "corrections",
            "agentId": value.agent_id,
            "projectId": value.project_id,
            "caseCount": value.case_count,
            "truncated": value.truncated,
            "available": value.available,
            "retired": value.retired,
            "version": value.version,
            "frozenAt": None if value.frozen_at is None else time(value.frozen_at),
            "changed": value.changed,
        }
    )


def case_item(item: Json) -> Json:
    """A case's item, from 0.1's names."""
    if not isinstance(item, dict):
        return item
    renamed = {"expert" if name == "restricted" else name: value for name, value in item.items()}
    reasons = renamed.get("reasons")
    if isinstance(reasons, list):
        renamed["reasons"] = [_reason(reason) for reason in reasons]
    return renamed


def _reason(reason: Json) -> Json:
    if not isinstance(reason, dict):
        return reason
    names = {"judgeClassId": "groupId", "restricted": "expert"}
    return {names.get(name, name): value for name, value in reason.items()}


def comparison(value: Comparison) -> dict[str, Json]:
    """A comparison, with its result once there is one."""
    request = value.request
    shaped: dict[str, Json | None] = {
        "testRunId": value.id,
        "testSetId": value.test_set_id,
        "testSetVersion": value.test_set_version,
        "projectId": value.project_id,
        "kind": "corrections",
        "status": value.status,
        "dryRun": False,
        "agentRef": None
        if request.agent_id is None
        else {"agentId": request.agent_id, "version": request.subject_version},
        "flowRef": None
        if request.flow_id is None
        else {"flowId": request.flow_id, "version": request.subject_version},
        "comparison": without_none(
            {
                "baseline": "recorded",
                "reads": request.reads,
                "repetitions": request.repetitions,
                "k": request.k,
                "groupWeights": request.weighing,
                "sample": plain(request.sample),
                "versions": None if request.versions is None else request.versions.wire or None,
                "overrides": None if request.overrides is None else request.overrides.wire,
                "rescoreOf": value.rescore_of,
            }
        ),
        "startedAt": time(value.created_at),
        "startedBy": value.started_by,
        "completedAt": None if value.completed_at is None else time(value.completed_at),
        "error": value.error,
        "cancelReason": value.cancel_reason,
        "correlationId": request.correlation_id,
        "progress": plain(value.progress),
        "brief": plain(value.brief),
    }
    if isinstance(value.result, dict):
        shaped["result"] = result(value.result)
        shaped["ours"] = _ours(value.result.get("ours"))
    return without_none(shaped)


def result(value: Mapping[str, Json]) -> dict[str, Json]:
    """A comparison's `summary` and `perCase`, from 0.1's names."""
    shaped: dict[str, Json] = {}
    told = value.get("summary")
    if isinstance(told, dict):
        shaped["summary"] = summary(told)
    cases = value.get("perCase")
    if isinstance(cases, list):
        shaped["perCase"] = cases
    return shaped


def summary(value: Mapping[str, Json]) -> dict[str, Json]:
    """A comparison's summary, from 0.1's names."""
    shaped = {SUMMARY_NAMES.get(name, name): field for name, field in value.items()}
    weighing = shaped.get("groupWeights")
    if isinstance(weighing, str):
        shaped["groupWeights"] = WEIGHINGS.get(weighing, weighing)
    metrics = shaped.get("metrics")
    if isinstance(metrics, dict):
        known = {new: metrics[old] for old, new in METRIC_NAMES.items() if old in metrics}
        others = {name: metric for name, metric in metrics.items() if name not in METRIC_NAMES}
        shaped["metrics"] = known | others
    return shaped


def _ours(value: Json) -> Json:
    if not isinstance(value, dict):
        return None
    intervals = value.get("intervals")
    if isinstance(intervals, dict):
        return {**value, "intervals": {camel(name): told for name, told in intervals.items()}}
    return value


def plan(value: ComparisonPlan) -> dict[str, Json]:
    """A dry run's answer."""
    return {"dryRunPreview": plain(value)}
