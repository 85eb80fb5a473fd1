"""The keys of Judge that are about what to judge by: the guideline, writing it, and which items are judged."""

from typing import TYPE_CHECKING

from textual import on
from textual.app import SuspendNotSupported

from kindgi_tui.domain.judging import OWED
from kindgi_tui.domain.runs import Subject
from kindgi_tui.text import clean
from kindgi_tui.tui.editor import TextBox, edit_away, editor_command
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.workbench import Unsupported

if TYPE_CHECKING:
    from kindgi_tui.session.judging import JudgingSession
    from kindgi_tui.tui.screens.judge.panes import JudgePanes

TEMPLATE = "# What to judge by\n\nSay yes when …\n\nSay no when …\n"
"""What a new guideline begins with."""

_OWED_WORDS = {
    "elements": "the elements of its lists, else its answer",
    "answer": "its answer alone",
    "all": "its answer and every element of its lists",
}


class GuidelineKeys(WorkScreen):
    """What to judge by; mixed into the screen."""

    session: "JudgingSession"
    """What is being judged."""
    panes: "JudgePanes"
    """What stands where."""

    def why_not_guideline(self, verb: str) -> str | None:
        """What needs a run in view, and the right of an editor."""
        if verb in ("guideline", "edit-guideline") and self.session.walk.sheet is None:
            return "There is no run in view to judge by one."
        if verb in ("edit-guideline", "owed") and self.app.person.right == "judge":
            return "Changing what is judged, and by what, takes the right of an editor."
        return None

    def look_for_guideline(self, project_id: str, subject: Subject) -> None:
        """Loads the guideline of the agent in view, once."""
        if not self.panes.knows_guideline(subject.id):
            self.work(self._load_guideline(project_id, subject), group="guideline")

    async def _load_guideline(self, project_id: str, subject: Subject) -> None:
        try:
            found = await self.workbench.guidelines.get(project_id, subject.kind, subject.id)
        except Unsupported:
            found = None
        self.panes.know_guideline(subject.id, found)

    @property
    def _wanted(self) -> bool:
        """Whether the guideline is shown: as it was left, else where there is room beside."""
        kept = self.app.state.get("judge.guideline")
        return kept if isinstance(kept, bool) else self.has_class("-wide")

    @property
    def _has_side(self) -> bool:
        return self.has_class("-medium") or self.has_class("-wide")

    def show_guideline_where_it_fits(self) -> None:
        """Beside the conversation; on a narrow screen only in its place, when asked for."""
        self.set_class(self._wanted and self._has_side, "-side")
        if self._has_side and self.panes.guideline_in_text:
            self.panes.guideline_in_text = False
            self.panes.show_text()

    def do_guideline(self) -> None:
        """Shows or hides it."""
        if self._has_side:
            self.app.state.put("judge.guideline", not self._wanted)
            self.show_guideline_where_it_fits()
            self.call_after_refresh(self.panes.show_side)
        else:
            self.panes.guideline_in_text = not self.panes.guideline_in_text
            self.panes.show_text()

    async def do_edit_guideline(self) -> None:
        """Writes a new version."""
        sheet = self.session.walk.sheet
        if sheet is None:
            return
        run = sheet.run
        found = self.panes.guideline(run.subject.id)
        draft = self.app.state.get(f"judge.guideline-draft.{run.subject.id}")
        text = draft if isinstance(draft, str) else found.text if found is not None else TEMPLATE
        command = editor_command()
        if command is not None:
            try:
                written = edit_away(self.app, command, text, "guideline-")
            except SuspendNotSupported:
                pass
            except (OSError, ValueError) as cause:
                self.say(f"The editor gave nothing back ({cause}). $EDITOR names it.", "error")
                return
            else:
                await self._save(run.project_id, run.subject, written, text)
                return
        self._edit_here(text)

    def _edit_here(self, text: str) -> None:
        if clean(text) != text:
            self.say("This guideline holds control characters: set $EDITOR to edit it.", "no")
            return
        box = TextBox(text, show_line_numbers=False)
        box.cursor_blink = False
        self.panes.text.display = False
        self.query_one("#judge-centre").mount(box, before=0)
        box.focus()
        self.say("^S saves a new version, Esc leaves it as a draft.")

    @on(TextBox.Ended)
    async def _ended(self, event: TextBox.Ended) -> None:
        await self.query(TextBox).remove()
        self.panes.text.display = True
        self.focus_body()
        sheet = self.session.walk.sheet
        if sheet is None:
            return
        name = f"judge.guideline-draft.{sheet.run.subject.id}"
        if event.save:
            await self._save(sheet.run.project_id, sheet.run.subject, event.text, "")
            self.app.state.put(name, None)
        else:
            self.app.state.put(name, event.text)
            self.say("The guideline is kept as a draft: W goes on with it.")

    async def _save(self, project_id: str, subject: Subject, text: str, before: str) -> None:
        if text == before or not text.strip():
            self.say("The guideline is as it was.")
            return
        try:
            saved = await self.workbench.guidelines.save(project_id, subject.kind, subject.id, text)
        except Exception as cause:  # noqa: BLE001 - shown as a sentence; what was written stays as a draft
            self.app.state.put(f"judge.guideline-draft.{subject.id}", text)
            self.show_error(cause)
            return
        self.app.state.put(f"judge.guideline-draft.{subject.id}", None)
        self.panes.know_guideline(subject.id, saved)
        self.say(f"Guideline of {subject.id}: version {saved.version} is saved.")

    async def do_owed(self) -> None:
        """Goes on to the next choice of what is judged of this agent's runs."""
        sheet, sitting = self.session.walk.sheet, self.session.sitting
        if sheet is None or sitting is None:
            return
        run = sheet.run
        now = await self.workbench.guidelines.owed(run.project_id, run.subject.kind, run.subject.id)
        chosen = OWED[(OWED.index(now) + 1) % len(OWED)]
        await self.session.writes.drain()
        await self.workbench.guidelines.set_owed(run.project_id, run.subject.kind, run.subject.id, chosen)
        await self.session.start(sitting)
        self.say(f"Judged of {run.subject.id}: {_OWED_WORDS[chosen]}.")
