"""Writes in the order they were asked for, behind the screen's back; none is lost, and none waits for a key."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Literal

log = logging.getLogger("kindgi_tui.session")


class Write:
    """One write. It is left out when the one it builds on failed."""

    def __init__(
        self, run_id: str, act: Callable[[], Awaitable[object]], after: "Write | None" = None
    ) -> None:
        self.run_id = run_id
        """The run it is about."""
        self.act = act
        """Does it."""
        self.after = after
        """The write it builds on; None: it stands alone."""
        self.state: Literal["waiting", "done", "failed"] = "waiting"
        """What became of it."""


class Writes:
    """The queue of writes and what works it off."""

    def __init__(
        self, failed: Callable[[Write, Exception], Awaitable[None]], wrote: Callable[[Write], None]
    ) -> None:
        """`failed` is told of every write that went wrong, before the next one is begun; `wrote` of every other."""
        self._failed = failed
        self._wrote = wrote
        self._waiting: deque[Write] = deque()
        self._task: asyncio.Task[None] | None = None

    @property
    def pending(self) -> int:
        """How many are not on disk yet."""
        return len(self._waiting)

    def put(self, write: Write) -> Write:
        """Adds a write; it is begun when those before it are done."""
        self._waiting.append(write)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work(), name="judging-writes")
        return write

    def about(self, run_id: str) -> bool:
        """Whether a write about this run is still waiting."""
        return any(write.run_id == run_id for write in self._waiting)

    async def drain(self) -> None:
        """Waits until everything is written. A cancelled caller does not stop the writing."""
        while self._task is not None and not self._task.done():
            await asyncio.shield(self._task)

    async def _work(self) -> None:
        while self._waiting:
            write = self._waiting[0]
            error: Exception | None = None
            if write.after is not None and write.after.state == "failed":
                write.state = "failed"
            else:
                try:
                    await write.act()
                    write.state = "done"
                except Exception as cause:  # noqa: BLE001 - whatever went wrong is shown, and the next ones go on
                    write.state, error = "failed", cause
            self._waiting.popleft()
            if error is not None:
                await self._failed(write, error)
            elif write.state == "done":
                try:
                    self._wrote(write)
                except Exception:  # whatever showing it meets, what else was said is still written
                    log.exception("showing what was written failed")
