"""Following a comparison: looks that are few and never late, what it comes to so far, being told of its end."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison, ComparisonEvent
from kindgi_tui.session.following import Look, Pace, Watcher, ended_sentence, looks
from kindgi_tui.workbench import NotFound, Workbench
from tests.session.comparing import CHARGE, PACKAGE, PASSWORD, compared, docs_of, freeze, make_compared, start
from tests.workspaces import copy_workspace


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo with a comparison, made once."""
    folder = tmp_path_factory.mktemp("demo") / "workspace"
    asyncio.run(make_compared(folder))
    return folder


@pytest.fixture
def demo(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    folder = tmp_path / "workspace"
    copy_workspace(made, folder)
    return folder


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_rate_is_that_of_the_last_seconds() -> None:
    clock = Clock()
    pace = Pace(clock)
    assert pace.rate() is None
    pace.count(0)
    assert (pace.rate(), pace.left(100)) == (None, None)
    clock.now = 10
    pace.count(20)
    assert (pace.rate(), pace.left(100)) == (2.0, 40.0)
    # A slow stretch: after twenty seconds the fast one counts no more.
    clock.now = 30
    pace.count(30)
    assert pace.rate() == 0.5
    assert pace.left(20) == 0
    # It was resumed: what finished before isn't counted as done in no time.
    clock.now = 31
    pace.count(5)
    assert pace.rate() is None


def progress_of(comparison: Comparison, finished: int, status: str = "running") -> Comparison:
    progress = comparison.progress.model_copy(update={"finished": finished, "repetitions": 200})
    return comparison.model_copy(update={"progress": progress, "status": status, "result": None})


class Burst:
    """Comparisons that tell of 200 repetitions in a burst, and then of the end."""

    def __init__(self, comparison: Comparison, pause: float) -> None:
        self.comparison, self.pause = comparison, pause
        self.asked: list[int] = []
        self.finished = 0

    async def follow(self, comparison_id: str) -> AsyncIterator[ComparisonEvent]:
        for self.finished in range(1, 201):
            yield ComparisonEvent(kind="progress", comparison=progress_of(self.comparison, self.finished))
            await asyncio.sleep(0.001)
        await asyncio.sleep(self.pause)
        end = progress_of(self.comparison, 200, "completed").model_copy(update={"result": {"at": "its end"}})
        yield ComparisonEvent(kind="end", comparison=end)

    async def partial(self, comparison_id: str) -> Json:
        self.asked.append(self.finished)
        return {"so far": self.finished}


async def test_looks_are_few_never_stale_and_the_end_comes_at_once(demo: Path) -> None:
    async with docs_of(demo) as docs:
        done = await compared(docs)
    burst = Burst(done, pause=0.5)
    workbench = cast(Workbench, SimpleNamespace(comparisons=burst))
    seen = [look async for look in looks(workbench, done.id, hz=10)]
    # 200 events in a fifth of a second and a pause: some looks, not two hundred.
    assert 3 <= len(seen) <= 12
    # The last event before the pause is shown too, though it came too early for a look of its own.
    assert seen[-2].comparison.progress.finished == 200
    assert seen[-2].result == {"so far": 200}
    assert seen[-1].ended
    assert seen[-1].result == {"at": "its end"}
    assert len(burst.asked) == len(set(burst.asked))


async def test_leaving_ends_the_following(demo: Path) -> None:
    async with docs_of(demo) as docs:
        done = await compared(docs)
    burst = Burst(done, pause=60)
    workbench = cast(Workbench, SimpleNamespace(comparisons=burst))
    before = asyncio.all_tasks()
    seen = looks(workbench, done.id, hz=50)
    async for _ in seen:
        break
    await cast(Any, seen).aclose()
    assert asyncio.all_tasks() == before


async def test_a_real_comparison_is_followed_to_its_result(demo: Path) -> None:
    async with docs_of(demo) as docs:
        started = await start(docs, repetitions=10, concurrency=1)
        seen = [look async for look in looks(docs, started.id, hz=20)]
        stored = await docs.comparisons.get(started.id)
    assert seen[-1] == Look(comparison=stored, result=stored.result)
    finished = [look.comparison.progress.finished for look in seen]
    assert finished == sorted(finished)
    assert finished[-1] == 30


async def test_following_nothing_is_not_found(demo: Path) -> None:
    async with docs_of(demo) as docs:
        with pytest.raises(NotFound):
            async for _ in looks(docs, "00000000-0000-4000-8000-000000000000"):
                pass


def part(result: Json, *steps: str) -> Any:
    for step in steps:
        assert isinstance(result, dict)
        result = result[step]
    return result


async def test_what_it_comes_to_so_far(demo: Path) -> None:
    async with docs_of(demo) as docs:
        done = await compared(docs)
        frozen = freeze(demo, done.id, without=(CHARGE, PASSWORD, PACKAGE))
        assert await docs.comparisons.partial(done.id) is None
        frozen.thaw()
        # Two of three cases: 2 of 6 judged items yes before, both kept ones now.
        frozen = freeze(demo, done.id, without=(PACKAGE,))
        so_far = await docs.comparisons.partial(done.id)
        assert {case["caseId"] for case in part(so_far, "perCase")} == {CHARGE, PASSWORD}
        rate = part(so_far, "summary", "metrics", "weightedYesShare")
        assert (rate["baseline"], rate["candidate"], rate["n"]) == (1 / 3, 1, 2)
        assert part(so_far, "ours", "intervals", "pass_rate", "word") == "too few cases"
        assert "It ended early" not in part(so_far, "ours", "headline")
        assert await docs.comparisons.partial(done.id) is so_far
        frozen.thaw()
        # All of them: what the end says, but for the intervals, which are bootstrapped there.
        frozen = freeze(demo, done.id)
        whole = await docs.comparisons.partial(done.id)
        assert part(whole, "perCase") == part(done.result, "perCase")
        assert part(whole, "ours", "cases") == part(done.result, "ours", "cases")
        for name in ("metrics", "sampling", "diverged", "refusedWrites", "cases"):
            assert part(whole, "summary", name) == part(done.result, "summary", name)
        frozen.thaw()
        assert await docs.comparisons.partial(done.id) == done.result


def watching() -> list[str]:
    """The tasks that wait for an end."""
    return [name for task in asyncio.all_tasks() if (name := task.get_name()).startswith("watch ")]


async def test_one_is_told_once_of_an_end(demo: Path) -> None:
    async with docs_of(demo) as docs:
        told: list[Comparison] = []
        done = asyncio.Event()

        def ended(comparison: Comparison) -> None:
            told.append(comparison)
            done.set()

        watcher = Watcher(docs, ended)
        started = await start(docs, "0.3.0")
        watcher.watch(started.id)
        watcher.watch(started.id)
        watcher.watch("00000000-0000-4000-8000-000000000000")
        assert len(watching()) == 2
        await asyncio.wait_for(done.wait(), 30)
        for _ in range(200):
            if watching():
                await asyncio.sleep(0.01)
        assert not watching()
        assert [one.id for one in told] == [started.id]
        assert ended_sentence(told[0]) == (
            "The comparison of acme-ops.article-picker 0.3.0 is done. People's judgments rate "
            "acme-ops.article-picker 0.3.0 better than the recorded runs: 33% yes before, 100% now, on the 3 of 3 "
            "cases with answers people judged."
        )
        # One that is watched when the program ends is left alone.
        frozen = freeze(demo, started.id)
        watcher.watch(started.id)
        await watcher.close()
        assert not watching()
        assert len(told) == 1
        frozen.thaw()


def test_ends_in_words() -> None:
    def ended(status: str, **more: Any) -> str:
        request = SimpleNamespace(agent_id="a.b", flow_id=None, subject_version="1.0.0")
        given: dict[str, Any] = {"request": request, "status": status, "result": None, "error": None, **more}
        return ended_sentence(cast(Comparison, SimpleNamespace(**given)))

    assert ended("failed", error="Interrupted.") == "The comparison of a.b 1.0.0 failed: Interrupted."
    assert ended("cancelled", cancel_reason="cost-limit").endswith("its cost limit was reached.")
    assert ended("cancelled", cancel_reason="person").endswith("it was cancelled.")
    # "0.2.0" in a headline is no end of a sentence.
    told = ended("completed", result={"ours": {"headline": "People rate a 0.2.0 better. In 1 case it read."}})
    assert told == "The comparison of a.b 1.0.0 is done. People rate a 0.2.0 better."
