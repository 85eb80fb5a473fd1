"""What reading a file of runs gives: runs with what rode along, and the records that were left out."""

from datetime import datetime

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.corrections import Expectation
from kindgi_tui.domain.imports import ImportOptions, Place, PositionUnit, Problem
from kindgi_tui.domain.judgments import ItemRef, Verdict
from kindgi_tui.domain.runs import RunDetail

__all__ = [
    "ImportOptions",
    "ImportedCorrection",
    "ImportedJudgment",
    "ImportedRun",
    "MachineScore",
    "Place",
    "PositionUnit",
    "Problem",
]


class ImportedJudgment(Frozen):
    """A person's verdict that came in with a run."""

    item: ItemRef
    """The judged item, with the pointer and rank derived from the output where the record had none."""
    verdict: Verdict
    """Yes or no."""
    reason: str | None = None
    """Why, in the judge's words; at most 4,000 characters."""
    judge: str
    """Who said it: an alias such as `judge-3f2a9c1e`, unless names were asked for."""
    participant: str | None = None
    """The app's own user on whose behalf it was said, by an opaque id."""
    created_at: datetime | None = None
    """When it was said (UTC), where known."""


class ImportedCorrection(Frozen):
    """A person's correction that came in with a run."""

    expect: Expectation
    """What the run should have done."""
    judge: str
    """Who said it: an alias, unless names were asked for."""
    participant: str | None = None
    """The app's own user on whose behalf it was said, by an opaque id."""
    created_at: datetime | None = None
    """When it was said (UTC), where known."""


class MachineScore(Frozen):
    """What a program said of a run: a reward, a scorer's value. Shown, and never a judgment."""

    name: str
    """What was scored, such as `reward`."""
    value: float | bool | str | None = None
    """The number, truth value or label; None when the source has no value."""
    explanation: str | None = None
    """Why, in the scorer's words."""


class ImportedRun(Frozen):
    """One run read from a file."""

    detail: RunDetail
    """The run, with its record as it stood in the file in `raw`."""
    judgments: tuple[ImportedJudgment, ...] = ()
    """People's verdicts that rode along."""
    corrections: tuple[ImportedCorrection, ...] = ()
    """People's corrections that rode along."""
    machine_scores: tuple[MachineScore, ...] = ()
    """Programs' verdicts, kept apart."""
    place: Place
    """Where it stands."""

    @property
    def file(self) -> str:
        """The file it stands in."""
        return self.place.file

    @property
    def position(self) -> int | None:
        """The line or record, from 1."""
        return self.place.position
