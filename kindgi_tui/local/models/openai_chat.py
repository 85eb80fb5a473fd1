"""OpenAI's chat completions as pure functions: a request's body, an answer's reading.

OpenAI, Gemini, Mistral, Groq, OpenRouter, DeepSeek, Ollama, llama.cpp, vLLM and many more speak it.
"""

import json
from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.local.models.calls import (
    AgentMessage,
    Message,
    ModelReply,
    ModelRequest,
    OutputSchema,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from kindgi_tui.local.models.providers import Provider
from kindgi_tui.local.models.tool_names import names_of
from kindgi_tui.local.models.typed import strictly_described, typed_instructions
from kindgi_tui.local.models.wire_text import json_text, lenient_json, snake

_BROKEN = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)


def request_body(request: ModelRequest, provider: Provider) -> dict[str, Any]:
    """The body of `POST /chat/completions`. Settings the protocol doesn't know are sent as they are."""
    names = names_of(request)
    messages = [_message(message, names) for message in request.messages]
    body: dict[str, Any] = {"model": request.model.model, "messages": messages}
    if provider.max_tokens is not None:
        body[provider.max_tokens_field] = provider.max_tokens
    for name, value in request.settings.items():
        body[_setting(name, provider)] = value
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": names[tool.id],
                    "description": tool.description,
                    "parameters": tool.input_schema,
                },
            }
            for tool in request.tools
        ]
    if request.output is not None:
        _ask_typed(body, request.output, provider)
    return body


def _setting(name: str, provider: Provider) -> str:
    known = snake(name)
    if known in ("max_tokens", "max_output_tokens", "max_completion_tokens"):
        return provider.max_tokens_field
    return "stop" if known == "stop_sequences" else known


def _ask_typed(body: dict[str, Any], output: OutputSchema, provider: Provider) -> None:
    way = provider.typed_output
    if body.get("tools") and not provider.typed_output_with_tools:
        way = "instructions"
    if way == "json_schema":
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": "".join(
                    c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in output.name
                )[:64]
                or "answer",
                "schema": output.json_schema,
                "strict": strictly_described(output.json_schema),
            },
        }
        return
    if way == "json_object":
        body["response_format"] = {"type": "json_object"}
    told = typed_instructions(output.json_schema)
    first = body["messages"][0] if body["messages"] else None
    if first is not None and first["role"] == "system":
        first["content"] = f"{first['content']}\n\n{told}"
    else:
        body["messages"].insert(0, {"role": "system", "content": told})


def _message(message: Message, names: dict[str, str]) -> dict[str, Any]:
    if isinstance(message, UserMessage):
        return {"role": "user", "content": message.text}
    if isinstance(message, SystemMessage):
        return {"role": "system", "content": message.text}
    if isinstance(message, ToolResult):
        return {"role": "tool", "tool_call_id": message.call_id, "content": json_text(message.content)}
    return _agent_message(message, names)


def _agent_message(message: AgentMessage, names: dict[str, str]) -> dict[str, Any]:
    if not message.tool_calls:
        return {"role": "assistant", "content": message.text or ""}
    return {
        "role": "assistant",
        "content": message.text,
        "tool_calls": [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": names[call.name], "arguments": json_text(call.arguments)},
            }
            for call in message.tool_calls
        ],
    }


def read_answer(answer: Json, request: ModelRequest, provider: Provider) -> ModelReply | str:
    """The reply in an answer's JSON, or a few words on why it holds none."""
    try:
        if not isinstance(answer, dict):
            return "the answer is not an object"
        choices = answer.get("choices")
        if not isinstance(choices, list) or not choices:
            return "the answer has no choices"
        choice: Any = choices[0]
        message = choice["message"]
        calls = _tool_calls(message.get("tool_calls"), request)
        text = _text(message.get("content")) or None
        finish = choice.get("finish_reason")
        if not text and not calls and isinstance(message.get("refusal"), str):
            text, finish = message["refusal"], "content_filter"
        served = answer.get("model")
        counts = answer.get("usage")
        counts = counts if isinstance(counts, dict) else {}
        details = counts.get("prompt_tokens_details")
        cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
        return ModelReply(
            text=text,
            tool_calls=calls,
            usage=provider.usage(
                request.model.model,
                _count(counts.get("prompt_tokens")),
                _count(counts.get("completion_tokens")),
                cached or 0,
            ),
            provider=request.model.provider,
            model=request.model.model,
            served_model=served if isinstance(served, str) else None,
            finish=finish if isinstance(finish, str) else ("tool_calls" if calls else "stop"),
        )
    except _BROKEN:
        return "the answer's first choice can't be read"


def _tool_calls(listed: object, request: ModelRequest) -> tuple[ToolCall, ...]:
    if not listed:
        return ()
    if not isinstance(listed, list):
        raise TypeError("tool_calls")
    ids = {name: tool_id for tool_id, name in names_of(request).items()}
    calls: list[ToolCall] = []
    for call in listed:
        function = call["function"]
        name = function["name"]
        if not isinstance(name, str):
            raise TypeError("name")
        given = call.get("id")
        calls.append(
            ToolCall(
                id=given if isinstance(given, str) else "",
                name=ids.get(name, name),
                arguments=lenient_json(function.get("arguments")),
            )
        )
    return tuple(calls)


def _text(content: object) -> str | None:
    """The words of a message: a text, or the text parts of a list."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        ]
        return "".join(parts) if parts else None
    raise TypeError("content")


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def error_sentence(answer: Json) -> str | None:
    """The provider's own sentence in an error's JSON, in the shapes in use; None where there is none."""
    if isinstance(answer, list) and answer:
        answer = answer[0]
    if not isinstance(answer, dict):
        return None
    error = answer.get("error")
    for found in (
        error.get("message") if isinstance(error, dict) else error,
        answer.get("message"),
        answer.get("detail"),
    ):
        if isinstance(found, str) and found.strip():
            return found.strip()
        if isinstance(found, list) and found:
            return json.dumps(found)
    return None


def error_code(answer: Json) -> str | int | None:
    """The provider's own code in an error's JSON, such as `insufficient_quota` or 429."""
    error = answer.get("error") if isinstance(answer, dict) else None
    code = error.get("code") or error.get("type") if isinstance(error, dict) else None
    return code if isinstance(code, str | int) and not isinstance(code, bool) else None
