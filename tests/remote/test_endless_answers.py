"""Answers that never end: one sentence in the time that was given, and no more kept than an answer's head may have."""

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import count, repeat

import pytest

from kindgi_tui.remote.transport import ATTEMPTS, Limits, Transport
from kindgi_tui.workbench import Unavailable

MEGABYTE = 1 << 20
MOST_SENT = 64 * MEGABYTE
"""What the server sends at most, so that a client that reads on for ever ends this test too."""


class Endless:
    """A server whose every answer's head goes on for ever."""

    def __init__(self, pieces: Callable[[], Iterator[bytes]], pause: float) -> None:
        self.pieces = pieces
        self.pause = pause
        self.asked = 0
        self.sent = 0
        """Bytes, in all."""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked += 1
        with suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            for piece in self.pieces():
                if self.sent > MOST_SENT:
                    break
                writer.write(piece)
                self.sent += len(piece)
                await writer.drain()
                await asyncio.sleep(self.pause)
        writer.close()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def one_line() -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nX-Long: "
    yield from repeat(b"x" * 65_536)


def many_lines() -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\n"
    yield from (b"X-%d: %s\r\n" % (number, b"y" * 8_000) for number in count())


def no_status() -> Iterator[bytes]:
    yield from repeat(b"z" * 65_536)


@pytest.mark.parametrize("pieces", [one_line, many_lines, no_status])
async def test_a_head_without_end_is_one_sentence_and_is_not_kept(
    pieces: Callable[[], Iterator[bytes]],
) -> None:
    endless = Endless(pieces, 0)

    async def no_sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    async with endless.running() as address:
        transport = Transport(address, None, Limits(), no_sleep)
        tracemalloc.start()
        try:
            with pytest.raises(Unavailable, match=r"was lost") as told:
                await transport.read("/v1/runs")
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        await transport.close()
    assert "\n" not in told.value.sentence
    assert endless.asked == ATTEMPTS
    # Given up long before the server would have ended; what is under way in both directions is in these bytes.
    assert endless.sent < MOST_SENT
    assert most < 16 * MEGABYTE


async def test_a_head_that_trickles_ends_when_the_time_for_a_whole_answer_is_over() -> None:
    def line() -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nX-Slow: "
        yield from repeat(b"x")

    endless = Endless(line, 0.05)
    async with endless.running() as address:
        # No silence is ever as long as the limit on silence: only the one on the whole ends it.
        transport = Transport(address, None, Limits(connect=5.0, silence=30.0, whole=0.5))
        async with asyncio.timeout(20):
            with pytest.raises(Unavailable, match=r"didn't answer in time"):
                await transport.read("/v1/runs")
        await transport.close()
    assert endless.asked == 1
