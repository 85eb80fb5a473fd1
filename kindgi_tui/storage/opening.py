"""Making or opening an SQLite file, and bringing it to the newest version, one process at a time."""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from kindgi_tui.storage.filesystem import network_type
from kindgi_tui.storage.trouble import Trouble

CHECKPOINT_PAGES = 4_000
"""A write-ahead log of this many pages (16 MB) is moved into the file by the commit that finds it so.

A commit that does it waits some 50 ms, so it shall be one in some hundreds, and a thread of its own mostly comes before
it (`checkpoints`). A log that only grew would be worse: a disk takes several times as long to sync new blocks as to
sync known ones.
"""


_SMALLEST_PAGE = 512


def open_file(path: Path, application_id: int, migrations: Sequence[str], busy_seconds: float) -> None:
    """Makes the file when it is missing and applies the migrations it lacks.

    A file that is newer, another program's, or on a network file system is refused and not written to.
    Raises Trouble, and sqlite3.Error and OSError, which `translated` tells.
    """
    kind = network_type(path.parent)
    if kind is not None:
        raise Trouble(
            f"{path.parent} is on a network file system ({kind}), where SQLite's locks can't be trusted. "
            "Choose a folder on a local disk with --workspace.",
            code="machine-network-file-system",
        )
    _check_marks(path, _marks(path, busy_seconds), application_id, len(migrations))
    # SQLite gives its log the file's rights, so the file has them from the start.
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    connection = connect(path, busy_seconds)
    try:
        _migrate(connection, path, application_id, migrations, busy_seconds)
    finally:
        connection.close()


def connect(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """A connection that commits in full and waits `busy_seconds` for other processes."""
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    for name, value in (
        ("foreign_keys", "ON"),
        ("synchronous", "FULL"),
        ("temp_store", "MEMORY"),
        ("cache_size", "-16000"),
        ("mmap_size", "1073741824"),
        ("wal_autocheckpoint", str(CHECKPOINT_PAGES)),
    ):
        connection.execute(f"PRAGMA {name} = {value}")
    return connection


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


def _marks(path: Path, busy_seconds: float) -> tuple[int, int] | None:
    """A file's `user_version` and `application_id`, read without changing it; None when it has no content.

    They stand in the file's header; a write-ahead log that a crash left behind, or that another process is writing,
    may hold newer ones. Only SQLite opens the file: closing it by any other way would drop the locks that this very
    process holds on it (POSIX), and a second workbench on it would come to harm.
    """
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return None
    if not size:
        return None
    if size < _SMALLEST_PAGE:
        # SQLite takes so small a file for an empty one, and would write over it.
        raise Trouble(
            f"{path} is damaged or not a workspace. Restore a backup, or choose another folder with --workspace.",
            code="machine-damaged",
        )
    log = path.with_name(path.name + "-wal")
    # Without a log to be read with it, the file is read as it stands, and nothing is made beside it.
    whole = log.exists() and log.stat().st_size
    mode = "mode=ro" if whole else "mode=ro&immutable=1"
    reading = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=busy_seconds)
    try:
        reading.execute("BEGIN")
        version = reading.execute("PRAGMA user_version").fetchone()[0]
        return int(version), int(reading.execute("PRAGMA application_id").fetchone()[0])
    finally:
        reading.close()


def _check_marks(path: Path, marks: tuple[int, int] | None, application_id: int, known: int) -> None:
    if marks is None:
        return
    version, owner = marks
    if owner != application_id and (owner or version):
        raise _foreign(path)
    if version > known:
        raise Trouble(
            f"{path} was made by a newer kindgi-tui (its version is {version}, this one knows {known}). "
            "Nothing was changed. Install the newer kindgi-tui to open it.",
            code="machine-newer-file",
        )


def _foreign(path: Path) -> Trouble:
    return Trouble(
        f"{path} is not a workspace: another program made it. Choose another folder with --workspace.",
        code="machine-foreign-file",
    )


def _migrate(
    connection: sqlite3.Connection,
    path: Path,
    application_id: int,
    migrations: Sequence[str],
    busy_seconds: float,
) -> None:
    if _state(connection, path, application_id, len(migrations)) == len(migrations):
        return
    # SQLite answers "locked" at once, without waiting, to a second process that turns the log on.
    _waiting(busy_seconds, lambda: connection.execute("PRAGMA journal_mode = WAL"))
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have migrated it while this one waited for the lock.
        version = _state(connection, path, application_id, len(migrations))
        for script in migrations[version:]:
            for statement in statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {application_id}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _state(connection: sqlite3.Connection, path: Path, application_id: int, known: int) -> int:
    """The file's version, all of it read at one moment. Raises Trouble for a newer or foreign file."""
    within = connection.in_transaction
    if not within:
        connection.execute("BEGIN")
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    finally:
        if not within and connection.in_transaction:
            connection.execute("ROLLBACK")
    if tables and owner != application_id:
        raise _foreign(path)
    _check_marks(path, (version, owner), application_id, known)
    return version


def _waiting(seconds: float, operation: Callable[[], object]) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            operation()
        except sqlite3.OperationalError as cause:
            busy = (getattr(cause, "sqlite_errorname", "") or "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
            if not busy or time.monotonic() > end:
                raise
            time.sleep(0.005)
        else:
            return
