"""Groups by keys on a real workspace: made, weighed, restricted, opened to all, retired, and each taken back."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from kindgi_tui.domain.judgments import Group, Restriction
from kindgi_tui.domain.projects import Person
from kindgi_tui.local.store.values import from_ms
from kindgi_tui.local.workbench import open_local
from kindgi_tui.opening import Target
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.screens.group_form.screen import GroupFormScreen
from kindgi_tui.tui.screens.groups.screen import GroupsScreen
from kindgi_tui.tui.widgets.form import Form
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.status_line import StatusLine
from kindgi_tui.tui.widgets.text_pane import TextPane
from tests.hostile.corpus import strings
from tests.tui.conftest import LOCAL, SIZES, painted, running, shown, until


async def stored(folder: Path, retired: bool = True) -> dict[str, Group]:
    """The groups that are stored, by name."""
    workbench, _ = await open_local(folder)
    found = await workbench.groups.list(None, retired)
    await workbench.close()
    return {one.name: one for one in reversed(found)}


def pane(app: WorkbenchApp) -> str:
    return " ".join(painted(app.screen.query_one(TextPane)).split())


def told(app: WorkbenchApp) -> str:
    return app.screen.query_one(StatusLine).sentence


async def listed(app: WorkbenchApp, pilot: Pilot[None], words: str) -> None:
    """Waits until the list stands there and shows these words."""
    await until(lambda: isinstance(app.screen, GroupsScreen) and words in shown(app.screen), pilot)


async def said(app: WorkbenchApp, pilot: Pilot[None], words: str) -> None:
    await until(lambda: isinstance(app.screen, GroupsScreen) and words in told(app), pilot)


async def form(app: WorkbenchApp, pilot: Pilot[None]) -> GroupFormScreen:
    """Waits until the form is loaded."""
    await until(lambda: isinstance(app.screen, GroupFormScreen) and app.screen.query_one(Form).fields, pilot)
    screen = app.screen
    assert isinstance(screen, GroupFormScreen)
    return screen


async def fill(app: WorkbenchApp, pilot: Pilot[None], name: str, text: str) -> None:
    """Types a field's text, as a person who goes to it and presses Enter."""
    app.screen.query_one(Form).go_to(name)
    await pilot.press("enter")
    await until(lambda: app.screen.query_one(Prompt).purpose == f"field:{name}", pilot)
    app.screen.query_one("Prompt Input").value = text[:-1]  # type: ignore[attr-defined]
    await pilot.press("end", text[-1], "enter")


async def turn(app: WorkbenchApp, pilot: Pilot[None], name: str, steps: int = 1) -> None:
    """Goes to a field and on by so many choices."""
    app.screen.query_one(Form).go_to(name)
    await pilot.press(*["l"] * steps)


@pytest.mark.parametrize("size", SIZES)
async def test_a_restricted_group_is_made_by_keys(demo: Path, size: tuple[int, int]) -> None:
    async with running(demo, size) as (app, pilot):
        await pilot.press("g", "o")
        await listed(app, pilot, "support experts")
        text = shown(app.screen)
        assert "2 groups" in text
        assert "×3" in text
        assert "◆ expert" in text
        await pilot.press("n")
        await form(app, pilot)
        await pilot.press("s")
        await until(lambda: "Give it a name" in told(app), pilot)
        await fill(app, pilot, "name", "seniors")
        await fill(app, pilot, "weight", "2.5")
        await fill(app, pilot, "description", "Who has seen it all")
        await fill(app, pilot, "only", "mira, jonas")
        await turn(app, pilot, "kinds")
        await turn(app, pilot, "reviewer", 2)
        await until(lambda: "people; mira, jonas; reviewers from senior" in pane(app), pilot)
        await until(lambda: "✓ may mira" in pane(app), pilot)
        await pilot.press("s")
        await said(app, pilot, "seniors is made. u takes that back.")
        await until(lambda: "seniors" in pane(app), pilot)
        await until(lambda: "You may not speak as it" in pane(app), pilot)
        made = (await stored(demo))["seniors"]
        assert (made.weight, made.description, made.project_id) == (2.5, "Who has seen it all", None)
        assert made.restriction == Restriction(
            principal_ids=("mira", "jonas"), principal_kinds=("user",), min_reviewer_role="senior"
        )
        await pilot.press("u")
        await said(app, pilot, "it was just made")
        assert (await stored(demo))["seniors"].retired_at is not None


async def test_scope_is_a_project_or_an_agent_and_unknown_people_are_told(demo: Path) -> None:
    async with running(demo, (120, 40), "GroupsScreen", start="groups") as (app, pilot):
        await listed(app, pilot, "support experts")
        await pilot.press("n")
        screen = await form(app, pilot)
        await fill(app, pilot, "name", "support experts")
        await until(lambda: "is there already" in pane(app), pilot)
        await turn(app, pilot, "scope")
        await until(lambda: "is there already" not in pane(app), pilot)
        await fill(app, pilot, "only", "mira,nobody")
        await until(lambda: "Not known here: nobody" in pane(app), pilot)
        await fill(app, pilot, "weight", "-1")
        await until(lambda: "A weight is a number" in pane(app), pilot)
        await pilot.press("s")
        await until(lambda: "A weight is a number" in told(app), pilot)
        await fill(app, pilot, "weight", "0")
        await turn(app, pilot, "scope")
        field = next(one for one in screen.query_one(Form).fields if one.name == "scope")
        assert field.value.startswith("agent:")
        await pilot.press("s")
        await said(app, pilot, "support experts is made")
        project = app.project.id
    workbench, _ = await open_local(demo)
    found = [one for one in await workbench.groups.list(project) if one.name == "support experts"]
    await workbench.close()
    assert len(found) == 2
    assert (found[0].project_id, found[0].agent_id) == (project, field.value.removeprefix("agent:"))
    assert found[0].weight == 0


async def test_the_draft_of_a_new_group_survives_leaving_and_a_restart(demo: Path) -> None:
    async with running(demo, (80, 24), "GroupsScreen", start="groups") as (app, pilot):
        await pilot.press("n")
        await form(app, pilot)
        await fill(app, pilot, "name", "kept")
        await pilot.press("escape")
        await listed(app, pilot, "support experts")
    async with running(demo, (80, 24), "GroupsScreen", start="groups") as (app, pilot):
        await pilot.press("n")
        await form(app, pilot)
        await until(lambda: "kept weighs 1" in pane(app), pilot)
        await pilot.press("s")
        await said(app, pilot, "kept is made")
        await pilot.press("n")
        await form(app, pilot)
        await until(lambda: "Give it a name" in pane(app), pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_a_group_is_weighed_restricted_and_opened_and_all_is_taken_back(
    demo: Path, size: tuple[int, int]
) -> None:
    before = (await stored(demo))["support experts"]
    async with running(demo, size, "GroupsScreen", start="groups") as (app, pilot):
        await listed(app, pilot, "support experts")
        await pilot.press("j")
        await pilot.press("w")
        await until(lambda: app.screen.query_one(Prompt).purpose == "weigh", pilot)
        await pilot.press("backspace", *"x", "enter")
        await said(app, pilot, "nothing was changed")
        await pilot.press("w", "backspace", *"1.5", "enter")
        await said(app, pilot, "support experts is at weight 1.5 (it was 3)")
        await listed(app, pilot, "×1.5")

        await pilot.press("enter")
        await form(app, pilot)
        await pilot.press("s")
        await until(lambda: "Nothing is changed yet" in told(app), pilot)
        await turn(app, pilot, "reviewer", 3)
        await until(lambda: "mira; admin reviewers" in pane(app), pilot)
        await until(lambda: "may nobody here" in pane(app), pilot)
        await until(lambda: "stays as restricted as it was" in pane(app), pilot)
        await fill(app, pilot, "description", "None left")
        await pilot.press("s")
        await said(app, pilot, "support experts is changed")
        changed = (await stored(demo))["support experts"]
        assert changed.restriction == Restriction(principal_ids=("mira",), min_reviewer_role="admin")
        assert changed.description == "None left"

        await pilot.press("x")
        await said(app, pilot, "support experts is open to all")
        assert (await stored(demo))["support experts"].restriction is None
        await pilot.press("x")
        await said(app, pilot, "Anyone may speak as support experts already")

        for words in ("as it was", "as it was", "weight 3"):
            app.screen.query_one(StatusLine).say("")
            await pilot.press("u")
            await said(app, pilot, words)
            await pilot.press("k", "j")
        await until(lambda: "×3" in shown(app.screen), pilot)
        await pilot.press("u")
        await said(app, pilot, "nothing to take back")
    assert (await stored(demo))["support experts"] == before


async def test_the_forms_empty_fields_lift_the_restriction(demo: Path) -> None:
    async with running(demo, (80, 24), "GroupsScreen", start="groups") as (app, pilot):
        await listed(app, pilot, "support experts")
        await pilot.press("j", "enter")
        await form(app, pilot)
        app.screen.query_one(Form).go_to("only")
        await pilot.press("backspace")
        await until(lambda: "Anyone who may judge may speak as it" in pane(app), pilot)
        await pilot.press("s")
        await said(app, pilot, "support experts is changed")
    assert (await stored(demo))["support experts"].restriction is None


async def test_retiring_asks_first_and_is_taken_back_or_brought_back(demo: Path) -> None:
    async with running(demo, (120, 40), "GroupsScreen", start="groups") as (app, pilot):
        await listed(app, pilot, "support experts")
        await pilot.press("j", "D")
        await until(lambda: app.screen.query_one(Prompt).purpose == "retire", pilot)
        await until(lambda: "Retire support experts?" in shown(app.screen), pilot)
        await pilot.press("enter")
        await said(app, pilot, "support experts stays.")
        await pilot.press("D", "y", "escape")
        await said(app, pilot, "stays as it is")
        assert (await stored(demo))["support experts"].retired_at is None
        await pilot.press("D", "y", "enter")
        await said(app, pilot, "support experts is retired; what was said as it still counts")
        await until(lambda: "1 group" in shown(app.screen), pilot)
        assert (await stored(demo))["support experts"].retired_at is not None
        await pilot.press("u")
        await said(app, pilot, "support experts is back.")
        assert (await stored(demo))["support experts"].retired_at is None

        await pilot.press("D", "y", "enter")
        await said(app, pilot, "is retired")
        await pilot.press("v")
        await listed(app, pilot, "1 retired")
        await pilot.press("end")
        await until(lambda: "Nobody speaks as it any more" in pane(app), pilot)
        await pilot.press("enter")
        await until(lambda: "b brings it back" in told(app), pilot)
        await pilot.press("b")
        await said(app, pilot, "support experts is back. u takes that back.")
        await pilot.press("b")
        await said(app, pilot, "isn't retired")
        await pilot.press("u")
        await said(app, pilot, "is retired again")


async def test_a_name_taken_meanwhile_is_one_sentence(demo: Path) -> None:
    async with running(demo, (120, 40), "GroupsScreen", start="groups") as (app, pilot):
        await listed(app, pilot, "support experts")
        await pilot.press("j", "D", "y", "enter")
        await said(app, pilot, "is retired")
        workbench, _ = await open_local(demo)
        await workbench.groups.add("support experts", 1)
        await workbench.close()
        await pilot.press("u")
        await said(app, pilot, 'Another group is called "support experts" since')


@pytest.mark.parametrize("right", ["judge", "editor"])
async def test_who_may_not_sees_all_and_is_told_why(demo: Path, right: str) -> None:
    workbench, _ = await open_local(demo)
    await workbench.people.add(Person.model_validate({"id": "eve", "right": right, "created_at": from_ms(0)}))
    await workbench.close()
    before = await stored(demo)
    app = WorkbenchApp(
        Target(workspace=demo, person="eve"), LOCAL, start="groups", state_folder=demo.parent / "state"
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await listed(app, pilot, "support experts")
        for key in ("enter", "n", "w", "x", "D", "b", "u"):
            app.screen.query_one(StatusLine).say("")
            await pilot.press(key)
            assert "Groups are an admin's to change, and eve has the right of" in told(app), key
            assert isinstance(app.screen, GroupsScreen)
            assert app.screen.query_one(Prompt).purpose == ""
        await pilot.press("v")
        await listed(app, pilot, "0 retired")
    assert await stored(demo) == before


async def test_a_right_that_was_lost_meanwhile_is_refused_by_the_workbench(demo: Path) -> None:
    workbench, _ = await open_local(demo)
    eve = Person(id="eve", right="admin", created_at=from_ms(0))
    await workbench.people.add(eve)
    app = WorkbenchApp(
        Target(workspace=demo, person="eve"), LOCAL, start="groups", state_folder=demo.parent / "state"
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await listed(app, pilot, "support experts")
        await workbench.people.add(eve.model_copy(update={"right": "judge"}))
        await pilot.press("D", "y", "enter")
        await said(app, pilot, "eve may not do this here")
    await workbench.close()
    assert all(one.retired_at is None for one in (await stored(demo)).values())


async def test_without_groups_it_says_how_to_make_one(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    workbench, _ = await open_local(folder)
    await workbench.close()
    async with running(folder, (80, 24), "GroupsScreen", start="groups") as (app, pilot):
        await listed(app, pilot, "n makes one")
        await pilot.press("enter")
        await until(lambda: "No groups yet" in told(app), pilot)
        await pilot.press("n")
        await form(app, pilot)


@pytest.mark.parametrize("size", [(80, 24), (30, 8), (200, 60)])
async def test_hostile_words_are_shown_and_harm_nothing(tmp_path: Path, size: tuple[int, int]) -> None:
    folder = tmp_path / "hostile"
    workbench, _ = await open_local(folder)
    words = [text for text in strings() if text.strip() and len(text) <= 90]
    for number, text in enumerate(words[:40]):
        rule = Restriction(principal_ids=(text,))
        await workbench.groups.add(f"{number} {text}", 1, description=text, restriction=rule)
    await workbench.close()
    async with running(folder, size, "GroupsScreen", start="groups") as (app, pilot):
        await until(lambda: app.screen.query_one("#groups-list").count, pilot)  # type: ignore[attr-defined]
        for _ in range(12):
            await pilot.press("j")
        assert "\x1b" not in shown(app.screen)
        await pilot.press("enter")
        await form(app, pilot)
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, GroupsScreen), pilot)
        await pilot.press("D", "y", "enter")
        await said(app, pilot, "is retired")
