"""An agent's own test set by keys: in Test sets, its cases, retiring, adding by hand, comparing."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from kindgi_tui.domain.corrections import Expectation, ExpectedCall, NewCorrection
from kindgi_tui.domain.own_test_sets import NewCase, OwnCase
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.registry import actions_of
from kindgi_tui.tui.screens.case_add.screen import CaseAddScreen
from kindgi_tui.tui.screens.compare.screen import CompareScreen
from kindgi_tui.tui.screens.comparison.screen import ComparisonScreen
from kindgi_tui.tui.screens.correct.screen import CorrectScreen
from kindgi_tui.tui.screens.judge.screen import JudgeScreen
from kindgi_tui.tui.screens.own_cases.screen import OwnCasesScreen
from kindgi_tui.tui.screens.run.screen import RunScreen
from kindgi_tui.tui.screens.test_set_cases.screen import CasesScreen
from kindgi_tui.tui.widgets.form import Form
from kindgi_tui.tui.widgets.key_footer import KeyFooter
from kindgi_tui.tui.widgets.line_list import LineList
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.status_line import StatusLine
from kindgi_tui.tui.widgets.text_pane import TextPane
from tests.hostile.corpus import strings
from tests.tui.conftest import SIZES, painted, running, shown, until

AGENT = "acme-ops.article-picker"
REFUND = "5b0c7f1e-9a34-4d0e-8a55-0f3f3f1f2a02"
PACKAGE = "c9d3a6c4-21d7-4a43-9b8e-6f6f5d4b3a03"
CALLS = Expectation(
    decisions="wrong",
    should_call=(ExpectedCall(tool_id="acme-ops.search-articles", arguments={"query": "package"}),),
)


async def in_docs(folder: Path) -> None:
    """Makes `docs`, with its three judged runs of the agent, the project one starts in."""
    workbench, _ = await open_local(folder)
    await workbench.projects.use("docs")
    await workbench.close()


async def add(folder: Path, new: NewCase) -> None:
    workbench, _ = await open_local(folder)
    project = (await workbench.projects.get()).id
    given = {} if new.run_id else {"agent_id": AGENT, "project_id": project}
    await workbench.cases.add(new.model_copy(update=given))
    await workbench.close()


async def stored(folder: Path, retired: bool = False) -> tuple[OwnCase, ...]:
    workbench, _ = await open_local(folder)
    found = await workbench.cases.list(AGENT, (await workbench.projects.get()).id, retired, 100)
    await workbench.close()
    return found.data


async def versions(folder: Path) -> list[str]:
    workbench, _ = await open_local(folder)
    made = [one.version for one in await workbench.test_sets.list() if one.test_set_id.startswith("agent.")]
    await workbench.close()
    return made


def pane(app: WorkbenchApp) -> str:
    return " ".join(painted(app.screen.query_one(TextPane)).split())


def told(app: WorkbenchApp) -> str:
    return app.screen.query_one(StatusLine).sentence


def footer(app: WorkbenchApp) -> str:
    return " ".join(painted(app.screen.query_one(KeyFooter)).split())


async def to_cases(app: WorkbenchApp, pilot: Pilot[None]) -> OwnCasesScreen:
    """Opens the agent's own set from Test sets."""
    await until(lambda: f"own · {AGENT}"[:20] in shown(app.screen), pilot)
    # The sets with more cases stand before it.
    await until(lambda: app.screen.query_one(LineList).cursor == 0 and "own test set" in pane(app), pilot)
    if f"{AGENT}: its own test set" not in pane(app):
        await pilot.press("j")
    await until(lambda: f"{AGENT}: its own test set" in pane(app), pilot)
    await pilot.press("enter")
    await until(lambda: isinstance(app.screen, OwnCasesScreen), pilot)
    screen = app.screen
    assert isinstance(screen, OwnCasesScreen)
    await until(lambda: screen.current is not None, pilot)
    return screen


async def fill(app: WorkbenchApp, pilot: Pilot[None], name: str, text: str) -> None:
    """Types a field's text, as a person who goes to it and presses Enter."""
    form = app.screen.query_one(Form)
    await until(lambda: any(field.name == name for field in form.fields), pilot)
    form.go_to(name)
    await pilot.press("enter")
    await until(lambda: app.screen.query_one(Prompt).purpose == f"field:{name}", pilot)
    app.screen.query_one("Prompt Input").value = text[:-1]  # type: ignore[attr-defined]
    await pilot.press("end", text[-1], "enter")


@pytest.mark.parametrize("size", SIZES)
async def test_the_own_set_stands_with_the_others(demo: Path, size: tuple[int, int]) -> None:
    await in_docs(demo)
    async with running(demo, size, "TestSetsScreen", start="test_sets") as (app, pilot):
        await until(lambda: "own · acme-ops" in shown(app.screen), pilot)
        await until(lambda: "not frozen" in shown(app.screen), pilot)
        await until(lambda: "3 cases" in shown(app.screen), pilot)
        await pilot.press("j")
        await until(lambda: f"{AGENT}: its own test set" in pane(app), pilot)
        await until(lambda: "The first comparison on it makes its first version." in pane(app), pilot)
        await pilot.press("e")
        await until(lambda: "frozen" in told(app), pilot)
        await pilot.press("v")
        await until(lambda: "isn't frozen yet" in told(app), pilot)
        await pilot.press("k")
        screen = await to_cases(app, pilot)
        await until(lambda: f"{AGENT}: its own test set · 3 cases · not frozen" in shown(screen), pilot)
        assert len(await stored(demo)) == 3


@pytest.mark.parametrize("size", SIZES)
async def test_a_case_is_retired_and_brought_back_by_keys(demo: Path, size: tuple[int, int]) -> None:
    await in_docs(demo)
    async with running(demo, size, "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await to_cases(app, pilot)
        assert screen.current is not None
        case = screen.current.id
        await pilot.press("b")
        await until(lambda: "is live" in told(app), pilot)
        assert "x Retire" in footer(app)
        await pilot.press("x")
        await until(lambda: "2 cases · 1 retired" in shown(screen), pilot)
        assert [one.id for one in await stored(demo, retired=True)] == [case]
        await pilot.press("z")
        await until(lambda: screen.current is not None and screen.current.id == case, pilot)
        await until(lambda: "retired 20" in pane(app), pilot)
        # What one can do here has its keys in sight, at 80 columns too.
        await until(lambda: "b Bring back" in footer(app) and "z Retired" in footer(app), pilot)
        assert "x Retire" not in footer(app)
        await pilot.press("x")
        await until(lambda: "b brings one back" in told(app), pilot)
        await pilot.press("b")
        await until(lambda: "No case is retired" in shown(screen), pilot)
        await pilot.press("z")
        await until(lambda: "3 cases · not frozen" in shown(screen), pilot)
        await until(lambda: "x Retire" in footer(app), pilot)
        assert len(await stored(demo)) == 3


async def test_what_a_case_expects_is_said_in_words(demo: Path) -> None:
    await in_docs(demo)
    await add(demo, NewCase(run_id=PACKAGE, expect=CALLS))
    async with running(demo, (160, 48), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await to_cases(app, pilot)
        await until(lambda: "should have called acme-ops.search-articles" in pane(app), pilot)
        await until(lambda: 'with query "package"' in pane(app), pilot)
        await until(lambda: "An expert case" in pane(app), pilot)
        assert "by hand" in painted(screen.query_one(LineList))
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, RunScreen), pilot)


async def test_a_case_from_nothing_is_added_by_keys_and_says_it_has_no_recording(demo: Path) -> None:
    await in_docs(demo)
    async with running(demo, (120, 40), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await to_cases(app, pilot)
        await pilot.press("n")
        await until(lambda: isinstance(app.screen, CaseAddScreen), pilot)
        await until(lambda: "It has no recording" in pane(app), pilot)
        await until(lambda: "✗" in pane(app), pilot)
        await pilot.press("a")
        await until(lambda: "needs an input" in told(app), pilot)
        await fill(app, pilot, "input", "Is support open on Sunday?")
        form = app.screen.query_one(Form)
        form.go_to("answer")
        await pilot.press("l")
        await until(lambda: any(field.name == "should_say" for field in form.fields), pilot)
        assert [
            choice.value for field in form.fields if field.name == "answer" for choice in field.choices
        ] == [
            "",
            "wrong",
        ]
        await fill(app, pilot, "should_say", "It is closed on Sundays.")
        await fill(app, pilot, "items", "kb-410=yes, kb-1=no")
        await until(lambda: "kb-410: yes" in pane(app), pilot)
        await until(lambda: 'should say "It is closed on Sundays."' in pane(app), pilot)
        form.go_to("answer")
        await pilot.press("a")
        await until(lambda: app.screen is screen, pilot)
        await until(lambda: "4 cases" in shown(screen), pilot)
        await until(lambda: "Added: Is support open on Sunday?" in told(app), pilot)
        await until(lambda: "It has no recording" in pane(app), pilot)
        await pilot.press("enter")
        await until(lambda: "no recording" in told(app), pilot)
    (made,) = [one for one in await stored(demo) if one.source == "hand"]
    assert (made.run_id, made.input, made.expert) == (None, "Is support open on Sunday?", True)
    assert made.expect == Expectation(answer="wrong", should_say="It is closed on Sundays.")
    assert [(item.key, item.yes) for item in made.items] == [("kb-410", 1), ("kb-1", 0)]


async def test_a_case_that_stands_there_already_is_named_before_it_is_added(demo: Path) -> None:
    await in_docs(demo)
    await add(demo, NewCase(run_id=PACKAGE, expect=Expectation(answer="right")))
    (there,) = [one for one in await stored(demo) if one.source == "hand"]
    async with running(demo, (120, 40), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await to_cases(app, pilot)
        await until(lambda: screen.current is not None and screen.current.id == there.id, pilot)
        await pilot.press("N")
        await until(lambda: isinstance(app.screen, CaseAddScreen), pilot)
        await until(lambda: f"From run {PACKAGE}" in pane(app), pilot)
        app.screen.query_one(Form).go_to("answer")
        await pilot.press("l")
        await until(lambda: f"! Case {there.id[:8]} says the same of the same run" in pane(app), pilot)
        await pilot.press("a")
        await until(lambda: app.screen is screen, pilot)
        await until(lambda: "5 cases" in shown(screen), pilot)


async def test_a_case_from_a_run_is_added_by_keys_and_a_draft_is_kept(demo: Path) -> None:
    await in_docs(demo)
    async with running(demo, (120, 40), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await to_cases(app, pilot)
        assert screen.current is not None
        await pilot.press("j")
        await until(lambda: screen.rows.cursor == 1, pilot)
        run = screen.current.id
        await pilot.press("N")
        await until(lambda: isinstance(app.screen, CaseAddScreen), pilot)
        await until(lambda: f"From run {run}" in pane(app), pilot)
        form = app.screen.query_one(Form)
        form.go_to("decisions")
        await pilot.press("l", "l")
        await fill(
            app, pilot, "should_call", 'acme-ops.search-articles {"query": "a, b"}, acme-ops.log-suggestion'
        )
        await until(lambda: 'with query "a, b"' in pane(app), pilot)
        await fill(app, pilot, "must_not_call", "nosuch.tool")
        await until(lambda: "! nosuch.tool is no tool that the run called" in pane(app), pilot)
        await pilot.press("escape")
        await until(lambda: app.screen is screen, pilot)
        await pilot.press("N")
        await until(lambda: isinstance(app.screen, CaseAddScreen), pilot)
        await until(lambda: "should have called acme-ops.log-suggestion" in pane(app), pilot)
        await pilot.press("a")
        await until(lambda: app.screen is screen, pilot)
        await until(lambda: "4 cases" in shown(screen), pilot)
        # It stands first, and the cursor on it, wherever one came from.
        await until(lambda: told(app).startswith("Added: "), pilot)
        added = screen.current
        assert added is not None
        assert (screen.rows.cursor, added.source, added.run_id) == (0, "hand", run)
    (made,) = [one for one in await stored(demo) if one.source == "hand"]
    assert made.run_id == run
    assert made.expect is not None
    assert [(call.tool_id, call.arguments) for call in made.expect.should_call] == [
        ("acme-ops.search-articles", {"query": "a, b"}),
        ("acme-ops.log-suggestion", None),
    ]


async def test_a_run_that_is_typed_is_no_case_from_nothing(demo: Path) -> None:
    await in_docs(demo)
    async with running(demo, (120, 40), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await to_cases(app, pilot)
        await pilot.press("n")
        await until(lambda: isinstance(app.screen, CaseAddScreen), pilot)
        await until(lambda: "From nothing" in pane(app), pilot)
        app.screen.query_one(Form).go_to("run_id")
        await pilot.press("enter")
        await until(lambda: app.screen.query_one(Prompt).purpose == "field:run_id", pilot)
        for typed in ("c", "c9d"):
            app.screen.query_one("Prompt Input").value = typed  # type: ignore[attr-defined]
            await until(lambda typed=typed: f"From run {typed}" in pane(app), pilot)  # type: ignore[misc]
            assert "From nothing" not in pane(app)
            assert "no recording" not in pane(app)
        # Looked up, and not found: still no case from nothing.
        await until(lambda: "✗" in pane(app), pilot)
        assert "From run c9d" in pane(app)
        app.screen.query_one("Prompt Input").value = PACKAGE[:8]  # type: ignore[attr-defined]
        await until(lambda: f"From run {PACKAGE}" in pane(app), pilot)
        app.screen.query_one("Prompt Input").value = ""  # type: ignore[attr-defined]
        await until(lambda: "From nothing" in pane(app), pilot)
        assert not (await stored(demo))[0].expert
        assert screen.is_attached


async def test_g_and_the_places_own_key_go_back_to_its_root(demo: Path) -> None:
    await in_docs(demo)
    async with running(demo, (120, 40), "TestSetsScreen", start="test_sets") as (app, pilot):
        root = app.screen
        await to_cases(app, pilot)
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, RunScreen), pilot)
        await pilot.press("g", "t")
        await until(lambda: app.screen is root, pilot)
        assert len(app.screen_stack) == 1
        # In the root it stays, and to another place and back one comes to where one was.
        await pilot.press("g", "t")
        await until(lambda: app.screen is root, pilot)
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, OwnCasesScreen), pilot)
        screen = app.screen
        await pilot.press("g", "r")
        await until(lambda: app.current_mode == "runs", pilot)
        await pilot.press("g", "t")
        await until(lambda: app.screen is screen, pilot)


async def test_compare_starts_from_it_and_freezes_it(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "KINDGI_TUI_MODELS"):
        monkeypatch.delenv(name, raising=False)
    await in_docs(demo)
    async with running(demo, (120, 40), "TestSetsScreen", start="test_sets") as (app, pilot):
        await to_cases(app, pilot)
        await pilot.press("c")
        await until(lambda: isinstance(app.screen, CompareScreen), pilot)
        await until(lambda: "Dry run: 3 cases" in pane(app), pilot)
        await until(lambda: "as it is now" in shown(app.screen), pilot)
        assert await versions(demo) == ["1.0.1"]
        compare = app.screen
        assert isinstance(compare, CompareScreen)
        compare.query_one(Form).go_to("subject_version")
        await fill(app, pilot, "subject_version", "0.2.0")
        await until(lambda: compare.settled, pilot)
        key = next(action for action in ("s", "S") if any(b[0] == action for b in compare._bindings))
        await pilot.press(key)
        await until(lambda: isinstance(app.screen, ComparisonScreen), pilot)
        await until(lambda: "33%" in shown(app.screen) and "100%" in shown(app.screen), pilot, 30)
        await pilot.press("escape", "escape", "escape")
        await until(lambda: type(app.screen).__name__ == "TestSetsScreen", pilot)
        await until(lambda: "1.0.1" in shown(app.screen), pilot)
        await pilot.press("v")
        # The row tells, because a sentence about the comparison's end may come over the one about the version.
        await until(lambda: "1.0.1 (1 of 1)" in shown(app.screen), pilot)
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, CasesScreen), pilot)
    assert await versions(demo) == ["1.0.1"]


async def test_hostile_words_stay_words(demo: Path) -> None:
    await in_docs(demo)
    words = [text for text in strings().values() if text.strip()][:8]
    for text in words:
        await add(demo, NewCase(input=text, expect=Expectation(answer="wrong", should_say=text[:4_000])))
    async with running(demo, (80, 24), "TestSetsScreen", start="test_sets") as (app, pilot):
        screen = await to_cases(app, pilot)
        for _ in words:
            await pilot.press("j")
            await pilot.pause()
            assert "\x1b" not in shown(screen)
        await until(lambda: screen.rows.cursor == len(words), pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_agreement_is_told_of_the_cases_as_they_are_and_settled_by_keys(
    demo: Path, size: tuple[int, int]
) -> None:
    """Jonas says no where mira says yes, and both correct another run, each otherwise."""
    await in_docs(demo)
    workbench, _ = await open_local(demo)
    mira, jonas = [workbench.acting_as(await person(workbench, name)) for name in ("mira", "jonas")]
    (mine, *_) = (await workbench.judgments.list(JudgmentFilter(run_id=PACKAGE, asserter="mira"), 100)).data
    other = "no" if mine.verdict == "yes" else "yes"
    await jonas.judgments.add(
        NewJudgment.model_validate({"run_id": PACKAGE, "item": mine.item, "verdict": other})
    )
    wrong = NewCorrection(run_id=REFUND, expect=Expectation(answer="wrong", should_say="In 5 days."))
    await mira.corrections.add(wrong)
    await jonas.corrections.add(wrong.model_copy(update={"expect": Expectation(answer="right")}))
    await workbench.close()
    given = {"start": "test_sets", "options": {"judge_dwell": 0.0}}
    async with running(demo, size, "TestSetsScreen", **given) as (app, pilot):
        screen = await to_cases(app, pilot)
        words = "2 people judged the same item: they differ on it, 1 of 2 verdicts yes"
        await until(lambda: words in " ".join(shown(screen).split()), pilot)
        await until(lambda: "1 run is corrected differently" in " ".join(shown(screen).split()), pilot)
        await pilot.press("a")
        await until(lambda: "Two by two" in pane(app), pilot)
        app.screen.query_one(TextPane).scroll_lines(100)
        await until(lambda: 'mira: the answer is wrong: should say "In 5 days."' in pane(app), pilot)
        await until(lambda: "jonas: the answer is right: should say the same" in pane(app), pilot)
        await pilot.press("j")
        await until(lambda: "Two by two" not in pane(app) and "corrected differently" not in pane(app), pilot)
        await pilot.press("s")
        await until(lambda: isinstance(app.screen, JudgeScreen), pilot)
        judge = app.screen
        assert isinstance(judge, JudgeScreen)
        await until(lambda: judge.session.walk.sheet is not None, pilot)
        entries = [(entry.run_id, entry.keys, entry.apart) for entry in judge.session.walk.feed.entries]
        assert entries == [(PACKAGE, (mine.item.key,), ()), (REFUND, (), ("jonas", "mira"))]
        assert judge.session.sitting is not None
        assert judge.session.sitting.words == "1 item in disagreement, 1 run corrected differently"
        await pilot.press("right_square_bracket")
        told = "jonas and mira corrected this run differently: c says what it should have done"
        await until(lambda: told in " ".join(shown(judge).split()), pilot)
        await pilot.press("c")
        await until(lambda: isinstance(app.screen, CorrectScreen), pilot)
        # Said as mira says it, both agree: the page counts anew when one comes back.
        bench = app.workbench
        assert isinstance(bench, LocalWorkbench)
        await bench.acting_as(await person(bench, "jonas")).corrections.add(wrong)
        await pilot.press("escape")
        await until(lambda: app.screen is judge, pilot)
        await pilot.press("g", "t")
        await until(lambda: app.screen is screen, pilot)
        await until(lambda: "1 run is corrected differently" not in " ".join(shown(screen).split()), pilot)


async def person(bench: LocalWorkbench, name: str) -> Person:
    (found,) = [one for one in await bench.people.list() if one.id == name]
    return found


def test_the_same_keys_do_the_same_on_both_pages_of_cases() -> None:
    frozen, own = (
        {action.verb: action.keys for action in actions_of(place)}
        for place in ("test_set_cases", "own_cases")
    )
    both = frozen.keys() & own.keys()
    assert {"open", "compare", "agreement", "settle", "reasons"} <= both
    assert {verb: frozen[verb] for verb in both} == {verb: own[verb] for verb in both}
    for keys in (frozen, own):
        used = [key for told in keys.values() for key in told]
        assert len(used) == len(set(used))
