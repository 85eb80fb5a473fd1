"""Audit by keys: what was done, by whom, when; filtered, opened, and kept between starts."""

import sqlite3
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kindgi_tui.demo.make import AGENT
from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.judging import QueueFilter
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.store.values import storable
from kindgi_tui.local.workbench import open_local
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.screens.audit.screen import AuditScreen
from kindgi_tui.tui.widgets.key_footer import KeyFooter
from kindgi_tui.tui.widgets.status_line import StatusLine
from kindgi_tui.tui.widgets.text_pane import TextPane
from tests.hostile.corpus import strings
from tests.tui.conftest import SIZES, painted, running, shown, until

AUDIT = "AuditScreen"


@pytest.fixture
async def busy(demo: Path) -> Path:
    """The demo after mira and jonas did what has a screen, and what has none."""
    mira, _ = await open_local(demo, "mira")
    project = (await mira.projects.get("docs")).id
    await mira.test_sets.build(
        BuildRequest(test_set_id="acme.picks", version="1.0.0", project_id=project, agent_id=AGENT)
    )
    started = await mira.comparisons.start(
        ComparisonRequest(
            test_set_id="acme.picks", project_id=project, agent_id=AGENT, subject_version="0.2.0"
        )
    )
    async for _ in mira.comparisons.follow(started.id):
        pass
    jonas, _ = await open_local(demo, "jonas")
    owed = QueueFilter(project_id=(await jonas.projects.get("default")).id, subject_id=AGENT)
    await jonas.queue.dismiss((await jonas.queue.list(owed)).data[0].run.id, "seen elsewhere")
    await jonas.close()
    await mira.guidelines.set_owed(project, "agent", AGENT, "all")
    await mira.close()
    return demo


NEWEST = ("guidelines.owed", "queue.dismiss", "comparisons.start", "test-sets.build", "packs.publish")
"""What was done there, newest first."""


def put(folder: Path, rows: list[tuple[int, str, str, str]]) -> None:
    """Notes more that was done: when (milliseconds), who, what, on what."""
    with sqlite3.connect(folder / "workspace.db") as connection:
        connection.executemany("INSERT INTO audit (at, actor, action, subject) VALUES (?, ?, ?, ?)", rows)
    connection.close()


def told(app: WorkbenchApp) -> str:
    return app.screen.query_one(StatusLine).sentence


def pane(app: WorkbenchApp) -> str:
    return " ".join(painted(app.screen.query_one(TextPane)).split())


def listed(app: WorkbenchApp) -> str:
    return painted(app.screen.query_one("#audit-list"))


async def shows(app: WorkbenchApp, pilot: Pilot[None], *words: str) -> None:
    await until(lambda: isinstance(app.screen, AuditScreen), pilot)
    await until(lambda: all(each in shown(app.screen) for each in words), pilot)


async def filtered(app: WorkbenchApp, pilot: Pilot[None], text: str) -> None:
    await pilot.press("f")
    await until(lambda: app.screen.prompt.purpose == "filter", pilot)  # type: ignore[attr-defined]
    await pilot.press(*text, "enter")


@pytest.mark.parametrize("size", SIZES)
async def test_it_stands_there_newest_first_with_the_entry_whole(busy: Path, size: tuple[int, int]) -> None:
    async with running(busy, size) as (app, pilot):
        await pilot.press("g", "a")
        await shows(app, pilot, "Audit · 5 entries")
        rows = [row for row in listed(app).splitlines() if row.strip()]
        assert [what for row in rows for what in NEWEST if what in row] == list(NEWEST)
        assert [("mira" in row, "jonas" in row) for row in rows] == [
            (True, False), (False, True), (True, False), (True, False), (False, False),
        ]  # fmt: skip
        assert AGENT in rows[0]
        assert "acme.picks@1.0.0" in rows[3]
        footer = painted(app.screen.query_one(KeyFooter))
        assert all(word in footer for word in ("⏎ Open", "f Filter", "⌫ Clear", "R Refresh", "? Help"))
        assert "mira (Mira Okafor)" in pane(app)
        assert '"owed": "all"' in pane(app)
        await pilot.press("j")
        entry = (await app.workbench.audit.list(limit=2)).data[1]
        await until(lambda: "⏎ opens the run." in pane(app), pilot)
        assert f"{entry.at.astimezone():%Y-%m-%d %H:%M:%S}" in pane(app)
        assert entry.subject in pane(app)


@pytest.mark.parametrize("size", SIZES)
async def test_it_is_filtered_as_one_types_and_the_filter_is_kept(busy: Path, size: tuple[int, int]) -> None:
    async with running(busy, size, AUDIT, start="audit") as (app, pilot):
        await shows(app, pilot, "5 entries")
        await pilot.press("backspace")
        assert "There is no filter to lift" in told(app)
        await pilot.press("f", *"by:jonas")
        # Still in the line, and narrowed already.
        await shows(app, pilot, "1 entry — by:jonas")
        assert "what:groups" in told(app)
        await pilot.press("escape")
        await shows(app, pilot, "5 entries")
        await filtered(app, pilot, "by:mira what:test-sets since:1d")
        await shows(app, pilot, "1 entry — by:mira what:test-sets since:1d", "acme.picks@1.0.0")
        assert told(app) == ""
    async with running(busy, size, AUDIT, start="audit") as (app, pilot):
        await shows(app, pilot, "1 entry — by:mira")
        await pilot.press("backspace")
        await shows(app, pilot, "5 entries")
        await filtered(app, pilot, "on:acme-ops@")
        await shows(app, pilot, "1 entry — on:acme-ops@", "packs.publish")
        await pilot.press("backspace")
        await filtered(app, pilot, "until:2001-01-01")
        await shows(app, pilot, "Nothing that was done matches. Backspace lifts the filter")
        await pilot.press("enter")
        assert "Backspace lifts the filter" in told(app)
        await pilot.press("backspace")
        await filtered(app, pilot, "mira what:queue")
        await shows(app, pilot, "1 entry")
        await until(lambda: told(app).startswith("mira isn't understood"), pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_what_an_entry_is_about_is_opened(busy: Path, size: tuple[int, int]) -> None:
    async with running(busy, size, AUDIT, start="audit") as (app, pilot):
        await shows(app, pilot, "5 entries")
        await pilot.press("enter")
        assert told(app) == "It has no screen: all that is noted of it is in this entry."
        for screen, words in (
            ("RunScreen", "Run "),
            ("ComparisonScreen", "acme.picks 1.0.0"),
            ("CasesScreen", "acme.picks 1.0.0"),
        ):
            await pilot.press("j", "enter")
            await until(lambda screen=screen: type(app.screen).__name__ == screen, pilot)  # type: ignore[misc]
            await until(lambda words=words: words in shown(app.screen), pilot)  # type: ignore[misc]
            await pilot.press("escape")
            await shows(app, pilot, "5 entries")


async def test_what_is_gone_or_elsewhere_is_said(demo: Path) -> None:
    gone = "00000000-0000-4000-8000-000000000009"
    ways = {
        "queue.dismiss": "No run",
        "comparisons.start": "comparison",
        "test-sets.build": "test set",
        "groups.add": "g o goes to the groups",
        "judgments.remove": "That verdict is gone",
        "corrections.remove": "That correction is gone",
        "cases.add": "g t goes to the sets",
        "runs.import": "g r goes to the runs",
        "x": "It has no screen",
    }
    rows = [
        (index, "eve", what, f"none.here@{index}.0.0" if what == "test-sets.build" else gone)
        for index, what in enumerate(ways)
    ]
    put(demo, rows[::-1])
    async with running(demo, (80, 24), AUDIT, start="audit") as (app, pilot):
        await shows(app, pilot, "10 entries")
        for words in ways.values():
            app.screen.query_one(StatusLine).say("")
            await pilot.press("enter")
            await until(lambda words=words: words in told(app), pilot)  # type: ignore[misc]
            assert isinstance(app.screen, AuditScreen)
            await pilot.press("j")


async def test_what_was_done_meanwhile_shows_and_the_cursor_stays_on_its_entry(busy: Path) -> None:
    async with running(busy, (160, 48), AUDIT, start="audit") as (app, pilot):
        await shows(app, pilot, "5 entries")
        await pilot.press("j")
        await until(lambda: "⏎ opens the run." in pane(app), pilot)
        await app.workbench.groups.add("new here", 1)
        await pilot.press("R")
        await shows(app, pilot, "6 entries", "groups.add")
        assert "⏎ opens the run." in pane(app)
        await pilot.press("g", "o")
        await until(lambda: "new here" in shown(app.screen), pilot)
        await app.workbench.groups.change("new here", weight=2)
        await pilot.press("g", "a")
        await shows(app, pilot, "7 entries", "groups.change")


async def test_many_pages_are_one_list(demo: Path) -> None:
    put(demo, [(number, "eve", "x.y", f"number {number}") for number in range(7_000)])
    async with running(demo, (80, 24), AUDIT, start="audit") as (app, pilot):
        await shows(app, pilot, "7,001 entries", "number 6999")
        await pilot.press("G")
        await until(lambda: "packs.publish" in listed(app), pilot, 30)
        assert "packs.publish" in pane(app)
        await pilot.press("g", "g")
        await until(lambda: "number 6999" in listed(app), pilot)


async def test_before_anything_is_noted_it_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    workbench, _ = await open_local(folder)
    await workbench.close()
    async with running(folder, (80, 24), AUDIT, start="audit") as (app, pilot):
        await shows(app, pilot, "Nothing was done here yet that is noted: R looks again")
        await pilot.press("enter")
        assert "R looks again" in told(app)
        await app.workbench.groups.add("first", 1)
        await pilot.press("R")
        await shows(app, pilot, "1 entry", "groups.add")


@pytest.mark.parametrize("size", [(80, 24), (30, 8), (200, 60)])
async def test_hostile_words_are_shown_and_harm_nothing(demo: Path, size: tuple[int, int]) -> None:
    words = [storable(text) for text in strings().values()]
    put(demo, [(0, text, f"x.{text}", text) for text in words])
    async with running(demo, size, AUDIT, start="audit") as (app, pilot):
        await until(lambda: app.screen.query_one("#audit-list").count > len(words), pilot)  # type: ignore[attr-defined]
        for _ in words:
            await pilot.press("j")
            assert "\x1b" not in shown(app.screen)
            assert "\u202e" not in shown(app.screen)
        await filtered(app, pilot, "[/INST]")
        await until(lambda: "[/INST] isn't understood" in told(app), pilot)


async def test_it_is_found_by_its_words_and_under_go_to(demo: Path) -> None:
    async with running(demo, (80, 24)) as (app, pilot):
        await pilot.press("colon", *"audit")
        await until(lambda: "Goes to what was done here, by whom, when (g a)" in shown(app.screen), pilot)
        await pilot.press("enter")
        await shows(app, pilot, "Audit · 1 entry", "packs.publish")
        await pilot.press("question_mark")
        await until(lambda: "Keys of audit" in shown(app.screen), pilot)
        await until(lambda: "Narrows the list: who did it, what" in shown(app.screen), pilot)
