"""`screenshots/` is made here from the demo, and must be current.

`python -m pytest tests/tui/test_pictures.py --remake-pictures` makes it anew.
"""

import asyncio
from pathlib import Path
from typing import NamedTuple

import pytest
from textual.pilot import Pilot

from kindgi_tui.demo.make import AGENT
from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.workbench import open_local
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.screens.runs.screen import RunsScreen
from kindgi_tui.tui.widgets.text_pane import TextPane
from tests.tui.conftest import shown, until
from tests.tui.pictures import PERSON, SIZES, Steps, hold_still, settled_picture, standing
from tests.workspaces import copy_workspace

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


async def _shown(app: WorkbenchApp, pilot: Pilot[None], screen: str, *words: str) -> None:
    await until(lambda: type(app.screen).__name__ == screen, pilot)
    await until(lambda: all(word in shown(app.screen) for word in words), pilot)


async def _judge(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _shown(app, pilot, "JudgeScreen", "not judged", "User")
    await pilot.press("j")
    await _shown(app, pilot, "JudgeScreen", "2 of 3")


async def _correct(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _judge(app, pilot)
    await pilot.press("c")
    await _shown(app, pilot, "CorrectScreen", "it made")
    await pilot.press("D", "e", "ctrl+u", *'{"query": "second card"}', "enter")
    await _shown(app, pilot, "CorrectScreen", "~ changed")
    await pilot.press("A", "e", *"Under Account, then Payment, press Add a card.", "enter")
    await _shown(app, pilot, "CorrectScreen", "Under Account")


async def _test_sets(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _shown(app, pilot, "TestSetsScreen", "acme.article-picks", "3 cases")


async def _cases(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _test_sets(app, pilot)
    await pilot.press("enter")
    await _shown(app, pilot, "CasesScreen", "charged twice", "Only mira judged")


async def _agreement(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _shown(app, pilot, "TestSetsScreen", "acme.help-desk", "41 cases")
    await pilot.press("enter")
    await _shown(app, pilot, "CasesScreen", "they agree on 88%")
    await pilot.press("a")
    await _shown(app, pilot, "CasesScreen", "Two by two")


async def _groups(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _shown(app, pilot, "GroupsScreen", "agents on shift")
    await pilot.press("j")
    await _shown(app, pilot, "GroupsScreen", "know every article")


async def _audit(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _shown(app, pilot, "AuditScreen", "comparisons.start", "packs.publish")
    await pilot.press("j")
    await _shown(app, pilot, "AuditScreen", "opens the test set")


async def _build(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _test_sets(app, pilot)
    await pilot.press("b")
    await _shown(app, pilot, "BuildScreen", "will take")


async def _compare(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _test_sets(app, pilot)
    await pilot.press("c")
    await _shown(app, pilot, "CompareScreen", "Dry run")


async def _comparisons(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _shown(app, pilot, "ComparisonsScreen", "acme.help-desk", "33% →")


async def _comparison(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _comparisons(app, pilot)
    await pilot.press("enter")
    await _shown(app, pilot, "ComparisonScreen", "got worse", "better")


async def _case(app: WorkbenchApp, pilot: Pilot[None]) -> None:
    await _comparison(app, pilot)
    await pilot.press("enter")
    await _shown(app, pilot, "CaseScreen", "Recorded", "kb-")


class Picture(NamedTuple):
    """How a picture is come by."""

    steps: Steps
    """The keys to it."""
    first: str
    """The screen they start on."""
    start: str
    """The mode the app starts in."""
    project: str
    """The project it shows."""


PICTURES: dict[str, Picture] = {
    "runs": Picture(_runs, "RunsScreen", "runs", "default"),
    "run": Picture(_run, "RunsScreen", "runs", "default"),
    "help": Picture(_help, "RunsScreen", "runs", "default"),
    "judge": Picture(_judge, "JudgeScreen", "judge", "default"),
    "correct": Picture(_correct, "JudgeScreen", "judge", "default"),
    "test-sets": Picture(_test_sets, "TestSetsScreen", "test_sets", "docs"),
    "cases": Picture(_cases, "TestSetsScreen", "test_sets", "docs"),
    "agreement": Picture(_agreement, "TestSetsScreen", "test_sets", "default"),
    "groups": Picture(_groups, "GroupsScreen", "groups", "default"),
    "audit": Picture(_audit, "AuditScreen", "audit", "default"),
    "build": Picture(_build, "TestSetsScreen", "test_sets", "docs"),
    "compare": Picture(_compare, "TestSetsScreen", "test_sets", "docs"),
    "comparisons": Picture(_comparisons, "ComparisonsScreen", "comparisons", "default"),
    "comparison": Picture(_comparison, "ComparisonsScreen", "comparisons", "default"),
    "case": Picture(_case, "ComparisonsScreen", "comparisons", "default"),
}
"""Every picture by name."""


@pytest.fixture(scope="module")
def compared(made_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo with the documents' test set and comparison, its times and ids held still."""
    folder = tmp_path_factory.mktemp("compared") / "workspace"
    copy_workspace(made_demo, folder)
    asyncio.run(_compare_there(folder))
    hold_still(folder)
    return folder


async def _compare_there(folder: Path) -> None:
    workbench, _ = await open_local(folder, PERSON)
    for reference, name in (("docs", "acme.article-picks"), ("default", "acme.help-desk")):
        project = await workbench.projects.get(reference)
        await workbench.test_sets.build(
            BuildRequest(test_set_id=name, version="1.0.0", project_id=project.id, agent_id=AGENT)
        )
        started = await workbench.comparisons.start(
            ComparisonRequest(
                test_set_id=name, project_id=project.id, agent_id=AGENT, subject_version="0.2.0"
            )
        )
        async for _ in workbench.comparisons.follow(started.id):
            pass
    await workbench.close()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", PICTURES)
async def test_the_picture_is_current(
    name: str, size: tuple[int, int], compared: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    made = PICTURES[name]
    folder = tmp_path / "workspace"
    copy_workspace(compared, folder)
    async with standing(folder, size, made.first, start=made.start, project=made.project) as (app, pilot):
        await made.steps(app, pilot)
        picture = await settled_picture(app, pilot)
    path = FOLDER / f"{name}-{size[0]}x{size[1]}.svg"
    if pytestconfig.getoption("--remake-pictures"):
        path.write_text(picture, encoding="utf-8")
    kept = path.read_text("utf-8") if path.exists() else ""
    assert kept == picture, f"{path.name} is out of date: {REMAKE} makes it anew"


def test_no_other_picture_stands_there() -> None:
    names = {f"{name}-{columns}x{rows}.svg" for name in PICTURES for columns, rows in SIZES}
    assert {path.name for path in FOLDER.iterdir()} == names
