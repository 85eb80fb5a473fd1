"""Turns whose request is let go: before they begin, as they begin, and after; a stop waits for each that runs."""

import asyncio
from datetime import UTC, datetime

import pytest

from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.server.turns import Begun, Turns

RUN = RunDetail(
    id="r-1",
    project_id="p-1",
    subject=Subject(kind="agent", id="acme.a", version="0.1.0"),
    status="running",
    created_at=datetime.now(UTC),
)


class Taken:
    """One turn, taken step by step."""

    def __init__(self) -> None:
        self.may_begin = asyncio.Event()
        self.may_end = asyncio.Event()
        self.entered = asyncio.Event()
        self.began = asyncio.Event()
        self.said: list[str] = []

    async def __call__(self, begun: Begun) -> RunDetail:
        self.entered.set()
        await self.may_begin.wait()
        begun(RUN)
        self.said.append("begun")
        self.began.set()
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.said.append("recorded as cancelled")
            raise
        self.said.append("recorded")
        return RUN


async def let_go(request: "asyncio.Task[RunDetail]") -> None:
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request


async def test_one_that_had_not_begun_is_not_taken() -> None:
    turns, taken = Turns(), Taken()
    request = asyncio.create_task(turns.begin(taken))
    await taken.entered.wait()
    await let_go(request)
    taken.may_begin.set()
    await turns.finish(asyncio.Event())
    assert taken.said == []
    assert turns.get(RUN.id) is None


async def test_one_that_began_in_that_moment_goes_on_and_is_waited_for() -> None:
    turns, taken = Turns(), Taken()
    request = asyncio.create_task(turns.begin(taken))
    await taken.entered.wait()
    taken.may_begin.set()
    await taken.began.wait()
    # It has begun, and whoever asked hasn't been told so yet.
    assert not request.done()
    await let_go(request)
    assert turns.get(RUN.id) == RUN
    finishing = asyncio.create_task(turns.finish(asyncio.Event()))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not finishing.done()
    taken.may_end.set()
    await finishing
    assert taken.said == ["begun", "recorded"]
    assert turns.get(RUN.id) is None


@pytest.mark.parametrize("begins", [False, True])
async def test_a_stop_waits_for_one_that_is_about_to_begin_and_a_second_one_ends_it(begins: bool) -> None:
    turns, taken, ended = Turns(), Taken(), asyncio.Event()
    request = asyncio.create_task(turns.begin(taken))
    await taken.entered.wait()
    finishing = asyncio.create_task(turns.finish(ended))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not finishing.done()
    if begins:
        taken.may_begin.set()
        assert await request == RUN
    ended.set()
    await finishing
    assert taken.said == (["begun", "recorded as cancelled"] if begins else [])
    if not begins:
        with pytest.raises(asyncio.CancelledError):
            await request


async def test_what_goes_wrong_before_it_begins_is_told_to_who_asked_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    turns = Turns()

    async def refused(begun: Begun) -> RunDetail:
        raise ValueError("no such agent")

    with pytest.raises(ValueError, match="no such agent"):
        await turns.begin(refused)
    await turns.finish(asyncio.Event())
    assert caplog.text == ""
