"""Moving the write-ahead log into its file while nobody writes, so that no commit has to."""

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable

QUIET_SECONDS = 0.4
"""After how long without a write the log is moved."""

SOME_WRITES = 20
"""After how many writes a shorter moment is enough."""

SHORT_SECONDS = 0.05
"""That moment: no person judges faster."""


class Checkpoints:
    """A thread that moves the log of one file. A commit that did it would wait for two more syncs of the disk."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        """`connect` gives the connection to do it on; the thread opens and closes it."""
        self._connect = connect
        self._condition = threading.Condition()
        self._writes = 0
        self._last_write = 0.0
        self._closed = False
        self._thread: threading.Thread | None = None

    def wrote(self) -> None:
        """Something was committed."""
        with self._condition:
            self._writes += 1
            self._last_write = time.monotonic()
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._work, name="store-checkpoints", daemon=True)
                self._thread.start()
            if self._writes in (1, SOME_WRITES):
                self._condition.notify()

    def close(self) -> None:
        """Ends the thread; a log that still stands is moved by whoever closes the file last."""
        with self._condition:
            self._closed = True
            self._condition.notify()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        # Nothing is lost when it fails: the log stays, and what is wrong with the disk the next write says.
        with contextlib.suppress(sqlite3.Error):
            connection = self._connect()
            try:
                while self._wait():
                    with contextlib.suppress(sqlite3.Error):
                        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            finally:
                connection.close()

    def _wait(self) -> bool:
        """Waits until it is time; False when the file is being closed."""
        with self._condition:
            self._condition.wait_for(lambda: self._writes or self._closed)
            while not self._closed:
                wanted = QUIET_SECONDS if self._writes < SOME_WRITES else SHORT_SECONDS
                quiet = time.monotonic() - self._last_write
                if quiet >= wanted:
                    break
                self._condition.wait(wanted - quiet)
            self._writes = 0
            return not self._closed
