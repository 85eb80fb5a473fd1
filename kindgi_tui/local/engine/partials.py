"""What a running comparison comes to so far: each case rated once, when it finished (DESIGN section 5)."""

import asyncio
import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparing import compare, summarize, taken_cases
from kindgi_tui.domain.comparison_options import options_of
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.comparisons import (
    CaseResult,
    ComparisonOptions,
    ComparisonResult,
    SamplingModel,
)
from kindgi_tui.domain.corrections import AnswerVerdict
from kindgi_tui.domain.grading import next_answer
from kindgi_tui.domain.replays import Outcome
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.engine.results import with_ours
from kindgi_tui.local.store import comparisons, repetitions
from kindgi_tui.local.store.checks import JudgedAnswer, judged_answers, verdicts_by_case
from kindgi_tui.local.store.repetitions import FinishedRepetition
from kindgi_tui.local.store.test_sets import all_cases
from kindgi_tui.storage.sqlite import Database
from kindgi_tui.wire import v01

LEAST_SECONDS = 0.25
"""How long a partial result stands at least before it is computed again."""


@dataclass
class Partial:
    """The partial result of one comparison, kept between two looks at it."""

    cases: tuple[Case, ...]
    """The cases it runs, in the test set's order."""
    options: ComparisonOptions
    """How it is rated."""
    finished: dict[tuple[str, int], FinishedRepetition] = field(default_factory=dict)
    """What finished, by case id and repetition."""
    judged: dict[tuple[str, str, int], JudgedAnswer] = field(default_factory=dict)
    """What the judging model found, by case id, entry and repetition."""
    results: dict[str, CaseResult] = field(default_factory=dict)
    """Each case as it was last rated."""
    written: dict[str, Json] = field(default_factory=dict)
    """Each of them as it is written."""
    models: dict[str, tuple[SamplingModel, ...]] = field(default_factory=dict)
    """Which models answered each case."""
    document: Json = None
    """The whole as it was last told."""
    computed_at: float = -LEAST_SECONDS
    """When that was, on the monotonic clock."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One at a time computes it."""


def load_partial(connection: sqlite3.Connection, comparison: Comparison) -> Partial:
    """A partial result to begin with: nothing is rated yet."""
    options = options_of(comparison.request, comparison.id, comparison.test_set_version)
    every = all_cases(connection, comparisons.version_of(connection, comparison.id))
    cases, _ = taken_cases(every, options.comparison)
    # The cases are the sample's already, and weighed; a sample of them would be another.
    whole = options.comparison.model_copy(update={"sample": None})
    return Partial(cases, options.model_copy(update={"comparison": whole}))


async def partial_result(database: Database, partial: Partial, comparison: Comparison) -> Json:
    """The result of what finished so far, in a result's shape with linearised intervals; None before anything did.

    It is computed off the event loop, at most four times a second, and only when something finished since.
    """
    async with partial.lock:
        progress = comparison.progress
        if (progress.finished, progress.judged) == (len(partial.finished), len(partial.judged)):
            return partial.document
        # What is told is never older than what was asked about.
        await asyncio.sleep(LEAST_SECONDS - (time.monotonic() - partial.computed_at))
        found, judged = await database.read(
            lambda c: (
                repetitions.finished_repetitions(c, comparison.id, partial.finished),
                judged_answers(c, comparison.id, partial.judged),
            )
        )
        if not found and not judged:
            return partial.document
        partial.finished.update({(one.case_id, one.repetition): one for one in found})
        partial.judged.update(
            {(one.case_id, one.verdict.entry_id, one.verdict.repetition): one for one in judged}
        )
        changed = {one.case_id for one in found} | {one.case_id for one in judged}
        told = [one for one in partial.finished.values() if one.case_id in changed]
        runs = [one.run_id for one in told if one.run_id is not None]
        outputs = await database.read(lambda c: repetitions.outputs_of_runs(c, runs))
        partial.document = await asyncio.to_thread(
            _computed, partial, told, outputs, progress.cost_usd or 0.0
        )
        partial.computed_at = time.monotonic()
        return partial.document


def _computed(
    partial: Partial, told: list[FinishedRepetition], outputs: dict[str, Json], cost_usd: float
) -> Json:
    outcomes: dict[str, list[dict[str, Any]]] = {}
    for one in sorted(told, key=lambda each: each.repetition):
        outcome: dict[str, Any] = dict(one.outcome)
        if "error" not in outcome and one.run_id is not None:
            outcome["output"] = outputs.get(one.run_id)
        outcomes.setdefault(one.case_id, []).append(outcome)
    options = partial.options
    judged = list(partial.judged.values())
    verdicts = verdicts_by_case(judged)
    for case in partial.cases:
        if case.case_id not in outcomes:
            continue
        # Repetitions still to come are no errors: the case is rated on those it has.
        settings = options.comparison.model_copy(update={"repetitions": len(outcomes[case.case_id])})
        # A case is checked when everything it needs is there: until then it hasn't failed.
        whole = len(outcomes[case.case_id]) == options.comparison.repetitions and _all_judged(
            case, outcomes[case.case_id], verdicts, options
        )
        rated = compare(
            [case],
            outcomes,
            options.model_copy(update={"comparison": settings}),
            verdicts if whole else None,
        )
        if rated.summary is not None and rated.per_case:
            partial.results[case.case_id] = rated.per_case[0]
            partial.written[case.case_id] = v01.dump(rated.per_case[0])
            partial.models[case.case_id] = rated.summary.sampling.models
    started = [case for case in partial.cases if case.case_id in partial.results]
    results = [partial.results[case.case_id] for case in started]
    summary = summarize(options, started, results, _models(partial), {})
    result = ComparisonResult.make(summary=summary, per_case=tuple(results))
    written = [partial.written[case.case_id] for case in started]
    return with_ours(result, started, options, len(started), cost_usd, judged, so_far=written)


def _all_judged(
    case: Case,
    outcomes: list[dict[str, Any]],
    verdicts: Mapping[str, Sequence[AnswerVerdict]],
    options: ComparisonOptions,
) -> bool:
    """Whether no answer of a case is left to judge."""
    if case.expect is None and not case.corrections:
        return True
    read = [Outcome.read(outcome) for outcome in outcomes]
    return next_answer(case, read, verdicts.get(case.case_id, ()), options.comparison.weighing) is None


def _models(partial: Partial) -> tuple[SamplingModel, ...]:
    runs: dict[tuple[str, str], int] = {}
    for models in partial.models.values():
        for model in models:
            key = (model.provider_id, model.model)
            runs[key] = runs.get(key, 0) + int(model.runs)
    return tuple(
        SamplingModel.make(provider_id=provider, model=model, runs=count)
        for (provider, model), count in runs.items()
    )
