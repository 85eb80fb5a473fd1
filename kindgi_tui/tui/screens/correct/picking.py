"""Picking a tool in Correct: a list in the run's place, narrowed by what is typed on the docked line."""

from textual import on

from kindgi_tui.session.correcting_draft import add_call, forbid_tool, mark_decisions
from kindgi_tui.session.tool_choices import ToolChoice, matching_tools
from kindgi_tui.text import one_line
from kindgi_tui.tui.screens.correct.parts import CALL
from kindgi_tui.tui.screens.correct.rows import tool_row
from kindgi_tui.tui.screens.correct.writing import Writing
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.prompt import Prompt

ADD, NEVER = "tool", "never"
"""What the docked line asks a tool for: to be called, or never to be."""

STEPS = {"down": 1, "up": -1, "page-down": 8, "page-up": -8}
"""What moves in the list while its line has the keys."""


class Picking(Writing):
    """Picking a tool; mixed into the screen."""

    _found: tuple[ToolChoice, ...] = ()

    @property
    def tools(self) -> LineList:
        """The tools to pick from."""
        return self.query_one("#correct-tools", LineList)

    @property
    def picking(self) -> bool:
        """Whether a tool is being picked."""
        return self.prompt.purpose in (ADD, NEVER)

    def tool_cells(self, number: int, cells: int) -> list[Cell] | None:
        """A tool as a row."""
        return tool_row(self._found[number], cells) if 0 <= number < len(self._found) else None

    def pick(self, purpose: str) -> None:
        """Asks for a tool."""
        self._asked = purpose
        self.add_class("-picking")
        self.prompt.ask(purpose, "Should call" if purpose == ADD else "Must never call")
        self._narrow("")
        self.say("Type to narrow, ↑ ↓ go through them, Enter picks, Esc leaves.", "hint")

    def _narrow(self, words: str) -> None:
        self._found = matching_tools(self.correcting.tools, words)
        self.tools.show(len(self._found), 0, "No tool has that in its name: a whole id can be given.")
        self.tools.repaint()

    def step_picked(self, steps: int) -> None:
        """Goes through the tools."""
        self.tools.move(steps)

    def _picked_or_left(self) -> None:
        self._asked = ""
        self.remove_class("-picking")
        # What the text shows may have changed while it was hidden, and then nothing of it was painted.
        self.call_after_refresh(self.text.refresh)

    @on(Prompt.Changed)
    def _narrowed(self, event: Prompt.Changed) -> None:
        if event.purpose in (ADD, NEVER):
            self._narrow(event.text)

    @on(Prompt.Left)
    def _not_picked(self, event: Prompt.Left) -> None:
        if event.purpose in (ADD, NEVER):
            self._picked_or_left()
            self.say("No tool was picked.")

    @on(Prompt.Answered)
    def _picked(self, event: Prompt.Answered) -> None:
        if event.purpose not in (ADD, NEVER):
            return
        self._picked_or_left()
        at = self.tools.cursor
        if not 0 <= at < len(self._found):
            self.say(f'No tool has "{one_line(event.text, 60)}" in its name.', "no")
            return
        tool = self._found[at].id
        draft = self.correcting.draft
        wrong = draft if draft.decisions == "wrong" else mark_decisions(draft, "wrong")
        if event.purpose == NEVER:
            self.apply(forbid_tool(wrong, tool), f"never {one_line(tool, 60)}")
            self.go_to_call(
                next(n for n, row in enumerate(self.correcting.draft.calls) if row.tool_id == tool)
            )
            return
        self.apply(add_call(wrong, tool), f"a call of {one_line(tool, 60)}")
        last = len(self.correcting.draft.calls) - 1
        self.go_to_call(last)
        self.ask(f"{CALL}{last}", "")
