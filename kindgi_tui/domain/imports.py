"""Importing runs from files: what a person chooses, and the report of it."""

from datetime import UTC, datetime
from typing import Literal

from pydantic import Field

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.runs import Segment, Subject

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


class SubjectCount(Frozen):
    """How many runs of one version of an agent or a flow came in."""

    subject: Subject
    """What ran."""
    runs: int
    """Its runs in the files that came in or were known."""


class ImportReport(Frozen):
    """What an import did, or, dry, would do."""

    came_in: int
    """Runs that are new."""
    known: int
    """Runs that were there already, or twice in the files."""
    left_out: int
    """Records, parts of records and files that were left out."""
    problems: tuple[Problem, ...]
    """Where and why; the first 10,000."""
    judgments: int
    """People's judgments that rode along with the new runs."""
    corrections: int = 0
    """People's corrections that rode along with the new runs."""
    machine_scores: int
    """Programs' scores of the new runs, which count as no judgments."""
    subjects: tuple[SubjectCount, ...]
    """Which agents and flows, at which versions, most runs first."""
    formats: tuple[str, ...]
    """The formats the runs were in."""
    can_replay: bool
    """Whether a comparison can replay every one of these runs here."""
    replay: tuple[str, ...]
    """Whether these runs can be replayed here, and why not: one sentence each."""
