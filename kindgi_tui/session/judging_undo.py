"""What was said in this sitting, step by step, so that any of it can be taken back (DESIGN section 12)."""

from dataclasses import dataclass, field

from kindgi_tui.domain.judgments import Verdict
from kindgi_tui.session.judging_writes import Write


@dataclass(frozen=True)
class Said:
    """A verdict of mine, as it stands."""

    verdict: Verdict
    """Yes or no."""
    reason: str | None = None
    """Why."""
    group_id: str | None = None
    """The group it was said as; None: no group."""


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

    @property
    def stands(self) -> bool:
        """Whether anything of it is there to take back."""
        return bool(self.passed) or any(change.write.state != "failed" for change in self.changes)


@dataclass
class Steps:
    """The steps of a sitting; the last one is taken back first, and there is no end to it."""

    done: list[Step] = field(default_factory=list)
    """The steps, oldest first."""

    def add(self, step: Step) -> None:
        """Adds the newest step."""
        self.done.append(step)

    def last(self) -> Step | None:
        """Takes the newest step that stands off the list; None when there is none."""
        while self.done:
            step = self.done.pop()
            if step.stands:
                return step
        return None

    def any(self) -> bool:
        """Whether there is something to take back."""
        return any(step.stands for step in reversed(self.done))
