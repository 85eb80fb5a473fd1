"""What SQLite and the operating system say of this machine, as one sentence with the next step (DESIGN section 14)."""

import contextlib
import errno
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from kindgi_tui.workbench import Invalid, Unavailable

ROOM_BYTES = 1 << 20
"""A disk with less room than this is called full when it fails: a write needs more than its own bytes."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NOT_ALLOWED = (errno.EROFS, errno.EACCES, errno.EPERM)


class Trouble(Unavailable):
    """Trouble on this machine: disk, lock, a newer or damaged file. Its code starts with `machine-`."""

    default_code = "machine-trouble"


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turns what SQLite and the operating system say of this machine into Trouble, with the next step.

    A value that no SQLite file can hold becomes Invalid. Everything else passes through as it is.
    """
    try:
        yield
    except sqlite3.Error as cause:
        trouble = _of_sqlite(path, cause)
        if trouble is None:
            raise
        raise trouble from cause
    except OSError as cause:
        raise _of_system(path, cause) from cause
    except OverflowError as cause:
        raise Invalid("A number is too large to be stored: it must fit into 64 bits.") from cause


def _full(path: Path) -> Trouble:
    return Trouble(
        f"The disk that holds {path} is full. Nothing was lost; make room and try again.",
        code="machine-disk-full",
    )


def _read_only(path: Path) -> Trouble:
    return Trouble(
        f"{path} can't be written: the folder or file is read-only. Change its rights, or choose another with "
        "--workspace.",
        code="machine-read-only",
    )


def _has_room(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free >= ROOM_BYTES
    except OSError:
        return True


def _of_sqlite(path: Path, cause: sqlite3.Error) -> Trouble | None:
    name = getattr(cause, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return Trouble(
            f"{path} is locked by another program that didn't let go in time. End that program, or try again.",
            code="machine-locked",
            retry_after=5.0,
        )
    if name.startswith("SQLITE_FULL") or (name.startswith("SQLITE_IOERR") and not _has_room(path)):
        return _full(path)
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return _read_only(path)
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return Trouble(
            f"{path} is damaged or not a workspace. Restore a backup, or choose another folder with --workspace.",
            code="machine-damaged",
        )
    if name.startswith("SQLITE_IOERR"):
        return Trouble(
            f"The disk that holds {path} doesn't answer rightly ({name}). Nothing was lost; check the disk and "
            "try again.",
            code="machine-disk",
        )
    return None


def _of_system(path: Path, cause: OSError) -> Trouble:
    if cause.errno in _NO_ROOM:
        return _full(path)
    if cause.errno in _NOT_ALLOWED:
        return _read_only(path)
    return Trouble(
        f"{path.parent} can't be used: {cause.strerror or cause}. Check the folder, or choose another with "
        "--workspace."
    )
