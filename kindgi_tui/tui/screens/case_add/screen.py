"""Adding a test case by hand: the form, and what the case would say in words."""

from collections.abc import Callable

from kindgi_tui.domain.correction_words import expectation_parts
from kindgi_tui.domain.own_test_sets import OwnCase
from kindgi_tui.session.case_adding import CaseCheck, CaseDraft, case_fields, check_draft
from kindgi_tui.session.equal_cases import EqualCases
from kindgi_tui.session.expected_tools import ToolDoubts
from kindgi_tui.session.fields import FormField
from kindgi_tui.text import clean, json_text, one_line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.form_screen import FormScreen
from kindgi_tui.tui.screens.test_set_cases.rows import NO_RECORDING
from kindgi_tui.tui.widgets.text_pane import Block, Run

DRAFT = "case_add.draft"
"""Where drafts are kept between starts, with the agent's and the project's id after it."""


class CaseAddScreen(FormScreen[CaseDraft]):
    """The form. With `run_id` it begins as a copy of that run; `added` is told of the case that was made."""

    PLACE = "case_add"
    HEADING = "Add a test case by hand"
    GIVEN = "added"
    BINDINGS = bindings_of("case_add")

    def __init__(
        self,
        agent_id: str,
        project_id: str,
        run_id: str | None = None,
        added: Callable[[OwnCase], None] | None = None,
    ) -> None:
        super().__init__()
        self._added = added
        self._agent_id = agent_id
        self._project_id = project_id
        self._run_id = run_id
        self._draft = CaseDraft(run_id=run_id or "")
        self._check = CaseCheck()

    def on_mount(self) -> None:
        """Goes on with the draft that was left, unless another run was asked for."""
        kept = self.app.state.get(self._place)
        if isinstance(kept, dict) and all(isinstance(value, str) for value in kept.values()):
            draft = CaseDraft.model_validate(kept)
            if self._run_id is None or draft.run_id == self._run_id:
                self._draft = draft
        self._finding = ToolDoubts(self.workbench)
        self._equals = EqualCases(self.workbench)
        self.focus_body()
        self.set_heading(f"Add a test case of {self._agent_id} by hand")
        self.show_fields()
        self.work(self.check(), group="check", exclusive=True)

    @property
    def _place(self) -> str:
        return f"{DRAFT}.{self._agent_id}.{self._project_id}"

    def form_fields(self) -> tuple[FormField, ...]:
        """The fields, with what is wrong with each."""
        return case_fields(self._draft, self._check)

    def set_value(self, name: str, value: str) -> None:
        """Puts a value into the draft; what goes with `right` or with nothing said is forgotten."""
        given = {name: value}
        began = self._draft.run_id.strip()
        if name == "decisions" and value != "wrong":
            given |= {"should_call": "", "must_not_call": ""}
        if name == "answer" and value != "wrong":
            given |= {"should_say": "", "why": ""}
        if name == "run_id" and value:
            given["input"] = ""
        self._draft = self._draft.model_copy(update=given)
        self.app.state.put(self._place, self._draft.model_dump(exclude_defaults=True) or None)
        if self._draft.run_id.strip() != began:
            # Where the case comes from is said at once, before the run is looked up.
            self._check = CaseCheck()
            self.show_pane(self._blocks_of(self._check))

    def clear_all(self) -> None:
        """Forgets the draft."""
        self._draft = CaseDraft(run_id=self._run_id or "")
        self.app.state.put(self._place, None)

    async def check(self) -> None:
        """Finds out what the draft would add."""
        draft = self._draft
        check = await self._checked_now(draft)
        if draft != self._draft:
            return
        self._check, self._checked = check, draft
        self.show_pane(self._blocks_of(check))
        self.show_fields()

    async def _checked_now(self, draft: CaseDraft) -> CaseCheck:
        whose = (self._agent_id, self._project_id)
        return await check_draft(self.workbench, draft, *whose, self._finding, self._equals)

    def _blocks_of(self, check: CaseCheck) -> list[Block | Run]:
        blocks: list[Block | Run] = []
        if check.refusal is not None:
            blocks += [Block(clean(f"✗ {check.refusal}", 2_000), "bad"), Block("")]
        if check.run is not None:
            asked = check.run.input if isinstance(check.run.input, str) else json_text(check.run.input, 600)
            blocks += [
                Block(one_line(f"From run {check.run.id}", 300), "head"),
                Block(clean(asked, 600), "", 2),
            ]
        elif self._draft.run_id.strip():
            # It isn't known, or not known yet: that is said beside it.
            blocks.append(Block(one_line(f"From run {self._draft.run_id}", 300), "head"))
        else:
            blocks += [Block("From nothing", "head"), Block(NO_RECORDING, "dim", 2)]
        if check.new is None:
            return blocks
        said = [clean(part, 600) for part in expectation_parts(check.new.expect)]
        said += [one_line(f"{item.key}: {item.verdict}", 200) for item in check.new.items]
        doubts = [Block(clean(f"! {sentence}", 600), "bad", 2) for sentence in check.doubts]
        return [*blocks, Block("It expects", "head"), *(Block(words, "", 2) for words in said), *doubts]

    def why_not(self, verb: str) -> str | None:
        """What refuses to be added."""
        if verb != "add":
            return super().why_not(verb)
        if self.busy:
            return self.busy_words
        # A draft that changed since is checked anew when it is added.
        return self._check.refusal if self.settled else None

    def do_add(self) -> None:
        """Adds it."""
        self.begin()
        self.work(self._add(), group="add", exclusive=True)

    async def _add(self) -> None:
        try:
            # What was typed last counts, whether it was checked yet or not.
            check = await self._checked_now(self._draft)
            if check.new is None or check.refusal is not None:
                self.say(check.refusal or "", "no")
                return
            made = await self.workbench.cases.add(check.new)
        finally:
            self.done()
        self.app.state.put(self._place, None)
        if self._added is not None:
            self._added(made)
        if self.is_current:
            self.app.go_back()
