"""Text over a few lines: what goes on has a sign, and says how the rest is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from kindgi_tui.text import width
from kindgi_tui.tui.widgets.clamped import Clamped
from tests.hostile.corpus import strings


class Shown(App[None]):
    """Nothing but the text, on at most three lines."""

    CSS = "Clamped { max-height: 3; }"

    def compose(self) -> ComposeResult:
        yield Clamped("w shows all")


@pytest.mark.parametrize(
    ("words", "cells", "lines"),
    [
        ("", 20, []),
        ("one two", 20, ["one two"]),
        ("a bb ccc dddd eeeee", 6, ["a bb", "ccc", "dddd …"]),
        ("a bb ccc dddd", 6, ["a bb", "ccc", "dddd"]),
        (
            "the first of them, the second of them, the third of them, and then a fourth one of them all",
            30,
            ["the first of them, the second", "of them, the third of them,", "and then a four … w shows all"],
        ),
    ],
)  # fmt: skip
async def test_it_ends_with_a_sign_where_it_goes_on(words: str, cells: int, lines: list[str]) -> None:
    app = Shown()
    async with app.run_test(size=(cells, 10)) as pilot:
        clamped = app.query_one(Clamped)
        clamped.tell(words)
        await pilot.pause()
        shown = clamped.lines_in(cells)
        assert shown == lines
        assert clamped.size.height == len(lines)


async def test_no_words_break_out_of_it() -> None:
    app = Shown()
    async with app.run_test(size=(40, 10)) as pilot:
        clamped = app.query_one(Clamped)
        for text in strings().values():
            clamped.tell(text)
            await pilot.pause()
            shown = clamped.lines_in(40)
            assert len(shown) <= 3
            assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set("".join(shown))


@given(words=st.text(max_size=300), cells=st.integers(1, 60))
def test_every_line_has_room(words: str, cells: int) -> None:
    clamped = Clamped("w shows all")
    clamped.styles.max_height = 3
    clamped.tell(words)
    lines = clamped.lines_in(cells)
    assert len(lines) <= 3
    assert all(width(line) <= max(cells, 2) for line in lines)
