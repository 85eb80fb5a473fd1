"""A second opening of the same file in one process must not drop the locks of the first (POSIX)."""

import subprocess
import sys
from pathlib import Path

from kindgi_tui.local.store.schema import APPLICATION_ID, MIGRATIONS
from kindgi_tui.storage.sqlite import Database

ELSEWHERE = """
import sys
from pathlib import Path
from kindgi_tui.local.store.schema import APPLICATION_ID, MIGRATIONS
from kindgi_tui.storage.sqlite import Database
database = Database(Path(sys.argv[1]), APPLICATION_ID, MIGRATIONS)
database.write_now(lambda c: c.execute("INSERT INTO audit (at, actor, action, subject) VALUES (2, 'b', 'x.y', '')"))
database.close()
"""


def test_a_second_workbench_in_one_process_harms_nothing(tmp_path: Path) -> None:
    path = tmp_path / "workspace.db"
    first = Database(path, APPLICATION_ID, MIGRATIONS)
    count = 0
    for _ in range(5):
        first.write_now(
            lambda c: c.execute("INSERT INTO audit (at, actor, action, subject) VALUES (1, 'a', 'x.y', '')")
        )
        Database(path, APPLICATION_ID, MIGRATIONS).close()
        # Another process that closes last would take the log away, if it saw no lock of ours.
        subprocess.run([sys.executable, "-c", ELSEWHERE, str(path)], check=True)
        count += 2
        assert first.read_now(lambda c: c.execute("SELECT count(*) FROM audit").fetchone()[0]) == count
    assert first.read_now(lambda c: c.execute("PRAGMA integrity_check").fetchone()[0]) == "ok"
    first.close()
