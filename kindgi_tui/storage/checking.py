"""Whether an SQLite file is whole, without changing anything."""

import sqlite3
import time
from pathlib import Path

SECONDS = 5.0
"""How long a check may take; a large file is then not checked to its end."""


def damage(path: Path, seconds: float = SECONDS) -> str | None:
    """What SQLite's quick check finds wrong with a file, in its words; None when nothing, or when time is up."""
    end = time.monotonic() + seconds
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)
    except sqlite3.Error as cause:
        return str(cause)
    try:
        connection.set_progress_handler(lambda: int(time.monotonic() > end), 100_000)
        found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as cause:
        interrupted = getattr(cause, "sqlite_errorname", "") == "SQLITE_INTERRUPT"
        return None if interrupted else str(cause)
    except sqlite3.Error as cause:
        return str(cause)
    finally:
        connection.close()
    return None if found is None or found[0] == "ok" else str(found[0])
