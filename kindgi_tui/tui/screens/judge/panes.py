"""Painting of Judge: which text stands where, and that only what changed is painted."""

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

from textual.widgets import Static

from kindgi_tui.domain.judging import Guideline
from kindgi_tui.session.judging_queue import Sheet
from kindgi_tui.text import width
from kindgi_tui.tui.content import line
from kindgi_tui.tui.screens.judge.conversation import Prepared, Reading, item_parts, prepare
from kindgi_tui.tui.screens.judge.items_list import ItemBar, ItemsList
from kindgi_tui.tui.screens.judge.rows import guideline_parts, history_parts, reasons_words
from kindgi_tui.tui.widgets.line_list import LineList
from kindgi_tui.tui.widgets.text_pane import Part, TextPane

if TYPE_CHECKING:
    from textual.screen import Screen

    from kindgi_tui.session.judging import JudgingSession

KEPT = 24
"""Texts that are kept wrapped."""


class JudgePanes:
    """The widgets of the screen, and what stands in them."""

    def __init__(self, screen: "Screen[None]", session: "JudgingSession") -> None:
        self._screen = screen
        self._session = session
        self._ready: OrderedDict[tuple[str, int, Reading], Prepared] = OrderedDict()
        self._guidelines: dict[str, Guideline | None] = {}
        self._side_shows: tuple[object, ...] = ()
        self._text_shows: tuple[object, ...] = ()
        self._title = ""
        self._reasons = ""
        self.reading = Reading()
        """How conversations are shown."""
        self.groups: dict[str, str] = {}
        """Names of groups by id."""
        self.whole_item = False
        """Whether the text is the item under the cursor."""
        self.guideline_in_text = False
        """Whether the text is the guideline: where there is no room for it beside."""

    @property
    def text(self) -> TextPane:
        """The conversation."""
        return self._screen.query_one("#judge-text", TextPane)

    @property
    def items(self) -> ItemsList:
        """The items."""
        return self._screen.query_one(ItemsList)

    @property
    def queue(self) -> LineList:
        """The runs of the sitting."""
        return self._screen.query_one("#judge-queue", LineList)

    def show_title(self, words: str) -> None:
        """The first line."""
        if words != self._title:
            self._title = words
            self._screen.query_one("#judge-title", Static).update(
                line(words, max(1, self._screen.size.width - 2)), layout=False
            )

    def show_run(self, empty: str) -> None:
        """Another run is in view, or none."""
        walk = self._session.walk
        self.whole_item = False
        self.items.show_sheet(walk.sheet, walk.cursor, empty)
        self.show_item()
        self.show_text()
        self.show_queue()

    def show_queue(self) -> None:
        """The list of runs, where it has room."""
        queue, walk = self.queue, self._session.walk
        if not queue.display or queue.size.width == 0:
            return
        count = len(walk.feed.entries)
        place = min(walk.index, max(0, count - 1))
        if queue.count != count:
            queue.show(count, place)
        else:
            queue.repaint(queue.cursor)
            # One step at a time, so that it scrolls by half its height at the edge and not by a row a run.
            queue.go(place, 1 if place > queue.cursor else -1)

    def show_item(self) -> None:
        """The item, its verdict, and what was said of it."""
        walk = self._session.walk
        self.items.update_sheet(walk.cursor)
        self._screen.query_one(ItemBar).show(walk.sheet, walk.cursor)
        if self.whole_item:
            self.show_text()
        self.show_side()
        self.show_reasons()

    def show_written(self) -> None:
        """What was said of the items of the run in view is on disk."""
        walk = self._session.walk
        self.items.update_sheet(walk.cursor)
        self._screen.query_one(ItemBar).show(walk.sheet, walk.cursor)
        self.show_side()

    def show_reasons(self) -> None:
        """Reasons used before, when there are any."""
        sheet = self._session.walk.sheet
        used = self._session.reasons.of(sheet.run.subject.id) if sheet is not None else ()
        widget = self._screen.query_one("#judge-reasons", Static)
        words = reasons_words(used, max(20, self.text.size.width))
        if words != self._reasons:
            self._reasons = words
            self._screen.set_class(bool(words), "-reasons")
            widget.update(line(words, max(1, width(words))) if words else "", layout=False)

    # The text

    def show_text(self, keep: bool = False) -> None:
        """The conversation, the item whole, or the guideline."""
        pane, sheet, item = self.text, self._session.walk.sheet, self._session.walk.item
        if sheet is None:
            return
        if self.guideline_in_text:
            name = sheet.run.subject.id
            parts: list[Part] = guideline_parts(self._guidelines.get(name), name)
            if item is not None:
                parts += history_parts(sheet, item, self.groups)
            self.show_parts(parts, keep)
            return
        if self.whole_item and item is not None:
            self.show_parts(item_parts(item, self.reading.drawn), keep)
            return
        shows = (sheet.run.id, pane.size.width, self.reading)
        if shows == self._text_shows:
            return
        prepared = self._prepared(sheet, pane.size.width)
        self._text_shows = shows
        pane.show(prepared.parts, keep_place=keep, wrapped=prepared.wrapped)
        if not keep:
            pane.scroll_to(y=prepared.top, animate=False, force=True)

    def show_parts(self, parts: list[Part], keep: bool = False) -> None:
        """Any other text in the conversation's place."""
        self._text_shows = ()
        self.text.show(parts, keep_place=keep)

    def _prepared(self, sheet: Sheet, cells: int) -> Prepared:
        key = (sheet.run.id, cells, self.reading)
        found = self._ready.get(key)
        if found is None:
            found = prepare(sheet.run, self.reading, max(1, cells))
            self._keep(key, found)
        return found

    def _keep(self, key: tuple[str, int, Reading], prepared: Prepared) -> None:
        self._ready[key] = prepared
        while len(self._ready) > KEPT:
            self._ready.popitem(last=False)

    async def prepare_ahead(self) -> None:
        """Wraps the runs that come next, off the event loop, before they are needed."""
        walk, cells, reading = self._session.walk, self.text.size.width, self.reading
        for entry in walk.feed.entries[walk.index : walk.index + 5]:
            sheet = walk.sheets.ready(entry.run_id)
            key = (entry.run_id, cells, reading)
            if sheet is not None and cells > 0 and key not in self._ready:
                self._keep(key, await asyncio.to_thread(prepare, sheet.run, reading, cells))

    # What to judge by

    def know_guideline(self, subject_id: str, guideline: Guideline | None) -> None:
        """A guideline was loaded or saved."""
        self._guidelines[subject_id] = guideline
        self._side_shows = ()
        self.show_side()
        if self.guideline_in_text:
            self.show_text()

    def knows_guideline(self, subject_id: str) -> bool:
        """Whether an agent's guideline was looked for."""
        return subject_id in self._guidelines

    def guideline(self, subject_id: str) -> Guideline | None:
        """An agent's guideline, as far as it was loaded."""
        return self._guidelines.get(subject_id)

    def show_side(self) -> None:
        """The guideline and what was said of the item, where it has room."""
        side = self._screen.query_one("#judge-side")
        sheet, item = self._session.walk.sheet, self._session.walk.item
        if not side.display:
            self._side_shows = ()
            return
        name = sheet.run.subject.id if sheet is not None else ""
        shows = (name, self._guidelines.get(name))
        if shows != self._side_shows:
            self._side_shows = shows
            parts = guideline_parts(self._guidelines.get(name), name) if name else []
            self._screen.query_one("#judge-guideline", TextPane).show(parts)
        history = history_parts(sheet, item, self.groups) if sheet is not None and item is not None else []
        self._screen.query_one("#judge-history", TextPane).show(history)
