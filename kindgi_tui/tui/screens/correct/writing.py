"""Writing in Correct: arguments and texts on the docked line, checked as they are typed, or in the person's editor."""

from textual import on
from textual.app import SuspendNotSupported

from kindgi_tui.session.arguments import LONG, arguments_page, misfit, read_arguments
from kindgi_tui.session.correcting import TEXT_NAMES
from kindgi_tui.session.correcting_draft import (
    Draft,
    Text,
    change_call,
    mark_answer,
    mark_decisions,
    set_text,
)
from kindgi_tui.session.tool_choices import ToolChoice
from kindgi_tui.session.tool_input import complete, input_fields
from kindgi_tui.text import clean, one_line
from kindgi_tui.tui.editor import TextBox, edit_away, editor_command
from kindgi_tui.tui.screens.correct.parts import CALL, Parts
from kindgi_tui.tui.screens.correct.rows import LABELS, TEXTS
from kindgi_tui.tui.screens.correct.words import prefilled, typed_sentence
from kindgi_tui.tui.widgets.prompt import Prompt


class Writing(Parts):
    """What is written; mixed into the screen. A place is `call:<row>`, `should_say` or `why`."""

    _asked = ""
    """What the line was asked for, until its answer has come."""
    _doubt: str | None = None
    """What was said to be doubtful of the call one is on, until one goes on."""

    def apply(self, draft: Draft, words: str) -> None:
        """Something else stands there, and is shown."""
        raise NotImplementedError

    def tool_at(self, place: str) -> ToolChoice | None:
        """The tool whose arguments are written there."""
        if not place.startswith(CALL):
            return None
        return self.correcting.tool(self.correcting.draft.calls[int(place.removeprefix(CALL))].tool_id)

    def standing(self, place: str) -> str:
        """What is written there to begin with: what was begun, else what stands there."""
        begun = self.correcting.typed.get(place)
        return self.given_before(place) if begun is None else begun

    def given_before(self, place: str) -> str:
        """What stands there, whatever was begun since."""
        if place.startswith(CALL):
            return prefilled(self.correcting, int(place.removeprefix(CALL)))
        return str(getattr(self.correcting.draft, place))

    def write(self, place: str) -> None:
        """Writes there: on the docked line, a long text in the editor."""
        text = self.standing(place)
        if "\n" in text or (len(text) > LONG and editor_command() is not None):
            self.write_outside(place)
            return
        self.ask(place, text)

    def ask(self, place: str, text: str, cursor: int | None = None) -> None:
        """Asks for it on the docked line."""
        self._asked = place
        if place.startswith(CALL):
            row = self.correcting.draft.calls[int(place.removeprefix(CALL))]
            self.prompt.ask(place, one_line(row.tool_id.rpartition(".")[2] or row.tool_id, 24), text)
            self.show_typed(place, text)
        else:
            self.prompt.ask(place, LABELS[text_of(place)], text)
            self.say("Enter takes it, Esc keeps a draft.")
        if cursor is not None:
            self.prompt.put(text, cursor)
        self.show_run()
        self.show_row()

    def show_typed(self, place: str, text: str) -> None:
        """Says under the line what is wrong first, or that all is well."""
        read, tool = read_arguments(text), self.tool_at(place)
        unfit = misfit(read.arguments, tool.input) if tool is not None else None
        problem = None if read.problem is None else read.problem.sentence
        fits = None if unfit is None else f"{unfit.sentence} Enter takes it all the same."
        self.say(typed_sentence(problem, fits, text), "no" if problem or fits else "told")

    def complete(self) -> None:
        """Puts the next field of the tool's input into the line."""
        place, text = self.prompt.purpose, self.prompt.text
        tool = self.tool_at(place)
        fields = input_fields(tool.input) if tool is not None else ()
        found = complete(text, fields)
        if found is None:
            self.say(
                "The tool's fields aren't known here." if not fields else "No other field fits here.", "no"
            )
            return
        self.prompt.put(*found)
        self.correcting.type(place, found[0])
        self.show_typed(place, found[0])

    def typing(self, place: str, text: str) -> None:
        """A letter more or less: it is kept at once."""
        self.correcting.type(place, None if text == self.given_before(place) else text)
        if place.startswith(CALL):
            self.show_typed(place, text)

    def left(self, place: str) -> None:
        """Writing was left: what was changed stays as a draft."""
        begun = place in self.correcting.typed
        self.say("What you began is kept: e goes on with it, x drops it." if begun else "")
        self.show_run()
        self.show_all()

    def given(self, place: str, text: str) -> None:
        """A text was given: it stands there, or it is asked for again with what is wrong."""
        draft = self.correcting.draft
        self.show_run()
        if place.startswith(CALL):
            read, number = read_arguments(text), int(place.removeprefix(CALL))
            if read.problem is not None:
                self.correcting.type(place, text)
                if "\n" in text:
                    self.show_all()
                    self.say(f"{read.problem.sentence} E goes on with it, x drops it.", "no")
                else:
                    self.ask(place, text, read.problem.at)
                return
            self.correcting.type(place, None)
            wrong = draft if draft.decisions == "wrong" else mark_decisions(draft, "wrong")
            tool = one_line(draft.calls[number].tool_id, 40)
            words = (
                f"{tool} with whatever arguments" if read.arguments is None else f"the arguments of {tool}"
            )
            self.apply(change_call(wrong, number, read.arguments), words)
            self.next_row()
            doubt = self.correcting.doubt(self.correcting.draft.calls[number])
            if doubt is not None:
                self._doubt = None
                self.say(f"{doubt} It stands so all the same; u takes it back.", "no")
            return
        self.correcting.type(place, None)
        wrong = draft if draft.answer == "wrong" else mark_answer(draft, "wrong")
        name = text_of(place)
        said = TEXT_NAMES[name] if text.strip() else f"nothing of {TEXT_NAMES[name]}"
        self.apply(set_text(wrong, name, text), said)
        self.next_row()

    # In the editor

    def write_outside(self, place: str) -> None:
        """Writes in `$EDITOR`, or where there is none in a box on the screen."""
        text = self._page(place)
        command = editor_command()
        if command is not None:
            try:
                suffix = ".json" if place.startswith(CALL) else ".md"
                written = edit_away(self.app, command, text, "correction-", suffix)
            except SuspendNotSupported:
                pass
            except (OSError, ValueError) as cause:
                self.say(f"The editor gave nothing back ({cause}). $EDITOR names it.", "error")
                return
            else:
                self._written(place, written, text)
                return
        self._write_here(place, text)

    def _page(self, place: str) -> str:
        begun = self.correcting.typed.get(place)
        if begun is not None:
            return begun
        if not place.startswith(CALL):
            return self.standing(place)
        text = self.standing(place)
        return arguments_page(read_arguments(text).arguments)

    def _written(self, place: str, text: str, before: str) -> None:
        if text == before and place not in self.correcting.typed:
            self.say("It is as it was.")
            return
        self.given(place, text)

    def _write_here(self, place: str, text: str) -> None:
        if clean(text) != text:
            self.say("This holds control characters: set $EDITOR to edit it.", "no")
            return
        self.outside = place
        self.add_class("-writing")
        box = TextBox(text, show_line_numbers=False)
        box.cursor_blink = False
        self.query_one("#correct-centre").mount(box, before=0)
        box.focus()
        self.say("^S takes it, Esc keeps a draft. $EDITOR names an editor to use instead.")

    @on(TextBox.Changed)
    def _box_changed(self, event: TextBox.Changed) -> None:
        if self.outside and event.text_area.text != self._page(self.outside):
            self.correcting.type(self.outside, event.text_area.text)
            if self.outside.startswith(CALL):
                self.show_typed(self.outside, event.text_area.text)

    @on(TextBox.Ended)
    async def _box_ended(self, event: TextBox.Ended) -> None:
        place, self.outside = self.outside, ""
        await self.query(TextBox).remove()
        self.remove_class("-writing")
        self.focus_body()
        if event.save:
            self._written(place, event.text, self._page(place))
        else:
            self.left(place)

    # From the line

    @on(Prompt.Changed)
    def _line_typed(self, event: Prompt.Changed) -> None:
        if self._is_place(event.purpose) and self.prompt.purpose == event.purpose:
            self.typing(event.purpose, event.text)

    @on(Prompt.Left)
    def _line_left(self, event: Prompt.Left) -> None:
        if self._is_place(event.purpose):
            self._asked = ""
            self.left(event.purpose)

    @on(Prompt.Answered)
    def _line_given(self, event: Prompt.Answered) -> None:
        if self._is_place(event.purpose):
            self._asked = ""
            self.given(event.purpose, event.text)

    @staticmethod
    def _is_place(purpose: str) -> bool:
        return purpose.startswith(CALL) or purpose in TEXTS


def text_of(place: str) -> Text:
    """Which of the two texts is written at a place."""
    return "should_say" if place == "should_say" else "why"
