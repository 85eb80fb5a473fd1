"""Runs and one run, by keys on a real workspace."""

import json
from pathlib import Path

import pytest

from kindgi_tui.domain.projects import Project
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.local.store.values import from_ms, now_ms
from kindgi_tui.local.workbench import open_local
from kindgi_tui.tui.screens.help import HelpScreen
from kindgi_tui.tui.screens.run.screen import RunScreen
from kindgi_tui.tui.screens.runs.screen import RunsScreen
from kindgi_tui.tui.widgets.line_list import LineList
from kindgi_tui.tui.widgets.status_line import StatusLine
from kindgi_tui.tui.widgets.text_pane import TextPane
from tests.hostile.corpus import strings
from tests.tui.conftest import SIZES, painted, running, shown, until


def rows_of(app: object) -> LineList:
    screen = app.screen  # type: ignore[attr-defined]
    assert isinstance(screen, RunsScreen)
    return screen.rows


@pytest.mark.parametrize("size", SIZES)
async def test_the_list_shows_runs_newest_first_and_opens_one(demo: Path, size: tuple[int, int]) -> None:
    async with running(demo, size) as (app, pilot):
        rows = rows_of(app)
        await until(lambda: rows.count == 73, pilot)
        await until(lambda: "73 runs" in shown(app.screen), pilot)
        assert "I returned a jacket" in painted(rows).splitlines()[0]
        await pilot.press("j", "j", "enter")
        await until(lambda: isinstance(app.screen, RunScreen), pilot)
        await until(lambda: "Items" in painted(app.screen.query_one(TextPane)), pilot)
        text = painted(app.screen.query_one(TextPane))
        assert "User" in text
        assert "acme-ops.search-articles" in text
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, RunsScreen), pilot)
        assert rows_of(app).cursor == 2


async def test_a_filter_narrows_as_one_types_and_survives_a_restart(demo: Path) -> None:
    async with running(demo) as (app, pilot):
        await until(lambda: rows_of(app).count == 73, pilot)
        await pilot.press("f", *"status:failed")
        await until(lambda: rows_of(app).count == 1, pilot)
        await pilot.press("enter", "j")
        assert rows_of(app).has_focus
    async with running(demo) as (app, pilot):
        await until(lambda: rows_of(app).count == 1, pilot)
        await pilot.press("backspace")
        await until(lambda: rows_of(app).count == 73, pilot)


async def test_search_finds_words_and_keys_typed_after_enter_go_to_the_list(demo: Path) -> None:
    async with running(demo) as (app, pilot):
        await until(lambda: rows_of(app).count == 73, pilot)
        await pilot.press("slash", *"jacket", "enter", "question_mark")
        await until(lambda: isinstance(app.screen, HelpScreen), pilot)
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, RunsScreen) and 0 < rows_of(app).count < 73, pilot)
        await until(lambda: "— jacket" in shown(app.screen), pilot)


async def test_what_can_not_be_done_says_why(demo: Path) -> None:
    async with running(demo) as (app, pilot):
        await until(lambda: rows_of(app).count == 73, pilot)
        await pilot.press("backspace")
        assert "no filter to lift" in app.screen.query_one(StatusLine).sentence


async def test_a_new_run_appears(demo: Path) -> None:
    async with running(demo) as (app, pilot):
        await until(lambda: rows_of(app).count == 73, pilot)
        project: Project = app.project
        other, _ = await open_local(demo)
        run = RunDetail(
            id="11111111-1111-4111-8111-111111111111",
            project_id=project.id,
            subject=Subject(kind="agent", id="a.b", version="1.0.0"),
            status="completed",
            created_at=from_ms(now_ms()),
            input="a brand new question",
            output={"appended": []},
        )
        await other.runs.add([run])
        await other.close()
        await until(lambda: "a brand new question" in painted(rows_of(app)).splitlines()[0], pilot)


async def test_the_last_run_is_one_key_away(demo: Path) -> None:
    async with running(demo, (80, 24)) as (app, pilot):
        await until(lambda: rows_of(app).count == 73, pilot)
        await pilot.press("end")
        await until(lambda: rows_of(app).cursor == 72, pilot)
        assert "10-12" in painted(rows_of(app)).splitlines()[-1]
        await pilot.press("g", "g")
        await until(lambda: rows_of(app).cursor == 0, pilot)


async def test_a_run_is_written_as_jsonl(demo: Path, tmp_path: Path) -> None:
    async with running(demo) as (app, pilot):
        await until(lambda: rows_of(app).count == 73, pilot)
        await pilot.press("e")
        target = tmp_path / "one.jsonl"
        prompt = app.screen.query_one("Prompt Input")
        prompt.value = str(target)  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(target.exists, pilot)
        assert json.loads(target.read_text())["agent"]["id"] == "acme-ops.article-picker"


async def test_hostile_words_are_shown_and_harm_nothing(demo: Path) -> None:
    workbench, _ = await open_local(demo)
    project = await workbench.projects.get()
    now = now_ms()
    runs = [
        RunDetail(
            id=f"22222222-2222-4222-8222-{number:012d}",
            project_id=project.id,
            subject=Subject(kind="agent", id=f"evil.{number}", version="1.0.0"),
            status="completed",
            created_at=from_ms(now + number),
            input=text[:5000],
            output={
                "appended": [{"role": "agent", "content": text[:5000]}],
                "output": {"l": [{"id": text[:50] or "x"}]},
            },
        )
        for number, text in enumerate(strings().values())
    ]
    await workbench.runs.add(runs)
    await workbench.close()
    async with running(demo, (80, 24)) as (app, pilot):
        await until(lambda: rows_of(app).count == 73 + len(runs), pilot)
        for _ in range(0, len(runs), 4):
            await pilot.press("enter")
            await until(lambda: isinstance(app.screen, RunScreen), pilot)
            await pilot.press("o", "escape", "j", "j", "j", "j")
        text = shown(app.screen)
        assert "\x1b" not in text
        assert "\x07" not in text


@pytest.mark.parametrize("size", [(40, 10), (60, 15), (200, 60)])
async def test_any_size_will_do(demo: Path, size: tuple[int, int]) -> None:
    async with running(demo, size) as (app, pilot):
        await until(lambda: rows_of(app).count == 73, pilot)
        await pilot.press("j", "end", "home", "p", "enter")
        await until(lambda: isinstance(app.screen, RunScreen), pilot)


async def test_escape_takes_back_what_was_typed(demo: Path) -> None:
    async with running(demo) as (app, pilot):
        await until(lambda: rows_of(app).count == 73, pilot)
        await pilot.press("slash", *"jacket")
        await until(lambda: rows_of(app).count < 73, pilot)
        await pilot.press("escape")
        await until(lambda: rows_of(app).count == 73, pilot)
        assert rows_of(app).has_focus


async def test_a_key_goes_to_the_next_project_and_it_is_kept(demo: Path) -> None:
    async with running(demo) as (app, pilot):
        await until(lambda: rows_of(app).count == 73, pilot)
        await pilot.press("P")
        await until(lambda: isinstance(app.screen, RunsScreen) and rows_of(app).count == 23, pilot)
        await until(lambda: "Documents" in shown(app.screen), pilot)
    async with running(demo) as (app, pilot):
        await until(lambda: rows_of(app).count == 23, pilot)


async def test_an_empty_workspace_names_a_command_that_works_there(tmp_path: Path) -> None:
    place = tmp_path / "new one"
    for size in SIZES:
        async with running(place, size=size) as (app, pilot):
            await until(lambda: "No runs yet" in painted(app.screen.query_one(LineList)), pilot)
            # Whole, over as many lines as it takes: a place has no blank a line could end at.
            told = "".join(painted(app.screen.query_one(LineList)).split())
            assert f"kindgi-tui --workspace '{place}' runs import FILE".replace(" ", "") in told
            assert told.endswith("kindgi-tuidemo.")
