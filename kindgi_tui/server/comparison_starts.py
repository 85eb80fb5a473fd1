"""Starting an eval run: the body checked in the API's order and words, then asked of the workbench."""

import uuid
from datetime import UTC, datetime
from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import ComparisonPlan, ComparisonRequest, SamplePart
from kindgi_tui.domain.flow_swaps import swaps_of
from kindgi_tui.domain.limits import (
    LimitError,
    check_baseline,
    check_correlation_id,
    check_k,
    check_reads,
    check_repetitions,
    check_sample,
)
from kindgi_tui.domain.overrides import overrides_of
from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.server.asking import Answer, Ask
from kindgi_tui.server.bodies import NOTHING
from kindgi_tui.server.errors import Refusal, bad, bad_at, missing
from kindgi_tui.server.fields import Body, an_object, checked_project
from kindgi_tui.server.operations import Operation
from kindgi_tui.server.own_test_sets import (
    NOTHING_TO_CHECK,
    check_own_start,
    is_own_start,
    nothing_to_check,
)
from kindgi_tui.server.test_sets import newest
from kindgi_tui.wire import v01_test_sets, v04
from kindgi_tui.wire.v01 import time_text
from kindgi_tui.workbench import Conflict, Invalid, NotFound

_WEIGHINGS = {"as-recorded": "as-recorded", "restricted-only": "experts-only"}
_CLASS_WEIGHTS = (
    "`classWeights` must be 'as-recorded' (every judgment at its class's weight) or "
    "'restricted-only' (only judgments recorded under a restricted class)"
)
_BASELINE = "`baseline` must be 'recorded', { agentId, version } or { live: { projectId?, segments? } }"
_BOTH = "Provide exactly one of `agentRef` or `flowRef`, not both"
_OVERRIDES_SETTINGS = "`overrides.settings` must be an object of { blockId: { …values } } (at most 20 blocks)"
_NO_REGISTRY = "This runtime can't check overrides (it serves no agent or block registry)."
"""What 0.1 says where no block can be overridden."""
_NO_BLOCKS = "No settings block and no prompt block is published here, so there is none to override."
"""The same, as it is here."""


async def start(ask: Ask) -> Answer:
    """Starts a comparison on the suite's newest version; with `dryRun` says what would run."""
    value = ask.body()
    if isinstance(value, dict):
        if ask.dialect == "0.4" and "agentRef" in value and "flowRef" in value:
            # 0.4 states 400 for its own example body, whose project nobody has.
            raise bad(_BOTH)
        await checked_project(ask, value)
    if value is NOTHING and ask.raw:
        raise bad("Request body must be valid JSON")
    body = an_object(value if ask.raw else {}, "Request body must be an object")
    if not body.get("projectId"):
        raise bad("`projectId` is required")
    kind, subject, version = _subject(body)
    _check_options(body)
    _check_shapes(body)
    options = _options(body)
    if _has_parts(body.get("versions")) and kind == "agent":
        raise bad(
            "`versions` runs a flow with some of its agents or tools at other versions: it needs `flowRef`."
        )
    project: str = body["projectId"]
    # An agent's own test set is frozen when it starts: there may be no version of it yet.
    own = is_own_start(ask)
    if own:
        check_own_start(ask, kind, subject, project)
    suite = None if own else await _suite(ask, project)
    if version is not None and kind == "agent":
        await _check_candidate(ask, subject, version)
    if kind == "flow" and version is not None and _has_parts(body.get("versions")):
        await _check_swapped(ask, subject, version)
    if _has_parts(body.get("overrides")) and kind == "agent" and version is not None:
        await _check_fits(ask, subject, version, body["overrides"])
    _check_dispatch(body, kind, version, suite)
    identity = ask.params["suiteId"]
    ask.may("editor", f'Not allowed to run eval suite "{identity}".')
    request = ComparisonRequest(
        test_set_id=identity,
        version=None if suite is None else suite.version,
        project_id=project,
        agent_id=subject if kind == "agent" else None,
        flow_id=subject if kind == "flow" else None,
        subject_version=version or "",
        correlation_id=body.get("correlationId"),
        versions=swaps_of(body.get("versions")),
        overrides=overrides_of(body.get("overrides")),
        **options,
    )
    return await _started(ask, request, body)


async def _started(ask: Ask, request: ComparisonRequest, body: Body) -> Answer:
    try:
        if body.get("dryRun"):
            return _dry(ask, request, await ask.bench.comparisons.plan(request))
        started = await ask.bench.comparisons.start(request)
    except Invalid as cause:
        raise bad(cause.sentence, cause.code) from cause
    except Conflict as cause:
        if cause.code != NOTHING_TO_CHECK:
            raise
        raise nothing_to_check(cause, request.project_id) from cause
    return Answer({"runId": started.id}, 201)


async def started(ask: Ask, identity: str) -> Answer | None:
    """The answer of a comparison that was started already; None when it only came to freezing its test set."""
    try:
        found = await ask.bench.comparisons.get(identity)
    except NotFound:
        return None
    return Answer({"runId": found.id}, 201)


def _subject(body: Body) -> tuple[str, str, str | None]:
    given = [name for name in ("agentRef", "flowRef") if name in body]
    if len(given) == 2:
        raise bad(_BOTH)
    if not given:
        raise bad("Request body must include exactly one of `agentRef` or `flowRef`")
    name = given[0]
    kind = name.removesuffix("Ref")
    reference = body[name]
    if not isinstance(reference, dict):
        raise bad(f"`{name}` must be an object")
    identity, version = reference.get(f"{kind}Id"), reference.get("version")
    if not isinstance(identity, str) or not identity:
        raise bad(f"`{name}.{kind}Id` must be a non-empty string")
    if "version" in reference and not isinstance(version, str):
        raise bad(f"`{name}.version` must be a string when supplied")
    return kind, identity, version


def _check_options(body: Body) -> None:
    if not isinstance(body.get("dryRun", False), bool):
        raise bad("`dryRun` must be a boolean when supplied")
    if "correlationId" not in body:
        return
    try:
        check_correlation_id(body["correlationId"])
    except LimitError as cause:
        raise bad(cause.sentence) from cause


def _check_shapes(body: Body) -> None:
    if "versions" in body:
        _check_versions(body["versions"])
    if "overrides" in body:
        _check_overrides(body["overrides"])


def _check_versions(value: Any) -> None:
    if not isinstance(value, dict):
        raise bad("`versions` must be an object: { agents?, tools? }")
    for name, part in value.items():
        if name not in ("agents", "tools"):
            raise bad(f"`versions` takes `agents` and `tools`, not `{name}`")
        fits = isinstance(part, dict) and all(
            isinstance(version, str) and version and key for key, version in part.items()
        )
        if not fits:
            raise bad(f"`versions.{name}` must be an object of {{ id: version }} with non-empty strings")


def _check_overrides(value: Any) -> None:
    if not isinstance(value, dict):
        raise bad("`overrides` must be an object: { settings?, prompts? }")
    for name in value:
        if name not in ("settings", "prompts"):
            raise bad(f"`overrides` takes `settings` and `prompts`, not `{name}`")
    settings = value.get("settings", {})
    if (
        not isinstance(settings, dict)
        or len(settings) > 20
        or not all(isinstance(one, dict) for one in settings.values())
    ):
        raise bad(_OVERRIDES_SETTINGS)
    prompts = value.get("prompts", {})
    if (
        not isinstance(prompts, dict)
        or len(prompts) > 1
        or not all(isinstance(one, dict) and isinstance(one.get("template"), str) for one in prompts.values())
    ):
        raise bad("`overrides.prompts` must be { blockId: { template } } for the prompt block (one)")


def _options(body: Body) -> dict[str, Any]:
    """The settings as the workbench takes them. Raises Refusal."""
    options: dict[str, Any] = {}
    try:
        if "sample" in body:
            options["sample"] = _sample(body["sample"])
        if "classWeights" in body:
            weighing = body["classWeights"]
            if not isinstance(weighing, str) or weighing not in _WEIGHINGS:
                raise bad(_CLASS_WEIGHTS)
            options["weighing"] = _WEIGHINGS[weighing]
        if "baseline" in body:
            _check_baseline(body["baseline"])
        if "reads" in body:
            options["reads"] = check_reads(body["reads"])
        if "repetitions" in body:
            options["repetitions"] = check_repetitions(body["repetitions"])
        if "k" in body:
            options["k"] = check_k(body["k"])
    except LimitError as cause:
        raise bad(cause.sentence) from cause
    return options


def _sample(value: Any) -> SamplePart:
    given = value if isinstance(value, dict) else {}
    part, seed, share = given.get("part"), given.get("seed"), given.get("holdOutShare")
    if set(given) - {"part", "seed", "holdOutShare"}:
        part = None
    check_sample(part, seed, share)
    return SamplePart(part=part, seed=seed, hold_out_share=share)


def _check_baseline(value: Any) -> None:
    if value == "recorded":
        return
    if not isinstance(value, dict):
        raise bad(_BASELINE)
    if "live" not in value:
        if not all(isinstance(value.get(name), str) and value[name] for name in ("agentId", "version")):
            raise bad("`baseline` as a version needs `agentId` and `version`")
        return
    live = value["live"]
    if not isinstance(live, dict):
        raise bad("`baseline.live` must be an object")
    if not isinstance(live.get("projectId", ""), str):
        raise bad("`baseline.live.projectId` must be a string")
    if live.get("segments") and "projectId" not in live:
        raise bad(
            "`baseline.live.segments` is a segment path in a project: it needs `baseline.live.projectId`"
        )


async def _suite(ask: Ask, project: str) -> TestSetVersion:
    identity = ask.params["suiteId"]
    suite = await newest(ask, identity)
    if suite.project_id != project:
        sentence = (
            f"This project can't reference eval suite \"{identity}\": it isn't registered in this project, "
            "its org or the tenant"
        )
        place = {"path": "/suiteId", "kind": "eval-suite", "id": identity, "message": sentence}
        raise bad_at("reference-out-of-scope", sentence, [place])
    return suite


async def _check_candidate(ask: Ask, agent: str, version: str) -> None:
    try:
        await ask.bench.agents.get(agent, version)
    except NotFound:
        sentence = (
            f"This project can't reference agent \"{agent}\" {version}: it isn't a version this project runs "
            "(not registered in this project, its org or the tenant, nor deployed to it)"
        )
        place = {"path": "/agentRef/agentId", "kind": "agent", "id": agent, "message": sentence}
        raise bad_at("reference-out-of-scope", sentence, [place]) from None


async def _check_fits(ask: Ask, agent: str, version: str, value: Any) -> None:
    """Overrides must fit what the version pins; where no block is published there is nothing to override."""
    if not await ask.bench.blocks.list():
        raise bad_at("validation-failed", _NO_REGISTRY if ask.dialect == "0.1" else _NO_BLOCKS, [])
    overrides = overrides_of(value)
    issues = () if overrides is None else await ask.bench.blocks.override_issues(agent, version, overrides)
    if issues:
        count = f"{len(issues)} issue{'' if len(issues) == 1 else 's'}"
        sentence = f"The overrides don't fit {agent} {version} ({count})"
        told: list[dict[str, Json]] = [{"path": each.pointer, "message": each.message} for each in issues]
        raise bad_at("validation-failed", sentence, told)


def _has_parts(value: Any) -> bool:
    """Whether swapped versions, or overrides, name anything: an empty one counts as left out."""
    return isinstance(value, dict) and any(value.values())


async def _check_swapped(ask: Ask, flow: str, version: str) -> None:
    try:
        await ask.bench.flows.get(flow, version)
    except NotFound:
        place = {"path": "/flowRef/version", "message": f"flow {flow} {version} isn't registered"}
        sentence = f"The versions don't fit flow {flow} {version} (1 issue)"
        raise bad_at("validation-failed", sentence, [place]) from None


def _check_dispatch(body: Body, kind: str, version: str | None, suite: TestSetVersion | None) -> None:
    code = "dispatcher-input-invalid"
    if version is None:
        sentence = f"`{kind}Ref.version` is required: the candidate is one version of the {kind}."
        raise bad(sentence, code)
    if suite is not None and suite.case_count == 0:
        raise bad("The test set has no cases.", code)
    if _has_parts(body.get("overrides")) and kind == "flow":
        raise bad("`overrides` replaces an agent version's block content: it needs `agentRef`.", code)
    try:
        check_baseline(body.get("baseline", "recorded"))
    except LimitError as cause:
        raise bad(cause.sentence, code) from cause


def _dry(ask: Ask, request: ComparisonRequest, plan: ComparisonPlan) -> Answer:
    """A dry run's record, which leaves nothing in the workspace, and what it would do."""
    identity = str(uuid.uuid4())
    now = time_text(datetime.now(UTC))
    settings = v01_test_sets.settings(request)
    record: dict[str, Json] = {
        "runId": identity,
        "tenantId": ask.tenant,
        "projectId": request.project_id,
        "suiteId": request.test_set_id,
        "suiteVersion": plan.test_set_version,
        "kind": "judged",
        "agentRef": {"agentId": request.agent_id, "version": request.subject_version},
        "status": "completed",
        "dryRun": True,
        "startedAt": now,
        "completedAt": now,
        "result": {"dryRun": True, "cases": plan.cases, "comparison": settings},
    }
    if request.correlation_id is not None:
        record["correlationId"] = request.correlation_id
    if settings != v01_test_sets.settings(
        ComparisonRequest(test_set_id="", project_id="", subject_version="")
    ):
        record["comparison"] = settings
    ask.served.dry_runs.put(identity, record)
    return Answer({"runId": identity, "dryRunPreview": v04.plain(plan)}, 201)


def failed_rescore(ask: Ask, prior: dict[str, Json]) -> Answer:
    """A rescore of a dry run: taken, and then failed, as the API does it."""
    identity = str(uuid.uuid4())
    now = time_text(datetime.now(UTC))
    error = f"Eval run \"{prior['runId']}\" can't be rescored: it isn't a finished comparison here."
    kept = {name: value for name, value in prior.items() if name not in ("result", "dryRun")}
    result = prior["result"]
    settings = result.get("comparison") if isinstance(result, dict) else None
    kept["comparison"] = {**(settings if isinstance(settings, dict) else {}), "rescoreOf": prior["runId"]}
    record = kept | {"runId": identity, "dryRun": False, "status": "failed", "startedAt": now}
    ask.served.dry_runs.put(identity, record | {"completedAt": now, "error": error, "result": {}})
    return Answer({"runId": identity}, 201)


def unknown_run(identity: str) -> Refusal:
    """No eval run has that id."""
    return missing("eval-run-not-found", f"No eval run with id {identity}", {"runId": identity})


OPERATIONS = (
    Operation(
        "POST",
        "/v1/eval-suites/{suiteId}/runs",
        start,
        "Starts a comparison on a test set's newest version.",
        "started",
        201,
        body="startComparison",
        keyed=True,
        again=started,
    ),
)
"""Starting an eval run."""
