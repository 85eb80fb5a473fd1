"""Who the caller is, and the projects."""

from kindgi_tui.domain.base import Json
from kindgi_tui.server.asking import Answer, Ask
from kindgi_tui.server.errors import missing
from kindgi_tui.server.fields import find_project
from kindgi_tui.server.operations import PAGED, Operation
from kindgi_tui.server.pages import after_key
from kindgi_tui.wire import v01_records as records
from kindgi_tui.wire.v01 import time_text
from kindgi_tui.workbench import NotFound


async def whoami(ask: Ask) -> Answer:
    """Whose token it is."""
    person = ask.bearer.person
    admin = person.right == "admin"
    scopes: list[Json] = ["tenant-admin"] if admin else []
    principal: dict[str, Json] = {
        "kind": "user" if person.kind == "user" else "service-account",
        "id": person.id,
    }
    body: dict[str, Json] = {"tenantId": ask.tenant, "scopes": scopes, "tenantAdmin": admin}
    body |= {"role": "admin" if admin else "member", "right": person.right}
    body |= {"actor": records.actor(person), "principal": principal, "tokenId": ask.bearer.token.id}
    if person.kind == "user":
        made = time_text(person.created_at)
        shown: dict[str, Json] = {"userId": person.id, "tenantId": ask.tenant, "createdAt": made}
        if person.name:
            shown["displayName"] = person.name
        body |= {"userId": person.id, "user": shown}
    if person.reviewer_role is not None:
        body["reviewerRole"] = person.reviewer_role
    return Answer(body)


async def list_projects(ask: Ask) -> Answer:
    """The projects, the default one first."""
    named = (ask.given("nameContains") or "").lower()
    rows = () if ask.given("orgId") else await ask.bench.projects.list()
    fitting = [one for one in rows if named in one.name.lower()]
    return Answer(
        after_key(
            fitting,
            lambda one: one.id,
            lambda one: records.project(one, ask.tenant),
            ask.limit,
            ask.cursor,
        )
    )


async def default_project(ask: Ask) -> Answer:
    """The default project."""
    try:
        found = await ask.bench.projects.get()
    except NotFound:
        raise missing("project-not-found", "Tenant has no Default project") from None
    return Answer(records.project(found, ask.tenant))


async def get_project(ask: Ask) -> Answer:
    """One project."""
    identity = ask.params["projectId"]
    found = await find_project(ask, identity)
    if found is None:
        raise missing("project-not-found", f'No project with id "{identity}"', {"projectId": identity})
    return Answer(records.project(found, ask.tenant))


OPERATIONS = (
    Operation("GET", "/v1/identity/whoami", whoami, "Who the token acts as.", "whoami"),
    Operation(
        "GET",
        "/v1/projects",
        list_projects,
        "The projects.",
        "page:project",
        query=(*PAGED, "orgId", "nameContains"),
    ),
    Operation("GET", "/v1/projects/default", default_project, "The default project.", "project"),
    Operation("GET", "/v1/projects/{projectId}", get_project, "One project.", "project"),
)
"""Whoami and the projects."""
