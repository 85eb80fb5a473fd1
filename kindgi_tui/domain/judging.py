"""Judging as a person does it: what is owed, the queue of runs, guidelines (DESIGN section 12)."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.items import Item
from kindgi_tui.domain.runs import Run, Segment, SubjectKind

Owed = Literal["elements", "answer", "all"]
"""Which items of an agent's runs are to be judged: the lists' elements, else the answer; the answer alone; all."""

OWED: tuple[Owed, ...] = ("elements", "answer", "all")
"""All of them, the default first."""

GUIDELINE_LIMIT = 100_000
"""The longest guideline, in characters."""

Order = Literal["oldest", "random"]
"""The order of the queue: oldest first, or by a hash of the seed and the run's id."""


class QueueFilter(Frozen):
    """Which runs are to be judged, and in which order. Replays and runs that didn't complete are never among them."""

    project_id: str
    """Of this project."""
    subject_kind: SubjectKind | None = None
    """Agents' turns, or flows' runs."""
    subject_id: str | None = None
    """Of this agent or flow."""
    segments: tuple[Segment, ...] = ()
    """Started in this path or below it."""
    order: Order = "oldest"
    """The order they come in."""
    seed: str = ""
    """What a random order is made from: the same seed gives the same order on every machine."""


DISMISSAL_REASON_LIMIT = 500
"""The longest reason of a dismissal, in characters (Kindgi 0.1)."""


class Dismissal(Frozen):
    """A run was taken off the queue, for everybody."""

    by: str | None = None
    """Who did it: a person's id; None where that isn't told."""
    at: datetime | None = None
    """When (UTC); None where that isn't told."""
    reason: str | None = None
    """Why, in their words; at most 500 characters."""


class SaidAs(Frozen):
    """How many verdicts a run has of one group."""

    group_id: str | None
    """The group; None: said as no group."""
    count: int
    """How many live verdicts."""


class QueueState(Frozen):
    """What a runtime's queue tells of a run, beside that it is in it."""

    said: int = 0
    """How many live verdicts it has, of anybody."""
    said_as: tuple[SaidAs, ...] = ()
    """The same by group, where that is told."""
    wanted_groups: tuple[str, ...] = ()
    """The groups whose verdict is wanted, by id; empty: anybody's."""
    can_dismiss: bool = True
    """Whether the caller may dismiss it."""
    can_reopen: bool = False
    """Whether the caller may reopen it: it is dismissed."""
    dismissal: Dismissal | None = None
    """Who dismissed it and why; None: it is not dismissed."""


class QueuedRun(Frozen):
    """A run that owes a verdict of the caller, or that was dismissed."""

    run: Run
    """The run, as lists show it."""
    owed: int
    """How many of its items are to be judged; at least 1."""
    judged: int
    """How many of them the caller has judged."""
    state: QueueState = Field(default_factory=QueueState)
    """What the queue tells of it."""


class QueueProgress(Frozen):
    """How far the caller is."""

    left: int
    """Runs that owe a verdict of theirs, the skipped ones left out."""
    items_left: int
    """Items of those runs that they haven't judged."""
    skipped: int
    """Runs they skipped that still owe one."""
    judged: int | None
    """Runs of which they judged all that is to be judged; None: nobody counts them."""
    dismissed: int = 0
    """Runs that were dismissed, by anybody."""


class Disagreement(Frozen):
    """An item of which people's live verdicts differ."""

    run: Run
    """The run."""
    item_key: str
    """The item's key."""
    yes: tuple[str, ...]
    """Who says yes: ids of people, each once."""
    no: tuple[str, ...]
    """Who says no."""


class CorrectedApart(Frozen):
    """A run that people corrected differently: their live corrections expect different things."""

    run: Run
    """The run."""
    people: tuple[str, ...]
    """Who corrected it: ids of people, each once, who said it last first."""


class Guideline(Frozen):
    """One version of what judges of an agent's or flow's runs go by."""

    subject_id: str
    """The agent or flow."""
    version: int
    """From 1."""
    text: str
    """The text, Markdown by custom; at most 100,000 characters."""
    created_at: datetime
    """When it was saved (UTC)."""
    created_by: str
    """Who saved it: a person's id."""


def owed_items(items: tuple[Item, ...], owed: Owed = "elements") -> tuple[Item, ...]:
    """The items to be judged, in order, each key once. A run with an empty list owes its answer."""
    elements = tuple(item for item in items if item.rank is not None)
    answers = tuple(item for item in items if item.rank is None)
    if owed == "answer":
        chosen = answers
    elif owed == "all":
        chosen = items
    else:
        chosen = elements or answers
    found: dict[str, Item] = {}
    for item in chosen:
        # One live verdict per key: a second element with the key of a first one is judged with it (section 4).
        found.setdefault(item.key, item)
    return tuple(found.values())
