"""A model server for benchmarks: chat completions and Anthropic's messages after a fixed latency.

python -m tests.benchmarks.models_mock --latency-ms 50

Prints its port, then serves on 127.0.0.1 until its standard input ends. The answer is `code-N` for the last
`item N` of the request. A plain asyncio protocol, so that the client is what is measured.
"""

import argparse
import asyncio
import json
import re
import sys

_ITEM = re.compile(rb"item (\d+)")
_USAGE = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}


def _chat(text: str) -> bytes:
    message = {"role": "assistant", "content": text}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    base = {"id": "c", "object": "chat.completion", "created": 1, "model": "mock"}
    return json.dumps({**base, "choices": choices, "usage": _USAGE}).encode()


def _messages(text: str) -> bytes:
    base = {"id": "m", "type": "message", "role": "assistant", "model": "mock", "stop_reason": "end_turn"}
    usage = {"input_tokens": 20, "output_tokens": 5}
    return json.dumps({**base, "content": [{"type": "text", "text": text}], "usage": usage}).encode()


class _Http(asyncio.Protocol):
    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = self._buffer[:end].lower()
            at = head.find(b"content-length:")
            size = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self._buffer) < end + 4 + size:
                return
            body = self._buffer[end + 4 : end + 4 + size]
            self._buffer = self._buffer[end + 4 + size :]
            shape = _messages if b"/messages" in head.split(b"\r\n", 1)[0] else _chat
            asyncio.get_running_loop().call_later(self._latency, self._answer, shape, body)

    def _answer(self, shape: object, body: bytes) -> None:
        text = "code-" + (_ITEM.findall(body) or [b"0"])[-1].decode()
        out = _messages(text) if shape is _messages else _chat(text)
        if self._transport is not None:
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(out)}\r\n\r\n"
            self._transport.write(head.encode() + out)


async def _serve(latency: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Http(latency), "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency-ms", type=float, default=50)
    asyncio.run(_serve(parser.parse_args().latency_ms / 1000))
