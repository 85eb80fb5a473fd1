"""What a runtime's result says beyond its numbers: headline, intervals, order of the cases (DESIGN section 5).

Everything is computed from the result and the cases with the rules of `domain`, as it is for a comparison run here.
"""

from collections.abc import Mapping, Sequence

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.beyond import beyond, linearised_intervals, metric_intervals
from kindgi_tui.domain.comparing import summarize, taken_cases
from kindgi_tui.domain.comparison_options import options_of
from kindgi_tui.domain.comparison_records import ComparisonBrief, ComparisonRequest
from kindgi_tui.domain.comparisons import CaseResult, ComparisonOptions, ComparisonSummary
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.remote.comparing import cost_of
from kindgi_tui.wire import v01


def with_ours(
    result: Mapping[str, Json],
    cases: Sequence[Case],
    request: ComparisonRequest,
    comparison_id: str,
    test_set_version: str,
    planned: int | None,
    *,
    quick: bool,
) -> dict[str, Json]:
    """The result with `ours` beside it; as it is when it has no summary that can be read.

    `planned`: how many cases it was to run, of one that ended. `quick` takes intervals that cost nothing, for lists and
    for while cases come in; else they are bootstrapped.
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
    options = _options(request, comparison_id, test_set_version)
    document["ours"] = beyond(
        summary, results, taken_cases(cases, options.comparison)[0], intervals,
        candidate=f"{request.agent_id or request.flow_id} {request.subject_version}", planned=planned,
        cost_usd=cost_of(result),
    )  # fmt: skip
    return document


def so_far(
    result: Mapping[str, Json],
    cases: Sequence[Case],
    request: ComparisonRequest,
    comparison_id: str,
    test_set_version: str,
) -> Json:
    """What a comparison that runs comes to by the cases it has, in a result's shape; None before it has one.

    A runtime tells its summary at the end: until then it is counted here, with the rules a comparison here is. Which
    models answered isn't known. `cases` are the test set's, as far as they are known.
    """
    told = result.get("perCase")
    rows = [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []
    document = dict(result)
    if rows and not isinstance(result.get("summary"), dict):
        options = _options(request, comparison_id, test_set_version)
        try:
            results = CaseResult.read_all(rows)
        except ValueError:
            return None
        ran = {one.case_id for one in results}
        started = [case for case in taken_cases(cases, options.comparison)[0] if case.case_id in ran]
        counted = summarize(options, started, results, (), {})
        document["summary"] = v01.dump(counted)
    if not isinstance(document.get("summary"), dict):
        return None
    return with_ours(document, cases, request, comparison_id, test_set_version, None, quick=True)


def _options(request: ComparisonRequest, comparison_id: str, version: str) -> ComparisonOptions:
    """How what has a result is rated: it is the sample's already, and a sample of it would be another."""
    options = options_of(request, comparison_id, version)
    return options.model_copy(update={"comparison": options.comparison.model_copy(update={"sample": None})})


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
