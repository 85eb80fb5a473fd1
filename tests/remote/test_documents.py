"""0.4's documents, letter by letter, as a remote workbench writes and reads them."""

import json
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.cli.gates import metric_of
from kindgi_tui.domain.comparison_records import ComparisonRequest, SamplePart
from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.flow_swaps import Swaps
from kindgi_tui.domain.overrides import overrides_of
from kindgi_tui.remote import v04
from kindgi_tui.remote.comparing import comparison, start_body
from kindgi_tui.workbench import Invalid, Unsupported
from tests.cli.driving import process
from tests.documents_04 import (
    CORRECTION,
    ENVELOPE,
    EXAMPLE_BODY,
    FLOW_CANDIDATE,
    PER_CASE,
    RUN,
    STARTED,
    read,
)
from tests.remote.conftest import Opener
from tests.remote.fake_runtime import PROJECT, TOKEN, FakeRuntime, Reply, Seen, document

START = ("post /v1/test-sets/{testSetId}/runs", "get /v1/test-runs/{testRunId}")
EXAMPLE: dict[str, Any] = read(EXAMPLE_BODY)
STARTED_ID = "2489E9AD-2EE2-8E00-8EC9-32D5F69181C0"


def example_request(**subject: Any) -> ComparisonRequest:
    sample = EXAMPLE["sample"]
    return ComparisonRequest(
        test_set_id="example",
        project_id=EXAMPLE["projectId"],
        subject_version="example",
        reads="recorded",
        repetitions=1,
        k=1,
        weighing="as-recorded",
        correlation_id="example",
        sample=SamplePart(part=sample["part"], seed=sample["seed"], hold_out_share=sample["holdOutShare"]),
        **subject,
    )


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in EXAMPLE.items() if name not in names}


def test_the_body_is_written_with_an_agent() -> None:
    request = example_request(agent_id="example", overrides=overrides_of(EXAMPLE["overrides"]))
    assert v04.body_up(start_body(request, dry_run=True)) == without("flowRef", "versions")


def test_the_body_is_written_with_a_flow_and_its_swaps() -> None:
    swaps = Swaps(tools={"additionalProperty": "example"}, agents={"additionalProperty": "example"})
    written = v04.body_up(start_body(example_request(flow_id="example", versions=swaps), dry_run=True))
    assert written == without("agentRef", "overrides")


def test_experts_alone_are_asked_for_in_each_ones_words() -> None:
    older = start_body(ComparisonRequest(
        test_set_id="s", project_id=PROJECT, agent_id="a", subject_version="1.0.0", weighing="experts-only",
    ))  # fmt: skip
    newer = v04.body_up(older)
    assert isinstance(newer, dict)
    assert (older["classWeights"], newer["groupWeights"]) == ("restricted-only", "experts-only")
    assert "classWeights" not in newer


def finished(**more: Any) -> dict[str, Any]:
    """Document 001's run with its case and its correction in it, and what it leaves out that every run has."""
    run = read(RUN)
    case = {**read(PER_CASE), "corrections": [read(CORRECTION)]}
    side = {
        "yesWeight": 1,
        "totalWeight": 3,
        "items": 4,
        "judgedItems": 3,
        "topK": {"yesWeight": 1, "totalWeight": 3},
    }
    run["result"]["perCase"] = [{**case, "baseline": side, "candidate": [side]}]
    run["result"]["summary"] |= {
        "testRunId": run["testRunId"], "testSet": {"id": run["testSetId"], "version": run["testSetVersion"]},
        "status": "completed", "completedAt": "2026-05-04T12:00:00.000Z", "scope": {"projectId": PROJECT},
        "reads": "recorded", "repetitions": 1, "stopped": 0,
    }  # fmt: skip
    for metric in run["result"]["summary"]["metrics"].values():
        metric |= {"weight": 3, "baselineN": 3, "baselineWeight": 9, "direction": "higher"}
    return {
        **run, "kind": "corrections", "projectId": PROJECT, "dryRun": False,
        "agentRef": {"agentId": "acme-ops.article-picker", "version": "0.2.0"},
        "startedAt": "2026-05-04T11:59:00.000Z", "completedAt": "2026-05-04T12:00:00.000Z", **more,
    }  # fmt: skip


async def test_the_run_is_read_where_a_runtime_offers_nothing_but_what_is_stated(
    runtime: FakeRuntime, opener: Opener
) -> None:
    run = finished()
    runtime.more["/v1/openapi.json"] = document(START)
    runtime.more[f"/v1/test-runs/{run['testRunId']}"] = run
    bench = await opener(runtime.address)
    found = await bench.comparisons.get(run["testRunId"])
    assert (found.id, found.test_set_id, found.test_set_version, found.status) == (
        *(run["testRunId"], run["testSetId"]),
        *("1.0.3", "completed"),
    )
    numbers = [
        (metric_of(found, name)["baseline"], metric_of(found, name)["candidate"])
        for name in ("weightedYesShare", "judgedCoverage", "weightedPrecisionAtK")
    ]
    assert numbers == [(1 / 3, 1), (0.75, 0.5), (1 / 3, 1)]
    told: Any = found.result
    assert told["summary"]["sampling"] == run["result"]["summary"]["sampling"]
    case = CaseResult.read(told["perCase"][0])
    assert case.changes is not None
    assert [kept.key for kept in case.changes.kept] == ["kb-101"]
    assert [dropped.key for dropped in case.changes.dropped] == ["kb-102", "kb-103"]
    assert told["perCase"][0]["corrections"] == [read(CORRECTION)]
    assert told["perCase"][0]["tools"] == read(PER_CASE)["tools"]
    # What isn't offered is said; what there is, is shown.
    assert "33%" in told["ours"]["headline"]
    assert told["ours"]["notOffered"] == [
        "What was asked and recorded can't be shown. This runtime doesn't offer versions of test sets."
    ]
    assert (await bench.comparisons.waiting(found.id), await bench.comparisons.rescores(found.id)) == (0, ())


def test_a_report_of_it_says_what_is_not_offered(runtime: FakeRuntime, tmp_path: Path) -> None:
    run = finished()
    runtime.more["/v1/openapi.json"] = document(START)
    runtime.more[f"/v1/test-runs/{run['testRunId']}"] = run
    homes = {name: str(tmp_path / name) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    done = process(
        "--url", runtime.address, "comparisons", "show", run["testRunId"],
        environment={"KINDGI_API_TOKEN": TOKEN, **homes},
    )  # fmt: skip
    said = " ".join(done.text.split())
    assert done.code == 0, done.said
    assert "33%" in said
    assert "kb-102" in said
    assert "This runtime doesn't offer versions of test sets." in said
    assert "The new answers can't be shown. This runtime doesn't offer runs." in said


def test_a_flow_candidate_with_its_swaps_is_read() -> None:
    candidate = read(FLOW_CANDIDATE)
    run = finished(flowRef={"flowId": candidate["flowId"], "version": candidate["version"]})
    del run["agentRef"]
    run["comparison"] = {"versions": candidate["versions"]}
    run["result"]["summary"]["candidate"] = candidate
    value = v04.down("comparison", run)
    assert isinstance(value, dict)
    request = comparison(value).request
    assert (request.flow_id, request.versions) == (candidate["flowId"], Swaps(**candidate["versions"]))


async def test_the_answers_of_a_start_are_read(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.more["/v1/openapi.json"] = document(START)
    runtime.more[f"/v1/test-runs/{STARTED_ID}"] = finished(
        testRunId=STARTED_ID, result={"dryRun": True, "cases": 3}
    )
    answers = [Reply(201, json.loads(STARTED)), Reply(400, json.loads(ENVELOPE))]
    runtime.script = lambda seen: answers.pop(0) if seen.method == "POST" else None
    bench = await opener(runtime.address)
    plan = await bench.comparisons.plan(example_request(agent_id="example"))
    assert (plan.cases, plan.test_set_version, plan.cached, plan.cost_usd) == (3, "1.0.3", None, None)
    sent = next(one for one in runtime.seen if one.method == "POST")
    assert json.loads(sent.body) == without("flowRef", "versions", "overrides")
    with pytest.raises(Invalid) as told:
        await bench.comparisons.start(example_request(agent_id="example"))
    assert (told.value.sentence, told.value.code, told.value.request_id) == ("example", "example", "example")


async def test_our_own_preview_says_what_it_costs(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.more["/v1/openapi.json"] = document(START)
    runtime.more[f"/v1/test-runs/{STARTED_ID}"] = finished(
        testRunId=STARTED_ID, result={"dryRun": True, "cases": 3}
    )
    preview = {"cases": 3, "cached": 2, "costUsd": 0.25, "problems": ["A tool is missing."]}
    answer = {"testRunId": STARTED_ID, "dryRunPreview": preview}
    runtime.script = lambda seen: Reply(201, answer) if seen.method == "POST" else None
    plan = await (await opener(runtime.address)).comparisons.plan(example_request(agent_id="example"))
    assert (plan.cached, plan.cost_usd, plan.problems) == (2, 0.25, ("A tool is missing.",))


async def test_an_agents_own_test_set_is_asked_for(runtime: FakeRuntime, opener: Opener) -> None:
    own = "agent.acme-ops.article-picker." + PROJECT
    runtime.more["/v1/openapi.json"] = document((*START, "get /v1/agents/{agentId}/test-set"))
    runtime.more["/v1/agents/acme-ops.article-picker/test-set"] = {
        "testSetId": own, "version": "1.0.3", "kind": "corrections", "spec": {"caseCount": 3, "projectId": PROJECT},
    }  # fmt: skip
    bench = await opener(runtime.address)
    found = await bench.cases.own("acme-ops.article-picker", PROJECT)
    assert (found.id, found.agent_id) == (own, "acme-ops.article-picker")
    asked: Seen = next(one for one in runtime.seen if one.path.endswith("/test-set"))
    assert asked.query["projectId"] == [PROJECT]


async def test_an_older_runtime_has_no_own_test_sets(runtime: FakeRuntime, opener: Opener) -> None:
    bench = await opener(runtime.address)
    with pytest.raises(Unsupported, match="agents' own test sets"):
        await bench.cases.own("acme-ops.article-picker", PROJECT)


def test_the_command_swaps_versions_into_a_flow(runtime: FakeRuntime, tmp_path: Path) -> None:
    """`--with` asks for the flow first, to tell its tools from its agents, and sends both in their places."""
    flow = "/v1/flows/acme-ops.suggest-articles/versions/0.1.0"
    nodes = [
        {"id": "a", "kind": "tool", "ref": "acme-ops.find-articles"},
        {"id": "b", "kind": "agent", "ref": "acme-ops.writer"},
    ]
    run = finished(testRunId=STARTED_ID, status="running")
    runtime.more["/v1/openapi.json"] = document(
        (*START, "get /v1/flows/{flowId}/versions/{version}", "get /v1/projects")
    )
    runtime.more |= {
        flow: {"id": "acme-ops.suggest-articles", "version": "0.1.0", "nodes": nodes, "edges": []},
        f"/v1/test-runs/{STARTED_ID}": run,
        "/v1/projects": {"data": [{"id": PROJECT, "slug": "default", "isDefault": True}], "hasMore": False},
    }
    runtime.script = lambda seen: Reply(201, {"testRunId": STARTED_ID}) if seen.method == "POST" else None
    homes = {name: str(tmp_path / name) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    start = (
        *("--url", runtime.address, "comparisons", "start", "acme.flow-picks", "--project", PROJECT),
        *("--flow", "acme-ops.suggest-articles", "--flow-version", "0.1.0", "--reads", "live"),
    )
    environment = {"KINDGI_API_TOKEN": TOKEN, **homes}
    named = ("--with", "acme-ops.find-articles@0.2.0", "--with", "acme-ops.writer@1.1.0")
    done = process(*start, *named, environment=environment)
    assert done.code == 0, done.said
    body = json.loads(next(one for one in runtime.seen if one.method == "POST").body)
    assert body["versions"] == {
        "tools": {"acme-ops.find-articles": "0.2.0"},
        "agents": {"acme-ops.writer": "1.1.0"},
    }
    assert (body["flowRef"], body["reads"]) == (
        {"flowId": "acme-ops.suggest-articles", "version": "0.1.0"},
        "live",
    )
    refused = process(*start, "--with", "acme-ops.article-picker@0.2.0", environment=environment)
    assert refused.code == 2
    assert "flow acme-ops.suggest-articles 0.1.0 doesn't use acme-ops.article-picker." in refused.said
    assert len([one for one in runtime.seen if one.method == "POST"]) == 1
