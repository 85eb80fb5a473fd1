"""What a comparison's finished repetitions come to: the result in the wire's shape, and ours beside it."""

from collections.abc import Mapping, Sequence

from kindgi_tui.domain import scoring
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.beyond import beyond, linearised_intervals, metric_intervals
from kindgi_tui.domain.comparisons import ComparisonOptions, ComparisonResult
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.store.checks import JudgedAnswer, verdicts_by_case
from kindgi_tui.local.store.repetitions import FinishedRepetition
from kindgi_tui.wire import v01


def compute_result(
    cases: Sequence[Case],
    finished: Sequence[FinishedRepetition],
    outputs: Mapping[str, Json],
    options: ComparisonOptions,
    planned: int,
    cost_usd: float,
    judged: Sequence[JudgedAnswer] = (),
) -> Json:
    """The result of what finished. A case none of whose repetitions finished is not in it.

    `cases` are those it was to run, `outputs` the replays' by run id; `planned` how many cases it was to run; `judged`
    what the judging model found. A case with repetitions still to come is rated, and not checked.
    """
    outcomes: dict[str, list[dict[str, Json]]] = {}
    for one in sorted(finished, key=lambda each: each.repetition):
        outcome = dict(one.outcome)
        if "error" not in outcome and one.run_id is not None:
            outcome["output"] = outputs.get(one.run_id)
        outcomes.setdefault(one.case_id, []).append(outcome)
    started = [case for case in cases if case.case_id in outcomes]
    checked = [
        case if len(outcomes[case.case_id]) >= options.comparison.repetitions else _unchecked(case)
        for case in started
    ]
    whole = options.comparison.model_copy(update={"sample": None})
    # The cases are the sample's already; a sample of them would be another.
    rated = options.model_copy(update={"comparison": whole})
    result = scoring.compare(checked, outcomes, rated, verdicts_by_case(judged))
    if result.summary is not None and options.comparison.sample is not None:
        summary = result.summary.model_copy(update={"sample": options.comparison.sample})
        result = result.model_copy(update={"summary": summary})
    return with_ours(result, started, options, planned, cost_usd, judged)


def _unchecked(case: Case) -> Case:
    """The case without what it expects: it didn't get far enough to say whether it does that."""
    return case.model_copy(update={"expect": None, "corrections": ()})


def with_ours(
    result: ComparisonResult,
    cases: Sequence[Case],
    options: ComparisonOptions,
    planned: int,
    cost_usd: float,
    judged: Sequence[JudgedAnswer] = (),
    so_far: Sequence[Json] | None = None,
) -> Json:
    """A result as it is stored: the wire's, with `ours` beside it (headline, intervals, cases' order, who judged).

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
    target = options.target
    ours = beyond(
        summary, result.per_case, cases, intervals,
        candidate=f"{target.agent_id or target.flow_id} {target.version}", planned=planned, cost_usd=cost_usd,
    )  # fmt: skip
    # One model judged all of them.
    judge = next((one for one in judged if one.model is not None), None)
    if judge is not None:
        ours["judge"] = {"provider": judge.provider, "model": judge.model}
    document["ours"] = ours
    return document
