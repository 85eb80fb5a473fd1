"""What is doubtful of a call in Correct is told in words where one stands on it, not by a sign alone."""

from pathlib import Path

import pytest

from kindgi_tui.tui.editor import TextBox
from kindgi_tui.tui.widgets.text_pane import TextPane
from tests.tui.conftest import shown, until
from tests.tui.test_correct import SEARCH, correct, place, says, sentence

__all__ = ["place"]

UNFIT = (
    f"The arguments of {SEARCH} don't fit what it takes: \"querry\" is no field of the tool's input: query."
)


async def test_arguments_written_in_a_box_that_do_not_fit_say_why(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    async with correct(place) as (screen, pilot):
        await pilot.press("E")
        await until(lambda: screen.query(TextBox), pilot)
        screen.query_one(TextBox).text = '{"querry": 4}'
        await pilot.press("ctrl+s")
        await says(screen, pilot, f"{UNFIT} It stands so all the same; u takes it back.")
        assert screen.calls.cursor == 1
        await pilot.press("k")
        await until(lambda: sentence(screen) == UNFIT, pilot)
        await until(lambda: '! {"querry": 4}' in shown(screen), pilot)
        await pilot.press("j")
        await until(lambda: sentence(screen) == "", pilot)


async def test_a_tool_nobody_knows_says_so_and_beside_the_run_where_there_is_room(place: Path) -> None:
    words = "other.tool is no tool that the run called or a pack brings."
    async with correct(place) as (screen, pilot):
        await pilot.press("n", *"other.tool", "enter")
        await until(lambda: screen.prompt.purpose == "call:2", pilot)
        await pilot.press("enter")
        await says(screen, pilot, words)
        await until(lambda: "! with whatever arguments" in shown(screen), pilot)
        await pilot.press("k")
        await until(lambda: screen.calls.cursor == 1, pilot)
        await pilot.press("j")
        await until(lambda: sentence(screen) == words, pilot)
    async with correct(place, (160, 48)) as (screen, pilot):
        await until(lambda: len(screen.correcting.draft.calls) == 3, pilot)
        await pilot.press("j", "j")
        side = screen.query_one("#correct-side", TextPane)
        assert side.display
        await until(lambda: "! other.tool is no tool" in shown(screen), pilot)


async def test_a_text_that_was_emptied_is_not_said_to_be_said(place: Path) -> None:
    async with correct(place) as (screen, pilot):
        await pilot.press("A", "e", *"five days", "enter")
        await says(screen, pilot, "Said: what it should say.")
        await pilot.press("k", "e", "ctrl+u", "enter")
        await says(screen, pilot, "Said: nothing of what it should say.")
        await pilot.press("k", "j", "e", *"wrong", "enter")
        await says(screen, pilot, "Said: why it is wrong.")
        await pilot.press("e", "ctrl+u", "enter")
        await says(screen, pilot, "Said: nothing of why it is wrong.")
        assert (screen.correcting.draft.should_say, screen.correcting.draft.why) == ("", "")
