"""What a comparison's finished repetitions come to: the result in the wire's shape, and ours beside it."""

from collections.abc import Mapping, Sequence

from kindgi_tui.domain import scoring
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.comparisons import (
    CaseResult,
    ComparisonOptions,
    ComparisonResult,
    ComparisonSettings,
    Metrics,
    Sample,
    Score,
    Target,
)
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
from kindgi_tui.domain.test_sets import Case, TestSetRef
from kindgi_tui.local.store.comparisons import FinishedRepetition
from kindgi_tui.wire import v01

METRICS = ("pass_rate", "case_coverage", "weighted_precision_at_k")
"""The metrics of a comparison, by our names."""


def options_of(request: ComparisonRequest, comparison_id: str, version: str) -> ComparisonOptions:
    """What the rules are asked with for a comparison."""
    sample = request.sample
    settings = ComparisonSettings(
        reads=request.reads,
        repetitions=request.repetitions,
        k=request.k,
        weighing=request.weighing,
        sample=None
        if sample is None
        else Sample(part=sample.part, seed=sample.seed, hold_out_share=sample.hold_out_share),
    )
    target = (
        Target(agent_id=request.agent_id, version=request.subject_version)
        if request.agent_id is not None
        else Target(flow_id=request.flow_id, version=request.subject_version)
    )
    return ComparisonOptions(
        comparison=settings,
        comparison_id=comparison_id,
        project_id=request.project_id,
        target=target,
        test_set=TestSetRef(id=request.test_set_id, version=version),
    )


def compute_result(
    cases: Sequence[Case],
    finished: Sequence[FinishedRepetition],
    outputs: Mapping[str, Json],
    options: ComparisonOptions,
    planned: int,
    cost_usd: float,
) -> Json:
    """The result of what finished. A case none of whose repetitions finished is not in it.

    `cases` are those it was to run, `outputs` the replays' by run id; `planned` how many cases it was to run.
    """
    outcomes: dict[str, list[dict[str, Json]]] = {}
    for one in sorted(finished, key=lambda each: each.repetition):
        outcome = dict(one.outcome)
        if "error" not in outcome and one.run_id is not None:
            outcome["output"] = outputs.get(one.run_id)
        outcomes.setdefault(one.case_id, []).append(outcome)
    started = [case for case in cases if case.case_id in outcomes]
    whole = options.comparison.model_copy(update={"sample": None})
    # The cases are the sample's already; a sample of them would be another.
    result = scoring.compare(started, outcomes, options.model_copy(update={"comparison": whole}))
    if result.summary is not None and options.comparison.sample is not None:
        summary = result.summary.model_copy(update={"sample": options.comparison.sample})
        result = result.model_copy(update={"summary": summary})
    return with_ours(result, started, options, planned, cost_usd)


def with_ours(
    result: ComparisonResult,
    cases: Sequence[Case],
    options: ComparisonOptions,
    planned: int,
    cost_usd: float,
    so_far: Sequence[Json] | None = None,
) -> Json:
    """A result as it is stored: the wire's, with `ours` beside it (intervals, headline, order of the cases).

    `so_far` is given while cases come in: its cases as they are written, which saves writing them again. Its intervals
    are linearised then, which costs nothing; else they are bootstrapped.
    """
    if so_far is None:
        document = v01.dump(result)
    else:
        document = v01.dump(result.model_copy(update={"per_case": ()}))
        if isinstance(document, dict):
            document["perCase"] = list(so_far)
    summary = result.summary
    if not isinstance(document, dict) or summary is None:
        return document
    # Seeded by what was compared on, so that the same scores always have the same interval.
    test_set = options.test_set
    intervals = (
        linearised_intervals(result.per_case)
        if so_far is not None
        else metric_intervals(result.per_case, f"{test_set.id}@{test_set.version}")
    )
    told: dict[str, Json] = {}
    for name in METRICS:
        metric = getattr(summary.metrics, name)
        interval = intervals[name]
        told[name] = {
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "word": word(interval, int(metric.n)),
        }
    liked = {case.case_id: said_yes(case.items) for case in cases}
    standings = in_order(standing_of(each, liked.get(each.case_id, frozenset())) for each in result.per_case)
    waiting = new_items(result.per_case)
    target = options.target
    facts = Facts(
        candidate=f"{target.agent_id or target.flow_id} {target.version}",
        baseline=_rate(summary.metrics, "baseline"),
        now=_rate(summary.metrics, "candidate"),
        n=int(summary.metrics.pass_rate.n),
        cases=summary.cases,
        new_answers=waiting,
        diverged=summary.diverged,
        refused=int(summary.refused_writes),
        stopped=summary.stopped,
        errors=summary.errors,
        experts_only=summary.weighing == "experts-only",
        planned=planned,
    )
    document["ours"] = {
        "headline": headline(facts, f"kindgi-tui runs list --comparison {options.comparison_id}"),
        "intervals": told,
        # Rounded, because floats added in another order differ in the last digit.
        "costUsd": round(cost_usd, 12),
        "waiting": waiting,
        "cases": [
            {
                "caseId": each.case_id,
                "standing": each.standing.value,
                "isNew": each.is_new,
                "change": each.change,
            }
            for each in standings
        ],
    }
    return document


def _rate(metrics: Metrics, side: str) -> float | None:
    value = getattr(metrics.pass_rate, side)
    return None if value is None else float(value)


def new_items(results: Sequence[CaseResult]) -> int:
    """How many new items nobody judged, in all cases."""
    return sum(
        sum(1 for item in each.changes.new if item.judged is None)
        for each in results
        if each.changes is not None
    )


def metric_intervals(results: Sequence[CaseResult], seed: str) -> dict[str, Interval | None]:
    """The 95% interval of each metric's delta, by a paired bootstrap over the cases that ran."""
    ran = [each for each in results if each.candidate]
    return bootstrap_intervals({name: [_evidence(each, name) for each in ran] for name in METRICS}, seed)


def linearised_intervals(results: Sequence[CaseResult]) -> dict[str, Interval | None]:
    """The 95% interval of each metric's delta by one pass over the cases that ran."""
    ran = [each for each in results if each.candidate]
    return {name: linearised_interval([_evidence(each, name) for each in ran]) for name in METRICS}


def _evidence(result: CaseResult, metric: str) -> CaseEvidence:
    return CaseEvidence(_sums(result.baseline, metric), [_sums(score, metric) for score in result.candidate])


def _sums(score: Score, metric: str) -> Sums:
    if metric == "case_coverage":
        return Sums(float(score.judged_items), float(score.items))
    if metric == "weighted_precision_at_k":
        return Sums(float(score.top_k.yes_weight), float(score.top_k.total_weight))
    return Sums(float(score.yes_weight), float(score.total_weight))
