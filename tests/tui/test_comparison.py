"""Comparisons, a comparison and a case, by keys on a real workspace."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Region
from textual.pilot import Pilot

from kindgi_tui.domain.queries import JudgmentFilter
from kindgi_tui.domain.statistics import Interval
from kindgi_tui.session.reviewing import Measure
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.screens.case.screen import CaseScreen
from kindgi_tui.tui.screens.comparison.screen import ComparisonScreen
from kindgi_tui.tui.screens.comparisons.screen import ComparisonsScreen
from kindgi_tui.tui.screens.judge.screen import JudgeScreen
from kindgi_tui.tui.screens.run.screen import RunScreen
from kindgi_tui.tui.widgets.metric_panel import MetricPanel
from kindgi_tui.tui.widgets.progress_line import ProgressLine
from kindgi_tui.tui.widgets.status_line import StatusLine
from tests.session.comparing import CHARGE, compare, docs_of, freeze, make_compared
from tests.tui.conftest import SIZES, running, shown, until
from tests.workspaces import copy_workspace

LIST = {"screen": "ComparisonsScreen", "start": "comparisons", "project": "docs"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo with a comparison of two repetitions, made once."""
    folder = tmp_path_factory.mktemp("demo") / "workspace"
    asyncio.run(make_compared(folder))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    copy = tmp_path / "workspace"
    copy_workspace(made, copy)
    return copy


def flat(app: WorkbenchApp) -> str:
    """What the screen shows, with its lines joined."""
    return " ".join(shown(app.screen).split())


def status(app: WorkbenchApp) -> str:
    return app.screen.query_one(StatusLine).sentence


async def to_list(app: WorkbenchApp, pilot: Pilot[None], count: int = 1) -> ComparisonsScreen:
    screen = app.screen
    assert isinstance(screen, ComparisonsScreen)
    await until(lambda: screen.rows.count == count, pilot)
    return screen


async def to_comparison(app: WorkbenchApp, pilot: Pilot[None], cases: int = 3) -> ComparisonScreen:
    """Opens the comparison one stands on."""
    if not isinstance(app.screen, ComparisonScreen):
        await pilot.press("enter")
    await until(lambda: isinstance(app.screen, ComparisonScreen) and app.screen.rows.count == cases, pilot)
    screen = app.screen
    assert isinstance(screen, ComparisonScreen)
    await until(lambda: len(screen._questions) == 3, pilot)
    await pilot.pause()
    return screen


async def to_case(app: WorkbenchApp, pilot: Pilot[None]) -> CaseScreen:
    """Opens the case one stands on, and waits until its items could be read."""
    await pilot.press("enter")
    await until(lambda: isinstance(app.screen, CaseScreen) and app.screen.rows.count, pilot)
    screen = app.screen
    assert isinstance(screen, CaseScreen)
    await readable(screen, pilot)
    return screen


async def readable(screen: CaseScreen, pilot: Pilot[None]) -> None:
    opened = screen.opened
    await until(
        lambda: opened.replay is not None and opened.seen.seen((opened.replay.id, opened.items[0].key)), pilot
    )


async def said_of(app: WorkbenchApp, run_id: str) -> list[tuple[str, str]]:
    page = await app.workbench.judgments.list(JudgmentFilter(run_id=run_id), limit=100)
    return [(one.item.key, one.verdict) for one in page.data]


@pytest.mark.parametrize("size", SIZES)
async def test_list_comparison_and_case_show_what_there_is(folder: Path, size: tuple[int, int]) -> None:
    async with running(folder, size, **LIST) as (app, pilot):
        await to_list(app, pilot)
        text = shown(app.screen)
        for words in (
            "1 comparison of",
            "✓ done",
            "33% → 100%",
            "too few cases",
            "0.2.0",
            "People's judgments rate",
        ):
            assert words in text, words
        await to_comparison(app, pilot)
        text = flat(app)
        for words in (
            "completed · acme-ops.article-picker 0.2.0", "better than the recorded runs", "Judged yes", "33% → 100%",
            "Judged items", "75% → 50%", "Top 10 judged yes", "+67", "−25", "too few cases", "3 cases · 1 diverged",
            "0 refused calls", "$0.0000", "6 of 6 cached", "anthropic claude-sonnet-5-5",
            "3 new items to judge", "[all 3]", "+ got better", "1 new, 2 dropped", "I was charged twice for one",
        ):  # fmt: skip
            assert words in text, words
        if size[0] == 160:
            for words in (
                "recorded",
                "95% interval",
                "+67 … +67",
                "spread",
                "regressed 0",
                "My package hasn't arrived yet.",
            ):
                assert words in text, words
        await to_case(app, pilot)
        text = shown(app.screen)
        for words in (
            "Case 1 of 3", "I was charged twice for one order.", "repetition 1 of 2",
            "Recorded · acme-ops.article-picker 0.1.0",
            "New · acme-ops.article-picker 0.2.0", "= recorded", "Items · 1 new, 1 to judge", "+ new     · not judged",
            "= kept    ✓ yes", "− dropped ✗ no",
        ):  # fmt: skip
            assert words in text, words
        # The two answers stand beside each other where there is room, else one under the other.
        beside = any("Recorded ·" in line and "New ·" in line for line in text.splitlines())
        assert beside is (size[0] == 160)
        assert "− pay" in text


async def test_new_answers_are_judged_right_there_and_a_rescore_moves_the_figures(folder: Path) -> None:
    """By hand: of 3 kept items all are yes; the new answers say yes, no, no: 4 of 6, and 6 of 6 judged."""
    async with docs_of(folder) as docs:
        done = await compare(docs)
    async with running(folder, (120, 40), **LIST) as (app, pilot):
        await to_list(app, pilot, 2)
        comparison = await to_comparison(app, pilot)
        assert comparison.comparison_id == done.id
        case = await to_case(app, pilot)
        runs: list[str] = []
        for place, key in enumerate("ynn"):
            await until(lambda: case.opened.replay is not None and case.opened.replay.id not in runs, pilot)
            await readable(case, pilot)
            assert case.opened.replay is not None
            runs.append(case.opened.replay.id)
            await pilot.press(key)
            await until(lambda: "all new items here are judged" in status(app), pilot)
            if place < 2:
                await pilot.press("right_square_bracket")
        assert [await said_of(app, run) for run in runs] == [
            [("answer", "yes")], [("answer", "no")], [("answer", "no")],
        ]  # fmt: skip
        await until(lambda: "✗ no" in shown(app.screen), pilot)
        # Back in the comparison they wait for a rescore.
        await pilot.press("escape")
        await until(lambda: "3 verdicts wait for a rescore: R" in shown(app.screen), pilot)
        await until(lambda: "75% → 50%" in shown(app.screen), pilot)
        await pilot.press("R")
        await until(lambda: "rescored ×1" in shown(app.screen), pilot)
        await pilot.pause()
        text = shown(app.screen)
        for words in ("33% → 67%", "75% → 100%", "33% yes before, 67% now"):
            assert words in text, words
        assert "wait for a rescore" not in text
        # A rescore asks nobody, so it says nothing of stored replies.
        assert "cached" not in text
        assert "to judge" not in text.split("[all 3]")[0].split("3 cases")[1]
        assert status(app).startswith("Rescored: People's judgments rate")
        assert comparison.comparison_id != done.id
        # The list folds it under the original, and shows the newest figures.
        await pilot.press("escape")
        await until(lambda: "33% → 67%" in shown(app.screen), pilot)
        text = shown(app.screen)
        assert "2 comparisons of" in text
        assert "rescored ×1" in text
        # One changed in the case, and rescored there.
        await to_comparison(app, pilot)
        # The one that was judged yes rose most, so it stands last now.
        await pilot.press("G")
        case = await to_case(app, pilot)
        await pilot.press("u")
        await until(lambda: "Nothing was said here" in status(app), pilot)
        await pilot.press("n")
        await until(lambda: "all new items here are judged" in status(app), pilot)
        await pilot.press("R")
        await until(lambda: status(app).startswith("Rescored:"), pilot)
        await until(lambda: "33% yes before, 50% now" in status(app), pilot)
        await pilot.press("escape")
        await until(lambda: "rescored ×2" in shown(app.screen), pilot)
        await until(lambda: "33% → 50%" in shown(app.screen), pilot)


async def test_verdicts_are_taken_back_and_count_only_for_what_was_read(folder: Path) -> None:
    async with running(folder, (80, 24), **LIST) as (app, pilot):
        await to_list(app, pilot)
        await to_comparison(app, pilot)
        now = [100.0]
        screen = app.screen
        assert isinstance(screen, ComparisonScreen) and screen._comparison is not None
        app.push_screen(CaseScreen(screen._comparison, screen.review.cases, 0, clock=lambda: now[0]))
        await until(lambda: isinstance(app.screen, CaseScreen) and app.screen.rows.count, pilot)
        case = app.screen
        assert isinstance(case, CaseScreen)
        await pilot.pause()
        assert case.opened.replay is not None
        run = case.opened.replay.id
        await pilot.press("y")
        await until(lambda: "before the item could be read" in status(app), pilot)
        assert await said_of(app, run) == []
        now[0] += 0.16
        await pilot.press("n")
        await until(lambda: "✗ no: answer" in status(app), pilot)
        assert await said_of(app, run) == [("answer", "no")]
        await pilot.press("y")
        await until(lambda: "✓ yes: answer" in status(app), pilot)
        await pilot.press("y")
        await until(lambda: "that is what you said" in status(app), pilot)
        assert await said_of(app, run) == [("answer", "yes")]
        await pilot.press("u")
        await until(lambda: "Taken back" in status(app), pilot)
        assert await said_of(app, run) == [("answer", "no")]
        await pilot.press("u")
        await until(lambda: case.opened.undoable == 0, pilot)
        assert await said_of(app, run) == []
        await until(lambda: "· not judged" in shown(app.screen), pilot)
        # Kept items carry their verdicts over; they aren't judged here.
        await pilot.press("j", "y")
        await until(lambda: "only new items are judged here" in status(app), pilot)
        assert await said_of(app, run) == []


async def test_repetitions_cases_runs_and_json_of_a_case(folder: Path) -> None:
    async with running(folder, (100, 30), **LIST) as (app, pilot):
        await to_list(app, pilot)
        await to_comparison(app, pilot)
        case = await to_case(app, pilot)
        opened = case.opened
        runs = opened.runs
        await pilot.press("tab")
        await until(lambda: opened.replay is not None and opened.replay.id == runs[1], pilot)
        await until(lambda: "repetition 2 of 2" in shown(app.screen), pilot)
        await until(lambda: "= recorded" in shown(app.screen), pilot)
        await pilot.press("1")
        await until(lambda: "repetition 1 of 2" in shown(app.screen), pilot)
        await pilot.press("7")
        assert status(app) == "This case has 2 repetitions."
        await pilot.press("O")
        await until(lambda: isinstance(app.screen, RunScreen), pilot)
        assert app.screen._run_id == runs[0]  # type: ignore[attr-defined]
        await pilot.press("escape", "o")
        await until(lambda: isinstance(app.screen, RunScreen), pilot)
        assert app.screen._run_id == opened.reviewed.result.case_id  # type: ignore[attr-defined]
        await pilot.press("escape", "w")
        await until(lambda: '"caseId"' in shown(app.screen), pilot)
        await pilot.press("w", "left_square_bracket")
        assert status(app) == "This is the first case of the list."
        await pilot.press("right_square_bracket")
        await until(lambda: "Case 2 of 3" in shown(app.screen), pilot)
        await pilot.press("right_square_bracket", "right_square_bracket")
        await until(lambda: "Case 3 of 3" in shown(app.screen), pilot)


async def test_filters_raw_json_and_judging_all_new_items(folder: Path) -> None:
    async with running(folder, (80, 24), **LIST) as (app, pilot):
        await to_list(app, pilot)
        screen = await to_comparison(app, pilot)
        await pilot.press("f")
        await until(lambda: "[improved 3]" in shown(screen), pilot)
        await pilot.press("f", "f")
        await until(lambda: "[diverged 1]" in shown(screen), pilot)
        assert screen.rows.count == 1
        await until(lambda: "I forgot my password" in shown(screen), pilot)
        await pilot.press("f")
        await until(lambda: "[all 3]" in shown(screen), pilot)
        await pilot.press("backspace")
        await until(lambda: "All cases are shown" in status(app), pilot)
        await pilot.press("w")
        await until(lambda: '"weightedYesShare"' in shown(screen) or '"evalRunId"' in shown(screen), pilot)
        await pilot.press("w")
        for key, sentence in (
            ("x", "It is completed: there is nothing to cancel."),
            ("z", "Only a failed or cancelled comparison can be resumed; this one is completed."),
        ):
            await pilot.press(key)
            assert status(app) == sentence
        new = screen.review.unjudged()
        assert [key for _, key in new] == ["answer"] * 3
        await pilot.press("J")
        await until(lambda: isinstance(app.screen, JudgeScreen) and app.screen.session.sitting, pilot)
        sitting = app.screen.session.sitting  # type: ignore[attr-defined]
        assert (sitting.kind, list(sitting.items)) == ("items", new)
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, ComparisonScreen), pilot)
        # By the key that goes anywhere, one came from nowhere.
        await pilot.press("g", "j", "escape")
        await until(lambda: "This is where it starts" in app.screen.query_one(StatusLine).sentence, pilot)


async def test_a_running_comparison_moves_and_its_end_rings_elsewhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with docs_of(folder) as docs:
        done = (await docs.comparisons.list()).data[0]
    frozen = freeze(folder, done.id, without=(CHARGE,))
    rung: list[str] = []
    monkeypatch.setattr(WorkbenchApp, "bell", lambda self: rung.append("bell"))
    async with running(folder, (80, 24), **LIST) as (app, pilot):
        await to_list(app, pilot)
        await until(lambda: "… running" in shown(app.screen), pilot)
        await until(lambda: "4 of 6" in shown(app.screen), pilot)
        screen = await to_comparison(app, pilot, cases=2)
        await until(lambda: "So far:" in shown(screen), pilot)
        line = screen.query_one(ProgressLine)
        assert "4 of 6" in line.words
        assert "█" in line.words
        await until(lambda: "33% → 100%" in shown(screen), pilot)
        await pilot.press("R")
        await until(lambda: "Only a completed comparison can be rescored" in status(app), pilot)
        # It ends while one is elsewhere: a bell and a sentence.
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, ComparisonsScreen), pilot)
        frozen.thaw()
        await until(lambda: "is done." in status(app), pilot)
        await until(lambda: "The comparison of acme-ops.article-picker 0.2.0 is done." in status(app), pilot)
        assert rung == ["bell"]
        await until(lambda: "✓ done" in shown(app.screen), pilot)
    # Watched on its own screen it ends without one.
    frozen = freeze(folder, done.id, without=(CHARGE,))
    async with running(folder, (80, 24), **LIST) as (app, pilot):
        await to_list(app, pilot)
        screen = await to_comparison(app, pilot, cases=2)
        await pilot.press("down")
        frozen.thaw()
        await until(lambda: screen.rows.count == 3, pilot)
        await until(lambda: "completed" in screen.query_one(ProgressLine).words, pilot)
        assert screen.current is not None
        await asyncio.sleep(0.3)
        assert rung == ["bell"]


async def test_cancel_and_resume_by_keys(folder: Path) -> None:
    async with docs_of(folder) as docs:
        done = (await docs.comparisons.list()).data[0]
    freeze(folder, done.id, without=(CHARGE,))
    async with running(folder, (80, 24), **LIST) as (app, pilot):
        await to_list(app, pilot)
        screen = await to_comparison(app, pilot, cases=2)
        await pilot.press("x")
        await until(lambda: "Cancelling" in status(app), pilot)

        def cancelled(connection: Any) -> Any:
            return connection.execute(
                "SELECT cancel_requested FROM comparisons WHERE id = ?", (done.id,)
            ).fetchone()

        database = app.workbench.access.database  # type: ignore[attr-defined]
        assert await database.read(cancelled) == (1,)
        # Whoever ran it ends it, as an executor does.
        await database.write(
            lambda c: c.execute(
                "UPDATE comparisons SET status = 'cancelled', cancel_reason = 'person', completed = 1, owner = NULL"
            )
        )
        await until(lambda: "z resumes" in screen.query_one(ProgressLine).words, pilot)
        await pilot.press("z")
        await until(lambda: "Resumed" in status(app), pilot)
        await until(lambda: "completed" in screen.query_one(ProgressLine).words, pilot, 30)
        assert screen.rows.count == 3
        await until(lambda: "6 of 6 cached" in shown(screen), pilot)


async def test_the_list_rescores_and_says_why_not(folder: Path) -> None:
    async with running(folder, (80, 24), **LIST) as (app, pilot):
        await to_list(app, pilot)
        await pilot.press("x")
        assert status(app) == "It is completed: there is nothing to cancel."
        await pilot.press("R")
        await until(lambda: status(app).startswith("Rescored: "), pilot)
        await until(lambda: "rescored ×1" in shown(app.screen), pilot)
        assert app.screen.rows.count == 1  # type: ignore[attr-defined]
    async with running(
        folder, (80, 24), screen="ComparisonsScreen", start="comparisons", project="default"
    ) as (
        app,
        pilot,
    ):
        await until(lambda: "No comparisons yet." in shown(app.screen), pilot)
        await pilot.press("enter")
        assert status(app).startswith("No comparisons yet. n starts one")
        await pilot.press("n")
        await until(lambda: type(app.screen).__name__ == "CompareScreen", pilot)


async def test_a_hidden_panel_follows_nothing(folder: Path) -> None:
    async with docs_of(folder) as docs:
        done = (await docs.comparisons.list()).data[0]
    frozen = freeze(folder, done.id, without=(CHARGE,))
    async with running(folder, (80, 24), **LIST) as (app, pilot):
        await to_list(app, pilot)
        screen = await to_comparison(app, pilot, cases=2)
        await to_case(app, pilot)
        assert not [
            worker
            for worker in screen.workers
            if worker.node is screen and worker.group == "follow" and worker.is_running
        ]
        frozen.thaw()
        await asyncio.sleep(0.4)
        assert screen.rows.count == 2
        await pilot.press("escape")
        await until(lambda: screen.rows.count == 3, pilot)


async def test_only_cells_that_changed_are_painted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(folder, (120, 40), **LIST) as (app, pilot):
        await to_list(app, pilot)
        screen = await to_comparison(app, pilot)
        panel = screen.query_one(MetricPanel)
        painted: list[tuple[Region, ...]] = []
        refresh = panel.refresh

        def counted(*regions: Region, **more: Any) -> MetricPanel:
            painted.append(regions)
            return refresh(*regions, **more)

        monkeypatch.setattr(panel, "refresh", counted)
        yes, items, top = screen.review.measures
        panel.show((yes, items, top), "0.2.0")
        assert painted == []
        panel.show((yes, items.model_copy(update={"n": 4}), top), "0.2.0")
        ((region,),) = painted
        assert (region.y, region.height) == (2, 1)
        assert region.width <= 7
        line = panel.render_line(2).text
        assert line[region.x : region.right].strip() == "4"


async def test_the_panel_at_every_width(folder: Path) -> None:
    measure = Measure(
        label="Top 100 judged yes", before=0.9999999, now=0, delta=-0.9999999, interval=Interval(-1, -0.5),
        word="too close to call", n=1000, spread=0.25,
    )  # fmt: skip
    panel = MetricPanel()
    async with running(folder, (120, 24), **LIST) as (app, pilot):
        await app.screen.mount(panel)
        for width in (40, 60, 80, 100, 120, 160, 200):
            await pilot.resize_terminal(width, 24)
            await until(lambda width=width: panel.size.width == width, pilot)  # type: ignore[misc]
            without = measure.model_copy(update={"before": None, "delta": None, "interval": None})
            panel.show((measure, without), "0.2.0")
            await pilot.pause()
            lines = [panel.render_line(y).text for y in range(3)]
            assert all(len(line) == panel.size.width for line in lines)
            assert "–" in lines[2]
            wanted: list[tuple[int, Callable[[str], bool]]] = [
                (40, lambda line: "0%" in line and "−100" in line),
                (60, lambda line: " 1,000" in line and "too close to call" in line),
                (80, lambda line: "−100 … −50" in line),
                (80, lambda line: " 25 " in line),
                (100, lambda line: "█" in line or "░" in line),
            ]
            for least, there in wanted:
                if width >= least:
                    assert there(lines[1]), (least, lines[1])
