"""Making and opening a file: migrations from every version, refusals that touch nothing."""

import contextlib
import sqlite3
import stat
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from kindgi_tui.local.store.schema import APPLICATION_ID, MIGRATIONS
from kindgi_tui.storage import opening
from kindgi_tui.storage.opening import connect, open_file, statements
from kindgi_tui.storage.sqlite import Database, Trouble, translated

STEPS = (
    "CREATE TABLE one (a);\nINSERT INTO one VALUES (1);",
    "CREATE TABLE two (b);\nCREATE TRIGGER t AFTER INSERT ON two BEGIN UPDATE one SET a = a + 1; END;",
    "INSERT INTO two VALUES ('; not an end');",
)
MARK = 0x11223344


def opened(path: Path, steps: Sequence[str] = STEPS, mark: int = MARK) -> None:
    with translated(path):
        open_file(path, mark, steps, 1.0)


def facts(path: Path) -> tuple[object, ...]:
    connection = sqlite3.connect(path)
    found = (
        connection.execute("PRAGMA user_version").fetchone()[0],
        connection.execute("PRAGMA application_id").fetchone()[0],
        connection.execute("PRAGMA journal_mode").fetchone()[0],
        connection.execute("PRAGMA integrity_check").fetchone()[0],
    )
    connection.close()
    return found


def schema(path: Path) -> list[tuple[str, ...]]:
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2").fetchall()
    connection.close()
    return found


def everything(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if not each.name.endswith("-shm")}


@pytest.mark.parametrize("version", range(len(STEPS) + 1))
def test_steps_from_every_version(tmp_path: Path, version: int) -> None:
    path = tmp_path / "f.db"
    if version:
        opened(path, STEPS[:version])
    opened(path)
    assert facts(path) == (len(STEPS), MARK, "wal", "ok")
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT a FROM one").fetchall() == [(2,)]
    connection.close()


@pytest.mark.parametrize("version", range(len(MIGRATIONS) + 1))
def test_the_workspaces_own_steps_from_every_version(tmp_path: Path, version: int) -> None:
    """Holds for the versions to come: each of them leads to the same schema as an empty file."""
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    opened(new, MIGRATIONS, APPLICATION_ID)
    if version:
        opened(old, MIGRATIONS[:version], APPLICATION_ID)
    opened(old, MIGRATIONS, APPLICATION_ID)
    assert facts(old) == facts(new) == (len(MIGRATIONS), APPLICATION_ID, "wal", "ok")
    assert schema(old) == schema(new)


def test_a_step_that_fails_leaves_the_version_before(tmp_path: Path) -> None:
    path = tmp_path / "f.db"
    opened(path, STEPS[:1])
    with pytest.raises(sqlite3.OperationalError):
        opened(path, (STEPS[0], "CREATE TABLE two (b);\nCREATE TABLE one (again);"))
    assert facts(path) == (1, MARK, "wal", "ok")
    assert [row[1] for row in schema(path)] == ["one"]


def test_an_empty_file_is_made_a_workspace(tmp_path: Path) -> None:
    path = tmp_path / "f.db"
    path.touch()
    opened(path)
    assert facts(path)[0] == len(STEPS)


def test_a_new_file_and_its_log_are_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "f.db"
    database = Database(path, MARK, STEPS)
    database.write_now(lambda c: c.execute("INSERT INTO one VALUES (5)"))
    for each in tmp_path.iterdir():
        assert stat.S_IMODE(each.stat().st_mode) == 0o600, each.name
    database.close()


@pytest.mark.parametrize("lock", ["DEFERRED", "IMMEDIATE", "EXCLUSIVE"])
def test_a_new_file_that_another_process_is_busy_with(tmp_path: Path, lock: str) -> None:
    """Turning the log on waits for it, as everything else does."""
    path = tmp_path / "f.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("PRAGMA application_id = 0")
    other.execute(f"BEGIN {lock}")
    other.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    later = threading.Timer(0.2, other.execute, ["COMMIT"])
    later.start()
    with translated(path):
        open_file(path, MARK, STEPS, 5.0)
    later.join()
    other.close()
    assert facts(path) == (len(STEPS), MARK, "wal", "ok")


def test_what_another_process_makes_meanwhile_is_not_foreign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes to be between the look at the owner and the look at the tables."""
    path = tmp_path / "f.db"
    makers: list[str] = []

    def interrupted(where: Path, seconds: float) -> sqlite3.Connection:
        connection = connect(where, seconds)

        def before(statement: str) -> None:
            if "sqlite_schema" in statement and not makers:
                makers.append(statement)
                monkeypatch.setattr(opening, "connect", connect)
                with contextlib.suppress(Trouble, sqlite3.OperationalError), translated(path):
                    open_file(path, MARK, STEPS, 0.01)

        connection.set_trace_callback(before)
        return connection

    monkeypatch.setattr(opening, "connect", interrupted)
    opened(path)
    assert makers
    assert facts(path) == (len(STEPS), MARK, "wal", "ok")


def refused(path: Path, code: str) -> str:
    with pytest.raises(Trouble) as trouble:
        opened(path)
    assert trouble.value.code == code
    return trouble.value.sentence


def test_a_newer_file_is_untouched(tmp_path: Path) -> None:
    path = tmp_path / "f.db"
    opened(path, (*STEPS, "CREATE TABLE three (c);"))
    before = everything(tmp_path)
    assert "newer kindgi-tui" in refused(path, "machine-newer-file")
    assert everything(tmp_path) == before


def test_a_newer_version_that_still_stands_in_the_log_is_untouched(tmp_path: Path) -> None:
    """As after a crash of the newer program: the file's own header still says the old version."""
    path = tmp_path / "f.db"
    opened(path)
    newer = connect(path, 1.0)
    newer.execute("CREATE TABLE three (c)")
    newer.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    for name in ("f.db", "f.db-wal"):
        (crashed / name).write_bytes((tmp_path / name).read_bytes())
    newer.close()
    assert int.from_bytes((crashed / "f.db").read_bytes()[60:64], "big") == len(STEPS)
    before = everything(crashed)
    refused(crashed / "f.db", "machine-newer-file")
    assert everything(crashed) == before


@pytest.mark.parametrize("version", [0, 2, 99])
@pytest.mark.parametrize("mark", [0, 7])
def test_another_programs_file_is_untouched(tmp_path: Path, version: int, mark: int) -> None:
    path = tmp_path / "f.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.execute(f"PRAGMA user_version = {version}")
    other.execute(f"PRAGMA application_id = {mark}")
    other.commit()
    other.close()
    before = everything(tmp_path)
    assert "another program" in refused(path, "machine-foreign-file")
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    "content", [b"hello\n" * 100, b"\x00" * 5000, b"SQLite format 2\0" + b"x" * 100, b"x"]
)
def test_a_file_that_is_none_of_sqlites_is_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "f.db"
    path.write_bytes(content)
    refused(path, "machine-damaged")
    assert everything(tmp_path) == {"f.db": content}


def test_a_folder_in_the_files_place(tmp_path: Path) -> None:
    path = tmp_path / "f.db"
    path.mkdir()
    with pytest.raises(Trouble) as trouble:
        opened(path)
    assert trouble.value.code.startswith("machine-")


def test_statements_are_told_apart() -> None:
    assert [each.strip() for each in statements("A;\n-- ; no\nB\n'x;\ny';\nC")] == [
        "A;",
        "-- ; no\nB\n'x;\ny';",
        "C",
    ]
    (trigger,) = statements(
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n UPDATE b SET c = 1;\n UPDATE d;\nEND;\n"
    )
    assert trigger.endswith("END;\n")
