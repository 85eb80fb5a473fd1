"""The server's speed beside its floors, in one run: judgments recorded and pages of runs a second, over loopback.

    python -m tests.benchmarks.server_speed [requests]

The floors: the same commits in bare SQLite, and a bare Starlette route behind the same server.
"""

import asyncio
import contextlib
import sqlite3
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kindgi_tui.demo.make import make_demo
from kindgi_tui.server import serving as server
from tests.server.running import PASSWORD, serving


def per_second(count: int, once: Callable[[int], object]) -> float:
    """How often a second something is done, after a little warming up."""
    for number in range(10):
        once(number)
    started = time.perf_counter()
    for number in range(count):
        once(number)
    return count / (time.perf_counter() - started)


def sqlite_floor(folder: Path, count: int) -> float:
    """Full commits of one small row a second."""
    with contextlib.closing(sqlite3.connect(folder / "floor.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE rows (a, b)")

        def commit(number: int) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO rows VALUES (?, ?)", (number, "x" * 200))
            connection.execute("COMMIT")

        return per_second(count, commit)


@contextlib.contextmanager
def bare_route(body: bytes) -> Iterator[str]:
    """A Starlette route that answers the same bytes, behind the same server; gives its URL."""

    async def answer(request: Request) -> Response:
        return Response(body, media_type="application/json")

    sock = server.listening("127.0.0.1", 0)
    running = server.Quiet(server.config(Starlette(routes=[Route("/", answer)])), lambda: None)
    thread = threading.Thread(target=lambda: asyncio.run(running.serve([sock])))
    thread.start()
    try:
        yield server.url_of(sock)
    finally:
        running.should_exit = True
        thread.join()


def main(count: int) -> None:
    """Measures, and prints each rate beside its floor."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        asyncio.run(make_demo(folder / "demo"))
        commits = sqlite_floor(folder, count)
        with serving(folder / "demo") as served:

            def judge(number: int, headers: dict[str, str] | None = None) -> None:
                item = {"key": "kb-101", "pointer": "/output/articles/0", "rank": 0}
                verdict = "yes" if number // 50 % 2 else "no"
                body = {
                    "runId": PASSWORD,
                    "item": item,
                    "verdict": verdict,
                    "participantId": f"p{number % 50}",
                }
                assert served.send("POST", "/v1/judgments", body, headers=headers).status_code == 201

            plain = per_second(count, judge)
            keyed = per_second(count, lambda number: judge(number, {"Idempotency-Key": str(uuid.uuid4())}))
            page = served.send("GET", "/v1/runs?limit=25")
            pages = per_second(count, lambda _: served.send("GET", "/v1/runs?limit=25"))
        with bare_route(page.content) as url, httpx.Client() as client:
            bare = per_second(count, lambda _: client.get(url))
    print(f"judgments a second            {plain:7.0f}   {commits / plain:5.2f} x a bare commit's time")
    print(f"judgments a second, keyed     {keyed:7.0f}   {commits / keyed:5.2f} x a bare commit's time")
    print(f"pages of 25 runs a second     {pages:7.0f}   {bare / pages:5.2f} x a bare route's time")
    print(f"bare commits a second         {commits:7.0f}")
    print(f"bare route's answers a second {bare:7.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
