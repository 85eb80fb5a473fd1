"""One try of a call to Anthropic's messages, through its own SDK over aiohttp (extra `models`)."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kindgi_tui.domain.base import Json
from kindgi_tui.local.models.calls import (
    AgentMessage,
    Message,
    ModelReply,
    ModelRequest,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from kindgi_tui.local.models.failures import ModelGarbled, ModelRefused, ModelUnavailable, NoProvider
from kindgi_tui.local.models.providers import Provider
from kindgi_tui.local.models.retrying import Fault, TryFailed, retry_after
from kindgi_tui.local.models.tool_names import names_of
from kindgi_tui.local.models.typed import typed_instructions
from kindgi_tui.local.models.wire_text import clean, json_text, short, snake

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic  # type: ignore[import-not-found,unused-ignore]

_MAX_TOKENS = 4096
_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
}
_KNOWN = (
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "tool_choice",
    "thinking",
    "metadata",
    "service_tier",
)


class AnthropicClient:
    """Keeps the SDK's client for one address."""

    def __init__(self, provider: Provider, key: str | None, now: Callable[[], float]) -> None:
        self._provider = provider
        self._key = key
        self._now = now
        self._client: AsyncAnthropic | None = None

    async def send(self, request: ModelRequest) -> ModelReply:
        """The model's reply. Raises TryFailed; never retries (the SDK's own retries are off)."""
        client = self._opened()
        import anthropic  # type: ignore[import-not-found,unused-ignore]

        provider = self._provider
        try:
            async with asyncio.timeout(provider.timeout_s):
                answer = await client.messages.create(**_parameters(request, provider))
            return _reply(answer, request, provider)
        except (TimeoutError, anthropic.APITimeoutError):
            raise TryFailed(
                ModelUnavailable(
                    f"{provider.name} gave no answer within {provider.timeout_s:g} s. "
                    f"Try again, or raise `timeout_s` for it in models.toml."
                ),
                Fault.SILENCE,
            ) from None
        except anthropic.APIStatusError as error:
            raise self._failed(error) from None
        except anthropic.APIConnectionError as error:
            words = short(str(error.__cause__ or error), self._key)
            raise TryFailed(
                ModelUnavailable(f"The connection to {provider.name} was lost: {words}."), Fault.TROUBLE
            ) from None
        except (anthropic.AnthropicError, ValueError, TypeError, AttributeError, RecursionError) as error:
            words = short(str(error), self._key) or type(error).__name__
            raise TryFailed(
                ModelGarbled(f"{provider.name} answered something that is no reply: {words}."), Fault.GARBLED
            ) from None

    async def offered(self) -> tuple[str, ...]:
        """Nothing: a model is named in the configuration."""
        return ()

    async def close(self) -> None:
        """Closes the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _opened(self) -> "AsyncAnthropic":
        if self._client is not None:
            return self._client
        provider = self._provider
        try:
            from anthropic import (
                AsyncAnthropic,  # type: ignore[import-not-found,unused-ignore]
                DefaultAioHttpClient,
            )
        except ImportError:
            raise TryFailed(
                NoProvider(f"{provider.name} needs Anthropic's SDK: pip install 'kindgi-tui[models]'."),
                Fault.FINAL,
            ) from None
        import httpx2  # type: ignore[import-not-found,unused-ignore]

        http = DefaultAioHttpClient(
            base_url=provider.base_url,
            limits=httpx2.Limits(
                max_connections=provider.concurrency, max_keepalive_connections=provider.concurrency
            ),
            follow_redirects=False,
        )
        self._client = AsyncAnthropic(
            api_key=self._key,
            base_url=provider.base_url,
            max_retries=0,
            timeout=provider.timeout_s,
            default_headers=provider.headers or None,
            http_client=http,
        )
        return self._client

    def _failed(self, error: Any) -> TryFailed:
        name = self._provider.name
        status = int(error.status_code)
        body = error.body
        inner = body.get("error") if isinstance(body, dict) else None
        said = inner.get("message") if isinstance(inner, dict) else None
        words = short(said if isinstance(said, str) else str(error), self._key)
        after = retry_after(error.response.headers, self._now())
        if status == 429 or (status in (503, 529) and after is not None):
            wait = f" It asks to wait {after:.0f} s." if after is not None else ""
            return TryFailed(
                ModelUnavailable(
                    f"{name} limits the rate of calls ({status}): {words}.{wait}", retry_after=after
                ),
                Fault.LIMITED,
            )
        if status == 408 or status >= 500:
            return TryFailed(ModelUnavailable(f"{name} is in trouble ({status}): {words}."), Fault.TROUBLE)
        hint = f" Check {self._provider.api_key_env}." if status in (401, 403) else ""
        return TryFailed(ModelRefused(f"{name} refused the request ({status}): {words}.{hint}"), Fault.FINAL)


def _parameters(request: ModelRequest, provider: Provider) -> dict[str, Any]:
    names = names_of(request)
    system = [message.text for message in request.messages if isinstance(message, SystemMessage)]
    given: dict[str, Any] = {
        "model": request.model.model,
        "max_tokens": provider.max_tokens or _MAX_TOKENS,
        "messages": _messages(request.messages, names),
    }
    more: dict[str, Json] = {}
    for name, value in request.settings.items():
        known = snake(name)
        if known in ("max_tokens", "max_output_tokens", "max_completion_tokens"):
            given["max_tokens"] = value
        elif known == "stop":
            given["stop_sequences"] = value if isinstance(value, list) else [value]
        elif known in _KNOWN:
            given[known] = value
        else:
            more[known] = value
    if more:
        given["extra_body"] = more
    if request.tools:
        given["tools"] = [
            {"name": names[tool.id], "description": tool.description, "input_schema": tool.input_schema}
            for tool in request.tools
        ]
    if request.output is not None:
        if provider.typed_output == "json_schema" and (not request.tools or provider.typed_output_with_tools):
            given["output_config"] = {"format": {"type": "json_schema", "schema": request.output.json_schema}}
        else:
            system.append(typed_instructions(request.output.json_schema))
    if system:
        given["system"] = "\n\n".join(system)
    cleaned = clean(given)
    assert isinstance(cleaned, dict)
    return cleaned


def _messages(messages: tuple[Message, ...], names: dict[str, str]) -> list[Any]:
    """The conversation in Anthropic's shape: results of one turn's calls stand together in a user message."""
    out: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, ToolResult):
            block: dict[str, Any] = {
                "type": "tool_result",
                "tool_use_id": message.call_id,
                "content": json_text(message.content),
            }
            if out and out[-1]["role"] == "user" and isinstance(out[-1]["content"], list):
                out[-1]["content"].append(block)
            else:
                out.append({"role": "user", "content": [block]})
        elif isinstance(message, UserMessage):
            out.append({"role": "user", "content": message.text})
        elif isinstance(message, AgentMessage):
            blocks: list[dict[str, Any]] = []
            if message.text:
                blocks.append({"type": "text", "text": message.text})
            for call in message.tool_calls:
                given = call.arguments if isinstance(call.arguments, dict) else {"arguments": call.arguments}
                blocks.append({"type": "tool_use", "id": call.id, "name": names[call.name], "input": given})
            if blocks:
                out.append({"role": "assistant", "content": blocks})
    return out


def _reply(answer: Any, request: ModelRequest, provider: Provider) -> ModelReply:
    # The SDK doesn't validate: with an answer of another shape it gives a text, or objects without these fields.
    if isinstance(answer, str) or not isinstance(answer.content, list):
        raise ValueError("no content")
    ids = {name: tool_id for tool_id, name in names_of(request).items()}
    text = "".join(block.text for block in answer.content if block.type == "text")
    calls = tuple(
        ToolCall(id=block.id, name=ids.get(block.name, block.name), arguments=block.input)
        for block in answer.content
        if block.type == "tool_use"
    )
    counts = answer.usage
    written = counts.cache_creation_input_tokens or 0
    cached = counts.cache_read_input_tokens or 0
    return ModelReply(
        text=text or None,
        tool_calls=calls,
        usage=provider.usage(
            request.model.model, counts.input_tokens + written + cached, counts.output_tokens, cached
        ),
        provider=request.model.provider,
        model=request.model.model,
        served_model=answer.model,
        finish=_FINISH.get(str(answer.stop_reason), str(answer.stop_reason)),
    )
