"""The open file: durable writes on one thread, readers that see one moment, a log that is moved aside."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kindgi_tui.storage import checkpoints
from kindgi_tui.storage.sqlite import Database
from kindgi_tui.workbench import Invalid

STEPS = ("CREATE TABLE one (a INTEGER PRIMARY KEY, b);",)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "f.db", 1, STEPS, 1.0)
    yield opened
    opened.close()


def count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM one").fetchone()[0])


def insert(connection: sqlite3.Connection, value: object = None) -> None:
    connection.execute("INSERT INTO one (b) VALUES (?)", (value,))


def committed_in_full(connection: sqlite3.Connection) -> tuple[int, str]:
    full = connection.execute("PRAGMA synchronous").fetchone()[0]
    return full, connection.execute("PRAGMA journal_mode").fetchone()[0]


async def test_writes_are_seen_by_reads_and_committed_in_full(database: Database) -> None:
    await database.write(insert)
    assert await database.read(count) == 1
    assert database.read_now(count) == 1
    assert await database.write(committed_in_full) == (2, "wal")


async def test_whatever_fails_leaves_nothing(database: Database) -> None:
    def half(connection: sqlite3.Connection) -> None:
        insert(connection)
        raise KeyError("half")

    with pytest.raises(KeyError):
        await database.write(half)
    assert await database.read(count) == 0
    await database.write(insert)
    assert await database.read(count) == 1


async def test_a_cancelled_caller_still_gets_its_write(database: Database) -> None:
    started, go = threading.Event(), threading.Event()

    def slow(connection: sqlite3.Connection) -> None:
        started.set()
        go.wait(10)
        insert(connection)

    task = asyncio.create_task(database.write(slow))
    await asyncio.to_thread(started.wait, 10)
    task.cancel()
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    await database.write(insert)
    assert await database.read(count) == 2


async def test_a_read_sees_one_moment(database: Database) -> None:
    first, go = threading.Event(), threading.Event()

    def twice(connection: sqlite3.Connection) -> tuple[int, int]:
        before = count(connection)
        first.set()
        go.wait(10)
        return before, count(connection)

    reading = asyncio.create_task(database.read(twice))
    await asyncio.to_thread(first.wait, 10)
    await database.write(insert)
    go.set()
    assert await reading == (0, 0)
    assert await database.read(count) == 1


async def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(Exception, match=r"read-only|readonly"):
        await database.read(insert)


async def test_a_number_too_large_is_invalid(database: Database) -> None:
    for write in (database.write, database.read):
        with pytest.raises(Invalid):
            await write(lambda c: c.execute("SELECT ?", (2**64,)).fetchone())


async def test_mistakes_in_our_sql_are_not_dressed_up(database: Database) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await database.read(lambda c: c.execute("SELECT * FROM missing"))


async def test_a_hundred_tasks_at_once(database: Database) -> None:
    await asyncio.gather(*(database.write(lambda c, n=n: insert(c, n)) for n in range(100)))  # type: ignore[misc]
    counts = await asyncio.gather(*(database.read(count) for _ in range(100)))
    assert set(counts) == {100}


def moved(database: Database) -> bool:
    """Whether what was written stands in the file itself and not in the log alone."""
    return b"a text to look for" in database.path.read_bytes()


async def test_the_log_is_moved_in_a_quiet_moment(database: Database) -> None:
    await database.write(lambda c: insert(c, "a text to look for"))
    for _ in range(100):
        await asyncio.sleep(0.05)
        if moved(database):
            return
    raise AssertionError("the log was never moved")


async def test_after_some_writes_a_short_moment_is_enough(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "QUIET_SECONDS", 1000.0)
    for _ in range(checkpoints.SOME_WRITES - 1):
        await database.write(lambda c: insert(c, "a text to look for"))
    await asyncio.sleep(0.3)
    assert not moved(database)
    await database.write(insert)
    for _ in range(100):
        await asyncio.sleep(0.05)
        if moved(database):
            return
    raise AssertionError("the log was never moved")


async def test_a_log_never_grows_without_end(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "SHORT_SECONDS", 1000.0)
    page = "x" * 400_000
    for _ in range(120):
        await database.write(lambda c: insert(c, page))
    # 120 writes of 400 KB would make it 48 MB.
    assert database.path.with_name("f.db-wal").stat().st_size < 20_000_000


async def test_without_writes_no_thread_wakes(database: Database) -> None:
    await database.read(count)
    assert not [each for each in threading.enumerate() if each.name == "store-checkpoints"]


def test_closing_moves_everything_into_the_file(tmp_path: Path) -> None:
    database = Database(tmp_path / "f.db", 1, STEPS)
    database.write_now(insert)
    database.close()
    database.close()
    assert [each.name for each in tmp_path.iterdir()] == ["f.db"]
    plain = sqlite3.connect(tmp_path / "f.db")
    assert count(plain) == 1
    plain.close()
    assert not [each for each in threading.enumerate() if each.name.startswith("store-")]
