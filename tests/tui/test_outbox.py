"""The outbox by keys, at a server of ours: what waits, why, sending it again, dropping it."""

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from pydantic import SecretStr
from textual.pilot import Pilot

from kindgi_tui import opening
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.judgments import ItemRef, Verdict
from kindgi_tui.domain.outbox import OutboxCounts
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment, RunFilter
from kindgi_tui.remote.outbox import FILE_NAME
from kindgi_tui.remote.workbench import open_remote
from kindgi_tui.tui import outbox_look
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.screens.outbox import screen as subject
from kindgi_tui.tui.screens.outbox.screen import EMPTY, HERE, OutboxScreen
from kindgi_tui.tui.widgets.key_footer import KeyFooter
from kindgi_tui.tui.widgets.line_list import LineList
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.status_line import StatusLine
from kindgi_tui.tui.widgets.text_pane import TextPane
from kindgi_tui.workbench import Workbench
from tests.hostile.corpus import strings
from tests.remote.targets import Target as Runtime
from tests.remote.targets import make_ours, start_ours
from tests.tui.conftest import SIZES, at_runtime, painted, running, shown, until
from tests.workspaces import copy_workspace

UNKNOWN = "00000000-0000-4000-8000-000000000009"
"""A run that nobody has."""

REASON = (
    "The answer names a plan that was given up in spring, and the person had asked about the new one. " * 3
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A demo with a token, made once."""
    folder = tmp_path_factory.mktemp("ours") / "demo"
    return folder, make_ours(folder)


@pytest.fixture
def runtime(made: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    """A server of ours on a demo of the test's own."""
    copy_workspace(made[0], tmp_path / "served")
    started = start_ours(tmp_path / "served", made[1], "0.4")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("KINDGI_API_URL", started.address)
    monkeypatch.setenv("KINDGI_API_TOKEN", made[1])
    # What the app says of the outbox on every screen would come between a key and its answer.
    monkeypatch.setattr(outbox_look, "OUTBOX_SECONDS", 1_000.0)
    yield started
    started.stop()


def again(runtime: Runtime, tmp_path: Path) -> None:
    """The same runtime, back; its fixture ends it."""
    port = runtime.address.rpartition(":")[2]
    runtime.process = start_ours(tmp_path / "served", runtime.token, "0.4", port=port).process


def at(
    runtime: Runtime, folder: Path, size: tuple[int, int] = (80, 24), start: str = "outbox"
) -> AbstractAsyncContextManager[tuple[WorkbenchApp, Pilot[None]]]:
    return at_runtime(runtime, folder, start, size)


def told(app: WorkbenchApp) -> str:
    return app.screen.query_one(StatusLine).sentence


def listed(app: WorkbenchApp) -> str:
    return painted(app.screen.query_one("#outbox-list"))


def pane(app: WorkbenchApp) -> str:
    return " ".join(painted(app.screen.query_one(TextPane)).split())


async def shows(app: WorkbenchApp, pilot: Pilot[None], *words: str) -> None:
    await until(lambda: isinstance(app.screen, OutboxScreen), pilot)
    await until(lambda: all(each in shown(app.screen) for each in words), pilot, 30)


async def says(app: WorkbenchApp, pilot: Pilot[None], words: str) -> None:
    await until(lambda: words in told(app), pilot, 30)


def verdict(run: str, key: str = "answer", said: Verdict = "yes", reason: str | None = None) -> NewJudgment:
    return NewJudgment(
        run_id=run, item=ItemRef(key=key, pointer="/appended/1/content"), verdict=said, reason=reason
    )


async def a_verdict(bench: Workbench, said: Verdict, reason: str | None = None) -> NewJudgment:
    """One on a run's answer that the runtime takes."""
    run = (await bench.runs.list(RunFilter(), 1)).data[0]
    item = output_items((await bench.runs.get(run.id)).output, True)[0]
    return NewJudgment(
        run_id=run.id, item=ItemRef(key=item.key, pointer=item.pointer), verdict=said, reason=reason
    )


def in_the_file(words: str) -> list[tuple[object, ...]]:
    """Reads or changes what stands in the outbox's file."""
    with sqlite3.connect(opening.outbox_folder() / FILE_NAME) as connection:
        rows = connection.execute(words).fetchall()
    connection.close()
    return rows


def count(patch: pytest.MonkeyPatch, owner: type, name: str, times: list[int]) -> None:
    """Counts how often a method is called; it does what it did."""
    method = getattr(owner, name)

    def counted(*given: object) -> object:
        times[0] += 1
        return method(*given)

    patch.setattr(owner, name, counted)


@pytest.mark.parametrize("size", SIZES)
async def test_a_verdict_that_waits_stands_there_with_why_and_is_sent(
    runtime: Runtime, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with at(runtime, tmp_path, size, "judge") as (app, pilot):
        walk = app.screen.session.walk  # type: ignore[attr-defined]
        await until(lambda: walk.sheet is not None, pilot, 30)
        run = walk.sheet.run.id
        runtime.stop()
        await pilot.press("y", "g", "w")
        await shows(app, pilot, "Outbox · 1 waiting", "can't be reached")
        (row,) = (each for each in listed(app).splitlines() if each.strip())
        (entry,) = await app.workbench.outbox.list()
        assert "… waiting" in row
        assert f"{entry.made_at.astimezone():%m-%d %H:%M}" in row
        assert run[:8] in row
        assert "yes" in row
        assert entry.item_key[:9] in row
        assert entry.sentence is not None
        for words in (app.in_place(entry.sentence), run, entry.item_key, "s tries everything that waits now"):
            assert words in pane(app)
        footer = painted(app.screen.query_one(KeyFooter))
        assert all(word in footer for word in ("⏎ Open", "s Send", "x Drop", "R Refresh", "? Help"))
        await pilot.press("s")
        await says(app, pilot, "It waits still: yes on ")
        assert "can't be reached" in told(app)
        again(runtime, tmp_path)
        await pilot.press("s")
        await says(app, pilot, "Sent: yes on ")
        await shows(app, pilot, EMPTY)
        found = (await app.workbench.judgments.list(JudgmentFilter(run_id=run), 100)).data
        assert entry.item_key in [one.item.key for one in found if one.asserter == app.person.id]


@pytest.mark.parametrize("size", SIZES)
async def test_a_refused_one_is_read_whole_sent_again_and_dropped(
    runtime: Runtime, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with at(runtime, tmp_path, size) as (app, pilot):
        await shows(app, pilot, EMPTY)
        await app.workbench.judgments.add(verdict(UNKNOWN, said="no", reason="seen there"))
        # It comes without a key.
        await shows(app, pilot, "Outbox · 1 refused")
        assert "✗ refused" in listed(app)
        (entry,) = await app.workbench.outbox.list()
        assert entry.sentence is not None
        for words in (app.in_place(entry.sentence), UNKNOWN, "seen there", "s sends it again, x drops it"):
            assert words in pane(app)
        await pilot.press("enter")
        await says(app, pilot, f"No run with id {UNKNOWN}")
        await pilot.press("s")
        await says(app, pilot, "It isn't taken: no on answer")
        assert UNKNOWN in told(app)
        for keys, answer in ((("n", "enter"), "Kept: no on answer"), (("y", "escape"), "Kept: no on answer")):
            app.screen.query_one(StatusLine).say("")
            await pilot.press("x")
            line = app.screen.query_one(StatusLine)
            await until(lambda line=line: "Anything else keeps it." in " ".join(painted(line).split()), pilot)  # type: ignore[misc]
            assert "Drop no on answer? y, then Enter:" in painted(app.screen.query_one(Prompt).children[0])
            await pilot.press(*keys)
            await says(app, pilot, answer)
        assert (await app.workbench.outbox.counts()).refused == 1
        await pilot.press("x", "y", "enter")
        await says(app, pilot, "Dropped: no on answer. It is never sent.")
        await shows(app, pilot, EMPTY)
        assert await app.workbench.outbox.counts() == OutboxCounts()
        for key in ("enter", "s", "x"):
            app.screen.query_one(StatusLine).say("")
            await pilot.press(key)
            assert told(app) == EMPTY
            assert app.screen.query_one(Prompt).purpose == ""


async def test_its_run_is_opened(runtime: Runtime, tmp_path: Path) -> None:
    async with at(runtime, tmp_path) as (app, pilot):
        said = await a_verdict(app.workbench, "yes")
        away = said.model_copy(update={"item": ItemRef(key="nothing", pointer="/nowhere")})
        await app.workbench.judgments.add(away)
        await shows(app, pilot, "✗ refused")
        await pilot.press("enter")
        await until(lambda: type(app.screen).__name__ == "RunScreen", pilot)
        await until(lambda: f"Run {said.run_id}" in shown(app.screen), pilot)
        await pilot.press("escape")
        await shows(app, pilot, "✗ refused")


async def test_what_is_sent_meanwhile_goes_and_nothing_is_painted_when_nothing_changed(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "LOOK_SECONDS", 0.05)
    async with at(runtime, tmp_path) as (app, pilot):
        await shows(app, pilot, EMPTY)
        said = await a_verdict(app.workbench, "no", "said while away")
        runtime.stop()
        await app.workbench.judgments.add(verdict(UNKNOWN))
        await app.workbench.judgments.add(said)
        await shows(app, pilot, "Outbox · 2 waiting", "said while away", "can't be reached")
        await pilot.press("j")
        await until(lambda: "no on" in pane(app), pilot)
        await pilot.pause(0.3)
        looks, paints = [0], [0]
        with monkeypatch.context() as patch:
            count(patch, type(app.workbench.outbox), "list", looks)
            for widget in (LineList, TextPane, KeyFooter):
                count(patch, widget, "render_line", paints)
            await until(lambda: looks[0] > 4)
            assert paints == [0]
        again(runtime, tmp_path)
        await app.workbench.outbox.retry()
        # The first is refused and stays, the one under the cursor is sent and goes.
        await shows(app, pilot, "Outbox · 1 refused")
        assert "✗ refused: yes on answer" in pane(app)
        assert "said while away" not in shown(app.screen)


async def test_a_newer_verdict_is_asked_about_and_written_over(runtime: Runtime, tmp_path: Path) -> None:
    folder = opening.outbox_folder()
    bench = await open_remote(runtime.address, SecretStr(runtime.token), folder)
    old = await a_verdict(bench, "yes", "the old one")
    newer = old.model_copy(update={"verdict": "no", "reason": "the newer one"})
    runtime.stop()
    await bench.judgments.add(old)
    await bench.close()
    in_the_file("UPDATE statements SET made = made - 3600000")
    again(runtime, tmp_path)
    other = await open_remote(runtime.address, SecretStr(runtime.token), tmp_path / "elsewhere", patient=True)
    await other.judgments.add(newer)
    await other.close()
    async with at(runtime, tmp_path) as (app, pilot):
        await shows(app, pilot, "Outbox · 1 asked", "? asked")
        assert "The runtime has a newer verdict of yours" in pane(app)
        assert "s sends yours over the newer one, x drops yours." in pane(app)
        await pilot.press("s")
        await says(app, pilot, "Sent: yes on ")
        found = (await app.workbench.judgments.list(JudgmentFilter(run_id=old.run_id), 100)).data
        mine = [one for one in found if one.asserter == app.person.id and one.item.key == old.item.key]
        assert [one.reason for one in mine if one.superseded_by is None] == ["the old one"]


async def test_what_nobody_has_claimed_is_sent_as_ones_own(runtime: Runtime, tmp_path: Path) -> None:
    folder = opening.outbox_folder()
    bench = await open_remote(runtime.address, SecretStr(runtime.token), folder)
    said = await a_verdict(bench, "no", "with the other token")
    await bench.close()
    runtime.stop()
    nobody = await open_remote(runtime.address, SecretStr("never-told"), folder)
    await nobody.judgments.add(said)
    await nobody.close()
    again(runtime, tmp_path)
    async with at(runtime, tmp_path) as (app, pilot):
        await shows(app, pilot, "Outbox · 1 unclaimed", "‖ unclaimed")
        assert "s sends it as yours, x drops it." in pane(app)
        await pilot.press("s")
        await says(app, pilot, "Sent: no on ")
        await shows(app, pilot, EMPTY)
        found = (await app.workbench.judgments.list(JudgmentFilter(run_id=said.run_id), 100)).data
        assert ("with the other token", app.person.id) in [(one.reason, one.asserter) for one in found]


async def test_what_cant_be_dropped_or_sent_is_said(runtime: Runtime, tmp_path: Path) -> None:
    async with at(runtime, tmp_path) as (app, pilot):
        await shows(app, pilot, EMPTY)
        await app.workbench.judgments.add(verdict(UNKNOWN))
        await shows(app, pilot, "✗ refused")
        (entry,) = await app.workbench.outbox.list()
        await pilot.press("x", "y")
        # Meanwhile it is dropped elsewhere: in another window, by a command.
        await app.workbench.outbox.drop(entry.id)
        await pilot.press("enter")
        await says(app, pilot, f'Nothing with the id "{entry.id}" waits')
        await shows(app, pilot, EMPTY)
        said = await a_verdict(app.workbench, "yes")
        # It hangs: the verdict is sent, and not answered.
        runtime.process.send_signal(signal.SIGSTOP)
        try:
            await app.workbench.judgments.add(said)
            await until(lambda: in_the_file("SELECT tried FROM statements WHERE tried > 0"), pilot)
            await shows(app, pilot, "… waiting")
            await pilot.press("x", "y", "enter")
            await says(app, pilot, "it may have arrived. Take the verdict back instead")
            assert "… waiting" in listed(app)
        finally:
            runtime.process.send_signal(signal.SIGCONT)
        await shows(app, pilot, EMPTY)


async def test_a_long_reason_is_read_to_its_end(runtime: Runtime, tmp_path: Path) -> None:
    async with at(runtime, tmp_path) as (app, pilot):
        await app.workbench.judgments.add(verdict(UNKNOWN, "x" * 300, reason=REASON))
        await shows(app, pilot, "✗ refused")
        await until(lambda: UNKNOWN in pane(app), pilot)
        seen = pane(app)
        for _ in range(4):
            await pilot.press("d")
            await pilot.pause()
            seen += pane(app)
        assert "given up in spring" in seen
        assert "⏎ opens the run." in seen


@pytest.mark.parametrize("size", [(80, 24), (30, 8), (200, 60)])
async def test_hostile_words_are_shown_and_harm_nothing(
    runtime: Runtime, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with at(runtime, tmp_path, size) as (app, pilot):
        await until(lambda: isinstance(app.screen, OutboxScreen), pilot)
        runtime.stop()
        words = list(strings().values())
        for text in words:
            await app.workbench.judgments.add(
                verdict(f"r{text}"[:200], f"k{text}"[:200], reason=f"w{text}"[:2_000])
            )
        rows = app.screen.query_one(LineList)
        await until(lambda: rows.count == len(words), pilot, 30)
        for _ in words:
            await pilot.press("j")
            assert "\x1b" not in shown(app.screen)
            assert "\u202e" not in shown(app.screen)
        await pilot.press("x")
        assert "\x1b" not in shown(app.screen)
        await pilot.press("escape")
        assert "\x1b" not in told(app)


@pytest.mark.parametrize("size", SIZES)
async def test_on_a_workspace_of_this_machine_it_says_that_nothing_waits(
    demo: Path, size: tuple[int, int]
) -> None:
    async with running(demo, size) as (app, pilot):
        await pilot.press("colon", *"outbox")
        await until(lambda: "Goes to the verdicts a runtime doesn't have yet" in shown(app.screen), pilot)
        await pilot.press("enter")
        await shows(app, pilot, "Outbox", HERE)
        for key in ("enter", "s", "x"):
            app.screen.query_one(StatusLine).say("")
            await pilot.press(key)
            assert told(app) == HERE
        await pilot.press("R", "j", "G", "d", "u")
        await pilot.press("question_mark")
        await until(lambda: "Keys of outbox" in shown(app.screen), pilot)
        await pilot.press("escape", "g", "r")
        await until(lambda: type(app.screen).__name__ == "RunsScreen", pilot)
        await pilot.press("g", "w")
        await shows(app, pilot, HERE)
