"""How fast the store is beside what SQLite itself allows (DESIGN section 15).

    python -m tests.benchmarks.store_speed --runs 1000000 --folder DIR [--json FILE]

The folder is filled at the first time (a million runs: about ten minutes), then only measured.
"""

import argparse
import asyncio
import json
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.runs import Segment
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.store.run_lists import list_runs
from kindgi_tui.local.store.values import cursor_of, to_ms
from kindgi_tui.local.workbench import FILE_NAME, LocalWorkbench, open_local
from tests.benchmarks import store_floors as floors
from tests.benchmarks import store_rows
from tests.benchmarks.store_filling import fill

FILLED = "filled.json"
JUDGING = "judging-floor.db"


@dataclass
class Line:
    """One line of the table, in milliseconds."""

    name: str
    p50: float
    p99: float
    sqlite3: float | None = None
    aiosqlite: float | None = None
    goal: str = ""

    def cells(self) -> tuple[str, ...]:
        against = self.aiosqlite or self.sqlite3
        return (
            self.name,
            f"{self.p50:.2f}",
            f"{self.p99:.2f}",
            f"{self.sqlite3:.2f}" if self.sqlite3 is not None else "",
            f"{self.aiosqlite:.2f}" if self.aiosqlite is not None else "",
            f"{self.p50 / against:.1f}" if against else "",
            self.goal,
        )


HEAD = ("what", "p50 ms", "p99 ms", "sqlite3", "aiosqlite", "× floor", "goal")


def p99(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]


class Benchmark:
    """The workspace under measurement, with its floors open beside it."""

    def __init__(self, bench: LocalWorkbench, folder: Path, runs: int, rounds: int) -> None:
        self.bench, self.folder, self.runs, self.rounds = bench, folder, runs, rounds
        self.lines: list[Line] = []
        self.project = ""

    async def open(self) -> None:
        self.project = (await self.bench.projects.get()).id
        module = floors.aiosqlite()
        self.plain = floors.Plain(self.folder / FILE_NAME)
        self.aio = await floors.Aio.opened(module, self.folder / FILE_NAME) if module else None
        self.judging = floors.Plain(self.folder / JUDGING)
        self.aio_judging = await floors.Aio.opened(module, self.folder / JUDGING) if module else None

    async def close(self) -> None:
        for each in (self.plain, self.aio, self.judging, self.aio_judging):
            if each is not None:
                await each.close()

    async def beside(
        self, name: str, goal: str, work: Callable[[int], Awaitable[object]], question: floors.Question
    ) -> None:
        """Measures our call and the same question on the floors, turn by turn, so that all meet the same weather."""
        ours: list[float] = []
        plain: list[float] = []
        aio: list[float] = []
        for _ in range(5):
            ours += await floors.timed(self.rounds // 5, work)
            plain += await floors.timed(self.rounds // 5, lambda _: self.plain.ask(question))
            if self.aio is not None:
                aio += await floors.timed(self.rounds // 5, lambda _: self.aio.ask(question))  # type: ignore[union-attr]
        medians = [statistics.median(values) if values else None for values in (plain, aio)]
        self.lines.append(Line(name, statistics.median(ours), p99(ours), medians[0], medians[1], goal))

    async def pages(self) -> None:
        middle = store_rows.START + store_rows.STEP * (self.runs // 2)
        asked: dict[str, dict[str, object]] = {
            "no filter but the project": {},
            "every project": {"project_id": None},
            "agent": {"subject_id": "acme.agent-3"},
            "agent's version": {"subject_id": "acme.agent-3", "subject_version": "0.0.0"},
            "kind": {"subject_kind": "agent"},
            "status": {"statuses": ("failed",)},
            "judged": {"judged": True},
            "not judged": {"judged": False},
            "path": {"segments": (Segment(key="company", value="c7"),)},
            "until a time": {"created_until": middle},
            "source": {"source": "kindgi-jsonl"},
            "replays": {"replays": "include"},
        }
        for name, changes in asked.items():
            query = RunFilter.model_validate({"project_id": self.project, **changes})
            question = await self.bench.access.read(lambda c, query=query: floors.page_question(c, query))  # type: ignore[misc]
            await self.beside(
                f"page of 100: {name}",
                "5",
                lambda _, query=query: self.bench.runs.list(query, limit=floors.LIMIT),  # type: ignore[misc]
                question,
            )
        await self.deep_pages()

    async def deep_pages(self) -> None:
        rng = random.Random(3)
        query = RunFilter(project_id=self.project, judged=False)

        def place() -> tuple[int, int]:
            number = rng.randrange(self.runs)
            return to_ms(store_rows.START + store_rows.STEP * number), number

        async def ours(_: int) -> None:
            await self.bench.runs.list(query, limit=floors.LIMIT, cursor=cursor_of(*place()))

        async def bare(_: int) -> None:
            here = place()
            question = await self.bench.access.read(lambda c: floors.page_question(c, query, here))
            await self.plain.ask(question)

        spent = await floors.timed(self.rounds, ours)
        floor = statistics.median(await floors.timed(self.rounds, bare))
        name = "page of 100: not judged, any depth"
        self.lines.append(Line(name, statistics.median(spent), p99(spent), floor, goal="5"))

    async def counts(self) -> None:
        question = (
            "SELECT sum(count) FROM run_counts WHERE project = (SELECT seq FROM projects WHERE is_default = 1) "
            "AND is_replay = 0 AND judged = 0",
            (),
        )
        query = RunFilter(project_id=self.project, judged=False)
        await self.beside("count: not judged", "kept", lambda _: self.bench.runs.count(query), question)

    async def searches(self) -> None:
        code = store_rows.code(self.runs // 3)
        asked = [
            ("a common word", "refund", "run_words", '"refund"*'),
            ("a common beginning", "refu", "run_words", '"refu"*'),
            ("two common words", "order refund", "run_words", '"order" AND "refund"*'),
            ("a middling word", "baraness", "run_words", '"baraness"*'),
            ("a rare word", code[1:], "run_words", f'"{code[1:]}"*'),
            ("a common substring", '"efun"', "run_trigrams", '"efu" AND "fun"'),
            ("three characters", '"efu"', "run_trigrams", '"efu"'),
            (
                "a rare substring",
                code,
                "run_trigrams",
                " AND ".join(f'"{code[n : n + 3]}"' for n in range(5)),
            ),
            (
                "across two words",
                "und plea",
                "run_trigrams",
                '"und" AND "nd " AND "d p" AND " pl" AND "ple" AND "lea"',
            ),
            ("nothing", "zzzzz", "run_words", '"zzzzz"*'),
        ]
        for name, text, index, match in asked:
            query = RunFilter(project_id=self.project, text=text)
            await self.beside(
                f"search: {name}",
                "20",
                lambda _, query=query: self.bench.runs.list(query, limit=floors.LIMIT),  # type: ignore[misc]
                floors.search_question(index, match),
            )

    async def verdicts(self, count: int) -> None:
        ids = [store_rows.run_id(number) for number in range(self.runs) if number % 11]
        rng = random.Random()
        turns = 20 if count >= 200 else 2

        async def ours_once(_: int) -> None:
            new = store_rows.verdict(rng.choice(ids), rng.randrange(3))
            # A reason of its own: what was said before would be answered without a commit.
            await self.bench.judgments.add(new.model_copy(update={"reason": f"a short note {rng.random()}"}))

        ours: list[float] = []
        plain: list[float] = []
        aio: list[float] = []
        for _ in range(turns):
            ours += await floors.timed(count // turns, ours_once)
            plain += await floors.judging_floor(self.judging, self.runs, count // turns)
            if self.aio_judging is not None:
                aio += await floors.judging_floor(self.aio_judging, self.runs, count // turns)
        medians = [statistics.median(values) if values else None for values in (plain, aio)]
        self.lines.append(
            Line(
                "a judgment, acknowledged",
                statistics.median(ours),
                p99(ours),
                medians[0],
                medians[1],
                "p99 3",
            )
        )
        tails = [p99(values) if values else None for values in (plain, aio)]
        self.lines.append(
            Line("  the same, p99 beside the floors' p99", p99(ours), max(ours), tails[0], tails[1], "3")
        )

    async def build(self) -> None:
        request = BuildRequest(
            test_set_id="bench.set",
            version="1.0.0",
            project_id=self.project,
            agent_id=store_rows.JUDGED_AGENT,
        )
        versions = iter(range(int(time.time()), 2**62))
        sizes: list[int] = []

        async def one(_: int) -> None:
            fresh = request.model_copy(update={"version": f"1.0.{next(versions)}"})
            sizes.append((await self.bench.test_sets.build(fresh)).available)

        spent = await floors.timed(5, one, warm=1)
        name = f"test set: 1,000 of {sizes[0]:,} judged runs"
        self.lines.append(Line(name, statistics.median(spent), max(spent), goal="3000"))

    async def opening(self) -> None:
        query = RunFilter(project_id=self.project)

        async def ours(_: int) -> None:
            bench, _made = await open_local(self.folder)
            await bench.runs.list(query, limit=floors.LIMIT)
            await bench.close()

        question = await self.bench.access.read(lambda c: floors.page_question(c, query))

        async def bare(_: int) -> None:
            plain = floors.Plain(self.folder / FILE_NAME)
            await plain.ask(question)
            await plain.close()

        spent = await floors.timed(20, ours)
        floor = statistics.median(await floors.timed(20, bare))
        self.lines.append(Line("open and first page", statistics.median(spent), p99(spent), floor))

    async def pauses(self) -> None:
        async def searching() -> None:
            for text in ("refund", '"efun"', "refu", "und plea"):
                await self.bench.runs.list(RunFilter(project_id=self.project, text=text), limit=floors.LIMIT)

        async def paging() -> None:
            for _ in range(30):
                await self.bench.runs.list(RunFilter(project_id=self.project), limit=floors.LIMIT)

        async def idle() -> None:
            await asyncio.sleep(0.5)

        for name, work in (("nothing", idle), ("30 pages", paging), ("4 searches", searching)):
            spent = await floors.longest_pauses(work())
            self.lines.append(
                Line(f"event loop's 1 ms tick during {name}", statistics.median(spent), max(spent))
            )


def printed(lines: list[Line]) -> str:
    rows = [HEAD, *(line.cells() for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if not column else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


async def measured(folder: Path, runs: int, rounds: int, verdicts: int) -> list[Line]:
    """Fills the folder when it is new, and measures. Checks that what is measured is right."""
    bench, made = await open_local(folder)
    try:
        if made:
            facts = await fill(bench, folder, runs)
            (folder / FILLED).write_text(json.dumps(facts, indent=1))
        if not (folder / JUDGING).exists():
            floors.make_judging_file(folder / JUDGING, runs)
        benchmark = Benchmark(bench, folder, runs, rounds)
        await benchmark.open()
        whole = await bench.access.read(lambda c: list_runs(c, RunFilter(), floors.LIMIT, None))
        assert len(whole.data) == min(floors.LIMIT, runs)
        await benchmark.pages()
        await benchmark.counts()
        await benchmark.searches()
        await benchmark.verdicts(verdicts)
        await benchmark.build()
        await benchmark.opening()
        await benchmark.pauses()
        await benchmark.close()
    finally:
        await bench.close()
    return benchmark.lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--verdicts", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    lines = asyncio.run(measured(options.folder, options.runs, options.rounds, options.verdicts))
    filled = options.folder / FILLED
    if filled.exists():
        for name, value in json.loads(filled.read_text()).items():
            print(f"filling: {name}: {value:,.0f}")
    print(printed(lines))
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(line) for line in lines], indent=1))


if __name__ == "__main__":
    main()
