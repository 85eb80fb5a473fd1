"""The end of a server: what runs is finished, and what lasts too long is let go with an answer."""

import asyncio
import contextlib
from collections.abc import Iterator

from kindgi_tui.server.errors import Refusal

RETRY_SECONDS = 5
"""When to ask again a server that was stopped in the middle of a request."""


class Stopping:
    """How far a server is in its end, and which requests are under way."""

    def __init__(self) -> None:
        self.told = asyncio.Event()
        """Set once the server is told to stop: whoever follows something is let go."""
        self.ended = asyncio.Event()
        """Set once nothing is waited for any more."""
        self._working: set[asyncio.Task[object]] = set()

    def tell(self) -> None:
        """The server is told to stop: what runs is finished."""
        self.told.set()

    def end(self) -> None:
        """Nothing is waited for any more: what still runs is let go, and answered so."""
        self.told.set()
        self.ended.set()
        for task in tuple(self._working):
            task.cancel()

    @contextlib.contextmanager
    def unless_ended(self) -> Iterator[None]:
        """Around work for a request. Raises Refusal (503) in its place when the server's end comes first."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a request is answered in a task")
        if self.ended.is_set():
            raise _stopped()
        self._working.add(task)
        try:
            yield
        except asyncio.CancelledError:
            if not self.ended.is_set():
                raise
            task.uncancel()
            raise _stopped() from None
        finally:
            self._working.discard(task)


def _stopped() -> Refusal:
    sentence = "The server was stopped before this was done. Ask again once it runs."
    return Refusal(503, "server-stopped", sentence, retry_after=RETRY_SECONDS)
