"""Making or changing a group: the form, who could speak as it then, and why it would be refused."""

from kindgi_tui.domain.judgments import Group
from kindgi_tui.session.fields import FormField
from kindgi_tui.session.group_fields import group_fields
from kindgi_tui.session.groups import (
    GroupCheck,
    GroupDraft,
    GroupFacts,
    draft_of,
    group_facts,
    read_group,
    save_group,
)
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.form_screen import FormScreen
from kindgi_tui.tui.screens.group_form.words import check_parts
from kindgi_tui.workbench import WorkbenchError

SAVED = "groups.saved"
"""Under which option the list finds what was saved, as a `GroupStep`."""

DRAFT = "group_form.draft"
"""Where the draft of a new group is kept between starts, with the project's id after it."""


class GroupFormScreen(FormScreen[GroupDraft]):
    """The form; with `of` it changes that group."""

    PLACE = "group_form"
    HEADING = "New group"
    GIVEN = "saved"
    BINDINGS = bindings_of("group_form")

    def __init__(self, of: Group | None = None) -> None:
        super().__init__()
        self._of = of
        self._draft = GroupDraft() if of is None else draft_of(of)
        self._facts: GroupFacts | None = None
        self._check: GroupCheck | None = None

    def on_mount(self) -> None:
        """Loads what the form needs to know."""
        if self._of is not None:
            self.set_heading(f"Change the group {self._of.name}")
        self.focus_body()
        self.load(self._load)

    async def _load(self) -> None:
        self._facts = await group_facts(self.workbench, self.app.project, self._of)
        kept = self.app.state.get(self._place) if self._of is None else None
        if isinstance(kept, dict) and all(isinstance(value, str) for value in kept.values()):
            self._draft = GroupDraft.model_validate(kept)
        await self.check()

    @property
    def _place(self) -> str:
        return f"{DRAFT}.{self.app.project.id}"

    def form_fields(self) -> tuple[FormField, ...]:
        """The fields, with what is wrong with each."""
        return () if self._facts is None else group_fields(self._draft, self._facts, self._check)

    def set_value(self, name: str, value: str) -> None:
        """Puts a value into the draft; that of a new group is kept."""
        self._draft = self._draft.model_copy(update={name: value})
        if self._of is None:
            self.app.state.put(self._place, dict(self._draft.model_dump(exclude_defaults=True)) or None)

    def clear_all(self) -> None:
        """As it was at first."""
        self._draft = GroupDraft() if self._of is None else draft_of(self._of)
        if self._of is None:
            self.app.state.put(self._place, None)

    async def check(self) -> None:
        """Says what saving comes to."""
        if self._facts is None:
            return
        self._check = read_group(self._draft, self._facts)
        self.show_pane(check_parts(self._draft, self._facts, self._check))
        self.show_fields()

    def why_not(self, verb: str) -> str | None:
        """What refuses to be saved."""
        if verb != "save":
            return super().why_not(verb)
        if self.busy:
            return self.busy_words
        if self._facts is None:
            return "The directory is being read."
        # What was typed last counts, whether it was checked yet or not.
        return read_group(self._draft, self._facts).refusal

    def do_save(self) -> None:
        """Saves it."""
        self.begin()
        self.work(self._save(), group="save", exclusive=True)

    async def _save(self) -> None:
        try:
            assert self._facts is not None
            step = await save_group(
                self.workbench, self._draft, self._facts, read_group(self._draft, self._facts)
            )
        except WorkbenchError as refused:
            self.show_error(refused)
            return
        finally:
            self.done()
        if self._of is None:
            self.app.state.put(self._place, None)
        self.app.options[SAVED] = step
        if self.is_current:
            self.app.go_back()
        else:
            self.say(f"Saved {step.after.name}.")
