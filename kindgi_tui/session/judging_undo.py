"""What was said in this sitting, step by step, so that any of it can be taken back (DESIGN section 12)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kindgi_tui.domain.items import Item
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.session.judging_queue import Said, Sheet
from kindgi_tui.session.judging_writes import Write, Writes

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench


@dataclass(frozen=True)
class Change:
    """One item's verdict before and after a step."""

    key: str
    """The item."""
    before: Said | None
    """What stood there; None: nothing."""
    after: Said
    """What stands there since."""
    write: Write
    """The write of it; its state says whether it came to that."""


@dataclass(frozen=True)
class Step:
    """What one key did in one run."""

    run_id: str
    """The run."""
    cursor: int
    """The item the cursor stood on."""
    changes: tuple[Change, ...] = ()
    """The verdicts it changed."""
    passed: tuple[str, ...] = ()
    """The items it skipped."""
    skipped: Write | None = None
    """The write that skipped the run; None: it did not."""
    dismissed: bool = False
    """Whether it took the run off everybody's queue."""

    @property
    def stands(self) -> bool:
        """Whether anything of it is there to take back."""
        return (
            self.dismissed
            or bool(self.passed)
            or any(change.write.state != "failed" for change in self.changes)
        )


def item_name(item: Item) -> str:
    """How sentences call an item: by its own key, else by its place."""
    return item.key if item.own_key or item.rank is None else f"item {int(item.rank) + 1}"


def name_of(sheet: Sheet, key: str) -> str:
    """How sentences call the item of that key."""
    return next((item_name(item) for item in sheet.items if item.key == key), key)


class Steps:
    """The steps of a sitting; the last one is taken back first, and there is no end to it."""

    def __init__(self, workbench: "Workbench", writes: Writes) -> None:
        self._workbench = workbench
        self._writes = writes
        self._done: list[Step] = []

    def add(self, step: Step) -> None:
        """Adds the newest step."""
        self._done.append(step)

    def last(self) -> Step | None:
        """Takes the newest step that stands off the list; None when there is none."""
        while self._done:
            step = self._done.pop()
            if step.stands:
                return step
        return None

    def forget_dismissal(self, run_id: str) -> None:
        """Forgets that the run was dismissed: it was put back by hand."""
        self._done = [step for step in self._done if not (step.dismissed and step.run_id == run_id)]

    def any(self) -> bool:
        """Whether there is something to take back."""
        return any(step.stands for step in reversed(self._done))

    def change(self, sheet: Sheet, item: Item, said: Said) -> Change:
        """Says it of an item: on the sheet at once, and in the store behind it."""
        new = NewJudgment(
            run_id=sheet.run.id,
            item=ItemRef(
                key=item.key, pointer=item.pointer, rank=None if item.rank is None else int(item.rank)
            ),
            verdict=said.verdict,
            reason=said.reason,
            group=said.group_id,
        )
        before = sheet.mine.get(item.key)
        sheet.mine[item.key] = said
        write = self._writes.put(Write(sheet.run.id, lambda: self._workbench.judgments.add(new)))
        sheet.writes[item.key] = write
        return Change(item.key, before, said, write)

    def undo(self, sheet: Sheet, change: Change) -> str:
        """Takes a change back, likewise; what it came to, in words."""
        if change.before is None:
            sheet.mine.pop(change.key, None)
        else:
            sheet.mine[change.key] = change.before
        sheet.confirmed.discard(change.key)
        run_id, key = sheet.run.id, change.key
        sheet.writes[key] = self._writes.put(
            Write(run_id, lambda: self._workbench.judgments.take_back(run_id, key), change.write)
        )
        name = name_of(sheet, key)
        if change.before is None:
            return f"{name} is not judged"
        if change.before.verdict != change.after.verdict:
            return f"{name} is {change.before.verdict} again"
        return f"the reason of {name}"
