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
        self._tasks: set[asyncio.Task[RunDetail]] = set()
        # Those that run, and those that are about to begin.

    async def begin(self, take: Callable[[Begun], Awaitable[RunDetail]]) -> RunDetail:
        """Begins a turn and gives its run once it is under way. Raises what `take` raises before that.

        Whoever lets it go before that has begun nothing; one that is under way goes on, and `finish` waits for it.
        """
        begun: asyncio.Future[RunDetail] = asyncio.get_running_loop().create_future()

        def told(run: RunDetail) -> None:
            # At once, and not when whoever waits wakes up: they may be let go in between.
            self._running[run.id] = _Running(run, task)
            if not begun.done():
                begun.set_result(run)

        async def taken() -> RunDetail:
            return await take(told)

        task = asyncio.create_task(taken())
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        try:
            await asyncio.wait((task, begun), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if not begun.done():
                task.cancel()
                await asyncio.wait((task,))
            raise
        return begun.result() if begun.done() else task.result()

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
        while self._tasks:
            tasks = tuple(self._tasks)
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

    def _ended(self, task: asyncio.Task[RunDetail]) -> None:
        self._tasks.discard(task)
        cause = None if task.cancelled() else task.exception()
        for run_id in [run_id for run_id, one in self._running.items() if one.task is task]:
            del self._running[run_id]
            if cause is not None:
                # What goes wrong before it begins is told to whoever asked.
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
