"""The reply cache: what is the same request, and answering it without asking again (DESIGN section 9)."""

import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import ValidationError

from kindgi_tui.domain.base import Json
from kindgi_tui.local.models.asking import Asks
from kindgi_tui.local.models.calls import (
    AgentMessage,
    ModelReply,
    ModelRequest,
    SystemMessage,
    ToolResult,
    UserMessage,
    with_own_call_ids,
)
from kindgi_tui.local.models.failures import NoReplyCached

Get = Callable[[str], Awaitable[Json | None]]
"""Gives the stored reply of a key, or None."""

Put = Callable[[str, Json], Awaitable[None]]
"""Stores a reply under a key; a later one replaces it."""

Keeps = Callable[[ModelRequest, ModelReply], bool]
"""Whether a reply to a request is worth keeping."""


def cache_key(request: ModelRequest) -> str:
    """The sha256 (hex) of what makes a request the same request.

    That is the canonical JSON (sorted keys, ASCII, so that lone surrogates keep their place) of provider, model,
    messages with call ids renumbered by place, tools in order, output schema, settings, purpose and repetition.
    What providers call a call doesn't change what is asked; everything else does.
    """
    said = json.dumps(_canonical(request), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(said.encode("ascii")).hexdigest()


def _canonical(request: ModelRequest) -> dict[str, Any]:
    output = request.output
    return {
        "provider": request.model.provider,
        "model": request.model.model,
        "messages": _renumbered(request),
        "tools": [[tool.id, tool.description, tool.input_schema] for tool in request.tools],
        "output": None if output is None else [output.name, output.json_schema],
        "settings": request.settings,
        "purpose": request.purpose,
        "repetition": request.repetition,
    }


def _renumbered(request: ModelRequest) -> list[Any]:
    """The messages as plain JSON, each call numbered by its place; a result has the number of its call.

    An id used again means the newest call before the result. A result of no call is numbered by its own place.
    """
    number = 0
    numbers: dict[str, int] = {}
    out: list[Any] = []
    for message in request.messages:
        if isinstance(message, SystemMessage):
            out.append(["system", message.text])
        elif isinstance(message, UserMessage):
            out.append(["user", message.text])
        elif isinstance(message, AgentMessage):
            calls = []
            for call in message.tool_calls:
                number += 1
                numbers[call.id] = number
                calls.append([number, call.name, call.arguments])
            out.append(["agent", message.text, calls])
        else:
            out.append(["result", *_result(message, numbers)])
    return out


def _result(message: ToolResult, numbers: dict[str, int]) -> tuple[int, str, Json]:
    # Calls have positive numbers; results of no call negative ones, the same for the same unknown id.
    if message.call_id not in numbers:
        numbers[message.call_id] = -1 - sum(number < 0 for number in numbers.values())
    return numbers[message.call_id], message.tool_id, message.content


def dump_reply(reply: ModelReply) -> Json:
    """A reply as the cache stores it."""
    return {
        "text": reply.text,
        "toolCalls": [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in reply.tool_calls],
        "usage": {
            "promptTokens": reply.usage.prompt_tokens,
            "completionTokens": reply.usage.completion_tokens,
            "costUsd": reply.usage.cost_usd,
        },
        "provider": reply.provider,
        "model": reply.model,
        "servedModel": reply.served_model,
        "finish": reply.finish,
    }


def load_reply(stored: Json) -> ModelReply | None:
    """The reply in a stored value, marked `cached`; None when it is none."""
    if not isinstance(stored, dict):
        return None
    raw: dict[str, Any] = stored
    usage = raw.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    try:
        return ModelReply.model_validate(
            {
                "text": raw.get("text"),
                "tool_calls": tuple(raw.get("toolCalls") or ()),
                "usage": {
                    "prompt_tokens": usage.get("promptTokens", 0),
                    "completion_tokens": usage.get("completionTokens", 0),
                    "cost_usd": usage.get("costUsd"),
                },
                "provider": raw.get("provider"),
                "model": raw.get("model"),
                "served_model": raw.get("servedModel"),
                "finish": raw.get("finish", "stop"),
                "cached": True,
            }
        )
    except (ValidationError, TypeError):
        return None


class CachedModels:
    """Answers from the reply cache, and asks `inner` for what isn't there.

    With `fresh`, stored replies are ignored and new ones stored. Without `inner` (no provider is configured) only
    stored replies are given. A reply that `keeps` says no to is given once and not stored, and one stored before
    counts as none: it is asked for again.
    """

    def __init__(
        self, inner: Asks | None, get: Get, put: Put, *, fresh: bool = False, keeps: Keeps | None = None
    ) -> None:
        self._inner = inner
        self._get = get
        self._put = put
        self._fresh = fresh
        self._keeps = keeps

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply, marked `cached` when it was stored; a new one worth keeping is stored before it is returned.

        Raises NoReplyCached without a provider, else what `inner` raises. A stored value that is no reply counts as
        none.
        """
        key = cache_key(request)
        stored = await self._stored(key, request)
        if stored is not None:
            return with_own_call_ids(stored, request)
        if self._inner is None:
            why = (
                "and --fresh asks for a new one" if self._fresh else "and no reply to this request is cached"
            )
            raise NoReplyCached(
                f"No model provider is configured, {why} ({request.model}, repetition {request.repetition}). "
                "Configure one (set its key or write models.toml) and try it with `kindgi-tui models check`."
            )
        reply = await self._inner.complete(request)
        if self._kept(request, reply):
            await self._put(key, dump_reply(reply))
        return reply

    async def cached(self, request: ModelRequest) -> bool:
        """Whether `complete` would answer this request without asking a provider."""
        return await self._stored(cache_key(request), request) is not None

    async def _stored(self, key: str, request: ModelRequest) -> ModelReply | None:
        if self._fresh:
            return None
        stored = load_reply(await self._get(key))
        return stored if stored is not None and self._kept(request, stored) else None

    def _kept(self, request: ModelRequest, reply: ModelReply) -> bool:
        return self._keeps is None or self._keeps(request, reply)
