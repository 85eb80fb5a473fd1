"""Trouble on this machine while a comparison runs: one sentence, nothing lost, and it can be resumed."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.local.engine import running
from kindgi_tui.local.store import comparisons
from kindgi_tui.storage.sqlite import Trouble
from tests.faults.test_engine_kills import (
    CASES,
    Asked,
    check_written_once,
    ended_by_its_lease,
    lab,
    lab_template,
    same,
)
from tests.local.engine.lab import Lab

__all__ = ["lab", "lab_template"]


def full_after(lab: Lab, pages: int) -> None:
    """Lets the workspace's file grow by so many pages, then it is full, as a disk would be."""

    def limit(connection: sqlite3.Connection) -> None:
        count = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {count + pages}")

    lab.workbench.access.database.write_now(limit)


@pytest.mark.parametrize("pages", [0, 6])
async def test_a_full_disk_ends_it_with_a_sentence_and_it_can_be_resumed(lab: Lab, pages: int) -> None:
    asked = Asked(lab.server)
    undisturbed = same(await lab.compare(fresh=True))
    identity = await lab.pending(concurrency=2, fresh=True)
    full_after(lab, pages)
    stopped = await lab.run(identity)
    finished = stopped.progress.finished
    assert stopped.status == "failed"
    assert "is full" in str(stopped.error)
    assert finished < CASES
    await check_written_once(lab, identity, finished)
    full_after(lab, 1_000_000)
    asked.answered.clear()
    done = await lab.reopened(identity)
    assert done.status == "completed"
    assert len(asked.answered) == CASES - finished
    assert same(done) == undisturbed


async def test_a_disk_too_full_for_the_last_word_leaves_a_dead_lease(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    Asked(lab.server)
    identity = await lab.pending(concurrency=2, fresh=True)
    monkeypatch.setattr(running, "LAST_WORDS", 1)
    real = comparisons.finish

    def full(*_: Any, **__: Any) -> bool:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(comparisons, "finish", full)
    with pytest.raises((Trouble, sqlite3.OperationalError)):
        await lab.run(identity)
    monkeypatch.setattr(comparisons, "finish", real)
    found = await ended_by_its_lease(lab, identity)
    assert str(found.error).startswith("Interrupted: ")
    assert (await lab.reopened(identity)).status == "completed"


def hold(path: Path) -> sqlite3.Connection:
    """Locks the workspace as another program's long write does."""
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    return other


async def test_a_short_lock_is_waited_for(lab: Lab) -> None:
    Asked(lab.server)
    undisturbed = same(await lab.compare(fresh=True))
    identity = await lab.pending(concurrency=2, fresh=True)
    run = asyncio.create_task(lab.run(identity))
    await lab.until(identity, 1)
    other = await asyncio.to_thread(hold, lab.folder / "workspace.db")
    await asyncio.sleep(0.7)
    other.rollback()
    other.close()
    done = await run
    assert done.status == "completed"
    assert same(done) == undisturbed


async def test_a_lock_that_stays_ends_it_with_a_sentence(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    Asked(lab.server)
    identity = await lab.pending(concurrency=2, fresh=True)
    database = lab.workbench.access.database
    await database.write(lambda c: c.execute("PRAGMA busy_timeout = 300"))
    run = asyncio.create_task(lab.run(identity))
    await lab.until(identity, 1)
    other = await asyncio.to_thread(hold, lab.folder / "workspace.db")
    # The lock is let go once it was met; the end can be written down then.
    await asyncio.sleep(0.9)
    other.rollback()
    other.close()
    stopped = await run
    assert stopped.status == "failed"
    assert "locked by another program" in str(stopped.error)
    finished = stopped.progress.finished
    await check_written_once(lab, identity, finished)
    assert (await lab.reopened(identity)).status == "completed"
