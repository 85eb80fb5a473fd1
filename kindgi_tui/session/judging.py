"""Judging: yes and no on one item after another, reasons, skipping, and taking any of it back (DESIGN section 12).

What is said is stored in order, behind the keys; until it is, it stands as on its way. A write that fails brings back
what is stored.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Set
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from kindgi_tui.domain.items import Item
from kindgi_tui.domain.judgments import REASON_LIMIT, Verdict
from kindgi_tui.domain.projects import Person
from kindgi_tui.session.judging_dismissals import Dismissals
from kindgi_tui.session.judging_groups import SpeakingAs
from kindgi_tui.session.judging_pace import Pace, duration
from kindgi_tui.session.judging_queue import Said, Sheet
from kindgi_tui.session.judging_reasons import Reasons
from kindgi_tui.session.judging_seen import DWELL, Clock, SeenGuard
from kindgi_tui.session.judging_sitting import Sitting, open_feed
from kindgi_tui.session.judging_undo import Step, Steps, item_name, name_of
from kindgi_tui.session.judging_walk import Walk, What
from kindgi_tui.session.judging_writes import Write, Writes

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench


@dataclass(frozen=True)
class Told:
    """What a key came to."""

    sentence: str
    """In words; they may hold words from outside, not cleaned yet."""
    kind: Literal["told", "no"] = "told"
    """What happened, or why nothing did."""


@dataclass(frozen=True)
class Target:
    """The verdict that a reason would belong to."""

    sheet: Sheet
    """Its run."""
    item: Item
    """Its item."""
    said: Said
    """The verdict as it stands."""
    last: bool
    """Whether it is the one said last, and not the one under a cursor that was moved by hand."""


class JudgingSession:
    """One person judging. Faces call its methods, and show what `changed` and `failed` tell."""

    def __init__(
        self,
        workbench: "Workbench",
        person: Person,
        changed: Callable[[What], None],
        failed: Callable[[Exception], None],
        *,
        clock: Clock = time.monotonic,
        dwell: float = DWELL,
    ) -> None:
        """`clock` and `dwell` (seconds) are the seen guard's."""
        self._workbench = workbench
        self._changed = changed
        self._failed = failed
        self.seen = SeenGuard(clock, dwell)
        """What stood on the screen long enough."""
        self.pace = Pace(clock)
        """How fast it goes."""
        self.writes = Writes(self._write_failed, lambda _: self._changed("written"))
        """What is being stored."""
        self.walk = Walk(workbench, person.id, changed, failed, self._settled)
        """Where one stands."""
        self.speaking = SpeakingAs(person)
        """The group one speaks as."""
        self.reasons = Reasons()
        """Reasons used before."""
        self.sitting: Sitting | None = None
        """What is judged."""
        self.done = 0
        """How many items were judged in this sitting."""
        self._steps = Steps(workbench, self.writes)
        self.dismissals = Dismissals(workbench, self.walk, self._steps, person.id)
        """Taking runs off the queue."""
        self._last: tuple[str, str] | None = None
        self._dropped = 0

    async def start(self, sitting: Sitting) -> None:
        """Sits down to something else. What was said before can still be taken back. Raises the workbench's errors."""
        await self.writes.drain()
        feed, left = await open_feed(self._workbench, sitting)
        self.speaking.set(await self._workbench.groups.list(sitting.query.project_id))
        self.sitting, self.done, self._last = sitting, 0, None
        self.walk.start(feed, left, second_look=sitting.kind == "disputed")

    async def written(self, seconds: float) -> bool:
        """Waits until all that was said is on disk, for at most so long; whether it is."""
        if self.writes.pending:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self.writes.drain()
        return not self.writes.pending

    async def close(self) -> None:
        """Waits until everything said is stored, and ends the rest."""
        await self.walk.close()
        await self.writes.drain()

    async def _settled(self, run_id: str) -> None:
        if self.writes.about(run_id):
            await self.writes.drain()

    # What is said

    def say(self, verdict: Verdict, lag: float = 0.0) -> Told:
        """Judges the item under the cursor and moves on. `lag`: seconds since the key was pressed."""
        walk, sheet, item = self.walk, self.walk.sheet, self.walk.item
        if sheet is None or item is None:
            return Told("There is nothing to judge here.", "no")
        if not self.seen.seen((sheet.run.id, item.key), lag):
            return self._drop(item)
        self._dropped = 0
        same = self._stands(sheet, item, verdict)
        if same and not (walk.second_look and walk.is_open(sheet, item.key)):
            return Told(f"{item_name(item)} is {verdict} already.")
        self._judge(sheet, (item,), verdict)
        return self._progress(f"{item_name(item)}: {'still ' if same else ''}{verdict}")

    def _stands(self, sheet: Sheet, item: Item, verdict: Verdict) -> bool:
        """Whether saying it again would change nothing."""
        said = sheet.mine.get(item.key)
        return said is not None and (said.verdict, said.group_id) == (
            verdict,
            self.speaking.id_for(sheet.run),
        )

    def say_rest(self, verdict: Verdict, lag: float = 0.0) -> Told:
        """Judges the rest of the run, from its first open item on, up to the first that was not seen."""
        walk, sheet = self.walk, self.walk.sheet
        rest = [item for item in sheet.items if walk.is_open(sheet, item.key)] if sheet is not None else []
        if sheet is None or not rest:
            return Told("Nothing in this run is left to judge.", "no")
        taken: list[Item] = []
        for item in rest:
            if not self.seen.seen((sheet.run.id, item.key), lag):
                break
            taken.append(item)
        if not taken:
            return self._drop(rest[0])
        self._dropped = 0
        self._judge(sheet, tuple(taken), verdict, rest=True)
        count = f"{len(taken)} {'item' if len(taken) == 1 else 'items'}"
        if len(taken) < len(rest):
            return self._progress(
                f"{count}: {verdict}, up to {item_name(rest[len(taken)])}, which was not on screen yet"
            )
        return self._progress(f"{count}: {verdict}")

    def _drop(self, item: Item) -> Told:
        self._dropped += 1
        keys = "1 key" if self._dropped == 1 else f"{self._dropped} keys"
        return Told(
            f"Not counted ({keys}): {item_name(item)} was not on screen long enough to be read.", "no"
        )

    def _judge(self, sheet: Sheet, items: tuple[Item, ...], verdict: Verdict, rest: bool = False) -> None:
        opened, closed = self.walk.open_items(sheet), 0
        changes = []
        for item in items:
            # A skipped item was not counted as open any more.
            closed += item.key in sheet.passed
            sheet.passed.discard(item.key)
            sheet.confirmed.add(item.key)
            if not self._stands(sheet, item, verdict):
                said = Said(verdict, None, self.speaking.id_for(sheet.run))
                changes.append(self._steps.change(sheet, item, said))
        if changes:
            self._steps.add(Step(sheet.run.id, self.walk.cursor, tuple(changes)))
        self.walk.recount(sheet, opened)
        self.done += closed + opened - self.walk.open_items(sheet)
        self.pace.said(len(items))
        self._end(sheet, items, rest)

    def _end(self, sheet: Sheet, items: tuple[Item, ...], rest: bool = False) -> None:
        self._last = (sheet.run.id, items[-1].key) if items else self._last
        if rest:
            place = next((n for n, i in enumerate(sheet.items) if self.walk.is_open(sheet, i.key)), None)
            if place is not None:
                self.walk.stand(place)
                return
        self.walk.advance()

    def _progress(self, words: str) -> Told:
        left = self.walk.left
        parts = [words, f"{self.done:,} of {self.done + left:,}"]
        seconds = self.pace.seconds_left(left)
        if left == 0:
            parts[1] += ", none left"
        elif seconds is not None:
            parts.append(f"{duration(seconds)} left at this pace")
        return Told(" · ".join(parts))

    # Skipping and reasons

    def skip(self) -> Told:
        """Leaves the item under the cursor open; when nothing else in the run is, the run is skipped."""
        walk, sheet, item = self.walk, self.walk.sheet, self.walk.item
        if sheet is None or item is None:
            return Told("There is nothing to skip here.", "no")
        if not walk.is_open(sheet, item.key):
            walk.advance()
            return Told(f"{item_name(item)} is judged; on to the next.")
        opened, cursor = walk.open_items(sheet), walk.cursor
        sheet.passed.add(item.key)
        walk.recount(sheet, opened)
        write: Write | None = None
        if walk.open_items(sheet) == 0 and not walk.second_look:
            run_id = sheet.run.id
            write = self.writes.put(Write(run_id, lambda: self._workbench.queue.skip(run_id)))
            if walk.entry is not None:
                walk.entry.skipped = True
        self._steps.add(Step(sheet.run.id, cursor, (), (item.key,), write))
        self._last = None
        walk.advance()
        return self._progress(f"{item_name(item)}: skipped")

    @property
    def target(self) -> Target | None:
        """What a reason would belong to: the last verdict, or after a move by hand the one under the cursor."""
        if self._last is not None:
            run_id, key = self._last
            sheet = self.walk.sheets.ready(run_id)
        else:
            sheet = self.walk.sheet
            key = self.walk.item.key if self.walk.item is not None else ""
        if sheet is None or key not in sheet.mine:
            return None
        item = next((each for each in sheet.items if each.key == key), None)
        return None if item is None else Target(sheet, item, sheet.mine[key], self._last is not None)

    def give_reason(self, text: str, target: Target | None = None) -> Told:
        """Says why, of the target, and goes on where the cursor stands on it. An empty text takes the reason away."""
        target = target or self.target
        if target is None:
            return Told("There is no verdict to give a reason for: y or n first.", "no")
        reason = text.strip() or None
        if reason is not None and len(reason) > REASON_LIMIT:
            return Told(f"A reason has at most {REASON_LIMIT:,} characters; this has {len(reason):,}.", "no")
        name = item_name(target.item)
        here = self.walk.item is target.item
        if reason != target.said.reason:
            said = Said(target.said.verdict, reason, target.said.group_id)
            change = self._steps.change(target.sheet, target.item, said)
            self._steps.add(Step(target.sheet.run.id, self.walk.cursor, (change,)))
            if reason is not None:
                self.reasons.used(target.sheet.run.subject.id, reason)
        if here and not target.last:
            self.walk.advance()
        else:
            self._changed("item")
        told = (
            f"{name}: {target.said.verdict} — {reason}"
            if reason
            else f"{name}: {target.said.verdict}, no reason"
        )
        return Told(told)

    # Moving by hand

    def moved(self) -> None:
        """The cursor was moved by hand: reasons belong to what it stands on now."""
        self._last = None

    # Taking back

    @property
    def can_take_back(self) -> bool:
        """Whether anything said in this sitting, or the ones before it, still stands."""
        return self._steps.any()

    async def take_back(self) -> Told:
        """Takes the last step back, as a whole, and goes to where it was."""
        step = self._steps.last()
        if step is None:
            return Told("There is nothing to take back.", "no")
        entry = self.walk.bring(step.run_id)
        sheet = self.walk.sheets.ready(step.run_id)
        if sheet is None:
            await self._settled(step.run_id)
            sheet = await self.walk.sheets.load(entry)
        if step.dismissed:
            told = await self.dismissals.reopen(step.run_id)
            self.walk.jump(step.run_id, step.passed[0] if step.passed else None)
            return Told(f"Taken back: {told}")
        opened = self.walk.open_items(sheet)
        words = [
            self._steps.undo(sheet, change)
            for change in reversed(step.changes)
            if change.write.state != "failed"
        ]
        for key in step.passed:
            sheet.passed.discard(key)
            words.append(f"{name_of(sheet, key)} is no longer skipped")
        if step.skipped is not None:
            run_id = step.run_id
            self.writes.put(Write(run_id, lambda: self._workbench.queue.unskip(run_id), step.skipped))
            entry.skipped = False
        self.walk.recount(sheet, opened)
        if step.changes:
            self.done = max(0, self.done - max(0, self.walk.open_items(sheet) - opened))
        self._last = None
        keys = [change.key for change in step.changes] or list(step.passed)
        self.walk.jump(step.run_id, keys[0] if keys else None)
        return Told(f"Taken back: {words[0] if len(words) == 1 else f'{len(words)} verdicts'}.")

    def refused(self, run_ids: Set[str]) -> None:
        """Shows what is stored of runs of which a runtime refused what was said."""
        for run_id in run_ids:
            if self.walk.feed.find(run_id) is not None and self.walk.sheets.ready(run_id) is not None:
                self.walk.spawn(partial(self._restore, run_id))

    async def _write_failed(self, write: Write, error: Exception) -> None:
        self._failed(error)
        self.walk.spawn(partial(self._restore, write.run_id))

    async def _restore(self, run_id: str) -> None:
        """Shows what is stored of a run of which something could not be."""
        await self.writes.drain()
        place = self.walk.feed.find(run_id)
        if place is None:
            return
        old = self.walk.sheets.ready(run_id)
        opened, mine = (self.walk.open_items(old), len(old.mine)) if old is not None else (0, 0)
        sheet = await self.walk.sheets.again(self.walk.feed.entries[place])
        sheet.confirmed &= set(sheet.mine)
        if old is not None:
            self.walk.recount(sheet, opened)
            self.done = max(0, self.done + len(sheet.mine) - mine)
        if self.walk.entry is not None and self.walk.entry.run_id == run_id:
            self.walk.sheet = sheet
            self._changed("run")
