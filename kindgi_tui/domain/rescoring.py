"""Rating a finished comparison's replays again, with what people said of them since (DESIGN sections 4 and 5)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparing import baseline_score, dry_run, experts_only, summarize, taken_cases
from kindgi_tui.domain.comparisons import (
    CaseResult,
    ComparisonOptions,
    ComparisonResult,
    ComparisonSettings,
    ItemChanges,
    SamplingModel,
    Score,
)
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.domain.matching import match_judged, with_fresh
from kindgi_tui.domain.rating import item_changes, score_items
from kindgi_tui.domain.scores import with_checks
from kindgi_tui.domain.summing import Weights, summarize_by_item
from kindgi_tui.domain.test_sets import Case, ItemSummary

_UNNAMED = "oracle-prior-run"


class _Prior:
    """The comparison whose replays are rated again."""

    def __init__(self, prior: ComparisonResult | Mapping[str, Any], options: ComparisonOptions) -> None:
        test_set = options.test_set
        self.cases: dict[str, CaseResult] | None = None
        self.models: tuple[SamplingModel, ...] = ()
        self.test_set = (test_set.id, test_set.version)
        listed: Iterable[CaseResult | Mapping[str, Any]] | None = None
        if isinstance(prior, ComparisonResult):
            self.id = options.comparison.rescore_of or _UNNAMED
            summary = prior.summary
            if summary is not None:
                self.id = summary.comparison_id
                self.models = summary.sampling.models
                self.test_set = (summary.test_set.id, summary.test_set.version)
                listed = prior.per_case
        else:
            self.id = _UNNAMED if prior.get("runId") is None else prior["runId"]
            self.test_set = (prior.get("suiteId", test_set.id), prior.get("suiteVersion", test_set.version))
            result = prior.get("result")
            finished = (
                prior.get("kind", "judged") == "judged" and prior.get("status", "completed") == "completed"
            )
            if finished and isinstance(result, Mapping) and isinstance(result.get("perCase"), list | tuple):
                listed = result["perCase"]
                self.models = _models(result.get("summary"))
        if listed is not None:
            self.cases = {case.case_id: case for case in CaseResult.read_all(listed)}


def _models(summary: Any) -> tuple[SamplingModel, ...]:
    sampling = summary.get("sampling") if isinstance(summary, Mapping) else None
    models = sampling.get("models") if isinstance(sampling, Mapping) else None
    return SamplingModel.read_all(models or ())


def rescore(
    cases: Iterable[Case | Mapping[str, Any]],
    prior: ComparisonResult | Mapping[str, Any],
    replays: Mapping[str, Json],
    judgments: Iterable[Judgment | Mapping[str, Any]] = (),
    weights: Weights | None = None,
    options: ComparisonOptions | Mapping[str, Any] | None = None,
) -> ComparisonResult:
    """A finished comparison's replays rated again; nothing runs.

    `cases` are the test set version's. `prior` is the comparison: our result, or the wire's record
    `{result: {summary, perCase}, runId?, kind?, status?, suiteId?, suiteVersion?}`. `replays` are the outputs
    by replay run id; a run that is not in it, or is null, is gone, and its case keeps its scores.
    `judgments` (newest first) are those made on replays since, each with its run (`runId`, or ours `run_id`).
    `weights` are the groups' weights now. `options` are those of `compare`.

    The result is as `compare` gives it; its `error` says why a comparison can't be rescored.
    """
    chosen = ComparisonOptions.read(options or {})
    before = _Prior(prior, chosen)
    settings = chosen.comparison.model_copy(update={"rescore_of": before.id})
    chosen = chosen.model_copy(update={"comparison": settings})
    taken, erased = taken_cases(cases, settings)
    if chosen.dry_run:
        return dry_run(len(taken), erased, settings)
    if before.cases is None:
        sentence = f"Comparison \"{before.id}\" can't be rescored: it isn't a finished comparison here."
        return _refused(sentence)
    if before.test_set != (chosen.test_set.id, chosen.test_set.version):
        ran = "@".join(before.test_set)
        return _refused(f'Comparison "{before.id}" ran {ran}: a rescore runs that test set version.')
    fresh = _fresh_reader(judgments, weights, settings)
    known = [(case, before.cases[case.case_id]) for case in taken if case.case_id in before.cases]
    results = [_rescored(case, earlier, settings, replays, fresh) for case, earlier in known]
    more: dict[str, Any] = {"rescore_of": before.id}
    kept = sum(1 for result in results if result.rescored is False)
    if kept:
        more["not_rescored"] = kept
    if erased:
        more["erased"] = erased
    summary = summarize(chosen, [case for case, _ in known], results, before.models, more)
    return ComparisonResult.make(summary=summary, per_case=tuple(results))


def _refused(sentence: str) -> ComparisonResult:
    return ComparisonResult.make(error=sentence)


Fresh = Callable[[str | None], tuple[ItemSummary, ...]]
"""What was said of a replay since, by its run id, summed as the comparison weighs it."""


def _fresh_reader(
    judgments: Iterable[Judgment | Mapping[str, Any]], weights: Weights | None, settings: ComparisonSettings
) -> Fresh:
    by_run: dict[str | None, list[Judgment | Mapping[str, Any]]] = {}
    for judgment in judgments:
        run_id = judgment.run_id if isinstance(judgment, Judgment) else judgment.get("runId")
        by_run.setdefault(run_id, []).append(judgment)

    def fresh(run_id: str | None) -> tuple[ItemSummary, ...]:
        items = summarize_by_item(by_run.get(run_id, ()), weights)
        return experts_only(items) if settings.weighing == "experts-only" else items

    return fresh


def _rescored(
    case: Case, earlier: CaseResult, settings: ComparisonSettings, replays: Mapping[str, Json], fresh: Fresh
) -> CaseResult:
    # What was checked isn't checked again: its entries and graded parts stay as they were.
    baseline = with_checks(baseline_score(case, settings), earlier.baseline.checks)
    if not earlier.candidate:
        return earlier.model_copy(update={"baseline": baseline})
    gone = earlier.model_copy(update={"baseline": baseline, "rescored": False})
    if len(earlier.candidate) != len(earlier.run_ids):
        return gone
    agent_turn = case.subject.kind == "agent"
    scores: list[Score] = []
    changes: ItemChanges | None = None
    for run_id in earlier.run_ids:
        output = replays.get(run_id) if run_id is not None else None
        if output is None:
            return gone
        matched = match_judged(output_items(output, agent_turn), case.items, case.output)
        matched = with_fresh(matched, fresh(run_id))
        scores.append(score_items(matched, settings.k))
        changes = changes or item_changes(matched, case.items)
    rated = tuple([with_checks(new, old.checks) for new, old in zip(scores, earlier.candidate, strict=True)])
    return earlier.model_copy(update={"baseline": baseline, "candidate": rated, "changes": changes})
