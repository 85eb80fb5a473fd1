"""Judge classes: who judges speak as."""

from collections.abc import Mapping
from typing import Any, Literal

from kindgi_tui.domain.judgments import Group, Restriction
from kindgi_tui.domain.limits import LimitError, check_group_name, check_weight
from kindgi_tui.server.asking import Answer, Ask
from kindgi_tui.server.errors import Refusal, bad, missing
from kindgi_tui.server.fields import an_object, fields_or_none, find_project
from kindgi_tui.server.operations import PAGED, Operation
from kindgi_tui.server.pages import after_key
from kindgi_tui.wire import v01_records as records
from kindgi_tui.workbench import Conflict, Invalid, NotFound

_SCOPE = (
    'scope is required: { kind: "tenant" }, { kind: "project", projectId }, '
    'or { kind: "agent", projectId, agentId }.'
)
_ASSERTABLE = (
    'assertableBy says who may assert the class: { minReviewerRole?: "standard" | "senior" | "admin", '
    'principalKinds?: ["user" | "service", …], principalIds?: [id, …] }, with at least one of them.'
)
_PATCH = (
    "Send weight (a number ≥ 0), description (a string) and/or assertableBy "
    "(who may assert the class, or null for anyone)."
)
_DENIED = "Not allowed to manage judge classes in this scope."
_ROLES = ("standard", "senior", "admin")
_KINDS = ("user", "service")
_PARTS = {"minReviewerRole", "principalKinds", "principalIds"}


def _scope(value: Any) -> tuple[str | None, str | None]:
    """A scope's project and agent. Raises Refusal."""
    given = value if isinstance(value, dict) else {}
    kind, project, agent = given.get("kind"), given.get("projectId"), given.get("agentId")
    if kind == "tenant":
        return None, None
    if kind == "project" and isinstance(project, str) and project:
        return project, None
    if kind == "agent" and isinstance(project, str) and project and isinstance(agent, str) and agent:
        return project, agent
    raise bad(_SCOPE)


def _restriction(value: Any) -> Restriction:
    if not isinstance(value, dict) or not value or set(value) - _PARTS:
        raise bad(_ASSERTABLE)
    role = value.get("minReviewerRole")
    if "minReviewerRole" in value and role not in _ROLES:
        raise bad(_ASSERTABLE)
    kinds = value.get("principalKinds", ["user"])
    if not isinstance(kinds, list) or not kinds or any(kind not in _KINDS for kind in kinds):
        raise bad(_ASSERTABLE)
    ids = value.get("principalIds", ["any"])
    if (
        not isinstance(ids, list)
        or not 1 <= len(ids) <= 100
        or not all(isinstance(one, str) and one for one in ids)
    ):
        raise bad(_ASSERTABLE)
    return Restriction(
        min_reviewer_role=role,
        principal_kinds=tuple(kinds) if "principalKinds" in value else (),
        principal_ids=tuple(ids) if "principalIds" in value else (),
    )


def _shape(ask: Ask, group: Group) -> dict[str, Any]:
    return records.group(group, ask.tenant, whole=ask.bearer.person.right == "admin")


async def create(ask: Ask) -> Answer:
    """Makes a class."""
    body = an_object(ask.body(), "Send a JSON object.")
    try:
        name = check_group_name(body.get("name"))
        weight = check_weight(body.get("weight"))
    except LimitError as cause:
        raise bad(cause.sentence) from cause
    description = _description(body)
    project, agent = _scope(body.get("scope"))
    asserted = body.get("assertableBy")
    restriction = None if asserted is None else _restriction(asserted)
    if project is not None and await find_project(ask, project) is None:
        raise missing(
            "project-not-found", f'No project with id "{project}" in this tenant', {"projectId": project}
        )
    ask.may("admin", _DENIED)
    try:
        made = await ask.bench.groups.add(
            name,
            weight,
            description=description,
            project_id=project,
            agent_id=agent,
            restriction=restriction,
        )
    except Conflict as cause:
        raise Refusal(409, cause.code, f'A judge class named "{name}" already exists here.') from cause
    return Answer(_shape(ask, made), 201)


def _description(body: Mapping[str, Any]) -> str | None:
    description = body.get("description")
    if "description" in body and not isinstance(description, str):
        raise bad("description must be a string.")
    return description


async def list_groups(ask: Ask) -> Answer:
    """Live classes, newest first; with a scope those of exactly that scope."""
    rows = [group for group in await _every(ask) if group.retired_at is None]
    if ask.get("scopeKind") is not None:
        asked = {
            "kind": ask.get("scopeKind"),
            "projectId": ask.get("projectId"),
            "agentId": ask.get("agentId"),
        }
        if asked["kind"] == "workspace":
            asked["kind"] = "tenant"
        wanted = _scope(asked)
        rows = [group for group in rows if (group.project_id, group.agent_id) == wanted]
    return Answer(after_key(rows, lambda one: one.id, lambda one: _shape(ask, one), ask.limit, ask.cursor))


async def _every(ask: Ask) -> list[Group]:
    """The classes of the workspace and of every project, newest first."""
    found: dict[str, Group] = {}
    for group in await ask.bench.groups.list():
        found[group.id] = group
    for project in await ask.bench.projects.list():
        for group in await ask.bench.groups.list(project.id):
            found[group.id] = group
    return sorted(found.values(), key=lambda group: (group.created_at, group.id), reverse=True)


async def _found(ask: Ask, live: bool = False) -> Group:
    identity = ask.params["judgeClassId"]
    try:
        found = await ask.bench.groups.get(identity)
    except (NotFound, Invalid):
        found = None
    if found is None or found.id != identity or (live and found.retired_at is not None):
        raise missing("judge-class-not-found", f'No judge class "{identity}".')
    return found


async def get_group(ask: Ask) -> Answer:
    """One class, retired or not."""
    return Answer(_shape(ask, await _found(ask)))


async def change(ask: Ask) -> Answer:
    """Changes a class's weight, description, or who may assert it."""
    body = fields_or_none(ask.body())
    weight: int | float | None = None
    if "weight" in body:
        try:
            weight = check_weight(body["weight"])
        except LimitError:
            raise bad(_PATCH) from None
    description = body.get("description")
    if "description" in body and not isinstance(description, str):
        raise bad(_PATCH)
    unrestricted = "assertableBy" in body and body["assertableBy"] is None
    restriction = None if body.get("assertableBy") is None else _restriction(body["assertableBy"])
    if weight is None and description is None and restriction is None and not unrestricted:
        raise bad(_PATCH)
    found = await _found(ask, live=True)
    ask.may("admin", _DENIED)
    changed = await ask.bench.groups.change(
        found.id,
        weight=weight,
        description=description,
        restriction=restriction,
        unrestricted=unrestricted,
    )
    return Answer(_shape(ask, changed))


async def unregister(ask: Ask) -> Answer:
    """Retires a class."""
    found = await _found(ask, live=True)
    ask.may("admin", _DENIED)
    await ask.bench.groups.retire(found.id)
    gone: Literal[True] = True
    return Answer({"judgeClassId": found.id, "unregistered": gone})


async def created(ask: Ask, identity: str) -> Answer:
    """The answer of a class that was made already."""
    return Answer(_shape(ask, await ask.bench.groups.get(identity)), 201)


async def unregistered(ask: Ask, identity: str) -> Answer:
    """The answer of a retirement that was done already."""
    gone: Literal[True] = True
    return Answer({"judgeClassId": identity, "unregistered": gone})


_BASE, _ONE = "/v1/judge-classes", "/v1/judge-classes/{judgeClassId}"
OPERATIONS = (
    Operation(
        "POST",
        _BASE,
        create,
        "Makes a judge class.",
        "group",
        201,
        body="createGroup",
        keyed=True,
        again=created,
    ),
    Operation(
        "GET",
        _BASE,
        list_groups,
        "Live judge classes, newest first.",
        "page:group",
        query=(*PAGED, "scopeKind", "projectId", "agentId"),
    ),
    Operation("GET", _ONE, get_group, "One judge class.", "group"),
    Operation("PATCH", _ONE, change, "Changes a judge class.", "group", body="changeGroup", keyed=True),
    Operation(
        "POST",
        f"{_ONE}/unregister",
        unregister,
        "Retires a judge class.",
        "groupRetired",
        keyed=True,
        again=unregistered,
    ),
)
"""Judge classes."""
