"""A scroll bar hides nothing: what is cut ends with its sign, left of the bar."""

from collections.abc import Callable

import pytest
from textual.app import App, ComposeResult
from textual.scroll_view import ScrollView

from kindgi_tui.session.fields import FormField
from kindgi_tui.text import width
from kindgi_tui.tui.widgets.form import Form
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.text_pane import Run, TextPane
from tests.tui.conftest import shown, until

CELLS = 30
LONG = "x" * 200


def a_list(rows: int) -> LineList:
    view = LineList(lambda number, cells: [Cell(LONG, cells)])
    view.call_after_refresh(view.show, rows)
    return view


def a_pane(rows: int) -> TextPane:
    view = TextPane()
    view.call_after_refresh(view.show, [Run(((LONG, ""),))] * rows)
    return view


def a_form(rows: int) -> Form:
    view = Form()
    fields = [FormField(name=str(number), label="Label", help="", value=LONG) for number in range(rows)]
    view.call_after_refresh(view.show, fields)
    return view


class Alone(App[None]):
    """One widget of six lines."""

    CSS = "#body { height: 6; } LineList, TextPane, Form { height: 6; }"

    def __init__(self, made: Callable[[int], ScrollView], rows: int) -> None:
        super().__init__()
        self._made, self._rows = made, rows

    def compose(self) -> ComposeResult:
        yield self._made(self._rows)


@pytest.mark.parametrize("rows", [2, 20])
@pytest.mark.parametrize("made", [a_list, a_pane, a_form])
async def test_the_sign_of_what_is_cut_stands_left_of_the_bar(
    made: Callable[[int], ScrollView], rows: int
) -> None:
    app = Alone(made, rows)
    async with app.run_test(size=(CELLS, 10)) as pilot:
        view = app.query_one(ScrollView)
        await until(lambda: "…" in shown(app.screen), pilot)
        await pilot.pause(0.1)
        assert view.show_vertical_scrollbar is (rows > 6)
        line = shown(app.screen).splitlines()[0]
        told = line.rstrip("▁▂▃▄▅▆▇█ ")
        assert told.endswith("…"), line
        assert width(told) == view.scrollable_content_region.width
