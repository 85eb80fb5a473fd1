"""Two rules of the outbox: a look before what is old is sent, and the taking back of what was to come back."""

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from kindgi_tui.domain.judgments import ItemRef, Verdict
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.remote import sending
from kindgi_tui.remote.outbox import FILE_NAME
from tests.remote.conftest import Opener
from tests.remote.fake_runtime import RUN, FakeRuntime, Reply, Seen, error

POST = "/v1/judgments"
ITEM = {"key": "a", "pointer": "/output/articles/0", "rank": 0}


def verdict(said: Verdict, reason: str | None = None, key: str = "a") -> NewJudgment:
    item = ItemRef(key=key, pointer="/output/articles/0", rank=0)
    return NewJudgment(run_id=RUN, item=item, verdict=said, reason=reason)


def told(runtime: FakeRuntime) -> list[tuple[str, str]]:
    """What is live at the runtime: item and verdict, in the order it was said."""
    return [(one["item"]["key"], one["verdict"]) for one in runtime.live()]


def busy(seen: Seen) -> Reply | None:
    """A runtime that says of every write that nothing ran, and to come again in an hour."""
    return error(503, "x", "Later.", ("retry-after", "3600")) if seen.method == "POST" else None


def looks(runtime: FakeRuntime) -> list[Seen]:
    return [one for one in runtime.seen if one.method == "GET" and one.path == POST]


async def waited(runtime: FakeRuntime, opener: Opener, folder: Path, milliseconds: int) -> int:
    """A verdict that never left, said that long ago; how many writes the runtime has seen by then."""
    runtime.script = busy
    bench = await opener(runtime.address)
    await bench.people.me()
    await bench.judgments.add(verdict("yes", "mine"))
    await bench.outbox.settle(1)
    await bench.close()
    with sqlite3.connect(folder / FILE_NAME) as connection:
        # The runtime said that nothing ran: it isn't one that may have arrived.
        assert connection.execute("SELECT tried, keyed FROM statements").fetchall()[0][0] is None
        connection.execute("UPDATE statements SET made = made - ?1, keyed = keyed - ?1", (milliseconds,))
    connection.close()
    runtime.script = None
    return len(runtime.posts())


LONG = sending.STALE_MS + 60_000
SHORT = sending.STALE_MS - 120_000


async def test_what_waited_long_and_never_left_asks_where_something_newer_was_said(
    runtime: FakeRuntime, opener: Opener, tmp_path: Path
) -> None:
    before = await waited(runtime, opener, tmp_path / "outbox", LONG)
    runtime.judge(runId=RUN, item=ITEM, verdict="no", reason="said elsewhere meanwhile")
    again = await opener(runtime.address)
    assert (await again.outbox.settle(5)).waiting == 0
    (entry,) = await again.outbox.list()
    assert (entry.state, entry.code) == ("asked", "newer-judgment")
    assert len(runtime.posts()) == before
    assert told(runtime) == [("a", "no")]
    await again.outbox.retry(entry.id)
    assert (await again.outbox.settle(5)).refused == 0
    assert told(runtime) == [("a", "yes")]


async def test_what_waited_long_and_stands_there_already_is_not_said_again(
    runtime: FakeRuntime, opener: Opener, tmp_path: Path
) -> None:
    before = await waited(runtime, opener, tmp_path / "outbox", LONG)
    runtime.judge(runId=RUN, item=ITEM, verdict="yes", reason="mine")
    again = await opener(runtime.address)
    assert (await again.outbox.settle(5)).waiting == 0
    assert await again.outbox.list() == ()
    assert len(runtime.posts()) == before
    assert len(runtime.judgments) == 1


@pytest.mark.parametrize(("waits", "looked"), [(LONG, 1), (SHORT, 0)])
async def test_a_look_is_taken_only_after_a_long_wait(
    runtime: FakeRuntime, opener: Opener, tmp_path: Path, waits: int, looked: int
) -> None:
    before = await waited(runtime, opener, tmp_path / "outbox", waits)
    seen = len(looks(runtime))
    again = await opener(runtime.address)
    assert (await again.outbox.settle(5)).waiting == 0
    assert told(runtime) == [("a", "yes")]
    assert (len(looks(runtime)) - seen, len(runtime.posts()) - before) == (looked, 1)


@pytest.mark.parametrize("said", [("yes", "no"), ("yes", "no", "yes")])
async def test_what_was_to_come_back_and_never_left_is_taken_back_here(
    runtime: FakeRuntime, opener: Opener, said: tuple[Verdict, ...]
) -> None:
    """Undone twice while the runtime is busy: only the last of it is sent, and what is live is right."""
    bench = await opener(runtime.address)
    for number, one in enumerate(said):
        await bench.judgments.add(verdict(one, f"r{number}"))
    await bench.outbox.settle(5)
    runtime.script = busy
    await bench.judgments.add(verdict("yes", key="first in the row"))
    await bench.outbox.settle(1)
    before = len(runtime.posts())
    back = [await bench.judgments.take_back(RUN, "a") for _ in range(2)]
    left = said[:-2]
    assert [None if one is None else one.verdict for one in back] == [said[-2], left[-1] if left else None]
    runtime.script = None
    await bench.outbox.retry()
    async with asyncio.timeout(20):
        assert (await bench.outbox.settle(10)).waiting == 0
    assert sorted(told(runtime)) == [*(("a", one) for one in left[-1:]), ("first in the row", "yes")]
    later = [json.loads(one.body) for one in runtime.posts()[before:]]
    assert [one["reason"] for one in later if one["item"]["key"] == "a"] == (["r0"] if left else [])
    taken = [one for one in runtime.seen if one.path.endswith("/unregister")]
    assert len(taken) == (0 if left else 1)
