"""A project's judging queue in Judge, by keys: dismissing with a reason, what was dismissed, putting it back.

The same keys on a workspace, and on a server of ours in both dialects.
"""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kindgi_tui.domain.judging import QueueFilter
from kindgi_tui.opening import Target
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.screens.judge.screen import JudgeScreen
from tests.remote.targets import make_ours, start_ours
from tests.tui.conftest import LOCAL, shown, until

WHY = "Not a real customer \x1b[2J"


@pytest.fixture(params=["here", "0.1", "0.4"])
def where(
    request: pytest.FixtureRequest, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Target]:
    """A place to judge at."""
    if request.param == "here":
        yield Target(workspace=demo)
        return
    served = tmp_path / "served"
    token = make_ours(served)
    runtime = start_ours(served, token, request.param)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("KINDGI_API_URL", runtime.address)
    monkeypatch.setenv("KINDGI_API_TOKEN", token)
    try:
        yield Target(url=runtime.address)
    finally:
        runtime.stop()


@pytest.fixture
async def judge(where: Target, tmp_path: Path) -> AsyncIterator[tuple[JudgeScreen, Pilot[None]]]:
    """Judge on the project's queue, its first run in view."""
    app = WorkbenchApp(
        where, LOCAL, state_folder=tmp_path / "state", start="judge", options={"judge_dwell": 0.0}
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: isinstance(app.screen, JudgeScreen), pilot)
        screen = app.screen
        assert isinstance(screen, JudgeScreen)
        await until(lambda: screen.session.sitting and screen.session.walk.sheet, pilot, 30)
        yield screen, pilot


async def test_a_run_is_dismissed_looked_at_and_put_back(judge: tuple[JudgeScreen, Pilot[None]]) -> None:
    screen, pilot = judge
    session = screen.session
    query = QueueFilter(project_id=screen.app.project.id)

    async def counts() -> tuple[int, int]:
        progress = await screen.workbench.queue.progress(query)
        return progress.left, progress.dismissed

    left, off = await counts()
    assert (left > 1, off) == (True, 0)
    sheet = session.walk.sheet
    assert sheet is not None
    first = sheet.run.id
    await pilot.press("x")
    assert screen.prompt.purpose == "dismiss"
    await pilot.press("escape")
    await pilot.pause()
    assert (await counts()) == (left, 0)
    await pilot.press("x")
    screen.query_one("Input").value = WHY  # type: ignore[attr-defined]
    await pilot.press("enter")
    await until(lambda: session.walk.feed.entries[0].dismissed, pilot)
    assert (await counts()) == (left - 1, 1)
    await until(lambda: session.walk.sheet and session.walk.sheet.run.id != first, pilot)
    await until(lambda: "Dismissed for everybody — Not a real customer" in shown(screen), pilot)
    await pilot.press("u")
    await until(lambda: not session.walk.feed.entries[0].dismissed, pilot)
    assert (await counts()) == (left, 0)
    await until(lambda: session.walk.sheet and session.walk.sheet.run.id == first, pilot)
    await pilot.press("x", *"Spam", "enter")
    await until(lambda: session.walk.feed.entries[0].dismissed, pilot)
    # What was dismissed can be looked at in the middle of the queue too.
    await pilot.press("D")
    await until(lambda: session.sitting and session.sitting.kind == "dismissed" and session.walk.sheet, pilot)
    assert session.walk.sheet.run.id == first  # type: ignore[union-attr]
    await pilot.press("q")
    await until(lambda: session.sitting and session.sitting.kind == "queue" and session.walk.sheet, pilot)
    session.walk.feed.complete = True
    session.walk.on_from(len(session.walk.feed.entries))
    await until(lambda: "1 run dismissed: look at them" in shown(screen), pilot)
    await pilot.press("D")
    await until(lambda: session.walk.sheet and session.walk.sheet.run.id == first, pilot)
    await until(lambda: "dismissed by " in shown(screen), pilot)
    await until(lambda: "Spam" in shown(screen), pilot)
    await pilot.press("x")
    await until(lambda: "dismissed already: X puts it back" in shown(screen), pilot)
    await pilot.press("X")
    await until(lambda: "It is back in the queue." in shown(screen), pilot)
    assert (await counts()) == (left, 0)
    await pilot.press("q")
    await until(lambda: session.sitting and session.sitting.kind == "queue" and session.walk.sheet, pilot)
    entry = session.walk.feed.entries[0]
    assert entry.run_id == first
    assert entry.state is not None
    assert entry.state.can_dismiss
