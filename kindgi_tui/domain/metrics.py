"""The metrics of a comparison: sums pooled over cases, never averages of ratios (DESIGN section 4, "Metrics")."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from kindgi_tui.domain.comparisons import CaseResult, Metric, Metrics, Score
from kindgi_tui.domain.javascript import Number, whole


class _Pooled(NamedTuple):
    value: float | None
    n: int
    weight: float


class _Side(NamedTuple):
    """What a metric reads of a score."""

    yes: Callable[[Score], Number]
    total: Callable[[Score], Number]
    weight: Callable[[Score], Number]


_PASS_RATE = _Side(lambda s: s.right, lambda s: s.said, lambda s: s.said)
_COVERAGE = _Side(lambda s: s.judged_items, lambda s: s.items, lambda s: s.total_weight)
_PRECISION = _Side(
    lambda s: s.top_k.yes_weight, lambda s: s.top_k.total_weight, lambda s: s.top_k.total_weight
)


def metrics_of(results: Iterable[CaseResult], repetitions: Number, k: Number) -> Metrics:
    """The three metrics over the cases the candidate ran; the others leave both sides."""
    scored = [result for result in results if result.candidate]
    fresh = _fresh_weight(scored, int(repetitions))
    return Metrics.make(
        pass_rate=_metric(scored, int(repetitions), _PASS_RATE, fresh_weight=fresh),
        case_coverage=_metric(scored, int(repetitions), _COVERAGE, fresh_weight=fresh),
        weighted_precision_at_k=_metric(scored, int(repetitions), _PRECISION, k=k),
    )


def _metric(
    scored: Sequence[CaseResult],
    repetitions: int,
    side: _Side,
    *,
    k: Number | None = None,
    fresh_weight: float = 0,
) -> Metric:
    baseline = _pool((result.baseline for result in scored), side)
    passes = [_pool(_pass(scored, repetition), side) for repetition in range(repetitions)]
    values = [one.value for one in passes if one.value is not None]
    candidate = _sum(values) / len(values) if values else None
    both = baseline.value is not None and candidate is not None
    given: dict[str, Any] = {}
    if k is not None:
        given["k"] = k
    if len(values) > 1:
        given["spread"] = whole(max(values) - min(values))
    if fresh_weight > 0:
        given["fresh_weight"] = whole(fresh_weight)
    return Metric.make(
        baseline=_value(baseline.value),
        candidate=_value(candidate),
        delta=_value(candidate - baseline.value) if both else None,  # type: ignore[operator]
        n=sum(1 for result in scored if any(side.total(score) > 0 for score in result.candidate)),
        weight=whole(_sum(one.weight for one in passes) / max(1, repetitions)),
        baseline_n=baseline.n,
        baseline_weight=whole(baseline.weight),
        direction="higher",
        **given,
    )


def _pass(scored: Iterable[CaseResult], repetition: int) -> Iterable[Score]:
    """One pass over the cases: the scores that stand at that place (scores leave no gaps)."""
    return (result.candidate[repetition] for result in scored if repetition < len(result.candidate))


def _pool(scores: Iterable[Score], side: _Side) -> _Pooled:
    yes = total = weight = 0.0
    n = 0
    for score in scores:
        part = side.total(score)
        if part <= 0:
            continue
        yes += side.yes(score)
        total += part
        n += 1
        weight += side.weight(score)
    return _Pooled(yes / total if total > 0 else None, n, weight)


def _fresh_weight(scored: Sequence[CaseResult], repetitions: int) -> float:
    """The mean over repetitions of the weight that was judged on the replays themselves."""
    passes = (
        _sum(score.fresh.total_weight for score in _pass(scored, repetition) if score.fresh is not None)
        for repetition in range(repetitions)
    )
    return _sum(passes) / max(1, repetitions)


def _sum(numbers: Iterable[Number]) -> float:
    """The numbers added one after the other, as doubles: built-in `sum` compensates for rounding, this must not."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def _value(value: float | None) -> Number | None:
    return None if value is None else whole(value)
