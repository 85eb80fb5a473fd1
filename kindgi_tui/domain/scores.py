"""One output rated, and how its items changed (DESIGN section 4)."""

from kindgi_tui.domain.corrections import Checks
from kindgi_tui.domain.javascript import Number
from kindgi_tui.domain.plain import Kept, Plain
from kindgi_tui.domain.test_sets import UNKNOWN, Evidence


class FreshEvidence(Evidence):
    """What of a score was judged on the new output itself."""

    items: Number
    """How many items were judged there."""


class Score(Kept):
    """One output, rated with what people said."""

    yes_weight: Number = UNKNOWN
    """The yes weight over its judged items."""
    total_weight: Number = UNKNOWN
    """The weight of everything said of its judged items."""
    items: Number = UNKNOWN
    """How many items it has."""
    judged_items: Number = UNKNOWN
    """How many of them were judged."""
    top_k: Evidence = Evidence.make()
    """The same two sums over the first k ranked items."""
    fresh: FreshEvidence | None = None
    """The part judged on this output itself, counted by a rescore; None when there is none."""
    checks: Checks | None = None
    """Graded parts of what the case expects, which count in the pass rate; None when there are none."""

    @property
    def right(self) -> Number:
        """What counts for it in the pass rate: the yes weight, and 1 for each graded part that passed."""
        return self.yes_weight if self.checks is None else self.yes_weight + self.checks.passed

    @property
    def said(self) -> Number:
        """What counts in the pass rate at all: the total weight, and 1 for each graded part."""
        return self.total_weight if self.checks is None else self.total_weight + self.checks.total


def with_checks(score: Score, checks: Checks | None) -> Score:
    """The score with those graded parts; as it is without any."""
    return score if checks is None else score.model_copy(update={"checks": checks})


class KeptItem(Plain):
    """A judged item that the new output still has."""

    key: str
    """Its key."""
    rank_before: Number | None = None
    """Its place before; None without one."""
    rank: Number | None = None
    """Its place now; None without one."""


class DroppedItem(Plain):
    """A judged item that the new output does not have."""

    key: str
    """Its key."""
    rank_before: Number | None = None
    """Its place before; None without one."""


class NewItem(Plain):
    """An item that nobody judged in the past output."""

    key: str
    """Its key."""
    pointer: str = ""
    """Where it stands in the new output."""
    rank: Number | None = None
    """Its place in its list; None without one."""
    judged: Evidence | None = None
    """What was said of it on the new output since, counted by a rescore."""


class ItemChanges(Plain):
    """How an output's items differ from the judged ones."""

    kept: tuple[KeptItem, ...]
    """Judged items it still has, in its own order."""
    dropped: tuple[DroppedItem, ...]
    """Judged items it has no more, in the order of the judged ones."""
    new: tuple[NewItem, ...]
    """The others, for people to judge."""
