"""Several processes in one workspace: making it at the same moment, judging the same items."""

import asyncio
import sqlite3
import time
from collections import Counter
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from kindgi_tui.local.workbench import FILE_NAME, open_local
from tests.faults.judging import ITEMS, broken, make, processes, verdict_on


def _judge(folder: str, me: int, count: int, start: Barrier, told: Connection) -> None:
    async def judge() -> list[tuple[str, str]]:
        bench, _ = await open_local(Path(folder))
        start.wait(30)
        done: list[tuple[str, str]] = []
        for number in range(count):
            # A tenth of the items is everybody's.
            run_id = f"run-shared-{number // 10}" if number % 10 == 0 else f"run-{me}-{number:05d}"
            key = ITEMS[number % 3]
            await bench.judgments.add(verdict_on(run_id, key, "yes" if (number + me) % 2 else "no"))
            done.append((run_id, key))
        await bench.close()
        return done

    told.send(asyncio.run(judge()))


async def _together(folder: Path, each: int) -> None:
    shared = [f"run-shared-{number}" for number in range(each // 10 + 1)]
    own = [f"run-{me}-{number:05d}" for me in (0, 1) for number in range(each)]
    await make(folder, shared + own)
    context = processes()
    start = context.Barrier(2)
    pipes = [context.Pipe(duplex=False) for _ in range(2)]
    children = [
        context.Process(target=_judge, args=(str(folder), me, each, start, pipes[me][1]), daemon=True)
        for me in range(2)
    ]
    for child in children:
        child.start()
    items: Counter[tuple[str, str]] = Counter()
    for here, _ in pipes:
        assert here.poll(120), "a process failed"
        items.update(here.recv())
    for child in children:
        child.join(30)
        assert child.exitcode == 0
    assert broken(folder) == []
    connection = sqlite3.connect(folder / FILE_NAME)
    live = connection.execute(
        "SELECT r.id, j.item_key FROM judgments j JOIN runs r ON r.seq = j.run WHERE j.ended IS NULL"
    ).fetchall()
    made = connection.execute("SELECT count(*) FROM judgments").fetchone()[0]
    connection.close()
    assert sorted(live) == sorted(items), "exactly one live judgment per item and person"
    assert made == items.total() == 2 * each
    assert max(items.values()) == 2


async def test_two_processes_judge_together(tmp_path: Path) -> None:
    await _together(tmp_path / "w", 200)


@pytest.mark.long
async def test_two_processes_make_2000_judgments(tmp_path: Path) -> None:
    await _together(tmp_path / "w", 1000)


def _open(folder: str, moment: float, told: Connection) -> None:
    async def opened() -> str:
        while time.monotonic() < moment:
            pass
        bench, _ = await open_local(Path(folder))
        project = await bench.projects.get()
        await bench.close()
        return project.id

    try:
        told.send(asyncio.run(opened()))
    except Exception as cause:
        told.send(cause)


def _opened_together(folder: Path, count: int) -> list[object]:
    context = processes()
    pipes = [context.Pipe(duplex=False) for _ in range(count)]
    moment = time.monotonic() + 0.15
    children = [
        context.Process(target=_open, args=(str(folder), moment, there), daemon=True) for _, there in pipes
    ]
    for child in children:
        child.start()
    answers = []
    for here, _ in pipes:
        assert here.poll(30)
        answers.append(here.recv())
    for child in children:
        child.join(30)
    return answers


@pytest.mark.parametrize("attempt", range(8))
def test_processes_make_the_same_workspace_at_the_same_moment(tmp_path: Path, attempt: int) -> None:
    """All of them open it, and it has one default project and one of everything else."""
    answers = _opened_together(tmp_path / "new" / "w", 2 + attempt % 3)
    assert len(set(map(str, answers))) == 1
    assert len(str(answers[0])) == 36, answers[0]
    connection = sqlite3.connect(tmp_path / "new" / "w" / FILE_NAME)
    assert connection.execute("SELECT count(*) FROM projects").fetchone() == (1,)
    assert connection.execute("SELECT count(*) FROM people").fetchone() == (1,)
    connection.close()
