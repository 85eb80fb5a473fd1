"""The 0.4 dialect: what its documents state, field by field and code by code; the rest by the same renaming."""

import uuid
from typing import Any

import pytest

from kindgi_tui.server.offered import offered
from kindgi_tui.wire.dialects import (
    OUR_PATHS,
    STATED_PATHS,
    answer_04,
    body_01,
    error_04,
    path_04,
    query_01,
    source_of,
)
from tests.server.running import AGENT, PASSWORD, Served

START = "/v1/test-sets/acme.picks/runs"


def start(served: Served, **more: Any) -> dict[str, Any]:
    ref = {"agentId": AGENT, "version": "0.2.0"}
    return {"projectId": served.project(), "agentRef": ref, **more}


def test_the_documents_run(served: Served) -> None:
    sample = {"part": "search", "seed": "s", "holdOutShare": 0.4}
    body = start(
        served,
        correlationId="mine",
        baseline="recorded",
        reads="recorded",
        repetitions=2,
        k=3,
        groupWeights="as-recorded",
    )
    answer = served.good("POST", START, body, 201)
    assert list(answer) == ["testRunId"]
    uuid.UUID(answer["testRunId"])
    served.send("GET", f"/v1/test-runs/{answer['testRunId']}/events")
    run = served.good("GET", f"/v1/test-runs/{answer['testRunId']}")
    assert (run["testRunId"], run["testSetId"], run["testSetVersion"], run["status"]) == (
        *(answer["testRunId"], "acme.picks", "1.0.0"),
        "completed",
    )
    assert (run["kind"], run["dryRun"], run["correlationId"]) == ("corrections", False, "mine")
    assert run["comparison"] == {"baseline": "recorded", "reads": "recorded", "repetitions": 2, "k": 3}
    summary = run["result"]["summary"]
    assert summary["candidate"] == {"kind": "agent", "agentId": AGENT, "version": "0.2.0"}
    assert summary["baseline"]["versions"] == [{"agentId": AGENT, "version": "0.1.0", "cases": 3}]
    assert summary["groupWeights"] == "as-recorded"
    assert (summary["cases"], summary["diverged"], summary["refusedWrites"], summary["errors"]) == (
        3,
        1,
        0,
        0,
    )
    metrics = {name: (one["baseline"], one["candidate"]) for name, one in summary["metrics"].items()}
    assert metrics == {
        "passRate": (1 / 3, 1),
        "caseCoverage": (0.75, 0.5),
        "weightedPrecisionAtK": (1 / 3, 1),
    }
    assert {"spread", "n", "delta"} <= set(summary["metrics"]["passRate"])
    case = next(one for one in run["result"]["perCase"] if one["caseId"] == PASSWORD)
    assert case["changes"]["kept"] == [{"key": "kb-101", "rankBefore": 0, "rank": 0}]
    assert case["changes"]["dropped"] == [
        {"key": "kb-102", "rankBefore": 1},
        {"key": "kb-103", "rankBefore": 2},
    ]
    assert case["changes"]["new"] == [{"key": "answer", "pointer": "/appended/3/content"}]
    assert (case["tools"][0]["toolId"], case["tools"][0]["source"]) == ("acme-ops.search-articles", "live")
    # The same record on the other dialect's path.
    older = served.good("GET", f"/v1/eval-runs/{answer['testRunId']}")
    assert (older["runId"], older["suiteId"], older["kind"]) == (answer["testRunId"], "acme.picks", "judged")
    assert set(older["result"]["summary"]["metrics"]) == {
        "weightedYesShare",
        "judgedCoverage",
        "weightedPrecisionAtK",
    }
    replays = served.good("GET", f"/v1/runs?testRunId={answer['testRunId']}")["data"]
    assert [one["testRunId"] for one in replays] == [answer["testRunId"]] * 6
    dry = served.good(
        "POST", START, start(served, dryRun=True, sample=sample, groupWeights="experts-only"), 201
    )
    assert dry["dryRunPreview"]["testSetVersion"] == "1.0.0"
    record = served.good("GET", f"/v1/test-runs/{dry['testRunId']}")
    assert (record["dryRun"], record["comparison"]["groupWeights"]) == (True, "experts-only")
    assert record["comparison"]["sample"] == sample


def test_each_status_and_code_the_documents_state(served: Served) -> None:
    project, other = served.project(), served.project("default")
    unknown = "00000000-0000-4000-8000-000000000009"
    served.refused(400, "bad-input", "POST", START, start(served, projectId="x"))
    served.refused(400, "bad-input", "POST", START, {"projectId": project})
    no_version = start(served, agentRef={"agentId": AGENT})
    served.refused(400, "dispatcher-input-invalid", "POST", START, no_version)
    missing = start(served, agentRef={"agentId": AGENT, "version": "9.9.9"})
    issues = served.send("POST", START, missing).json()["error"]
    assert (issues["code"], issues["details"]["issues"][0]["path"]) == (
        "reference-out-of-scope",
        "/agentRef/agentId",
    )
    assert "9.9.9" in issues["details"]["issues"][0]["message"]
    elsewhere = served.send("POST", START, start(served, projectId=other)).json()["error"]
    assert (elsewhere["code"], elsewhere["details"]["issues"][0]["path"]) == (
        "reference-out-of-scope",
        "/testSetId",
    )
    versions = start(served, versions={"tools": {"a": "1.0.0"}})
    served.refused(400, "bad-input", "POST", START, versions)
    overrides = start(served, overrides={"settings": {"a": {}}})
    told = served.refused(400, "validation-failed", "POST", START, overrides)
    assert told == "No settings block and no prompt block is published here, so there is none to override."
    for name in ("pin:x", "latest:x"):
        served.refused(400, "bad-input", "POST", START, start(served, correlationId=name))
    served.refused(401, "auth-missing", "POST", START, {}, headers={"Authorization": "Bearer x"})
    served.refused(404, "project-not-found", "POST", START, start(served, projectId=unknown))
    sentence = served.refused(404, "test-set-not-found", "POST", "/v1/test-sets/nope/runs", start(served))
    assert sentence == 'No test set registered with id "nope"'
    key = {"headers": {"Idempotency-Key": str(uuid.uuid4())}}
    served.good("POST", START, start(served, dryRun=True), 201, **key)
    served.refused(
        409, "idempotency-key-body-mismatch", "POST", START, start(served, dryRun=True, k=2), **key
    )


def test_the_rest_by_renaming(served: Served) -> None:
    sets = served.good("GET", "/v1/test-sets?kind=corrections")["data"]
    assert {one["kind"] for one in sets} == {"corrections"}
    cases = served.good("GET", "/v1/test-sets/acme.picks/versions/1.0.0/cases")["data"]
    assert all("expert" in item and "restricted" not in item for case in cases for item in case["items"])
    groups = served.good("GET", "/v1/corrector-groups")["data"]
    experts = next(one for one in groups if one["weight"] == 3)
    assert experts["scope"] == {"kind": "workspace"}
    served.refused(404, "corrector-group-not-found", "GET", "/v1/corrector-groups/nope")
    body = {
        "runId": PASSWORD,
        "item": {"key": "kb-101", "pointer": "/output/articles/0", "rank": 0},
        "verdict": "yes",
        "groupId": experts["id"],
        "participantId": "dialects",
    }
    mira = served.as_somebody("dialects-mira", "mira", "judge")
    made = mira.good("POST", "/v1/corrections", body, 201)
    assert (made["groupId"], made["expert"]) == (experts["id"], True)
    listed = served.good("GET", f"/v1/corrections?groupId={experts['id']}&participantId=dialects")["data"]
    assert [one["id"] for one in listed] == [made["id"]]
    older = served.good("GET", f"/v1/judgments/{made['id']}")
    assert (older["judgeClassId"], older["restricted"]) == (experts["id"], True)
    removed = mira.good("POST", f"/v1/corrections/{made['id']}/unregister", {})
    assert removed == {"correctionId": made["id"], "unregistered": True}
    sentence = served.refused(400, "bad-input", "POST", START, start(served, groupWeights="restricted-only"))
    assert sentence == (
        "`groupWeights` must be 'as-recorded' (every correction at its group's weight) or "
        "'experts-only' (only corrections made under an expert group)"
    )


def test_which_paths_are_stated_and_which_inferred() -> None:
    newer = [
        place
        for place in offered(("0.4",))
        if place.operation.only == "0.4" or path_04(place.operation.path) != place.operation.path
    ]
    by_source: dict[str, set[tuple[str, str]]] = {}
    for one in newer:
        place = (one.operation.method, one.path)
        by_source.setdefault(source_of(*place), set()).add(place)
    assert by_source["stated"] == STATED_PATHS
    assert by_source["ours"] == OUR_PATHS
    assert ("GET", "/v1/test-runs/{testRunId}") in {(one.operation.method, one.path) for one in newer}
    assert not [one.path for one in offered(("0.4",)) if "eval" in one.path or "judgment" in one.path]


def test_data_is_never_renamed() -> None:
    theirs: Any = {"judgeClassId": "x", "restricted": True, "runId": "r", "evalRunId": "e"}
    run = answer_04("run", {"id": "r", "evalRunId": "e", "output": theirs})
    assert run == {"id": "r", "testRunId": "e", "output": theirs}
    case = answer_04("case", {"caseId": "c", "input": theirs, "output": theirs, "items": []})
    assert case == {"caseId": "c", "input": theirs, "output": theirs, "items": []}
    code, sentence, details = error_04(
        "eval-suite-not-found", 'No eval suite registered with id "my eval suite"', {"suiteId": "x"}
    )
    assert (code, details) == ("test-set-not-found", {"testSetId": "x"})
    assert sentence == 'No test set registered with id "my eval suite"'


@pytest.mark.parametrize("value", [None, 3, "x", [], [1]])
def test_bodies_that_are_no_objects_stay(value: Any) -> None:
    assert body_01(value) == value
    assert answer_04("run", value) == value


def test_what_only_the_older_dialect_knows_is_unknown_to_the_newer() -> None:
    assert body_01({"classWeights": "restricted-only", "k": 3}) == {"k": 3}
    assert query_01([("evalRunId", "x"), ("testRunId", "y"), ("limit", "1")]) == [
        ("evalRunId", "y"),
        ("limit", "1"),
    ]


def test_sentences_are_in_the_newer_words(served: Served) -> None:
    unknown = "00000000-0000-4000-8000-000000000009"
    said = [
        served.refused(404, "project-not-found", "POST", START, start(served, projectId=unknown)),
        served.refused(400, "bad-input", "GET", "/v1/test-sets?kind=x"),
        served.refused(400, "bad-input", "POST", "/v1/corrector-groups", {"name": "a", "weight": 1}),
        served.refused(400, "scope-invalid", "GET", "/v1/test-sets?scopeKind=x"),
        served.refused(409, "test-run-not-rescorable", "POST", *_failed_rescore(served)),
    ]
    assert said == [
        f'No project with id "{unknown}" in this workspace',
        'Unknown test set kind "x". Expected one of: accuracy, pairwise, regression, human-review, benchmark, custom, '
        "corrections.",
        'scope is required: { kind: "workspace" }, { kind: "project", projectId }, or '
        '{ kind: "agent", projectId, agentId }.',
        "scope query parameters malformed: scopeKind must be one of 'workspace' | 'org' | 'project', got \"x\"",
        said[-1],
    ]
    assert said[-1].endswith("(this one is a corrections run, failed).")
    everywhere = {"name": "a", "weight": 1, "scope": {"kind": "workspace"}}
    said += [
        served.refused(400, "bad-input", "POST", "/v1/corrector-groups", {**everywhere, "assertableBy": {}}),
        served.refused(400, "bad-input", "PATCH", f"/v1/corrector-groups/{unknown}", {}),
    ]
    for word in ("tenant", "judg", "eval", "suite", "class"):
        assert not [one for one in said if word in one.replace('"judged"', "")], word
    elsewhere = served.send("POST", START, start(served, projectId=served.project("default"))).json()["error"]
    issue = elsewhere["details"]["issues"][0]
    assert (issue["kind"], issue["message"]) == ("test-set", elsewhere["message"])
    assert elsewhere["message"].endswith("its org or the workspace")
    assert "tenant" in served.refused(400, "scope-invalid", "GET", "/v1/eval-suites?scopeKind=x")


def _failed_rescore(served: Served) -> tuple[str, dict[str, Any]]:
    dry = served.good("POST", START, start(served, dryRun=True), 201)["testRunId"]
    failed = served.good("POST", f"/v1/test-runs/{dry}/rescore", {}, 201)["testRunId"]
    record = served.good("GET", f"/v1/test-runs/{failed}")
    assert (record["status"], record["comparison"]["rescoreOf"]) == ("failed", dry)
    return f"/v1/test-runs/{failed}/rescore", {}
