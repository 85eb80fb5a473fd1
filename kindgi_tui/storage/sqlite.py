"""An SQLite file with one writer thread and a few readers; every operation is one hop to a thread.

The standard library's `sqlite3` on threads of our own, and not aiosqlite: aiosqlite hops to its thread once a
statement, and DESIGN section 15 asks for one hop per whole operation.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from kindgi_tui.storage.checkpoints import Checkpoints
from kindgi_tui.storage.opening import connect, open_file, statements
from kindgi_tui.storage.trouble import Trouble, translated

__all__ = ["BUSY_SECONDS", "READERS", "Database", "Trouble", "statements", "translated"]

T = TypeVar("T")

BUSY_SECONDS = 15.0
"""How long an operation waits for another process's lock before it says so."""

READERS = 3
"""Threads that read at once; each has a connection of its own."""


class Database:
    """One open SQLite file in WAL mode, committed in full before a write returns."""

    def __init__(
        self,
        path: Path,
        application_id: int,
        migrations: Sequence[str],
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        """Opens (or makes) the file and brings it to the newest version.

        `migrations` are SQL scripts; the file's `user_version` counts those applied. `busy_seconds`: how long an
        operation waits for another process's lock. Raises Trouble for a newer file, another program's, a network
        file system, a read-only or full disk.
        """
        self.path = path
        """Where the file is."""
        self._busy_seconds = busy_seconds
        self._local = threading.local()
        self._closing: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        with translated(path):
            open_file(path, application_id, migrations, busy_seconds)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="store-reader")
        self._checkpoints = Checkpoints(lambda: connect(path, busy_seconds))

    async def read(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Runs `operation` on a reader's connection; it sees one snapshot. Raises Trouble."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._reading, operation)

    async def write(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Runs `operation` in one transaction on the writer; it is on disk when this returns. Raises Trouble.

        Whatever `operation` raises rolls everything back. A cancelled caller still gets its write done.
        """
        future = asyncio.get_running_loop().run_in_executor(self._writer, self._writing, operation)
        return await asyncio.shield(future)

    async def read_committed(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Runs `operation` on a reader's connection outside a transaction, as a backup needs it. Raises Trouble."""

        def plainly() -> T:
            with translated(self.path):
                return operation(self._connection(reading=True))

        return await asyncio.get_running_loop().run_in_executor(self._readers, plainly)

    def read_now(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """The same as `read`, for a caller without an event loop."""
        return self._readers.submit(self._reading, operation).result()

    def write_now(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """The same as `write`, for a caller without an event loop."""
        return self._writer.submit(self._writing, operation).result()

    def close(self) -> None:
        """Waits for the writes under way, and closes every connection; closing twice does nothing."""
        self._writer.shutdown(wait=True)
        self._checkpoints.close()
        self._readers.shutdown(wait=True, cancel_futures=True)
        with self._guard:
            for connection in self._closing:
                connection.close()
            self._closing.clear()

    def _connection(self, reading: bool) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = connect(self.path, self._busy_seconds)
            if reading:
                connection.execute("PRAGMA query_only = ON")
            self._local.connection = connection
            with self._guard:
                self._closing.append(connection)
        return connection

    def _reading(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        with translated(self.path):
            connection = self._connection(reading=True)
            connection.execute("BEGIN")
            try:
                return operation(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def _writing(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        with translated(self.path):
            connection = self._connection(reading=False)
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = operation(connection)
                connection.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled it back already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        self._checkpoints.wrote()
        return result
