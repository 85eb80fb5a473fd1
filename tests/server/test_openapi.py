"""The server's own document: what it offers and nothing else, and answers that fit its schemas."""

import re
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from kindgi_tui.server.offered import offered
from kindgi_tui.server.openapi import document
from kindgi_tui.wire.dialects import DIALECTS, OUR_PATHS, STATED_PATHS, Dialect
from tests.server.running import AGENT, PASSWORD, Served


def told(*dialects: Dialect) -> dict[str, Any]:
    made: dict[str, Any] = document(list(offered(dialects)), dialects)
    return made


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if "$ref" in value else set()
        return own.union(*(references(one) for one in value.values()))
    return set().union(*(references(one) for one in value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("dialects", [DIALECTS, ("0.1",), ("0.4",)])
def test_it_names_what_it_offers(dialects: tuple[Dialect, ...]) -> None:
    made = told(*dialects)
    schemas = made["components"]["schemas"]
    assert {name.rpartition("/")[2] for name in references(made)} <= set(schemas)
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    identities = [one["operationId"] for path in made["paths"].values() for one in path.values()]
    assert len(identities) == len(set(identities))
    for path, methods in made["paths"].items():
        for one in methods.values():
            named = {each["name"] for each in one.get("parameters", []) if each["in"] == "path"}
            assert named == set(re.findall(r"\{(\w+)\}", path))


def test_a_pinned_dialect_has_the_other_ones_paths_not() -> None:
    both, older, newer = (set(told(*one)["paths"]) for one in (DIALECTS, ("0.1",), ("0.4",)))
    assert "/v1/eval-suites/{suiteId}/runs" in older - newer
    assert "/v1/test-sets/{testSetId}/runs" in newer - older
    assert both == older | newer
    assert not [path for path in older if "correction" in path or "/test-" in path]


def test_what_is_stated_and_what_is_ours_is_marked() -> None:
    marks: dict[str, set[tuple[str, str]]] = {"stated": set(), "ours": set()}
    for path, methods in told("0.4")["paths"].items():
        for method, one in methods.items():
            if one.get("x-kindgi-stated"):
                marks["stated"].add((method.upper(), path))
            if one.get("x-kindgi-ours"):
                marks["ours"].add((method.upper(), path))
    assert marks == {"stated": STATED_PATHS, "ours": OUR_PATHS}
    older = told("0.1")
    assert not [name for name in older["components"]["schemas"] if "orrection" in name or "own" in name]


def test_each_is_offered_and_nothing_else_is(served: Served) -> None:
    made = served.good("GET", "/v1/openapi.json")
    filled = re.compile(r"\{\w+\}")
    for path, methods in made["paths"].items():
        for method in methods:
            response = served.send(method.upper(), filled.sub("00000000-0000-4000-8000-000000000009", path))
            told_code = "" if response.status_code < 400 else response.json()["error"]["code"]
            assert told_code != "route-not-found", (method, path)
            assert response.status_code < 500, (method, path, response.text)
    for path in ("/v1/judging-rules", f"/v1/agents/{AGENT}/live", "/v1/eval-suites/acme.picks/nope", "/v1"):
        assert path not in made["paths"]
        served.refused(404, "route-not-found", "GET", path)


def test_answers_fit_their_schemas(served: Served) -> None:
    made = served.good("GET", "/v1/openapi.json")
    said = {"runId": PASSWORD, "expect": {"decisions": "right"}, "participantId": "openapi"}
    correction = served.good("POST", "/v1/run-corrections", said, 201)["id"]
    talk = served.good("GET", f"/v1/runs/{PASSWORD}")["agent"]["conversationId"]
    judgment = served.good("GET", "/v1/judgments?limit=1")["data"][0]["id"]
    group = served.good("GET", "/v1/judge-classes")["data"][0]["id"]
    values = {
        "projectId": served.project("default"),
        "runId": PASSWORD,
        "conversationId": talk,
        "agentId": AGENT,
        "toolId": "acme-ops.search-articles",
        "judgmentId": judgment,
        "correctionId": judgment,
        "runCorrectionId": correction,
        "caseId": PASSWORD,
        "judgeClassId": group,
        "groupId": group,
        "suiteId": "acme.picks",
        "testSetId": "acme.picks",
    }
    checked = 0
    for path, methods in made["paths"].items():
        version = "0.1.0" if "/agents" in path or "/tools" in path else "1.0.0"
        names = re.findall(r"\{(\w+)\}", path)
        if "get" not in methods or not set(names) <= {*values, "version"} or "events" in path:
            continue
        more = "/test-set" in path
        for name in names:
            path = path.replace(f"{{{name}}}", version if name == "version" else values[name])
        schema = methods["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        whole = {**schema, "components": made["components"]}
        asked = f"{path}?projectId={served.project()}" if more else path
        jsonschema.validate(served.good("GET", asked), whole, jsonschema.Draft202012Validator)
        checked += 1
    assert checked >= 36
    served.good("POST", f"/v1/run-corrections/{correction}/unregister", {})
