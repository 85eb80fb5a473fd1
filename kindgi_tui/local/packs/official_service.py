"""Runs `python -m kindgi.pack` as it is, but for one socket option; started as a file, by the pack's interpreter.

The official service writes a response's head and body in two pieces on a socket that waits for the first to be
acknowledged (asyncio sets TCP_NODELAY only on sockets whose protocol number is given, and the service's is not), which
costs 40 ms a call on a kept connection. Connections inherit the option from the listening socket.
"""

import contextlib
import runpy
import socket
from typing import Any

_listen = socket.socket.listen


def _listen_without_delay(self: socket.socket, *args: Any) -> None:
    if self.family in (socket.AF_INET, socket.AF_INET6):
        with contextlib.suppress(OSError):
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    _listen(self, *args)


if __name__ == "__main__":
    socket.socket.listen = _listen_without_delay  # type: ignore[assignment, method-assign]
    runpy.run_module("kindgi.pack", run_name="__main__", alter_sys=True)
