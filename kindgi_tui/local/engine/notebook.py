"""What a comparison writes down while it runs: finished repetitions, verdicts on their answers, and the replies it paid
for (DESIGN section 9)."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from kindgi_tui.domain.base import Json
from kindgi_tui.local.engine.replaying import Replayed
from kindgi_tui.local.store import catalog, checks, repetitions
from kindgi_tui.local.store.checks import JudgedAnswer
from kindgi_tui.local.store.runs import insert_run
from kindgi_tui.storage.sqlite import Database, translated

LINGER_SECONDS = 0.05
"""How long a write waits for others to come along; nobody waits for it, and a follower looks less often."""

BACKLOG = 256
"""How many finished repetitions may wait to be written before new ones have to."""


class Notebook:
    """Writes down what comes in, everything that waits in one transaction: a full commit costs as much for one.

    A repetition counts, for whoever follows, once it is written; its run, its replies and the count change at once.
    A context manager: it keeps a connection of its own to look replies up with.
    """

    def __init__(
        self, database: Database, comparison_id: str, owner: str, spent: Callable[[], float | None]
    ) -> None:
        """`spent` gives what the comparison cost in all by now; None: the costs of repetitions are added up."""
        self._database = database
        self._comparison_id = comparison_id
        self._owner = owner
        self._spent = spent
        self._finished: list[Replayed] = []
        self._judged: list[JudgedAnswer] = []
        self._replies: dict[str, Json] = {}
        self._writing: dict[str, Json] = {}
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._closed = asyncio.Event()
        self._lookups: sqlite3.Connection | None = None

    async def reply(self, key: str) -> Json | None:
        """A stored reply of a model, or one that waits to be stored."""
        waiting = self._replies.get(key) or self._writing.get(key)
        if waiting is not None:
            return waiting
        # A lookup by key takes less than handing it to a thread, and readers never wait for the writer.
        with translated(self._database.path):
            if self._lookups is None:
                self._lookups = _reading(self._database.path)
            return catalog.get_reply(self._lookups, key)

    async def keep(self, key: str, reply: Json) -> None:
        """Stores a model's reply, soon: at the latest with the repetition it belongs to."""
        self._replies[key] = reply
        self._wake.set()

    async def finished(self, replayed: Replayed) -> None:
        """Writes a finished repetition down, soon; waits when too many wait already."""
        self._finished.append(replayed)
        self._wake.set()
        if len(self._finished) >= BACKLOG:
            self._room.clear()
        await self._room.wait()

    async def judged(self, judged: JudgedAnswer) -> None:
        """Writes a verdict down, soon, with or after the repetition it is about; waits when too many wait already."""
        self._judged.append(judged)
        self._wake.set()
        if len(self._judged) >= BACKLOG:
            self._room.clear()
        await self._room.wait()

    async def write(self) -> bool:
        """Writes until it is closed and empty; False when somebody else owns the comparison now. Raises Trouble."""
        try:
            while not (self._closed.is_set() and not self._waiting()):
                await self._wake.wait()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._closed.wait(), LINGER_SECONDS)
                self._wake.clear()
                if not await self._write_all():
                    return False
        finally:
            self._room.set()
        return True

    def _waiting(self) -> bool:
        return bool(self._finished or self._judged or self._replies)

    async def _write_all(self) -> bool:
        finished, self._finished = self._finished, []
        judged, self._judged = self._judged, []
        self._writing, self._replies = self._replies, {}
        self._room.set()
        if not finished and not judged and not self._writing:
            return True
        operation = partial(
            self._record, finished=finished, judged=judged, replies=self._writing, spent=self._spent()
        )
        owned = await self._database.write(operation)
        self._writing = {}
        return owned

    def _record(
        self,
        connection: sqlite3.Connection,
        finished: Sequence[Replayed],
        judged: Sequence[JudgedAnswer],
        replies: dict[str, Json],
        spent: float | None,
    ) -> bool:
        if replies:
            # They were paid for, whoever owns the comparison.
            catalog.put_replies(connection, replies)
        if not finished and not judged:
            return True
        done = [replayed.repetition for replayed in finished]
        if not repetitions.record_repetitions(connection, self._comparison_id, self._owner, done, spent):
            return False
        if judged:
            checks.record_verdicts(connection, self._comparison_id, self._owner, judged, spent)
        for replayed in finished:
            if replayed.run is not None:
                insert_run(connection, replayed.run)
        return True

    def close(self) -> None:
        """Lets `write` end once everything is written."""
        self._closed.set()
        self._wake.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._lookups is not None:
            self._lookups.close()


def _reading(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
