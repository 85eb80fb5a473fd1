"""What waits to be sent to a runtime, as faces show it (DESIGN section 10)."""

from datetime import datetime
from typing import Literal

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.judgments import Verdict

OutboxState = Literal["waiting", "refused", "asked", "unclaimed"]
"""It will be sent; the runtime refused it; the runtime has a newer verdict, and the person decides; it was said with
another token, of which nobody ever knew whose it is, and the person decides."""


class OutboxEntry(Frozen):
    """One verdict, or the taking back of one, that the runtime doesn't have yet."""

    id: str
    """A UUID of our own."""
    what: Literal["verdict", "take-back"]
    """A verdict, or the taking back of one that was sent."""
    run_id: str
    """The run."""
    item_key: str
    """The item's key."""
    verdict: Verdict | None = None
    """Yes or no; None for a taking back."""
    reason: str | None = None
    """Why, in the judge's words."""
    made_at: datetime
    """When it was said (UTC)."""
    state: OutboxState
    """Where it stands."""
    sentence: str | None = None
    """Why it waits, or what the runtime said; None before the first try."""
    code: str | None = None
    """The runtime's code of that; None where it said none."""


class OutboxCounts(Frozen):
    """How much waits, for a status line."""

    waiting: int = 0
    """Entries that will be sent."""
    refused: int = 0
    """Entries that were refused, or that the person is asked about, or that nobody has claimed."""
    sentence: str | None = None
    """Why the first of them waits, where the person can do something about it, such as giving another token; None
    where a runtime is merely away."""
