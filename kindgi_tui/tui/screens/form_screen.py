"""What the screens with a form share: going through the fields, editing them, checking after every change."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from kindgi_tui.domain.base import Frozen
from kindgi_tui.session.fields import FormField, turned
from kindgi_tui.tui.content import line
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.widgets.form import Form
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.text_pane import Part, TextPane

Draft = TypeVar("Draft", bound=Frozen)

PAUSE = 0.15
"""Seconds after a change before it is checked, so that typing asks once."""

PURPOSE = "field:"
"""What stands before a field's name in the prompt's purpose."""


class FormScreen(WorkScreen, Generic[Draft]):
    """A form with a pane that says what it would do. A subclass holds the draft and checks it."""

    HEADING: ClassVar[str] = ""
    GIVEN: ClassVar[str] = "done"
    """What is done with a whole form, such as `built`."""
    WAITED_FOR: ClassVar[bool] = True
    """Whether going back waits until it is."""
    DEFAULT_CSS = """
    FormScreen #form-title { height: 1; padding: 0 1; background: $panel; color: $primary; text-style: bold; }
    FormScreen #form-body { layout: horizontal; height: 1fr; }
    FormScreen Form { width: 1fr; height: 1fr; }
    FormScreen TextPane { width: 1fr; height: 1fr; border-left: solid $panel; padding: 0 0 0 1; }
    FormScreen.-narrow #form-body, FormScreen.-tiny #form-body { layout: vertical; }
    FormScreen.-narrow Form, FormScreen.-tiny Form { height: 3fr; }
    FormScreen.-narrow TextPane, FormScreen.-tiny TextPane {
        height: 2fr; border-left: none; border-top: solid $panel; padding: 0 1;
    }
    """

    _draft: Draft

    def __init__(self) -> None:
        super().__init__()
        self._steps = 1
        self._before = ""
        self._blocks: Sequence[Part] | None = None
        self._checked: Draft | None = None
        self.busy = False
        """Whether what the form says is being done right now."""

    def compose_body(self) -> ComposeResult:
        """The title, the form, the pane."""
        yield Static(line(self.HEADING, 200), id="form-title", markup=False)
        with Container(id="form-body"):
            yield Form()
            yield TextPane()

    @property
    def form(self) -> Form:
        """The form."""
        return self.query_one(Form)

    def form_fields(self) -> Sequence[FormField]:
        """The fields as they are now."""
        raise NotImplementedError

    def set_value(self, name: str, value: str) -> None:
        """Puts a value into the draft and keeps it."""
        raise NotImplementedError

    def clear_all(self) -> None:
        """Empties the draft."""
        raise NotImplementedError

    async def check(self) -> None:
        """Finds out what the draft would do, and shows it."""
        raise NotImplementedError

    @property
    def settled(self) -> bool:
        """Whether what is shown is about the draft as it stands."""
        return self._checked is not None and self._checked == self._draft

    @property
    def busy_words(self) -> str:
        """What is said while it is being done."""
        return f"It is being {self.GIVEN}."

    def begin(self) -> None:
        """What the form says is being done from now on."""
        self.busy = True
        self.changed()

    def done(self) -> None:
        """It was done, or refused."""
        self.busy = False
        self.changed()

    def do_back(self) -> None:
        """Goes back; what is being done is finished first."""
        if self.busy and self.WAITED_FOR:
            self.say(f"It is being {self.GIVEN}: a moment.", "no")
        else:
            super().do_back()

    def set_heading(self, words: str) -> None:
        """Sets the title."""
        self.query_one("#form-title", Static).update(line(words, 300))

    def show_pane(self, blocks: Sequence[Part]) -> None:
        """Shows what the draft would do, where one was; nothing is painted when it is the same."""
        if blocks != self._blocks:
            self._blocks = blocks
            self.query_one(TextPane).show(blocks, keep_place=True)

    def show_fields(self) -> None:
        """Shows the fields as they are now."""
        self.form.show(self.form_fields())
        self.changed()

    def put(self, name: str, value: str) -> None:
        """A field has another value: it is shown at once and checked after a pause."""
        self.set_value(name, value)
        self.show_fields()
        self.check_soon()

    def check_soon(self) -> None:
        """Checks after a pause; a check that is under way ends."""
        self.work(self._paused_check(), group="check", exclusive=True)

    async def _paused_check(self) -> None:
        await asyncio.sleep(PAUSE)
        await self.check()

    def why_not(self, verb: str) -> str | None:
        """What doesn't go with the field one is on."""
        field = self.form.field
        if verb in ("more", "less") and field is not None and not field.turns:
            return f"{field.label} has no choices: Enter types it."
        if verb == "clear" and field is not None and not field.value:
            return f"{field.label} is empty already."
        return None

    def do_edit(self) -> None:
        """Types the field, or turns a choice."""
        field = self.form.field
        if field is None:
            return
        if not field.typed:
            self._turn(1)
            return
        self._before = field.value
        self.say(field.help)
        self.prompt.ask(PURPOSE + field.name, field.label, field.value)

    def do_more(self) -> None:
        """The next choice, or a number up."""
        self._turn(1)

    def do_less(self) -> None:
        """The choice before, or a number down."""
        self._turn(-1)

    def _turn(self, steps: int) -> None:
        field = self.form.field
        if field is not None and field.turns:
            self.put(field.name, turned(field, steps))

    def do_clear(self) -> None:
        """Empties the field."""
        field = self.form.field
        if field is not None:
            self.put(field.name, "")

    def do_reset(self) -> None:
        """Empties the form."""
        self.clear_all()
        self.show_fields()
        self.check_soon()
        self.say("The form is as it was at first.")

    def do_down(self) -> None:
        """The next field."""
        self._go(1)

    def do_up(self) -> None:
        """The field before."""
        self._go(-1)

    def _go(self, steps: int) -> None:
        if self.prompt.purpose:
            # Tab in the prompt gives the text and goes on.
            self._steps = steps
            self.prompt.answer()
        else:
            self.form.move(steps)

    def do_first(self) -> None:
        """The first field."""
        self.form.go(0)

    def do_last(self) -> None:
        """The last field."""
        self.form.go(len(self.form.fields) - 1)

    def do_page_down(self) -> None:
        """Scrolls the pane."""
        self.query_one(TextPane).page(1)

    def do_page_up(self) -> None:
        """Scrolls the pane back."""
        self.query_one(TextPane).page(-1)

    @on(Form.Moved)
    def _moved(self, event: Form.Moved) -> None:
        self.say(event.field.help)
        self.changed()

    @on(Form.Pressed)
    def _pressed(self) -> None:
        self.do_edit()

    @on(Prompt.Changed)
    def _typing(self, event: Prompt.Changed) -> None:
        if event.purpose.startswith(PURPOSE):
            self.put(event.purpose.removeprefix(PURPOSE), event.text)

    @on(Prompt.Left)
    def _left(self, event: Prompt.Left) -> None:
        """Escape takes back what was typed."""
        if event.purpose.startswith(PURPOSE):
            self.put(event.purpose.removeprefix(PURPOSE), self._before)

    @on(Prompt.Answered)
    def _answered(self, event: Prompt.Answered) -> None:
        if event.purpose.startswith(PURPOSE):
            name = event.purpose.removeprefix(PURPOSE)
            steps, self._steps = self._steps, 1
            self.put(name, event.text)
            field = self.form.field
            # Keys typed since may have moved on already.
            if field is not None and field.name == name:
                self.form.move(steps)

    def focus_body(self) -> None:
        """The form has the keys."""
        self.form.focus()
