"""Test sets, their cases and the build form, by keys on a real workspace."""

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.local.store.values import from_ms, now_ms
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from kindgi_tui.opening import Target
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.screens.compare.screen import CompareScreen
from kindgi_tui.tui.screens.judge.screen import JudgeScreen
from kindgi_tui.tui.screens.run.screen import RunScreen
from kindgi_tui.tui.screens.test_set_build.screen import BuildScreen
from kindgi_tui.tui.screens.test_set_cases.screen import CasesScreen
from kindgi_tui.tui.screens.test_sets.screen import TestSetsScreen
from kindgi_tui.tui.widgets.form import Form
from kindgi_tui.tui.widgets.line_list import LineList
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.status_line import StatusLine
from kindgi_tui.tui.widgets.text_pane import TextPane
from tests.hostile.corpus import strings
from tests.tui.conftest import LOCAL, SIZES, painted, running, shown, until

AGENT = "acme-ops.article-picker"


async def build(folder: Path, *versions: str, identity: str = "acme.article-picks") -> None:
    """Builds versions of a set in the demo's default project."""
    workbench, _ = await open_local(folder)
    project = (await workbench.projects.get()).id
    for version in versions:
        await workbench.test_sets.build(
            BuildRequest(test_set_id=identity, version=version, project_id=project, agent_id=AGENT)
        )
    await workbench.close()


async def stored(folder: Path) -> tuple[TestSetVersion, ...]:
    """The sets that are stored."""
    workbench, _ = await open_local(folder)
    found = await workbench.test_sets.list()
    await workbench.close()
    return found


def pane(app: WorkbenchApp) -> str:
    return painted(app.screen.query_one(TextPane))


def told(app: WorkbenchApp) -> str:
    return app.screen.query_one(StatusLine).sentence


async def on(app: WorkbenchApp, pilot: Pilot[None], screen: type) -> None:
    await until(lambda: isinstance(app.screen, screen), pilot)


async def pane_says(app: WorkbenchApp, pilot: Pilot[None], words: str) -> None:
    await until(lambda: words in pane(app), pilot)


async def fill(app: WorkbenchApp, pilot: Pilot[None], name: str, text: str) -> None:
    """Types a field's text, as a person who goes to it and presses Enter."""
    form = app.screen.query_one(Form)
    form.go_to(name)
    await pilot.press("enter")
    await until(lambda: app.screen.query_one(Prompt).purpose == f"field:{name}", pilot)
    app.screen.query_one("Prompt Input").value = text[:-1]  # type: ignore[attr-defined]
    await pilot.press("end", text[-1], "enter")


@pytest.mark.parametrize("size", SIZES)
async def test_a_set_is_built_by_keys_from_its_suggestions(demo: Path, size: tuple[int, int]) -> None:
    async with running(demo, size, "TestSetsScreen", start="test_sets") as (app, pilot):
        await until(lambda: "own · acme-ops" in shown(app.screen), pilot)
        await pilot.press("b")
        await on(app, pilot, BuildScreen)
        await pane_says(app, pilot, "41 runs, each a case")
        await until(lambda: "192 judgments" in pane(app), pilot)
        await pilot.press("b")
        await on(app, pilot, TestSetsScreen)
        await until(lambda: f"Built {AGENT}-picks 1.0.0: 41 cases" in told(app), pilot)
        assert f"{AGENT}-picks"[:20] in shown(app.screen)
    (made,) = await stored(demo)
    assert (made.test_set_id, made.version, made.case_count) == (f"{AGENT}-picks", "1.0.0", 41)


async def test_every_option_of_the_form_is_stored(demo: Path) -> None:
    async with running(demo, (120, 40), "TestSetsScreen", start="test_sets") as (app, pilot):
        await pilot.press("n")
        await on(app, pilot, BuildScreen)
        await pane_says(app, pilot, "41 runs")
        await fill(app, pilot, "test_set_id", "acme.few")
        await fill(app, pilot, "version", "2.1.0")
        await fill(app, pilot, "since", "2026-01-01")
        await fill(app, pilot, "groups", "support experts")
        await fill(app, pilot, "description", "What experts said")
        form = app.screen.query_one(Form)
        form.go_to("subject_version")
        await pilot.press("h")
        form.go_to("min_judgments")
        await pilot.press("l", "l")
        await pane_says(app, pilot, "too few judgments")
        screen = app.screen
        assert isinstance(screen, BuildScreen)
        await until(lambda: screen.settled, pilot)
        await until(lambda: "acme.few 2.1.0 will take" in pane(app), pilot)
        counted = int(pane(app).split("will take")[1].split("runs")[0].split()[-1])
        await pilot.press("b")
        await on(app, pilot, TestSetsScreen)
    (made,) = await stored(demo)
    asked = made.request
    assert (made.test_set_id, made.version, made.case_count) == ("acme.few", "2.1.0", counted)
    assert (asked.subject_version, asked.min_judgments, len(asked.groups)) == ("0.1.0", 3, 1)
    assert asked.description == "What experts said"
    assert asked.since is not None


async def test_refusals_stand_in_words_before_one_presses_build(demo: Path) -> None:
    await build(demo, "1.0.0")
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await until(lambda: "acme.article-picks" in shown(app.screen), pilot)
        await pilot.press("b")
        await on(app, pilot, BuildScreen)
        await pane_says(app, pilot, "acme.article-picks 1.0.1 will take")
        await fill(app, pilot, "version", "1.0.0")
        await pane_says(app, pilot, "built already")
        await pilot.press("b")
        await until(lambda: "built already" in told(app), pilot)
        assert isinstance(app.screen, BuildScreen)
        app.screen.query_one(Form).go_to("version")
        await pilot.press("backspace")
        await fill(app, pilot, "min_judgments", "99")
        await pane_says(app, pilot, "too few judgments, and no other is left")
        await pilot.press("b")
        await until(lambda: "too few judgments" in told(app), pilot)
    assert len(await stored(demo)) == 1


async def test_a_draft_survives_leaving_and_a_restart_and_is_gone_once_built(demo: Path) -> None:
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await pilot.press("b")
        await on(app, pilot, BuildScreen)
        await pane_says(app, pilot, "41 runs")
        await fill(app, pilot, "test_set_id", "acme.kept")
        await pilot.press("enter", *"zzz", "escape")
        await pilot.press("escape")
        await on(app, pilot, TestSetsScreen)
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await pilot.press("b")
        await on(app, pilot, BuildScreen)
        await pane_says(app, pilot, "acme.kept 1.0.0 will take")
        await pilot.press("b")
        await on(app, pilot, TestSetsScreen)
        await pilot.press("n")
        await on(app, pilot, BuildScreen)
        await pane_says(app, pilot, "acme.kept 1.0.1 will take")


async def test_what_was_judged_meanwhile_is_counted(demo: Path) -> None:
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await pilot.press("b")
        await on(app, pilot, BuildScreen)
        await pane_says(app, pilot, "41 runs")
        await pilot.press("g", "r")
        await until(lambda: type(app.screen).__name__ == "RunsScreen", pilot)
        await add_run(demo, {"l": [{"id": "a"}]}, "a")
        await pilot.press("g", "t")
        await on(app, pilot, BuildScreen)
        await pane_says(app, pilot, "42 runs")


async def test_without_judged_runs_it_says_to_judge_first(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    workbench, _ = await open_local(folder)
    await workbench.close()
    async with running(folder, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await until(lambda: "judge some first, g j" in shown(app.screen), pilot)
        await pilot.press("enter")
        await until(lambda: "No test sets yet" in told(app), pilot)
        await pilot.press("b")
        await on(app, pilot, BuildScreen)
        await pane_says(app, pilot, "judge some first")
        await pilot.press("b")
        await until(lambda: "judge some first" in told(app), pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_cases_show_what_was_said_and_the_run_is_one_key_away(
    demo: Path, size: tuple[int, int]
) -> None:
    await build(demo, "1.0.0")
    async with running(demo, size, "TestSetsScreen", start="test_sets") as (app, pilot):
        await until(lambda: "41 cases" in shown(app.screen), pilot)
        await pilot.press("enter")
        await on(app, pilot, CasesScreen)
        await pane_says(app, pilot, "yes by weight")
        await until(lambda: "cant sign in with apple" in pane(app), pilot)
        screen = app.screen
        assert isinstance(screen, CasesScreen)
        await pilot.press("j", "j")
        case = screen.current
        assert case is not None
        yes = sum(item.yes for item in case.items)
        assert pane(app).count("✓ 1 yes") == yes
        await pilot.press("enter")
        await on(app, pilot, RunScreen)
        await until(lambda: case.case_id[:8] in shown(app.screen), pilot)
        await pilot.press("escape")
        await on(app, pilot, CasesScreen)
        await pilot.press("end")
        assert screen.rows.cursor == 40


@pytest.mark.parametrize("size", SIZES)
async def test_agreement_is_told_and_what_people_differ_on_is_settled_in_judge(
    demo: Path, size: tuple[int, int]
) -> None:
    await build(demo, "1.0.0")
    options = {"judge_dwell": 0.0}
    given = {"start": "test_sets", "options": options}
    async with running(demo, size, "TestSetsScreen", **given) as (app, pilot):
        await until(lambda: "41 cases" in shown(app.screen), pilot)
        await pilot.press("enter")
        await on(app, pilot, CasesScreen)
        sentence = "2 people judged the same 72 items: they agree on 88% (kappa 0.71), 31% yes"
        await until(lambda: sentence in shown(app.screen), pilot)
        await pilot.press("a")
        await pane_says(app, pilot, "Two by two")
        words = " ".join(pane(app).split())
        assert (
            "jonas and mira: agree on 63 of 72 (both yes 18, both no 45; only jonas yes 3, only mira yes 6)"
            in words
        )
        cases = app.screen
        assert isinstance(cases, CasesScreen)
        await pilot.press("j")
        await until(lambda: "Two by two" not in pane(app), pilot)
        found = await app.workbench.test_sets.agreement("acme.article-picks")
        await pilot.press("s")
        await on(app, pilot, JudgeScreen)
        judge = app.screen
        assert isinstance(judge, JudgeScreen)
        await until(lambda: judge.session.walk.sheet is not None, pilot)
        assert "9 items in dis" in shown(judge)
        keys = [(entry.run_id, entry.keys) for entry in judge.session.walk.feed.entries]
        assert keys == [(one.run_id, (one.item_key,)) for one in found.split]


async def test_what_one_judged_before_is_settled_again_and_the_page_counts_anew(demo: Path) -> None:
    await build(demo, "1.0.0")
    workbench, _ = await open_local(demo)
    (first, *rest) = (await workbench.test_sets.agreement("acme.article-picks")).split
    assert len(rest) == 8
    (mira,) = [one for one in await workbench.people.list() if one.id == "mira"]
    (jonas,) = [one for one in await workbench.people.list() if one.id == "jonas"]
    for split in rest:
        mine = await workbench.judgments.list(JudgmentFilter(run_id=split.run_id, asserter="mira"), 100)
        (said,) = [one for one in mine.data if one.item.key == split.item_key]
        verdict = NewJudgment(run_id=split.run_id, item=said.item, verdict=said.verdict)
        await workbench.acting_as(jonas).judgments.add(verdict)
    await workbench.close()
    app = WorkbenchApp(
        Target(workspace=demo, person="mira"),
        LOCAL,
        start="test_sets",
        state_folder=demo.parent / "state",
        options={"judge_dwell": 0.0},
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await on(app, pilot, TestSetsScreen)
        await until(lambda: "41 cases" in shown(app.screen), pilot)
        await pilot.press("enter")
        await on(app, pilot, CasesScreen)
        await until(lambda: "they agree on 99%" in shown(app.screen), pilot)
        await pilot.press("s")
        await on(app, pilot, JudgeScreen)
        judge = app.screen
        assert isinstance(judge, JudgeScreen)
        await until(lambda: judge.session.walk.sheet is not None, pilot)
        item = judge.session.walk.item
        assert item is not None
        assert item.key == first.item_key
        await until(lambda: judge.session.seen.seen((first.run_id, first.item_key)), pilot)
        await pilot.press("n" if "mira" in first.yes else "y")
        await until(lambda: judge.session.walk.at_end, pilot)
        await judge.session.writes.drain()
        await pilot.press("g", "t")
        await on(app, pilot, CasesScreen)
        await until(lambda: "they agree on 100%" in shown(app.screen), pilot)
        await pilot.press("s")
        await until(lambda: "nothing to settle" in told(app), pilot)
        assert mira.right == "editor"


async def test_few_shared_items_are_counts_alone(tmp_path: Path) -> None:
    folder = tmp_path / "few"
    workbench, _ = await open_local(folder)
    run_id = await add_to(workbench, {"l": [{"id": "a"}, {"id": "b"}]}, "a", "the best", "right")
    ben = Person(id="ben", created_at=from_ms(0))
    await workbench.people.add(ben)
    item = ItemRef(key="b", pointer="/output/l/1", rank=1)
    await workbench.judgments.add(NewJudgment(run_id=run_id, item=item, verdict="yes"))
    await workbench.acting_as(ben).judgments.add(NewJudgment(run_id=run_id, item=item, verdict="no"))
    await workbench.close()
    await build(folder, "1.0.0")
    async with running(folder, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await until(lambda: "1 case" in shown(app.screen), pilot)
        await pilot.press("enter")
        await on(app, pilot, CasesScreen)
        words = "4 people judged 2 items, each by two or more: they agree on 1, 3 of 4 verdicts yes; "
        words += "too few for a coefficient (30)"
        await until(lambda: words in " ".join(shown(app.screen).split()), pilot)
        await pilot.press("a")
        await until(lambda: "What they differ on" in pane(app), pilot)
        assert "Alpha" not in pane(app)


async def test_two_reasons_are_shown_and_all_on_a_key(demo: Path) -> None:
    run_id = await add_run(demo, {"l": [{"id": "a", "title": "The title"}]}, "a", "mine", "hers", "theirs")
    await build(demo, "1.0.0")
    async with running(demo, (120, 40), "TestSetsScreen", start="test_sets") as (app, pilot):
        await until(lambda: "42 cases" in shown(app.screen), pilot)
        await pilot.press("enter")
        await on(app, pilot, CasesScreen)
        await pane_says(app, pilot, "1 more: o shows them")
        assert run_id[:8] in pane(app)
        await until(lambda: "✓ 3 yes" in pane(app), pilot)
        await until(lambda: "100% yes by weight" in pane(app), pilot)
        await until(lambda: "The title" in pane(app), pilot)
        assert sum(word in pane(app) for word in ("mine", "hers", "theirs")) == 2
        await pilot.press("o")
        assert sum(word in pane(app) for word in ("mine", "hers", "theirs")) == 3


async def test_versions_cycle_and_cases_are_those_of_the_one_shown(demo: Path) -> None:
    await build(demo, "1.0.0")
    await add_run(demo, {"l": [{"id": "a"}]}, "a")
    await build(demo, "1.0.1")
    async with running(demo, (120, 40), "TestSetsScreen", start="test_sets") as (app, pilot):
        await until(lambda: "42 cases" in shown(app.screen), pilot)
        await pilot.press("v")
        await until(lambda: "1.0.0 (2 of 2)" in shown(app.screen), pilot)
        await until(lambda: "41 cases" in pane(app), pilot)
        await pilot.press("c")
        await on(app, pilot, CompareScreen)
        await until(lambda: "41 cases" in pane(app), pilot)
        await pilot.press("escape")
        await on(app, pilot, TestSetsScreen)
        await pilot.press("v")
        await until(lambda: "(2 of 2)" not in shown(app.screen), pilot)


async def test_cases_are_written_as_jsonl(demo: Path, tmp_path: Path) -> None:
    await build(demo, "1.0.0")
    target = tmp_path / "cases.jsonl"
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await until(lambda: "41 cases" in shown(app.screen), pilot)
        await pilot.press("e")
        app.screen.query_one("Prompt Input").value = str(target)  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(lambda: "Wrote 41 cases" in told(app), pilot)
        lines = [json.loads(line) for line in target.read_text("ascii").splitlines()]
        assert len({line["caseId"] for line in lines}) == 41
        await pilot.press("e")
        app.screen.query_one("Prompt Input").value = str(target)  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(lambda: "is there already" in told(app), pilot)


async def test_a_project_without_judged_runs_says_what_to_do_first(demo: Path) -> None:
    workbench, _ = await open_local(demo)
    await workbench.projects.add("Empty")
    await workbench.projects.use("empty")
    await workbench.close()
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await until(lambda: "no judged runs to build one from" in shown(app.screen), pilot)
        await pilot.press("enter")
        await until(lambda: "No test sets yet" in told(app), pilot)


async def test_a_filter_narrows_by_id_and_is_kept(demo: Path) -> None:
    await build(demo, "1.0.0", identity="acme.one")
    await build(demo, "1.0.0", identity="acme.two")
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        # The agent's own set stands among them.
        await until(lambda: "3 sets" in shown(app.screen), pilot)
        await pilot.press("slash", *"TWO", "enter")
        await until(lambda: "1 set — TWO" in shown(app.screen), pilot)
        assert "acme.one" not in shown(app.screen)
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await until(lambda: "1 set — TWO" in shown(app.screen), pilot)
        await pilot.press("backspace")
        # The agent's own set stands among them.
        await until(lambda: "3 sets" in shown(app.screen), pilot)


async def add_run(folder: Path, output: Json, key: str, *reasons: str, text: str = "a question") -> str:
    """Adds a run that one person (or as many as there are reasons) judged."""
    workbench, _ = await open_local(folder)
    run_id = await add_to(workbench, output, key, *reasons, text=text)
    await workbench.close()
    return run_id


async def add_to(
    workbench: LocalWorkbench, output: Json, key: str, *reasons: str, text: str = "", number: int = 0
) -> str:
    project = (await workbench.projects.get()).id
    now = now_ms() + number
    run_id = f"33333333-3333-4333-8333-{now % 10**12:012d}"
    run = RunDetail.model_validate({
        "id": run_id, "project_id": project, "subject": Subject(kind="agent", id=AGENT, version="0.1.0"),
        "status": "completed", "created_at": from_ms(now), "input": text, "output": {"appended": [], "output": output},
    })  # fmt: skip
    item = ItemRef(key=key, pointer="/output/l/0", rank=0)
    await workbench.runs.add(
        [run],
        [
            (
                NewJudgment(run_id=run_id, item=item, verdict="yes", reason=reason or None),
                f"judge-{judge}",
                None,
            )
            for judge, reason in enumerate(reasons or ("",))
        ],
    )
    return run_id


async def test_hostile_words_are_shown_and_harm_nothing(demo: Path) -> None:
    workbench, _ = await open_local(demo)
    for number, text in enumerate(strings().values()):
        key = text[:50].strip() or "x"
        output: Json = {"l": [{"id": key, "title": text[:3000]}]}
        await add_to(workbench, output, key, text[:3000], text=text[:3000], number=number)
    await workbench.close()
    await build(demo, "1.0.0")
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        await pilot.press("enter")
        await on(app, pilot, CasesScreen)
        await until(lambda: "yes by weight" in pane(app), pilot)
        await pilot.press("o")
        for _ in strings():
            await pilot.press("j")
            text = painted(app.screen.query_one(LineList)) + pane(app)
            assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(text)
        await pilot.press("c")
        await on(app, pilot, CompareScreen)


@pytest.mark.parametrize("size", [(40, 10), (60, 15), (200, 60), (20, 5)])
async def test_any_size_will_do(demo: Path, size: tuple[int, int]) -> None:
    await build(demo, "1.0.0", "1.0.1")
    async with running(demo, size, "TestSetsScreen", start="test_sets") as (app, pilot):
        await pilot.press("v", "enter")
        await on(app, pilot, CasesScreen)
        await pilot.press("j", "d", "end", "escape")
        await on(app, pilot, TestSetsScreen)
        await pilot.press("b")
        await on(app, pilot, BuildScreen)
        await until(lambda: app.screen.query_one(Form).field is not None, pilot)
        await fill(app, pilot, "since", "nonsense that is long")
        form = app.screen.query_one(Form)
        await until(lambda: any(one.problem for one in form.fields), pilot)
        form.go_to("since")
        await pilot.pause()
        if size[0] >= 40:
            assert "✗ since: is a date" in painted(form)
        await pilot.press("G", "k", "home", "X")
        assert form.field is not None
