"""Child processes that judge in a workspace until they are killed, and what must hold afterwards."""

import asyncio
import multiprocessing
import os
import random
import signal
import sqlite3
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import NamedTuple

from kindgi_tui.domain.judgments import ItemRef, Verdict
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.local.store.judgments import add_judgment
from kindgi_tui.local.workbench import FILE_NAME, LocalWorkbench, open_local
from tests.local.store.making import run

RUNS = 40
"""How many runs the child goes through, three items each, again and again."""

ITEMS = ("a", "b", "/output/articles/2")


def processes() -> ForkServerContext:
    """Starts processes that have everything imported: each is there in a moment."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.judging"])
    return context


async def make(folder: Path, ids: Sequence[str]) -> None:
    bench, _ = await open_local(folder)
    project = (await bench.projects.get()).id
    await bench.runs.add([run(id=each, project_id=project) for each in ids])
    await bench.close()


def verdict_on(run_id: str, key: str, verdict: Verdict) -> NewJudgment:
    place = ITEMS.index(key)
    return NewJudgment(
        run_id=run_id,
        item=ItemRef(key=key, pointer=f"/output/articles/{place}", rank=place),
        verdict=verdict,
        reason=str(random.random()),
    )


def judge_for_ever(folder: str, ids: Sequence[str], seed: int, how: str, told: Connection) -> None:
    """The child: judges at random and tells each acknowledged judgment as (its id, run, item, reason).

    `how`: `outside` waits to be killed; `committed:N` dies after the commit of the N-th judgment, before anybody
    is told; `within:N` dies in the middle of the N-th one's transaction.
    """
    asyncio.run(_judge(Path(folder), ids, random.Random(seed), how, told))


async def _judge(folder: Path, ids: Sequence[str], rng: random.Random, how: str, told: Connection) -> None:
    bench, _ = await open_local(folder)
    kind, _, number = how.partition(":")
    told.send("ready")
    for count in range(1_000_000):
        new = verdict_on(rng.choice(ids), rng.choice(ITEMS), rng.choice(["yes", "no"]))
        if kind == "within" and count == int(number):
            await bench.access.database.write(lambda c, new=new: _die_within(c, bench, new))  # type: ignore[misc]
        made = await bench.judgments.add(new)
        if kind == "committed" and count == int(number):
            os.kill(os.getpid(), signal.SIGKILL)
        told.send((made.id, made.run_id, made.item.key, made.reason))


def _die_within(connection: sqlite3.Connection, bench: LocalWorkbench, new: NewJudgment) -> None:
    add_judgment(connection, new, bench.access.person)
    os.kill(os.getpid(), signal.SIGKILL)


def heard(told: Connection) -> list[tuple[str, str, str, str]]:
    """Everything the child told before it died."""
    found: list[tuple[str, str, str, str]] = []
    try:
        while told.poll():
            message = told.recv()
            if isinstance(message, tuple):
                found.append(message)
    except (EOFError, OSError):
        pass
    return found


def broken(folder: Path) -> list[str]:
    """What of a workspace doesn't hold together; nothing, when it is as it must be."""
    connection = sqlite3.connect(folder / FILE_NAME)
    checks = {
        "the file is damaged": "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
        "an item has two live judgments": (
            "SELECT run FROM judgments WHERE ended IS NULL GROUP BY run, item_key, asserter, participant "
            "HAVING count(*) > 1"
        ),
        "a run's count is wrong": (
            "SELECT id FROM runs r WHERE judgments <> (SELECT count(*) FROM judgments j WHERE j.run = r.seq "
            "AND j.ended IS NULL) OR judged <> (judgments > 0)"
        ),
        "a judgment was made twice": "SELECT reason FROM judgments GROUP BY reason HAVING count(*) > 1",
        "an ended one has no successor": "SELECT id FROM judgments WHERE ended IS NOT NULL AND superseded_by IS NULL",
        "a link leads nowhere": (
            "SELECT id FROM judgments WHERE superseded_by IS NOT NULL "
            "AND superseded_by NOT IN (SELECT id FROM judgments)"
        ),
        "the kept counts are wrong": (
            "SELECT 1 WHERE (SELECT sum(count) FROM run_counts WHERE judged = 1) <> (SELECT sum(judged) FROM runs)"
        ),
    }
    found = [name for name, query in checks.items() if connection.execute(query).fetchone() is not None]
    connection.close()
    return found


class Stored(NamedTuple):
    """One judgment as it stands in the file."""

    run_id: str
    key: str
    live: bool


def stored(folder: Path) -> dict[str, Stored]:
    """Every judgment by id."""
    connection = sqlite3.connect(folder / FILE_NAME)
    rows = connection.execute(
        "SELECT j.id, r.id, j.item_key, j.ended IS NULL FROM judgments j JOIN runs r ON r.seq = j.run"
    ).fetchall()
    connection.close()
    return {identity: Stored(run_id, key, bool(live)) for identity, run_id, key, live in rows}
