"""`kindgi-tui serve`: the workspace as the Kindgi API, over HTTP."""

import contextlib
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from kindgi_tui.cli import logs
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.dev_file import DEV_FILE, dev_token
from kindgi_tui.cli.dev_file import dev_file as written
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.shared_options import as_verb
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.projects import Person
from kindgi_tui.workbench import Unsupported, Workbench


@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="The port; 0: a free one."
)
@click.option("--dialect", type=click.Choice(["0.1", "0.4"]), help="Only this one of the API's two dialects.")
@click.option(
    "--dev-file",
    is_flag=True,
    help=f"Write {DEV_FILE} here while it runs, so that the official clients find it.",
)
async def serve(call: Call, host: str, port: int, dialect: str | None, dev_file: bool) -> None:
    """Serves the workspace as the Kindgi API until it is stopped. The first line it prints is its URL.

    Who asks needs a token: `kindgi-tui tokens add`. The first start makes one and prints it once. With --json both
    are one line: {"url": …, "token": …}, the token where one was made.
    """
    from kindgi_tui.server.serving import is_loopback, listening
    from kindgi_tui.server.serving import serve as run
    from kindgi_tui.wire.dialects import DIALECTS

    bench = call.bench
    if call.remote:
        raise Unsupported(
            f"{bench.where} is a runtime, and serve puts a workspace behind the API: name one with --workspace."
        )
    me = await bench.people.me()
    spoken = DIALECTS if dialect is None else tuple(one for one in DIALECTS if one == dialect)
    async with contextlib.AsyncExitStack() as stack:
        # Before any token is made: one that nobody is told would be the only first one.
        sock = stack.enter_context(contextlib.closing(listening(host, port)))
        if not is_loopback(host):
            say(
                f"Everybody who reaches {host} can ask this server, without encryption. Put it behind one that "
                "encrypts."
            )
        first = await _first_token(bench, me)
        secret = None
        if dev_file:
            secret = await stack.enter_async_context(dev_token(bench, me, Path.cwd()))

        def started(url: str) -> None:
            if call.json:
                told: dict[str, Json] = {"url": url}
                call.out.json_line(told if first is None else {**told, "token": first})
            else:
                call.out.line(url)
                if first is not None:
                    call.out.line(f"Token, shown this once: {first}")
            if secret is not None:
                stack.enter_context(written(Path.cwd() / DEV_FILE, url, secret, me))

        with _logged():
            await run(bench, sock, started, spoken)


async def _first_token(bench: Workbench, me: Person) -> str | None:
    """A token for whoever starts the server, where nobody ever had one."""
    if await bench.tokens.list():
        return None
    _, secret = await bench.tokens.add("first", me.id, me.right)
    return secret


class _LogFiles(logging.Handler):
    """Writes each fault into a log file of its own, and says where on standard error; the first hundred."""

    left = 100
    """How many are still written."""

    def emit(self, record: logging.LogRecord) -> None:
        if self.left <= 0:
            return
        self.left -= 1
        path = logs.write(self.format(record))
        where = f" The details are in {path}." if path is not None else ""
        say(f"A request met something kindgi-tui doesn't expect.{where}")


@contextlib.contextmanager
def _logged() -> Iterator[None]:
    handler = _LogFiles(logging.ERROR)
    named = [logging.getLogger(name) for name in ("kindgi_tui.server", "uvicorn.error")]
    for one in named:
        one.addHandler(handler)
        one.propagate = False
    try:
        yield
    finally:
        for one in named:
            one.removeHandler(handler)
            one.propagate = True
        sys.stderr.flush()


noun = as_verb("serve", example="kindgi-tui serve --port 4000\nkindgi-tui serve --dialect 0.1 --dev-file")(
    serve
)
