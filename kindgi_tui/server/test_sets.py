"""Eval suites: versioned test sets built from judgments, and their cases."""

import re
from datetime import datetime
from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.limits import LimitError, check_min_judgments, check_version
from kindgi_tui.domain.own_test_sets import parse_own_test_set_id
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.server.asking import Answer, Ask
from kindgi_tui.server.bodies import NOTHING
from kindgi_tui.server.errors import Refusal, bad, missing
from kindgi_tui.server.fields import Body, an_object, checked_project, segment_path
from kindgi_tui.server.operations import PAGED, SCOPED, Operation
from kindgi_tui.server.pages import after_key, page
from kindgi_tui.server.queries import check_inherit, full_time, scope
from kindgi_tui.wire import v01_test_sets
from kindgi_tui.workbench import Conflict, Invalid, NotFound

KINDS = ("accuracy", "pairwise", "regression", "human-review", "benchmark", "custom", "judged")
"""The kinds of suites the API knows; here there are judged ones."""

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def version_order(version: TestSetVersion) -> tuple[int, ...]:
    """Where a version stands: the API's newest is the highest one, not the one built last."""
    match = _VERSION.match(version.version)
    return tuple(int(part) for part in match.groups()) if match else (0, 0, 0)


async def versions_of(ask: Ask, test_set_id: str) -> list[TestSetVersion]:
    """A set's versions, the lowest first; empty when there is none."""
    try:
        found = await ask.bench.test_sets.versions(test_set_id)
    except NotFound:
        return []
    return sorted(found, key=version_order)


def _unknown(identity: str) -> Refusal:
    return missing(
        "eval-suite-not-found", f'No eval suite registered with id "{identity}"', {"suiteId": identity}
    )


async def newest(ask: Ask, test_set_id: str) -> TestSetVersion:
    """A set's highest version. Raises Refusal."""
    found = await versions_of(ask, test_set_id)
    if not found:
        raise _unknown(test_set_id)
    return found[-1]


async def list_suites(ask: Ask) -> Answer:
    """The highest version of each suite, by id."""
    project = scope(ask)
    check_inherit(ask)
    kind = ask.get("kind")
    if kind == "corrections" and ask.dialect == "0.4":
        kind = "judged"
    if kind is not None and kind not in KINDS:
        raise bad(f'Unknown eval kind "{kind}". Expected one of: {", ".join(KINDS)}.')
    prefix = ask.get("name") or ""
    rows = await ask.bench.test_sets.list(project) if kind in (None, "judged") else ()
    fitting = [
        (await versions_of(ask, one.test_set_id))[-1] for one in rows if one.test_set_id.startswith(prefix)
    ]
    return Answer(
        after_key(
            fitting,
            lambda one: one.test_set_id,
            lambda one: v01_test_sets.suite(one, ask.tenant),
            ask.limit,
            ask.cursor,
        )
    )


async def get_suite(ask: Ask) -> Answer:
    """A suite's highest version."""
    return Answer(v01_test_sets.suite(await newest(ask, ask.params["suiteId"]), ask.tenant))


async def list_versions(ask: Ask) -> Answer:
    """A suite's versions, the lowest first."""
    identity = ask.params["suiteId"]
    found = await versions_of(ask, identity)
    if not found:
        raise _unknown(identity)
    return Answer(
        after_key(
            found,
            lambda one: one.version,
            lambda one: v01_test_sets.suite(one, ask.tenant),
            ask.limit,
            ask.cursor,
        )
    )


async def get_version(ask: Ask) -> Answer:
    """One version of a suite."""
    identity, version = ask.params["suiteId"], ask.params["version"]
    try:
        found = await ask.bench.test_sets.get(identity, version)
    except NotFound:
        sentence = f'No eval suite "{identity}" at version "{version}"'
        raise missing("eval-suite-not-found", sentence, {"suiteId": identity, "version": version}) from None
    return Answer(v01_test_sets.suite(found, ask.tenant))


async def list_cases(ask: Ask) -> Answer:
    """A version's cases; of an unknown version none, as the API has it."""
    try:
        found = await ask.bench.test_sets.cases(
            ask.params["suiteId"], ask.params["version"], ask.limit, ask.cursor
        )
    except NotFound:
        return Answer(page([], False, None))
    own = ask.dialect == "0.4" and parse_own_test_set_id(ask.params["suiteId"]) is not None
    rows = [_own_case(one) if own else v01_test_sets.case(one) for one in found.data]
    return Answer(page(rows, found.has_more, found.next_cursor))


def _own_case(case: Case) -> dict[str, Json]:
    """A case of an agent's own test set, which names its past run where there is one."""
    past: dict[str, Json] = {} if case.from_nothing else {"runId": case.past_run}
    return v01_test_sets.case(case) | past


async def build(ask: Ask) -> Answer:
    """Builds a version from the project's judgments."""
    identity = ask.params["suiteId"]
    value = ask.body()
    if isinstance(value, dict):
        await checked_project(ask, value)
    body = an_object(value if value is not NOTHING else None, "Send a JSON object.")
    request = await _request(ask, identity, body)
    ask.may("admin", "Building a test set needs admin on the project.")
    try:
        made = await ask.bench.test_sets.build(request, empty=True)
    except Conflict as cause:
        raise _taken(cause, request) from cause
    return Answer(v01_test_sets.built(made), 201)


def _taken(cause: Conflict, request: BuildRequest) -> Refusal:
    """Why a version can't be built under that name, in the API's words."""
    identity = request.test_set_id
    if cause.code == "eval-suite-project-mismatch":
        sentence = f'Eval suite "{identity}" belongs to another project; build its versions there'
        return Refusal(409, cause.code, sentence, {"suiteId": identity})
    if cause.code == "eval-suite-already-registered":
        sentence = f'Eval suite "{identity}" version "{request.version}" is already registered.'
        return Refusal(409, cause.code, sentence)
    return Refusal(409, cause.code, cause.sentence)


async def built(ask: Ask, identity: str) -> Answer:
    """The answer of a version that was built already."""
    name, _, version = identity.rpartition("@")
    return Answer(v01_test_sets.built(await ask.bench.test_sets.get(name, version)), 201)


async def _request(ask: Ask, identity: str, body: Body) -> BuildRequest:
    try:
        version = check_version(body.get("version"))
    except LimitError as cause:
        raise bad(cause.sentence) from cause
    if not isinstance(body.get("projectId"), str):
        raise bad("projectId is required.")
    if "agentId" not in body and "flowId" not in body:
        raise bad("Name the agent (agentId) or the flow (flowId) whose judged runs to use.")
    if "description" in body and not isinstance(body["description"], str):
        raise bad("description must be a string.")
    for name in ("agentId", "agentVersion", "flowId", "since", "until"):
        if name in body and (not isinstance(body[name], str) or not body[name]):
            raise bad(f"{name} must be a non-empty string.")
    times = {name: _time(body, name) for name in ("since", "until")}
    if "agentVersion" in body and "agentId" not in body:
        raise bad("agentVersion needs agentId.")
    if "agentId" in body and "flowId" in body:
        raise bad("Name one of agentId and flowId: no run is both, so that there would be no case.")
    groups = _groups(body)
    least = _least(body)
    segments = segment_path(body["segments"]) if "segments" in body else ()
    await _check_groups(ask, groups)
    return BuildRequest(
        test_set_id=identity,
        version=version,
        project_id=body["projectId"],
        agent_id=body.get("agentId"),
        flow_id=body.get("flowId"),
        subject_version=body.get("agentVersion"),
        since=times["since"],
        until=times["until"],
        groups=groups,
        min_judgments=least,
        segments=segments,
        description=body.get("description"),
    )


def _time(body: Body, name: str) -> datetime | None:
    if name not in body:
        return None
    moment = full_time(body[name])
    if moment is None:
        raise bad(f"{name} must be an ISO 8601 time.")
    return moment


def _groups(body: Body) -> tuple[str, ...]:
    told: Any = body.get("judgeClassIds", [])
    if not isinstance(told, list) or not all(isinstance(one, str) and one for one in told):
        raise bad("judgeClassIds must be a list of judge class ids.")
    return tuple(told)


def _least(body: Body) -> int | None:
    told = body.get("minJudgments")
    if "minJudgments" not in body:
        return None
    if isinstance(told, float) and told.is_integer():
        told = int(told)
    try:
        return check_min_judgments(told)
    except LimitError as cause:
        raise bad(cause.sentence) from cause


async def _check_groups(ask: Ask, groups: tuple[str, ...]) -> None:
    """A class that isn't there would leave every run out without a word."""
    for reference in groups:
        try:
            found = await ask.bench.groups.get(reference)
        except (NotFound, Invalid):
            found = None
        if found is None or found.id != reference:
            raise missing("judge-class-not-found", f'No judge class "{reference}".')


_BASE, _ONE = "/v1/eval-suites", "/v1/eval-suites/{suiteId}"
OPERATIONS = (
    Operation(
        "GET",
        _BASE,
        list_suites,
        "The newest version of each test set.",
        "page:suite",
        query=(*PAGED, *SCOPED, "kind", "name", "inherit", "includeRetired"),
    ),
    Operation("GET", _ONE, get_suite, "A test set's newest version.", "suite", query=("projectId",)),
    Operation(
        "GET",
        f"{_ONE}/versions",
        list_versions,
        "A test set's versions.",
        "page:suite",
        query=(*PAGED, "includeTombstoned"),
    ),
    Operation(
        "POST",
        f"{_ONE}/versions/from-judgments",
        build,
        "Builds a version from judgments.",
        "built",
        201,
        body="buildSuite",
        keyed=True,
        again=built,
    ),
    Operation("GET", f"{_ONE}/versions/{{version}}", get_version, "One version of a test set.", "suite"),
    Operation(
        "GET",
        f"{_ONE}/versions/{{version}}/cases",
        list_cases,
        "A version's cases.",
        "page:case",
        query=PAGED,
    ),
)
"""Eval suites."""
