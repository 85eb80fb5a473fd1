"""Child processes that judge at a runtime until they are killed."""

import asyncio
import contextlib
import multiprocessing
import os
import random
import signal
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.remote import outbox_store, sending
from kindgi_tui.remote.transport import Limits, Transport
from kindgi_tui.remote.workbench import RemoteWorkbench, open_remote
from kindgi_tui.workbench import NotFound
from tests.remote.fake_runtime import TOKEN

RUNS = tuple(f"{number:08x}-21d7-4a43-9b8e-6f6f5d4b3a03" for number in range(3))
KEYS = ("kb-1", "kb-2", "taken back now and then")
LIMITS = Limits(connect=1.0, silence=1.0, whole=2.0)


def processes() -> ForkServerContext:
    """Starts processes that have everything imported: each is there in a moment."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.remote.judging_child"])
    return context


async def opened(address: str, folder: Path) -> RemoteWorkbench:
    sending.FIRST_PAUSE, sending.LONGEST_PAUSE, sending.BUSY_PAUSE = 0.005, 0.02, 0.02
    bench = await open_remote(address, SecretStr(TOKEN), folder, limits=LIMITS)
    await bench.outbox.begin()
    return bench


def judge_for_ever(address: str, folder: str, seed: int, how: str, told: Connection) -> None:
    """Judges, and takes back on the last item, at random; tells each acknowledged verdict as (kind, run, key, reason).

    `how`: `outside` waits to be killed; `said:N` dies after the N-th verdict is on disk, before anybody is told;
    `marked:N` dies when the N-th sending is marked and nothing of it sent; `sent:N` when the N-th was answered, before
    that is written down; `cut:N` in the middle of the N-th transaction.
    """
    asyncio.run(_judge(address, Path(folder), random.Random(seed), how, told))


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _arm(how: str) -> None:
    kind, _, after = how.partition(":")
    left = [int(after or 0)]

    def due() -> bool:
        left[0] -= 1
        return left[0] < 0

    if kind in ("marked", "sent"):
        send = Transport.send

        async def dying(self: Transport, method: str, *rest: Any, **more: Any) -> Any:
            if method != "POST" or not due():
                return await send(self, method, *rest, **more)
            if kind == "sent":
                await send(self, method, *rest, **more)
            return _die()

        Transport.send = dying  # type: ignore[method-assign]
    if kind == "cut":
        insert = outbox_store.insert

        def cut(*arguments: Any, **more: Any) -> Any:
            made = insert(*arguments, **more)
            if due():
                _die()
            return made

        outbox_store.insert = cut
    if kind == "said":
        RemoteWorkbench.said_due = staticmethod(due)  # type: ignore[attr-defined]


async def _judge(address: str, folder: Path, rng: random.Random, how: str, told: Connection) -> None:
    _arm(how)
    bench = await opened(address, folder)
    await bench.people.me()
    told.send("ready")
    dies_said = getattr(RemoteWorkbench, "said_due", None)
    while True:
        run, key = rng.choice(RUNS), rng.choice(KEYS)
        if key == KEYS[-1] and rng.random() < 0.4:
            with contextlib.suppress(NotFound):
                await bench.judgments.take_back(run, key)
            continue
        reason = f"{rng.getrandbits(64):016x}"
        item = ItemRef(key=key, pointer="/output/articles/0", rank=0)
        verdict = rng.choice(("yes", "no"))
        await bench.judgments.add(NewJudgment(run_id=run, item=item, verdict=verdict, reason=reason))
        if dies_said is not None and dies_said():
            _die()
        told.send(("said", run, key, reason))
        await asyncio.sleep(rng.random() * 0.006)
