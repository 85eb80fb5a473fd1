"""An SQLite file with one writer thread and a few readers; every operation is one hop to a thread.

The standard library's `sqlite3` on threads of our own, and not aiosqlite: aiosqlite hops to its thread once a
statement, and DESIGN section 15 asks for one hop per whole operation.
"""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from kindgi_tui.storage.filesystem import network_type
from kindgi_tui.workbench import Unavailable

T = TypeVar("T")

BUSY_SECONDS = 15.0
"""How long an operation waits for another process's lock before it says so."""

READERS = 3
"""Threads that read at once; each has a connection of its own."""


class Trouble(Unavailable):
    """Trouble on this machine: disk, lock, a newer or damaged file. Its code starts with `machine-`."""

    default_code = "machine-trouble"


class Database:
    """One open SQLite file in WAL mode, committed in full before a write returns."""

    def __init__(self, path: Path, application_id: int, migrations: Sequence[str]) -> None:
        """Opens (or makes) the file and brings it to the newest version.

        `migrations` are SQL scripts; the file's `user_version` counts those applied. Raises Trouble for a
        newer file, another program's, a network file system, a read-only or full disk.
        """
        self.path = path
        """Where the file is."""
        self._local = threading.local()
        self._closing: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="store-reader")
        with translated(path):
            kind = network_type(path.parent)
            if kind is not None:
                raise Trouble(
                    f"{path.parent} is on a network file system ({kind}), where SQLite's locks can't be "
                    "trusted. Choose a folder on a local disk with --workspace.",
                    code="machine-network-file-system",
                )
            _refuse_newer(path, _stored_version(path), len(migrations))
            connection = _connect(path)
            try:
                _migrate(connection, path, application_id, migrations)
            finally:
                connection.close()

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
                return operation(self._connection())

        return await asyncio.get_running_loop().run_in_executor(self._readers, plainly)

    def read_now(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """The same as `read`, for a caller without an event loop."""
        return self._readers.submit(self._reading, operation).result()

    def write_now(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """The same as `write`, for a caller without an event loop."""
        return self._writer.submit(self._writing, operation).result()

    def close(self) -> None:
        """Waits for the writes under way, and closes every connection."""
        self._writer.shutdown(wait=True)
        self._readers.shutdown(wait=True, cancel_futures=True)
        with self._guard:
            for connection in self._closing:
                connection.close()
            self._closing.clear()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = _connect(self.path)
            self._local.connection = connection
            with self._guard:
                self._closing.append(connection)
        return connection

    def _reading(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        with translated(self.path):
            connection = self._connection()
            connection.execute("BEGIN")
            try:
                return operation(connection)
            finally:
                connection.execute("ROLLBACK")

    def _writing(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        with translated(self.path):
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = operation(connection)
                connection.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled it back already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return result


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -16000")
    connection.execute("PRAGMA mmap_size = 268435456")
    return connection


def _stored_version(path: Path) -> int:
    """The `user_version` in the file's header (SQLite file format, offset 60), read without opening it."""
    try:
        with path.open("rb") as file:
            head = file.read(64)
    except FileNotFoundError:
        return 0
    return int.from_bytes(head[60:64], "big") if head.startswith(b"SQLite format 3\0") else 0


def _refuse_newer(path: Path, version: int, known: int) -> None:
    if version > known:
        raise Trouble(
            f"{path} was made by a newer kindgi-tui (its version is {version}, this one knows {known}). "
            "Nothing was changed. Install the newer kindgi-tui to open it.",
            code="machine-newer-file",
        )


def _migrate(
    connection: sqlite3.Connection, path: Path, application_id: int, migrations: Sequence[str]
) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if tables and owner != application_id:
        raise Trouble(
            f"{path} is not a workspace: another program made it. Choose another folder with --workspace.",
            code="machine-foreign-file",
        )
    _refuse_newer(path, version, len(migrations))
    if version == len(migrations):
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have migrated it while this one waited for the lock.
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for script in migrations[version:]:
            for statement in statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {application_id}")
        connection.execute(f"PRAGMA user_version = {max(version, len(migrations))}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def statements(script: str) -> Iterator[str]:
    """The statements of an SQL script, one by one, so that all of them fit into one transaction."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if ";" in line and sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        yield pending


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turns what SQLite and the operating system say of this machine into Trouble, with the next step."""
    try:
        yield
    except sqlite3.Error as cause:
        raise _trouble(path, cause) from cause
    except OSError as cause:
        raise Trouble(
            f"{path.parent} can't be used: {cause.strerror or cause}. Check the folder, or choose another with "
            "--workspace.",
            code="machine-disk-full" if cause.errno == 28 else "machine-trouble",
        ) from cause


def _trouble(path: Path, cause: sqlite3.Error) -> Exception:
    name = getattr(cause, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return Trouble(
            f"{path} is locked by another program that didn't let go for {BUSY_SECONDS:.0f} seconds. "
            "End that program, or try again.",
            code="machine-locked",
            retry_after=5.0,
        )
    if name.startswith("SQLITE_FULL"):
        return Trouble(
            f"The disk that holds {path} is full. Nothing was lost; make room and try again.",
            code="machine-disk-full",
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return Trouble(
            f"{path} can't be written: the folder or file is read-only. Change its rights, or choose "
            "another with --workspace.",
            code="machine-read-only",
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return Trouble(
            f"{path} is damaged or not a workspace. Restore a backup, or choose another folder with "
            "--workspace.",
            code="machine-damaged",
        )
    if name.startswith("SQLITE_IOERR"):
        return Trouble(
            f"The disk that holds {path} doesn't answer rightly ({name}). Nothing was lost; check the "
            "disk and try again.",
            code="machine-disk",
        )
    return cause
