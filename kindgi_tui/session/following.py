"""Following a comparison: how far it is, how fast it goes, what it comes to so far; and being told when it ends.

Events come as fast as repetitions finish; looks at them come at most so many times a second (DESIGN section 12).
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.comparison_records import Comparison

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

FINAL = frozenset({"completed", "failed", "cancelled"})
"""Statuses of a comparison that has ended."""

RATE_SECONDS = 20.0
"""Over how long the rate is taken."""

WORTH = 4.0
"""The result so far is asked for again only after this many times as long as the last one took, so that it costs no
more than a fifth of the time."""

_RETRIES = 5
_RETRY_SECONDS = 1.0


class Look(Frozen):
    """A comparison at one moment of following it."""

    comparison: Comparison
    """The comparison."""
    result: Json = None
    """What it came to, or comes to so far, in a result's shape; None before anything finished."""
    rate: float | None = None
    """Repetitions a second, lately; None before it can be told."""
    left: float | None = None
    """Seconds left at that rate; None when it can't be told."""

    @property
    def ended(self) -> bool:
        """Whether it is at its end."""
        return self.comparison.status in FINAL


class Pace:
    """How fast repetitions finish, over the last seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()

    def count(self, finished: int) -> None:
        """So many finished by now; one that is resumed begins anew."""
        now = self._clock()
        if self._seen and finished < self._seen[-1][1]:
            self._seen.clear()
        self._seen.append((now, finished))
        while len(self._seen) > 2 and self._seen[1][0] <= now - RATE_SECONDS:
            self._seen.popleft()

    def rate(self) -> float | None:
        """Repetitions a second; None before two moments are known, and while none finishes."""
        if len(self._seen) < 2:
            return None
        then, before = self._seen[0]
        seconds, done = self._clock() - then, self._seen[-1][1] - before
        return done / seconds if seconds > 0 and done > 0 else None

    def left(self, repetitions: int | None) -> float | None:
        """Seconds until so many have finished, at that rate; None when either isn't known."""
        rate = self.rate()
        if rate is None or repetitions is None or not self._seen:
            return None
        return max(0, repetitions - self._seen[-1][1]) / rate


async def looks(
    workbench: "Workbench", comparison_id: str, hz: float = 4.0, clock: Callable[[], float] = time.monotonic
) -> AsyncIterator[Look]:
    """A look at the comparison whenever something changed, at most `hz` times a second, and the last at its end.

    What it comes to so far is asked for when a repetition finished since, and never costs more than a share of the
    time. Raises what following raises.
    """
    pace = Pace(clock)
    latest: list[Comparison] = []
    news = asyncio.Event()

    async def listen() -> None:
        try:
            async for event in workbench.comparisons.follow(comparison_id):
                pace.count(event.comparison.progress.finished)
                latest[:] = [event.comparison]
                news.set()
        finally:
            news.set()

    listening = asyncio.ensure_future(listen())
    told = -1
    result: Json = None
    worth_from = 0.0
    try:
        while True:
            await news.wait()
            news.clear()
            if listening.done():
                listening.result()
            if not latest:
                return
            now = latest[0]
            if now.status in FINAL:
                yield Look(comparison=now, result=now.result)
                return
            began = clock()
            finished = now.progress.finished
            if finished != told and finished and began >= worth_from:
                result = await workbench.comparisons.partial(comparison_id)
                told, worth_from = finished, began + (1 + WORTH) * (clock() - began)
            yield Look(
                comparison=now, result=result, rate=pace.rate(), left=pace.left(now.progress.repetitions)
            )
            if finished and finished != told:
                news.set()
            with suppress(TimeoutError):
                # Its end is shown at once; anything else waits for its turn.
                await asyncio.wait_for(asyncio.shield(listening), 1 / hz)
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


class Watcher:
    """Waits for the ends of comparisons, so that one can be told of them wherever one is."""

    def __init__(self, workbench: "Workbench", ended: Callable[[Comparison], Awaitable[None] | None]) -> None:
        """`ended` is called once for each watched comparison that ends."""
        self._workbench = workbench
        self._ended = ended
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def watch(self, comparison_id: str) -> None:
        """Waits for the end of that one, unless it does already."""
        if comparison_id not in self._tasks:
            task = asyncio.create_task(self._wait(comparison_id), name=f"watch {comparison_id}")
            self._tasks[comparison_id] = task
            task.add_done_callback(lambda _: self._tasks.pop(comparison_id, None))

    async def _wait(self, comparison_id: str) -> None:
        from kindgi_tui.workbench import Unavailable, WorkbenchError

        for _ in range(_RETRIES):
            last: Comparison | None = None
            try:
                async for event in self._workbench.comparisons.follow(comparison_id):
                    last = event.comparison
            except Unavailable:
                # It goes on without us; we look again in a moment.
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            except WorkbenchError:
                return
            if last is not None:
                told = self._ended(last)
                if told is not None:
                    await told
            return

    async def close(self) -> None:
        """Stops waiting; the comparisons go on."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def ended_sentence(comparison: Comparison) -> str:
    """What is said when a comparison ended elsewhere: how, and its headline's first sentence."""
    request = comparison.request
    name = f"{request.agent_id or request.flow_id or ''} {request.subject_version}"
    ours = comparison.result.get("ours") if isinstance(comparison.result, dict) else None
    headline = ours.get("headline") if isinstance(ours, dict) else None
    if comparison.status == "failed":
        return f"The comparison of {name} failed: {comparison.error or 'nothing more is known.'}"
    if comparison.status == "cancelled":
        why = "its cost limit was reached" if comparison.cancel_reason == "cost-limit" else "it was cancelled"
        return f"The comparison of {name} ended: {why}."
    first = headline.split(". ")[0].rstrip(".") + "." if isinstance(headline, str) and headline else ""
    return f"The comparison of {name} is done. {first}".strip()
