"""A comparison: each case's replays rated with what people said, and the result (DESIGN sections 4 and 5)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Literal

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparisons import (
    Baseline,
    Candidate,
    CaseResult,
    ComparisonOptions,
    ComparisonResult,
    ComparisonSettings,
    ComparisonSummary,
    ItemChanges,
    Outcome,
    Provider,
    RecordedVersion,
    Sampling,
    SamplingModel,
    Scope,
    Score,
)
from kindgi_tui.domain.corrections import AnswerVerdict, CorrectionCounts, UncheckedCases
from kindgi_tui.domain.grading import grade
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.javascript import utf16_order
from kindgi_tui.domain.matching import by_key, carried
from kindgi_tui.domain.metrics import metrics_of
from kindgi_tui.domain.rating import NO_CHANGES, changes_of, score_pairs
from kindgi_tui.domain.sampling import sample_cases
from kindgi_tui.domain.scores import with_checks
from kindgi_tui.domain.test_sets import Case, ItemSummary

Outcomes = Mapping[str, Sequence[Outcome | Mapping[str, Any]] | Outcome | Mapping[str, Any]]
"""What the replays came to, by case id: a list with one per repetition, or one that stands for all."""

Verdicts = Mapping[str, Sequence[AnswerVerdict]]
"""What the judging model found of the answers, by case id."""


def compare(
    cases: Iterable[Case | Mapping[str, Any]],
    outcomes: Outcomes,
    options: ComparisonOptions | Mapping[str, Any] | None = None,
    verdicts: Verdicts | None = MappingProxyType({}),
) -> ComparisonResult:
    """The result of a comparison whose replays came to `outcomes`, and their answers to `verdicts`.

    The result is the same in whatever order the replays finished. A case without an outcome errors. Erased
    cases are left out and counted, an outcome that is `erased` too. A `halt` ends it before its case. Verdicts
    that are None grade nothing, as while a case's repetitions are still to come.
    """
    chosen = ComparisonOptions.read(options or {})
    settings = chosen.comparison
    taken, erased = taken_cases(cases, settings)
    if chosen.dry_run:
        return dry_run(len(taken), erased, settings)
    replays = _Replays(outcomes, chosen.cancel_after)
    results: list[CaseResult] = []
    gone: set[str] = set()
    halted: dict[str, Any] = {}
    for case in taken:
        if replays.cancelled:
            break
        result = _case_result(case, replays, settings, verdicts)
        if isinstance(result, CaseResult):
            results.append(result)
        elif result.halt is None:
            gone.add(case.case_id)
        else:
            halted = {"error": "cancelled", "cancel_reason": result.halt.reason}
            break
    erased += len(gone)
    summary = summarize(
        chosen,
        [case for case in taken if case.case_id not in gone],
        results,
        tuple(replays.models.values()),
        {"erased": erased} if erased else {},
    )
    if replays.cancelled:
        halted = {"error": "cancelled", **halted}
    return ComparisonResult.make(summary=summary, per_case=tuple(results), **halted)


def taken_cases(
    cases: Iterable[Case | Mapping[str, Any]], settings: ComparisonSettings
) -> tuple[tuple[Case, ...], int]:
    """The cases a comparison runs, as it weighs them, and how many were erased before."""
    listed = Case.read_all(cases)
    taken = tuple([case for case in listed if not case.erased])
    erased = len(listed) - len(taken)
    if settings.sample is not None:
        wanted = set(sample_cases(taken, settings.sample))
        taken = tuple([case for case in taken if case.case_id in wanted])
    if settings.weighing == "experts-only":
        taken = tuple([case.model_copy(update={"items": experts_only(case.items)}) for case in taken])
    return taken, erased


def experts_only(items: Iterable[ItemSummary]) -> tuple[ItemSummary, ...]:
    """The items at the weights of the judgments made as a restricted group; those without one are left out."""
    return tuple(
        [
            item.model_copy(
                update={
                    "yes_weight": item.restricted.yes_weight,
                    "total_weight": item.restricted.total_weight,
                }
            )
            for item in items
            if item.restricted is not None and item.restricted.total_weight > 0
        ]
    )


def dry_run(cases: int, erased: int, settings: ComparisonSettings) -> ComparisonResult:
    """What a comparison would run, when nothing is run."""
    left_out: dict[str, Any] = {"erased": erased} if erased else {}
    return ComparisonResult.make(dry_run=True, cases=cases, **left_out, comparison=settings)


def baseline_score(case: Case, settings: ComparisonSettings) -> Score:
    """The score of a case's recorded output."""
    items = output_items(case.output, case.subject.kind == "agent")
    return score_pairs(carried(items, by_key(case.items), case.output), settings.k)


class _Replays:
    """What the replays came to, handed out one by one as the cases ask for them."""

    def __init__(self, outcomes: Outcomes, cancel_after: int | None) -> None:
        self._outcomes = outcomes
        self._cancel_after = cancel_after
        self._asked: dict[str, int] = {}
        self._started = 0
        self.cancelled = False
        self.models: dict[tuple[str, str], SamplingModel] = {}

    def next(self, case_id: str) -> Outcome:
        """The next outcome of a case; when a case occurs twice, the second goes on where the first ended."""
        repetition = self._asked.get(case_id, 0)
        self._asked[case_id] = repetition + 1
        self._started += 1
        if self._started == self._cancel_after:
            self.cancelled = True
        given = self._outcomes.get(case_id)
        if isinstance(given, Sequence):
            given = given[repetition] if repetition < len(given) else None
        if given is None:
            return Outcome(error=f"No candidate for case {case_id}, repetition {repetition + 1}")
        return Outcome.read(given)

    def count(self, provider: Provider) -> None:
        """Counts a replay that a model answered."""
        key = (provider.id, provider.model)
        runs = self.models[key].runs if key in self.models else 0
        self.models[key] = SamplingModel.make(provider_id=provider.id, model=provider.model, runs=runs + 1)


class _Tally:
    """One case's repetitions as they are read."""

    def __init__(self, case: Case, settings: ComparisonSettings) -> None:
        self._case = case
        self._judged = by_key(case.items)
        self._settings = settings
        self._run_ids: list[str | None] = []
        self._scores: list[Score] = []
        self._first: dict[str, Any] = {}
        self._end: dict[str, Any] = {}
        self._diverged = False
        self._refused = 0
        self._skipped = False
        self._outcomes: list[Outcome] = []

    def add(self, outcome: Outcome) -> bool:
        """Counts a repetition; whether it ran, that is gave an output to rate."""
        given = outcome.model_fields_set
        self._outcomes.append(outcome)
        if "run_id" in given:
            self._run_ids.append(outcome.run_id)
        if "stopped" in given:
            self._ended("stopped", outcome.stopped)
            self._report(outcome, NO_CHANGES)
            return False
        if "error" in given:
            self._ended("error", outcome.error)
            return False
        case = self._case
        items = output_items(outcome.output, case.subject.kind == "agent")
        matched = carried(items, self._judged, case.output)
        self._scores.append(score_pairs(matched, self._settings.k))
        tools = outcome.replay.tools if outcome.replay is not None else ()
        # What was made from nothing has no recording that a read could differ from.
        recorded = self._settings.reads == "recorded" and not case.from_nothing
        if recorded and any(t.source == "live" and not t.recomputed for t in tools):
            self._diverged = True
        if outcome.replay is not None and outcome.replay.approval == "skipped":
            self._skipped = True
        self._report(outcome, None if self._first else changes_of(matched, case.items))
        return True

    def _ended(self, how: str, why: Json) -> None:
        """Keeps why a repetition gave no output, if it is the first that says why."""
        if self._end.get(how) is None:
            self._end[how] = why

    def _report(self, outcome: Outcome, changes: ItemChanges | None) -> None:
        """Counts what a repetition's calls were refused; its changes and calls are kept if it is the first."""
        replay = outcome.replay
        tools = replay.tools if replay is not None else ()
        self._refused = max(self._refused, sum(1 for tool in tools if tool.source == "refused"))
        if not self._first:
            self._first = {"changes": changes}
            if replay is not None and "tools" in replay.model_fields_set:
                self._first["tools"] = tools

    def result(self, verdicts: Verdicts | None) -> CaseResult:
        """The case's result."""
        end: dict[str, Any] = {}
        if not self._scores and self._end:
            name = "stopped" if "stopped" in self._end else "error"
            end = {name: self._end[name]}
        baseline = baseline_score(self._case, self._settings)
        scores = tuple(self._scores)
        graded: dict[str, Any] = {}
        if verdicts is not None and (self._case.expect is not None or self._case.corrections):
            found = grade(
                self._case,
                self._outcomes,
                verdicts.get(self._case.case_id, ()),
                self._settings.weighing,
            )
            told = ("corrections", "correction_differences", "unchecked")
            graded = {name: getattr(found, name) for name in told if getattr(found, name)}
            baseline = with_checks(baseline, found.baseline)
            scores = tuple([with_checks(score, found.candidate) for score in scores])
        return CaseResult.make(
            case_id=self._case.case_id,
            run_ids=tuple(self._run_ids),
            baseline=baseline,
            candidate=scores,
            **self._first,
            diverged=self._diverged,
            refused_writes=self._refused,
            no_context="context" not in self._case.model_fields_set,
            approval_skipped=self._skipped,
            **end,
            **graded,
        )


def _case_result(
    case: Case, replays: _Replays, settings: ComparisonSettings, verdicts: Verdicts | None
) -> CaseResult | Outcome:
    """A case's result, or the outcome that leaves it out (`erased`) or ends the comparison (`halt`)."""
    tally = _Tally(case, settings)
    for _ in range(int(settings.repetitions)):
        outcome = replays.next(case.case_id)
        if outcome.erased or outcome.halt is not None:
            return outcome if not outcome.erased else Outcome(erased=True)
        if tally.add(outcome) and outcome.provider is not None:
            replays.count(outcome.provider)
    return tally.result(verdicts)


def summarize(
    options: ComparisonOptions,
    cases: Iterable[Case],
    results: Sequence[CaseResult],
    models: tuple[SamplingModel, ...],
    more: Mapping[str, Any],
) -> ComparisonSummary:
    """A comparison in numbers. `cases` are those it meant to run; `more` are fields of its own kind of run."""
    settings = options.comparison
    errors = sum(1 for result in results if "error" in result.model_fields_set)
    sample: dict[str, Any] = {"sample": settings.sample} if settings.sample is not None else {}
    refused: float = 0
    for result in results:
        refused += result.refused_writes
    return ComparisonSummary.make(
        comparison_id=options.comparison_id,
        status=_status(len(results), errors),
        completed_at=options.completed_at or datetime.now(UTC),
        test_set=options.test_set,
        candidate=_candidate(options),
        baseline=Baseline.make(kind="recorded", versions=tuple(_recorded_versions(cases))),
        scope=_scope(options),
        cases=len(results),
        diverged=sum(1 for result in results if result.diverged),
        refused_writes=refused,
        errors=errors,
        stopped=sum(1 for result in results if "stopped" in result.model_fields_set),
        reads=settings.reads,
        weighing=settings.weighing or "as-recorded",
        **sample,
        sampling=Sampling.make(models=models),
        repetitions=settings.repetitions,
        metrics=metrics_of(results, settings.repetitions, settings.k),
        **more,
        **_checked(results),
    )


def _checked(results: Sequence[CaseResult]) -> dict[str, Any]:
    """How many corrections were checked and passed, and which cases couldn't be; each only where there are any."""
    told: dict[str, Any] = {}
    checked = [one.passed for result in results for one in result.corrections]
    if checked:
        told["corrections"] = CorrectionCounts.make(checked=len(checked), passed=sum(checked))
    reasons = [result.unchecked for result in results if result.unchecked is not None]
    if reasons:
        told["unchecked"] = UncheckedCases.make(count=len(reasons), reasons=tuple(dict.fromkeys(reasons)))
    return told


def _status(results: int, errors: int) -> Literal["completed", "partial", "failed"]:
    if results and not errors:
        return "completed"
    return "partial" if errors < results else "failed"


def _scope(options: ComparisonOptions) -> Scope:
    of_test_set = options.test_set.spec.get("projectId")
    project_id = of_test_set if isinstance(of_test_set, str) else options.project_id
    return Scope(project_id=project_id)


def _recorded_versions(cases: Iterable[Case]) -> Iterator[RecordedVersion]:
    counts: dict[str, tuple[Case, int]] = {}
    for case in cases:
        if case.from_nothing:
            # No version answered it.
            continue
        subject = case.subject
        key = f"{subject.kind}:{subject.id}@{subject.version}"
        first, count = counts.get(key, (case, 0))
        counts[key] = (first, count + 1)
    for first, count in counts.values():
        subject = first.subject
        name = "flow_id" if subject.kind == "flow" else "agent_id"
        yield RecordedVersion(**{name: subject.id}, version=subject.version, cases=count)


def _candidate(options: ComparisonOptions) -> Candidate:
    target, settings = options.target, options.comparison
    given: dict[str, Any] = {}
    if "agent_id" not in target.model_fields_set:
        if target.flow_id is not None:
            given["flow_id"] = target.flow_id
        if settings.versions is not None:
            given["versions"] = settings.versions
        return Candidate.make(kind="flow", version=target.version, **given)
    if options.pins_digest is not None and "version" in target.model_fields_set:
        given["pins_digest"] = options.pins_digest
    overrides = settings.overrides if isinstance(settings.overrides, dict) else {}
    replaced = {name: _block_ids(overrides.get(name)) for name in ("settings", "prompts")}
    if any(replaced.values()):
        given["overrides"] = {name: ids for name, ids in replaced.items() if ids}
    return Candidate.make(kind="agent", agent_id=target.agent_id, version=target.version, **given)


def _block_ids(blocks: Json) -> tuple[str, ...]:
    return tuple(sorted(blocks, key=utf16_order)) if isinstance(blocks, dict) else ()
