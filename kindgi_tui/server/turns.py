"""The turns that run behind an answer already given: seen as running, cancelled, recorded when they end."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.runs import RunDetail

_LOG = logging.getLogger("kindgi_tui.server")

Begun = Callable[[RunDetail], None]
"""Is told of a run that begins."""


@dataclass(frozen=True)
class _Running:
    run: RunDetail
    task: asyncio.Task[RunDetail]


class Turns:
    """The turns of one server that run now. Nothing of them is in the workspace before they end."""

    def __init__(self) -> None:
        self._running: dict[str, _Running] = {}

    async def begin(self, take: Callable[[Begun], Awaitable[RunDetail]]) -> RunDetail:
        """Begins a turn and gives its run once it is under way. Raises what `take` raises before that."""
        begun: asyncio.Future[RunDetail] = asyncio.get_running_loop().create_future()

        async def taken() -> RunDetail:
            return await take(begun.set_result)

        task = asyncio.create_task(taken())
        await asyncio.wait((task, begun), return_when=asyncio.FIRST_COMPLETED)
        if not begun.done():
            return task.result()
        run = begun.result()
        self._running[run.id] = _Running(run, task)
        task.add_done_callback(lambda done: self._ended(run.id, done))
        return run

    def get(self, run_id: str) -> RunDetail | None:
        """The run with that id, while it runs."""
        found = self._running.get(run_id)
        return found.run if found is not None else None

    def matching(self, query: RunFilter) -> list[RunDetail]:
        """Those that a list of runs holds, newest first."""
        runs = [one.run for one in self._running.values() if _fits(one.run, query)]
        return sorted(runs, key=lambda run: (run.created_at, run.id), reverse=True)

    async def cancel(self, run_id: str) -> None:
        """Stops a turn, and waits until it is recorded so; one that isn't there has ended already."""
        found = self._running.get(run_id)
        if found is not None:
            found.task.cancel()
            await asyncio.wait((found.task,))

    async def finish(self, ended: asyncio.Event) -> None:
        """Waits until none runs; once `ended` is set those left are stopped, and recorded so."""
        waiting = asyncio.create_task(ended.wait())
        while self._running:
            tasks = [one.task for one in self._running.values()]
            if ended.is_set():
                for task in tasks:
                    task.cancel()
                await asyncio.wait(tasks)
            else:
                await asyncio.wait((*tasks, waiting), return_when=asyncio.FIRST_COMPLETED)
            # The tasks' own callbacks take them off.
            await asyncio.sleep(0)
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waiting

    def _ended(self, run_id: str, task: asyncio.Task[RunDetail]) -> None:
        self._running.pop(run_id, None)
        if not task.cancelled() and (cause := task.exception()) is not None:
            _LOG.error("the turn of run %s", run_id, exc_info=cause)


def _fits(run: RunDetail, query: RunFilter) -> bool:
    since, until = query.created_since, query.created_until
    return (
        query.comparison_id is None
        and query.replays != "only"
        and query.project_id in (None, run.project_id)
        and query.subject_kind in (None, run.subject.kind)
        and query.subject_id in (None, run.subject.id)
        and query.subject_version in (None, run.subject.version)
        and (not query.statuses or run.status in query.statuses)
        and (since is None or run.created_at >= since)
        and (until is None or run.created_at < until)
    )
