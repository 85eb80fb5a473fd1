"""What a runtime's result says beyond its numbers: headline, intervals, order of the cases (DESIGN section 5).

Everything is computed from the result and the cases with the rules of `domain`, as it is for a comparison run here.
"""

from collections.abc import Mapping, Sequence

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import ComparisonBrief, ComparisonRequest
from kindgi_tui.domain.comparisons import CaseResult, ComparisonSummary, Score
from kindgi_tui.domain.headline import Facts, headline
from kindgi_tui.domain.regressions import in_order, said_yes, standing_of
from kindgi_tui.domain.statistics import (
    CaseEvidence,
    Interval,
    Sums,
    bootstrap_intervals,
    linearised_interval,
    word,
)
from kindgi_tui.domain.test_sets import Case

METRICS = ("pass_rate", "case_coverage", "weighted_precision_at_k")
"""The metrics, by our names."""


def with_ours(
    result: Mapping[str, Json],
    cases: Sequence[Case],
    request: ComparisonRequest,
    comparison_id: str,
    test_set_version: str,
    planned: int,
    *,
    quick: bool,
) -> dict[str, Json]:
    """The result with `ours` beside it; as it is when it has no summary that can be read.

    `quick` takes intervals that cost nothing, for lists and for while cases come in; else they are bootstrapped.
    """
    document = dict(result)
    read = _read(result)
    if read is None:
        return document
    summary, results = read
    ran = [one for one in results if one.candidate]
    evidence: dict[str, Sequence[CaseEvidence]] = {
        name: [_evidence(one, name) for one in ran] for name in METRICS
    }
    intervals: Mapping[str, Interval | None]
    if quick:
        intervals = {name: linearised_interval(told) for name, told in evidence.items()}
    else:
        intervals = bootstrap_intervals(evidence, f"{request.test_set_id}@{test_set_version}")
    shown: dict[str, Json] = {}
    for name in METRICS:
        interval = intervals[name]
        shown[name] = {
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "word": word(interval, int(getattr(summary.metrics, name).n)),
        }
    liked = {case.case_id: said_yes(case.items) for case in cases}
    standings = in_order(standing_of(one, liked.get(one.case_id, frozenset())) for one in results)
    waiting = sum(
        sum(1 for item in one.changes.new if item.judged is None)
        for one in results
        if one.changes is not None
    )
    cost = result.get("costUsd")
    document["ours"] = {
        "headline": headline(
            _facts(summary, request, waiting, planned), f"kindgi-tui runs list --comparison {comparison_id}"
        ),
        "intervals": shown,
        "costUsd": cost if isinstance(cost, int | float) else 0,
        "waiting": waiting,
        "cases": [
            {
                "caseId": one.case_id,
                "standing": one.standing.value,
                "isNew": one.is_new,
                "change": one.change,
            }
            for one in standings
        ],
    }
    return document


def brief_of(document: Mapping[str, Json]) -> ComparisonBrief | None:
    """A result with `ours` in a few numbers; None without one."""
    read = _read(document)
    ours = document.get("ours")
    if read is None or not isinstance(ours, dict):
        return None
    rate = read[0].metrics.pass_rate
    intervals = ours.get("intervals")
    told = intervals.get("pass_rate") if isinstance(intervals, dict) else None
    said = told.get("word") if isinstance(told, dict) else None
    waiting, sentence = ours.get("waiting"), ours.get("headline")
    return ComparisonBrief(
        before=None if rate.baseline is None else float(rate.baseline),
        now=None if rate.candidate is None else float(rate.candidate),
        n=int(rate.n),
        word=said if isinstance(said, str) else "",
        waiting=waiting if isinstance(waiting, int) else 0,
        headline=sentence if isinstance(sentence, str) else "",
    )


def _read(result: Mapping[str, Json]) -> tuple[ComparisonSummary, tuple[CaseResult, ...]] | None:
    summary, cases = result.get("summary"), result.get("perCase")
    if not isinstance(summary, dict):
        return None
    try:
        # Written by every 0.1.10, absent in older results, where it means this.
        read = ComparisonSummary.read({"classWeights": "as-recorded", **summary})
        rows = [one for one in cases if isinstance(one, dict)] if isinstance(cases, list) else []
        return read, CaseResult.read_all(rows)
    except ValueError:
        return None


def _facts(summary: ComparisonSummary, request: ComparisonRequest, waiting: int, planned: int) -> Facts:
    rate = summary.metrics.pass_rate
    return Facts(
        candidate=f"{request.agent_id or request.flow_id} {request.subject_version}",
        baseline=None if rate.baseline is None else float(rate.baseline),
        now=None if rate.candidate is None else float(rate.candidate),
        n=int(rate.n),
        cases=summary.cases,
        new_answers=waiting,
        diverged=summary.diverged,
        refused=int(summary.refused_writes),
        stopped=summary.stopped,
        errors=summary.errors,
        experts_only=summary.weighing == "experts-only",
        planned=planned,
    )


def _evidence(result: CaseResult, metric: str) -> CaseEvidence:
    return CaseEvidence(_sums(result.baseline, metric), [_sums(score, metric) for score in result.candidate])


def _sums(score: Score, metric: str) -> Sums:
    if metric == "case_coverage":
        return Sums(float(score.judged_items), float(score.items))
    if metric == "weighted_precision_at_k":
        return Sums(float(score.top_k.yes_weight), float(score.top_k.total_weight))
    return Sums(float(score.yes_weight), float(score.total_weight))
