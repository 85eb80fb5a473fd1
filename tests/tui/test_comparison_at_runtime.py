"""A comparison at a runtime by keys: it moves while it runs, and what a runtime can't do isn't offered."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kindgi_tui.opening import Target as Opened
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.screens.comparison.screen import ComparisonScreen
from kindgi_tui.tui.screens.comparisons.screen import ComparisonsScreen
from kindgi_tui.tui.widgets.progress_line import ProgressLine
from kindgi_tui.tui.widgets.status_line import StatusLine
from tests.remote.targets import start_ours, token_of
from tests.session.comparing import CHARGE, compared, docs_of, freeze, make_compared
from tests.tui.conftest import shown, until
from tests.workspaces import copy_workspace

NO_RESUME = "A runtime doesn't resume a comparison: start it again."


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("compared") / "demo"
    asyncio.run(make_compared(folder))
    return folder, token_of(folder)


@asynccontextmanager
async def at_runtime(
    made: tuple[Path, str], dialect: str, tmp_path: Path, patch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[WorkbenchApp, Pilot[None], Path]]:
    """Comparisons at our server, where one of 3 cases, each run twice, stands still with a case to come."""
    folder = tmp_path / "served"
    copy_workspace(made[0], folder)
    async with docs_of(folder) as docs:
        freeze(folder, (await compared(docs)).id, without=(CHARGE,))
    target = await asyncio.to_thread(start_ours, folder, made[1], dialect)
    try:
        patch.setenv("KINDGI_API_TOKEN", target.token)
        patch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        app = WorkbenchApp(
            Opened(url=target.address), start="comparisons", project="docs", state_folder=tmp_path / "state"
        )
        async with app.run_test(size=(120, 40)) as pilot:
            await until(lambda: isinstance(app.screen, ComparisonsScreen), pilot)
            yield app, pilot, folder
    finally:
        await asyncio.to_thread(target.stop)


def status(app: WorkbenchApp) -> str:
    return app.screen.query_one(StatusLine).sentence


@pytest.mark.parametrize("dialect", ["0.1", "0.4"])
async def test_it_moves_and_is_not_resumed(
    made: tuple[Path, str], dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_runtime(made, dialect, tmp_path, monkeypatch) as (app, pilot, folder):
        await until(lambda: "… running" in shown(app.screen) and "4 of 6" in shown(app.screen), pilot)
        await pilot.press("R")
        await until(lambda: "It is running: it can be rescored when it is completed." in status(app), pilot)
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ComparisonScreen), pilot)
        screen = app.screen
        assert isinstance(screen, ComparisonScreen)
        await until(lambda: screen.rows.count == 2 and "So far:" in shown(screen), pilot)
        await until(lambda: "33% → 100%" in shown(screen), pilot)
        assert "4 of 6" in screen.query_one(ProgressLine).words
        told = shown(screen)
        assert "2 repetitions" in told
        assert "$" not in told
        assert "cached" not in told
        assert screen.why_not("resume") == NO_RESUME
        await pilot.press("x")
        await until(lambda: "Cancelling" in status(app), pilot)
        assert status(app) == "Cancelling; what finished is kept."
        # Whoever ran it ends it, as an executor does.
        with closing(sqlite3.connect(folder / "workspace.db", timeout=10)) as connection, connection:
            connection.execute(
                "UPDATE comparisons SET status = 'cancelled', cancel_reason = 'person', completed = 1, owner = NULL"
            )
        await until(lambda: "cancelled" in screen.query_one(ProgressLine).words, pilot)
        assert "resume" not in shown(screen)
        await pilot.press("z")
        await until(lambda: NO_RESUME in status(app), pilot)
        await pilot.press("escape")
        await until(lambda: "− cancelled" in shown(app.screen), pilot)
        await pilot.press("R")
        await until(lambda: NO_RESUME in status(app), pilot)
