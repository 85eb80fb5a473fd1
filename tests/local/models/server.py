"""A real HTTP server on 127.0.0.1 that speaks chat completions and Anthropic's messages, with answers to order.

    async with ModelServer() as server:
        server.script(limited(1), call(("acme-ops_search", {"query": "x"})), say("done"))
        ...  # ask server.url; server.received holds what came

Answers are given in order, the last one again and again; or set `server.respond` to a function of the received
request. Requests are checked as the real servers check them (function names, matching call ids, the roles' order) and
refused with a 400 in their words. Each answer may have a `delay` in seconds.
"""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: Any
    connection: int

    @property
    def anthropic(self) -> bool:
        return self.path.endswith("/messages")


@dataclass(frozen=True)
class Answer:
    """What the server does with one request."""

    status: int = 200
    text: str | None = None
    calls: tuple[tuple[str, Any], ...] = ()
    raw: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    fault: str | None = None
    delay: float = 0.0
    finish: str | None = None
    usage: tuple[int, int] | None = (20, 5)
    call_ids: tuple[str, ...] | None = None


def say(text: str, **more: Any) -> Answer:
    return Answer(text=text, **more)


def typed(value: Any, **more: Any) -> Answer:
    return Answer(text=json.dumps(value), **more)


def call(*calls: tuple[str, Any], text: str | None = None, **more: Any) -> Answer:
    """Tool calls, in parallel when several; arguments that are a text are sent as that text."""
    return Answer(text=text, calls=calls, **more)


def limited(after: str | float | None = None, status: int = 429, message: str = "Slow down.") -> Answer:
    headers = {} if after is None else {"Retry-After": str(after)}
    return failed(status, message, headers=headers)


def failed(status: int, message: str = "It broke.", code: str | None = None, **more: Any) -> Answer:
    raw = json.dumps(
        {"type": "error", "error": {"type": "api_error", "code": code, "message": message}}
    ).encode()
    return Answer(status=status, raw=raw, **more)


def garbage(raw: bytes = b"<html>Bad gateway</html>", status: int = 200) -> Answer:
    return Answer(status=status, raw=raw)


def half() -> Answer:
    """The headers and half of the body, then the connection ends."""
    return Answer(text="half of it", fault="half")


def drop() -> Answer:
    """The connection ends without a word."""
    return Answer(fault="drop")


def hang() -> Answer:
    """Nothing comes, ever."""
    return Answer(fault="hang")


class ModelServer:
    """The server. An async context manager; leaving it closes every connection."""

    def __init__(self, models: tuple[str, ...] = ("mock",)) -> None:
        self.received: list[Received] = []
        self.connections = 0
        self.in_flight = 0
        self.max_in_flight = 0
        self.models = models
        self.respond: Callable[[Received], Answer] = self._next
        self._script: list[Answer] = [say("hello")]
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """What a configuration names as base_url (OpenAI's)."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def root(self) -> str:
        """Anthropic's base_url."""
        return f"http://127.0.0.1:{self.port}"

    def script(self, *answers: Answer) -> None:
        self._script = list(answers)

    def _next(self, received: Received) -> Answer:
        return self._script.pop(0) if len(self._script) > 1 else self._script[0]

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Stops listening and cuts the connections; `__aenter__` starts it again on the same port."""
        if self._server is not None:
            self._server.close()
            for writer in list(self._open):
                writer.transport.abort()
            self._server = None
            await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        self.connections += 1
        number = self.connections
        try:
            while await self._one(reader, writer, number):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> bool:
        """One request and its answer; whether the connection goes on."""
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ")
        headers = {
            k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:]) if k
        }
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        if method == "GET" and path.endswith("/models"):
            listed = {"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}
            return await _write(writer, 200, json.dumps(listed).encode())
        try:
            received = Received(path, headers, json.loads(raw.decode()), number)
        except ValueError:
            return await _write(writer, 400, _complaint("the body is not JSON"))
        self.received.append(received)
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        try:
            if path.endswith("/chat/completions"):
                wrong = _wrong_chat(received.body)
            elif received.anthropic:
                wrong = _wrong_messages(received.body)
            else:
                return await _write(writer, 404, _complaint("no such path"))
            answer = failed(400, wrong) if wrong else self.respond(received)
            if answer.delay:
                await asyncio.sleep(answer.delay)
            if answer.fault == "hang":
                await reader.read()
                return False
        finally:
            self.in_flight -= 1
        if answer.fault == "drop":
            return False
        body = answer.raw
        if body is None:
            shape = _as_message if received.anthropic else _as_completion
            body = json.dumps(shape(answer, received.body, len(self.received))).encode()
        if answer.fault == "half":
            writer.write(_head(200, len(body), {}) + body[: len(body) // 2])
            await writer.drain()
            return False
        return await _write(writer, answer.status, body, answer.headers)


def _head(status: int, size: int, headers: dict[str, str]) -> bytes:
    more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    start = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n"
    return f"{start}{more}\r\n".encode("latin-1")


async def _write(
    writer: asyncio.StreamWriter, status: int, body: bytes, headers: dict[str, str] | None = None
) -> bool:
    writer.write(_head(status, len(body), headers or {}) + body)
    await writer.drain()
    return True


def _complaint(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error"}}).encode()


def _as_completion(answer: Answer, request: Any, number: int) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.calls:
        ids = answer.call_ids or tuple(f"call_{number}_{i}" for i in range(len(answer.calls)))
        message["tool_calls"] = [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": name, "arguments": args if isinstance(args, str) else json.dumps(args)},
            }
            for call_id, (name, args) in zip(ids, answer.calls, strict=True)
        ]
    out = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1700000000,
        "model": request["model"],
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": answer.finish or ("tool_calls" if answer.calls else "stop"),
            }
        ],
    }
    if answer.usage:
        read, written = answer.usage
        out["usage"] = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    return out


def _as_message(answer: Answer, request: Any, number: int) -> Any:
    content: list[dict[str, Any]] = []
    if answer.text is not None:
        content.append({"type": "text", "text": answer.text})
    for i, (name, args) in enumerate(answer.calls):
        content.append({"type": "tool_use", "id": f"toolu_{number}_{i}", "name": name, "input": args})
    read, written = answer.usage or (0, 0)
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": content,
        "stop_reason": answer.finish or ("tool_use" if answer.calls else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": read, "output_tokens": written},
    }


def _wrong_chat(body: Any) -> str | None:
    """What OpenAI would say is wrong with a request, or None."""
    if not isinstance(body, dict) or not isinstance(body.get("model"), str) or not body.get("messages"):
        return "you must provide a model and messages"
    for tool in body.get("tools", []):
        if not _NAME.match(tool["function"]["name"]):
            return (
                f"Invalid 'tools[0].function.name': {tool['function']['name']!r} does not match the pattern."
            )
    waiting: list[str] = []
    for message in body["messages"]:
        role = message.get("role")
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                return (
                    "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
                )
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return (
                "An assistant message with 'tool_calls' must be followed by tool messages for each of them."
            )
        if role not in ("system", "user", "assistant"):
            return f"Invalid role {role!r}."
        for made in message.get("tool_calls", []):
            if not _NAME.match(made["function"]["name"]) or not isinstance(
                made["function"]["arguments"], str
            ):
                return "Invalid tool call in messages."
            waiting.append(made["id"])
        if not isinstance(message.get("content"), str) and not (role == "assistant" and waiting):
            return "content must be a string."
    return "tool calls without results" if waiting else None


def _wrong_messages(body: Any) -> str | None:
    """What Anthropic would say is wrong with a request, or None."""
    if not isinstance(body.get("max_tokens"), int) or not body.get("messages"):
        return "max_tokens: Field required"
    for tool in body.get("tools", []):
        if not _NAME.match(tool["name"]) or tool["input_schema"].get("type") != "object":
            return "tools.0: invalid"
    waiting: set[str] = set()
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = {b["tool_use_id"] for b in blocks if b["type"] == "tool_result"}
        if results != waiting:
            return "`tool_use` ids were found without `tool_result` blocks immediately after"
        if any(b["type"] == "text" and not b["text"] for b in blocks):
            return "text content blocks must be non-empty"
        waiting = {b["id"] for b in blocks if b["type"] == "tool_use"}
    return "tool_use without tool_result" if waiting else None
