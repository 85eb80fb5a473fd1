"""`screenshots/` is made here from the demo, and must be current.

`python -m pytest tests/tui/test_pictures.py --remake-pictures` makes it anew.
"""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.screens.runs.screen import RunsScreen
from kindgi_tui.tui.widgets.text_pane import TextPane
from tests.tui.conftest import until
from tests.tui.pictures import SIZES, Steps, picture_of, standing

FOLDER = Path(__file__).parents[2] / "screenshots"
REMAKE = "python -m pytest tests/tui/test_pictures.py --remake-pictures"


async def _runs(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    screen = app.screen
    assert isinstance(screen, RunsScreen)
    await until(lambda: screen.rows.count == 73, pilot)
    await pilot.press("j", "j")
    await until(lambda: screen.size.width < 100 or screen.query_one(TextPane).lines, pilot)


async def _run(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _runs(app, pilot)
    await pilot.press("f", *"judged:yes", "enter")
    await until(lambda: app.screen.rows.count == 41, pilot)  # type: ignore[attr-defined]
    await pilot.press("enter")
    await until(lambda: type(app.screen).__name__ == "RunScreen", pilot)
    await until(lambda: len(app.screen.query_one(TextPane).lines) > 8, pilot)


async def _help(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _runs(app, pilot)
    await pilot.press("question_mark")
    await until(lambda: type(app.screen).__name__ == "HelpScreen", pilot)
    await until(lambda: len(app.screen.query_one(TextPane).lines) > 8, pilot)


PICTURES: dict[str, tuple[Steps, str]] = {
    "runs": (_runs, "RunsScreen"),
    "run": (_run, "RunsScreen"),
    "help": (_help, "RunsScreen"),
}
"""Each picture: the keys to it, and the screen they start on."""


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", PICTURES)
async def test_the_picture_is_current(
    name: str, size: tuple[int, int], demo: Path, pytestconfig: pytest.Config
) -> None:
    steps, first = PICTURES[name]
    async with standing(demo, size, first) as (app, pilot):
        await steps(app, pilot)
        await pilot.pause()
        picture = picture_of(app)
    path = FOLDER / f"{name}-{size[0]}x{size[1]}.svg"
    if pytestconfig.getoption("--remake-pictures"):
        path.write_text(picture, encoding="utf-8")
    kept = path.read_text("utf-8") if path.exists() else ""
    assert kept == picture, f"{path.name} is out of date: {REMAKE} makes it anew"
