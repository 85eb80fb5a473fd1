"""A comparison whose executor is told to end: that is written down, whenever it comes, and it can be resumed."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.local.engine import running
from kindgi_tui.local.models.config import ModelsConfig, load_models
from kindgi_tui.local.packs.services import PackServices
from tests.local.engine.lab import Lab, question_of
from tests.local.models.server import Answer, Received, say
from tests.waiting import until

INTERRUPTED = (
    "Interrupted: the test run's executor stopped before it finished. {finished} of {cases} cases finished."
)


async def test_before_it_is_under_way(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    await lab.judged()
    lab.says(say("x"))
    identity = await lab.pending()
    reading, go = threading.Event(), threading.Event()

    def slow(folder: Path) -> ModelsConfig:
        reading.set()
        go.wait(20)
        return load_models(folder, environment={})

    monkeypatch.setattr(running, "load_models", slow)
    database = lab.workbench.access.database
    executor = asyncio.create_task(running.run_comparison(database, lab.folder, identity))
    try:
        await until(reading.is_set)
        assert (await lab.workbench.comparisons.get(identity)).status == "running"
        executor.cancel()
        with pytest.raises(asyncio.CancelledError):
            await executor
    finally:
        go.set()
    stopped = await lab.workbench.comparisons.get(identity)
    assert (stopped.status, stopped.error) == ("failed", INTERRUPTED.format(finished=0, cases=1))
    assert lab.server.received == []
    done = await lab.reopened(identity)
    assert (done.status, done.error, done.progress.finished) == ("completed", None, 1)


async def test_its_end_is_written_before_anything_is_closed(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing the packs' processes takes a while, and a machine that shuts down doesn't wait."""
    await lab.judged(question="one")
    await lab.judged(question="two")
    answered: list[str] = []

    def respond(received: Received) -> Answer:
        answered.append(question_of(received))
        return say("x", delay=0.02 if len(answered) == 1 else 30)

    lab.server.respond = respond
    identity = await lab.pending(concurrency=1)
    at_closing: list[str] = []
    closed = PackServices.__aexit__

    async def closing(self: PackServices, *failure: Any) -> None:
        at_closing.append((await lab.workbench.comparisons.get(identity)).status)
        await closed(self, *failure)

    monkeypatch.setattr(PackServices, "__aexit__", closing)
    executor = asyncio.create_task(lab.run(identity))
    await lab.until(identity, 1)
    executor.cancel()
    with pytest.raises(asyncio.CancelledError):
        await executor
    assert at_closing == ["failed"]
    stopped = await lab.workbench.comparisons.get(identity)
    assert stopped.error == INTERRUPTED.format(finished=1, cases=2)
