"""What is said in Correct with one key: right and wrong, what a call is to be, saving and taking back."""

from collections.abc import Coroutine
from functools import partialmethod
from typing import Any

from kindgi_tui.domain.corrections import Mark
from kindgi_tui.session.correcting import TEXT_NAMES
from kindgi_tui.session.correcting_draft import (
    CallRow,
    Draft,
    any_arguments,
    forbid_tool,
    keep_call,
    mark_answer,
    mark_decisions,
    remove_call,
    set_text,
)
from kindgi_tui.text import one_line
from kindgi_tui.tui.screens.correct.picking import ADD, NEVER, Picking
from kindgi_tui.tui.screens.correct.rows import TEXTS

OF_CALLS = ("keep", "any", "forbid")
"""What is done to a call."""

OF_ROWS = (*OF_CALLS, "edit", "editor", "remove")
"""What is done to the row one is on."""

DECISIONS = ("decisions-right", "decisions-wrong", "add", "forbid-tool")
"""What marks the decisions, or takes them as wrong."""


class Marking(Picking):
    """The keys that say something; mixed into the screen."""

    def why_not(self, verb: str) -> str | None:
        """What needs the run, a row, or something said."""
        correcting = self.correcting
        if correcting.run is None:
            return "The run is being loaded."
        if self.outside:
            return "The text in the box comes first: ^S takes it, Esc keeps a draft."
        if correcting.busy and verb in ("save", "undo", "anew"):
            return "The one before is still being stored."
        if verb == "save":
            return correcting.why_not_saved()
        if verb == "undo" and not correcting.can_undo:
            return "There is nothing to take back."
        if (
            verb == "unsay"
            and (correcting.draft.decisions if self.part == "calls" else correcting.draft.answer) is None
        ):
            return "Nothing is said of this part."
        if verb == "anew" and not correcting.drafted:
            return "There is no draft: what stands there is as it was."
        if verb in DECISIONS or (verb in OF_ROWS and self.part == "calls"):
            reason = correcting.why_not_marked("decisions")
            if reason is not None:
                return reason
        if verb in ("answer-right", "answer-wrong") or (verb in OF_ROWS and self.part == "says"):
            reason = correcting.why_not_marked("answer")
            if reason is not None:
                return reason
        return self._why_not_row(verb) if verb in OF_ROWS else None

    def _why_not_row(self, verb: str) -> str | None:
        draft = self.correcting.draft
        if self.part == "says":
            if verb in OF_CALLS:
                return "That is done to a call: Tab goes to them."
            if draft.answer == "right":
                return "The answer is marked right: A says it was wrong."
            if verb == "remove" and not (self.standing(self.place)):
                return "There is nothing to empty."
            return None
        row = self.row
        if row is None:
            return "There is no call to do that to: n adds one."
        if draft.decisions == "right":
            return "The decisions are marked right: D says they were wrong."
        if (
            verb in ("keep", "remove")
            and draft.decisions == "wrong"
            and self.place not in self.correcting.typed
        ):
            if verb == "remove" and row.stance == "free":
                return "It isn't asked for as it stands: y asks for it, f forbids it."
            if verb == "keep" and keep_call(draft, self.calls.cursor, self.correcting.recorded) == draft:
                return "It stands as it was."
        return None

    def apply(self, draft: Draft, words: str) -> None:
        """Something else stands there."""
        if self.correcting.change(draft, words):
            self.say(f"Said: {words}. u takes it back.")
        self.show_all()

    def _mark(self, part: str, mark: Mark) -> None:
        draft = self.correcting.draft
        self.apply((mark_decisions if part == "decisions" else mark_answer)(draft, mark), f"{part} {mark}")
        if mark == "wrong":
            self.activate("calls" if part == "decisions" else "says")
            self.say(
                "Decisions wrong: e changes a call, w any args, x leaves it out, f forbids, n adds one."
                if part == "decisions"
                else "Answer wrong: e writes what it should say, on the next row why.",
                "hint",
            )

    def do_unsay(self) -> None:
        """The part one is in is neither right nor wrong."""
        draft, calls = self.correcting.draft, self.part == "calls"
        unsaid = (mark_decisions if calls else mark_answer)(draft, None)
        self.apply(unsaid, f"nothing of the {'decisions' if calls else 'answer'}")

    do_decisions_right = partialmethod(_mark, "decisions", "right")
    do_decisions_wrong = partialmethod(_mark, "decisions", "wrong")
    do_answer_right = partialmethod(_mark, "answer", "right")
    do_answer_wrong = partialmethod(_mark, "answer", "wrong")

    @property
    def _wrong(self) -> Draft:
        """What stands there, its decisions wrong: doing something to a call says so."""
        draft = self.correcting.draft
        return draft if draft.decisions == "wrong" else mark_decisions(draft, "wrong")

    def _drop_begun(self) -> bool:
        place = self.place
        if place not in self.correcting.typed:
            return False
        self.correcting.type(place, None)
        return True

    def do_keep(self) -> None:
        """As it was recorded."""
        row, at = self.row, self.calls.cursor
        if row is not None:
            self._drop_begun()
            self.apply(keep_call(self._wrong, at, self.correcting.recorded), f"{tool_words(row)} as it was")

    def do_any(self) -> None:
        """With whatever arguments."""
        row = self.row
        if row is not None:
            self._drop_begun()
            self.apply(
                any_arguments(self._wrong, self.calls.cursor), f"{tool_words(row)} with whatever arguments"
            )

    def do_remove(self) -> None:
        """Not asked for, or an empty text; a text that was begun goes first."""
        if self._drop_begun():
            self.say("What was begun is dropped.")
            self.show_all()
            return
        row = self.row
        if row is not None:
            told = "may be called again" if row.stance == "never" else "isn't asked for"
            self.apply(remove_call(self._wrong, self.calls.cursor), f"{tool_words(row)} {told}")
        elif self.part == "says":
            name = TEXTS[self.says.cursor]
            self.apply(set_text(self.correcting.draft, name, ""), f"nothing of {TEXT_NAMES[name]}")

    def do_forbid(self) -> None:
        """Never."""
        row = self.row
        if row is not None:
            self._drop_begun()
            self.apply(forbid_tool(self._wrong, row.tool_id), f"never {tool_words(row)}")

    def do_edit(self) -> None:
        """Writes it on the line."""
        self.write(self.place)

    def do_editor(self) -> None:
        """Writes it in the editor."""
        self.write_outside(self.place)

    def do_add(self) -> None:
        """Picks a tool that should be called."""
        self.activate("calls")
        self.pick(ADD)

    def do_forbid_tool(self) -> None:
        """Picks a tool that must not be."""
        self.activate("calls")
        self.pick(NEVER)

    def do_anew(self) -> None:
        """Drops the draft."""
        self.correcting.start_anew()
        self.show_all()
        self.say("The draft is dropped: u brings it back.")

    def do_save(self) -> None:
        """Saves it."""
        self.work(self._store(self.correcting.save()), group="store")

    def do_undo(self) -> None:
        """Takes the last change back."""
        self.work(self._store(self.correcting.undo()), group="store")

    async def _store(self, job: Coroutine[Any, Any, str]) -> None:
        correcting = self.correcting
        had = correcting.live is not None
        try:
            told = await job
        finally:
            if self.is_attached:
                if correcting.others and had != (correcting.live is not None):
                    # What others said comes with mine, and goes with it.
                    self.show_run()
                self.show_all()
        if self.is_attached:
            self.say(told)


def tool_words(row: CallRow) -> str:
    """How sentences call the tool of a row."""
    return one_line(row.tool_id, 60)
