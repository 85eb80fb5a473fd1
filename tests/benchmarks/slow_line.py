"""A line to a server on which every byte takes a while, for measuring what a far runtime costs."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def slow_line(port: int, seconds: float) -> Iterator[int]:
    """A port on loopback that leads to another one; each way takes `seconds`."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    found: list[int] = []
    servers: list[asyncio.Server] = []

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):
            while data := await reader.read(65536):
                await asyncio.sleep(seconds)
                writer.write(data)
                await writer.drain()
        with contextlib.suppress(OSError):
            writer.close()

    async def joined(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        away, back = await asyncio.open_connection("127.0.0.1", port)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(carry(reader, back), carry(away, writer), return_exceptions=True)

    async def serve() -> None:
        server = await asyncio.start_server(joined, "127.0.0.1", 0)
        servers.append(server)
        found.append(server.sockets[0].getsockname()[1])
        ready.set()

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(serve())
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.close()

    thread = threading.Thread(target=run, name="slow-line", daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(servers[0].close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
