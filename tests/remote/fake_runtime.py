"""A small Kindgi 0.1 runtime for faults: judgments with idempotency, and a script of what goes wrong.

It does what the real one was measured to do (reference: idempotency, one live judgment per run, item, asserter and
participant); whatever the script says happens to a request happens on the socket.
"""

import json
import socket
import struct
import threading
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

TOKEN = "kgi_sk_a-token-nobody-may-see"
ME = "6f1d2c3b-0000-4000-8000-000000000003"
PROJECT = "6f1d2c3b-0000-4000-8000-000000000002"
RUN = "c9d3a6c4-21d7-4a43-9b8e-6f6f5d4b3a03"

PATHS = (
    "get /v1/identity/whoami",
    "get /v1/projects",
    "get /v1/runs",
    "get /v1/runs/{runId}",
    "get /v1/conversations/{conversationId}/messages",
    "get /v1/judgments",
    "post /v1/judgments",
    "get /v1/judgments/{judgmentId}",
    "post /v1/judgments/{judgmentId}/unregister",
    "get /v1/judge-classes",
    "get /v1/projects/{projectId}/judging-queue",
    "post /v1/projects/{projectId}/judging-queue/{runId}/dismiss",
    "post /v1/projects/{projectId}/judging-queue/{runId}/reopen",
    "get /v1/eval-suites/{suiteId}",
    "post /v1/eval-suites/{suiteId}/runs",
    "get /v1/eval-runs",
    "get /v1/eval-runs/{runId}",
    "post /v1/eval-runs/{runId}/cancel",
    "post /v1/eval-runs/{runId}/rescore",
)


def document(paths: tuple[str, ...] = PATHS) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for line in paths:
        method, path = line.split()
        found.setdefault(path, {})[method] = {}
    return {"openapi": "3.1.0", "paths": found}


class Seen(NamedTuple):
    """One request, as it came in."""

    method: str
    path: str
    query: dict[str, list[str]]
    body: bytes
    headers: dict[str, str]

    @property
    def key(self) -> str | None:
        return self.headers.get("idempotency-key")


class Reply(NamedTuple):
    """An answer: a status with a body, and perhaps what goes wrong on the way."""

    status: int = 200
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()
    raw: bytes | None = None
    kind: str = "application/json"
    drop: str = ""
    """`before`: nothing is done and the connection is reset; `after`: it is done, and reset before the answer; `half`:
    reset in the middle of the answer; `hang`: no answer for as long as `seconds`."""
    seconds: float = 0.0


def error(status: int, code: str, message: str, *headers: tuple[str, str]) -> Reply:
    body = {"error": {"code": code, "message": message, "requestId": "req-1"}}
    return Reply(status, body, headers)


DROP_BEFORE, DROP_AFTER, HALF = Reply(drop="before"), Reply(drop="after"), Reply(drop="half")
Script = Callable[[Seen], Reply | None]


class FakeRuntime:
    """The runtime. `script` is asked first about every request: None lets it be answered rightly."""

    def __init__(self, script: Script | None = None) -> None:
        self.script = script
        self.token = TOKEN
        """The one token that is valid."""
        self.seen: list[Seen] = []
        self.judgments: list[dict[str, Any]] = []
        self.answers: dict[str, tuple[bytes, int, bytes]] = {}
        self.more: dict[str, Any] = {}
        """Further answers to GETs, by path."""
        self.ahead = timedelta()
        """How far its clock is ahead."""
        self._lock = threading.Lock()
        runtime = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                runtime.handle(self)

            def do_POST(self) -> None:
                runtime.handle(self)

            def log_message(self, *words: Any) -> None:
                pass

            def date_time_string(self, timestamp: float | None = None) -> str:
                return super().date_time_string(time.time() + runtime.ahead.total_seconds())

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *words: Any) -> None:
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def posts(self, path: str = "/v1/judgments") -> list[Seen]:
        return [one for one in self.seen if one.method == "POST" and one.path == path]

    def live(self) -> list[dict[str, Any]]:
        return [one for one in self.judgments if "unregisteredAt" not in one]

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        length = int(handler.headers.get("content-length") or 0)
        body = handler.rfile.read(length)
        if len(body) < length:
            # Whoever sent it died in the middle: no request.
            return _reset(handler)
        seen = Seen(
            handler.command,
            parts.path,
            parse_qs(parts.query),
            body,
            {name.lower(): value for name, value in handler.headers.items()},
        )
        with self._lock:
            self.seen.append(seen)
            told = self.script(seen) if self.script is not None else None
            if told is not None and told.drop == "before":
                return _reset(handler)
            reply = self._rightly(seen) if told is None or told.drop in ("after", "half") else told
        if told is not None and told.drop == "hang":
            time.sleep(told.seconds)
            return _reset(handler)
        if told is not None and told.drop == "after":
            return _reset(handler)
        answer = reply.raw if reply.raw is not None else json.dumps(reply.body).encode()
        handler.send_response(reply.status)
        handler.send_header("content-type", reply.kind)
        handler.send_header("content-length", str(len(answer)))
        for name, value in reply.headers:
            handler.send_header(name, value)
        handler.end_headers()
        if told is not None and told.drop == "half":
            handler.wfile.write(answer[: len(answer) // 2])
            handler.wfile.flush()
            return _reset(handler)
        handler.wfile.write(answer)
        return None

    def _rightly(self, seen: Seen) -> Reply:
        if seen.path == "/v1/openapi.json":
            return Reply(body=self.more.get(seen.path, document()))
        if seen.headers.get("authorization") != f"Bearer {self.token}":
            return error(401, "auth-missing", "Bearer token is not recognized")
        if seen.method == "GET":
            return self._get(seen)
        if seen.key is not None and seen.key in self.answers:
            body, status, answer = self.answers[seen.key]
            if body != seen.body:
                return error(409, "idempotency-key-body-mismatch", "Idempotency-Key was reused")
            return Reply(status, raw=answer, headers=(("x-idempotent-replay", "true"),))
        reply = self._write(seen)
        if seen.key is not None and reply.status < 400:
            self.answers[seen.key] = (seen.body, reply.status, json.dumps(reply.body).encode())
        return reply

    def _get(self, seen: Seen) -> Reply:
        if seen.path in self.more:
            return Reply(body=self.more[seen.path])
        if seen.path == "/v1/identity/whoami":
            return Reply(body={"tenantId": ME, "principal": {"kind": "user", "id": ME}, "scopes": []})
        if seen.path == "/v1/judgments":
            run = seen.query.get("runId", [""])[0]
            return Reply(body=page([one for one in reversed(self.live()) if one["runId"] == run]))
        if seen.path.startswith("/v1/judgments/"):
            found = [one for one in self.judgments if one["id"] == seen.path.rpartition("/")[2]]
            return Reply(body=found[0]) if found else error(404, "judgment-not-found", "No judgment.")
        if seen.path == "/v1/judge-classes":
            return Reply(body=page([]))
        return error(404, "route-not-found", f"No route registered for GET {seen.path}.")

    def _write(self, seen: Seen) -> Reply:
        parts = seen.path.split("/")
        if seen.path == "/v1/judgments":
            return Reply(201, self.judge(**json.loads(seen.body)))
        if parts[2] == "judgments" and parts[-1] == "unregister":
            for one in self.live():
                if one["id"] == parts[3]:
                    one["unregisteredAt"] = self.now()
                    return Reply(body={"judgmentId": one["id"], "unregistered": True})
            return error(404, "judgment-not-found", f'No live judgment "{parts[3]}".')
        return error(404, "route-not-found", f"No route registered for POST {seen.path}.")

    def judge(self, asserter: str = ME, **body: Any) -> dict[str, Any]:
        """Records a verdict, as a request would."""
        place = (body["runId"], body["item"]["key"], asserter, body.get("participantId"))
        made = {
            "id": str(uuid.uuid4()),
            "tenantId": ME,
            "projectId": PROJECT,
            "subject": {"kind": "agent", "id": "a", "version": "1.0.0"},
            "assertedBy": {"kind": "user", "id": asserter},
            "createdAt": self.now(),
            **body,
        }
        for one in self.live():
            known = (one["runId"], one["item"]["key"], one["assertedBy"]["id"], one.get("participantId"))
            if known == place:
                one |= {"unregisteredAt": self.now(), "supersededBy": made["id"]}
        self.judgments.append(made)
        return made

    def now(self) -> str:
        return (datetime.now(UTC) + self.ahead).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def page(rows: list[Any], cursor: str | None = None) -> dict[str, Any]:
    more = {} if cursor is None else {"nextCursor": cursor}
    return {"data": rows, "hasMore": cursor is not None, **more}


def _reset(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True
    # No goodbye: the other side sees a reset, not an end.
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def once(path: str, reply: Reply, method: str = "POST", times: int = 1) -> Script:
    """A script that does something to the first requests of a path."""
    left = [times]

    def script(seen: Seen) -> Reply | None:
        if seen.path == path and seen.method == method and left[0] > 0:
            left[0] -= 1
            return reply
        return None

    return script
