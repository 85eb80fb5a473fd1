"""The lock by which one process at a time sends a person's outbox; it goes with the process, however it ends."""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from kindgi_tui.remote.outbox_schema import Who
from kindgi_tui.storage.trouble import translated


@contextlib.contextmanager
def only_one(folder: Path, who: Who) -> Iterator[bool]:
    """Whether this process may send for that person. The lock stands in the outbox's folder. Raises Trouble."""
    name = hashlib.sha256(repr(tuple(who)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    path = folder / f"sending-{name}.lock"
    with translated(path):
        handle = _open_lock(path)
    try:
        yield _locked(handle, path)
    finally:
        os.close(handle)


def _open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _locked(handle: int, path: Path) -> bool:
    """Takes the lock, or says that another process has it. Raises Trouble."""
    with translated(path):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
