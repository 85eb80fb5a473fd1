"""The keys of Judge that say something: yes, no, skip, take back, and why."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from textual import on

from kindgi_tui.domain.judgments import Verdict
from kindgi_tui.session.judging import Target, Told
from kindgi_tui.session.judging_undo import item_name
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from kindgi_tui.session.judging import JudgingSession

DRAFTS = "judge.reason-drafts"
"""Where reasons that were begun are kept: by run id and item key, a newline between them."""

SLOW_SECONDS = 0.1
"""How long painting waits for the disk, in seconds; longer, and a verdict is shown as on its way."""

MOST_DRAFTS = 20
"""How many of them are kept."""


class VerdictKeys(WorkScreen):
    """What is said; mixed into the screen."""

    session: "JudgingSession"
    """What is being judged."""
    _reason_for: Target | None = None

    @property
    def lag(self) -> float:
        """Seconds since the key that is being handled was pressed."""
        pressed = self.app.pressed[1]
        return max(0.0, time.monotonic() - pressed) if pressed else 0.0

    def why_no_reason(self, verb: str) -> str | None:
        """What a reason lacks: a verdict, or a reason used before."""
        target, item = self.session.target, self.session.walk.item
        if target is None:
            named = item_name(item) if item is not None else "It"
            return f"{named} has no verdict yet: y or n first."
        if verb == "used" and not self.session.reasons.of(target.sheet.run.subject.id):
            return "No reason was used yet: r writes one."
        return None

    def _tell(self, told: Told) -> None:
        self.say(told.sentence, told.kind)
        self.changed()

    @contextlib.asynccontextmanager
    async def _on_disk_first(self) -> AsyncIterator[None]:
        """Holds painting until what is said within is on disk; what takes longer is shown as on its way."""
        with contextlib.ExitStack() as held:
            held.enter_context(self.app.batch_update())
            late = asyncio.get_running_loop().call_later(SLOW_SECONDS, held.close)
            try:
                yield
                await self.session.written(SLOW_SECONDS)
            finally:
                late.cancel()
        self.check_idle()

    async def _judge(self, verdict: Verdict, rest: bool = False) -> None:
        async with self._on_disk_first():
            self._tell((self.session.say_rest if rest else self.session.say)(verdict, self.lag))

    async def do_yes(self) -> None:
        """Yes."""
        await self._judge("yes")

    async def do_no(self) -> None:
        """No."""
        await self._judge("no")

    async def do_rest_yes(self) -> None:
        """Yes to the rest of the run."""
        await self._judge("yes", rest=True)

    async def do_rest_no(self) -> None:
        """No to the rest of the run."""
        await self._judge("no", rest=True)

    def do_skip(self) -> None:
        """Leaves the item open."""
        self._tell(self.session.skip())

    async def do_undo(self) -> None:
        """Takes the last step back."""
        async with self._on_disk_first():
            self._tell(await self.session.take_back())

    def do_reason(self) -> None:
        """Asks why, on the docked line."""
        target = self.session.target
        if target is None:
            return
        self._reason_for = target
        draft = self._draft(target) or target.said.reason or ""
        self.say(f"Why is {item_name(target.item)} {target.said.verdict}? Enter saves, Esc keeps a draft.")
        self.prompt.ask("reason", f"{item_name(target.item)}: {target.said.verdict}, because", draft)

    async def do_used(self) -> None:
        """Gives a reason that was used before."""
        target, key = self.session.target, self.app.pressed[0]
        if target is None:
            return
        reasons = self.session.reasons.of(target.sheet.run.subject.id)
        if not key.isdigit() or int(key) > len(reasons):
            self.say(f"Reasons used before have the numbers 1 to {len(reasons)}.", "no")
            return
        await self._give(reasons[int(key) - 1], target)

    async def _give(self, text: str, target: Target) -> None:
        async with self._on_disk_first():
            told = self.session.give_reason(text, target)
            self._tell(told)
        if told.kind == "told":
            # The draft of a reason goes once the reason is on disk.
            self._keep_draft(target, None)
            subject = target.sheet.run.subject.id
            self.app.state.put(f"judge.reasons.{subject}", list(self.session.reasons.of(subject)))

    def restore_reasons(self, subject_id: str) -> None:
        """The reasons that were used before, in an earlier start too."""
        kept = self.app.state.get(f"judge.reasons.{subject_id}")
        if not self.session.reasons.of(subject_id) and isinstance(kept, list):
            self.session.reasons.restore(subject_id, tuple(str(each) for each in kept))

    @on(Prompt.Answered)
    async def _reason_given(self, event: Prompt.Answered) -> None:
        if event.purpose == "reason" and self._reason_for is not None:
            await self._give(event.text, self._reason_for)

    @on(Prompt.Left)
    def _reason_left(self, event: Prompt.Left) -> None:
        if event.purpose == "reason" and self._reason_for is not None:
            target = self._reason_for
            self._keep_draft(target, event.draft)
            self.say(f"The reason of {item_name(target.item)} is kept as a draft: r goes on with it.")

    def _drafts(self) -> dict[str, str]:
        kept = self.app.state.get(DRAFTS)
        return {str(name): str(text) for name, text in kept.items()} if isinstance(kept, dict) else {}

    def _draft(self, target: Target) -> str | None:
        return self._drafts().get(f"{target.sheet.run.id}\n{target.item.key}")

    def _keep_draft(self, target: Target, text: str | None) -> None:
        drafts = self._drafts()
        name = f"{target.sheet.run.id}\n{target.item.key}"
        if drafts.pop(name, None) is None and text is None:
            return
        if text:
            drafts[name] = text
        self.app.state.put(DRAFTS, dict(list(drafts.items())[-MOST_DRAFTS:]) or None)
