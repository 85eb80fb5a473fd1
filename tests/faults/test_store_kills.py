"""kill -9 while somebody judges: what was acknowledged is there, nothing is there twice."""

import random
import time
from pathlib import Path

import pytest

from tests.faults.judging import RUNS, broken, heard, judge_for_ever, make, processes, stored

SEED = 20261130


def _moment(rng: random.Random, number: int) -> str:
    """Every third kill comes between a commit and its acknowledgement, or within a transaction."""
    if number % 3 == 1:
        return f"committed:{rng.randrange(25)}"
    return f"within:{rng.randrange(25)}" if number % 6 == 2 else "outside"


async def _killed(folder: Path, kills: int) -> None:
    ids = [f"run-{number:08d}" for number in range(RUNS)]
    await make(folder, ids)
    rng = random.Random(SEED)
    context = processes()
    acknowledged = 0
    before: set[str] = set()
    for number in range(kills):
        how = _moment(rng, number)
        here, there = context.Pipe(duplex=False)
        child = context.Process(
            target=judge_for_ever, args=(str(folder), ids, rng.randrange(1 << 30), how, there), daemon=True
        )
        child.start()
        there.close()
        assert here.poll(30), "the child never got ready"
        here.recv()
        if how == "outside":
            time.sleep(rng.random() * 0.08)  # noqa: ASYNC251 - nothing else runs in this loop
            child.kill()
        child.join(30)
        assert child.exitcode == -9, how
        told = heard(here)
        here.close()
        acknowledged += len(told)
        assert broken(folder) == [], f"kill {number} ({how})"
        after = stored(folder)
        assert {identity for identity, *_ in told} <= set(after), f"kill {number} ({how}) lost a judgment"
        last = {(run_id, key): identity for identity, run_id, key, _ in told}
        unheard = set(after) - before - {identity for identity, *_ in told}
        # At most the one judgment that was committed when the child died had nobody to tell.
        assert len(unheard) <= 1, f"kill {number} ({how})"
        if how.startswith("committed"):
            assert len(unheard) == 1
        if how.startswith("within"):
            assert not unheard
        replaced = {after[identity][:2] for identity in unheard}
        for place, identity in last.items():
            assert after[identity].live or place in replaced, f"kill {number} ({how}): {place} is not live"
        before = set(after)
    assert acknowledged > kills, "the children hardly judged: this proves nothing"


async def test_kills_at_seeded_moments(tmp_path: Path) -> None:
    await _killed(tmp_path / "w", 20)


@pytest.mark.long
async def test_200_kills(tmp_path: Path) -> None:
    await _killed(tmp_path / "w", 200)
