"""The store's benchmark runs, and what it measures is right; nothing here asserts how long anything takes."""

from pathlib import Path

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.local.workbench import open_local
from tests.benchmarks import store_rows
from tests.benchmarks.store_speed import HEAD, measured, printed

RUNS = 1500


async def test_a_small_benchmark(tmp_path: Path) -> None:
    lines = await measured(tmp_path / "w", RUNS, rounds=5, verdicts=10)
    table = printed(lines)
    assert table.splitlines()[0].split()[-1] == HEAD[-1]
    assert len(lines) > 25
    assert all(line.p50 > 0 and line.p99 >= line.p50 for line in lines if not line.name.startswith("  "))
    bench, made = await open_local(tmp_path / "w")
    assert not made
    assert await bench.runs.count(RunFilter()) == RUNS
    number = RUNS // 3
    code = store_rows.code(number)
    for text in (code, code[1:], f'"{code[:5]}"'):
        found = await bench.runs.list(RunFilter(text=text), limit=100)
        assert store_rows.run_id(number) in {each.id for each in found.data}, text
    judged = await bench.runs.count(RunFilter(judged=True))
    assert RUNS / 30 < judged < RUNS / 5
    listed = await bench.runs.list(RunFilter(judged=True), limit=1000)
    assert len(listed.data) == judged
    await bench.close()
