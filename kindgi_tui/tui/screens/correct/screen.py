"""Correct: what a run should have done, said over the screen one comes from (DESIGN sections 7 and 12)."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from kindgi_tui.session.correcting import Correcting
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.correct.marking import Marking
from kindgi_tui.tui.screens.correct.parts import CALL
from kindgi_tui.tui.screens.correct.parts_list import PartList
from kindgi_tui.tui.screens.correct.picking import STEPS
from kindgi_tui.tui.screens.correct.rows import TEXTS, call_row, says_row
from kindgi_tui.tui.screens.correct.words import (
    answer_head,
    decisions_head,
    input_parts,
    row_parts,
    run_parts,
    title_words,
)
from kindgi_tui.tui.widgets.line_list import LineList
from kindgi_tui.tui.widgets.text_pane import TextPane

NO_CALLS = "It called no tool. n adds a call it should make."
"""What stands in the place of calls where there are none."""


class CorrectScreen(Marking):
    """One run, and what it should have done."""

    PLACE = "correct"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("correct")
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-middle"), (40, "-high")]

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self._run_id = run_id
        self._whole_row = False
        self._whole_run = False
        self._heads: dict[str, object] = {}

    def compose_body(self) -> ComposeResult:
        """The run over the two parts; a row whole beside them."""
        yield Static("Correct", id="correct-title", markup=False)
        with Horizontal(id="correct-body"):
            with Vertical(id="correct-centre"):
                yield TextPane(id="correct-text", empty="Loading the run …")
                yield LineList(self.tool_cells, id="correct-tools")
                yield Static("", id="correct-decisions", classes="part", markup=False)
                yield PartList(
                    lambda number, cells: call_row(self.correcting, number, cells),
                    id="correct-calls",
                )
                yield Static("", id="correct-answer", classes="part", markup=False)
                yield PartList(
                    lambda number, cells: says_row(self.correcting, number, cells), id="correct-says"
                )
            yield TextPane(id="correct-side")

    def on_mount(self) -> None:
        """Loads the run."""
        kept = self.app.state.get("judge.group")
        group = kept if isinstance(kept, str) else None
        self.correcting = Correcting(self.workbench, self.app.person, self.app.state, self._run_id, group)
        self.activate("calls")
        self.load(self._load)

    async def _load(self) -> None:
        found = await self.correcting.load()
        if not self.is_attached:
            return
        if not self.correcting.draft.calls:
            self.calls.show(0, empty=NO_CALLS)
            self.activate("says")
        self.show_run()
        self.show_all()
        hint = "d right, D wrong for the calls it made; a right, A wrong for its answer; s saves."
        self.say(found or hint, "hint")

    # What is shown

    def show_run(self) -> None:
        """The run; where there is no room beside it, the row one is on or what the tool takes, when they are wanted."""
        tool = self.tool_at(self.prompt.purpose)
        if tool is not None and not self.has_class("-wide"):
            self.text.show(input_parts(tool))
        elif self._whole_row and not self.has_class("-wide"):
            self.text.show(row_parts(self.correcting, self.part, self.rows.cursor))
        else:
            self.text.show(run_parts(self.correcting, self._whole_run))

    def show_all(self) -> None:
        """What stands there now."""
        if self.correcting.run is None:
            return
        if self.calls.count != len(self.correcting.draft.calls):
            self.calls.show(len(self.correcting.draft.calls))
        self.calls.repaint()
        self.says.show(len(TEXTS))
        self._show_heads()
        self.show_row()
        self.changed()

    def _show_heads(self) -> None:
        cells = max(20, self.calls.size.width - 2)
        heads = {
            "title": line(title_words(self.correcting), 400),
            "decisions": decisions_head(self.correcting, cells),
            "answer": answer_head(self.correcting, cells),
        }
        for name, content in heads.items():
            if self._heads.get(name) != content:
                self._heads[name] = content
                self.query_one(f"#correct-{name}", Static).update(content, layout=False)

    def show_row(self) -> None:
        """Shows the row one is on whole, or while arguments are written what the tool takes, where that has room."""
        side = self.query_one("#correct-side", TextPane)
        tool = self.tool_at(self.prompt.purpose)
        if side.display and tool is not None:
            side.show(input_parts(tool))
        elif side.display:
            side.show(row_parts(self.correcting, self.part, self.rows.cursor), keep_place=True)
        elif self._whole_row:
            self.show_run()

    def on_resize(self) -> None:
        """Another size."""
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        if self.is_attached and self.correcting.run is not None:
            self.show_run()
            self.show_all()

    # What can be done

    async def action_act(self, action_id: str) -> None:
        """Does an action; while a text is asked for, Tab puts a field in and the arrows go through the tools."""
        verb = action_id.partition(".")[2]
        if self.prompt.purpose:
            if self.picking and verb in STEPS:
                self.step_picked(STEPS[verb])
            elif verb == "part" and self.prompt.purpose.startswith(CALL):
                self.complete()
            return
        if self._asked:
            # What was given on the line is on its way: keys typed after it act on what it comes to.
            self.call_later(self.action_act, action_id)
            return
        await super().action_act(action_id)

    def do_group(self) -> None:
        """The next group one may speak as."""
        speaking, run = self.correcting.speaking, self.correcting.run
        if run is None:
            return
        if not speaking.covering(run):
            self.say("There is no group you may speak as here: kindgi-tui groups list shows them.", "no")
            return
        group = speaking.next(run)
        self.app.state.put("judge.group", speaking.chosen)
        self.say(
            f"You speak as {group.name} (weight {group.weight:g})"
            if group is not None
            else "You speak as yourself"
        )
        self._show_heads()
        self.changed()

    def do_whole(self) -> None:
        """The row whole, or the run again."""
        self._whole_row = not self._whole_row
        self.show_run()
        if self.has_class("-wide"):
            self.say("The row stands whole at the side.")

    def do_calls(self) -> None:
        """The whole run, or what was asked and answered."""
        self._whole_run, self._whole_row = not self._whole_run, False
        self.show_run()
        self.say("The whole run, its calls open." if self._whole_run else "What was asked and answered.")

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        if event.control is self.calls and self.part != "calls":
            return
        self.show_row()
        self._say_doubt()
        self.changed()

    def _say_doubt(self) -> None:
        """What is doubtful of the call one came to, where the row whole isn't beside the run and tells it there."""
        row, wrong = self.row, self.correcting.draft.decisions == "wrong"
        told = self.correcting.doubt(row) if row is not None and wrong else None
        if self.prompt.purpose or self.outside or self.query_one("#correct-side", TextPane).display:
            return
        if told is not None:
            self.say(told, "no")
        elif self._doubt is not None:
            self.say("")
        self._doubt = told
