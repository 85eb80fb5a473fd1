"""How a comparison ends: with the result of what finished, whoever stopped it (DESIGN sections 4 and 9)."""

import asyncio
import sqlite3
import uuid
from dataclasses import dataclass
from functools import partial
from typing import Literal

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparing import taken_cases
from kindgi_tui.domain.comparison_options import options_of
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.comparisons import ComparisonOptions
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.engine.results import compute_result
from kindgi_tui.local.store import comparisons, repetitions
from kindgi_tui.local.store.checks import JudgedAnswer, judged_answers
from kindgi_tui.local.store.repetitions import FinishedRepetition
from kindgi_tui.local.store.test_sets import all_cases
from kindgi_tui.storage.sqlite import Database

INTERRUPTED = (
    "Interrupted: the test run's executor stopped before it finished. {finished} of {cases} cases finished."
)
"""What a comparison whose executor stopped says."""


@dataclass(frozen=True)
class Ending:
    """Why a comparison ends."""

    status: Literal["completed", "cancelled", "failed"]
    """How it is shown from now on."""
    cancel_reason: str | None = None
    """`person` or `cost-limit`, when cancelled."""
    error: str | None = None
    """Why it failed, in words; None on `failed`: its executor stopped."""
    with_result: bool = True
    """Whether the result of what finished is stored; it can be had again by resuming."""


COMPLETED = Ending("completed")
"""Everything ran."""

STOPPED = Ending("failed")
"""Its executor stopped."""


@dataclass(frozen=True)
class _Finished:
    comparison: Comparison
    cases: tuple[Case, ...]
    options: ComparisonOptions
    repetitions: list[FinishedRepetition]
    outputs: dict[str, Json]
    judged: list[JudgedAnswer]


def _finished(connection: sqlite3.Connection, comparison_id: str) -> _Finished:
    comparison = comparisons.get_comparison(connection, comparison_id, with_result=False)
    options = options_of(comparison.request, comparison_id, comparison.test_set_version)
    every = all_cases(connection, comparisons.version_of(connection, comparison_id))
    return _Finished(
        comparison,
        taken_cases(every, options.comparison)[0],
        options,
        repetitions.finished_repetitions(connection, comparison_id),
        repetitions.replay_outputs(connection, comparison_id),
        judged_answers(connection, comparison_id),
    )


async def finish_comparison(database: Database, comparison_id: str, owner: str, ending: Ending) -> bool:
    """Ends a comparison that `owner` runs, with the result of what finished; False when somebody else owns it."""
    found = await database.read(partial(_finished, comparison_id=comparison_id))
    if found.comparison.status not in ("pending", "running"):
        return False
    progress = found.comparison.progress
    result: Json = None
    if found.repetitions and ending.with_result:
        result = await asyncio.to_thread(
            compute_result,
            found.cases,
            found.repetitions,
            found.outputs,
            found.options,
            len(found.cases),
            progress.cost_usd or 0.0,
            found.judged,
        )
    error = ending.error
    if ending.status == "failed" and error is None:
        error = INTERRUPTED.format(finished=progress.finished_cases, cases=progress.cases)
    return await database.write(
        lambda c: comparisons.finish(
            c, comparison_id, owner, ending.status, result, error=error, cancel_reason=ending.cancel_reason
        )
    )


async def end_dead_leases(database: Database) -> None:
    """Ends every comparison whose executor stopped beating, `failed`, with what it got through."""
    for comparison_id in await database.read(comparisons.dead_leases):
        owner = str(uuid.uuid4())
        if await database.write(partial(comparisons.take_over, comparison_id=comparison_id, owner=owner)):
            await finish_comparison(database, comparison_id, owner, STOPPED)
