"""What agents wrote is data: runs that hold anything come out as JSON that anybody can read."""

import json
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest_asyncio

from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.local.workbench import open_local
from kindgi_tui.server.app import make_app

AT = datetime(2026, 5, 1, 9, tzinfo=UTC)


def deep(levels: int) -> Any:
    value: Any = "bottom"
    for _ in range(levels):
        value = [value]
    return value


HOSTILE: list[Any] = [
    {"appended": [{"role": "agent", "content": "half \ud800 nul \x00 esc \x1b]52;c;eA==\x07 [/INST]"}]},
    {
        "appended": [{"role": "agent", "content": "x"}],
        "output": {"n": [float("nan"), float("-inf"), 10**400]},
    },
    {"appended": [{"role": "robot", "content": None, "createdAt": 3}, 3, None, {"content": {"a": []}}]},
    {"appended": "nothing", "output": deep(900)},
    {
        "appended": [{"role": "tool", "toolCall": "x", "createdAt": "yesterday"}],
        "output": {"l": [{"id": ""}]},
    },
    "only text",
    {},
    [1, 2, 3],
    {"appended": [{"role": "agent", "content": "x" * 3_000_000}]},
]


def no_constant(name: str) -> NoReturn:
    raise AssertionError(f"{name} is no JSON")


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, list[str]]]:
    workbench, _ = await open_local(tmp_path / "workspace")
    project = await workbench.projects.get()
    runs = [
        RunDetail(
            id=str(uuid.uuid4()),
            project_id=project.id,
            subject=Subject(kind="agent", id="a\ud800.b", version="unknown"),
            status="completed",
            created_at=AT,
            conversation_id=str(uuid.uuid4()),
            input=output if isinstance(output, str) else {"given": output},
            output=output,
            context={"history": [{"role": "user"}, 3], "toolEnv": {"a.tool": {"KEY": "hunter2"}, "b": 3}},
            failure=None,
        )
        for output in HOSTILE
    ]
    await workbench.runs.add(runs)
    _, secret = await workbench.tokens.add("x", None, "admin")
    transport = httpx.ASGITransport(await make_app(workbench))
    headers = {"Authorization": f"Bearer {secret}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://here", headers=headers) as asked:
        yield asked, [run.id for run in runs]
    await workbench.close()


async def good(client: httpx.AsyncClient, path: str) -> Any:
    response = await client.get(path)
    assert response.status_code == 200, response.text[:500]
    assert response.content.isascii()
    assert b"hunter2" not in response.content
    return json.loads(response.content, parse_constant=no_constant)


async def test_every_run_can_be_read(client: tuple[httpx.AsyncClient, list[str]]) -> None:
    asked, ids = client
    listed = await good(asked, "/v1/runs?include=output&limit=100")
    assert {run["id"] for run in listed["data"]} == set(ids)
    for run_id in ids:
        run = await good(asked, f"/v1/runs/{run_id}")
        assert run["agent"]["id"] == "a\ud800.b"
        talk = run["agent"]["conversationId"]
        assert (await good(asked, f"/v1/conversations/{talk}"))["turnCount"] == 1
        for message in (await good(asked, f"/v1/conversations/{talk}/messages"))["data"]:
            assert message["role"] in ("user", "agent", "tool", "system")
            assert datetime.fromisoformat(message["createdAt"]).tzinfo is not None
            assert "content" in message


async def test_every_run_can_be_judged_and_become_a_case(client: tuple[httpx.AsyncClient, list[str]]) -> None:
    asked, ids = client
    for run_id in ids:
        body = {"runId": run_id, "item": {"key": "key \ud800", "pointer": ""}, "verdict": "no"}
        made = await asked.post("/v1/judgments", content=json.dumps(body))
        assert made.status_code == 201, made.text[:500]
        whole = await good(asked, f"/v1/judgments/{made.json()['id']}")
        assert whole["run"]["context"]["toolEnv"] == {"a.tool": {"KEY": "•••"}, "b": "•••"}
    project = (await good(asked, "/v1/projects/default"))["id"]
    build = {"version": "1.0.0", "projectId": project, "agentId": "a\ud800.b"}
    path = "/v1/eval-suites/acme.hostile/versions"
    built = await asked.post(f"{path}/from-judgments", content=json.dumps(build))
    assert built.status_code == 201, built.text
    cases = await good(asked, f"{path}/1.0.0/cases?limit=100")
    assert {case["caseId"] for case in cases["data"]} == set(ids)
    assert len((await good(asked, "/v1/judgments?limit=100"))["data"]) == len(ids)
    queue = await good(asked, f"/v1/projects/{project}/judging-queue?limit=100")
    assert {item["runId"] for item in queue["data"]} <= set(ids)
