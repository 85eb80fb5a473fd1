"""When what runs a comparison's cases fails, nothing of it goes on behind its end."""

import asyncio
from typing import Any

import pytest

from kindgi_tui.local.engine.judging_answers import Judging
from tests.local.engine.lab import Lab
from tests.local.models.server import Answer, Received, hang, say


async def test_a_worker_that_fails_ends_the_others_before_the_comparison_ends(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    await lab.ten()
    asked: list[Received] = []

    def respond(got: Received) -> Answer:
        asked.append(got)
        # The first is late, so that the others are asking by then.
        return say("an answer", delay=0.5) if len(asked) == 1 else hang()

    def wrong(self: Judging, *given: Any) -> bool:
        raise KeyError("a bug")

    lab.server.respond = respond
    monkeypatch.setattr(Judging, "finished", wrong)
    done = await lab.compare(concurrency=4)
    left = [one.get_coro() for one in asyncio.all_tasks()]
    assert [one for one in left if getattr(one, "__qualname__", "").endswith("<locals>.worker")] == []
    assert len(asked) == 4
    assert done.status == "failed"
    assert "kindgi-tui made a mistake here (KeyError: 'a bug')" in str(done.error)
    assert done.progress.finished == 1, "what finished before is kept"
