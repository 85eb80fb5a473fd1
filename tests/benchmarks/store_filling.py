"""Fills a workspace with synthetic runs through the store's own functions, and says how long each step took."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from kindgi_tui.local.store.judgments import add_judgment
from kindgi_tui.local.store.run_search import index_for_search, search_is_behind
from kindgi_tui.local.store.runs import insert_runs
from kindgi_tui.local.workbench import FILE_NAME, LocalWorkbench
from tests.benchmarks import store_rows

BATCH = 2000
PROJECTS = ("Second", "Third")


def _batches(runs: int) -> Iterator[range]:
    for start in range(0, runs, BATCH):
        yield range(start, min(start + BATCH, runs))


async def fill(bench: LocalWorkbench, folder: Path, runs: int) -> dict[str, float]:
    """Makes the projects, the runs, the search in their text, and a judgment of every tenth run or so.

    Gives microseconds a run (or a judgment) of each step, and the file's bytes a run.
    """
    database = bench.access.database
    for name in PROJECTS:
        await bench.projects.add(name)
    projects = [each.id for each in await bench.projects.list()]
    person = bench.access.person
    spent = dict.fromkeys(("making", "recording", "search", "judging"), 0.0)
    judged = 0
    for numbers in _batches(runs):
        start = time.perf_counter()
        made = list(store_rows.rows(numbers.start, numbers.stop, projects))
        said = [store_rows.verdict(each.id) for each in made if store_rows.judged(each, projects[0])]
        recording = time.perf_counter()
        await database.write(lambda c, made=made: insert_runs(c, made))  # type: ignore[misc]
        indexing = time.perf_counter()
        while await database.read(search_is_behind):
            await database.write(index_for_search)
        judging = time.perf_counter()
        await database.write(lambda c, said=said: [add_judgment(c, each, person) for each in said])  # type: ignore[misc]
        done = time.perf_counter()
        judged += len(said)
        for step, began, ended in (
            ("making", start, recording),
            ("recording", recording, indexing),
            ("search", indexing, judging),
            ("judging", judging, done),
        ):
            spent[step] += ended - began
    size = os.path.getsize(folder / FILE_NAME)  # noqa: ASYNC240, PTH202 - nothing else runs here
    return {
        **{f"{step}, µs each": 1e6 * spent[step] / runs for step in ("making", "recording", "search")},
        "judging in batches, µs each": 1e6 * spent["judging"] / max(judged, 1),
        "judged runs": judged,
        "bytes a run": size / runs,
        "whole, s": sum(spent.values()),
    }
