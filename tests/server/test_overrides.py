"""Overrides over the API, in both dialects, on a workspace with blocks."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.local.workbench import open_local
from tests.local.blocks.data import BLOCKS, write_pack
from tests.server.running import Served, copied, serving

AGENT, SET = "lab.clerk", "lab.picks"


async def _publish(workspace: Path, pack: Path) -> None:
    """Blocks, the pack that pins them, and a judged run."""
    from datetime import UTC, datetime

    from kindgi_tui.domain.judgments import ItemRef
    from kindgi_tui.domain.queries import NewJudgment
    from kindgi_tui.domain.runs import RunDetail, Subject

    workbench, _ = await open_local(workspace)
    try:
        await workbench.blocks.publish(BLOCKS)
        await workbench.packs.publish(write_pack(pack))
        at = datetime(2026, 11, 1, tzinfo=UTC)
        run = RunDetail(
            id="00000000-0000-4000-8000-000000000001",
            project_id=(await workbench.projects.get("docs")).id,
            subject=Subject(kind="agent", id=AGENT, version="1.0.0"),
            status="completed",
            created_at=at,
            completed_at=at,
            input="hello",
            output={"appended": [{"role": "user", "content": "hello"}, {"role": "agent", "content": "hi"}]},
        )
        item = ItemRef(key="answer", pointer="/appended/1/content")
        said = NewJudgment(run_id=run.id, item=item, verdict="yes")
        await workbench.runs.add([run], [(said, "judge", at)])
    finally:
        await workbench.close()


@pytest.fixture(scope="module")
def tuned(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server on a workspace with blocks."""
    folder = tmp_path_factory.mktemp("tuned")
    workspace = copied(demo_made, folder / "workspace")
    asyncio.run(_publish(workspace, folder / "pack"))
    with serving(workspace) as server:
        body = {"version": "1.0.0", "projectId": server.project(), "agentId": AGENT}
        server.good("POST", f"/v1/eval-suites/{SET}/versions/from-judgments", body, 201)
        yield server


def body(served: Served, overrides: Any, version: str = "1.4.0", **more: Any) -> dict[str, Any]:
    """A start of the lab's agent with overrides."""
    ref = {"agentId": AGENT, "version": version}
    return {"projectId": served.project(), "agentRef": ref, "overrides": overrides, **more}


@pytest.mark.parametrize("path", [f"/v1/eval-suites/{SET}/runs", f"/v1/test-sets/{SET}/runs"])
def test_overrides_that_do_not_fit_are_named_place_by_place(tuned: Served, path: str) -> None:
    wrong = {
        "settings": {"lab.weights": {"recency": 7}, "lab.other": {}},
        "prompts": {"lab.intake-prompt": {"template": "{{ secret }}"}},
    }
    error = tuned.send("POST", path, body(tuned, wrong)).json()["error"]
    assert (error["code"], error["message"]) == (
        "validation-failed",
        "The overrides don't fit lab.clerk 1.4.0 (3 issues)",
    )
    told = {each["path"]: each["message"] for each in error["details"]["issues"]}
    assert list(told) == [
        "/overrides/settings/lab.weights/recency",
        "/overrides/settings/lab.other",
        "/overrides/prompts/lab.intake-prompt",
    ]
    assert "secret" in told["/overrides/prompts/lab.intake-prompt"]
    many: dict[str, Any] = {"settings": {f"lab.b{i}": {} for i in range(21)}}
    tuned.refused(400, "bad-input", "POST", path, body(tuned, many))


@pytest.mark.parametrize(
    ("dialect", "path", "identity"),
    [
        ("0.1", f"/v1/eval-suites/{SET}/runs", "runId"),
        ("0.4", f"/v1/test-sets/{SET}/runs", "testRunId"),
    ],
)
def test_overrides_that_fit_run_and_the_result_says_so(
    tuned: Served, dialect: str, path: str, identity: str
) -> None:
    # A name the dialects rename elsewhere stays as it is within values.
    overrides = {"settings": {"lab.weights": {"recency": 0.5, "judgeClassId": None}}}
    preview = tuned.good("POST", path, body(tuned, overrides, dryRun=True), 201)
    runs = "/v1/eval-runs" if dialect == "0.1" else "/v1/test-runs"
    dry = tuned.good("GET", f"{runs}/{preview[identity]}")
    assert dry["comparison"]["overrides"] == overrides
    started = tuned.good("POST", path, body(tuned, overrides), 201)
    tuned.send("GET", f"{runs}/{started[identity]}/events")
    run = tuned.good("GET", f"{runs}/{started[identity]}")
    assert run["comparison"]["overrides"] == overrides
    assert run["result"]["summary"]["candidate"] == {
        "kind": "agent",
        "agentId": AGENT,
        "version": "1.4.0",
        "overrides": {"settings": ["lab.weights"]},
    }
