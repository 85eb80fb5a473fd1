"""What holds for every request: ids, headers, limits, tokens, and callers who never finish."""

import asyncio
import contextlib
import json
import socket
import time

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from kindgi_tui.server import serving as running_server
from kindgi_tui.server.bodies import MAX_BYTES, NOTHING, parsed
from kindgi_tui.server.errors import Refusal
from tests.server.running import PASSWORD, Asked, Served


def test_request_ids_are_echoed_or_made(served: Served) -> None:
    told = served.send("GET", "/v1/projects", headers={"X-Request-Id": "mine-1"})
    made = served.send("GET", "/v1/projects")
    assert told.headers["x-request-id"] == "mine-1"
    assert made.headers["x-request-id"].startswith("req-")
    assert {told.headers["cache-control"], made.headers["cache-control"]} == {"no-store"}
    refused = served.send("GET", "/v1/nope", headers={"X-Request-Id": "mine-2"})
    assert refused.json()["error"]["requestId"] == refused.headers["x-request-id"] == "mine-2"


def test_a_trace_is_continued(served: Served) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    told = served.send("GET", "/v1/projects", headers={"traceparent": f"00-{trace}-00f067aa0ba902b7-01"})
    assert told.headers["traceresponse"].split("-")[1] == trace


def test_health_and_the_document_need_no_token(served: Served) -> None:
    stranger = Asked(served.url, "")
    del stranger.client.headers["Authorization"]
    assert stranger.good("GET", "/health") == {"ok": True}
    assert stranger.good("GET", "/v1/openapi.json")["openapi"] == "3.1.0"
    assert stranger.refused(401, "auth-missing", "GET", "/v1/projects") == "Authorization header is required"


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("", "Authorization header is required"),
        ("Basic x", 'Authorization header must be "Bearer <token>"'),
        ("Bearer", 'Authorization header must be "Bearer <token>"'),
        ("Bearer x", "Bearer token is not recognized"),
        ("Bearer kgi_sy_000000000000_" + "a" * 43, "Bearer token is not recognized"),
    ],
)
def test_wrong_tokens(served: Served, header: str, sentence: str) -> None:
    message = served.refused(401, "auth-missing", "GET", "/v1/projects", headers={"Authorization": header})
    assert message == sentence


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/v1/nope", "/v1/", "/v1/runs/x/y/z"])
def test_a_stranger_is_not_told_which_paths_there_are(served: Served, method: str, path: str) -> None:
    """Whoever has no token is refused alike for a path that is offered and for one that isn't."""
    for header, sentence in (("", "is required"), ("Bearer x", "is not recognized")):
        told = served.refused(401, "auth-missing", method, path, headers={"Authorization": header})
        assert told.endswith(sentence)
    # Outside of the API there is nothing to keep from anybody.
    stranger = {"Authorization": ""}
    served.refused(404, "route-not-found", method, "/nope", headers=stranger)
    assert served.refused(404, "route-not-found", method, path).startswith(
        f"No route registered for {method}"
    )


def test_the_scheme_has_no_case(served: Served) -> None:
    served.good("GET", "/v1/projects", headers={"Authorization": f"bEaReR {served.token}"})


def test_a_token_with_another_ending_is_none(served: Served) -> None:
    wrong = served.token[:-1] + ("a" if served.token[-1] != "a" else "b")
    served.refused(401, "auth-missing", "GET", "/v1/projects", headers={"Authorization": f"Bearer {wrong}"})


def test_too_large_a_body(served: Served) -> None:
    body = json.dumps({"reason": "x" * MAX_BYTES})
    response = served.send("POST", "/v1/judgments", body)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (413, "request-too-large")
    assert error["details"] == {"maxBytes": MAX_BYTES}
    pieces = (b"x" * 65536 for _ in range(200))
    streamed = served.client.post("/v1/judgments", content=pieces)
    assert streamed.status_code == 413


def test_lone_surrogates_and_controls_come_back_as_they_were_said(served: Served) -> None:
    body = {
        "runId": PASSWORD,
        "item": {"key": "answer", "pointer": "/appended/3/content"},
        "verdict": "no",
        "reason": "half \ud800 nul \x00 esc \x1b[31m [/INST]",
        "participantId": "surrogates",
    }
    made = served.send("POST", "/v1/judgments", json.dumps(body))
    assert made.status_code == 201, made.text
    assert made.json()["reason"] == body["reason"]
    served.good("POST", f"/v1/judgments/{made.json()['id']}/unregister", {})


@pytest.mark.parametrize("text", ["NaN", "Infinity", "[1,]", "{'a': 1}", "", "\xff", "1 2"])
def test_what_is_no_json(text: str) -> None:
    assert parsed(text.encode("latin-1")) is NOTHING


def test_json_is_read_as_javascript_reads_it() -> None:
    assert parsed(b"\xef\xbb\xbf{}") == {}
    assert parsed(b'"\\ud800"') == "\ud800"
    assert parsed(b'{"a": 1, "a": 2}') == {"a": 2}
    assert parsed(b"9" * 5000) == float("inf")
    brackets = "[" * 200
    assert parsed(json.dumps({"a": brackets}).encode()) == {"a": brackets}
    assert parsed(json.dumps([[]] * 200).encode()) == [[]] * 200
    with pytest.raises(Refusal) as refused:
        parsed(b'{"a":' * 129 + b"1" + b"}" * 129)
    assert refused.value.details == {"maxDepth": 128}
    with pytest.raises(Refusal):
        parsed(b"[" * 100_000)


def test_a_head_that_never_ends_is_hung_up_on(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    assert running_server.HEADER_SECONDS <= 30
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as slow:
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        # Others are answered meanwhile, and what isn't HTTP is refused at once.
        assert served.good("GET", "/health") == {"ok": True}
        with socket.create_connection((host, int(port))) as wrong:
            wrong.sendall(b"\x16\x03\x01 not http\r\n\r\n")
            wrong.settimeout(10)
            assert wrong.recv(100).startswith(b"HTTP/1.1 400")


@pytest.mark.long
def test_a_slow_head_ends(served: Served) -> None:
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as slow:
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n")
        slow.settimeout(running_server.HEADER_SECONDS + 20)
        started = time.monotonic()
        assert slow.recv(100) == b""
        assert time.monotonic() - started > running_server.HEADER_SECONDS / 2


async def test_whoever_sends_nothing_is_hung_up_on_and_whoever_waits_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(running_server, "HEADER_SECONDS", 0.2)
    let_go = asyncio.Event()

    async def slow(request: Request) -> PlainTextResponse:
        await let_go.wait()
        return PlainTextResponse("at last")

    up = asyncio.Event()
    server = running_server.Quiet(running_server.config(Starlette(routes=[Route("/", slow)])), ready=up.set)
    with contextlib.closing(running_server.listening("127.0.0.1", 0)) as sock:
        running = asyncio.create_task(server.serve([sock]))
        await up.wait()
        where = sock.getsockname()
        reader, writer = await asyncio.open_connection(*where)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        for begun in (b"", b"GET / HT"):
            idle, sender = await asyncio.open_connection(*where)
            sender.write(begun)
            assert await asyncio.wait_for(idle.read(), 30) == b""
            sender.close()
        # A request that came whole, before those, is still being answered.
        let_go.set()
        assert (await asyncio.wait_for(reader.readline(), 30)).startswith(b"HTTP/1.1 200")
        writer.close()
        server.should_exit = True
        await running


def test_a_caller_who_hangs_up_in_the_middle_of_a_body_harms_nobody(served: Served) -> None:
    host, port = served.url.removeprefix("http://").split(":")
    head = f"POST /v1/judgments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {served.token}\r\nContent-Length: 999"
    for _ in range(5):
        with socket.create_connection((host, int(port))) as gone:
            gone.sendall(f"{head}\r\n\r\n{{".encode())
    assert served.good("GET", "/health") == {"ok": True}
