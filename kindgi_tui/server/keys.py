"""Idempotency keys: a retry gets the first answer, byte by byte, and runs nothing twice."""

import asyncio
import contextlib
import hashlib
import uuid
from collections.abc import Awaitable, Callable

from starlette.responses import Response

from kindgi_tui.domain.serving import KeptAnswer, KeyedRequest
from kindgi_tui.server.errors import Refusal
from kindgi_tui.workbench import Answers, Conflict, WorkbenchError

RENEW_SECONDS = 10.0
"""How often a request that still runs goes on holding its key."""

RETRY_SECONDS = 5
"""When to try again while the first request still runs, or the store can't be read."""

Run = Callable[[KeyedRequest | None, str | None], Awaitable[Response]]
"""Answers a request: by its key, and by the id of what it made before its answer could be kept."""

METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})
"""The methods on which a key counts."""


async def keyed(
    answers: Answers,
    caller: str,
    method: str,
    path: str,
    key: str,
    body: bytes,
    run: Run,
) -> Response:
    """The kept answer of the same request; else runs it and keeps what it answers below 400. Raises Refusal."""
    request = KeyedRequest(
        caller=caller,
        method=method,
        path=path,
        key=key,
        body_digest=hashlib.sha256(body).hexdigest(),
        holder=str(uuid.uuid4()),
    )
    try:
        kept = await answers.begin(request)
    except Conflict as cause:
        after = RETRY_SECONDS if cause.code == "idempotency-key-in-flight" else None
        raise Refusal(409, cause.code, cause.sentence, retry_after=after) from cause
    except WorkbenchError as cause:
        sentence = "The Idempotency-Key store can't be read now. Nothing ran: try again with the same key."
        raise Refusal(503, "idempotency-store-unavailable", sentence, retry_after=RETRY_SECONDS) from cause
    if isinstance(kept, KeptAnswer):
        headers = {"X-Idempotent-Replay": "true"}
        return Response(kept.body, kept.status, headers, media_type=kept.content_type)
    # A caller that hangs up doesn't stop what may have begun to write.
    return await asyncio.shield(
        asyncio.ensure_future(_run(answers, request, run, kept.id if kept is not None else None))
    )


async def _run(answers: Answers, request: KeyedRequest, run: Run, made: str | None) -> Response:
    renewing = asyncio.create_task(_renew(answers, request))
    done = False
    try:
        # A refusal is raised, and never kept: the same key may be sent again.
        response = await run(request, made)
        kept = KeptAnswer(
            status=response.status_code,
            content_type=response.headers.get("content-type", "application/json"),
            body=bytes(response.body),
        )
        # What ran has run, also where its answer can't be kept: then the key stays held until the hold lapses.
        done = True
        with contextlib.suppress(WorkbenchError):
            await answers.keep(request, kept)
        return response
    finally:
        renewing.cancel()
        if not done:
            with contextlib.suppress(WorkbenchError):
                await answers.release(request)


async def _renew(answers: Answers, request: KeyedRequest) -> None:
    while True:
        await asyncio.sleep(RENEW_SECONDS)
        with contextlib.suppress(WorkbenchError):
            await answers.renew(request)
