"""Running a comparison: its repetitions at once, each written down before it counts (DESIGN section 9)."""

import asyncio
import contextlib
import logging
import os
import sqlite3
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kindgi_tui.domain.comparing import taken_cases
from kindgi_tui.domain.comparison_options import options_of
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.engine.candidates import Candidate, load_candidate, settings_changed
from kindgi_tui.local.engine.ending import COMPLETED, STOPPED, Ending, finish_comparison
from kindgi_tui.local.engine.judging_answers import Judging, judge_of
from kindgi_tui.local.engine.judging_prompt import worth_keeping
from kindgi_tui.local.engine.launching import launches
from kindgi_tui.local.engine.notebook import Notebook
from kindgi_tui.local.engine.replaying import Replayed, ReplaySettings, failed_replay, replay_case
from kindgi_tui.local.engine.spending import LimitReached, Spending
from kindgi_tui.local.engine.turns import Answering
from kindgi_tui.local.models.asking import Models
from kindgi_tui.local.models.cache import CachedModels
from kindgi_tui.local.models.config import ModelsConfig, load_models
from kindgi_tui.local.packs.services import PackServices
from kindgi_tui.local.store import comparisons, repetitions
from kindgi_tui.local.store.checks import JudgedAnswer, judged_answers
from kindgi_tui.local.store.repetitions import FinishedRepetition
from kindgi_tui.local.store.test_sets import all_cases
from kindgi_tui.storage.sqlite import Database, Trouble
from kindgi_tui.workbench import WorkbenchError

CANCEL_POLL_SECONDS = 0.25
"""How often the one who runs it looks whether it shall cancel."""

LAST_WORDS = 5
"""How often an executor in trouble tries to write down why it ends, a second apart."""

_log = logging.getLogger(__name__)


@dataclass
class _Run:
    """A comparison under way."""

    comparison: Comparison
    cases: tuple[Case, ...]
    done: frozenset[tuple[str, int]]
    settings: ReplaySettings
    owner: str
    notebook: Notebook
    judging: Judging
    unjudged: list[Case]
    """Cases that had finished before, and whose answers are still to be judged."""
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    reason: str | None = None

    def end(self, reason: str) -> None:
        """Stops everything that runs; the first reason counts."""
        self.reason = self.reason or reason
        self.stop.set()


async def run_comparison(
    database: Database, folder: Path, comparison_id: str, config: ModelsConfig | None = None
) -> bool:
    """Runs a pending comparison to its end; False when it is somebody else's.

    Finished repetitions are not run again. What goes wrong with a case is that case's error. Without `config` the
    workspace's models are used. Raises CancelledError, after it ended the comparison as interrupted, and Trouble when
    it can't even be written down why it ends: then the lease tells.
    """
    owner = str(uuid.uuid4())
    if not await database.write(lambda c: comparisons.claim(c, comparison_id, owner, os.getpid())):
        return False
    try:
        await _run_owned(database, folder, comparison_id, owner, config)
    except asyncio.CancelledError:
        # Told to end before it was under way; what finished before is kept, and it can be resumed.
        await asyncio.shield(finish_comparison(database, comparison_id, owner, STOPPED))
        raise
    except WorkbenchError as cause:
        await _end_in_trouble(database, comparison_id, owner, cause.sentence)
    except Exception as cause:  # noqa: BLE001  # told in the comparison and the log
        _log.exception("Comparison %s ended by a mistake of this program.", comparison_id)
        await _end_in_trouble(database, comparison_id, owner, _mistake(cause))
    return True


def _mistake(cause: Exception) -> str:
    return (
        f"kindgi-tui made a mistake here ({type(cause).__name__}: {str(cause)[:200]}); "
        "logs/comparisons.log in the workspace has more."
    )


async def _end_in_trouble(database: Database, comparison_id: str, owner: str, sentence: str) -> None:
    for attempt in range(1, LAST_WORDS + 1):
        try:
            # On a full disk there may be room for the sentence where there is none for a result.
            ending = Ending("failed", error=sentence, with_result=attempt == 1)
            await finish_comparison(database, comparison_id, owner, ending)
            return
        except Trouble:
            if attempt == LAST_WORDS:
                raise
            await asyncio.sleep(0 if attempt == 1 else 1.0)


async def _run_owned(
    database: Database, folder: Path, comparison_id: str, owner: str, config: ModelsConfig | None
) -> None:
    if config is None:
        config = await asyncio.to_thread(load_models, folder)
    comparison, every, candidate, finished, judged = await database.read(lambda c: _load(c, comparison_id))
    done = frozenset((one.case_id, one.repetition) for one in finished)
    request = comparison.request
    cases, _ = taken_cases(every, options_of(request, comparison_id, comparison.test_set_version).comparison)
    model = candidate.model(config)
    settings = ReplaySettings(
        comparison_id,
        comparison.project_id,
        candidate,
        model,
        request.reads == "live",
        other_settings=await database.read(
            lambda c: settings_changed(c, candidate, (case.subject for case in cases))
        ),
        asked_at=comparison.created_at,
    )
    judging = Judging(
        judge_of(request.judge_model, model, judged),
        request.repetitions,
        request.weighing,
        request.case_timeout,
    )
    unjudged = await _unjudged(database, judging, cases, finished, judged)
    async with (
        PackServices(folder / "packs", launches(database), logs_dir=folder / "logs") as services,
        contextlib.AsyncExitStack() as stack,
    ):
        asked = None
        if config.providers:
            inner = await stack.enter_async_context(Models(config, at_once=request.concurrency))
            spent = comparison.progress.cost_usd or 0.0
            asked = Spending(inner, request.cost_limit, spent, _dearest_call(finished, judged))
        notebook = stack.enter_context(
            Notebook(database, comparison_id, owner, lambda: None if asked is None else asked.spent_usd)
        )
        models = CachedModels(asked, notebook.reply, notebook.keep, fresh=request.fresh, keeps=worth_keeping)
        run = _Run(comparison, cases, done, settings, owner, notebook, judging, unjudged)
        async with _lease(database, run):
            try:
                await _run_all(run, models, services)
            except asyncio.CancelledError:
                # Its end is written before anything else is closed, which may take a while.
                await asyncio.shield(finish_comparison(database, comparison_id, owner, STOPPED))
                raise
            if asked is not None:
                spent = asked.spent_usd
                await database.write(
                    lambda c: repetitions.record_repetitions(c, comparison_id, owner, (), spent)
                )
            if run.reason != "lost":
                ending = COMPLETED if run.reason is None else Ending("cancelled", cancel_reason=run.reason)
                await finish_comparison(database, comparison_id, owner, ending)


def _load(
    connection: sqlite3.Connection, comparison_id: str
) -> tuple[Comparison, tuple[Case, ...], Candidate, list[FinishedRepetition], list[JudgedAnswer]]:
    comparison = comparisons.get_comparison(connection, comparison_id, with_result=False)
    request = comparison.request
    seq = comparisons.version_of(connection, comparison_id)
    candidate = load_candidate(connection, request.agent_id or "", request.subject_version, request.overrides)
    finished = repetitions.finished_repetitions(connection, comparison_id)
    judged = judged_answers(connection, comparison_id)
    return comparison, all_cases(connection, seq), candidate, finished, judged


async def _unjudged(
    database: Database,
    judging: Judging,
    cases: Sequence[Case],
    finished: Sequence[FinishedRepetition],
    judged: Sequence[JudgedAnswer],
) -> list[Case]:
    """The cases that finished before it was stopped, and whose answers are still to be judged."""
    expected = {case.case_id for case in cases if judging.expected_of(case)}
    runs = [one.run_id for one in finished if one.case_id in expected and one.run_id is not None]
    outputs = await database.read(lambda c: repetitions.outputs_of_runs(c, runs))
    return judging.resumed(cases, finished, outputs, judged)


def _dearest_call(finished: Sequence[FinishedRepetition], judged: Sequence[JudgedAnswer]) -> float:
    """About what the dearest call so far cost: each message with tool calls took one, and the answer."""
    judging: dict[tuple[str, int], float] = {}
    dearest = 0.0
    for one in judged:
        place = (one.case_id, one.verdict.repetition)
        judging[place] = judging.get(place, 0.0) + one.cost_usd
        dearest = max(dearest, one.cost_usd / max(one.tries, 1))
    for repetition in finished:
        report = repetition.outcome.get("replay")
        tools = report.get("tools") if isinstance(report, dict) else None
        steps = {
            tool.get("step") for tool in (tools if isinstance(tools, list) else []) if isinstance(tool, dict)
        }
        turn = repetition.cost_usd - judging.get((repetition.case_id, repetition.repetition), 0.0)
        dearest = max(dearest, turn / (len(steps) + 1))
    return dearest


async def _run_all(run: _Run, models: Answering, services: PackServices) -> None:
    """Runs what is left, as many at once as asked; ends early when `run.stop` is set. Raises what writing raises."""
    request = run.comparison.request
    waiting = (
        (case, repetition)
        for repetition in range(1, request.repetitions + 1)
        for case in run.cases
        if (case.case_id, repetition) not in run.done
    )

    unjudged = iter(run.unjudged)

    async def worker() -> None:
        # All workers share these iterators, so each takes the next one as it gets free.
        for case in unjudged:
            if not await _judged(run, case, models):
                return
        for case, repetition in waiting:
            replayed = await _one(run, case, repetition, models, services)
            if replayed is None:
                return
            await run.notebook.finished(replayed)
            output = None if replayed.run is None else replayed.run.output
            # Whoever finished the last of a case's repetitions has its answers judged, beside the others.
            if run.judging.finished(case, replayed.repetition, output) and not await _judged(
                run, case, models
            ):
                return

    writer = asyncio.create_task(_write(run))
    left = len(run.cases) * request.repetitions - len(run.done) + len(run.unjudged)
    workers = [asyncio.create_task(worker()) for _ in range(max(1, min(request.concurrency, left)))]
    stopped = asyncio.create_task(run.stop.wait())
    everything = asyncio.gather(*workers)
    stopped.add_done_callback(lambda _: everything.cancel())
    try:
        with contextlib.suppress(asyncio.CancelledError):
            await everything
    finally:
        stopped.cancel()
        # One that fails ends the others too: none of them asks a model any more.
        for each in workers:
            each.cancel()
        try:
            await asyncio.gather(*workers, return_exceptions=True)
        finally:
            # What finished until now is kept, also when it was told to end.
            run.notebook.close()
            await asyncio.shield(writer)
    if (task := asyncio.current_task()) is not None and task.cancelling():
        raise asyncio.CancelledError


async def _write(run: _Run) -> None:
    try:
        if not await run.notebook.write():
            run.end("lost")
    except BaseException:
        run.end("trouble")
        raise


async def _one(
    run: _Run, case: Case, repetition: int, models: Answering, services: PackServices
) -> Replayed | None:
    """One repetition; whatever goes wrong is its error. None when the cost limit lets it not end."""
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
    except Exception as cause:  # noqa: BLE001  # told in the case and the log
        _log.exception("Case %s, repetition %d", case.case_id, repetition)
        return failed_replay(case.case_id, repetition, _mistake(cause))


async def _judged(run: _Run, case: Case, models: Answering) -> bool:
    """Has a finished case's answers judged; False when the cost limit lets it not end."""
    try:
        await run.judging.case(case, models, run.notebook.judged)
    except LimitReached:
        run.reason = run.reason or "cost-limit"
        return False
    return True


@contextlib.asynccontextmanager
async def _lease(database: Database, run: _Run) -> AsyncIterator[None]:
    """Keeps the comparison's lease alive, and looks whether it shall cancel."""
    watch = asyncio.create_task(_watch(database, run))
    try:
        yield
    finally:
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)


async def _watch(database: Database, run: _Run) -> None:
    identity, owner = run.comparison.id, run.owner
    beats_every = comparisons.lease_seconds() / comparisons.BEATS_PER_LEASE
    beaten = 0.0
    while True:
        now = time.monotonic()
        why: str | None = None
        try:
            if now - beaten >= beats_every:
                why = await database.write(lambda c: comparisons.beat(c, identity, owner))
                beaten = now
            else:
                why = await database.read(lambda c: comparisons.cancel_wanted(c, identity, owner))
        except Trouble as cause:
            # Writing a repetition meets the same trouble and ends the run; a short lock passes.
            _log.warning("%s", cause.sentence)
        if why is not None:
            run.end(why)
            return
        await asyncio.sleep(min(CANCEL_POLL_SECONDS, beats_every))
