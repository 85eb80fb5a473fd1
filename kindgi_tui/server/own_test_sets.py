"""Agents' own test sets in the 0.4 dialect: read, listed, frozen, and what a run on one is checked for first."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.own_test_sets import OwnTestSet, own_test_set_id, parse_own_test_set_id
from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.server.asking import Answer, Ask
from kindgi_tui.server.errors import Refusal, bad, missing
from kindgi_tui.server.fields import find_project
from kindgi_tui.server.operations import PAGED, Operation
from kindgi_tui.server.own_bodies import own_body
from kindgi_tui.server.pages import after_key
from kindgi_tui.server.queries import is_uuid
from kindgi_tui.wire import v01_test_sets, v04_records
from kindgi_tui.wire.dialects import OWN_TEST_SET, answer_04
from kindgi_tui.workbench import Conflict, NotFound

NOTHING_TO_CHECK = "suggested-change-nothing-to-check"
"""The code of a set that has no cases."""

_REQUIRED = "`projectId` is required: an agent has an own test set in each project."


async def own_project(ask: Ask, identity: object, required: str = _REQUIRED) -> str:
    """The id of the project an own test set is asked for in. Raises Refusal."""
    if identity is None:
        raise bad(required)
    if not isinstance(identity, str) or not is_uuid(identity):
        raise bad("`projectId` must be a project id (a UUID)")
    found = await find_project(ask, identity)
    if found is None:
        sentence = f'No project with id "{identity}" in this tenant'
        raise missing("project-not-found", sentence, {"projectId": identity})
    return found.id


def is_own_start(ask: Ask) -> bool:
    """Whether the set that the path names is some agent's own, which is frozen before it runs; 0.1 has none."""
    return ask.dialect == "0.4" and parse_own_test_set_id(ask.params["suiteId"]) is not None


def check_own_start(ask: Ask, kind: str, subject: str, project: str) -> None:
    """An agent's own test set runs only its agent, in its project. Raises Refusal, which names the set that fits."""
    identity = ask.params["suiteId"]
    wanted = own_test_set_id(subject, project)
    if kind == "agent" and identity == wanted:
        return
    fits = f"takes the agent's own test set, {wanted}" if kind == "agent" else "needs an agent, not a flow"
    raise bad(f'A run on test set "{identity}" is of its own agent in its own project: this one {fits}.')


def nothing_to_check(cause: Conflict, project: str) -> Refusal:
    """A set without cases can't be frozen."""
    return Refusal(409, cause.code, cause.sentence, {"projectId": project})


async def _record(ask: Ask, found: OwnTestSet) -> dict[str, Json]:
    newest = None
    if found.version is not None:
        newest = await ask.bench.test_sets.get(found.id, found.version)
    return v04_records.own_test_set(found, newest, ask.tenant)


async def get_own(ask: Ask) -> Answer:
    """An agent's own test set as it stands now; where nothing was said yet, an empty one."""
    project = await own_project(ask, ask.given("projectId"))
    found = await ask.bench.cases.own(ask.params["agentId"], project)
    if found.version is None and not found.available and not found.retired:
        await known_agent(ask)
    return Answer(await _record(ask, found))


async def known_agent(ask: Ask) -> None:
    """Raises Refusal where no agent has the path's id: none is published, and no run here is one's."""
    identity = ask.params["agentId"]
    try:
        await ask.bench.agents.get(identity)
    except NotFound:
        query = RunFilter(subject_kind="agent", subject_id=identity, replays="include")
        if (await ask.bench.runs.list(query, 1)).data:
            return
        sentence = f'No agent registered with id "{identity}"'
        raise missing("agent-not-found", sentence, {"agentId": identity}) from None


async def list_own(ask: Ask) -> Answer:
    """The own test sets that have a case or a version, by id."""
    told = ask.given("projectId")
    project = None if told is None else await own_project(ask, told)
    found = await ask.bench.cases.sets(project)
    page = after_key(found, lambda one: one.id, lambda one: one.id, ask.limit, ask.cursor)
    rows = page["data"]
    wanted = rows if isinstance(rows, list) else []
    return Answer({**page, "data": [await _record(ask, one) for one in found if one.id in wanted]})


async def freeze(ask: Ask) -> Answer:
    """Freezes the set: a new version when its cases changed since the newest, else that one."""
    body = own_body(ask, ("projectId",))
    project = await own_project(ask, body.get("projectId"))
    agent = ask.params["agentId"]
    ask.may("editor", f'Not allowed to freeze the own test set of agent "{agent}".')
    try:
        made = await ask.bench.cases.freeze(agent, project)
    except Conflict as cause:
        raise nothing_to_check(cause, project) from cause
    return Answer(answer_04("suite", v01_test_sets.suite(made, ask.tenant)), 201)


async def frozen(ask: Ask, identity: str) -> Answer:
    """The answer of a freezing that was done already."""
    name, _, version = identity.rpartition("@")
    made = await ask.bench.test_sets.get(name, version)
    return Answer(answer_04("suite", v01_test_sets.suite(made, ask.tenant)), 201)


OPERATIONS = (
    Operation(
        "GET",
        OWN_TEST_SET,
        get_own,
        "An agent's own test set, as it stands now.",
        "ownTestSet",
        query=("projectId",),
        only="0.4",
    ),
    Operation(
        "GET",
        "/v1/agent-test-sets",
        list_own,
        "Agents' own test sets that have a case or a version.",
        "page:ownTestSet",
        query=(*PAGED, "projectId"),
        only="0.4",
    ),
    Operation(
        "POST",
        f"{OWN_TEST_SET}/freeze",
        freeze,
        "Freezes an agent's own test set, as starting a run on it does.",
        "suite",
        201,
        body="freeze",
        keyed=True,
        again=frozen,
        only="0.4",
    ),
)
"""Agents' own test sets."""
