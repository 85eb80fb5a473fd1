"""Trying again while what is asked can't be reached: a screen that couldn't load isn't dead (DESIGN section 10)."""

import asyncio
from collections.abc import Awaitable, Callable

from kindgi_tui.workbench import Unavailable

RETRY_SECONDS = 3.0
"""How long is waited before it is tried again, in seconds; longer where the runtime asks for it."""


async def until_reached(
    job: Callable[[], Awaitable[object]],
    failed: Callable[[Unavailable], None],
    wanted: Callable[[], bool] = lambda: True,
) -> None:
    """Does a job, and does it again after a pause while it can't be reached and is still `wanted`.

    `failed` is told once of each reason. Every other error of the job is raised.
    """
    told = ""
    while True:
        try:
            await job()
            return
        except Unavailable as cause:
            if not wanted():
                return
            if cause.sentence != told:
                told = cause.sentence
                failed(cause)
            pause = max(RETRY_SECONDS, cause.retry_after or 0.0)
        await asyncio.sleep(pause)
        if not wanted():
            return
