"""kill -9 while somebody judges at a runtime: what was acknowledged gets there, and nothing gets there twice."""

import json
import random
import sqlite3
import time
from collections import Counter
from pathlib import Path

import pytest

from kindgi_tui.remote.outbox import FILE_NAME
from tests.faults.judging import heard
from tests.remote.fake_runtime import DROP_AFTER, DROP_BEFORE, FakeRuntime, Reply, Seen, error
from tests.remote.judging_child import KEYS, judge_for_ever, opened, processes

SEED = 20261130


def _moment(rng: random.Random, number: int) -> str:
    kind = ("outside", "said", "marked", "sent", "cut")[number % 5]
    return kind if kind == "outside" else f"{kind}:{rng.randrange(8)}"


def _weather(rng: random.Random) -> Reply | None:
    """What the network does to one request."""
    luck = rng.random()
    if luck < 0.06:
        return DROP_BEFORE
    if luck < 0.12:
        return DROP_AFTER
    return error(503, "x", "Busy.", ("retry-after", "0")) if luck < 0.15 else None


async def _killed(runtime: FakeRuntime, folder: Path, kills: int) -> None:
    rng, weather = random.Random(SEED), random.Random(SEED + 1)

    def script(seen: Seen) -> Reply | None:
        return _weather(weather) if seen.method == "POST" else None

    runtime.script = script
    context = processes()
    acknowledged: list[tuple[str, str, str, str]] = []
    for number in range(kills):
        how = _moment(rng, number)
        here, there = context.Pipe(duplex=False)
        child = context.Process(
            target=judge_for_ever,
            args=(runtime.address, str(folder), rng.randrange(1 << 30), how, there),
            daemon=True,
        )
        child.start()
        there.close()
        assert here.poll(30), "the child never got ready"
        here.recv()
        if how == "outside":
            time.sleep(rng.random() * 0.15)  # noqa: ASYNC251 - nothing else runs in this loop
            child.kill()
        child.join(30)
        assert child.exitcode == -9, how
        acknowledged += heard(here)
        here.close()
    runtime.script = None
    bench = await opened(runtime.address, folder)
    try:
        await bench.outbox.retry()
        counts = await bench.outbox.settle(300)
        assert (counts.waiting, counts.refused) == (0, 0), await bench.outbox.list()
    finally:
        await bench.close()
    _check(runtime, folder, acknowledged)


def _check(runtime: FakeRuntime, folder: Path, acknowledged: list[tuple[str, str, str, str]]) -> None:
    said = [step for step in acknowledged if step[0] == "said"]
    assert len(said) > 10, "the children hardly judged: this proves nothing"
    connection = sqlite3.connect(folder / FILE_NAME)
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    statements = connection.execute("SELECT count(*) FROM statements WHERE state <> 'sent'").fetchone()[0]
    assert statements == 0
    posts = [seen for seen in runtime.posts() if seen.key is not None]
    bodies = {seen.key: seen.body for seen in posts}
    assert all(bodies[seen.key] == seen.body for seen in posts), "a key went with other bytes"
    there = Counter(one["reason"] for one in runtime.judgments)
    live = {(one["runId"], one["item"]["key"]): one["reason"] for one in runtime.live()}
    assert len(live) == len(runtime.live()), "two live verdicts on one item"
    said_of = {reason: key for _, _, key, reason in said}
    keys_of: dict[str, set[str | None]] = {}
    for seen in posts:
        keys_of.setdefault(json.loads(seen.body)["reason"], set()).add(seen.key)
    for reason, key in said_of.items():
        if key == KEYS[-1]:
            # One that is taken back may never have left, or come again: each time as a statement of its own.
            assert there[reason] <= len(keys_of.get(reason, ())), f"{reason} is there twice"
        else:
            assert there[reason] == 1, f"{reason} is there {there[reason]} times"
    for place in {(run, key) for _, run, key, _ in said if key != KEYS[-1]}:
        last = [reason for _, run, key, reason in said if (run, key) == place][-1]
        # What was on disk and not acknowledged when the child died is sent too, and may be the newest.
        assert live[place] == last or live[place] not in said_of, f"{place} is not as it was last said"


async def test_kills_at_seeded_moments(runtime: FakeRuntime, tmp_path: Path) -> None:
    await _killed(runtime, tmp_path / "outbox", 10)


@pytest.mark.long
async def test_200_kills(runtime: FakeRuntime, tmp_path: Path) -> None:
    await _killed(runtime, tmp_path / "outbox", 200)
