"""Waiting for a comparison's end: progress meanwhile, and Ctrl-C cancels it."""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.progress import Bar
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.workbench import Conflict

FINAL = frozenset({"completed", "failed", "cancelled"})
"""Statuses of a comparison that has ended."""


class Ended(NamedTuple):
    """A comparison that was waited for."""

    comparison: Comparison
    """The comparison at its end."""
    interrupted: bool
    """Whether Ctrl-C was pressed meanwhile."""


async def wait_for_end(call: Call, begin: Awaitable[Comparison]) -> Ended:
    """The comparison that `begin` gives, once it ended.

    The first Ctrl-C cancels the comparison and waits for its end, also when it comes while the comparison is
    being started: none is left running. The second one stops waiting.
    """
    pressed = asyncio.Event()
    waiting = asyncio.ensure_future(_begin_and_wait(call, begin, pressed))

    def interrupted() -> None:
        if pressed.is_set():
            waiting.cancel()
        pressed.set()

    with _on_interrupt(interrupted):
        try:
            return Ended(await waiting, pressed.is_set())
        except asyncio.CancelledError as cause:
            raise KeyboardInterrupt from cause


async def _begin_and_wait(call: Call, begin: Awaitable[Comparison], pressed: asyncio.Event) -> Comparison:
    started = await begin
    if not call.json:
        say(f"Comparison {started.id}")
    bar = Bar()
    cancelling = asyncio.ensure_future(_cancel_when(call, started.id, pressed, bar))
    try:
        async for event in call.bench.comparisons.follow(started.id):
            if not pressed.is_set():
                bar.update(event.comparison.progress)
        if pressed.is_set():
            await cancelling
    finally:
        cancelling.cancel()
        bar.clear()
    return await call.bench.comparisons.get(started.id)


async def _cancel_when(call: Call, comparison_id: str, pressed: asyncio.Event, bar: Bar) -> None:
    await pressed.wait()
    bar.clear()
    say("Cancelling; what has finished is kept. Ctrl-C again stops waiting.")
    # It may have ended in the same moment.
    with contextlib.suppress(Conflict):
        await call.bench.comparisons.cancel(comparison_id)


@contextlib.contextmanager
def _on_interrupt(react: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, react)
    except (NotImplementedError, RuntimeError, ValueError):
        # Not the main thread, or a system without signals: Ctrl-C then ends the command at once.
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
