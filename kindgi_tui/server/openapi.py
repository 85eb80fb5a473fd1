"""The server's own OpenAPI document: only what it offers, in the dialects it speaks."""

import re
from collections.abc import Iterable, Mapping, Sequence

from kindgi_tui import __version__
from kindgi_tui.domain.base import Json
from kindgi_tui.server.offered import Offered
from kindgi_tui.server.schemas import ANSWERS, BODIES, PARAMETERS, TEXT, UUID, record
from kindgi_tui.server.schemas_own import OWN_ANSWERS, OWN_BODIES
from kindgi_tui.wire.dialects import Dialect, path_04, source_of

_NAMES_04 = {
    "suiteId": "testSetId",
    "suiteVersion": "testSetVersion",
    "evalRunId": "testRunId",
    "judgeClassId": "groupId",
    "judgeClassIds": "groupIds",
    "classWeights": "groupWeights",
    "judgmentId": "correctionId",
    "restricted": "expert",
}
_VALUES_04 = {"restricted-only": "experts-only", "tenant": "workspace"}
_TEST_RUNS = ("comparison", "started")
_UUIDS = frozenset({"runId", "conversationId"})


def document(places: Iterable[Offered], dialects: Sequence[Dialect]) -> dict[str, Json]:
    """The OpenAPI 3.1 document."""
    paths: dict[str, dict[str, Json]] = {
        "/health": {"get": _plain("health", "Whether the server answers.", record({"ok": {"const": True}}))},
        "/v1/openapi.json": {"get": _plain("openapi", "This document.", {"type": "object"})},
    }
    for place in places:
        paths.setdefault(place.path, {})[place.operation.method.lower()] = _operation(place)
    spoken: list[Json] = list(dialects)
    schemas: dict[str, Json] = {}
    for dialect in dialects:
        suffix = _suffix(dialect)
        schemas |= {f"{name}{suffix}": _renamed(schema, dialect, name) for name, schema in ANSWERS.items()}
        schemas |= {f"{name}Body{suffix}": _renamed(schema, dialect, name) for name, schema in BODIES.items()}
        if dialect == "0.4":
            schemas |= {f"{name}{suffix}": schema for name, schema in OWN_ANSWERS.items()}
            schemas |= {f"{name}Body{suffix}": schema for name, schema in OWN_BODIES.items()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kindgi Platform API, served by kindgi-tui",
            "version": __version__,
            "x-kindgi-dialects": spoken,
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "paths": {**paths},
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": schemas,
        },
    }


def _suffix(dialect: Dialect) -> str:
    return "04" if dialect == "0.4" else ""


def _renamed(schema: Mapping[str, Json], dialect: Dialect, name: str) -> dict[str, Json]:
    return _names(schema, name) if dialect == "0.4" else dict(schema)


def _names(schema: Mapping[str, Json], name: str) -> dict[str, Json]:
    shaped = dict(schema)
    properties = shaped.get("properties")
    if isinstance(properties, dict):
        shaped["properties"] = {
            _name(key, name): _names(value, "") if isinstance(value, dict) else value
            for key, value in properties.items()
        }
    required = shaped.get("required")
    if isinstance(required, list):
        shaped["required"] = [_name(str(key), name) for key in required]
    values = shaped.get("enum")
    if isinstance(values, list):
        shaped["enum"] = [_VALUES_04.get(str(value), value) for value in values]
    return shaped


def _name(key: str, schema: str) -> str:
    if key == "runId" and schema in _TEST_RUNS:
        return "testRunId"
    if schema == "groupRetired":
        return _NAMES_04.get(key, key)
    return _NAMES_04.get(key, key)


def _plain(identity: str, summary: str, schema: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "operationId": identity,
        "summary": summary,
        "security": [],
        "responses": {
            "200": {"description": "So it is.", "content": {"application/json": {"schema": dict(schema)}}}
        },
    }


def _operation(place: Offered) -> dict[str, Json]:
    operation = place.operation
    suffix = _suffix(place.dialect)
    parameters: list[Json] = [
        {"name": name, "in": "path", "required": True, "schema": _path_schema(name, operation.path)}
        for name in re.findall(r"\{(\w+)\}", place.path)
    ]
    for name in operation.query:
        shown = _NAMES_04.get(name, name) if place.dialect == "0.4" else name
        parameters.append({"name": shown, "in": "query", "schema": PARAMETERS.get(name, TEXT)})
    if operation.keyed:
        parameters.append(
            {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "minLength": 1}}
        )
    shaped: dict[str, Json] = {
        "operationId": _identity(place),
        "summary": operation.summary,
        "parameters": parameters,
        "responses": {
            **{
                str(status): _answer(operation.answers, suffix)
                for status in (operation.status, *operation.also)
            },
            "default": {
                "description": "Refused.",
                "content": {"application/json": {"schema": _reference(f"error{suffix}")}},
            },
        },
    }
    if operation.body is not None:
        shaped["requestBody"] = {
            "required": operation.body_required,
            "content": {"application/json": {"schema": _reference(f"{operation.body}Body{suffix}")}},
        }
    if place.dialect == "0.4" and (operation.only == "0.4" or path_04(operation.path) != operation.path):
        source = source_of(operation.method, place.path)
        shaped["x-kindgi-stated"] = source == "stated"
        if source == "ours":
            shaped["x-kindgi-ours"] = True
    return shaped


def _path_schema(name: str, path: str) -> Json:
    strict = name in _UUIDS and "judging-queue" not in path
    return UUID if strict else {"type": "string", "minLength": 1}


def _identity(place: Offered) -> str:
    parts = [part.strip("{}") for part in place.path.split("/")[2:]]
    return "-".join([place.operation.method.lower(), *parts])


def _reference(name: str) -> dict[str, Json]:
    return {"$ref": f"#/components/schemas/{name}"}


def _answer(kind: str, suffix: str) -> dict[str, Json]:
    if kind == "events":
        # Each event of the stream is such an object.
        event = record({"event": TEXT, "data": TEXT}, {"id": TEXT})
        return {"description": "The events.", "content": {"text/event-stream": {"schema": event}}}
    schema: dict[str, Json] = _reference(f"{kind.removeprefix('page:')}{suffix}")
    if kind.startswith("page:"):
        rows: dict[str, Json] = {"type": "array", "items": schema}
        more: dict[str, Json] = {"nextCursor": TEXT, "total": {"type": "integer"}}
        schema = record({"data": rows, "hasMore": {"type": "boolean"}}, more)
    return {"description": "Done.", "content": {"application/json": {"schema": schema}}}
