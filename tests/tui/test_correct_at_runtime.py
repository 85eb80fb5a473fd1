"""`c` in Judge at a runtime: it corrects where corrections are offered, and says why it doesn't where they aren't."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr
from textual.pilot import Pilot

from kindgi_tui.domain.corrections import CorrectionFilter, Expectation
from kindgi_tui.opening import Target as Opened
from kindgi_tui.remote.workbench import open_remote
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.screens.correct.screen import CorrectScreen
from kindgi_tui.tui.screens.judge.screen import JudgeScreen
from tests.remote.targets import Target, make_ours, start_ours
from tests.tui.conftest import until
from tests.workspaces import copy_workspace


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("ours") / "demo"
    return folder, make_ours(folder)


@asynccontextmanager
async def judging(
    made: tuple[Path, str], dialect: str, tmp_path: Path, patch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[JudgeScreen, Pilot[None], Target]]:
    """Judge at our server, its first run in view."""
    folder = tmp_path / "served"
    copy_workspace(made[0], folder)
    target = await asyncio.to_thread(start_ours, folder, made[1], dialect)
    try:
        patch.setenv("KINDGI_API_TOKEN", target.token)
        patch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        app = WorkbenchApp(Opened(url=target.address), start="judge", state_folder=tmp_path / "state")
        async with app.run_test(size=(120, 40)) as pilot:
            await until(lambda: isinstance(app.screen, JudgeScreen), pilot)
            screen = app.screen
            assert isinstance(screen, JudgeScreen)
            await until(lambda: screen.session.walk.sheet is not None, pilot)
            yield screen, pilot, target
    finally:
        await asyncio.to_thread(target.stop)


async def test_where_they_are_offered_a_run_is_corrected(
    made: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with judging(made, "0.4", tmp_path, monkeypatch) as (screen, pilot, target):
        sheet = screen.session.walk.sheet
        assert sheet is not None
        await until(lambda: screen.why_not("correct") is None, pilot)
        await pilot.press("c")
        app = screen.app
        await until(
            lambda: isinstance(app.screen, CorrectScreen) and app.screen.correcting.run is not None, pilot
        )
        await pilot.press("d", "s")
        bench = await open_remote(target.address, SecretStr(target.token), tmp_path / "another")
        try:
            query = CorrectionFilter(run_id=sheet.run.id)
            for _ in range(100):
                found = (await bench.corrections.list(query)).data
                if found:
                    break
                await asyncio.sleep(0.1)
            (said,) = found
            assert (said.expect, said.asserter) == (
                Expectation(decisions="right"),
                (await bench.people.me()).id,
            )
            await pilot.press("u")
            for _ in range(100):
                found = (await bench.corrections.list(query)).data
                if not found:
                    break
                await asyncio.sleep(0.1)
            assert found == ()
        finally:
            await bench.close()


async def test_where_they_are_not_the_key_is_off_and_says_why(
    made: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with judging(made, "0.1", tmp_path, monkeypatch) as (screen, pilot, _):
        await until(lambda: screen.why_not("correct") is not None, pilot)
        assert screen.why_not("correct") == (
            "This runtime doesn't offer corrections of runs. Copy the runs into a workspace with "
            "`kindgi-tui runs pull`, and correct them there."
        )
        await pilot.press("c")
        await pilot.pause()
        assert screen.app.screen is screen
