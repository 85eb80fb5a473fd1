"""What SQLite itself allows: the same questions through plain sqlite3 and aiosqlite, without our models."""

import asyncio
import random
import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.local.store.run_filters import branches
from kindgi_tui.local.store.runs import RUN_COLUMNS, RUN_JOINS

PRAGMAS = ("synchronous=FULL", "cache_size=-16000", "mmap_size=1073741824", "temp_store=MEMORY")
LIMIT = 100

Question = tuple[str, Sequence[object]]

_JUDGE: tuple[str, ...] = (
    "INSERT INTO judgments (run, label, note, made_at) VALUES (?, 'yes', 'a short note on why', 1)",
    "UPDATE runs SET judged = judged + 1 WHERE seq = ?",
    "UPDATE agent_counts SET unjudged = unjudged - 1 WHERE agent = ? % 12",
)


def aiosqlite() -> ModuleType | None:
    try:
        import aiosqlite as found
    except ImportError:
        return None
    return found


def page_question(
    connection: sqlite3.Connection, query: RunFilter, place: tuple[int, int] | None = None
) -> Question:
    """The page's first branch as one plain statement."""
    branch = branches(connection, query, place)[0]
    where, values = branch.where()
    created, seq = branch.order
    return (
        f"SELECT {RUN_COLUMNS} FROM {branch.source} {RUN_JOINS} WHERE {where} "
        f"ORDER BY {created} DESC, {seq} DESC LIMIT {LIMIT}",
        values,
    )


def search_question(index: str, match: str) -> Question:
    return (
        f"SELECT {RUN_COLUMNS} FROM runs r {RUN_JOINS} WHERE r.seq IN (SELECT rowid FROM {index} "
        f"WHERE {index} MATCH ? ORDER BY rowid DESC LIMIT {LIMIT}) ORDER BY r.seq DESC",
        (match,),
    )


def make_judging_file(path: Path, runs: int) -> None:
    """A bare file to judge in: runs, judgments, a kept count; nothing else."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=OFF")
    connection.executescript(
        "CREATE TABLE runs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, agent INTEGER, judged INTEGER, "
        "input TEXT); CREATE TABLE judgments (seq INTEGER PRIMARY KEY, run INTEGER, label TEXT, note TEXT, "
        "made_at INTEGER); CREATE TABLE agent_counts (agent INTEGER PRIMARY KEY, unjudged INTEGER);"
    )
    connection.execute("BEGIN")
    text = "a text of the length that a list shows of a run " * 3
    connection.executemany(
        "INSERT INTO runs VALUES (?, ?, ?, 0, ?)",
        ((seq, f"01J{seq:023d}", seq % 12, text) for seq in range(1, runs + 1)),
    )
    connection.execute("INSERT INTO agent_counts SELECT agent, count(*) FROM runs GROUP BY agent")
    connection.execute("COMMIT")
    connection.executescript(
        "CREATE INDEX judgments_run ON judgments (run); PRAGMA wal_checkpoint(TRUNCATE);"
    )
    connection.close()


class Floor(Protocol):
    """One way to ask SQLite."""

    async def ask(self, question: Question) -> None: ...

    async def judge(self, run: int) -> None: ...


class Plain:
    """sqlite3 called from the coroutine, which it blocks."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for pragma in PRAGMAS:
            self._connection.execute(f"PRAGMA {pragma}")

    async def ask(self, question: Question) -> None:
        self._connection.execute(question[0], tuple(question[1])).fetchall()

    async def judge(self, run: int) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        for statement in _JUDGE:
            self._connection.execute(statement, (run,))
        self._connection.execute("COMMIT")

    async def close(self) -> None:
        self._connection.close()


class Aio:
    """aiosqlite: a hop to its thread for each call."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @classmethod
    async def opened(cls, module: ModuleType, path: Path) -> "Aio":
        connection = await module.connect(path, isolation_level=None)
        for pragma in PRAGMAS:
            await connection.execute(f"PRAGMA {pragma}")
        return cls(connection)

    async def ask(self, question: Question) -> None:
        await self._connection.execute_fetchall(question[0], tuple(question[1]))

    async def judge(self, run: int) -> None:
        await self._connection.execute("BEGIN IMMEDIATE")
        for statement in _JUDGE:
            await self._connection.execute(statement, (run,))
        await self._connection.execute("COMMIT")

    async def close(self) -> None:
        await self._connection.close()


async def timed(count: int, work: Callable[[int], Awaitable[object]], warm: int = 2) -> list[float]:
    """Milliseconds of each of `count` calls, after `warm` that don't count."""
    spent: list[float] = []
    for number in range(-warm, count):
        start = time.perf_counter()
        await work(number)
        if number >= 0:
            spent.append((time.perf_counter() - start) * 1000)
    return spent


async def judging_floor(floor: Floor, runs: int, count: int) -> list[float]:
    rng = random.Random(11)
    return await timed(count, lambda _: floor.judge(rng.randrange(runs) + 1))


async def longest_pauses(work: Awaitable[object]) -> list[float]:
    """How long a task that wants to run every millisecond had to wait, while `work` ran."""
    task = asyncio.ensure_future(work)
    pauses: list[float] = []
    while not task.done():
        start = time.perf_counter()
        await asyncio.sleep(0.001)
        pauses.append((time.perf_counter() - start) * 1000)
    await task
    return pauses
