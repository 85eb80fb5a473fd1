"""The two dialects: which one a runtime speaks, what is asked where, and 0.4's documents as they stand."""

import json
import re
from typing import Any

import pytest

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.overrides import overrides_of
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.remote import v04
from kindgi_tui.remote.comparing import comparison, request_of, start_body
from kindgi_tui.remote.dialect import read_dialect
from kindgi_tui.remote.ours import with_ours
from kindgi_tui.remote.paths import ONLY_NEW, OPERATIONS, OURS, STATED, candidates
from kindgi_tui.wire import v01_test_sets
from kindgi_tui.wire.dialects import answer_04
from kindgi_tui.workbench import Conflict, Invalid, NotFound, Unavailable, Unsupported, WorkbenchError
from tests.remote.conftest import Opener
from tests.remote.fake_runtime import PROJECT, FakeRuntime, Reply, Seen, document, error, page

OLD = (
    "post /v1/eval-suites/{suiteId}/runs",
    "get /v1/eval-runs/{runId}",
    "get /v1/judgments",
    "get /v1/runs",
)
NEW = (
    "post /v1/test-sets/{testSetId}/runs",
    "get /v1/test-runs/{testRunId}",
    "get /v1/corrections",
    "get /v1/runs",
    "get /v1/test-sets/{testSetId}",
)
SET = f"agent.acme-ops.article-picker.{PROJECT}"
TEST_RUN = "b0b9f27a-14d9-4a4d-bc46-31aea6948d5f"


@pytest.mark.parametrize(
    ("paths", "version"), [(OLD, "0.1"), (NEW, "0.4"), ((*OLD, *NEW), "0.4"), ((*NEW, *OLD), "0.4")]
)
def test_the_dialect_is_read_off_the_document(paths: tuple[str, ...], version: str) -> None:
    assert read_dialect(document(paths), "http://x").version == version


@pytest.mark.parametrize(
    "told", [None, [], {}, {"paths": None}, {"paths": {"/v1/test-sets": []}}, {"info": {"version": "0.4"}}]
)
def test_a_version_string_says_nothing(told: Any) -> None:
    with pytest.raises(Unsupported, match="no Kindgi runtime"):
        read_dialect(told, "http://x")


def test_a_runtime_that_kept_an_old_path_is_asked_there_in_the_old_names() -> None:
    mixed = ("post /v1/test-sets/{id}/runs", "get /v1/judgments", "get /v1/runs")
    dialect = read_dialect(document(mixed), "http://x")
    assert dialect.route("judgments.list")[1:3] == ("/v1/judgments", "0.1")
    assert dialect.route("runs.list").names == "0.4"
    with pytest.raises(Unsupported):
        dialect.route("suites.list")


def test_each_operation_has_its_ways_and_two_are_stated() -> None:
    stated = {name for name in (*OPERATIONS, *ONLY_NEW) if candidates(name)[0].source == "stated"}
    assert stated == {"comparisons.start", "agents.test-set"}
    assert {("POST", "/v1/test-sets/{}/runs"), ("GET", "/v1/agents/{}/test-set")} == STATED
    for name, operation in OPERATIONS.items():
        ways = candidates(name)
        assert ways[-1].path == operation.path
        assert "eval" not in ways[0].path
        assert "judg" not in ways[0].path or "judging-queue" in ways[0].path


def test_overrides_are_sent_as_the_documents_write_them_and_read_again() -> None:
    written: Json = {
        "settings": {"acme.weights": {"recency": 0.5, "passRate": None}},
        "prompts": {"acme.prompt": {"template": "Hi"}},
    }
    request = ComparisonRequest(
        test_set_id="s",
        project_id="p",
        agent_id="example",
        subject_version="1.0.0",
        overrides=overrides_of(written),
    )
    newer: Any = v04.body_up(start_body(request))
    assert start_body(request)["overrides"] == newer["overrides"] == written
    shown = v01_test_sets.settings(request)
    assert shown["overrides"] == written
    record: dict[str, Any] = {
        "suiteId": "s",
        "projectId": "p",
        "agentRef": {"agentId": "example", "version": "1.0.0"},
    }
    assert request_of({**record, "comparison": shown}).overrides == request.overrides
    assert request_of(record).overrides is None


# Document 001's printed run, its ellipses filled in with what 0.1's reference has.
_METRIC = {"n": 3, "weight": 3, "baselineN": 3, "baselineWeight": 9, "direction": "higher"}
RUN_001: dict[str, Any] = {
    "testRunId": TEST_RUN,
    "testSetId": SET,
    "testSetVersion": "1.0.3",
    "kind": "corrections",
    "projectId": PROJECT,
    "status": "completed",
    "dryRun": False,
    "startedAt": "2026-05-04T11:59:00.000Z",
    "completedAt": "2026-05-04T12:00:00.000Z",
    "agentRef": {"agentId": "acme-ops.article-picker", "version": "0.2.0"},
    "comparison": {
        "groupWeights": "experts-only", "baseline": "recorded", "reads": "recorded", "repetitions": 1, "k": 10,
    },
    "result": {
        "summary": {
            "testRunId": TEST_RUN,
            "status": "completed",
            "completedAt": "2026-05-04T12:00:00.000Z",
            "testSet": {"id": SET, "version": "1.0.3"},
            "cases": 3,
            "candidate": {"kind": "agent", "agentId": "acme-ops.article-picker", "version": "0.2.0"},
            "baseline": {
                "kind": "recorded",
                "versions": [{"agentId": "acme-ops.article-picker", "version": "0.1.0", "cases": 3}],
            },
            "scope": {"projectId": PROJECT},
            "metrics": {
                "passRate": {"baseline": 0.3333333333333333, "candidate": 1, "delta": 0.6666666666666667, **_METRIC},
                "caseCoverage": {"baseline": 0.75, "candidate": 0.5, "delta": -0.25, **_METRIC},
                "weightedPrecisionAtK": {
                    "k": 10, "baseline": 0.3333333333333333, "candidate": 1, "delta": 0.6666666666666667, **_METRIC,
                },
            },
            "groupWeights": "experts-only",
            "reads": "recorded",
            "repetitions": 1,
            "diverged": 1,
            "refusedWrites": 0,
            "errors": 0,
            "stopped": 0,
            "sampling": {"models": [{"providerId": "anthropic", "model": "claude-sonnet-5-5", "runs": 3}]},
            "corrections": {"checked": 1, "passed": 0},
            "unchecked": {"count": 1, "reasons": ["no model"]},
        },
        "perCase": [
            {
                "caseId": "240c0a0b-542b-4cb1-9156-fe7153a4377a",
                "runIds": ["732235ae-2321-46fe-876e-9e9818671cbf"],
                "baseline": {
                    "yesWeight": 1, "totalWeight": 3, "items": 4, "judgedItems": 3,
                    "topK": {"yesWeight": 1, "totalWeight": 3},
                },
                "candidate": [
                    {
                        "yesWeight": 1, "totalWeight": 1, "items": 2, "judgedItems": 1,
                        "topK": {"yesWeight": 1, "totalWeight": 1},
                    }
                ],
                "changes": {
                    "kept": [{"key": "kb-101", "rankBefore": 0, "rank": 0}],
                    "dropped": [{"key": "kb-102", "rankBefore": 1}, {"key": "kb-103", "rankBefore": 2}],
                    "new": [{"key": "answer", "pointer": "/appended/3/content"}],
                },
                "tools": [
                    {
                        "step": 0,
                        "toolId": "acme-ops.search-articles",
                        "toolVersion": "0.1.0",
                        "arguments": {"query": "I forgot my password and can't sign in", "expert": "kept as it is"},
                        "source": "live",
                    }
                ],
                "diverged": True,
                "refusedWrites": 0,
                "noContext": False,
                "approvalSkipped": False,
                "corrections": [
                    {
                        "correctionId": "8f2c4e1a-6b0d-4c3e-9a57-2d1f0b7e4c93", "pass": False, "repetitionsPassed": 1,
                        "repetitions": 3, "why": "It never says how long the refund takes.",
                        "parts": {"decisions": True, "answer": False},
                    }
                ],
                "correctionDifferences": [
                    {"correctionId": "8f2c4e1a-6b0d-4c3e-9a57-2d1f0b7e4c93", "repetition": 1, "differences": []}
                ],
            }
        ],
    },
}  # fmt: skip


def test_a_test_run_of_the_documents_is_read() -> None:
    value = v04.down("comparison", RUN_001)
    assert isinstance(value, dict)
    read = comparison(value)
    assert (read.id, read.test_set_id, read.test_set_version, read.status) == (
        TEST_RUN,
        SET,
        "1.0.3",
        "completed",
    )
    assert read.request.weighing == "experts-only"
    assert read.request.subject_version == "0.2.0"
    result = value["result"]
    assert isinstance(result, dict)
    told: Any = with_ours(result, (), read.request, read.id, "1.0.3", 3, quick=False)
    summary, ours = told["summary"], told["ours"]
    assert summary["classWeights"] == "restricted-only"
    assert list(summary["metrics"]) == ["weightedYesShare", "judgedCoverage", "weightedPrecisionAtK"]
    # What 0.4 has beyond 0.1 stays, and data is never renamed.
    assert summary["corrections"] == {"checked": 1, "passed": 0}
    case = told["perCase"][0]
    assert case["corrections"][0]["why"] == "It never says how long the refund takes."
    assert case["tools"][0]["arguments"]["expert"] == "kept as it is"
    assert "33% " in ours["headline"]
    assert "100% now" in ours["headline"]
    assert "In 1 case it read something" in ours["headline"]


async def test_a_04_runtime_is_worked_at_in_its_own_words(runtime: FakeRuntime, opener: Opener) -> None:
    more = (
        "post /v1/test-sets/{id}/versions/from-corrections",
        "get /v1/test-sets/{id}/versions/{version}",
        "get /v1/corrector-groups",
        "get /v1/identity/whoami",
    )
    runtime.more["/v1/openapi.json"] = document((*NEW, *more))
    built = {"testSetId": "s", "version": "1.0.0", "kind": "corrections", "caseCount": 1, "truncated": False}
    spec = {
        "source": "corrections",
        "projectId": PROJECT,
        "caseCount": 1,
        "builtAt": "2026-01-01T00:00:00Z",
        "query": {"groupIds": ["g"]},
    }
    runtime.more |= {
        f"/v1/test-runs/{TEST_RUN}": {**RUN_001, "status": "running", "result": {"perCase": []}},
        "/v1/corrections": page([{"a": 1}]),
        "/v1/test-sets/s/versions/1.0.0": {"id": "s", "version": "1.0.0", "kind": "corrections", "spec": spec},
        "/v1/corrector-groups": page([{"id": "g", "name": "experts", "weight": 3, "scope": {"kind": "workspace"}}]),
        f"/v1/test-sets/{SET}/versions/1.0.3": {"id": SET, "version": "1.0.3", "kind": "corrections", "spec": spec},
    }  # fmt: skip

    def script(seen: Seen) -> Reply | None:
        if seen.path == f"/v1/test-sets/{SET}/runs":
            return Reply(201, {"testRunId": TEST_RUN})
        return Reply(201, built) if seen.path.endswith("from-corrections") else None

    runtime.script = script
    bench = await opener(runtime.address)
    assert await bench.dialect() == "0.4"
    made = await bench.test_sets.build(
        BuildRequest(test_set_id="s", version="1.0.0", project_id=PROJECT, agent_id="a", groups=("experts",))
    )
    assert made.request.groups == ("g",)
    sent = json.loads(next(one for one in runtime.seen if one.path.endswith("from-corrections")).body)
    assert sent["groupIds"] == ["g"]
    asked = next(one for one in runtime.seen if one.path == "/v1/corrections")
    assert asked.query["groupId"] == ["g"]
    started = await bench.comparisons.start(
        ComparisonRequest(
            test_set_id=SET,
            project_id=PROJECT,
            agent_id="a",
            subject_version="0.2.0",
            weighing="experts-only",
        )
    )
    assert (started.id, started.status) == (TEST_RUN, "running")
    assert started.progress.cases == 1
    start = next(one for one in runtime.seen if one.method == "POST" and one.path.endswith("/runs"))
    assert json.loads(start.body)["groupWeights"] == "experts-only"
    assert start.key is not None


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "dispatcher-input-invalid", Invalid),
        (400, "reference-out-of-scope", Invalid),
        (400, "bad-input", Invalid),
        (404, "project-not-found", NotFound),
        (404, "test-set-not-found", NotFound),
        (409, "project-suspended", Conflict),
        (409, "suggested-change-nothing-to-check", Conflict),
        (409, "idempotency-key-body-mismatch", Conflict),
        (413, "request-too-large", Invalid),
        (422, "dispatcher-not-registered", Unsupported),
        (500, "internal-server-error", Unavailable),
        (501, "suggested-change-check-unsupported", Unsupported),
        (503, "idempotency-store-unavailable", Unavailable),
    ],
)
async def test_each_error_of_document_002(
    runtime: FakeRuntime, opener: Opener, status: int, code: str, kind: type[WorkbenchError]
) -> None:
    runtime.more["/v1/openapi.json"] = document(NEW)
    refusal = error(status, code, "The sentence.", ("retry-after", "0"))
    runtime.script = lambda seen: refusal if seen.path == f"/v1/test-sets/{SET}/runs" else None
    bench = await opener(runtime.address)
    with pytest.raises(kind, match=r"The sentence\.") as told:
        await bench.comparisons.start(
            ComparisonRequest(test_set_id=SET, project_id=PROJECT, agent_id="a", subject_version="0.2.0")
        )
    assert told.value.code == code.replace("test-set-", "eval-suite-")
    assert told.value.request_id == "req-1"
    # Only what says that nothing ran is sent again, and then as the same write.
    sent = [one for one in runtime.seen if one.method == "POST"]
    assert len(sent) == (4 if status == 503 else 1)
    assert len({one.key for one in sent}) == 1


def test_the_server_writes_the_documents_test_run_as_they_print_it() -> None:
    """What is read of document 001's run, in 0.1's names, is written again as it stands there: no name is lost."""
    told = v04.down("comparison", RUN_001)
    assert told != RUN_001
    assert answer_04("comparison", told) == RUN_001


def test_each_way_that_only_the_newer_dialect_has_says_what_to_do_without_it() -> None:
    older = read_dialect(document(("post /v1/eval-suites/{id}/runs",)), "http://x")
    ours = {
        (one.method, re.sub(r"\{[^}]*\}", "{}", path)) for one in ONLY_NEW.values() for path in [one.path]
    }
    assert ours == OURS | {("GET", "/v1/agents/{}/test-set")}
    for name, operation in ONLY_NEW.items():
        assert not older.offers(name)
        with pytest.raises(Unsupported, match="This runtime doesn't offer") as refused:
            older.route(name)
        assert refused.value.sentence == f"This runtime doesn't offer {operation.what}. {operation.instead}"
        assert operation.keyed == (operation.method == "POST")
