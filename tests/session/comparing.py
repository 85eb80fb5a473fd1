"""Comparisons on the demo's `docs` project, and one that stands still while it runs."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kindgi_tui.demo.make import make_demo
from kindgi_tui.domain.comparison_records import Comparison, ComparisonRequest
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.store.values import now_ms
from kindgi_tui.local.workbench import LocalWorkbench, open_local

AGENT = "acme-ops.article-picker"
SET = "acme.article-picks"
CHARGE = "5b0c7f1e-9a34-4d0e-8a55-0f3f3f1f2a02"
PASSWORD = "240c0a0b-542b-4cb1-9156-fe7153a4377a"
PACKAGE = "c9d3a6c4-21d7-4a43-9b8e-6f6f5d4b3a03"


async def make_compared(folder: Path) -> None:
    """A demo with the test set of `docs` built, and 0.2.0 compared on it with two repetitions."""
    await make_demo(folder)
    async with docs_of(folder) as workbench:
        project = (await workbench.projects.get("docs")).id
        await workbench.test_sets.build(
            BuildRequest(test_set_id=SET, version="1.0.0", project_id=project, agent_id=AGENT)
        )
        await compare(workbench, repetitions=2)


@asynccontextmanager
async def docs_of(folder: Path) -> AsyncIterator[LocalWorkbench]:
    """The workbench on a workspace."""
    workbench, _ = await open_local(folder)
    try:
        yield workbench
    finally:
        await workbench.close()


async def compared(workbench: LocalWorkbench) -> Comparison:
    """The comparison that `make_compared` made."""
    oldest = (await workbench.comparisons.list(limit=100)).data[-1]
    return await workbench.comparisons.get(oldest.id)


async def start(workbench: LocalWorkbench, version: str = "0.2.0", **more: Any) -> Comparison:
    """A comparison that was started."""
    project = (await workbench.projects.get("docs")).id
    return await workbench.comparisons.start(
        ComparisonRequest(
            test_set_id=SET, project_id=project, agent_id=AGENT, subject_version=version, **more
        )
    )


async def compare(workbench: LocalWorkbench, version: str = "0.2.0", **more: Any) -> Comparison:
    """A comparison at its end."""
    started = await start(workbench, version, **more)
    async for _ in workbench.comparisons.follow(started.id):
        pass
    return await workbench.comparisons.get(started.id)


class Frozen(NamedTuple):
    """A comparison that was made to look as if it ran on; `thaw` ends it as it was."""

    database: Path
    identity: str
    row: tuple[Any, ...]
    taken: list[tuple[Any, ...]]

    def thaw(self) -> None:
        """It is at its end again."""
        with sqlite3.connect(self.database, timeout=10) as connection:
            places = ", ".join("?" * 9)
            connection.executemany(f"INSERT INTO repetitions VALUES ({places})", self.taken)
            connection.execute(
                "UPDATE comparisons SET status = ?, result = ?, completed = ?, finished = ?, finished_cases = ?, "
                "cached = ?, owner = NULL WHERE id = ?",
                (*self.row, self.identity),
            )
        connection.close()


def freeze(folder: Path, identity: str, without: tuple[str, ...] = ()) -> Frozen:
    """Makes a finished comparison look as if it ran on, with these cases still to come."""
    database = folder / "workspace.db"
    with sqlite3.connect(database, timeout=10) as connection:
        seq, *row = connection.execute(
            "SELECT seq, status, result, completed, finished, finished_cases, cached FROM comparisons WHERE id = ?",
            (identity,),
        ).fetchone()
        taken: list[tuple[Any, ...]] = []
        for case_id in without:
            where = (seq, case_id)
            taken += connection.execute(
                "SELECT * FROM repetitions WHERE comparison = ? AND case_id = ?", where
            ).fetchall()
            connection.execute("DELETE FROM repetitions WHERE comparison = ? AND case_id = ?", where)
        connection.execute(
            "UPDATE comparisons SET status = 'running', result = NULL, completed = NULL, finished = finished - ?, "
            "finished_cases = finished_cases - ?, cached = cached - ?, owner = 'somebody', heartbeat = ? WHERE seq = ?",
            (len(taken), len(without), len(taken), now_ms() + 10_000_000, seq),
        )
    connection.close()
    return Frozen(database, identity, tuple(row), taken)
