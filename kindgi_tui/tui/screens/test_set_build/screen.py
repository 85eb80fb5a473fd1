"""Building a version of a test set: the form, and what it would take, leave out, and why it would be refused."""

from kindgi_tui.domain.base import Json
from kindgi_tui.session.build_fields import build_fields
from kindgi_tui.session.building import (
    BuildCheck,
    BuildDraft,
    BuildFacts,
    build_facts,
    check_build,
    draft_of,
    subject_of,
)
from kindgi_tui.session.fields import FormField
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.form_screen import FormScreen
from kindgi_tui.tui.screens.test_set_build.words import check_blocks

DRAFTS = "test_set_build.drafts"
"""Where drafts are kept between starts, with the project's id after it: one a set, and one for a new set."""

KEPT = 20
"""The most drafts that are kept."""

BUILT = "test_sets.built"
"""Under which option the list finds what was built: its id, version and project."""


class BuildScreen(FormScreen[BuildDraft]):
    """The form. With `of` it starts as that set's newest version was built, unless a draft of it was kept."""

    PLACE = "test_set_build"
    HEADING = "Build a test set"
    GIVEN = "built"
    BINDINGS = bindings_of("test_set_build")

    def __init__(self, of: str | None = None) -> None:
        super().__init__()
        self._of = of
        self._draft = BuildDraft()
        self._facts: BuildFacts | None = None
        self._check: BuildCheck | None = None

    def on_mount(self) -> None:
        """Loads what the form needs to know."""
        self.focus_body()
        self.load(self._load)

    def on_screen_resume(self) -> None:
        """What was judged or built elsewhere counts when one comes back."""
        if self._facts is not None:
            self.work(self._again(), group="check", exclusive=True)

    async def _again(self) -> None:
        self._facts = await build_facts(self.workbench, self.app.project.id)
        await self.check()

    async def _load(self) -> None:
        self._facts = facts = await build_facts(self.workbench, self.app.project.id)
        kept = self._drafts().get(self._of or "")
        if isinstance(kept, dict) and all(isinstance(value, str) for value in kept.values()):
            self._draft = BuildDraft.model_validate(kept)
        else:
            self._draft = self._first_draft(facts)
        self.show_fields()
        await self.check()

    @property
    def _place(self) -> str:
        return f"{DRAFTS}.{self.app.project.id}"

    def _drafts(self) -> dict[str, Json]:
        kept = self.app.state.get(self._place)
        return dict(kept) if isinstance(kept, dict) else {}

    def _keep(self, draft: BuildDraft | None) -> None:
        drafts = self._drafts()
        drafts.pop(self._of or "", None)
        if draft is not None:
            drafts[self._of or ""] = draft.model_dump(exclude_defaults=True)
        self.app.state.put(self._place, dict(list(drafts.items())[-KEPT:]) or None)

    def _first_draft(self, facts: BuildFacts) -> BuildDraft:
        newest = next((one for one in facts.sets if one.test_set_id == self._of), None)
        return BuildDraft() if newest is None else draft_of(newest, facts)

    def form_fields(self) -> tuple[FormField, ...]:
        """The fields, with what is wrong with each."""
        if self._facts is None:
            return ()
        problems = {} if self._check is None else self._check.problems
        return build_fields(self._draft, self._facts, problems)

    def set_value(self, name: str, value: str) -> None:
        """Puts a value into the draft."""
        self._draft = self._draft.model_copy(update={name: value})
        self._keep(self._draft)

    def clear_all(self) -> None:
        """Forgets the draft."""
        self._draft = BuildDraft() if self._facts is None else self._first_draft(self._facts)
        self._keep(None)

    async def check(self) -> None:
        """Counts what the draft would take."""
        if self._facts is None:
            return
        draft = self._draft
        check = await check_build(self.workbench, draft, self._facts)
        self._facts = check.facts
        if draft != self._draft:
            return
        self._check, self._checked = check, draft
        _, named = subject_of(draft, check.facts)
        self.show_pane(check_blocks(check, named))
        self.show_fields()

    def why_not(self, verb: str) -> str | None:
        """What refuses to be built."""
        if verb != "build":
            return super().why_not(verb)
        if self.busy:
            return self.busy_words
        if self._check is None:
            return "What it would take is being counted."
        # A draft that changed since is checked anew when it is built.
        return self._check.refusal if self.settled else None

    def do_build(self) -> None:
        """Builds it."""
        self.begin()
        self.say("Building…")
        self.work(self._build(), group="build", exclusive=True)

    async def _build(self) -> None:
        try:
            if self._facts is None:
                return
            # What was typed last counts, whether it was checked yet or not.
            check = await check_build(self.workbench, self._draft, self._facts)
            if check.refusal is not None or check.request is None:
                self.say(check.refusal or "", "no")
                return
            made = await self.workbench.test_sets.build(check.request)
        finally:
            self.done()
        self._keep(None)
        self.app.options[BUILT] = (made.test_set_id, made.version, made.project_id)
        if self.is_current:
            self.app.go_back()
        else:
            self.say(f"Built {made.test_set_id} {made.version}.")
