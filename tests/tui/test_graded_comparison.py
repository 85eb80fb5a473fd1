"""A comparison that checks corrections, by keys on the demo: what was expected, what came of it, experts alone."""

import asyncio
from pathlib import Path

import pytest

from kindgi_tui.demo.make import AGENT, make_demo
from kindgi_tui.domain.comparison_records import ComparisonRequest, Weighing
from kindgi_tui.domain.own_test_sets import own_test_set_id
from kindgi_tui.local.workbench import open_local
from kindgi_tui.tui.screens.case.screen import CaseScreen
from kindgi_tui.tui.screens.comparison.screen import ComparisonScreen
from tests.tui.conftest import SIZES, running, shown, until
from tests.workspaces import copy_workspace

FILTERED = {"failed": 3, "newly failing": 1, "newly passing": 2}
"""How many cases each filter leaves, with everybody's corrections."""


async def compared(folder: Path) -> None:
    """The agent's own test set compared twice: with everybody's corrections, then with experts' alone."""
    await make_demo(folder)
    bench, _ = await open_local(folder)
    try:
        project = await bench.projects.get("default")
        weighings: tuple[Weighing, ...] = ("as-recorded", "experts-only")
        for weighing in weighings:
            started = await bench.comparisons.start(
                ComparisonRequest(
                    test_set_id=own_test_set_id(AGENT, project.id),
                    project_id=project.id,
                    agent_id=AGENT,
                    subject_version="0.2.0",
                    weighing=weighing,
                )
            )
            async for _ in bench.comparisons.follow(started.id):
                pass
    finally:
        await bench.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo with both comparisons, made once."""
    folder = tmp_path_factory.mktemp("graded") / "workspace"
    asyncio.run(compared(folder))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    copy = tmp_path / "workspace"
    copy_workspace(made, copy)
    return copy


@pytest.mark.parametrize("size", SIZES)
async def test_what_each_case_expected_is_told_part_by_part(folder: Path, size: tuple[int, int]) -> None:
    async with running(folder, size, "ComparisonsScreen", start="comparisons", project="default") as (
        app,
        pilot,
    ):
        await until(lambda: app.screen.rows.count == 2, pilot)  # type: ignore[attr-defined]
        rows = shown(app.screen).splitlines()[1:3]
        assert "expert" in rows[0]
        assert "expert" not in rows[1]
        await pilot.press("j", "enter")
        await until(lambda: isinstance(app.screen, ComparisonScreen), pilot)
        screen = app.screen
        assert isinstance(screen, ComparisonScreen)
        await until(
            lambda: "corrections that were checked passed" in " ".join(shown(screen).split()), pilot, 20
        )
        text = " ".join(shown(screen).split())
        assert "People's corrections rate" in text
        assert "2 of the 5 corrections that were checked passed" in text
        assert "answers judged" in text
        for name, count in FILTERED.items():
            for _ in range(12):
                if screen._narrowed_to == name:
                    break
                await pilot.press("f")
            assert screen.rows.count == count, name
        await pilot.press("backspace")
        for _ in range(12):
            if screen._narrowed_to == "failed":
                break
            await pilot.press("f")
        told = ""
        for number in range(FILTERED["failed"]):
            await pilot.press("enter")
            await until(lambda: isinstance(app.screen, CaseScreen), pilot)
            await until(lambda: "Expected" in shown(app.screen), pilot)
            told += " ".join(shown(app.screen).split())
            await pilot.press("escape")
            await until(lambda: app.screen is screen, pilot)
            if number < FILTERED["failed"] - 1:
                await pilot.press("j")
        assert "✗ failed decisions should have called acme-ops.search-articles with query" in told
        assert "called it with" in told
        assert "→ It points at choosing a delivery day" in told
        assert "✓ passed decisions" in told
        assert "Expected by an expert" in told


async def test_experts_alone_say_so_in_the_headline(folder: Path) -> None:
    async with running(folder, (160, 48), "ComparisonsScreen", start="comparisons", project="default") as (
        app,
        pilot,
    ):
        await until(lambda: app.screen.rows.count == 2, pilot)  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(lambda: "of the 3 corrections" in " ".join(shown(app.screen).split()), pilot, 20)
        text = " ".join(shown(app.screen).split())
        assert "Only experts' corrections counted; the others weighed 0." in text
        assert "expert groups only" in text
        screen = app.screen
        assert isinstance(screen, ComparisonScreen)
        told = ""
        for number in range(screen.rows.count):
            await pilot.press("enter")
            await until(lambda: isinstance(app.screen, CaseScreen) and app.screen.pane.lines, pilot)
            told += shown(app.screen)
            await pilot.press("escape")
            await until(lambda: app.screen is screen, pilot)
            if number < screen.rows.count - 1:
                await pilot.press("j")
        assert "experts: " in told
        assert "no expert's" in told
        assert "all: " in told
