"""Compare: the candidate and how it is compared, a dry run of it, and what changed since the recorded version."""

import asyncio

from kindgi_tui.domain.catalog import CatalogVersion
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.session.definition_changes import DefinitionChanges, definition_changes
from kindgi_tui.session.fields import FormField
from kindgi_tui.session.launch_fields import compare_fields
from kindgi_tui.session.launching import (
    CompareCheck,
    CompareDraft,
    CompareFacts,
    check_compare,
    compare_facts,
    look_up,
    recorded_versions,
    subject_of,
    version_of,
)
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.compare.words import changes_blocks, plan_blocks
from kindgi_tui.tui.screens.form_screen import FormScreen
from kindgi_tui.tui.widgets.text_pane import Block, Run, TextPane

DRAFT = "compare.draft"
"""Where drafts are kept between starts, with the project's id after it."""

EMPTY = "No test sets yet. Build one first: g t, then b. It is made from judged runs."
"""What stands there before there is anything to compare on."""


class CompareScreen(FormScreen[CompareDraft]):
    """The form. With `test_set_id` it compares on that set, at `version` or its newest."""

    PLACE = "compare"
    HEADING = "Compare a new version"
    GIVEN = "started"
    WAITED_FOR = False
    BINDINGS = bindings_of("compare")

    def __init__(self, test_set_id: str | None = None, version: str | None = None) -> None:
        super().__init__()
        self._asked = (test_set_id, version)
        self._draft = CompareDraft()
        self._facts: CompareFacts | None = None
        self._check: CompareCheck | None = None
        self._against: str | None = None
        self._changes: DefinitionChanges | None = None
        self._told = False

    def on_mount(self) -> None:
        """Loads what the form needs to know."""
        self.focus_body()
        self.load(self._load)

    def on_screen_resume(self) -> None:
        """Sets and versions made elsewhere show when one comes back."""
        if self._facts is not None:
            self.work(self._again(), group="check", exclusive=True)

    async def _again(self) -> None:
        self._facts = await compare_facts(self.workbench, self.app.project.id)
        await self.check()

    async def _load(self) -> None:
        self._facts = await compare_facts(self.workbench, self.app.project.id)
        kept = self.app.state.get(self._place)
        if isinstance(kept, dict) and all(isinstance(value, str) for value in kept.values()):
            self._draft = CompareDraft.model_validate(kept)
        test_set_id, version = self._asked
        if test_set_id is not None:
            self._choose_set(test_set_id, version)
        self._facts = await look_up(self.workbench, self._draft, self._facts)
        self.show_fields()
        # The candidate is what one came to pick.
        self.form.go_to("subject_version")
        await self.check()

    @property
    def _place(self) -> str:
        return f"{DRAFT}.{self.app.project.id}"

    def _choose_set(self, test_set_id: str, version: str | None) -> None:
        """Compares on another set: what was picked for the one before goes."""
        newest = self._facts is not None and any(
            one.test_set_id == test_set_id and one.version == version for one in self._facts.sets
        )
        given = {"test_set_id": test_set_id, "test_set_version": "" if newest else version or ""}
        if self._draft.test_set_id != test_set_id:
            given |= {"subject": "", "subject_version": ""}
        self._draft = self._draft.model_copy(update=given)

    def form_fields(self) -> tuple[FormField, ...]:
        """The fields, with what is wrong with each."""
        if self._facts is None:
            return ()
        problems = {} if self._check is None else self._check.problems
        return compare_fields(self._draft, self._facts, problems)

    def set_value(self, name: str, value: str) -> None:
        """Puts a value into the draft; another set, or agent, brings its own versions."""
        if name == "test_set_id" and value != self._draft.test_set_id:
            self._choose_set(value, None)
        if self._told:
            # Another comparison is being made: the one before is no news any more.
            self._told = False
            self.say("")
        given = {name: value}
        if name == "subject" and value != self._draft.subject:
            given["subject_version"] = ""
        self._draft = self._draft.model_copy(update=given)
        self.app.state.put(self._place, self._draft.model_dump(exclude_defaults=True) or None)

    def clear_all(self) -> None:
        """Forgets the draft."""
        self._draft = CompareDraft()
        self.app.state.put(self._place, None)

    async def check(self) -> None:
        """Makes a dry run, and finds what changed since the recorded version."""
        if self._facts is None:
            return
        draft = self._draft
        check = await check_compare(self.workbench, draft, self._facts)
        self._facts = check.facts
        if draft != self._draft:
            return
        pair = self._pair()
        changes = None if pair is None else await asyncio.to_thread(definition_changes, *pair)
        if draft != self._draft:
            return
        # All at once: what counts as settled is what is shown.
        self._check, self._checked, self._changes = check, draft, changes
        self._show_pane()
        self.show_fields()

    def _published(self) -> tuple[CatalogVersion, ...]:
        if self._facts is None:
            return ()
        return self._facts.versions.get(subject_of(self._draft, self._facts), ())

    def _others(self) -> list[str]:
        """Versions to show changes against: those recorded first, then the other published ones."""
        if self._facts is None:
            return []
        candidate = version_of(self._draft, self._facts)
        published = [one.version for one in self._published()]
        recorded = [version for version, _ in recorded_versions(self._draft, self._facts)]
        ordered = [version for version in recorded if version in published] + published
        return [version for version in dict.fromkeys(ordered) if version != candidate or version in recorded]

    def _pair(self) -> tuple[CatalogVersion, CatalogVersion] | None:
        if self._facts is None:
            return None
        others = self._others()
        if self._against not in others:
            self._against = next(iter(others), None)
        by_version = {one.version: one for one in self._published()}
        before = by_version.get(self._against or "")
        after = by_version.get(version_of(self._draft, self._facts))
        return None if before is None or after is None else (before, after)

    def _show_pane(self) -> None:
        if self._facts is None or self._check is None:
            return
        if not self._facts.sets and not self._draft.test_set_id:
            self.show_pane([Block(EMPTY, "strong")])
            return
        blocks: list[Block | Run] = plan_blocks(self._check)
        recorded = dict(recorded_versions(self._draft, self._facts))
        if self._changes is not None:
            cases = recorded.get(self._changes.before, 0)
            cells = max(10, self.query_one(TextPane).scrollable_content_region.width - 1)
            blocks += [Block(""), *changes_blocks(self._changes, cases, cells)]
        elif recorded and self._published():
            told = ", ".join(recorded)
            blocks += [Block(""), Block(f"What changed can't be shown: {told} isn't published here.", "dim")]
        self.show_pane(blocks)

    def on_resize(self) -> None:
        """Wraps what changed to the new width."""
        self.call_after_refresh(self._show_pane)

    def why_not(self, verb: str) -> str | None:
        """What refuses to start, and what there is nothing to compare the definition with."""
        if verb == "against" and len(self._others()) < 2:
            return "There is no other published version to show changes against."
        if verb != "start":
            return super().why_not(verb)
        if self.busy:
            return self.busy_words
        if self._check is None:
            return "The dry run is being made."
        # A draft that changed since is checked anew when it starts.
        return self._check.refusal if self.settled else None

    def do_against(self) -> None:
        """Shows the changes against another version."""
        others = self._others()
        at = others.index(self._against) if self._against in others else -1
        self._against = others[(at + 1) % len(others)]
        self.check_soon()

    def do_start(self) -> None:
        """Starts it."""
        self.begin()
        self.say("Starting…")
        self.work(self._start(), group="start", exclusive=True)

    async def _start(self) -> None:
        try:
            if self._facts is None:
                return
            # What was typed last counts, whether it was checked yet or not.
            check = await check_compare(self.workbench, self._draft, self._facts)
            if check.refusal is not None or check.request is None:
                self.say(check.refusal or "", "no")
                return
            started = await self.workbench.comparisons.start(check.request)
        finally:
            self.done()
        self._started(started)

    def _started(self, comparison: Comparison) -> None:
        # How it goes is said on its own screen: what stands here is still true when one comes back.
        self.say(f"Comparison {comparison.id} was started; g c shows it wherever you are.")
        self._told = True
        if not self.is_current:
            return
        from kindgi_tui.tui.screens.comparison.screen import ComparisonScreen

        self.app.push_screen(ComparisonScreen(comparison.id))
