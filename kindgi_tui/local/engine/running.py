"""Running a comparison: its repetitions at once, each written down before it counts (DESIGN section 9)."""

import asyncio
import contextlib
import os
import sqlite3
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparing import taken_cases
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.engine.candidates import Candidate, load_candidate
from kindgi_tui.local.engine.launching import launches
from kindgi_tui.local.engine.replaying import Replayed, ReplaySettings, failed_replay, replay_case
from kindgi_tui.local.engine.results import compute_result, options_of
from kindgi_tui.local.engine.spending import LimitReached, Spending
from kindgi_tui.local.engine.turns import Answering
from kindgi_tui.local.models.asking import Models
from kindgi_tui.local.models.cache import CachedModels
from kindgi_tui.local.models.config import ModelsConfig
from kindgi_tui.local.packs.services import PackServices
from kindgi_tui.local.store import catalog, comparisons
from kindgi_tui.local.store.runs import insert_run
from kindgi_tui.local.store.test_sets import all_cases
from kindgi_tui.storage.sqlite import Database
from kindgi_tui.workbench import WorkbenchError

CANCEL_POLL_SECONDS = 0.25
"""How often the one who runs it looks whether it shall cancel."""

INTERRUPTED = (
    "Interrupted: the test run's executor stopped before it finished. {finished} of {cases} cases finished."
)
"""What a comparison whose executor stopped says (document 001)."""


@dataclass
class _Run:
    """A comparison under way."""

    comparison: Comparison
    cases: tuple[Case, ...]
    settings: ReplaySettings
    owner: str
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    reason: str | None = None
    queue: "asyncio.Queue[tuple[Replayed, asyncio.Future[None]] | None]" = field(
        default_factory=asyncio.Queue
    )

    def end(self, reason: str) -> None:
        if self.reason is None:
            self.reason = reason
            self.stop.set()


async def run_comparison(database: Database, folder: Path, comparison_id: str, config: ModelsConfig) -> bool:
    """Runs a pending comparison to its end; False when it is somebody else's.

    Finished repetitions are not run again. What goes wrong with a case is that case's error.
    """
    owner = str(uuid.uuid4())
    if not await database.write(lambda c: comparisons.claim(c, comparison_id, owner, os.getpid())):
        return False
    try:
        reason, cases = await _run_owned(database, folder, comparison_id, owner, config)
    except asyncio.CancelledError:
        # The process was told to end: what finished is kept, and the comparison can be resumed.
        await asyncio.shield(_end_interrupted(database, comparison_id, owner))
        raise
    except WorkbenchError as cause:
        sentence = cause.sentence
        await database.write(
            lambda c: comparisons.finish(c, comparison_id, owner, "failed", None, error=sentence)
        )
        return True
    await finish_comparison(database, comparison_id, owner, reason, cases)
    return True


async def _run_owned(
    database: Database, folder: Path, comparison_id: str, owner: str, config: ModelsConfig
) -> tuple[str | None, tuple[Case, ...]]:
    comparison = await database.read(lambda c: comparisons.get_comparison(c, comparison_id))
    request = comparison.request

    def load(connection: sqlite3.Connection) -> tuple[tuple[Case, ...], Candidate]:
        seq = comparisons.version_of(connection, comparison_id)
        return all_cases(connection, seq), load_candidate(
            connection, request.agent_id or "", request.subject_version
        )

    every, candidate = await database.read(load)
    options = options_of(request, comparison_id, comparison.test_set_version)
    cases, _ = taken_cases(every, options.comparison)
    model = config.resolve(candidate.agent.preferred_provider, candidate.agent.preferred_model)
    settings = ReplaySettings(comparison_id, comparison.project_id, candidate, model, request.reads == "live")
    run = _Run(comparison, cases, settings, owner)
    async with (
        PackServices(folder / "packs", launches(database), logs_dir=folder / "logs") as services,
        contextlib.AsyncExitStack() as stack,
    ):
        inner = await stack.enter_async_context(Models(config)) if config.providers else None
        models: Answering = stored_models(database, inner, request.fresh)
        if request.cost_limit is not None:
            models = Spending(models, request.cost_limit, comparison.progress.cost_usd)
        await _run_all(database, run, models, services)
    return run.reason, cases


def stored_models(database: Database, inner: Models | None, fresh: bool) -> CachedModels:
    """The models behind the workspace's reply cache."""

    async def get(key: str) -> Json | None:
        return await database.read(lambda c: catalog.get_reply(c, key))

    async def put(key: str, reply: Json) -> None:
        await database.write(lambda c: catalog.put_replies(c, {key: reply}))

    return CachedModels(inner, get, put, fresh=fresh)


async def _end_interrupted(database: Database, comparison_id: str, owner: str) -> None:
    cases = await database.read(lambda c: _cases_of(c, comparison_id))
    await finish_comparison(database, comparison_id, owner, "interrupted", cases)


def _cases_of(connection: sqlite3.Connection, comparison_id: str) -> tuple[Case, ...]:
    """The cases a comparison was to run."""
    comparison = comparisons.get_comparison(connection, comparison_id, with_result=False)
    every = all_cases(connection, comparisons.version_of(connection, comparison_id))
    options = options_of(comparison.request, comparison_id, comparison.test_set_version)
    return taken_cases(every, options.comparison)[0]


async def _run_all(database: Database, run: _Run, models: Answering, services: PackServices) -> None:
    request = run.comparison.request
    done = {
        (one.case_id, one.repetition)
        for one in await database.read(lambda c: comparisons.finished_repetitions(c, run.comparison.id))
    }
    waiting = iter(
        [
            (case, repetition)
            for repetition in range(1, request.repetitions + 1)
            for case in run.cases
            if (case.case_id, repetition) not in done
        ]
    )
    writer = asyncio.create_task(_write_down(database, run))
    watch = asyncio.create_task(_watch(database, run))

    async def worker() -> None:
        # All workers share one iterator, so each takes the next repetition as it gets free.
        for case, repetition in waiting:
            replayed = await _one(run, case, repetition, models, services)
            if replayed is None:
                return
            written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            run.queue.put_nowait((replayed, written))
            await written

    workers = [asyncio.create_task(worker()) for _ in range(max(1, request.concurrency))]
    stopped = asyncio.create_task(run.stop.wait())
    try:
        everything = asyncio.gather(*workers)
        stopped.add_done_callback(lambda _: everything.cancel())
        with contextlib.suppress(asyncio.CancelledError):
            await everything
        if run.reason is None and (task := asyncio.current_task()) is not None and task.cancelling():
            raise asyncio.CancelledError
    finally:
        stopped.cancel()
        run.queue.put_nowait(None)
        await writer
        watch.cancel()
        await asyncio.gather(watch, stopped, return_exceptions=True)


async def _one(
    run: _Run, case: Case, repetition: int, models: Answering, services: PackServices
) -> Replayed | None:
    timeout = run.comparison.request.case_timeout
    try:
        async with asyncio.timeout(timeout):
            return await replay_case(run.settings, case, repetition, models, services)
    except TimeoutError:
        return failed_replay(
            case.case_id, repetition, f"It took longer than {timeout:g} seconds and was given up."
        )
    except LimitReached:
        # Calls in flight were reserved for, so they may still end.
        run.reason = run.reason or "cost-limit"
        return None


async def _write_down(database: Database, run: _Run) -> None:
    """Writes finished repetitions down, all that wait in one transaction, and then lets their workers go on."""
    ended = False
    while not ended:
        waiting = [await run.queue.get()]
        while not run.queue.empty():
            waiting.append(run.queue.get_nowait())
        ended = None in waiting
        batch = [each for each in waiting if each is not None]
        if not batch:
            continue
        try:
            owned = await database.write(partial(_record, run=run, batch=batch))
        except BaseException as cause:
            for _, written in batch:
                if not written.done():
                    written.set_exception(cause)
            run.end("trouble")
            raise
        if not owned:
            run.end("lost")
        for _, written in batch:
            if not written.done():
                written.set_result(None)


def _record(connection: sqlite3.Connection, run: _Run, batch: Sequence[tuple[Replayed, object]]) -> bool:
    repetitions = [replayed.repetition for replayed, _ in batch]
    if not comparisons.record_repetitions(connection, run.comparison.id, run.owner, repetitions):
        return False
    for replayed, _ in batch:
        if replayed.run is not None:
            insert_run(connection, replayed.run)
    return True


async def _watch(database: Database, run: _Run) -> None:
    """Beats the lease's heart, and looks whether the comparison shall cancel."""
    beaten = 0.0
    while True:
        now = time.monotonic()
        if now - beaten >= comparisons.HEARTBEAT_SECONDS:
            beaten = now
            why = await database.write(lambda c: comparisons.beat(c, run.comparison.id, run.owner))
        else:
            why = await database.read(lambda c: comparisons.cancel_wanted(c, run.comparison.id, run.owner))
        if why is not None:
            run.end(why)
            return
        await asyncio.sleep(CANCEL_POLL_SECONDS)


async def finish_comparison(
    database: Database, comparison_id: str, owner: str, reason: str | None, cases: Sequence[Case]
) -> None:
    """Ends a comparison its owner stopped running, with the result of what finished.

    `reason` is None at its end, `person` or `cost-limit` when it was cancelled, `interrupted` when its executor
    stopped, `lost` when somebody else ended it.
    """
    if reason == "lost":
        return
    comparison = await database.read(lambda c: comparisons.get_comparison(c, comparison_id))
    finished = await database.read(lambda c: comparisons.finished_repetitions(c, comparison_id))
    outputs = await database.read(lambda c: comparisons.replay_outputs(c, comparison_id))
    options = options_of(comparison.request, comparison_id, comparison.test_set_version)
    result: Json = None
    if finished:
        result = await asyncio.to_thread(
            compute_result, cases, finished, outputs, options, len(cases), comparison.progress.cost_usd
        )
    done = comparison.progress.finished_cases
    if reason is None:
        await database.write(lambda c: comparisons.finish(c, comparison_id, owner, "completed", result))
    elif reason in ("person", "cost-limit"):
        await database.write(
            lambda c: comparisons.finish(c, comparison_id, owner, "cancelled", result, cancel_reason=reason)
        )
    else:
        error = INTERRUPTED.format(finished=done, cases=comparison.progress.cases)
        await database.write(
            lambda c: comparisons.finish(c, comparison_id, owner, "failed", result, error=error)
        )


async def end_dead_leases(database: Database) -> None:
    """Ends every comparison whose executor stopped beating, `failed`, with what it got through."""
    dead = await database.read(comparisons.dead_leases)
    for comparison_id in dead:
        owner = str(uuid.uuid4())
        if await database.write(partial(_take_over, comparison_id=comparison_id, owner=owner)):
            await _end_interrupted(database, comparison_id, owner)


def _take_over(connection: sqlite3.Connection, comparison_id: str, owner: str) -> bool:
    return comparisons.take_over(connection, comparison_id, owner)
