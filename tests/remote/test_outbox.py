"""What a person says while a runtime is well, away, slow or against it: nothing lost, nothing twice (DESIGN 10)."""

import asyncio
import errno
import json
import sqlite3
import time
from datetime import timedelta
from pathlib import Path

import pytest

from kindgi_tui.domain.judgments import ItemRef, Judgment, Verdict
from kindgi_tui.domain.outbox import OutboxCounts
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
from kindgi_tui.remote import one_sender, sending
from kindgi_tui.remote.outbox import FILE_NAME
from kindgi_tui.remote.workbench import RemoteWorkbench
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound
from tests.remote.conftest import Opener
from tests.remote.fake_runtime import (
    DROP_AFTER,
    DROP_BEFORE,
    HALF,
    ME,
    RUN,
    TOKEN,
    FakeRuntime,
    Reply,
    Seen,
    error,
    once,
)
from tests.waiting import until

POST = "/v1/judgments"


def verdict(key: str, said: Verdict = "yes", reason: str | None = None, rank: int = 0) -> NewJudgment:
    return NewJudgment(
        run_id=RUN,
        item=ItemRef(key=key, pointer=f"/output/articles/{rank}", rank=rank),
        verdict=said,
        reason=reason,
    )


def told(runtime: FakeRuntime) -> list[tuple[str, str]]:
    """What is live at the runtime: item and verdict, in the order it was said."""
    return [(one["item"]["key"], one["verdict"]) for one in runtime.live()]


async def shown(bench: RemoteWorkbench) -> dict[str, Verdict]:
    page = await bench.judgments.list(JudgmentFilter(run_id=RUN), 100)
    return {one.item.key: one.verdict for one in page.data}


def away(seen: Seen) -> Reply | None:
    return DROP_BEFORE if seen.path.startswith(POST) else None


async def test_what_is_said_is_on_disk_before_it_is_on_screen(
    runtime: FakeRuntime, opener: Opener, tmp_path: Path
) -> None:
    runtime.script = away
    bench = await opener(runtime.address)
    said = await bench.judgments.add(verdict("kb-1", "no", "Off topic \ud800"))
    rows = (
        sqlite3.connect(tmp_path / "outbox" / FILE_NAME)
        .execute("SELECT id, content FROM statements")
        .fetchall()
    )
    assert [(row[0], json.loads(row[1])["reason"]) for row in rows] == [(said.id, "Off topic \ud800")]
    assert (await bench.outbox.counts()).waiting == 1
    assert (await bench.judgments.get(said.id)).verdict == "no"


async def test_the_file_is_its_owners_alone(runtime: FakeRuntime, opener: Opener, tmp_path: Path) -> None:
    bench = await opener(runtime.address)
    await bench.people.me()
    await bench.judgments.add(verdict("a"))
    await bench.outbox.settle(5)
    folder = tmp_path / "outbox"
    assert folder.stat().st_mode & 0o077 == 0
    for file in folder.iterdir():
        assert file.stat().st_mode & 0o077 == 0, file
        assert TOKEN.encode() not in file.read_bytes(), file


async def test_it_is_sent_in_order_once(runtime: FakeRuntime, opener: Opener) -> None:
    bench = await opener(runtime.address)
    for number in range(8):
        await bench.judgments.add(verdict(f"kb-{number % 3}", "yes" if number % 2 else "no", f"r{number}"))
    assert (await bench.outbox.settle(5)).waiting == 0
    assert [json.loads(one.body)["reason"] for one in runtime.posts()] == [
        f"r{number}" for number in range(8)
    ]
    assert len({one.key for one in runtime.posts()}) == 8
    body = json.loads(runtime.posts()[0].body)
    assert body == {
        "runId": RUN,
        "item": {"key": "kb-0", "pointer": "/output/articles/0", "rank": 0},
        "verdict": "no",
        "reason": "r0",
    }


async def test_while_the_network_is_gone_it_waits_visibly_and_is_sent_later(
    runtime: FakeRuntime, opener: Opener
) -> None:
    bench = await opener(runtime.address)
    await bench.people.me()
    runtime.script = away
    for key in ("a", "b", "c"):
        await bench.judgments.add(verdict(key))
    counts = await bench.outbox.settle(0.3)
    assert (counts.waiting, counts.refused) == (3, 0)
    entries = await bench.outbox.list()
    assert [(one.item_key, one.state) for one in entries] == [
        ("a", "waiting"),
        ("b", "waiting"),
        ("c", "waiting"),
    ]
    assert "was lost" in (entries[0].sentence or "")
    runtime.script = None
    await bench.outbox.retry()
    assert (await bench.outbox.settle(5)).waiting == 0
    assert told(runtime) == [("a", "yes"), ("b", "yes"), ("c", "yes")]


async def test_nobody_there_at_all_and_never_was(
    runtime: FakeRuntime, opener: Opener, tmp_path: Path
) -> None:
    runtime.close()
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a"))
    assert (await bench.outbox.settle(0.3)).waiting == 1
    assert "can't be reached" in ((await bench.outbox.list())[0].sentence or "")
    await bench.close()
    again = await opener(runtime.address)
    assert (await again.outbox.counts()).waiting == 1


async def test_what_waits_is_sent_when_it_is_opened_again(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.script = lambda seen: DROP_BEFORE
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a"))
    await bench.outbox.settle(0.2)
    await bench.close()
    runtime.script = None
    again = await opener(runtime.address)
    assert (await again.outbox.settle(5)).waiting == 0
    assert told(runtime) == [("a", "yes")]


async def test_a_new_token_of_the_same_person_finds_what_waits(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.script = away
    bench = await opener(runtime.address)
    await bench.people.me()
    said = await bench.judgments.add(verdict("a"))
    await bench.outbox.settle(0.2)
    await bench.close()
    for step in ("list", "settle", "retry"):
        runtime.token = f"kgi_sk_new_{step}"
        again = await opener(runtime.address, token=runtime.token)
        if step == "list":
            assert [one.id for one in await again.outbox.list()] == [said.id]
        elif step == "settle":
            assert (await again.outbox.settle(0.5)).waiting == 1
        else:
            runtime.script = None
            await again.outbox.retry(said.id)
            assert (await again.outbox.settle(5)).waiting == 0
    assert told(runtime) == [("a", "yes")]


@pytest.mark.parametrize("wanted", ["retry", "drop"])
async def test_what_a_lost_token_said_can_be_claimed_or_dropped(
    runtime: FakeRuntime, opener: Opener, wanted: str
) -> None:
    runtime.script = lambda seen: DROP_BEFORE
    bench = await opener(runtime.address)
    said = await bench.judgments.add(verdict("a", "no"))
    await bench.judgments.add(verdict("a", "yes"))
    await bench.close()
    runtime.script, runtime.token = None, "kgi_sk_other"
    other = await opener(runtime.address, token=runtime.token)
    await other.outbox.begin()
    assert (await other.outbox.settle(0.5)).refused == 2
    entries = await other.outbox.list()
    assert [one.state for one in entries] == ["unclaimed", "unclaimed"]
    assert entries[0].id[:8] in (entries[0].sentence or "")
    assert told(runtime) == []
    if wanted == "drop":
        await other.outbox.drop(said.id)
        assert [one.id for one in await other.outbox.list()] == [entries[1].id]
        return
    for one in entries:
        await other.outbox.retry(one.id[:8])
    left = await other.outbox.settle(5)
    assert left == OutboxCounts(), await other.outbox.list()
    assert told(runtime) == [("a", "yes")]


async def test_another_tokens_person_does_not_send_it(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.script = away
    bench = await opener(runtime.address)
    await bench.people.me()
    await bench.judgments.add(verdict("a"))
    await bench.outbox.settle(0.2)
    await bench.close()
    runtime.script = lambda seen: (
        Reply(body={"principal": {"kind": "user", "id": "somebody-else"}})
        if seen.path == "/v1/identity/whoami"
        else None
    )
    other = await opener(runtime.address, token="kgi_sk_other")
    await other.people.me()
    assert (await other.outbox.settle(0.3)).waiting == 0
    assert len(runtime.posts()) > 0
    assert told(runtime) == []


@pytest.mark.parametrize(
    "trouble", [DROP_AFTER, HALF, Reply(201, raw=b"<html>", kind="text/html"), Reply(502, {})]
)
async def test_an_answer_that_is_lost_is_looked_after(
    runtime: FakeRuntime, opener: Opener, trouble: Reply
) -> None:
    runtime.script = once(POST, trouble)
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a", "no", "once"))
    assert (await bench.outbox.settle(5)).waiting == 0
    await bench.outbox.retry()
    assert (await bench.outbox.settle(5)).waiting == 0
    assert [one["reason"] for one in runtime.judgments] == ["once"]
    looked = [one for one in runtime.seen if one.method == "GET" and one.path == POST]
    assert looked[0].query["runId"] == [RUN]
    sent = runtime.posts()
    assert len({(one.key, one.body) for one in sent}) == 1


@pytest.mark.parametrize("body", [b"null", b"[]", b"true", b'"ok"', b"{}", b'{"judgmentId": "x"}'])
async def test_an_answer_that_is_no_answer_loses_nothing(
    runtime: FakeRuntime, opener: Opener, body: bytes
) -> None:
    nonsense = Reply(200, raw=body)
    runtime.script = lambda seen: nonsense if seen.method == "POST" else None
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a", "no"))
    counts = await bench.outbox.settle(0.3)
    assert (counts.waiting, counts.refused) == (1, 0)
    assert "can't read" in ((await bench.outbox.list())[0].sentence or "")
    runtime.script = None
    await bench.outbox.retry()
    assert (await bench.outbox.settle(5)).waiting == 0
    assert told(runtime) == [("a", "no")]
    runtime.script = lambda seen: nonsense if seen.method == "POST" else None
    assert await bench.judgments.take_back(RUN, "a") is None
    assert (await bench.outbox.settle(0.3)).waiting == 1
    assert told(runtime) == [("a", "no")]
    runtime.script = None
    await bench.outbox.retry()
    assert (await bench.outbox.settle(5)).waiting == 0
    assert told(runtime) == []


@pytest.mark.parametrize("status", [500, 418])
async def test_what_the_runtime_fails_at_holds_up_nothing_else(
    runtime: FakeRuntime, opener: Opener, status: int
) -> None:
    def script(seen: Seen) -> Reply | None:
        poison = seen.path == POST and seen.method == "POST" and json.loads(seen.body)["item"]["key"] == "a"
        return error(status, "x", "Broken on this one.") if poison else None

    runtime.script = script
    bench = await opener(runtime.address)
    for key, said in (("a", "no"), ("b", "yes"), ("a", "yes"), ("c", "yes")):
        await bench.judgments.add(verdict(key, said))  # type: ignore[arg-type]
    left = await bench.outbox.settle(1)
    # What was said on the same item keeps its order; the others are there.
    assert left.waiting == 2
    assert told(runtime) == [("b", "yes"), ("c", "yes")]
    first, second = await bench.outbox.list()
    assert "Broken on this one." in (first.sentence or "")
    assert second.verdict == "yes"
    await bench.outbox.drop(first.id)
    runtime.script = None
    await bench.outbox.retry()
    assert (await bench.outbox.settle(5)).waiting == 0
    assert told(runtime) == [("b", "yes"), ("c", "yes"), ("a", "yes")]


async def test_what_arrived_after_all_is_not_dropped(runtime: FakeRuntime, opener: Opener) -> None:
    looks: list[bool] = []

    def script(seen: Seen) -> Reply | None:
        if seen.path == POST and seen.method == "POST":
            if not runtime.live():
                runtime.judge(**json.loads(seen.body))
            return error(500, "x", "Broken after it.")
        return error(500, "x", "Broken.") if seen.path == POST and not looks else None

    runtime.script = script
    bench = await opener(runtime.address)
    said = await bench.judgments.add(verdict("a"))
    assert (await bench.outbox.settle(0.3)).waiting == 1
    looks.append(True)
    with pytest.raises((Conflict, NotFound), match=r"has arrived|Nothing with the id"):
        await bench.outbox.drop(said.id)
    assert (await bench.outbox.counts()).waiting == 0
    assert told(runtime) == [("a", "yes")]


async def test_taking_back_what_was_refused_forgets_it(runtime: FakeRuntime, opener: Opener) -> None:
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a", "no"))
    await bench.outbox.settle(5)
    runtime.script = once(POST, error(403, "permission-denied", "No."))
    await bench.judgments.add(verdict("a", "yes"))
    assert (await bench.outbox.settle(5)).refused == 1
    back = await bench.judgments.take_back(RUN, "a")
    assert back is not None
    assert back.verdict == "no"
    assert await bench.outbox.settle(5) == OutboxCounts()
    assert told(runtime) == [("a", "no")]


async def test_what_is_live_though_it_was_taken_back_can_be_taken_back(
    runtime: FakeRuntime, opener: Opener
) -> None:
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a", "no"))
    await bench.outbox.settle(5)
    await bench.judgments.take_back(RUN, "a")
    await bench.outbox.settle(5)
    # Somebody brought it back there, under its old time.
    for one in runtime.judgments:
        one.pop("unregisteredAt")
    assert await shown(bench) == {"a": "no"}
    await bench.judgments.take_back(RUN, "a")
    await bench.outbox.settle(5)
    assert told(runtime) == []


async def test_a_silent_runtime_is_looked_after_too(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.script = once(POST, Reply(drop="hang", seconds=0.5))
    bench = await opener(runtime.address, silence=0.2)
    await bench.judgments.add(verdict("a"))
    await bench.outbox.settle(2)
    await bench.outbox.retry()
    assert (await bench.outbox.settle(5)).waiting == 0
    assert len(runtime.judgments) == 1


async def test_one_that_still_runs_there_is_waited_for(runtime: FakeRuntime, opener: Opener) -> None:
    busy = error(409, "idempotency-key-in-flight", "Still running.", ("retry-after", "0"))
    runtime.script = once(POST, busy)
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a"))
    assert (await bench.outbox.settle(5)).waiting == 0
    assert len({one.key for one in runtime.posts()}) == 1
    assert told(runtime) == [("a", "yes")]


@pytest.mark.parametrize("status", [429, 503])
async def test_retry_after_is_honoured(
    runtime: FakeRuntime, opener: Opener, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime.script = once(POST, error(status, "x", "Later.", ("retry-after", "30")))
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a"))
    await bench.outbox.settle(0.5)
    await bench.judgments.add(verdict("b"))
    await bench.outbox.settle(0.3)
    assert len(runtime.posts()) == 1
    entry = (await bench.outbox.list())[0]
    assert entry.state == "waiting"
    assert "Later." in (entry.sentence or "")
    await bench.outbox.retry()
    assert (await bench.outbox.settle(5)).waiting == 0
    assert told(runtime) == [("a", "yes"), ("b", "yes")]


@pytest.mark.parametrize("status", [400, 403, 404, 409, 410, 422])
async def test_a_refused_one_is_kept_with_the_runtimes_sentence(
    runtime: FakeRuntime, opener: Opener, status: int
) -> None:
    runtime.script = once(POST, error(status, "some-code", "Not this one."))
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a"))
    await bench.judgments.add(verdict("b"))
    counts = await bench.outbox.settle(5)
    assert (counts.waiting, counts.refused) == (0, 1)
    (entry,) = await bench.outbox.list()
    assert (entry.item_key, entry.state, entry.code) == ("a", "refused", "some-code")
    assert "Not this one." in (entry.sentence or "")
    # The others went on their way, and the screen shows what is live.
    assert told(runtime) == [("b", "yes")]
    assert await shown(bench) == {"b": "yes"}
    await bench.outbox.retry(entry.id)
    assert await bench.outbox.settle(5) == counts.model_copy(update={"refused": 0})
    assert told(runtime) == [("b", "yes"), ("a", "yes")]


async def test_a_refused_one_can_be_dropped(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.script = once(POST, error(403, "judge-class-not-allowed", "No."))
    bench = await opener(runtime.address)
    said = await bench.judgments.add(verdict("a"))
    await bench.outbox.settle(5)
    await bench.outbox.drop(said.id[:8])
    assert (await bench.outbox.counts()).refused == 0
    with pytest.raises(NotFound):
        await bench.outbox.drop(said.id)
    with pytest.raises(NotFound):
        await bench.outbox.retry("")


async def test_one_that_may_have_arrived_is_not_dropped(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.script = lambda seen: DROP_AFTER if seen.method == "POST" else None
    runtime.more[POST] = {"data": [], "hasMore": False}
    bench = await opener(runtime.address)
    said = await bench.judgments.add(verdict("a"))
    await bench.outbox.settle(0.2)
    with pytest.raises(Conflict, match="may have arrived"):
        await bench.outbox.drop(said.id)


async def test_an_expired_token_lets_it_wait(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.script = once(POST, error(401, "auth-expired", "Bearer token has expired"))
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a"))
    counts = await bench.outbox.settle(1)
    assert counts.refused == 0
    # Why is told where the person can do something about it, and not where a runtime is merely away.
    assert counts.sentence is None or "Give a token that is valid" in counts.sentence
    await bench.outbox.retry()
    assert (await bench.outbox.settle(5)).waiting == 0
    assert told(runtime) == [("a", "yes")]


@pytest.mark.parametrize(
    ("trouble", "why"),
    [(error(401, "auth-expired", "Bearer token has expired"), "expired"), (DROP_BEFORE, None)],
)
async def test_why_it_waits_is_counted_where_the_person_can_help(
    runtime: FakeRuntime, opener: Opener, trouble: Reply, why: str | None
) -> None:
    runtime.script = once(POST, trouble, times=99)
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a"))
    counts = await bench.outbox.settle(0.5)
    assert counts.waiting == 1
    assert why is None if counts.sentence is None else str(why) in counts.sentence


async def test_a_newer_verdict_of_mine_there_asks_the_person(runtime: FakeRuntime, opener: Opener) -> None:
    item = {"key": "a", "pointer": "/output/articles/0", "rank": 0}

    def script(seen: Seen) -> Reply | None:
        if seen.path == POST and seen.method == "POST":
            if not runtime.judgments:
                # Said elsewhere, between our verdict and its next try.
                runtime.ahead = timedelta(seconds=5)
                runtime.judge(runId=RUN, item=item, verdict="no")
                runtime.ahead = timedelta()
            return DROP_BEFORE
        return None

    runtime.script = script
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a", "yes", "mine"))
    await bench.outbox.settle(0.5)
    await bench.outbox.retry()
    counts = await bench.outbox.settle(3)
    assert (counts.waiting, counts.refused) == (0, 1)
    (entry,) = await bench.outbox.list()
    assert entry.state == "asked"
    assert "newer verdict of yours" in (entry.sentence or "")
    assert await shown(bench) == {"a": "no"}
    runtime.script = None
    await bench.outbox.retry(entry.id)
    assert (await bench.outbox.settle(5)).refused == 0
    assert told(runtime) == [("a", "yes")]


async def test_what_waited_long_and_arrived_late_is_not_newer_than_what_was_said_after_it(
    runtime: FakeRuntime, opener: Opener, tmp_path: Path
) -> None:
    runtime.script = away
    bench = await opener(runtime.address)
    await bench.people.me()
    await bench.judgments.add(verdict("a", "yes"))
    await bench.judgments.add(verdict("a", "no"))
    await asyncio.sleep(0.05)
    await bench.close()
    aged(tmp_path / "outbox", 1)
    lost = [False, True]
    runtime.script = lambda seen: DROP_BEFORE if seen.method == "POST" and lost and lost.pop(0) else None
    again = await opener(runtime.address)
    assert await again.outbox.settle(5) == await again.outbox.counts()
    assert await again.outbox.list() == ()
    assert told(runtime) == [("a", "no")]


@pytest.mark.parametrize("hours", [-7, 7])
async def test_a_clock_that_is_wrong_does_not_make_it_newer(
    runtime: FakeRuntime, opener: Opener, hours: int
) -> None:
    runtime.ahead = timedelta(hours=hours)
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a", "no"))
    await bench.outbox.settle(5)
    await asyncio.sleep(1.1)
    runtime.script = once(POST, DROP_BEFORE)
    await bench.judgments.add(verdict("a", "yes"))
    await bench.outbox.settle(1)
    await bench.outbox.retry()
    assert await bench.outbox.settle(5) == await bench.outbox.counts()
    assert told(runtime) == [("a", "yes")]


def aged(folder: Path, hours: float) -> None:
    """Makes everything in the outbox that much older."""
    connection = sqlite3.connect(folder / FILE_NAME)
    back = int(hours * 3_600_000)
    connection.execute(
        "UPDATE statements SET made = made - ?1, keyed = keyed - ?1, tried = tried - ?1", (back,)
    )
    connection.commit()
    connection.close()


@pytest.mark.parametrize("arrived", [True, False])
async def test_before_something_old_is_sent_what_is_live_is_read(
    runtime: FakeRuntime, opener: Opener, tmp_path: Path, arrived: bool
) -> None:
    runtime.script = once(POST, DROP_AFTER if arrived else DROP_BEFORE, times=99)
    bench = await opener(runtime.address)
    await bench.people.me()
    await bench.judgments.add(verdict("a", "yes", "old"))
    await until(runtime.posts)
    await bench.close()
    first = runtime.posts()[0].key
    aged(tmp_path / "outbox", 25)
    # A day later the runtime has forgotten the key.
    runtime.answers.clear()
    before = len(runtime.posts())
    runtime.script = None
    again = await opener(runtime.address)
    assert (await again.outbox.settle(5)).waiting == 0
    assert [one["reason"] for one in runtime.judgments] == ["old"]
    later = runtime.posts()[before:]
    assert len(later) == (0 if arrived else 1)
    assert all(one.key != first for one in later)


async def test_taken_back_while_it_waits_it_cancels_itself(runtime: FakeRuntime, opener: Opener) -> None:
    bench = await opener(runtime.address)
    await bench.people.me()
    runtime.script = lambda seen: Reply(503, {}, (("retry-after", "60"),)) if seen.method == "POST" else None
    await bench.judgments.add(verdict("first"))
    await bench.outbox.settle(1)
    await bench.judgments.add(verdict("a", "yes"))
    assert await shown(bench) == {"a": "yes", "first": "yes"}
    assert await bench.judgments.take_back(RUN, "a") is None
    assert await shown(bench) == {"first": "yes"}
    await bench.judgments.add(verdict("a", "no"))
    await bench.judgments.add(verdict("a", "yes"))
    back = await bench.judgments.take_back(RUN, "a")
    assert back is not None
    assert back.verdict == "no"
    runtime.script = None
    await bench.outbox.retry()
    await bench.outbox.settle(5)
    assert told(runtime) == [("first", "yes"), ("a", "no")]
    # What cancelled itself never left.
    sent = [json.loads(one.body) for one in runtime.posts()]
    assert [one["verdict"] for one in sent if one["item"]["key"] == "a"] == ["no"]
    with pytest.raises(NotFound, match="said nothing"):
        await bench.judgments.take_back(RUN, "never")


@pytest.mark.parametrize("patient", [True, False])
async def test_taking_back_what_waits_asks_nobody_first(
    runtime: FakeRuntime, opener: Opener, patient: bool
) -> None:
    runtime.script = lambda seen: DROP_BEFORE
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a"))
    await bench.close()
    # Whatever is asked of the runtime hangs: the verdict is cancelled all the same, on disk, before any answer.
    runtime.script = once("/v1/", Reply(drop="hang", seconds=8.0), times=99)
    again = await opener(runtime.address, patient=patient, silence=6.0)
    before = len(runtime.seen)
    assert await again.judgments.take_back(RUN, "a") is None
    assert [one for one in runtime.seen[before:] if "judgments" in one.path] == []
    assert (await again.outbox.counts()).waiting == 0


async def test_a_screen_takes_back_what_was_sent_without_asking_first(
    runtime: FakeRuntime, opener: Opener
) -> None:
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a"))
    await bench.outbox.settle(5)
    await bench.close()
    again = await opener(runtime.address, silence=6.0)
    runtime.script = once("/v1/", Reply(drop="hang", seconds=8.0), times=99)
    before = len(runtime.seen)
    assert await again.judgments.take_back(RUN, "a") is None
    assert [one for one in runtime.seen[before:] if one.path.endswith("/judgments")] == []
    assert (await again.outbox.counts()).waiting == 1


async def test_taking_back_what_was_sent_brings_back_what_was_before(
    runtime: FakeRuntime, opener: Opener
) -> None:
    bench = await opener(runtime.address)
    for said in ("yes", "no", "yes"):
        await bench.judgments.add(verdict("a", said, said * 2))
    await bench.outbox.settle(5)
    seen: list[Verdict | None] = []
    for _ in range(3):
        back = await bench.judgments.take_back(RUN, "a")
        seen.append(None if back is None else back.verdict)
        await bench.outbox.settle(5)
        assert await shown(bench) == ({} if back is None else {"a": back.verdict})
    assert seen == ["no", "yes", None]
    assert told(runtime) == []
    with pytest.raises(NotFound):
        await bench.judgments.take_back(RUN, "a")


async def test_taking_back_without_waiting_ends_where_taking_back_with_waiting_does(
    runtime: FakeRuntime, opener: Opener
) -> None:
    bench = await opener(runtime.address)
    await bench.people.me()
    runtime.script = away
    for said in ("yes", "no", "yes"):
        await bench.judgments.add(verdict("a", said))
    await asyncio.sleep(0.05)
    seen = [await bench.judgments.take_back(RUN, "a") for _ in range(3)]
    assert [None if one is None else one.verdict for one in seen] == ["no", "yes", None]
    runtime.script = None
    await bench.outbox.retry()
    assert (await bench.outbox.settle(5)).waiting == 0
    assert told(runtime) == []


async def test_a_verdict_said_elsewhere_comes_back_too(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.judge(runId=RUN, item={"key": "a"}, verdict="no", reason="elsewhere")
    runtime.judge(asserter="other", runId=RUN, item={"key": "a"}, verdict="no")
    bench = await opener(runtime.address)
    await shown(bench)
    await bench.judgments.add(verdict("a", "yes"))
    await bench.outbox.settle(5)
    back = await bench.judgments.take_back(RUN, "a")
    assert back is not None
    assert (back.verdict, back.reason) == ("no", "elsewhere")
    await bench.outbox.settle(5)
    mine = [one for one in runtime.live() if one["assertedBy"]["id"] == ME]
    assert [(one["verdict"], one["reason"]) for one in mine] == [("no", "elsewhere")]
    assert len(runtime.live()) == 2


async def test_what_another_day_said_is_taken_back_by_asking(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.judge(runId=RUN, item={"key": "a"}, verdict="no")
    bench = await opener(runtime.address)
    await bench.people.me()
    assert await bench.judgments.take_back(RUN, "a") is None
    await bench.outbox.settle(5)
    assert told(runtime) == []


async def test_the_taking_back_of_a_refused_verdict_is_nothing(runtime: FakeRuntime, opener: Opener) -> None:
    gate = asyncio.Event()

    def script(seen: Seen) -> Reply | None:
        if seen.path == POST and seen.method == "POST":
            return DROP_BEFORE if not gate.is_set() else error(403, "x", "No.")
        return None

    runtime.script = script
    bench = await opener(runtime.address)
    await bench.people.me()
    await bench.judgments.add(verdict("a"))
    await asyncio.sleep(0.1)
    assert await bench.judgments.take_back(RUN, "a") is None
    gate.set()
    await bench.outbox.retry()
    assert (await bench.outbox.settle(5)).waiting == 0
    assert [one for one in runtime.seen if one.path.endswith("/unregister")] == []


async def test_the_taking_back_that_got_no_answer(runtime: FakeRuntime, opener: Opener) -> None:
    bench = await opener(runtime.address)
    await bench.judgments.add(verdict("a"))
    await bench.outbox.settle(5)
    path = f"/v1/judgments/{runtime.judgments[0]['id']}/unregister"
    runtime.script = once(path, DROP_AFTER)
    await bench.judgments.take_back(RUN, "a")
    await bench.outbox.settle(1)
    await bench.outbox.retry()
    assert await bench.outbox.settle(5) == await bench.outbox.counts()
    assert told(runtime) == []
    assert (await bench.outbox.counts()).waiting == 0


async def test_the_same_again_is_not_said_twice(runtime: FakeRuntime, opener: Opener) -> None:
    bench = await opener(runtime.address)
    first = await bench.judgments.add(verdict("a"))
    again = await bench.judgments.add(verdict("a"))
    assert first.id == again.id
    await bench.outbox.settle(5)
    await shown(bench)
    await bench.judgments.add(verdict("a"))
    await bench.outbox.settle(5)
    assert len(runtime.posts()) == 1


async def test_wrong_ones_are_refused_here(runtime: FakeRuntime, opener: Opener) -> None:
    bench = await opener(runtime.address)
    for wrong in (verdict(" "), verdict("a", reason="x" * 4001), verdict("a", rank=-1)):
        with pytest.raises(Invalid):
            await bench.judgments.add(wrong)
    with pytest.raises(Invalid, match="doesn't exist or doesn't apply"):
        await bench.judgments.add(verdict("a").model_copy(update={"group": "nobody"}))
    assert (await bench.outbox.counts()).waiting == 0


async def test_a_patient_one_gets_the_runtimes_answer(runtime: FakeRuntime, opener: Opener) -> None:
    bench = await opener(runtime.address, patient=True)
    made = await bench.judgments.add(verdict("a"))
    assert made.id == runtime.judgments[0]["id"]
    runtime.script = once(POST, error(403, "permission-denied", "Not allowed to judge."))
    with pytest.raises(Denied, match="Not allowed to judge"):
        await bench.judgments.add(verdict("b"))
    # Whoever waited for the answer has it: nothing is kept.
    assert await bench.outbox.list() == ()
    runtime.script = away
    waiting = await bench.judgments.add(verdict("c"))
    assert (await bench.outbox.counts()).waiting == 1
    assert waiting.verdict == "yes"


async def test_a_key_press_waits_for_no_network(runtime: FakeRuntime, opener: Opener) -> None:
    bench = await opener(runtime.address, silence=2.0)
    await bench.people.me()
    await bench.judgments.add(verdict("warm"))
    await bench.outbox.settle(5)
    runtime.script = once(POST, Reply(drop="hang", seconds=8.0), times=99)
    began = time.monotonic()
    for number in range(20):
        await bench.judgments.add(verdict(f"k{number}"))
    # Twenty are on disk while the runtime hasn't answered the first: no time of ours is asserted, only its.
    assert time.monotonic() - began < 8.0
    assert (await bench.outbox.counts()).waiting == 20


@pytest.mark.parametrize("fault", [OSError(errno.EMFILE, "Too many open files"), RuntimeError("odd")])
async def test_whoever_waits_is_answered_when_this_machine_refuses_to_send(
    runtime: FakeRuntime, opener: Opener, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    bench = await opener(runtime.address)
    await bench.people.me()

    def refused(path: Path) -> int:
        raise fault

    monkeypatch.setattr(one_sender, "_open_lock", refused)
    async with asyncio.timeout(20):
        await bench.judgments.add(verdict("a"))
        assert (await bench.outbox.counts()).waiting == 1
        await bench.close()
    monkeypatch.undo()
    again = await opener(runtime.address)
    assert (await again.outbox.settle(5)).waiting == 0
    assert told(runtime) == [("a", "yes")]


async def test_two_programs_share_an_outbox(runtime: FakeRuntime, opener: Opener) -> None:
    one, two = await opener(runtime.address), await opener(runtime.address)
    await asyncio.gather(one.people.me(), two.people.me())
    made: list[Judgment] = []
    for number in range(15):
        made.append(
            await (one if number % 2 else two).judgments.add(verdict(f"k{number % 4}", reason=f"r{number}"))
        )
    for _ in range(40):
        await asyncio.gather(one.outbox.settle(0.5), two.outbox.settle(0.5))
        if not (await one.outbox.counts()).waiting:
            break
    assert sorted(one["reason"] for one in runtime.judgments) == sorted(f"r{number}" for number in range(15))
    assert len(runtime.live()) == 4
    assert len({each.id for each in made}) == 15


async def test_a_pause_is_longer_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "FIRST_PAUSE", 1.0)
    monkeypatch.setattr(sending, "LONGEST_PAUSE", 10.0)
    sender = sending.Sender(None, None, None)  # type: ignore[arg-type]
    assert [sender._pause(None) for _ in range(6)] == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    assert sender._pause(25.0) == 25.0
