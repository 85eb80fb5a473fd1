"""Correcting one run: what stands there, saving it, taking it back step by step, keeping it as a draft."""

from typing import TYPE_CHECKING, NamedTuple

from kindgi_tui.domain.corrections import (
    Correction,
    CorrectionFilter,
    Expectation,
    ExpectedCall,
    NewCorrection,
)
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.judgments import Group
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.runs import RecordedCall, RunDetail, recorded_calls
from kindgi_tui.session.correcting_draft import (
    CallRow,
    Draft,
    draft_from,
    draft_of,
    expectation_of,
    why_not_saved,
)
from kindgi_tui.session.correction_drafts import CorrectionDrafts, Keeps, kept, restored
from kindgi_tui.session.expected_tools import unfit, unknown
from kindgi_tui.session.judging_groups import SpeakingAs
from kindgi_tui.session.tool_choices import KnownTools, ToolChoice, tools_known_of

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

FINAL = ("completed", "failed", "cancelled")
"""The statuses of a run that can be corrected."""


TEXT_NAMES = {"should_say": "what it should say", "why": "why it is wrong"}
"""How sentences call the two texts."""


class Step(NamedTuple):
    """Something that was done, to be taken back."""

    words: str
    """What it was, in words."""
    before: Draft | None
    """What stood there before it; None: it was saved then."""


async def live_correction(workbench: "Workbench", run_id: str, me: str) -> Correction | None:
    """My live correction of a run, said for nobody else; None: there is none. Raises NotFound."""
    page = await workbench.corrections.list(CorrectionFilter(run_id=run_id, asserter=me), limit=100)
    return next((one for one in page.data if one.participant is None), None)


class Correcting:
    """A run, and its correction by me."""

    def __init__(
        self, workbench: "Workbench", person: Person, keeps: Keeps, run_id: str, group: str | None = None
    ) -> None:
        """`keeps` is where the draft is kept, `group` the id of the group one speaks as where it covers the run."""
        self._workbench = workbench
        self._me = person.id
        self._drafts = CorrectionDrafts(keeps)
        self._steps: list[Step] = []
        self._base = Draft()
        self.run_id = run_id
        """The run."""
        self.run: RunDetail | None = None
        """The same, once it is loaded."""
        self.recorded: tuple[RecordedCall, ...] = ()
        """Its tool calls."""
        self._known = KnownTools()
        self.live: Correction | None = None
        """My live correction of it; None: there is none."""
        self.others: tuple[Correction, ...] = ()
        """Everybody else's live ones, newest first, at most 100; they are shown once mine is saved."""
        self.draft = Draft()
        """What stands there now."""
        self.typed: dict[str, str] = {}
        """Texts that were begun and not given, by their place."""
        self.busy = False
        """Whether something is being saved or taken back."""
        self.speaking = SpeakingAs(person)
        """Which group one speaks as."""
        self.speaking.chosen = group

    async def load(self) -> str | None:
        """Reads the run, its tools, my correction and my draft of it; says what was found. Raises NotFound."""
        workbench = self._workbench
        run = await workbench.runs.get(self.run_id)
        self.recorded = recorded_calls(run.output) if run.subject.kind == "agent" else ()
        self.live = await live_correction(workbench, self.run_id, self._me)
        said = await workbench.corrections.list(CorrectionFilter(run_id=self.run_id), limit=100)
        self.others = tuple(
            one for one in said.data if one.asserter != self._me or one.participant is not None
        )
        self._known = await tools_known_of(workbench, run, self.recorded)
        self.speaking.set(await workbench.groups.list(run.project_id))
        if self.live is not None:
            self._speak_as(self.live.group_id, run)
        self.draft = self._base = self._said()
        self.run = run
        return self._restore()

    def _said(self) -> Draft:
        """What my live correction says, or nothing yet."""
        if self.live is None:
            return draft_of(self.recorded)
        return draft_from(self.live.expect, self.recorded)

    def _speak_as(self, group_id: str | None, run: RunDetail) -> None:
        """Goes on as the group it was said as, where one still may."""
        if group_id is None or any(group.id == group_id for group in self.speaking.covering(run)):
            self.speaking.chosen = group_id

    def _restore(self) -> str | None:
        entry = self._drafts.get(self.run_id)
        draft = restored(entry[0], self.recorded) if entry is not None else None
        if draft is not None and entry is not None:
            self.draft, self.typed = draft, entry[1]
        if not self.unsaved and not self.typed:
            if self.live is None:
                return None
            return "This is how you corrected it: change it, s saves, u takes it back."
        begun = self._begun()
        if begun is not None:
            return f"Your draft stands here, begun and not given: {begun}. e goes on with it, x drops it."
        return "Your draft of this correction stands here: s saves it, R starts anew."

    @property
    def group(self) -> Group | None:
        """The group one speaks as."""
        return None if self.run is None else self.speaking.group_for(self.run)

    @property
    def answered(self) -> bool:
        """Whether the run gave an answer."""
        run = self.run
        items = () if run is None else output_items(run.output, run.subject.kind == "agent")
        return any(item.key in ("answer", "output") for item in items)

    def why_not_marked(self, part: str) -> str | None:
        """Why a part, `decisions` or `answer`, can't be marked at all; None when it can."""
        run = self.run
        if run is None:
            return "The run is being loaded."
        if run.status not in FINAL:
            return f"The run is {run.status}: only one that has ended can be corrected."
        if part == "decisions" and run.subject.kind != "agent":
            return "Only an agent decides which tools it calls, and this is a flow: correct its answer."
        if part == "answer" and run.output is None:
            return f"The run ({run.status}) has no output, so there is no answer to correct."
        return None

    @property
    def unsaved(self) -> bool:
        """Whether what is said differs from what is saved."""
        return self.draft != self._base and expectation_of(self.draft) != expectation_of(self._base)

    @property
    def drafted(self) -> bool:
        """Whether there is a draft to keep: something that is said, stands ready or was begun, and isn't saved."""
        return self.draft != self._base or bool(self.typed)

    @property
    def tools(self) -> tuple[ToolChoice, ...]:
        """The tools that can be picked."""
        return self._known.choices

    def tool(self, tool_id: str) -> ToolChoice | None:
        """What is known of a tool."""
        return self._known.find(tool_id)

    def doubt(self, row: CallRow) -> str | None:
        """What is doubtful of a call as it stands, a sentence: nobody knows the tool, or it takes other arguments."""
        if row.stance == "free":
            return None
        told = unknown(row.tool_id, self._known)
        if told is not None or row.stance == "never" or not isinstance(row.arguments, dict):
            return told
        return unfit(ExpectedCall(tool_id=row.tool_id, arguments=row.arguments), self._known)

    # Changing

    def change(self, draft: Draft, words: str) -> bool:
        """Something else stands there; it is kept at once. Gives whether it differs."""
        if draft == self.draft:
            return False
        self._steps.append(Step(words, self.draft))
        self._take(draft)
        return True

    def _take(self, draft: Draft) -> None:
        if len(draft.calls) != len(self.draft.calls):
            # Their places have moved.
            self.typed = {place: text for place, text in self.typed.items() if not place.startswith("call:")}
        self.draft = draft
        self._keep()

    def type(self, place: str, text: str | None) -> None:
        """Keeps a text that is being typed; None: it was given."""
        if text is None:
            self.typed.pop(place, None)
        else:
            self.typed[place] = text
        self._keep()

    def _keep(self) -> None:
        if self.drafted:
            self._drafts.put(self.run_id, kept(self.draft, self.recorded), self.typed)
        else:
            self._drafts.drop(self.run_id)

    def start_anew(self) -> bool:
        """What is saved stands there again, or what the run did. Gives whether that differs."""
        self.typed = {}
        changed = self.change(self._base, "starting anew")
        self._keep()
        return changed

    # Saving

    def why_not_saved(self) -> str | None:
        """Why it can't be saved, a sentence; None when it can."""
        run = self.run
        if run is None:
            return "The run is being loaded."
        if run.status not in FINAL:
            return f"The run is {run.status}: only one that has ended can be corrected."
        begun = self._begun()
        if begun is not None:
            return f"Begun and not given: {begun}. e goes on with it, x drops it."
        if self.live is not None and not self.unsaved and self.live.group_id == self.speaking.id_for(run):
            return "It is saved just like that."
        return why_not_saved(self.draft, self.recorded, self.answered)

    def _begun(self) -> str | None:
        """A text that was begun in a part that is wrong, so that it would count; None: there is none."""
        for place in self.typed:
            if place in TEXT_NAMES and self.draft.answer == "wrong":
                return TEXT_NAMES[place]
            if place not in TEXT_NAMES and self.draft.decisions == "wrong":
                return "the arguments of a call"
        return None

    async def save(self) -> str:
        """Saves what stands there; says what was saved. Raises what saving raises, and the draft stays."""
        run, draft = self.run, self.draft
        assert run is not None
        expect, group = expectation_of(draft), self.group
        self.busy = True
        before = self.live
        try:
            self.live = await self._workbench.corrections.add(
                NewCorrection(run_id=self.run_id, expect=expect, group=None if group is None else group.id)
            )
        finally:
            self.busy = False
        self._base = draft
        self.typed = {}
        if before is None or before.id != self.live.id:
            self._steps.append(Step("the correction", None))
        self._keep()
        return f"Saved{'' if group is None else f' as {group.name}'}: {said_words(expect)}. u takes it back."

    # Taking back

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return bool(self._steps) or self.live is not None

    async def undo(self) -> str:
        """Takes the last change back, or the saved correction; says which. Raises what that raises."""
        if self._steps and self._steps[-1].before is not None:
            step = self._steps.pop()
            assert step.before is not None
            self._take(step.before)
            return f"Taken back: {step.words}."
        if self.live is None:
            return "There is nothing to take back."
        from kindgi_tui.workbench import NotFound

        self.busy = True
        try:
            self.live = await self._workbench.corrections.take_back(self.run_id)
        except NotFound:
            # It was removed elsewhere meanwhile.
            self.live = None
        finally:
            self.busy = False
        if self._steps:
            self._steps.pop()
        self._base = self._said()
        self._keep()
        if self.live is not None:
            return "Taken back: what you had saved before holds again; this is a draft, s saves it."
        return "Taken back: it stands here as a draft, s saves it again."


def said_words(expect: Expectation) -> str:
    """What a correction says, in a few words."""
    parts = []
    if expect.decisions is not None:
        counts = []
        if expect.should_call:
            counts.append(f"{len(expect.should_call)} to call")
        if expect.must_not_call:
            counts.append(f"{len(expect.must_not_call)} never")
        parts.append(f"decisions {expect.decisions}" + (f" ({', '.join(counts)})" if counts else ""))
    if expect.answer is not None:
        parts.append(f"answer {expect.answer}")
    return ", ".join(parts)
