"""Idempotency keys: a retry gets the first answer and runs nothing twice, whatever happens in between."""

import asyncio
import json
import sqlite3
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.serving import KeptAnswer, KeyedRequest
from kindgi_tui.local.parts.judgments import LocalJudgments
from kindgi_tui.local.parts.serving import LocalAnswers
from kindgi_tui.local.store.kept_answers import HELD_MS, KEPT_MS
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from kindgi_tui.server.app import make_app
from kindgi_tui.workbench import Conflict
from tests.server.running import PASSWORD, Served, copied, serving


def verdict(participant: str) -> dict[str, Any]:
    item = {"key": "kb-101", "pointer": "/output/articles/0", "rank": 0}
    return {"runId": PASSWORD, "item": item, "verdict": "yes", "participantId": participant}


def keyed(key: str) -> dict[str, dict[str, str]]:
    return {"headers": {"Idempotency-Key": key}}


def test_a_retry_gets_the_same_bytes(served: Served) -> None:
    key = str(uuid.uuid4())
    first = served.send("POST", "/v1/judgments", verdict("keys-1"), **keyed(key))
    again = served.send("POST", "/v1/judgments", verdict("keys-1"), **keyed(key))
    assert (first.status_code, again.status_code, first.content) == (201, 201, again.content)
    assert "x-idempotent-replay" not in first.headers
    assert again.headers["x-idempotent-replay"] == "true"
    assert again.headers["content-type"] == first.headers["content-type"]
    assert again.headers["x-request-id"] != first.headers["x-request-id"]


def test_another_body_is_refused_by_its_bytes(served: Served) -> None:
    key, body = str(uuid.uuid4()), verdict("keys-2")
    served.send("POST", "/v1/judgments", json.dumps(body), **keyed(key))
    spaced = json.dumps(body, indent=1)
    sentence = served.refused(
        409, "idempotency-key-body-mismatch", "POST", "/v1/judgments", spaced, **keyed(key)
    )
    assert sentence.startswith("Idempotency-Key was reused with a different request body.")


def test_a_key_belongs_to_its_caller_method_and_path(served: Served) -> None:
    key = str(uuid.uuid4())
    mine = served.good("POST", "/v1/judgments", verdict("keys-3"), 201, **keyed(key))
    mira = served.as_somebody("keys-mira", "mira", "judge")
    theirs = mira.good("POST", "/v1/judgments", verdict("keys-3"), 201, **keyed(key))
    assert mine["id"] != theirs["id"]
    removed = served.send("POST", f"/v1/judgments/{mine['id']}/unregister", {}, **keyed(key))
    assert removed.json()["unregistered"] is True


def test_a_refusal_is_not_kept(served: Served) -> None:
    key = str(uuid.uuid4())
    wrong = {**verdict("keys-4"), "verdict": "maybe"}
    served.refused(400, "bad-input", "POST", "/v1/judgments", wrong, **keyed(key))
    served.good("POST", "/v1/judgments", verdict("keys-4"), 201, **keyed(key))


def test_the_same_at_the_same_time_runs_once(served: Served) -> None:
    key, body = str(uuid.uuid4()), verdict("keys-5")

    async def both() -> list[httpx.Response]:
        headers = {"Authorization": f"Bearer {served.token}", "Idempotency-Key": key}
        async with httpx.AsyncClient(base_url=served.url, headers=headers) as client:
            return await asyncio.gather(*(client.post("/v1/judgments", json=body) for _ in range(8)))

    answers = asyncio.run(both())
    good = [answer for answer in answers if answer.status_code == 201]
    others = [answer for answer in answers if answer.status_code != 201]
    assert len({answer.content for answer in good}) == 1
    for answer in others:
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "idempotency-key-in-flight")
        assert answer.headers["retry-after"] == "5"
    path = f"/v1/judgments?runId={PASSWORD}&participantId=keys-5"
    assert len(served.good("GET", path)["data"]) == 1


def test_a_key_survives_a_restart(demo_made: Path, tmp_path: Path) -> None:
    folder, key = copied(demo_made, tmp_path / "demo"), str(uuid.uuid4())
    with serving(folder) as before:
        first = before.send("POST", "/v1/judgments", verdict("keys-6"), **keyed(key))
        token = before.token
    with serving(folder, token=token) as after:
        again = after.send("POST", "/v1/judgments", verdict("keys-6"), **keyed(key))
    assert (again.content, again.headers["x-idempotent-replay"]) == (first.content, "true")


@pytest_asyncio.fixture
async def workbench(demo_made: Path, tmp_path: Path) -> AsyncIterator[LocalWorkbench]:
    opened, _ = await open_local(copied(demo_made, tmp_path / "demo"), busy_seconds=0.2)
    yield opened
    await opened.close()


def request(key: str, digest: str = "a") -> KeyedRequest:
    return KeyedRequest(
        caller="me", method="POST", path="/v1/x", key=key, body_digest=digest, holder=str(uuid.uuid4())
    )


async def test_a_hold_lapses_and_an_answer_is_kept_a_day(workbench: LocalWorkbench) -> None:
    answer = KeptAnswer(status=201, content_type="application/json", body=b"{}")
    first, second = request("k"), request("k")
    assert await workbench.answers.begin(first) is None
    with pytest.raises(Conflict) as running:
        await workbench.answers.begin(second)
    assert running.value.code == "idempotency-key-in-flight"
    await workbench.access.database.write(
        lambda c: c.execute("UPDATE kept_answers SET held_until = held_until - ?", (HELD_MS + 1,)).rowcount
    )
    assert await workbench.answers.begin(second) is None
    # Whoever lost the hold answers for nobody.
    await workbench.answers.keep(first, answer)
    await workbench.answers.release(first)
    with pytest.raises(Conflict):
        await workbench.answers.begin(request("k"))
    await workbench.answers.keep(second, answer)
    assert await workbench.answers.begin(request("k")) == answer
    with pytest.raises(Conflict) as other:
        await workbench.answers.begin(request("k", "b"))
    assert other.value.code == "idempotency-key-body-mismatch"
    await workbench.access.database.write(
        lambda c: c.execute("UPDATE kept_answers SET created = created - ?", (KEPT_MS + 1,)).rowcount
    )
    assert await workbench.answers.begin(request("k", "b")) is None


@pytest.fixture
def ends_before_answering(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ends after it made something, and before it kept the answer: the hold of its key lapses."""

    async def lost(self: LocalAnswers, request: KeyedRequest, answer: KeptAnswer) -> None:
        await self._access.database.write(
            lambda c: (
                c.execute("UPDATE kept_answers SET held_until = 0 WHERE key = ?", (request.key,)).rowcount
            )
        )

    monkeypatch.setattr(LocalAnswers, "keep", lost)


@pytest_asyncio.fixture
async def asked(workbench: LocalWorkbench) -> AsyncIterator[httpx.AsyncClient]:
    _, secret = await workbench.tokens.add("crashes", None, "admin")
    transport = httpx.ASGITransport(await make_app(workbench))
    headers = {"Authorization": f"Bearer {secret}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://here", headers=headers) as client:
        yield client


async def test_what_was_made_before_its_answer_was_kept_is_not_made_twice(
    workbench: LocalWorkbench, ends_before_answering: None, asked: httpx.AsyncClient
) -> None:
    """Each operation that makes something, sent again with its key after a crash in between: the same answer."""
    project = (await workbench.projects.get("docs")).id

    async def twice(path: str, body: Any) -> Any:
        key = {"Idempotency-Key": str(uuid.uuid4())}
        first = await asked.post(path, json=body, headers=key)
        assert first.status_code < 300, first.text
        again = await asked.post(path, json=body, headers=key)
        assert (again.status_code, again.content) == (first.status_code, first.content)
        assert "x-idempotent-replay" not in again.headers
        other = await asked.post(path, json={**body, "more": 1}, headers=key)
        assert other.json()["error"]["code"] == "idempotency-key-body-mismatch"
        return first.json()

    async def count(path: str) -> int:
        return len((await asked.get(path)).json()["data"])

    said = await twice("/v1/judgments", verdict("crash"))
    history = await workbench.access.database.read(
        lambda c: c.execute("SELECT count(*) FROM judgments WHERE participant = 'crash'").fetchone()[0]
    )
    assert history == 1
    await twice(f"/v1/judgments/{said['id']}/unregister", {})
    group = await twice("/v1/judge-classes", {"scope": {"kind": "tenant"}, "name": "Crashers", "weight": 2})
    await twice(f"/v1/judge-classes/{group['id']}/unregister", {})
    agent = "acme-ops.article-picker"
    query = {"version": "1.0.0", "projectId": project, "agentId": agent}
    await twice("/v1/eval-suites/acme.crash/versions/from-judgments", query)
    past = await workbench.runs.get(PASSWORD)
    turn = {
        "projectId": project, "agent": agent, "agentVersion": "0.2.0", "input": {"userMessage": past.input}
    }  # fmt: skip
    before = await count("/v1/runs?limit=100")
    await twice("/v1/runs", turn)
    assert await count("/v1/runs?limit=100") == before + 1
    start = {"projectId": project, "agentRef": {"agentId": agent, "version": "0.2.0"}}
    started = await twice("/v1/eval-suites/acme.crash/runs", start)
    status = "pending"
    for _ in range(400):
        status = (await asked.get(f"/v1/eval-runs/{started['runId']}")).json()["status"]
        if status not in ("pending", "running"):
            break
        await asyncio.sleep(0.05)
    assert status == "completed"
    assert await count("/v1/eval-runs?suiteId=acme.crash") == 1
    await twice(f"/v1/eval-runs/{started['runId']}/rescore", {})
    assert await count("/v1/eval-runs?suiteId=acme.crash") == 2


async def test_a_caller_that_goes_in_the_middle_cuts_no_keyed_write(
    workbench: LocalWorkbench, asked: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was begun under a key goes on to its end and is kept: the next try gets its answer and makes nothing."""
    begun, go, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
    add, keep = LocalJudgments.add, LocalAnswers.keep

    async def slow(self: LocalJudgments, judgment: NewJudgment) -> Judgment:
        begun.set()
        await go.wait()
        return await add(self, judgment)

    async def kept(self: LocalAnswers, request: KeyedRequest, answer: KeptAnswer) -> None:
        await keep(self, request, answer)
        ended.set()

    monkeypatch.setattr(LocalJudgments, "add", slow)
    monkeypatch.setattr(LocalAnswers, "keep", kept)
    key = {"Idempotency-Key": str(uuid.uuid4())}
    sending = asyncio.create_task(asked.post("/v1/judgments", json=verdict("gone"), headers=key))
    async with asyncio.timeout(20):
        await begun.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        busy = await asked.post("/v1/judgments", json=verdict("gone"), headers=key)
        assert busy.json()["error"]["code"] == "idempotency-key-in-flight"
        go.set()
        await ended.wait()
    again = await asked.post("/v1/judgments", json=verdict("gone"), headers=key)
    assert (again.status_code, again.headers["x-idempotent-replay"]) == (201, "true")
    rows = (await asked.get(f"/v1/judgments?runId={PASSWORD}&participantId=gone")).json()["data"]
    assert [row["id"] for row in rows] == [again.json()["id"]]


async def test_a_store_that_cant_be_read_runs_nothing(workbench: LocalWorkbench) -> None:
    _, secret = await workbench.tokens.add("locked", None, "admin")
    transport = httpx.ASGITransport(await make_app(workbench))
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "locked"}
    with sqlite3.connect(workbench.access.database.path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        async with httpx.AsyncClient(transport=transport, base_url="http://here", headers=headers) as client:
            refused = await client.post("/v1/judgments", json=verdict("locked"))
            plain = await client.post(
                "/v1/judgments", json=verdict("locked"), headers={"Idempotency-Key": ""}
            )
            read = await client.get("/v1/projects")
        other.execute("ROLLBACK")
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "idempotency-store-unavailable")
    assert int(refused.headers["retry-after"]) >= 1
    assert (plain.status_code, int(plain.headers["retry-after"]) >= 1) == (503, True)
    assert read.status_code == 200
