"""Judgments: yes or no on one item, by a person, perhaps as a group (DESIGN sections 2 and 4)."""

from datetime import datetime
from typing import Literal

from kindgi_tui.domain.base import Frozen

Verdict = Literal["yes", "no"]
"""What a judge says of one item."""

REASON_LIMIT = 4000
"""The longest reason, in characters (DESIGN section 8)."""


class ItemRef(Frozen):
    """Which item of a run's output is judged. A face sends exactly the derived key, pointer and rank."""

    key: str
    """The item's key: `answer`, `output`, an element's own id, or its pointer."""
    pointer: str | None = None
    """Where it stands in the output, a JSON Pointer (RFC 6901)."""
    rank: int | None = None
    """Its place in its list, from 0; None without a list."""


class Judgment(Frozen):
    """One person's verdict on one item of one run."""

    id: str
    """A UUID."""
    run_id: str
    """The judged run."""
    item: ItemRef
    """The judged item."""
    verdict: Verdict
    """Yes or no."""
    reason: str | None = None
    """Why, in the judge's words; at most 4,000 characters."""
    group_id: str | None = None
    """The group it was said as; None weighs 1."""
    restricted: bool = False
    """Whether that group was restricted (an expert group) when this was recorded; never changes later."""
    asserter: str
    """Who said it: a person's id."""
    participant: str | None = None
    """The app's own user on whose behalf it was said, by an opaque id."""
    created_at: datetime
    """When it was recorded (UTC)."""
    ended_at: datetime | None = None
    """When it was replaced, removed or taken back (UTC); None: it is live."""
    superseded_by: str | None = None
    """The judgment that replaced it."""


class Restriction(Frozen):
    """Who may speak as a group; every part given must hold."""

    principal_ids: tuple[str, ...] = ()
    """Named people; empty for no such limit."""
    principal_kinds: tuple[Literal["user", "service"], ...] = ()
    """Kinds of caller; empty for no such limit."""
    min_reviewer_role: Literal["standard", "senior", "admin"] | None = None
    """The least reviewer role; None for no such limit."""
    unnamed: int = 0
    """How many people it names whom a runtime doesn't tell the caller; 0 in a workspace."""


class Group(Frozen):
    """Who a judge speaks as. It has a weight, and may be restricted to experts."""

    id: str
    """A UUID."""
    name: str
    """1 to 100 characters, unique among the live groups of its scope."""
    weight: float
    """How much its judgments weigh, 0 or more; read when a test set is built or a comparison rescored."""
    description: str | None = None
    """What it is for."""
    project_id: str | None = None
    """The project it is for; None: the whole workspace."""
    agent_id: str | None = None
    """The agent it is for, within the project; None: all."""
    restriction: Restriction | None = None
    """Who may speak as it; None: anyone who may judge."""
    created_at: datetime
    """When it was made (UTC)."""
    retired_at: datetime | None = None
    """When it was retired (UTC); a retired group keeps its weight for what was said as it."""
