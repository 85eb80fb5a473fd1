"""What reading a file of runs gives: runs with what rode along, and the records that were left out."""

from datetime import UTC, datetime
from typing import Literal

from pydantic import Field

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.judgments import ItemRef, Verdict
from kindgi_tui.domain.runs import RunDetail, Segment

PositionUnit = Literal["line", "record"]
"""What a position counts: lines of JSONL, or records of a JSON array or of values set side by side."""


class Place(Frozen):
    """Where in a file something stands."""

    file: str
    """The file's path as it was given or found; printable, never with lone surrogates."""
    position: int | None = None
    """The line or record, from 1; None for the file as a whole."""
    unit: PositionUnit = "line"
    """What `position` counts."""

    def __str__(self) -> str:
        """The place as a report writes it, such as `runs.jsonl, line 4`."""
        return self.file if self.position is None else f"{self.file}, {self.unit} {self.position}"


class Problem(Frozen):
    """A record, a part of one, or a whole file that was left out."""

    place: Place
    """Where it stands; without a position when the whole file was left out."""
    reason: str
    """Why, as one sentence."""

    @property
    def file(self) -> str:
        """The file it stands in."""
        return self.place.file

    @property
    def position(self) -> int | None:
        """The line or record, from 1; None for the file as a whole."""
        return self.place.position


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


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


class ImportOptions(Frozen):
    """What a person chose for an import. No choice here changes a run's id."""

    project_id: str
    """The project the runs go to."""
    agent: str | None = None
    """The agent every agent run is ascribed to; None: what the record says, else the file's name."""
    agent_version: str | None = None
    """The version every agent run is ascribed to; None: what the record says, else `unknown`."""
    segments: tuple[Segment, ...] = ()
    """The path every run is put in; empty: what the record says."""
    format: str | None = None
    """The name of the format to read every file as; None: told by content."""
    keep_judges: bool = False
    """Keep judges' names as the records have them, in place of an alias."""
    preferences: bool = False
    """Take preference pairs as judgments: yes to the preferred answer, no to the other."""
    imported_at: datetime = Field(default_factory=_now)
    """The start of runs whose record has no time (UTC); each gets its position in microseconds on top,
    so that the order of the file holds."""
