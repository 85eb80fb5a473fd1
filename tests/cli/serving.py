"""The mock model server on a thread of its own, for commands that run in this process or another."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from tests.local.models.server import ModelServer


@contextlib.contextmanager
def serving(server: ModelServer, workspace: Path) -> Iterator[None]:
    """Serves, and has the workspace ask it in place of Anthropic."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def serve() -> None:
        async with server:
            ready.set()
            await asyncio.Event().wait()

    task = loop.create_task(serve())

    def run() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            loop.run_until_complete(task)
        for left in asyncio.all_tasks(loop):
            left.cancel()
        loop.run_until_complete(asyncio.sleep(0.01))

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(10)
    models = workspace / "models.toml"
    models.write_text(
        f'[providers.mock]\nbase_url = "{server.url}"\ndefault_model = "mock"\n'
        '[instead]\n"anthropic" = "mock/mock"\n'
    )
    try:
        yield
    finally:
        models.unlink(missing_ok=True)
        loop.call_soon_threadsafe(task.cancel)
        thread.join(10)
        loop.close()
