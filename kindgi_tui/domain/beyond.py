"""What a result says beyond the runtime's numbers: headline, intervals, order of the cases (DESIGN section 5).

It is computed from the result and the cases alone, so it is the same for a comparison run here and one of a runtime.
"""

from collections.abc import Iterable, Sequence

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparisons import CaseResult, ComparisonSummary, Score
from kindgi_tui.domain.grading import graded_parts, is_graded
from kindgi_tui.domain.headline import Facts, headline
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.metric_titles import METRIC_NAMES
from kindgi_tui.domain.regressions import CaseStanding, in_order, said_yes, standing_of
from kindgi_tui.domain.statistics import (
    CaseEvidence,
    Interval,
    Sums,
    bootstrap_intervals,
    linearised_interval,
    word,
)
from kindgi_tui.domain.test_sets import Case


def beyond(
    summary: ComparisonSummary,
    results: Sequence[CaseResult],
    cases: Iterable[Case],
    intervals: dict[str, Interval | None],
    *,
    candidate: str,
    planned: int | None,
    cost_usd: float | None,
) -> dict[str, Json]:
    """What stands beside a result as `ours`: `headline`, `intervals`, `costUsd`, `waiting`, `cases` in their order
    (each with `newly`: `passing` or `failing`, where what it expects came out otherwise than in the recorded run).

    `cases` are the test set's, as they were weighed; `candidate` names who was compared, with the version; `planned` is
    how many cases it was to run, None while it runs; `cost_usd` is None where it isn't known; `intervals` are those of
    `metric_intervals` or `linearised_intervals`.
    """
    told: dict[str, Json] = {}
    for name in METRIC_NAMES:
        interval = intervals[name]
        told[name] = {
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "word": word(interval, int(getattr(summary.metrics, name).n)),
        }
    known = {case.case_id: case for case in cases}
    turned = {each.case_id: _newly(each, known.get(each.case_id)) for each in results}
    standings = in_order(_standing(each, known.get(each.case_id)) for each in results)
    waiting = sum(
        sum(1 for item in each.changes.new if item.judged is None)
        for each in results
        if each.changes is not None
    )
    rate = summary.metrics.pass_rate
    counts, unchecked = summary.corrections, summary.unchecked
    facts = Facts(
        candidate=candidate,
        baseline=None if rate.baseline is None else float(rate.baseline),
        now=None if rate.candidate is None else float(rate.candidate),
        n=int(rate.n),
        cases=summary.cases,
        new_answers=waiting,
        diverged=summary.diverged,
        refused=int(summary.refused_writes),
        stopped=summary.stopped,
        errors=summary.errors,
        graded=is_graded(results),
        checked=0 if counts is None else counts.checked,
        passed=0 if counts is None else counts.passed,
        unchecked=0 if unchecked is None else unchecked.count,
        experts_only=summary.weighing == "experts-only",
        planned=planned,
    )
    return {
        "headline": headline(facts, f"kindgi-tui runs list --comparison {summary.comparison_id}"),
        "intervals": told,
        # Rounded, because floats added in another order differ in the last digit.
        "costUsd": None if cost_usd is None else round(cost_usd, 12),
        "waiting": waiting,
        "cases": [
            {
                "caseId": each.case_id,
                "standing": each.standing.value,
                "isNew": each.is_new,
                "change": each.change,
                **({"newly": turned[each.case_id]} if turned[each.case_id] is not None else {}),
            }
            for each in standings
        ],
    }


def _standing(result: CaseResult, case: Case | None) -> CaseStanding:
    """How one case did; by its scores alone where the case isn't known."""
    if case is None:
        return standing_of(result)
    recorded = {item.key for item in output_items(case.output, case.subject.kind == "agent")}
    return standing_of(result, said_yes(case.items) & recorded, graded_parts(case, result))


def _newly(result: CaseResult, case: Case | None) -> str | None:
    """`passing` where the recorded run failed what the case expects and the candidate passes, `failing` the other way
    round; None where neither holds, or one of the sides isn't known."""
    parts = [] if case is None else list(graded_parts(case, result).values())
    if not parts or any(before is None or now is None for before, now in parts):
        return None
    before, now = (all(part[side] for part in parts) for side in (0, 1))
    return None if before == now else "passing" if now else "failing"


def metric_intervals(results: Sequence[CaseResult], seed: str) -> dict[str, Interval | None]:
    """The 95% interval of each metric's delta, by a paired bootstrap over the cases that ran."""
    ran = [each for each in results if each.candidate]
    return bootstrap_intervals({name: [_evidence(each, name) for each in ran] for name in METRIC_NAMES}, seed)


def linearised_intervals(results: Sequence[CaseResult]) -> dict[str, Interval | None]:
    """The 95% interval of each metric's delta by one pass over the cases that ran, which costs nothing."""
    ran = [each for each in results if each.candidate]
    return {name: linearised_interval([_evidence(each, name) for each in ran]) for name in METRIC_NAMES}


def _evidence(result: CaseResult, metric: str) -> CaseEvidence:
    return CaseEvidence(_sums(result.baseline, metric), [_sums(score, metric) for score in result.candidate])


def _sums(score: Score, metric: str) -> Sums:
    if metric == "case_coverage":
        return Sums(float(score.judged_items), float(score.items))
    if metric == "weighted_precision_at_k":
        return Sums(float(score.top_k.yes_weight), float(score.top_k.total_weight))
    return Sums(float(score.right), float(score.said))
