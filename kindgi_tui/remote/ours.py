"""What a runtime's result says beyond its numbers: headline, intervals, order of the cases (DESIGN section 5).

Everything is computed from the result and the cases with the rules of `domain`, as it is for a comparison run here.
"""

from collections.abc import Mapping, Sequence

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.beyond import beyond, linearised_intervals, metric_intervals
from kindgi_tui.domain.comparison_records import ComparisonBrief, ComparisonRequest
from kindgi_tui.domain.comparisons import CaseResult, ComparisonSummary
from kindgi_tui.domain.test_sets import Case


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
    summary = summary.model_copy(update={"comparison_id": comparison_id})
    intervals = (
        linearised_intervals(results)
        if quick
        else metric_intervals(results, f"{request.test_set_id}@{test_set_version}")
    )
    cost = result.get("costUsd")
    document["ours"] = beyond(
        summary, results, cases, intervals,
        candidate=f"{request.agent_id or request.flow_id} {request.subject_version}", planned=planned,
        cost_usd=float(cost) if isinstance(cost, int | float) else 0.0,
    )  # fmt: skip
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
