"""Turns started over HTTP with a real, slow model: waited for or not, seen running, cancelled, gone on, stopped."""

import asyncio
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.local.workbench import open_local
from tests.cli.serving import serving as models_serving
from tests.local.models.server import Answer, ModelServer, Received, failed, typed
from tests.server.running import AGENT, Asked, Served, copied, serving

PICKED = {"articles": [{"id": "kb-101", "title": "Reset your password"}]}
ITEM = {"key": "kb-101", "pointer": "/output/articles/0", "rank": 0}
SLOW, NEVER = 12.5, 120.0


class Model:
    """How the model answers: each message that says `slow` late, one that says `never` too late, `bad` not at all."""

    def __init__(self) -> None:
        self.server = ModelServer()
        self.server.respond = self._answer

    def _answer(self, received: Received) -> Answer:
        said = next(one for one in reversed(received.body["messages"]) if one["role"] == "user")["content"]
        if "bad" in said:
            return failed(400, "No.")
        delay = SLOW if "slow" in said else NEVER if "never" in said else 0.2 if "soon" in said else 0.0
        return typed(PICKED, delay=delay)


@pytest.fixture(scope="module")
def model(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Model, Path]]:
    folder = copied(demo_made, tmp_path_factory.mktemp("turns") / "demo")
    model = Model()
    with models_serving(model.server, folder):
        yield model, folder


@pytest.fixture(scope="module")
def server(model: tuple[Model, Path]) -> Iterator[Served]:
    with serving(model[1]) as served:
        yield served


def turn(message: str, wait: bool | None = None, **given: Any) -> dict[str, Any]:
    options = {} if wait is None else {"options": {"wait": wait}}
    return {"agent": AGENT, "agentVersion": "0.2.0", "input": {"userMessage": message, **given}, **options}


def ended(server: Asked, run_id: str) -> Any:
    deadline = time.monotonic() + 30
    while (run := server.good("GET", f"/v1/runs/{run_id}"))["status"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return run


def recorded(folder: Path, run_id: str) -> RunDetail:
    async def read() -> RunDetail:
        bench, _ = await open_local(folder)
        try:
            return await bench.runs.get(run_id)
        finally:
            await bench.close()

    return asyncio.run(read())


def test_a_run_that_is_not_waited_for_is_told_at_once_and_recorded_when_it_ends(server: Served) -> None:
    key = {"headers": {"Idempotency-Key": "turn-soon"}}
    run = server.good("POST", "/v1/runs", turn("soon", wait=False, participantId="u-1"), 202, **key)
    assert (run["status"], run["startedBy"], run["agent"]["version"]) == ("running", "person", "0.2.0")
    assert "output" not in run
    assert "completedAt" not in run
    done = ended(server, run["id"])
    assert (done["status"], done["output"]["output"], done["startedBy"]) == ("completed", PICKED, "person")
    assert done["agent"] == run["agent"]
    assert done["createdAt"] == run["createdAt"]
    again = server.send("POST", "/v1/runs", turn("soon", wait=False, participantId="u-1"), **key)
    assert (again.status_code, again.headers["x-idempotent-replay"], again.json()["id"]) == (
        *(202, "true"),
        run["id"],
    )
    kept = recorded(server.workspace, run["id"]).context
    assert (kept["participantId"], kept["startedBy"]) == ("u-1", "person")


def test_a_running_one_is_seen_and_cancelled(server: Served) -> None:
    run = server.good("POST", "/v1/runs", turn("never", wait=False, parameters={"a": 1}), 202)
    path = f"/v1/runs/{run['id']}"
    assert server.good("GET", path) == run
    assert [one["id"] for one in server.good("GET", "/v1/runs?status=running")["data"]] == [run["id"]]
    first = server.good("GET", f"/v1/runs?agentId={AGENT}&limit=2")
    assert ([one["status"] for one in first["data"]], first["hasMore"]) == (["running", "completed"], True)
    after = server.good("GET", f"/v1/runs?agentId={AGENT}&limit=2&cursor={first['nextCursor']}")["data"]
    assert run["id"] not in [one["id"] for one in after]
    for query in ("status=completed", "agentId=acme.rank.scorer", "replays=only", "limit=1"):
        assert run["id"] not in [one["id"] for one in server.good("GET", f"/v1/runs?{query}")["data"]]
    assert [one["kind"] for one in server.good("GET", f"{path}/journal")["data"]] == ["run.started"]
    verdict = {"runId": run["id"], "item": ITEM, "verdict": "yes"}
    sentence = server.refused(409, "run-not-finished", "POST", "/v1/judgments", verdict)
    assert sentence.endswith("has no output to judge yet (status running).")
    judge = server.as_somebody("no-canceller", "mira", "judge")
    judge.refused(403, "permission-denied", "POST", f"{path}/cancel")
    cancelled = server.good("POST", f"{path}/cancel")
    assert (cancelled["status"], cancelled["id"]) == ("cancelled", run["id"])
    assert server.good("GET", path) == cancelled
    server.refused(409, "run-already-terminal", "POST", f"{path}/cancel")
    assert server.good("GET", "/v1/runs?status=running")["data"] == []
    assert recorded(server.workspace, run["id"]).context["parameters"] == {"a": 1}


def test_what_goes_wrong_behind_the_answer_is_the_runs_failure(server: Served) -> None:
    run = server.good("POST", "/v1/runs", turn("bad", wait=False), 202)
    failure = ended(server, run["id"])
    assert failure["status"] == "failed"
    assert "No." in failure["failure"]["message"]
    # Whoever waits is told, and nothing is recorded of what never began.
    before = server.good("GET", "/v1/runs?status=failed")["data"]
    assert server.send("POST", "/v1/runs", turn("bad")).status_code >= 400
    assert server.good("GET", "/v1/runs?status=failed")["data"] == before
    unknown = {**turn("soon", wait=False), "agentVersion": "9.9.9"}
    server.refused(404, "agent-not-found", "POST", "/v1/runs", unknown)


def test_a_known_conversation_goes_on(server: Served, model: tuple[Model, Path]) -> None:
    first = server.good("POST", "/v1/runs", turn("my first words", participantId="u-2"), 201)
    talk = first["agent"]["conversationId"]
    body = {"agent": AGENT, "input": {"userMessage": "and the second", "conversationId": talk}}
    second = server.good("POST", "/v1/runs", body, 201)
    assert second["agent"] == {"id": AGENT, "version": "0.2.0", "conversationId": talk}
    assert second["output"]["turnNumber"] == 2
    asked = [one["content"] for one in model[0].server.received[-1].body["messages"][1:]]
    assert (asked[0], asked[-1]) == ("my first words", "and the second")
    assert len(asked) == 3
    said = server.good("GET", f"/v1/conversations/{talk}/messages")["data"]
    assert [one["sequence"] for one in said] == [0, 1, 2, 3]
    assert [one["sequence"] for one in second["output"]["appended"]] == [2, 3]
    told = server.good("GET", f"/v1/conversations/{talk}")
    assert (told["turnCount"], told["participantId"]) == (2, "u-2")
    unknown = "00000000-0000-4000-8000-000000000009"
    server.refused(404, "conversation-not-found", "POST", "/v1/runs", turn("soon", conversationId=unknown))


def posted(server: Served, body: dict[str, Any], answers: list[httpx.Response]) -> threading.Thread:
    def send() -> None:
        with httpx.Client(headers={"Authorization": f"Bearer {server.token}"}, timeout=60) as client:
            answers.append(client.post(f"{server.url}/v1/runs", json=body))

    thread = threading.Thread(target=send)
    thread.start()
    return thread


def until_asked(model: Model, times: int) -> None:
    deadline = time.monotonic() + 20
    while model.server.in_flight < times and time.monotonic() < deadline:
        time.sleep(0.02)
    assert model.server.in_flight == times


def test_a_stop_finishes_slow_turns_waited_for_or_not(demo_made: Path, tmp_path: Path) -> None:
    model, folder, answers = Model(), copied(demo_made, tmp_path / "demo"), list[httpx.Response]()
    with models_serving(model.server, folder), serving(folder) as server:
        behind = server.good("POST", "/v1/runs", turn("slow", wait=False), 202)
        waiting = posted(server, turn("slow, and waited for"), answers)
        until_asked(model, 2)
        server.process.send_signal(signal.SIGTERM)
        waiting.join()
        assert (answers[0].status_code, answers[0].json()["output"]["output"]) == (201, PICKED)
        server.process.wait(timeout=60)
        assert recorded(folder, answers[0].json()["id"]).status == "completed"
        assert recorded(folder, behind["id"]).status == "completed"


def test_a_second_signal_ends_at_once_and_says_so(demo_made: Path, tmp_path: Path) -> None:
    model, folder, answers = Model(), copied(demo_made, tmp_path / "demo"), list[httpx.Response]()
    with models_serving(model.server, folder), serving(folder) as server:
        behind = server.good("POST", "/v1/runs", turn("never", wait=False), 202)
        waiting = posted(server, turn("never, and waited for"), answers)
        until_asked(model, 2)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert server.process.poll() is None
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        waiting.join()
        server.process.wait(timeout=60)
        assert time.monotonic() - began < NEVER / 2, "long before a reply comes"
        error = answers[0].json()["error"]
        assert (answers[0].status_code, error["code"]) == (503, "server-stopped")
        assert answers[0].headers["x-request-id"] == error["requestId"]
        assert recorded(folder, behind["id"]).status == "cancelled"
