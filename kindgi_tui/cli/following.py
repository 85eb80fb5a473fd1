"""Waiting for a comparison's end: progress meanwhile, and Ctrl-C cancels it."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.progress import Bar
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.workbench import Conflict

FINAL = frozenset({"completed", "failed", "cancelled"})
"""Statuses of a comparison that has ended."""


async def wait_for_end(call: Call, comparison_id: str) -> tuple[Comparison, bool]:
    """The comparison once it ended, and whether Ctrl-C ended it.

    The first Ctrl-C cancels the comparison and waits for its end; the second leaves it as it is.
    """
    bar = Bar()
    interrupts: list[asyncio.Task[None]] = []
    pressed = asyncio.Event()

    async def cancel() -> None:
        bar.clear()
        say("Cancelling; what has finished is kept. Ctrl-C again stops waiting.")
        # It may have ended in the same moment.
        with contextlib.suppress(Conflict):
            await call.bench.comparisons.cancel(comparison_id)

    def interrupted() -> None:
        if pressed.is_set():
            following.cancel()
            return
        pressed.set()
        interrupts.append(asyncio.ensure_future(cancel()))

    async def follow() -> Comparison:
        found: Comparison | None = None
        async for event in call.bench.comparisons.follow(comparison_id):
            found = event.comparison
            if not pressed.is_set():
                bar.update(found.progress)
        if found is None or found.status not in FINAL:
            found = await call.bench.comparisons.get(comparison_id)
        return found

    following = asyncio.ensure_future(follow())
    try:
        with _on_interrupt(interrupted):
            found = await following
        for task in interrupts:
            await task
    except asyncio.CancelledError as cause:
        raise KeyboardInterrupt from cause
    finally:
        bar.clear()
    return await call.bench.comparisons.get(found.id), pressed.is_set()


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
