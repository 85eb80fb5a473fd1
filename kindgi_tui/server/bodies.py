"""Request bodies: read with a limit, parsed as JavaScript's parser does, not too deep."""

import asyncio
import json
import re
from typing import NoReturn

from starlette.requests import ClientDisconnect, Request

from kindgi_tui.domain.base import Json
from kindgi_tui.server.errors import Refusal, bad

MAX_BYTES = 10 * 1024 * 1024
"""The largest body."""

MAX_DEPTH = 128
"""The most levels of objects and arrays."""

READ_SECONDS = 30.0
"""How long a body may take to arrive."""

NOTHING = object()
"""What `parsed` gives for a body that is no JSON."""

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


async def read_body(request: Request) -> bytes:
    """The body's bytes. Raises Refusal (413, 408)."""
    told = request.headers.get("content-length", "")
    if told.isdigit() and int(told) > MAX_BYTES:
        raise _too_large()
    pieces: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(READ_SECONDS):
            async for piece in request.stream():
                size += len(piece)
                if size > MAX_BYTES:
                    raise _too_large()
                pieces.append(piece)
    except TimeoutError:
        raise Refusal(
            408, "request-timeout", "The request's body didn't arrive in time. Send it again."
        ) from None
    except ClientDisconnect:
        raise Refusal(400, "bad-input", "The request ended before its body did.") from None
    return b"".join(pieces)


def _too_large() -> Refusal:
    return Refusal(
        413,
        "request-too-large",
        f"The request body is over the limit of {MAX_BYTES} bytes",
        {"maxBytes": MAX_BYTES},
    )


def parsed(raw: bytes) -> Json | object:
    """The body as JSON; `NOTHING` where it is none. Raises Refusal when it is nested too deep."""
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _depth(raw) > MAX_DEPTH:
        raise bad(
            f"The JSON body nests objects and arrays more than {MAX_DEPTH} deep, the limit",
            details={"maxDepth": MAX_DEPTH},
        )
    try:
        text = raw.decode("utf-8", "replace").removeprefix("\ufeff")
        value: Json = json.loads(text, parse_constant=_no_constant, parse_int=_integer)
    except (ValueError, RecursionError):
        return NOTHING
    return value


def _depth(raw: bytes) -> int:
    deepest = depth = 0
    for match in _TOKENS.finditer(raw):
        token = match[0]
        if token in (b"[", b"{"):
            depth += 1
            deepest = max(deepest, depth)
        elif token in (b"]", b"}"):
            depth -= 1
    return deepest


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _integer(digits: str) -> int | float:
    # Python refuses to read integers of thousands of digits; as a double they are infinite.
    return int(digits) if len(digits) < 400 else float(digits)
