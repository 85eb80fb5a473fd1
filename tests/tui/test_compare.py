"""Setting up a comparison, by keys on a real workspace: what is picked is what runs."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.workbench import open_local
from kindgi_tui.text import width
from kindgi_tui.text.diffs import Piece, word_diff
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.screens.compare.screen import CompareScreen
from kindgi_tui.tui.screens.comparison.screen import ComparisonScreen
from kindgi_tui.tui.screens.test_sets.screen import TestSetsScreen
from kindgi_tui.tui.widgets.form import Form
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.status_line import StatusLine
from kindgi_tui.tui.widgets.text_pane import TextPane
from kindgi_tui.tui.word_lines import word_lines
from tests.hostile.corpus import strings
from tests.tui.conftest import SIZES, painted, running, until

AGENT = "acme-ops.article-picker"


async def build(folder: Path, *versions: str) -> None:
    workbench, _ = await open_local(folder)
    project = (await workbench.projects.get()).id
    for version in versions:
        await workbench.test_sets.build(
            BuildRequest(test_set_id="acme.picks", version=version, project_id=project, agent_id=AGENT)
        )
    await workbench.close()


async def started(folder: Path) -> tuple[Comparison, ...]:
    workbench, _ = await open_local(folder)
    found = await workbench.comparisons.list()
    await workbench.close()
    return found.data


def pane(app: WorkbenchApp) -> str:
    return painted(app.screen.query_one(TextPane))


def flat(app: WorkbenchApp) -> str:
    """What the pane says, as if its lines weren't wrapped."""
    return " ".join(pane(app).split())


def told(app: WorkbenchApp) -> str:
    return app.screen.query_one(StatusLine).sentence


async def opened(app: WorkbenchApp, pilot: Pilot[None]) -> CompareScreen:
    """Goes to Compare on the first set, and waits for the dry run."""
    await until(lambda: isinstance(app.screen, TestSetsScreen) and app.screen.current, pilot)
    await pilot.press("c")
    await until(lambda: isinstance(app.screen, CompareScreen), pilot)
    screen = app.screen
    assert isinstance(screen, CompareScreen)
    await until(lambda: screen.settled, pilot)
    await pilot.pause()
    return screen


async def settle(screen: CompareScreen, pilot: Pilot[None]) -> None:
    await pilot.pause()
    await until(lambda: screen.settled, pilot)


async def fill(app: WorkbenchApp, pilot: Pilot[None], name: str, text: str) -> None:
    app.screen.query_one(Form).go_to(name)
    await pilot.press("enter")
    await until(lambda: app.screen.query_one(Prompt).purpose == f"field:{name}", pilot)
    app.screen.query_one("Prompt Input").value = text[:-1]  # type: ignore[attr-defined]
    await pilot.press("end", text[-1], "enter")


@pytest.mark.parametrize("size", SIZES)
async def test_a_version_is_picked_and_started(demo: Path, size: tuple[int, int]) -> None:
    await build(demo, "1.0.0")
    async with running(demo, size, "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await opened(app, pilot)
        await until(lambda: f"41 cases of {AGENT} 0.3.0" in flat(app), pilot)
        await until(lambda: "no model is asked" in flat(app), pilot)
        await pilot.press("l")
        await until(lambda: "0.2.0 changes since 0.1.0" in flat(app), pilot)
        await settle(screen, pilot)
        await pilot.press("d", "d")
        await until(lambda: "{+" in pane(app), pilot)
        await pilot.press("s")
        await until(lambda: isinstance(app.screen, ComparisonScreen), pilot, 20)
        await pilot.press("escape")
        assert app.screen is screen
        await until(lambda: "was started; g c shows it" in told(app), pilot)
        screen.form.go_to("k")
        await pilot.press("l")
        await until(lambda: "was started" not in told(app), pilot)
    (made,) = await started(demo)
    assert (made.request.subject_version, made.test_set_id, made.test_set_version) == (
        "0.2.0", "acme.picks", "1.0.0",
    )  # fmt: skip


async def test_every_option_is_stored(demo: Path) -> None:
    await build(demo, "1.0.0", "1.0.1")
    async with running(demo, (120, 40), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await opened(app, pilot)
        form = screen.form
        for name, keys in {
            "test_set_version": "l", "subject_version": "l", "repetitions": "l", "reads": "l", "weighing": "l",
            "sample": "ll", "hold_out_share": "ll", "k": "hh", "concurrency": "h",
        }.items():  # fmt: skip
            form.go_to(name)
            await pilot.press(*keys)
        await fill(app, pilot, "seed", "mine")
        await fill(app, pilot, "cost_limit", "2.5")
        await fill(app, pilot, "case_timeout", "60")
        await fill(app, pilot, "correlation_id", "pr-12")
        await settle(screen, pilot)
        await until(lambda: "runs of" in flat(app), pilot)
        await pilot.press("s")
        await until(lambda: isinstance(app.screen, ComparisonScreen), pilot, 20)
    (made,) = await started(demo)
    asked = made.request
    assert (asked.version, asked.subject_version, asked.repetitions, asked.k) == ("1.0.0", "0.2.0", 2, 8)
    assert (asked.reads, asked.weighing, asked.concurrency) == ("live", "experts-only", 15)
    assert asked.sample is not None
    assert (asked.sample.part, asked.sample.seed, asked.sample.hold_out_share) == ("hold-out", "mine", 0.5)
    assert (asked.cost_limit, asked.case_timeout, asked.correlation_id) == (2.5, 60.0, "pr-12")


async def test_what_is_wrong_is_said_before_and_nothing_starts(demo: Path) -> None:
    await build(demo, "1.0.0")
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await opened(app, pilot)
        await fill(app, pilot, "repetitions", "11")
        await settle(screen, pilot)
        await until(lambda: "`repetitions` must be an integer from 1 to 10" in flat(app), pilot)
        await pilot.press("s")
        await until(lambda: "`repetitions` must be" in told(app), pilot)
        screen.form.go_to("repetitions")
        await pilot.press("backspace")
        screen.form.go_to("fresh")
        await pilot.press("l")
        await settle(screen, pilot)
        await until(lambda: "anthropic is not configured" in flat(app), pilot)
        await pilot.press("s")
        await until(lambda: "not configured" in told(app), pilot)
        assert app.screen is screen
    assert await started(demo) == ()


async def test_what_was_typed_last_counts_even_when_start_is_pressed_at_once(demo: Path) -> None:
    await build(demo, "1.0.0")
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await opened(app, pilot)
        await fill(app, pilot, "k", "101")
        await pilot.press("s")
        await until(lambda: "`k` must be" in told(app), pilot)
        assert app.screen is screen
    assert await started(demo) == ()


async def test_s_pressed_twice_starts_one(demo: Path) -> None:
    await build(demo, "1.0.0")
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await opened(app, pilot)
        await screen.action_act("compare.start")
        await screen.action_act("compare.start")
        await until(lambda: "being started" in told(app), pilot)
        await until(lambda: isinstance(app.screen, ComparisonScreen), pilot, 20)
    assert len(await started(demo)) == 1


async def test_a_draft_survives_a_restart_and_another_set_brings_its_own_versions(demo: Path) -> None:
    await build(demo, "1.0.0")
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await opened(app, pilot)
        await pilot.press("l", "j", "l")
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await opened(app, pilot)
        values = {field.name: field.value for field in screen.form.fields}
        assert (values["subject_version"], values["repetitions"]) == ("0.2.0", "2")
        await pilot.press("X")
        assert {field.value for field in screen.form.fields} == {""}


async def test_changes_are_shown_against_another_version(demo: Path) -> None:
    await build(demo, "1.0.0")
    async with running(demo, (160, 48), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await opened(app, pilot)
        await until(
            lambda: "What 0.3.0 changes since 0.1.0, with which 41 cases were recorded" in flat(app), pilot
        )
        await until(lambda: "acme-ops.log-suggestion" in flat(app), pilot)
        await until(lambda: "/tools/1" in flat(app), pilot)
        await pilot.press("v")
        await until(lambda: "What 0.3.0 changes since 0.2.0" in flat(app), pilot)
        await pilot.press("h")
        await until(lambda: "What 0.1.0 changes since 0.2.0" in flat(app), pilot)
        await settle(screen, pilot)
        await pilot.press("v")
        await until(lambda: "0.1.0 is the version 41 cases were recorded with" in flat(app), pilot)


async def test_without_test_sets_it_says_where_to_build_one(demo: Path) -> None:
    workbench, _ = await open_local(demo)
    await workbench.projects.add("Empty")
    await workbench.projects.use("empty")
    await workbench.close()
    async with running(demo, (80, 24)) as (app, pilot):
        app.push_screen(CompareScreen())
        await until(lambda: isinstance(app.screen, CompareScreen) and app.screen.query(TextPane), pilot)
        await until(lambda: "No test sets yet" in pane(app), pilot)
        await pilot.press("s")
        await until(lambda: "There are no test sets yet" in told(app), pilot)


async def test_an_agent_that_is_not_published_can_not_be_compared(demo: Path) -> None:
    workbench, _ = await open_local(demo)
    project = (await workbench.projects.get()).id
    hostile = strings()["osc 52 clipboard"] + "[/INST]"
    run = RunDetail.model_validate({
        "id": "44444444-4444-4444-8444-444444444444", "project_id": project, "status": "completed", "input": "q",
        "subject": Subject(kind="agent", id=hostile, version=hostile), "created_at": "2026-11-01T00:00:00Z",
        "output": {"appended": [{"role": "agent", "content": "a"}]},
    })  # fmt: skip
    item = ItemRef(key="answer", pointer="/appended/0/content")
    await workbench.runs.add([run], [(NewJudgment(run_id=run.id, item=item, verdict="yes"), "judge", None)])
    await workbench.test_sets.build(
        BuildRequest(test_set_id="evil", version="1.0.0", project_id=project, agent_id=hostile)
    )
    await workbench.close()
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await opened(app, pilot)
        await until(lambda: "packs publish" in flat(app), pilot)
        await pilot.press("s")
        await until(lambda: "packs publish" in told(app), pilot)
        assert not {"\x1b", "\x07"} & set(pane(app) + painted(app.screen.query_one(Form)))


@pytest.mark.parametrize("size", [(40, 10), (60, 15), (200, 60), (20, 5)])
async def test_any_size_will_do(demo: Path, size: tuple[int, int]) -> None:
    await build(demo, "1.0.0")
    async with running(demo, size, "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await opened(app, pilot)
        await pilot.press("l", "G", "home", "tab", "shift+tab", "d", "u", "v")
        await pilot.resize_terminal(100, 30)
        await settle(screen, pilot)
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert screen.form.field is not None


@pytest.mark.parametrize("cells", [4, 20, 61])
def test_changed_words_fit_and_nothing_is_lost(cells: int) -> None:
    lines = word_lines(word_diff("Pick three articles at most.", "Pick one article,\nat most."), cells, 2)
    assert all(sum(width(words) for words, _ in line.pieces) <= max(cells, 6) for line in lines)
    shown = "".join(words for line in lines for words, _ in line.pieces)
    assert "".join(shown.split()) == "Pick[-threearticles-]{+onearticle,+}atmost."


@pytest.mark.parametrize("text", list(strings().values())[:40])
def test_hostile_words_that_changed_are_plain(text: str) -> None:
    lines = word_lines([Piece("removed", text), Piece("added", text), Piece("same", text)], 40)
    shown = "".join(words for line in lines for words, _ in line.pieces)
    assert not {"\x1b", "\x07", "\x00", "\u202e", "\n"} & set(shown)
