"""Correcting by keys on a real workspace: what is stored, what is shown, what is kept, and where one comes back to."""

import asyncio
import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from kindgi_tui.domain.corrections import Correction, Expectation, ExpectedCall, NewCorrection
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.runs import recorded_calls
from kindgi_tui.local.workbench import open_local
from kindgi_tui.session.correcting import live_correction
from kindgi_tui.session.tool_choices import tools_of
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.editor import TextBox
from kindgi_tui.tui.screens.case.screen import CaseScreen
from kindgi_tui.tui.screens.comparison.screen import ComparisonScreen
from kindgi_tui.tui.screens.correct.screen import CorrectScreen
from kindgi_tui.tui.screens.judge.screen import JudgeScreen
from kindgi_tui.tui.widgets.key_footer import KeyFooter
from kindgi_tui.tui.widgets.status_line import StatusLine
from kindgi_tui.tui.widgets.text_pane import TextPane
from tests.hostile.corpus import assert_clean_bytes, strings
from tests.session.comparing import make_compared
from tests.tui.conftest import SIZES, painted, running, shown, until
from tests.tui.test_judge import fill, judge

SEARCH = "acme-ops.search-articles"


def agents_run(number: int, project_id: str = "", **fields: Any) -> dict[str, Any]:
    """A run of the demo's agent that called its search twice."""
    appended = [
        {"role": "user", "content": f"question {number}"},
        {"role": "agent", "content": {"text": "", "toolCalls": [
            {"id": "c1", "name": SEARCH, "arguments": {"query": "cards"}},
            {"id": "c2", "name": "acme-ops.log-suggestion", "arguments": {"question": "cards", "articles": []}},
        ]}},
        {"role": "tool", "content": {"articles": []}, "toolCall": {"invocationId": "c1"}},
        {"role": "agent", "content": "Look at kb-1, then at kb-2."},
    ]  # fmt: skip
    subject = {"kind": "agent", "id": "acme-ops.article-picker", "version": "0.3.0"}
    return {"subject": subject, "output": {"appended": appended}, **fields}


@pytest.fixture
def place(demo: Path) -> Path:
    """The demo's workspace, whose queue begins with two runs of these tests."""
    asyncio.run(fill(demo, [agents_run(0), agents_run(1)]))
    return demo


async def loaded(app: WorkbenchApp, pilot: Pilot[None]) -> CorrectScreen:
    """Correct, its run loaded and shown."""
    await until(
        lambda: isinstance(app.screen, CorrectScreen) and app.screen.correcting.run is not None, pilot
    )
    screen = app.screen
    assert isinstance(screen, CorrectScreen)
    await until(lambda: sentence(screen), pilot)
    await pilot.pause()
    return screen


@asynccontextmanager
async def correct(
    folder: Path, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[CorrectScreen, Pilot[None]]]:
    """Correct on the first run of Judge's queue."""
    async with judge(folder, size) as (screen, pilot):
        await pilot.press("c")
        yield await loaded(screen.app, pilot), pilot


def sentence(screen: Any) -> str:
    return str(screen.query_one(StatusLine).sentence)


async def says(screen: CorrectScreen, pilot: Pilot[None], words: str) -> None:
    await until(lambda: words in sentence(screen), pilot)


async def stored(folder: Path, run_id: str) -> Correction | None:
    """My live correction, read by another workbench on the same folder."""
    bench, _ = await open_local(folder)
    try:
        return await live_correction(bench, run_id, (await bench.people.me()).id)
    finally:
        await bench.close()


@pytest.mark.parametrize("size", SIZES)
async def test_a_run_is_corrected_from_judge_in_place_and_taken_back(
    place: Path, size: tuple[int, int]
) -> None:
    async with judge(place, size) as (judging, pilot):
        await pilot.press("c")
        run_id = "run-0000"
        screen = await loaded(judging.app, pilot)
        text = shown(screen)
        assert "question 0" in text
        assert "Look at kb-1, then at kb-2." in text
        assert "it made 2 calls" in text
        assert "· called" in text
        await pilot.press("D")
        await until(lambda: "= as it was" in shown(screen), pilot)
        await pilot.press("s")
        assert (
            sentence(screen)
            == "The recorded run passes that as it stands: e changes a call, f forbids one, n adds one."
        )
        # The search should have had another query, and nothing may be noted down.
        await pilot.press("e")
        assert screen.query_one(Input).value == '{"query": "cards"}'
        await until(lambda: "query  text · required" in shown(screen), pilot)
        await pilot.press("ctrl+u", *'{"query": "add a card"}', "enter")
        await until(lambda: "~ changed" in shown(screen), pilot)
        await pilot.press("f")
        await until(lambda: "✗ never" in shown(screen), pilot)
        await until(lambda: "it should make 1 call, never 1 tool" in shown(screen), pilot)
        await pilot.press(
            "A", "enter", *"Settings, then Cards.", "enter", "e", *"It names articles alone.", "enter", "s"
        )
        await says(
            screen, pilot, "Saved: decisions wrong (1 to call, 1 never), answer wrong. u takes it back."
        )
        said = Expectation(
            decisions="wrong",
            should_call=(ExpectedCall(tool_id=SEARCH, arguments={"query": "add a card"}),),
            must_not_call=("acme-ops.log-suggestion",),
            answer="wrong",
            should_say="Settings, then Cards.",
            why="It names articles alone.",
        )
        found = await stored(place, run_id)
        assert found is not None
        assert found.expect == said
        await until(lambda: "✓ saved" in shown(screen), pilot)
        await pilot.press("s")
        assert sentence(screen) == "It is saved just like that."
        await pilot.press("escape")
        await until(lambda: "✎ corrected" in shown(judging), pilot)
        walk = judging.session.walk
        assert walk.sheet is not None
        # Where one was.
        assert judging.app.screen is judging
        assert (walk.sheet.run.id, walk.cursor) == (run_id, 0)
        await pilot.press("c")
        screen = await loaded(judging.app, pilot)
        await until(lambda: "This is how you corrected it" in sentence(screen), pilot)
        await until(lambda: "Settings, then Cards." in shown(screen), pilot)
        await pilot.press("u")
        await says(screen, pilot, "Taken back: it stands here as a draft")
        assert await stored(place, run_id) is None
        await pilot.press("s")
        await says(screen, pilot, "Saved")
        found = await stored(place, run_id)
        assert found is not None
        assert found.expect == said


async def test_every_change_can_be_taken_back_one_by_one(place: Path) -> None:
    async with correct(place) as (screen, pilot):
        states = [screen.correcting.draft]
        for key in ("D", "D", "w", "j", "x", "f", "d", "z", "a", "A", "A"):
            await pilot.press(key)
            if screen.correcting.draft != states[-1]:
                states.append(screen.correcting.draft)
        assert len(states) == 9
        for state in reversed(states[:-1]):
            await pilot.press("u")
            await until(functools.partial(lambda state: screen.correcting.draft == state, state), pilot)
        await pilot.press("u")
        assert sentence(screen) == "There is nothing to take back."


async def test_a_draft_survives_leaving_and_a_restart_in_the_middle_of_a_word(place: Path) -> None:
    async with correct(place) as (screen, pilot):
        await pilot.press("A", "d", "e", *"Sett")
        await until(lambda: screen.correcting.typed == {"should_say": "Sett"}, pilot)
        # Nothing is asked or saved: the app simply ends here.
    async with correct(place) as (screen, pilot):
        await until(
            lambda: "begun and not given: what it should say. e goes on with it" in sentence(screen), pilot
        )
        text = shown(screen)
        assert "(begun) Sett" in text
        assert "✓ right" in text
        await pilot.press("s")
        assert sentence(screen) == "Begun and not given: what it should say. e goes on with it, x drops it."
        await pilot.press("tab", "e", *"ings", "enter")
        await until(lambda: not screen.correcting.typed, pilot)
        await pilot.press("escape")
        await until(lambda: isinstance(screen.app.screen, JudgeScreen), pilot)
        await pilot.press("c")
        screen = await loaded(screen.app, pilot)
        await pilot.press("s")
        await says(screen, pilot, "Saved: decisions right, answer wrong.")
        assert screen.app.state.get("correct.drafts") is None
    found = await stored(place, "run-0000")
    assert found is not None
    assert found.expect == Expectation(decisions="right", answer="wrong", should_say="Settings")


async def test_texts_of_an_answer_marked_right_say_that_they_are_not_saved(place: Path) -> None:
    """They come back with wrong, and until then stand there as what they are."""
    async with correct(place, (160, 48)) as (screen, pilot):
        await pilot.press("A", "e", *"Settings", "enter", "e", *"vague", "enter")
        await until(lambda: screen.correcting.draft.why == "vague", pilot)
        for key, aside in (("a", True), ("A", False), ("z", True), ("a", True)):
            await pilot.press(key)
            await until(lambda: ("(not saved) vague" in shown(screen)) is aside, pilot)  # noqa: B023
            assert ("(not saved) Settings" in shown(screen)) is aside
            assert ("why (not saved)" in " ".join(shown(screen).split())) is aside
        await pilot.press("s")
        await says(screen, pilot, "Saved: answer right.")
        assert "(not saved) vague" in shown(screen)
    found = await stored(place, "run-0000")
    assert found is not None
    assert found.expect == Expectation(answer="right")


async def test_what_stands_there_and_its_keys_are_told_whole_at_80_columns(place: Path) -> None:
    def line(screen: CorrectScreen) -> str:
        return " ".join(painted(screen.query_one(StatusLine)).split())

    async with correct(place) as (_, pilot):
        await pilot.press("d")
    async with correct(place) as (screen, pilot):
        await until(lambda: "stands here: s saves it, R starts anew." in line(screen), pilot)
        await pilot.press("s")
        await says(screen, pilot, "Saved: decisions right.")
    async with correct(place) as (screen, pilot):
        await until(lambda: "corrected it: change it, s saves, u takes it back." in line(screen), pilot)


async def test_starting_anew_drops_the_draft_and_can_be_taken_back(place: Path) -> None:
    async with correct(place) as (screen, pilot):
        await pilot.press("R")
        assert sentence(screen) == "There is no draft: what stands there is as it was."
        await pilot.press("d", "R")
        assert screen.correcting.draft.decisions is None
        assert screen.app.state.get("correct.drafts") is None
        await pilot.press("u")
        await until(lambda: screen.correcting.draft.decisions == "right", pilot)
        assert screen.app.state.get("correct.drafts") is not None


async def test_arguments_are_checked_as_they_are_typed_and_completed(place: Path) -> None:
    async with correct(place) as (screen, pilot):
        await pilot.press("e", "ctrl+u")
        assert sentence(screen) == "Nothing: any arguments will do. Tab puts the tool's fields in."
        await pilot.press(*'{"query" 3}')
        await says(screen, pilot, "Character 10: a colon is missing.")
        await pilot.press("enter")
        # A broken text isn't taken: it is asked for again, the cursor where it breaks.
        await until(lambda: screen.prompt.purpose == "call:0", pilot)
        await until(lambda: screen.query_one(Input).cursor_position == 9, pilot)
        await pilot.press("ctrl+u", "ctrl+k", "tab")
        assert screen.query_one(Input).value == '{"query": ""}'
        await pilot.press("s")
        assert screen.query_one(Input).value == '{"query": "s"}'
        await pilot.press("end", "backspace", *', "querry": 4}')
        await says(
            screen, pilot, '"querry" is no field of the tool\'s input: query. Enter takes it all the same.'
        )
        await pilot.press("enter")
        await until(lambda: screen.correcting.draft.calls[0].arguments == {"query": "s", "querry": 4}, pilot)
        # Writing arguments said that the decisions were wrong.
        assert screen.correcting.draft.decisions == "wrong"
        await until(lambda: '! {"query": "s", "querry": 4}' in shown(screen), pilot)


async def test_leaving_the_line_keeps_what_was_begun_and_x_drops_it(place: Path) -> None:
    async with correct(place) as (screen, pilot):
        await pilot.press("e", *" ,", "escape")
        await says(screen, pilot, "What you began is kept: e goes on with it, x drops it.")
        await until(lambda: '(begun) {"query": "cards"} ,' in shown(screen), pilot)
        await pilot.press("x")
        assert "(begun)" not in shown(screen)
        assert screen.correcting.draft.calls[0].stance == "call"
        await pilot.press("e", "escape")
        assert screen.correcting.typed == {}


async def test_a_call_is_added_by_picking_a_tool(place: Path) -> None:
    async with correct(place) as (screen, pilot):
        await pilot.press("n")
        assert SEARCH in shown(screen)
        await until(lambda: "Notes down which help articles" in shown(screen), pilot)
        await pilot.press(*"log")
        await until(lambda: screen.tools.count == 1, pilot)
        await pilot.press("ctrl+u")
        await until(lambda: screen.tools.count == 2, pilot)
        await pilot.press("down", "enter")
        await until(lambda: screen.prompt.purpose == "call:2", pilot)
        assert screen.correcting.draft.calls[2].tool_id == "acme-ops.log-suggestion"
        await until(lambda: "question  text · required" in shown(screen), pilot)
        await pilot.press("tab", "tab", *"cards", "enter")
        await until(
            lambda: screen.correcting.draft.calls[2].arguments == {"articles": [], "question": "cards"}, pilot
        )
        # A tool the catalog doesn't have is given by its whole id, and forbidden.
        await pilot.press("F", *"other.tool", "enter")
        await until(lambda: len(screen.correcting.draft.calls) == 4, pilot)
        await until(lambda: "other.tool" in shown(screen), pilot)
        await pilot.press("n", *"zzz", "enter")
        await says(screen, pilot, 'No tool has "zzz" in its name.')
        assert len(screen.correcting.draft.calls) == 4
        await pilot.press("n", "escape")
        await says(screen, pilot, "No tool was picked.")


async def test_a_tool_the_runs_version_did_not_have_can_be_picked_too(demo: Path) -> None:
    bench, _ = await open_local(demo)
    try:
        page = await bench.runs.list(
            RunFilter(subject_id="acme-ops.article-picker", subject_version="0.1.0"), limit=1
        )
        run = await bench.runs.get(page.data[0].id)
        choices = await tools_of(bench, run, recorded_calls(run.output))
        assert [one.id for one in choices] == [SEARCH, "acme-ops.log-suggestion"]
        assert all(one.version == "0.1.0" and one.about and one.input for one in choices)
    finally:
        await bench.close()


async def test_keys_typed_right_behind_a_text_come_after_it(place: Path) -> None:
    async with correct(place) as (screen, pilot):
        await pilot.press("A", "e")
        for key in (*"no", "enter", "s"):
            screen.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await says(screen, pilot, "Saved: answer wrong.")
    found = await stored(place, "run-0000")
    assert found is not None
    assert found.expect == Expectation(answer="wrong", should_say="no")


async def test_pasted_text_says_nothing(place: Path) -> None:
    async with correct(place) as (screen, pilot):
        screen.app.post_message(events.Paste("dDaAs"))
        await pilot.pause()
        assert screen.correcting.draft.decisions is None
        assert screen.correcting.draft.answer is None


async def test_a_long_text_is_written_in_a_box_where_there_is_no_editor(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    async with correct(place) as (screen, pilot):
        await pilot.press("A", "E", *"one", "enter", *"two")
        await until(lambda: screen.correcting.typed == {"should_say": "one\ntwo"}, pilot)
        await pilot.press("ctrl+s")
        await until(lambda: not screen.query(TextBox), pilot)
        assert screen.correcting.draft.should_say == "one\ntwo"
        # Several lines are never squeezed into one.
        await pilot.press("k", "e")
        await until(lambda: screen.query(TextBox), pilot)
        await pilot.press("down", "end", *"!", "escape")
        await until(lambda: not screen.query(TextBox), pilot)
        assert screen.correcting.typed == {"should_say": "one\ntwo!"}
        await pilot.press("tab", "E")
        await until(lambda: screen.query(TextBox), pilot)
        assert screen.query_one(TextBox).text == '{\n  "query": "cards"\n}\n'
        await pilot.press("ctrl+home", *"x", "ctrl+s")
        await says(screen, pilot, "E goes on with it")
        assert sentence(screen).startswith("Line 1, character 1: a value is missing.")
        assert screen.correcting.draft.calls[0].arguments == {"query": "cards"}


async def test_the_keys_one_needs_and_the_hint_stand_whole_at_80_columns(place: Path) -> None:
    async with correct(place) as (screen, _):
        keys = painted(screen.query_one(KeyFooter))
        for words in ("s Save", "e Edit", "E $EDITOR", "f Forbid", "u Take back", "? Help"):
            assert words in keys
        told = " ".join(painted(screen.query_one(StatusLine)).split())
        assert told.startswith(
            "d right, D wrong for the calls it made; a right, A wrong for its answer; s saves."
        )


async def test_what_others_said_shows_once_mine_is_saved(place: Path) -> None:
    bench, _ = await open_local(place)
    await bench.people.add(Person(id="ben", created_at=datetime.now(UTC)))
    (ben,) = [one for one in await bench.people.list() if one.id == "ben"]
    wrong = NewCorrection(run_id="run-0000", expect=Expectation(answer="wrong", should_say="Look at kb-3."))
    await bench.acting_as(ben).corrections.add(wrong)
    await bench.close()
    async with correct(place) as (screen, pilot):
        await until(lambda: "1 other correction shows once yours is saved." in shown(screen), pilot)
        assert "kb-3" not in shown(screen)
        await pilot.press("a", "s")
        told = 'ben: the answer is wrong: should say "Look at kb-3."'
        await until(lambda: told in shown(screen), pilot)
        await pilot.press("u")
        await until(lambda: "kb-3" not in shown(screen), pilot)


async def test_one_speaks_as_the_group_chosen(place: Path) -> None:
    bench, _ = await open_local(place)
    group = await bench.groups.add("Agents' friends", 2.0)
    await bench.close()
    async with correct(place, (160, 48)) as (screen, pilot):
        while screen.correcting.group is None or screen.correcting.group.id != group.id:
            await pilot.press("G")
        await until(lambda: "as Agents' friends" in shown(screen), pilot)
        await pilot.press("a", "s")
        await says(screen, pilot, "Saved as Agents' friends: answer right.")
    found = await stored(place, "run-0000")
    assert found is not None
    assert found.group_id == group.id


async def test_what_can_not_be_done_says_why(place: Path) -> None:
    async with correct(place) as (screen, pilot):
        for keys, words in (
            ("s", "Nothing is said yet: d right or D wrong for the decisions, a or A for the answer."),
            ("d", ""), ("e", "The decisions are marked right: D says they were wrong."),
            ("Dxjxs", "Wrong decisions take at least one call: n adds one it should make, F forbids a tool."),
            ("x", "It isn't asked for as it stands: y asks for it, f forbids it."),
            ("dAs", "A wrong answer takes what it should say, or why it is wrong: Tab goes there, e writes it."),
            ("f", "That is done to a call: Tab goes to them."),
            ("x", "There is nothing to empty."),
        ):  # fmt: skip
            await pilot.press(*keys)
            if words:
                assert sentence(screen) == words
        assert await stored(place, "run-0000") is None


async def test_a_run_is_corrected_from_its_own_screen(demo: Path) -> None:
    async with running(demo, (80, 24)) as (app, pilot):
        await until(lambda: app.screen.rows.count == 73, pilot)  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(lambda: type(app.screen).__name__ == "RunScreen", pilot)
        await until(lambda: app.screen.query_one(TextPane).lines, pilot)
        await pilot.press("c")
        screen = await loaded(app, pilot)
        await pilot.press("a", "s")
        await says(screen, pilot, "Saved: answer right.")
        await pilot.press("escape")
        assert type(app.screen).__name__ == "RunScreen"


async def test_the_recorded_run_is_corrected_from_a_comparisons_case(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    await make_compared(folder)
    async with running(folder, (80, 24), screen="ComparisonsScreen", start="comparisons", project="docs") as (
        app,
        pilot,
    ):
        await until(lambda: app.screen.rows.count >= 1, pilot)  # type: ignore[attr-defined]
        await pilot.press("end", "enter")
        await until(lambda: isinstance(app.screen, ComparisonScreen) and app.screen.rows.count == 3, pilot)
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, CaseScreen) and app.screen.rows.count, pilot)
        case = app.screen
        assert isinstance(case, CaseScreen)
        await pilot.press("j", "c")
        screen = await loaded(app, pilot)
        assert case.opened.case is not None
        run_id = case.opened.case.past_run
        assert screen.correcting.run_id == run_id
        await pilot.press("d", "s")
        await says(screen, pilot, "Saved: decisions right.")
        await pilot.press("escape")
        back: object = app.screen
        assert back is case
        await until(lambda: case.rows.cursor == 1, pilot)
    found = await stored(folder, run_id)
    assert found is not None
    assert found.expect == Expectation(decisions="right")


@pytest.mark.parametrize("size", [(40, 10), (60, 16), (80, 24), (160, 48)])
async def test_hostile_words_in_calls_and_answer_are_shown_as_signs(
    demo: Path, size: tuple[int, int]
) -> None:
    words = "".join(
        strings()[name]
        for name in ("sgr", "osc 52 clipboard", "textual markup", "model markup", "bidi override", "wide")
    )
    appended = [
        {"role": "user", "content": words},
        {"role": "agent", "content": {"text": words, "toolCalls": [
            {"id": "c1", "name": f"acme.{words}", "arguments": {words: [words], "n": 1}},
            {"id": "c2", "name": "acme.odd", "arguments": f"no json {words}"},
        ]}},
        {"role": "tool", "content": words, "toolCall": {"invocationId": "c1"}},
        {"role": "agent", "content": words},
    ]  # fmt: skip
    await fill(demo, [agents_run(0, output={"appended": appended, "output": {words: words}})])
    async with correct(demo, size) as (screen, pilot):
        for key in (
            "o", "v", "D", "w", "y", "f", "j", "x", "y", "k", "e", "escape", "n", "enter", "escape", "n", "up",
            "enter", *'{"a": 1}', "enter", "F", "enter", "A", "e", "b", "enter", "s",
        ):  # fmt: skip
            await pilot.press(key)
            await pilot.pause()
            assert_clean_bytes(shown(screen).replace("\n", "").encode("utf-8"))
        await says(screen, pilot, "Saved")
        assert_clean_bytes(shown(screen).replace("\n", "").encode("utf-8"))
