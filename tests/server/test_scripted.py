"""Statuses of document 002 that no local workspace comes to: a real workbench whose one part answers to order.

`project-suspended`, `dispatcher-not-registered`, `suggested-change-nothing-to-check`, a store of keys that can't be
read, and a fault nobody expects, on the server's side; `tests/remote/test_dialects.py` has each on the remote side.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.serving import KeyedRequest
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from kindgi_tui.server.app import make_app
from kindgi_tui.workbench import Conflict, Unavailable, Unsupported
from tests.server.running import AGENT
from tests.workspaces import copy_workspace

START = "/v1/test-sets/acme.picks/runs"


class Scripted:
    """A workbench of which one call raises."""

    def __init__(self, bench: LocalWorkbench) -> None:
        self._bench = bench
        self.raises: Exception | None = None
        """What starting a comparison raises."""
        self.keys_raise: Exception | None = None
        """What looking a key up raises."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bench, name)

    def acting_as(self, person: Person, request: KeyedRequest | None = None) -> Any:
        acting, raises = self._bench.acting_as(person, request), self.raises

        class Comparisons:
            def __getattr__(self, name: str) -> Any:
                return getattr(acting.comparisons, name)

            async def start(self, request: Any) -> Any:
                assert raises is not None
                raise raises

        class Acting:
            comparisons = Comparisons()

            def __getattr__(self, name: str) -> Any:
                return getattr(acting, name)

        return Acting()

    @property
    def answers(self) -> Any:
        bench, raises = self._bench, self.keys_raise

        class Answers:
            def __getattr__(self, name: str) -> Any:
                return getattr(bench.answers, name)

            async def begin(self, request: KeyedRequest) -> Any:
                if raises is not None:
                    raise raises
                return await bench.answers.begin(request)

        return Answers()


@pytest.fixture
async def scripted(
    three_runs: Path, tmp_path: Path
) -> AsyncIterator[tuple[Scripted, httpx.AsyncClient, str]]:
    copy_workspace(three_runs, tmp_path / "workspace")
    bench, _ = await open_local(tmp_path / "workspace")
    me = await bench.people.me()
    _, secret = await bench.tokens.add("scripted", me.id, "admin")
    project = (await bench.projects.get()).id
    made = Scripted(bench)
    app: Any = await make_app(made, ("0.1", "0.4"))
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app),
        base_url="http://server",
        headers={"Authorization": f"Bearer {secret}"},
    )
    async with client:
        item = {"key": "kb-101", "pointer": "/output/articles/0", "rank": 0}
        runs = (await client.get("/v1/runs")).json()["data"]
        for run in runs:
            if "0001" in run["agent"]["conversationId"]:
                body = {"runId": run["id"], "item": item, "verdict": "yes"}
                assert (await client.post("/v1/judgments", json=body)).status_code == 201
        build = {"version": "1.0.0", "projectId": project, "agentId": AGENT}
        built = await client.post("/v1/test-sets/acme.picks/versions/from-corrections", json=build)
        assert built.status_code == 201, built.text
        yield made, client, project
    await bench.close()


@pytest.mark.parametrize(
    ("cause", "status", "code"),
    [
        (Conflict("The project is suspended.", code="project-suspended"), 409, "project-suspended"),
        (Conflict("It has no cases.", code="suggested-change-nothing-to-check"), 409,
         "suggested-change-nothing-to-check"),
        (Unsupported("No dispatcher.", code="dispatcher-not-registered"), 422, "dispatcher-not-registered"),
        (Unsupported("It doesn't freeze.", code="suggested-change-check-unsupported"), 501,
         "suggested-change-check-unsupported"),
        (Unavailable("The disk is full.", code="machine-disk"), 503, "machine-disk"),
        (RuntimeError("a fault"), 500, "internal-server-error"),
    ],
)  # fmt: skip
async def test_what_starting_raises(
    scripted: tuple[Scripted, httpx.AsyncClient, str], cause: Exception, status: int, code: str
) -> None:
    bench, client, project = scripted
    bench.raises = cause
    body = {"projectId": project, "agentRef": {"agentId": AGENT, "version": "0.2.0"}}
    response = await client.post(START, json=body)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (status, code)
    assert error["requestId"] == response.headers["x-request-id"]
    told = "Unhandled server error" if status == 500 else str(cause)
    assert error["message"] == told
    assert ("retry-after" in response.headers) == (status == 503)


async def test_a_store_of_keys_that_cannot_be_read(scripted: tuple[Scripted, httpx.AsyncClient, str]) -> None:
    bench, client, project = scripted
    bench.raises = AssertionError("it ran")
    bench.keys_raise = Unavailable("The file is locked.", code="store-locked")
    body = {"projectId": project, "agentRef": {"agentId": AGENT, "version": "0.2.0"}}
    response = await client.post(START, json=body, headers={"Idempotency-Key": "k"})
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (503, "idempotency-store-unavailable")
    assert int(response.headers["retry-after"]) >= 1
    assert "Nothing ran" in error["message"]
