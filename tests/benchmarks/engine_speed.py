"""The engine beside a bare loop over the same model layer, in one run (DESIGN section 15).

    python -m tests.benchmarks.engine_speed [--rounds 5] [--cases 500] [--only c50,c50-tools,c10,c10-tools]

Each round times the bare loop and then a whole comparison, from claiming it to its stored result; medians are
told. `intervals` is the part of it in which the 95% intervals are bootstrapped, once at the end whatever the model
takes. Then: memory per finished case, and opening a comparison of 1,000 cases in a process of its own.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kindgi_tui.local.engine import results
from kindgi_tui.local.engine.executor import spare_collections
from kindgi_tui.local.workbench import LocalWorkbench
from tests.benchmarks.engine_workload import (
    Measured,
    add_comparison,
    bare_loop,
    config_for,
    engine_run,
    make_workspace,
    memory_kb,
    model_server,
)

LATENCY_MS = 50.0

WORKLOADS = {
    "c50": (50, False),
    "c50-tools": (50, True),
    "c10": (10, False),
    "c10-tools": (10, True),
}
"""How many cases at once, and whether each calls a tool."""

OPENING = """
import asyncio, json, sys, time
from pathlib import Path
from kindgi_tui.local.workbench import open_local


async def main(folder, identity):
    started = time.perf_counter()
    workbench, _ = await open_local(Path(folder))
    opened = time.perf_counter()
    found = await workbench.comparisons.get(identity)
    first = time.perf_counter()
    assert len(found.result["perCase"]) == 1000
    print(json.dumps([opened - started, first - opened]))
    await workbench.close()


asyncio.run(main(*sys.argv[1:]))
"""


@dataclass
class Rounds:
    """What one workload took, round by round."""

    cases: int
    at_once: int
    tools: bool
    bare: list[Measured] = field(default_factory=list)
    engine: list[Measured] = field(default_factory=list)
    intervals: list[Measured] = field(default_factory=list)

    @property
    def ideal_s(self) -> float:
        """Cases times latency by concurrency."""
        return self.cases * LATENCY_MS / 1000 * (2 if self.tools else 1) / self.at_once

    def row(self, name: str) -> str:
        """A line of the table."""
        bare, engine = _median([each.wall_s for each in self.bare]), _median([e.wall_s for e in self.engine])
        pairs = list(zip(self.bare, self.engine, self.intervals, strict=True))
        factor = _median([e.wall_s / b.wall_s for b, e, _ in pairs])
        without = _median([(e.wall_s - i.wall_s) / b.wall_s for b, e, i in pairs])
        cpu = _median([(e.cpu_s - b.cpu_s) / self.cases * 1000 for b, e, _ in pairs])
        cpu_without = _median([(e.cpu_s - i.cpu_s - b.cpu_s) / self.cases * 1000 for b, e, i in pairs])
        right = min(each.correct for each in self.engine)
        return (
            f"| {name} | {self.ideal_s:.2f} | {bare:.3f} | {engine:.3f} | {factor:.2f} | {without:.2f} | "
            f"{engine / self.ideal_s:.2f} | {cpu:.2f} | {cpu_without:.2f} | {right}/{self.cases} |"
        )


HEAD = (
    "| workload | ideal s | bare s | whole s | x bare | x bare, no intervals | x ideal | CPU ms on top | "
    "CPU ms on top, no intervals | right |\n|---|" + "---:|" * 9
)


def _median(values: Sequence[float]) -> float:
    return statistics.median(values)


class IntervalsTimed:
    """Times the bootstrapping of intervals while it is entered."""

    def __enter__(self) -> list[Measured]:
        self._real = getattr(results, "metric_intervals")  # noqa: B009  # imported there, and patched there
        taken: list[Measured] = []

        def timed(*arguments: Any) -> Any:
            wall, cpu = time.perf_counter(), time.thread_time()
            try:
                return self._real(*arguments)
            finally:
                taken.append(Measured(time.perf_counter() - wall, time.thread_time() - cpu, 0))

        setattr(results, "metric_intervals", timed)  # noqa: B010  # it is the same function, timed
        return taken

    def __exit__(self, *_: object) -> None:
        setattr(results, "metric_intervals", self._real)  # noqa: B010


async def time_workload(
    workbench: LocalWorkbench, folder: Path, cases: int, at_once: int, tools: bool, rounds: int
) -> Rounds:
    """The bare loop and the engine in turn, after one round that is not counted."""
    told = Rounds(cases, at_once, tools)
    with model_server(LATENCY_MS, tools) as url, IntervalsTimed() as intervals:
        config = config_for(url, at_once)
        for number in range(rounds + 1):
            bare = await bare_loop(config, cases, at_once, tools)
            engine = await engine_run(workbench, folder, config, at_once, tools)
            if number:
                told.bare.append(bare)
                told.engine.append(engine)
                told.intervals.append(intervals[-1])
    return told


async def time_workloads(names: Sequence[str], cases: int, rounds: int) -> None:
    """Prints the table of the workloads."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "workspace"
        workbench = await make_workspace(folder, cases)
        print(HEAD)
        for name in names:
            at_once, tools = WORKLOADS[name]
            told = await time_workload(workbench, folder, cases, at_once, tools, rounds)
            print(told.row(name), flush=True)
        await workbench.close()


async def memory_and_opening() -> None:
    """Prints how much memory a finished case keeps, and how long a comparison of 1,000 cases takes to open."""
    with tempfile.TemporaryDirectory() as scratch, model_server(LATENCY_MS, tools=False) as url:
        folder = Path(scratch) / "workspace"
        workbench = await make_workspace(folder, 1000)
        config = config_for(url, 50)
        kept = [await _memory_per_case(workbench, folder, config) for _ in range(3)]
        print(
            f"\nmemory per finished case, 100 to 1,000: {_median(kept[1:]):.2f} KB (first time: {kept[0]:.2f} KB)"
        )
        newest = (await workbench.comparisons.list(limit=1)).data[0]
        await workbench.close()
        taken = []
        for _ in range(5):
            command = [sys.executable, "-c", OPENING, str(folder), newest.id]
            answer = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=True)
            taken.append(json.loads(answer.stdout))
        opening, first = (_median([each[place] for each in taken]) * 1000 for place in (0, 1))
        print(
            f"opening a comparison of 1,000 cases: {first:.0f} ms (after {opening:.0f} ms for the workspace)"
        )


async def _memory_per_case(workbench: LocalWorkbench, folder: Path, config: Any) -> float:
    from kindgi_tui.local.engine.running import run_comparison

    identity = await add_comparison(workbench, config, 50, tools=False)
    run = asyncio.create_task(run_comparison(workbench.access.database, folder, identity, config))
    seen: list[tuple[int, int]] = []

    def finished(connection: Any) -> int:
        row = connection.execute("SELECT finished FROM comparisons WHERE id = ?", (identity,)).fetchone()
        return int(row[0])

    while not run.done():
        done = await workbench.access.read(finished)
        seen.append((done, memory_kb()))
        if done == 1000:
            break
        await asyncio.sleep(0.01)
    await run
    start = next(each for each in seen if each[0] >= 100)
    end = seen[-1]
    return (end[1] - start[1]) / max(1, end[0] - start[0])


def main() -> None:
    """Runs the benchmarks asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--only", default=",".join(WORKLOADS))
    parser.add_argument("--without-memory", action="store_true")
    arguments = parser.parse_args()
    # As the executor does for itself; the bare loop has it too.
    spare_collections()
    asyncio.run(
        time_workloads([n for n in arguments.only.split(",") if n], arguments.cases, arguments.rounds)
    )
    if not arguments.without_memory:
        asyncio.run(memory_and_opening())


if __name__ == "__main__":
    main()
