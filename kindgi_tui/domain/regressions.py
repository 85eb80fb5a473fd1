"""Which cases of a comparison got worse, and in which order to look at them (DESIGN section 5)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.comparisons import CaseResult, Score
from kindgi_tui.domain.test_sets import JudgedItem

_EQUAL = 1e-9
"""Rates closer than this are the same: they are means of sums of weights."""


class Standing(Enum):
    """How the candidate did on one case."""

    REGRESSED = "regressed"
    """Its pass rate or a graded part went down, or an item people said yes to is gone with nothing judged for it."""

    IMPROVED = "improved"
    """Its pass rate or a graded part went up, and nothing regressed."""

    UNCHANGED = "unchanged"
    """There is evidence on both sides, and it says the same."""

    UNKNOWN = "unknown"
    """A side has no evidence: the candidate didn't run, nobody judged its items, or nothing judged was recorded."""


class CaseStanding(Frozen):
    """One case of a comparison, for a list of them."""

    case_id: str
    """The case."""

    standing: Standing
    """How the candidate did on it."""

    is_new: bool
    """Whether its new output has items that nobody judged."""

    change: float | None
    """Its pass rate's change, -1 to 1; None without evidence on both sides."""


def said_yes(items: Iterable[JudgedItem]) -> frozenset[str]:
    """The keys of the items more weight said yes to than no."""
    return frozenset(item.key for item in items if 2 * item.yes_weight > item.total_weight)


def standing_of(
    result: CaseResult,
    liked: Collection[str] = frozenset(),
    parts: Mapping[str, tuple[bool | None, bool | None]] | None = None,
) -> CaseStanding:
    """How the candidate did on one case.

    `liked` has the keys of the recorded output's items people said yes to (`said_yes`): what the recording never had
    can't be lost. `parts` has, for each graded part, whether
    the recorded run and the candidate passed it (on every repetition); None where it isn't known.
    """
    return CaseStanding(
        case_id=result.case_id,
        standing=classify(result, liked, parts or {}),
        is_new=is_new(result),
        change=change(result.baseline, result.candidate),
    )


def classify(
    result: CaseResult,
    liked: Collection[str] = frozenset(),
    parts: Mapping[str, tuple[bool | None, bool | None]] | None = None,
) -> Standing:
    """The standing of one case; arguments as for `standing_of`.

    A dropped item whose key a new item has was reworded, not dropped: until somebody judges the new words there is no
    evidence about it. An own-keyed item people said yes to counts as lost unless a new item was judged for it since.
    """
    if not result.candidate:
        return Standing.UNKNOWN
    known = [
        (before, now) for before, now in (parts or {}).values() if before is not None and now is not None
    ]
    difference = change(result.baseline, result.candidate)
    if any(before and not now for before, now in known) or rate_fell(result) or _lost(result, liked):
        return Standing.REGRESSED
    if any(now and not before for before, now in known) or (difference is not None and difference > _EQUAL):
        return Standing.IMPROVED
    return Standing.UNCHANGED if known or difference is not None else Standing.UNKNOWN


def change(baseline: Score, candidate: Sequence[Score]) -> float | None:
    """How much one case's pass rate changed: now minus before, of `pass_rates`; None without evidence on both sides."""
    before, now = pass_rates(baseline, candidate)
    return None if before is None or now is None else now - before


def rate_fell(result: CaseResult) -> bool:
    """Whether one case's pass rate went down, with evidence on both sides."""
    difference = change(result.baseline, result.candidate)
    return difference is not None and difference < -_EQUAL


def pass_rates(baseline: Score, candidate: Sequence[Score]) -> tuple[float | None, float | None]:
    """One case's pass rate, 0 to 1, graded parts with it: the recorded one, and the mean of the repetitions' ones.

    A repetition without evidence counts for nothing; a side without any is None.
    """
    rates = [score.right / score.said for score in candidate if score.said > 0]
    before = baseline.right / baseline.said if baseline.said > 0 else None
    return before, sum(rates) / len(rates) if rates else None


def is_new(result: CaseResult) -> bool:
    """Whether its new output has items that nobody judged, in the past output or on the new one."""
    return result.changes is not None and any(item.judged is None for item in result.changes.new)


def in_order(cases: Iterable[CaseStanding]) -> list[CaseStanding]:
    """The cases as a list shows them: regressed first, then unknown, improved, unchanged.

    Within each: those that fell most first, then those with new items, else as they came.
    """
    places = (Standing.REGRESSED, Standing.UNKNOWN, Standing.IMPROVED, Standing.UNCHANGED)
    return sorted(cases, key=lambda case: (places.index(case.standing), case.change or 0.0, not case.is_new))


def _lost(result: CaseResult, liked: Collection[str]) -> bool:
    """Whether more items people said yes to were dropped than new ones were judged in their place."""
    if result.changes is None:
        return False
    reworded = {item.key for item in result.changes.new}
    gone = sum(item.key in liked and item.key not in reworded for item in result.changes.dropped)
    return gone > sum(item.judged is not None for item in result.changes.new)
