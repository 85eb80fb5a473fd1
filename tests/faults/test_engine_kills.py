"""kill -9 of the process that runs a comparison, at any moment: nothing doubled, nothing run again, the same result.

A test doesn't wait until the lease of a process it killed runs out: it makes its last beat older. One waits really.
"""

import asyncio
import json
import os
import random
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.local.store import comparisons
from kindgi_tui.local.workbench import open_local
from tests.local.engine.lab import Lab, Recorded, calls, place_of, publish, question_of
from tests.local.models.server import Answer, ModelServer, Received, say
from tests.workspaces import copy_workspace

CASES = 12


@pytest.fixture(scope="module")
def lab_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lab") / "workspace"
    asyncio.run(publish(folder))
    return folder


@pytest_asyncio.fixture
async def lab(lab_template: Path, tmp_path: Path) -> AsyncIterator[Lab]:
    folder = tmp_path / "workspace"
    copy_workspace(lab_template, folder)
    workbench, _ = await open_local(folder)
    async with ModelServer() as server:
        project = (await workbench.projects.get()).id
        made = Lab(folder, workbench, server, project, tmp_path / "witness.jsonl")
        await workbench.packs.set_env("lab", "LAB_WITNESS", str(made.witness))
        made.models()
        for number in range(CASES):
            await made.judged(
                Recorded("look", {"text": "a"}, {"then": "a"}),
                question=f"question {number}",
                verdict="yes" if number % 3 else "no",
            )
        await made.build()
        try:
            yield made
        finally:
            await workbench.close()


class Asked:
    """A model that answers each question the same way, and counts the last words it gave of each."""

    def __init__(self, server: ModelServer, delay: float = 0.005) -> None:
        self.answered: dict[str, int] = {}
        self.delay = delay
        server.respond = self.respond

    def respond(self, received: Received) -> Answer:
        question = question_of(received)
        if place_of(received) == 0:
            return calls(("look", {"text": "a"}), delay=self.delay)
        self.answered[question] = self.answered.get(question, 0) + 1
        number = int(question.split()[-1])
        return say("the recorded answer" if number % 2 == 0 else f"new {number}", delay=self.delay)


def pid_of(lab: Lab, identity: str) -> int | None:
    """The process that runs a comparison now."""
    row = lab.workbench.access.database.read_now(
        lambda c: c.execute(
            "SELECT owner_pid FROM comparisons WHERE id = ? AND status = 'running'", (identity,)
        ).fetchone()
    )
    return int(row[0]) if row and row[0] else None


async def ended(lab: Lab, identity: str) -> Comparison:
    async with asyncio.timeout(60):
        async for event in lab.workbench.comparisons.follow(identity):
            last = event
    return last.comparison


async def ended_by_its_lease(lab: Lab, identity: str) -> Comparison:
    """The comparison once its executor, which is dead, has been silent for the time of a lease."""

    def age(connection: Any) -> None:
        connection.execute("UPDATE comparisons SET heartbeat = heartbeat - 60000 WHERE id = ?", (identity,))

    await lab.workbench.access.database.write(age)
    return await ended(lab, identity)


def same(comparison: Comparison) -> Any:
    """A result without its ids and times."""
    result: Any = json.loads(json.dumps(comparison.result))
    del result["summary"]["evalRunId"], result["summary"]["completedAt"]
    for case in result["perCase"]:
        case["runIds"] = len(case["runIds"])
        for tool in case.get("tools", ()):
            del tool["callId"]
    result["ours"]["headline"] = result["ours"]["headline"].replace(comparison.id, "")
    return result


async def check_written_once(lab: Lab, identity: str, finished: int) -> None:
    """Each finished repetition has exactly one run, and the counts are those of the rows."""

    def look(connection: Any) -> Any:
        return connection.execute(
            "SELECT (SELECT count(*) FROM runs WHERE comparison = c.id), "
            "(SELECT count(DISTINCT replay_of) FROM runs WHERE comparison = c.id), "
            "(SELECT count(*) FROM repetitions WHERE comparison = c.seq), c.finished, c.finished_cases "
            "FROM comparisons c WHERE c.id = ?",
            (identity,),
        ).fetchone()

    assert await lab.workbench.access.read(look) == (finished,) * 5


async def kill_and_resume(lab: Lab, seed: int, undisturbed: Any) -> bool:
    """One comparison, killed at a seeded moment; whether it was still running then."""
    chance = random.Random(seed)
    asked = Asked(lab.server)
    request = lab.request(concurrency=chance.choice([1, 3, 16]), fresh=True)
    started = await lab.workbench.comparisons.start(request)
    if chance.random() < 0.3:
        await asyncio.sleep(chance.random() * 0.8)
    else:
        wanted = chance.randrange(CASES + 1)
        for _ in range(2000):
            now = await lab.workbench.comparisons.get(started.id)
            if now.progress.finished >= wanted or now.status not in ("pending", "running"):
                break
            await asyncio.sleep(0.002)
        await asyncio.sleep(chance.random() * 0.02)
    pid = pid_of(lab, started.id)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
        await gone(pid)
        stopped = await ended_by_its_lease(lab, started.id)
    else:
        # It wasn't owned yet, or not any more: it runs to its end.
        stopped = await ended(lab, started.id)
    if stopped.status == "completed":
        assert same(stopped) == undisturbed
        return False
    finished = stopped.progress.finished
    assert stopped.status == "failed"
    assert stopped.error == (
        f"Interrupted: the test run's executor stopped before it finished. {finished} of {CASES} cases finished."
    )
    await check_written_once(lab, started.id, finished)
    written = {run.input for run in await lab.replays(started.id)}
    asked.answered.clear()
    await lab.workbench.comparisons.resume(started.id)
    done = await ended(lab, started.id)
    assert (done.status, done.error) == ("completed", None)
    assert not written & set(asked.answered), "a finished repetition was run again"
    assert len(asked.answered) == CASES - finished
    await check_written_once(lab, started.id, CASES)
    assert same(done) == undisturbed
    return True


async def gone(pid: int) -> None:
    """Waits until a killed process is no more."""
    for _ in range(1000):
        if not alive(pid):
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"process {pid} lives on")


async def kills(lab: Lab, moments: int) -> None:
    Asked(lab.server)
    undisturbed = same(await lab.compare(fresh=True))
    caught = 0
    for seed in range(moments):
        caught += await kill_and_resume(lab, seed, undisturbed)
    assert caught >= moments / 3, f"only {caught} of {moments} kills met a running comparison"


async def test_killed_at_seeded_moments(lab: Lab) -> None:
    await kills(lab, 10)


@pytest.mark.long
async def test_killed_at_two_hundred_seeded_moments(lab: Lab) -> None:
    await kills(lab, 200)


COMMITTED = """
import os, signal, sys
from kindgi_tui.local.engine import executor
from kindgi_tui.storage import sqlite

real, left = sqlite.Database._writing, int(sys.argv.pop(1))


def writing(self, operation):
    global left
    result = real(self, operation)
    if getattr(operation, "keywords", {}).get("finished"):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return result


sqlite.Database._writing = writing
raise SystemExit(executor.main(sys.argv[1:]))
"""
"""The executor, killed right after a batch of repetitions was committed and before anybody in it knows."""


@pytest.mark.parametrize("batch", [1, 3])
async def test_killed_between_the_commit_and_its_acknowledgement(lab: Lab, batch: int) -> None:
    # Slow enough that its repetitions are written in several batches.
    asked = Asked(lab.server, delay=0.03)
    undisturbed = same(await lab.compare(fresh=True))
    identity = await lab.pending(concurrency=2, fresh=True)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", COMMITTED, str(batch), str(lab.folder), identity
    )
    assert await process.wait() == -signal.SIGKILL
    stopped = await ended_by_its_lease(lab, identity)
    finished = stopped.progress.finished
    assert (stopped.status, finished > 0) == ("failed", True)
    await check_written_once(lab, identity, finished)
    asked.answered.clear()
    await lab.workbench.comparisons.resume(identity)
    done = await ended(lab, identity)
    assert done.status == "completed"
    assert len(asked.answered) == CASES - finished
    assert same(done) == undisturbed


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_an_executor_told_to_end_ends_its_comparison_at_once(lab: Lab, number: signal.Signals) -> None:
    Asked(lab.server)
    answer = lab.server.respond

    def slowly(received: Received) -> Answer:
        return say("", delay=30) if question_of(received) == "question 0" else answer(received)

    lab.server.respond = slowly
    started = await lab.workbench.comparisons.start(lab.request(concurrency=4, fresh=True))
    await lab.until(started.id, 3)
    pid = pid_of(lab, started.id)
    assert pid is not None
    os.kill(pid, number)

    def owner(connection: Any) -> Any:
        return connection.execute(
            "SELECT status, heartbeat FROM comparisons WHERE id = ?", (started.id,)
        ).fetchone()

    # Looked at directly, so that it is not this process that ends it for its dead lease.
    for _ in range(1000):
        status, _ = await lab.workbench.access.read(owner)
        if status != "running":
            break
        await asyncio.sleep(0.01)
    assert status == "failed"
    stopped = await lab.workbench.comparisons.get(started.id)
    assert str(stopped.error).startswith("Interrupted: ")
    assert stopped.progress.finished >= 3
    await check_written_once(lab, started.id, stopped.progress.finished)


async def test_the_executor_leaves_no_process_behind_and_its_lease_runs_out(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(comparisons.LEASE_VARIABLE, "3")
    Asked(lab.server)
    answer = lab.server.respond
    lab.server.respond = lambda got: answer(got) if place_of(got) else calls(("look", {"text": "live"}))
    started = await lab.workbench.comparisons.start(lab.request(fresh=True))
    pid: int | None = None
    for _ in range(1000):
        pid = pid_of(lab, started.id)
        if lab.witnessed() and pid is not None:
            break
        await asyncio.sleep(0.005)
    assert pid is not None
    children = children_of(pid)
    os.kill(pid, signal.SIGKILL)
    assert str((await ended(lab, started.id)).error).startswith("Interrupted: ")
    for _ in range(500):
        if not any(alive(child) for child in children):
            break
        await asyncio.sleep(0.02)
    assert not [child for child in children if alive(child)]


def children_of(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry.name))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


async def test_nothing_in_a_workspace_is_imported_by_its_executor(lab: Lab) -> None:
    Asked(lab.server)
    for name in ("json.py", "aiohttp.py", "kindgi_tui.py", "sitecustomize.py"):
        (lab.folder / name).write_text("raise SystemExit('imported from the workspace')")
    started = await lab.workbench.comparisons.start(lab.request())
    assert (await ended(lab, started.id)).status == "completed"
