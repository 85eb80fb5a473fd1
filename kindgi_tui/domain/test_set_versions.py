"""Test sets and their versions, as lists show them (DESIGN section 8)."""

from datetime import datetime

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.runs import Segment


class BuildRequest(Frozen):
    """Which judged runs a test set version takes."""

    test_set_id: str
    """The set's dotted id."""
    version: str
    """`x.y.z`; a taken one is refused."""
    project_id: str
    """The project whose runs it takes."""
    agent_id: str | None = None
    """The agent whose runs; exactly one of agent and flow."""
    flow_id: str | None = None
    """The flow whose runs."""
    subject_version: str | None = None
    """Runs of this version alone."""
    since: datetime | None = None
    """Runs first judged at this time or later."""
    until: datetime | None = None
    """Runs first judged before this time."""
    groups: tuple[str, ...] = ()
    """Judgments of these groups alone, by id or name; empty: all."""
    min_judgments: int | None = None
    """The fewest judgments a run needs, 1 or more."""
    segments: tuple[Segment, ...] = ()
    """Runs started in this path or below it; at most 8."""
    description: str | None = None
    """What the set holds."""


class BuildPreview(Frozen):
    """What a build would take, and what it would leave out."""

    runs: int
    """Cases it would have, at most 1,000."""
    more: int
    """Runs over the limit of 1,000 cases."""
    items: int
    """Judged items in them."""
    judgments: int
    """Judgments in them."""
    too_few: int
    """Runs left out for too few judgments, or none of the asked groups."""


class TestSetVersion(Frozen):
    """One version of a test set; it never changes."""

    __test__ = False

    test_set_id: str
    """The set's dotted id."""
    version: str
    """`x.y.z`."""
    project_id: str
    """The project it belongs to."""
    description: str | None = None
    """What it holds."""
    case_count: int
    """How many cases it has."""
    available: int
    """How many runs matched; more than `case_count` when the limit of 1,000 cut it."""
    request: BuildRequest
    """What it was built from."""
    created_at: datetime
    """When it was built (UTC)."""
    created_by: str
    """Who built it."""

    @property
    def truncated(self) -> bool:
        """Whether there were more runs than cases."""
        return self.available > self.case_count
