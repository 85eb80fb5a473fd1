"""A real workspace for every test of the terminal face, and ways to wait for what it shows."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.css.query import NoMatches
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from kindgi_tui.demo.make import make_demo
from kindgi_tui.opening import Target
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.profile import Profile
from kindgi_tui.tui.widgets.status_line import StatusLine
from tests.remote.targets import Target as Runtime
from tests.workspaces import copy_workspace

SIZES = [(80, 24), (160, 48)]
"""The two sizes every screen is tried at."""

LOCAL = Profile("local", ansi=False, mouse=True, panel_hz=4.0, colour=True)


@pytest.fixture(scope="session")
def made_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's workspace, made once; tests take copies of it."""
    folder = tmp_path_factory.mktemp("demo") / "workspace"
    asyncio.run(make_demo(folder))
    return folder


@pytest.fixture
def demo(made_demo: Path, tmp_path: Path) -> Path:
    """A demo workspace of the test's own."""
    folder = tmp_path / "workspace"
    copy_workspace(made_demo, folder)
    return folder


def app_on(folder: Path, **given: Any) -> WorkbenchApp:
    """The app on a workspace, with state of its own beside it."""
    given.setdefault("state_folder", folder.parent / "state")
    return WorkbenchApp(Target(workspace=folder), LOCAL, **given)


@asynccontextmanager
async def running(
    folder: Path, size: tuple[int, int] = (120, 40), screen: str = "RunsScreen", **given: Any
) -> AsyncIterator[tuple[WorkbenchApp, Pilot[None]]]:
    """The app, run until `screen` is shown with what it loads first."""
    app = app_on(folder, **given)
    async with app.run_test(size=size) as pilot:
        await until(lambda: type(app.screen).__name__ == screen and app.screen.is_mounted, pilot)
        await until(lambda: all(one.is_finished for one in app.workers if one.group == "load"), pilot)
        yield app, pilot


@asynccontextmanager
async def at_runtime(
    runtime: Runtime, folder: Path, start: str, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[WorkbenchApp, Pilot[None]]]:
    """The app at a runtime, once it is open; its state is kept in `folder`."""
    app = WorkbenchApp(
        Target(url=runtime.address),
        LOCAL,
        state_folder=folder / "state",
        start=start,
        options={"judge_dwell": 0.0},
    )
    async with app.run_test(size=size) as pilot:
        await until(lambda: app.opened and app.screen.is_mounted and app.screen.query(StatusLine), pilot, 30)
        yield app, pilot


async def until(
    condition: Callable[[], object], pilot: Pilot[Any] | None = None, seconds: float = 10.0
) -> None:
    """Waits until the condition holds; fails when it does not in time.

    A screen is the app's before its parts stand, so a condition that asks for a part has to wait for it too.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            if condition():
                return
            missing = None
        except (NoMatches, AttributeError) as error:
            missing = error
        assert asyncio.get_running_loop().time() < deadline, missing or "it did not come to that in time"
        if pilot is not None:
            await pilot.pause()
        await asyncio.sleep(0.01)


def painted(widget: Widget) -> str:
    """What a widget shows now, as lines of text."""
    lines = []
    for y in range(widget.size.height):
        strip = widget.render_line(y)
        lines.append("".join(segment.text for segment in strip).rstrip())
    return "\n".join(lines)


def shown(screen: Screen[Any]) -> str:
    """What the whole screen shows now, as lines of text."""
    width, height = screen.size
    compositor = screen._compositor
    strips = compositor.render_strips(screen.size)
    return "\n".join("".join(segment.text for segment in strip).rstrip()[:width] for strip in strips[:height])
