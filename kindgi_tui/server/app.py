"""The HTTP face: the Kindgi API over any workbench, as a Starlette application (DESIGN section 11)."""

import logging
import re
import secrets
import uuid
from collections.abc import Awaitable, Callable, Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.serving import Bearer, KeyedRequest
from kindgi_tui.server import keys
from kindgi_tui.server.asking import Answer, Ask, Served
from kindgi_tui.server.bodies import read_body
from kindgi_tui.server.errors import Refusal, no_route, of_workbench
from kindgi_tui.server.offered import Offered, offered
from kindgi_tui.server.openapi import document
from kindgi_tui.text import dumps_line
from kindgi_tui.wire import dialects, v01_records
from kindgi_tui.wire.dialects import DIALECTS, Dialect
from kindgi_tui.workbench import Denied, Workbench, WorkbenchError

_LOG = logging.getLogger("kindgi_tui.server")
_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,200}")
_TRACE = re.compile(r"00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")

Endpoint = Callable[[Request], Awaitable[Response]]
"""Answers one HTTP request."""


async def make_app(bench: Workbench, spoken: Sequence[Dialect] = DIALECTS) -> Starlette:
    """The application over an open workbench, which it doesn't close. Raises the workbench's errors."""
    oldest = min(await bench.projects.list(), key=lambda project: project.created_at)
    served = Served(bench, v01_records.tenant_id(oldest), tuple(spoken))
    places = list(offered(served.dialects))
    api = dumps_line(document(places, served.dialects)).encode()

    async def health(request: Request) -> Response:
        return _json({"ok": True}, 200)

    async def openapi(request: Request) -> Response:
        return Response(api, media_type="application/json")

    routes = [
        Route("/health", _public(health), methods=["GET"]),
        Route("/v1/openapi.json", _public(openapi), methods=["GET"]),
        *(
            Route(_ours(place), _endpoint(served, place), methods=[place.operation.method])
            for place in places
        ),
        Route("/{rest:path}", _unrouted(served), methods=[*keys.METHODS, "GET", "HEAD", "OPTIONS"]),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _no_such_method})
    app.router.redirect_slashes = False
    app.state.served = served
    return app


def _ours(place: Offered) -> str:
    """The template with the parameters by their 0.1 names, which the handlers read."""
    parts = [
        f"{{{dialects.parameter_01(part[1:-1])}}}" if part.startswith("{") else part
        for part in place.path.split("/")
    ]
    return "/".join(parts)


def _json(body: Json, status: int) -> Response:
    return Response(dumps_line(body).encode(), status, media_type="application/json")


def _request_id(request: Request) -> str:
    told = request.headers.get("x-request-id", "")
    return told if _REQUEST_ID.fullmatch(told) else f"req-{uuid.uuid4()}"


def _finished(request: Request, response: Response, identity: str) -> Response:
    response.headers["X-Request-Id"] = identity
    if request.url.path.startswith("/v1"):
        response.headers["Cache-Control"] = "no-store"
    trace = _TRACE.fullmatch(request.headers.get("traceparent", ""))
    response.headers["traceresponse"] = (
        f"00-{trace[1] if trace else secrets.token_hex(16)}-{secrets.token_hex(8)}-01"
    )
    return response


def _refused(cause: Refusal, identity: str, dialect: Dialect) -> Response:
    code, message, details = cause.code, cause.message, cause.details
    if dialect == "0.4":
        code, message, details = dialects.error_04(code, message, details)
    told: dict[str, Json] = {"code": code, "message": message}
    if details:
        told["details"] = details
    response = _json({"error": {**told, "requestId": identity}}, cause.status)
    if cause.retry_after is not None:
        response.headers["Retry-After"] = str(max(1, round(cause.retry_after)))
    return response


def _public(endpoint: Endpoint) -> Endpoint:
    async def answer(request: Request) -> Response:
        return _finished(request, await endpoint(request), _request_id(request))

    return answer


def _unrouted(served: Served) -> Endpoint:
    async def answer(request: Request) -> Response:
        """What isn't offered; under `/v1` only a caller with a token is told so."""
        identity = _request_id(request)
        try:
            if request.url.path.startswith("/v1/"):
                await bearer_of(served.bench, request)
            raise no_route(request.method, request.url.path)
        except Refusal as cause:
            return _finished(request, _refused(cause, identity, served.dialects[0]), identity)

    return answer


async def _no_such_method(request: Request, cause: Exception) -> Response:
    identity = _request_id(request)
    refusal = no_route(request.method, request.url.path)
    return _finished(request, _refused(refusal, identity, "0.1"), identity)


async def bearer_of(bench: Workbench, request: Request) -> Bearer:
    """Who asks, by the `Authorization` header. Raises Refusal (401)."""
    header = request.headers.get("authorization")
    if not header:
        raise Refusal(401, "auth-missing", "Authorization header is required")
    scheme, _, secret = header.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise Refusal(401, "auth-missing", 'Authorization header must be "Bearer <token>"')
    try:
        return await bench.tokens.find(secret.strip())
    except Denied as cause:
        raise Refusal(401, cause.code, cause.sentence) from cause
    except WorkbenchError as cause:
        raise of_workbench(cause) from cause


def _endpoint(served: Served, place: Offered) -> Endpoint:
    async def answer(request: Request) -> Response:
        identity = _request_id(request)
        try:
            response = await _answered(served, place, request)
        except Refusal as cause:
            response = _refused(cause, identity, place.dialect)
        except Exception:  # noqa: BLE001 - the last door before the caller, who is never told the cause
            _LOG.exception("request %s: %s %s", identity, request.method, request.url.path)
            refusal = Refusal(500, "internal-server-error", "Unhandled server error")
            response = _refused(refusal, identity, place.dialect)
        return _finished(request, response, identity)

    return answer


async def _answered(served: Served, place: Offered, request: Request) -> Response:
    bearer = await bearer_of(served.bench, request)
    writes = request.method in keys.METHODS
    stopping = served.stopping
    with stopping.unless_ended():
        raw = await read_body(request) if writes else b""
    query = list(request.query_params.multi_items())
    if place.dialect == "0.4":
        query = dialects.query_01(query)
    elif place.both:
        query = [(dialects.parameter_01(name), value) for name, value in query]

    def asked(keyed: KeyedRequest | None) -> Ask:
        return Ask(
            served=served,
            bearer=bearer,
            bench=served.bench.acting_as(bearer.person, keyed),
            dialect=place.dialect,
            params=request.path_params,
            query=query,
            raw=raw,
        )

    async def run(keyed: KeyedRequest | None, made: str | None) -> Response:
        with stopping.unless_ended():
            return await _handled(place, asked(keyed), made)

    key = request.headers.get("idempotency-key", "").strip()
    if not (writes and key):
        return await run(None, None)
    return await keys.keyed(
        served.bench.answers, bearer.person.id, request.method, request.url.path, key, raw, run
    )


async def _handled(place: Offered, ask: Ask, made: str | None) -> Response:
    again = place.operation.again
    try:
        answer = await again(ask, made) if made and again is not None else None
        if answer is None:
            answer = await place.operation.handler(ask)
    except WorkbenchError as cause:
        raise of_workbench(cause) from cause
    if not isinstance(answer, Answer):
        return answer
    body = answer.body
    kind = place.operation.answers
    if place.dialect == "0.4":
        body = dialects.answer_04(kind, body)
    elif place.both:
        body = _both(kind, body)
    return _json(body, answer.status)


def _both(kind: str, body: Json) -> Json:
    """A record with both dialects' names, where the path is the same in both."""
    newer = dialects.answer_04(kind, body)
    if newer is body or not isinstance(newer, dict) or not isinstance(body, dict):
        return body
    return _merged(body, newer)


def _merged(old: Json, new: Json) -> Json:
    """The names of both; what the renaming left alone is the same object in both."""
    if new is old:
        return old
    if isinstance(old, dict) and isinstance(new, dict):
        shared = {name: _merged(value, new[name]) if name in new else value for name, value in old.items()}
        return {**new, **shared}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [_merged(one, other) for one, other in zip(old, new, strict=True)]
    return old
