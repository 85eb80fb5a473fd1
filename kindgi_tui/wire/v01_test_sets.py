"""The 0.1 wire's records of test sets, their cases and comparisons, made from ours (as `v01_records`)."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison, ComparisonRequest
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.domain.test_sets import MAX_CASES, Case
from kindgi_tui.wire.expectations import written_expectation
from kindgi_tui.wire.v01 import dump, error_text, time_text
from kindgi_tui.wire.v01_records import masked, segments, there


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
