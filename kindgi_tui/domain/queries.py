"""What a list is asked for: the filters of every list on the workbench (DESIGN sections 3 and 12)."""

from datetime import datetime
from typing import Literal

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.judgments import ItemRef, Verdict
from kindgi_tui.domain.runs import RunStatus, Segment, SubjectKind

Replays = Literal["exclude", "include", "only"]
"""Whether a list of runs has replays."""


class RunFilter(Frozen):
    """Which runs a list holds; every part given must hold."""

    project_id: str | None = None
    """Of this project."""
    subject_kind: SubjectKind | None = None
    """Agents' turns, or flows' runs."""
    subject_id: str | None = None
    """Of this agent or flow."""
    subject_version: str | None = None
    """Of this version; needs `subject_id`."""
    statuses: tuple[RunStatus, ...] = ()
    """With one of these statuses; empty: any."""
    judged: bool | None = None
    """With at least one live judgment, or with none."""
    segments: tuple[Segment, ...] = ()
    """Started in this path or below it."""
    created_since: datetime | None = None
    """Started at this time or later."""
    created_until: datetime | None = None
    """Started before this time."""
    text: str | None = None
    """Holding these words, or this substring of three and more characters, in input or output."""
    replays: Replays = "exclude"
    """Whether replays are left out; naming a comparison includes them."""
    comparison_id: str | None = None
    """Replays of this comparison."""
    source: str | None = None
    """Recorded here (`recorded`), or imported from this format."""


class JudgmentFilter(Frozen):
    """Which live judgments a list holds; every part given must hold."""

    project_id: str | None = None
    """On runs of this project."""
    run_id: str | None = None
    """On this run."""
    subject_id: str | None = None
    """On runs of this agent or flow."""
    subject_version: str | None = None
    """On runs of this version."""
    verdict: Verdict | None = None
    """Saying this."""
    group_id: str | None = None
    """Said as this group."""
    asserter: str | None = None
    """Said by this person."""


class AuditFilter(Frozen):
    """Which entries of the audit log a list holds; every part given must hold."""

    actor: str | None = None
    """Done by this person."""
    action: str | None = None
    """Doing this, as `noun.verb`; a noun alone stands for everything done to such things."""
    subject: str | None = None
    """On what has this id, or an id that begins so."""
    since: datetime | None = None
    """Done at this time or later."""
    until: datetime | None = None
    """Done before this time."""


class NewJudgment(Frozen):
    """A verdict to record; the workbench adds who and when."""

    run_id: str
    """The run; it must be completed and have an output."""
    item: ItemRef
    """The item: exactly a derived key, pointer and rank (DESIGN section 4, fine print 1)."""
    verdict: Verdict
    """Yes or no."""
    reason: str | None = None
    """Why; at most 4,000 characters, an empty one counts as none."""
    group: str | None = None
    """The id or name of the group it is said as."""
    participant: str | None = None
    """The app's own user it is said for."""
    restricted: bool | None = None
    """Whether its group was restricted when it was said. Counts for what is copied from elsewhere (`Runs.add`) alone:
    of a verdict that is said here the group itself tells."""
