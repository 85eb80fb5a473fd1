"""Comparisons of the local workbench: each runs in a process of its own, and any process can follow it."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import (
    Comparison,
    ComparisonEvent,
    ComparisonPlan,
    ComparisonRequest,
)
from kindgi_tui.local.access import Access
from kindgi_tui.local.store import comparisons
from kindgi_tui.local.store.comparison_lists import (
    count_comparisons,
    list_comparisons,
    rescores_of,
    waiting_judgments,
)
from kindgi_tui.workbench import Page, Unavailable

if TYPE_CHECKING:
    from kindgi_tui.local.engine.freezing import Freezing
    from kindgi_tui.local.engine.partials import Partial

FOLLOW_SECONDS = 0.1
"""How often a follower looks."""

PARTIALS = 4
"""How many running comparisons' results so far are kept."""

_LIVE = ("pending", "running")


class LocalComparisons:
    """Candidate versions, run on test sets."""

    no_resume = ""
    """A workspace resumes them."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._partials: dict[str, Partial] = {}

    async def plan(self, request: ComparisonRequest) -> ComparisonPlan:
        """A dry run."""
        from kindgi_tui.local.engine.planning import check_start, plan_of
        from kindgi_tui.local.models.config import load_models

        self._access.require("editor")
        config = load_models(self._access.folder)
        freezing = await self._freezing(request)

        settled = freezing.settled
        if settled is not None:
            return await self._access.read(lambda c: plan_of(c, check_start(c, settled, config), config))
        checked = await self._access.write(
            "editor", None, lambda c: check_start(c, freezing.frozen(c), config)
        )
        return await self._access.read(lambda c: plan_of(c, checked, config))

    async def start(self, request: ComparisonRequest) -> Comparison:
        """Starts a comparison in a process of its own and returns at once."""
        from kindgi_tui.local.engine.planning import check_start
        from kindgi_tui.local.models.config import load_models

        self._access.require("editor")
        config = load_models(self._access.folder)
        person = self._access.person.id
        freezing = await self._freezing(request)

        def insert(connection: sqlite3.Connection) -> str:
            checked = check_start(connection, freezing.frozen(connection), config)
            return comparisons.insert_comparison(
                connection, checked.request, checked.version_seq, person, len(checked.cases)
            )

        identity = await self._access.write("editor", "comparisons.start", insert, lambda made: made)
        await self._spawn(identity)
        return await self.get(identity)

    async def _freezing(self, request: ComparisonRequest) -> "Freezing":
        """What is to be frozen before it starts: gathered here, outside the writer, so that people judge on."""
        from kindgi_tui.local.engine.freezing import gather_freezing

        person = self._access.person.id
        return await self._access.read(lambda c: gather_freezing(c, request, person))

    async def get(self, comparison_id: str) -> Comparison:
        """One comparison, with its result once there is one."""
        await self._end_dead()
        return await self._access.read(lambda c: comparisons.get_comparison(c, comparison_id))

    async def list(
        self,
        project_id: str | None = None,
        test_set_id: str | None = None,
        limit: int = 25,
        cursor: str | None = None,
        *,
        backwards: bool = False,
        folded: bool = False,
    ) -> Page[Comparison]:
        """Comparisons, newest first, with what each came to, without their results."""
        await self._end_dead()
        return await self._access.read(
            lambda c: list_comparisons(c, project_id, test_set_id, limit, cursor, backwards, folded)
        )

    async def count(self, project_id: str | None = None, test_set_id: str | None = None) -> int:
        """How many comparisons a folded list holds."""
        return await self._access.read(lambda c: count_comparisons(c, project_id, test_set_id))

    async def rescores(self, comparison_id: str) -> tuple[Comparison, ...]:
        """The rescores of a comparison, newest first, without their results."""
        return await self._access.read(lambda c: rescores_of(c, comparison_id))

    async def waiting(self, comparison_id: str) -> int:
        """How many verdicts on its replays its result doesn't count."""
        return await self._access.read(lambda c: waiting_judgments(c, comparison_id))

    async def partial(self, comparison_id: str) -> Json:
        """The result so far; of a comparison that ended, its result."""
        from kindgi_tui.local.engine.partials import load_partial, partial_result

        now = await self._access.read(
            lambda c: comparisons.get_comparison(c, comparison_id, with_result=False)
        )
        if now.status not in _LIVE:
            self._partials.pop(now.id, None)
            return (await self.get(now.id)).result
        partial = self._partials.get(now.id)
        if partial is None:
            loaded = await self._access.read(lambda c: load_partial(c, now))
            partial = self._partials.setdefault(now.id, loaded)
            while len(self._partials) > PARTIALS:
                self._partials.pop(next(iter(self._partials)))
        return await partial_result(self._access.database, partial, now)

    async def follow(self, comparison_id: str) -> AsyncIterator[ComparisonEvent]:
        """The events until it ends; ends with an `end` event."""
        shown: Comparison | None = None
        while True:
            await self._end_dead()
            now = await self._access.read(
                lambda c: comparisons.get_comparison(c, comparison_id, with_result=False)
            )
            if now.status not in _LIVE:
                yield ComparisonEvent(kind="end", comparison=await self.get(comparison_id))
                return
            if now != shown:
                shown = now
                yield ComparisonEvent(kind="progress", comparison=now)
            await asyncio.sleep(FOLLOW_SECONDS)

    async def cancel(self, comparison_id: str) -> Comparison:
        """Cancels it; the executor ends within a second."""
        await self._end_dead()
        identity = await self._access.write(
            "editor",
            "comparisons.cancel",
            lambda c: comparisons.request_cancel(c, comparison_id),
            lambda found: found,
        )
        return await self._access.read(lambda c: comparisons.get_comparison(c, identity))

    async def resume(self, comparison_id: str) -> Comparison:
        """Runs what is left of a failed or cancelled one."""
        await self._end_dead()
        identity = await self._access.write(
            "editor",
            "comparisons.resume",
            lambda c: comparisons.reopen(c, comparison_id),
            lambda found: found,
        )
        await self._spawn(identity)
        return await self.get(identity)

    async def rescore(self, comparison_id: str) -> Comparison:
        """Scores its replays again, with what was judged on them since, as a comparison of its own."""
        from kindgi_tui.local.engine.rescores import rescore_comparison

        person = self._access.person.id
        identity = await self._access.write(
            "editor",
            "comparisons.rescore",
            lambda c: rescore_comparison(c, comparison_id, person),
            lambda made: made,
        )
        return await self.get(identity)

    async def _spawn(self, identity: str) -> None:
        """Starts the process that runs it; one that can't be started leaves a comparison to resume."""
        from kindgi_tui.local.engine.executor import spawn

        try:
            await asyncio.to_thread(spawn, self._access.folder, identity)
        except OSError as cause:
            raise Unavailable(
                f"The process that runs the comparison can't be started: {cause.strerror or cause}. "
                f"When that is better: kindgi-tui comparisons resume {identity}.",
                code="machine-no-process",
            ) from cause

    async def _end_dead(self) -> None:
        """Ends comparisons whose executor stopped, so that nothing looks running that isn't."""
        if await self._access.read(comparisons.dead_leases):
            from kindgi_tui.local.engine.ending import end_dead_leases

            await end_dead_leases(self._access.database)
