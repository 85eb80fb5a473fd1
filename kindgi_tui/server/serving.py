"""Running the server: one process, one socket, until it is told to stop (DESIGN section 11)."""

import asyncio
import contextlib
import errno
import logging
import signal
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from kindgi_tui.server.app import make_app
from kindgi_tui.server.asking import Served
from kindgi_tui.wire.dialects import DIALECTS, Dialect
from kindgi_tui.workbench import Unavailable, Workbench

HEADER_SECONDS = 20.0
"""How long the head of a request may take to arrive."""

STOP_SECONDS = 120.0
"""How long what runs may take to finish once the server is told to stop: a turn asks models, which take their time."""

LAST_SECONDS = 2.0
"""How long the answers to what was let go may take to be sent."""


class PatientProtocol(H11Protocol):
    """HTTP that hangs up on a caller who never ends, or never begins, the head of a request."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody connected: the clock of their first head runs."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Reads what came; the clock runs while a head is begun and not ended."""
        self._wait()
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._rest()

    def on_response_complete(self) -> None:
        """A head that came whole, answered or refused, waits for nothing more."""
        self._rest()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """The caller has gone."""
        self._rest()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _rest(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if not self.transport.is_closing():
            self.transport.close()


class Quiet(uvicorn.Server):
    """The server without uvicorn's signal handlers, which end the process by the signal they caught."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to take requests, and says so."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves the signals to whoever serves."""
        yield


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one. Raises Unavailable."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio only switches Nagle's waiting off where the protocol is named: else every answer takes 40 ms more.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(512)
        sock.setblocking(False)
    except OSError as cause:
        sock.close()
        raise Unavailable(_why_not(host, port, cause), code="machine-address") from cause
    except UnicodeError as cause:
        sock.close()
        raise Unavailable(_no_such_host(host, "no name of a host"), code="machine-address") from cause
    return sock


def _why_not(host: str, port: int, cause: OSError) -> str:
    reason = cause.strerror or str(cause)
    if isinstance(cause, socket.gaierror) or cause.errno == errno.EADDRNOTAVAIL:
        return _no_such_host(host, reason)
    return f"Can't listen on {host} port {port}: {reason}. Choose another with --port, or 0 for a free one."


def _no_such_host(host: str, reason: str) -> str:
    return (
        f"Can't listen on {host}: {reason}. Give an address of this machine with --host, such as 127.0.0.1."
    )


def url_of(sock: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach that address."""
    return host in ("localhost", "::1") or host.startswith("127.")


async def serve(
    bench: Workbench,
    sock: socket.socket,
    started: Callable[[str], None],
    spoken: Sequence[Dialect] = DIALECTS,
) -> None:
    """Serves on a socket that listens until SIGTERM or SIGINT; `started` is told the URL once requests are taken."""
    app = await make_app(bench, spoken)
    server = Quiet(config(app), lambda: started(url_of(sock)))
    served: Served = app.state.served
    loop = asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []

    def end() -> None:
        served.stopping.end()
        timers.append(loop.call_later(LAST_SECONDS, setattr, server, "force_exit", True))

    def stop() -> None:
        if server.should_exit:
            # A second signal doesn't wait for what runs.
            end()
        else:
            server.should_exit = True
            served.stopping.tell()
            timers.append(loop.call_later(STOP_SECONDS, end))

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    try:
        await server.serve([sock])
        await served.turns.finish(served.stopping.ended)
    finally:
        for timer in timers:
            timer.cancel()
        await _let_go(server.server_state.tasks)
        # One of them may have begun a turn in the meantime.
        served.stopping.end()
        await served.turns.finish(served.stopping.ended)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


async def _let_go(tasks: Iterable[asyncio.Task[object]]) -> None:
    """Ends what still answers somebody who doesn't read it; that nobody waits for it is no fault to be told."""
    left = [task for task in tasks if not task.done()]
    logger = logging.getLogger("uvicorn.error")
    logger.addFilter(_was_no_cancelling)
    try:
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    finally:
        logger.removeFilter(_was_no_cancelling)


def _was_no_cancelling(record: logging.LogRecord) -> bool:
    cause = record.exc_info[1] if record.exc_info else None
    return not isinstance(cause, asyncio.CancelledError)


def config(app: Starlette) -> uvicorn.Config:
    """How an application is served: its limits, and no log of its own."""
    return uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        limit_concurrency=1000,
    )
