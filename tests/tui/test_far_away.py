"""The terminal face at a runtime that goes away, and what it can't do there: sentences, and the screen stands."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

import pytest
from pydantic import SecretStr
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from kindgi_tui import opening
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.outbox import OutboxCounts
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment, RunFilter
from kindgi_tui.local.workbench import open_local
from kindgi_tui.opening import Target
from kindgi_tui.remote.workbench import open_remote
from kindgi_tui.session import trying
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.widgets.form import Form
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.status_line import MOST_LINES, StatusLine, Where
from tests.remote.targets import Target as Runtime
from tests.remote.targets import make_ours, start_ours
from tests.tui.conftest import LOCAL, SIZES, at_runtime, painted, shown, until


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    """A server of ours on a demo."""
    served = tmp_path / "served"
    token = make_ours(served)
    started = start_ours(served, token, "0.4")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("KINDGI_API_URL", started.address)
    monkeypatch.setenv("KINDGI_API_TOKEN", token)
    yield started
    started.stop()


def at(
    runtime: Runtime, start: str, folder: Path, size: tuple[int, int] = (80, 24)
) -> AbstractAsyncContextManager[tuple[WorkbenchApp, Pilot[None]]]:
    return at_runtime(runtime, folder, start, size)


def listed(app: WorkbenchApp) -> bool:
    return bool(app.screen.query("#runs-list"))


def unsearched(app: WorkbenchApp) -> bool:
    return "doesn't search the words of runs" in said(app)


def said(app: WorkbenchApp) -> str:
    return app.screen.query_one(StatusLine).sentence


@pytest.mark.parametrize("start", ["runs", "comparisons", "test_sets", "groups"])
async def test_a_screen_stands_when_the_runtime_is_gone(runtime: Runtime, tmp_path: Path, start: str) -> None:
    async with at(runtime, start, tmp_path) as (app, pilot):
        await pilot.pause(0.5)
        runtime.stop()
        if start != "comparisons":
            await pilot.press("R")
        await pilot.pause(4.5)
        assert app.is_running
        await until(lambda: "can't be reached" in said(app), pilot, 20)
        where = painted(app.screen.query_one(StatusLine))
        assert runtime.address.removeprefix("http://")[:21] in where.replace("\n", " ")


@pytest.mark.parametrize(
    ("key", "alive"),
    [
        ("j", "article-picker 0.1.0"),
        ("t", "46 cases"),
        ("c", "No comparisons yet"),
        ("o", "support experts"),
    ],
)
async def test_a_screen_that_could_not_load_comes_to_life(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, alive: str
) -> None:
    monkeypatch.setattr(trying, "RETRY_SECONDS", 0.2)
    async with at(runtime, "runs", tmp_path, (120, 40)) as (app, pilot):
        await until(partial(listed, app), pilot)
        runtime.stop()
        await pilot.press("g", key)
        # Why there is nothing stands where it would be, not only in the status line.
        await until(lambda: shown(app.screen).count("can't be reached") > 1, pilot, 30)
        if key == "j":
            await pilot.press("y")
            assert "q looks again" in said(app)
            await pilot.press("q")
        again = start_ours(tmp_path / "served", runtime.token, "0.4", port=runtime.address.rpartition(":")[2])
        try:
            await until(lambda: alive in shown(app.screen), pilot, 60)
            await until(lambda: "can't be reached" not in shown(app.screen), pilot)
        finally:
            again.stop()


async def test_a_run_that_could_not_load_comes_when_it_can(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trying, "RETRY_SECONDS", 0.2)
    async with at(runtime, "judge", tmp_path, (120, 40)) as (app, pilot):
        walk = app.screen.session.walk  # type: ignore[attr-defined]
        await until(lambda: walk.sheet is not None, pilot, 30)
        runtime.stop()
        while walk.sheet is not None:
            await pilot.press("right_square_bracket")
        await until(lambda: "can't be reached" in said(app), pilot, 30)
        again = start_ours(tmp_path / "served", runtime.token, "0.4", port=runtime.address.rpartition(":")[2])
        try:
            await until(lambda: walk.sheet is not None, pilot, 60)
        finally:
            again.stop()


async def test_a_workbench_that_cant_be_opened_opens_when_the_runtime_is_there(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trying, "RETRY_SECONDS", 0.3)
    bench = await open_remote(runtime.address, SecretStr(runtime.token), opening.outbox_folder())
    await bench.people.me()
    runtime.stop()
    unknown = "00000000-0000-4000-8000-000000000009"
    await bench.judgments.add(NewJudgment(run_id=unknown, item=ItemRef(key="a"), verdict="yes"))
    await bench.close()
    app = WorkbenchApp(Target(url=runtime.address), LOCAL, state_folder=tmp_path / "state", start="runs")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "can't be reached" in shown(app.screen), pilot, 30)
        await until(lambda: "1 verdict waits to be sent." in shown(app.screen), pilot)
        await until(lambda: "r tries again" in shown(app.screen), pilot)
        assert app.failure is not None
        # However often it is pressed, it is opened once.
        await pilot.press("r", "r", "r")
        again = start_ours(tmp_path / "served", runtime.token, "0.4", port=runtime.address.rpartition(":")[2])
        try:
            while not app.opened:
                await pilot.press("r")
            await until(lambda: listed(app), pilot, 60)
            assert app.failure is None
        finally:
            again.stop()


async def test_a_refused_verdict_stands_as_not_judged_and_is_taken_back(
    runtime: Runtime, tmp_path: Path
) -> None:
    async with at(runtime, "judge", tmp_path, (120, 40)) as (app, pilot):
        session = app.screen.session  # type: ignore[attr-defined]
        await until(lambda: session.walk.sheet is not None, pilot, 30)
        key = session.walk.item.key
        await pilot.press("G")
        await until(lambda: "You speak as" in said(app), pilot, 30)
        speaking = session.speaking.chosen
        assert speaking is not None
        served = (await open_local(tmp_path / "served", None))[0]
        await served.groups.retire(speaking)
        await served.close()
        await pilot.press("y")
        await until(lambda: key in session.walk.sheet.mine, pilot, 30)
        await until(lambda: "A verdict isn't taken" in said(app), pilot, 30)
        await until(lambda: key not in session.walk.sheet.mine, pilot, 30)
        await until(lambda: "1 refused" in painted(app.screen.query_one(StatusLine)), pilot, 30)
        await pilot.press("u")
        await until(lambda: "Taken back" in said(app), pilot, 30)
        await until(lambda: "1 refused" not in painted(app.screen.query_one(StatusLine)), pilot, 30)


async def test_what_waits_from_earlier_is_sent_at_the_start(runtime: Runtime, tmp_path: Path) -> None:
    folder = opening.outbox_folder()
    bench = await open_remote(runtime.address, SecretStr(runtime.token), folder)
    run = (await bench.runs.list(RunFilter(), 1)).data[0]
    item = output_items((await bench.runs.get(run.id)).output, True)[0]
    runtime.stop()
    await bench.judgments.add(
        NewJudgment(run_id=run.id, item=ItemRef(key=item.key), verdict="no", reason="said while away")
    )
    await bench.close()
    again = start_ours(tmp_path / "served", runtime.token, "0.4", port=runtime.address.rpartition(":")[2])
    try:
        async with at(again, "runs", tmp_path) as (app, pilot):
            counts = OutboxCounts(waiting=1)
            while counts.waiting:
                counts = await app.workbench.outbox.counts()
                await pilot.pause(0.1)
            said = await app.workbench.judgments.list(JudgmentFilter(run_id=run.id), 100)
            assert "said while away" in [one.reason for one in said.data]
    finally:
        again.stop()


async def test_what_a_runtime_cant_filter_is_said_and_the_list_stands(
    runtime: Runtime, tmp_path: Path
) -> None:
    for _ in range(2):
        # The filter is kept for the next start, which says the same and stands too.
        async with at(runtime, "runs", tmp_path) as (app, pilot):
            if app.state.get("runs.filter") is None:
                await until(partial(listed, app), pilot)
                await pilot.press("slash", *"parcel", "enter")
            await until(partial(unsearched, app), pilot, 20)
            await pilot.pause(4.5)
            assert app.is_running
            await until(lambda: "doesn't search the words of runs" in shown(app.screen), pilot)


async def test_groups_of_a_runtime_are_made_weighed_and_retired(runtime: Runtime, tmp_path: Path) -> None:
    async with at(runtime, "groups", tmp_path, (120, 40)) as (app, pilot):
        await until(lambda: "support experts" in shown(app.screen), pilot, 20)
        await pilot.press("n")
        await until(lambda: app.screen.query("Form") and app.screen.query_one(Form).fields, pilot, 20)
        await pilot.press("enter", *"far away", "enter")
        await until(lambda: "far away weighs 1" in shown(app.screen), pilot, 20)
        await pilot.press("s")
        await until(lambda: "far away is made" in said(app), pilot, 20)
        await until(lambda: "3 groups" in shown(app.screen), pilot, 20)
        await pilot.press("w", "backspace", "4", "enter")
        await until(lambda: "far away is at weight 4 (it was 1)" in said(app), pilot, 20)
        await pilot.press("u")
        await until(lambda: "as it was: weight 1" in said(app), pilot, 20)
        await pilot.press("D")
        assert "A runtime brings no group back" in said(app)
        await pilot.press("y", "enter")
        await until(lambda: "far away is retired" in said(app), pilot, 20)
        assert "u takes that back" not in said(app)
        await until(lambda: "2 groups" in shown(app.screen), pilot, 20)
        await pilot.press("v")
        assert "A runtime lists no retired groups" in said(app)


@pytest.mark.parametrize("size", SIZES)
async def test_a_runtimes_audit_log_is_not_shown_and_the_screen_says_why(
    runtime: Runtime, tmp_path: Path, size: tuple[int, int]
) -> None:
    reason = "This runtime doesn't show its audit log over the API"
    for start in ("runs", "audit"):
        # Come to by keys; and where one starts when it was left there.
        async with at(runtime, start, tmp_path, size) as (app, pilot):
            if start == "runs":
                await until(partial(listed, app), pilot)
                await pilot.press("g", "a")
            await until(lambda: app.screen.query("#audit-list"), pilot)
            await until(lambda: reason in painted(app.screen.query_one("#audit-list")), pilot, 20)
            for key in ("enter", "f", "R", "j", "G", "d", "backspace"):
                await pilot.press(key)
                assert app.screen.query_one(Prompt).purpose == "", key
            await until(lambda: reason in painted(app.screen.query_one("#audit-list")), pilot)
            await pilot.press("enter")
            assert reason in said(app)
            await pilot.press("g", "o")
            await until(lambda: "support experts" in shown(app.screen), pilot, 20)


async def test_a_verdict_that_waits_shows_beside_who_and_where(runtime: Runtime, tmp_path: Path) -> None:
    async with at(runtime, "judge", tmp_path) as (app, pilot):
        await until(lambda: app.screen.session.walk.sheet is not None, pilot, 30)  # type: ignore[attr-defined]
        runtime.stop()
        await pilot.press("y")
        line = app.screen.query_one(StatusLine)
        await until(lambda: "1 waiting" in painted(line), pilot, 20)
        told = painted(line)
        assert "yes" in told
        assert app.person.id in told
        assert "127.0.0.1:" in told


async def test_verdicts_that_wait_for_another_token_say_so(runtime: Runtime, tmp_path: Path) -> None:
    async with at(runtime, "judge", tmp_path, (160, 40)) as (app, pilot):
        await until(lambda: app.screen.session.walk.sheet is not None, pilot, 30)  # type: ignore[attr-defined]
        served = await open_local(tmp_path / "served", None)
        bench = served[0]
        for one in await bench.tokens.list():
            await bench.tokens.revoke(one.id)
        await bench.close()
        await pilot.press("y")
        await until(lambda: "Your verdicts wait" in said(app) and "Give a token" in said(app), pilot, 30)


async def test_what_cant_be_kept_is_said(runtime: Runtime, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    async with at(runtime, "runs", tmp_path, (160, 40)) as (app, pilot):
        await until(partial(listed, app), pilot)
        await pilot.press("p")
        await until(lambda: "can't be kept for the next start" in said(app), pilot)
        assert app.is_running


async def test_why_a_verdict_is_refused_is_said(runtime: Runtime, tmp_path: Path) -> None:
    unknown = "00000000-0000-4000-8000-000000000009"
    async with at(runtime, "runs", tmp_path) as (app, pilot):
        await app.workbench.judgments.add(
            NewJudgment(
                run_id=unknown, item=ItemRef(key="answer", pointer="/appended/1/content"), verdict="yes"
            )
        )
        await until(lambda: "A verdict isn't taken: " in said(app), pilot, 20)
        assert unknown in said(app)
        assert said(app).endswith("Send it again or forget it: g w.")
        line = app.screen.query_one(StatusLine)
        await until(lambda: "1 refused" in painted(line), pilot, 20)
        assert said(app) in " ".join(painted(line).split())


class Line(App[None]):
    """The status line alone."""

    def compose(self) -> ComposeResult:
        yield StatusLine(Where("mira", "docs", "127.0.0.1:36541"))


async def test_a_reason_that_is_long_is_read_whole() -> None:
    reason = "The project is closed to judging until the audit ends. " * 5 + "Ask jonas."
    async with Line().run_test(size=(80, 24)) as pilot:
        line = pilot.app.query_one(StatusLine)
        line.say("Saved.", "told")
        await pilot.pause()
        assert line.size.height == 1
        line.say(reason, "error")
        await pilot.pause()
        assert reason in " ".join(painted(line).split())
        assert painted(line).rstrip().endswith("127.0.0.1:36541")
        await pilot.resize_terminal(160, 24)
        await pilot.pause()
        assert line.size.height < 4
        assert reason in " ".join(painted(line).split())
        # Nobody's reason takes the screen.
        line.say("no end " * 900, "error")
        await pilot.pause()
        assert line.size.height == MOST_LINES
        assert painted(line).rstrip().endswith("127.0.0.1:36541")


def test_where_one_works_is_shortened_and_never_left_out() -> None:
    where = Where("mira", "Documents' examples", "127.0.0.1:36541", "ssh", "2 waiting · 1 refused")
    whole = "2 waiting · 1 refused · mira · Documents' examples · 127.0.0.1:36541"
    assert where.words(200) == f"{whole} · ssh"
    assert where.words(70) == whole
    assert where.words(50) == "2 waiting · 1 refused · mira@127.0.0.1:36541"
    assert where.words(3) == "2 waiting · 1 refused · mira@127.0.0.1:36541"
    assert Where().words(80) == ""
    long = Where("x" * 50, "p", "y" * 90, "local")
    assert len(long.words(0)) == 12 + 1 + 22
