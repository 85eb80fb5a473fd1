"""Agents, flows and tools: the same operations on each."""

from kindgi_tui.server.asking import Answer, Ask
from kindgi_tui.server.errors import bad, missing
from kindgi_tui.server.operations import PAGED, SCOPED, Handler, Operation
from kindgi_tui.server.pages import after_key
from kindgi_tui.server.queries import NO_PROJECT, check_inherit, is_uuid, scope
from kindgi_tui.wire import v01_records as records
from kindgi_tui.workbench import Catalog, NotFound


def _catalog(ask: Ask, kind: str) -> Catalog:
    return {"agent": ask.bench.agents, "flow": ask.bench.flows, "tool": ask.bench.tools}[kind]


def _check_project(ask: Ask) -> None:
    project = ask.get("projectId")
    if project is not None and not is_uuid(project):
        raise bad("`projectId` must be a project id (a UUID)")


def _lister(kind: str) -> Handler:
    async def list_entries(ask: Ask) -> Answer:
        """The newest version of each; the workspace's packs serve every project."""
        project = scope(ask)
        check_inherit(ask)
        prefix = ask.get("name") or ""
        rows = () if project == NO_PROJECT else await _catalog(ask, kind).list()
        fitting = [one for one in rows if one.id.startswith(prefix)]
        return Answer(after_key(fitting, lambda one: one.id, records.catalog_entry, ask.limit, ask.cursor))

    return list_entries


def _getter(kind: str) -> Handler:
    async def get_entry(ask: Ask) -> Answer:
        """The newest version of one."""
        _check_project(ask)
        identity = ask.params[f"{kind}Id"]
        try:
            found = await _catalog(ask, kind).get(identity)
        except NotFound:
            raise _unknown(kind, identity) from None
        return Answer(records.catalog_entry(found))

    return get_entry


def _unknown(kind: str, identity: str) -> Exception:
    return missing(f"{kind}-not-found", f'No {kind} registered with id "{identity}"', {f"{kind}Id": identity})


def _versions(kind: str) -> Handler:
    async def list_versions(ask: Ask) -> Answer:
        """The versions of one, oldest first."""
        _check_project(ask)
        identity = ask.params[f"{kind}Id"]
        try:
            found = await _catalog(ask, kind).versions(identity)
        except NotFound:
            raise _unknown(kind, identity) from None
        rows = found[::-1]
        return Answer(after_key(rows, lambda one: one.version, records.catalog_entry, ask.limit, ask.cursor))

    return list_versions


def _version(kind: str) -> Handler:
    async def get_version(ask: Ask) -> Answer:
        """One version of one."""
        _check_project(ask)
        identity, version = ask.params[f"{kind}Id"], ask.params["version"]
        try:
            found = await _catalog(ask, kind).get(identity, version)
        except NotFound:
            sentence = f'No {kind} "{identity}" at version "{version}"'
            details = {f"{kind}Id": identity, "version": version}
            raise missing(f"{kind}-not-found", sentence, {**details}) from None
        return Answer(records.catalog_entry(found))

    return get_version


def _operations(kind: str) -> tuple[Operation, ...]:
    base, one = f"/v1/{kind}s", f"/v1/{kind}s/{{{kind}Id}}"
    listed = (*PAGED, *SCOPED, "name", "inherit", "includeRetired")
    return (
        Operation(
            "GET", base, _lister(kind), f"The newest version of each {kind}.", f"page:{kind}", query=listed
        ),
        Operation(
            "GET", one, _getter(kind), f"The newest version of one {kind}.", kind, query=("projectId",)
        ),
        Operation(
            "GET",
            f"{one}/versions",
            _versions(kind),
            f"The versions of one {kind}.",
            f"page:{kind}",
            query=(*PAGED, "projectId", "includeTombstoned"),
        ),
        Operation(
            "GET",
            f"{one}/versions/{{version}}",
            _version(kind),
            f"One version of one {kind}.",
            kind,
            query=("projectId",),
        ),
    )


OPERATIONS = (*_operations("agent"), *_operations("flow"), *_operations("tool"))
"""Agents, flows and tools."""
