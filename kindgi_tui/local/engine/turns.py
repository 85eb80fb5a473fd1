"""One turn of an agent: the model is asked, the tools it calls are answered, until it gives its answer.

What a turn leaves is the wire's turn result (`appended`, `response`, `usage`, `provider`, and `output` when typed).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, Protocol

from kindgi_tui.domain.base import Json
from kindgi_tui.local.blocks.turn_blocks import Asked
from kindgi_tui.local.engine.candidates import Candidate
from kindgi_tui.local.engine.conversation import latest
from kindgi_tui.local.models.calls import (
    AgentMessage,
    Message,
    ModelRef,
    ModelReply,
    ModelRequest,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from kindgi_tui.local.models.typed import parse_typed

MAX_STEPS = 25
"""How often a turn asks the model at most, where the agent's budget says nothing."""


class Answering(Protocol):
    """Whoever answers a model request: the configured models, behind the reply cache."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The model's reply. Raises ModelError."""
        ...


@dataclass(frozen=True)
class CallResult:
    """What one tool call gave."""

    content: Json
    """What the model reads."""
    failed: bool = False
    """Whether it is a failure."""
    kind: Literal["result", "invalid-arguments", "unknown-tool", "tool-error", "refused"] = "result"
    """What it is; the agent's `toolErrors` says which failures go back to the model."""
    trace: dict[str, Json] | None = None
    """What a replay reports of it, in the wire's names (DESIGN section 5)."""
    as_data: bool = False
    """Whether the model reads it inside a block of data from outside."""


Calls = Callable[[int, Sequence[ToolCall]], Awaitable[list[CallResult]]]
"""Answers the calls of one message of the model (its step, from 0), in their order."""


class TurnFailed(Exception):
    """The turn has no answer; the sentence says why."""

    def __init__(self, sentence: str, code: str = "turn-failed") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        """Why, in words."""
        self.code = code
        """The turn's own code, such as `budget-exceeded`."""


@dataclass
class Turn:
    """A turn under way, and at its end what came of it."""

    candidate: Candidate
    """Who answers."""
    model: ModelRef
    """Which model is asked."""
    models: Answering
    """Who asks it."""
    calls: Calls
    """Who answers its tool calls."""
    repetition: int = 1
    """Which repetition of a case this is; it sets stored replies apart."""
    reads_result: Callable[[CallResult], Json] = lambda result: result.content
    """How the model reads a result."""
    asked: Asked | None = None
    """When and where it is taken, for the template of its instructions; None: now, as the first of a conversation."""
    number: int = 1
    """Which turn of its conversation this is, from 1."""
    first_sequence: int = 0
    """The place of its first message in the conversation."""
    appended: list[Json] = field(default_factory=list)
    """The messages so far, in the wire's names."""
    traces: list[dict[str, Json]] = field(default_factory=list)
    """The tool calls so far, as a replay reports them, in the wire's names."""
    prompt_tokens: int = 0
    """Tokens read so far."""
    completion_tokens: int = 0
    """Tokens written so far."""
    cost_usd: float = 0.0
    """What it cost so far; stored replies cost nothing."""
    steps: int = 0
    """How often the model was asked."""
    cached: int = 0
    """How many of its replies were stored ones."""
    provider: str = ""
    """Who answered."""
    answered_by: str = ""
    """Which model answered."""

    async def take(
        self, message: str, history: Sequence[Message] = (), reads: str | None = None
    ) -> dict[str, Json]:
        """Takes the turn on a user's message and gives the turn result.

        `reads` is what the model reads in the message's place. Raises TurnFailed, and ModelError from the model.
        """
        most = self.candidate.agent.budget.max_wall_ms
        try:
            async with asyncio.timeout(None if most is None else most / 1000) as clock:
                return await self._take(message, history, reads)
        except TimeoutError:
            if not clock.expired():
                raise
            raise TurnFailed(f"The turn took longer than {most} ms.", "budget-exceeded") from None

    async def _take(self, message: str, history: Sequence[Message], reads: str | None) -> dict[str, Json]:
        agent = self.candidate.agent
        started = time.monotonic()
        seen = latest(history, agent.history_limit)
        conversation: list[Message] = [SystemMessage(text=self._instructions()), *seen]
        conversation.append(UserMessage(text=message if reads is None else reads))
        self._append("user", message)
        retries = repairs = 0
        while True:
            self._check_budget()
            reply = await self._ask(conversation)
            if reply.tool_calls:
                conversation.append(AgentMessage(text=reply.text, tool_calls=reply.tool_calls))
                retries += await self._answer_calls(reply, conversation)
                if retries > agent.tool_errors.max_retries:
                    raise TurnFailed(
                        f"Its tool calls failed {retries} times, the last one as the result says.",
                        "tool-errors",
                    )
                continue
            text = reply.text or ""
            self._append("agent", text, actor=agent.id)
            if self.candidate.output is None:
                return self._result(started)
            typed = parse_typed(text, self.candidate.output.json_schema)
            if typed.problem is None:
                return self._result(started, typed.value)
            if repairs >= agent.max_repairs:
                raise TurnFailed(
                    f"The answer is not the typed one the agent declares: {typed.problem}", "output-invalid"
                )
            repairs += 1
            ask = f"{typed.problem} Answer again with JSON that fits the schema, and nothing else."
            conversation += [AgentMessage(text=text), UserMessage(text=ask)]
            self._append("system", ask)

    def _instructions(self) -> str:
        try:
            return self.candidate.blocks.instructions(self.asked or Asked(datetime.now(UTC)))
        except ValueError as cause:  # a template's error, whose module loads a library
            raise TurnFailed(f"Its instructions can't be filled in: {cause}.", "render-failure") from cause

    async def _ask(self, conversation: list[Message]) -> ModelReply:
        request = ModelRequest.model_construct(
            model=self.model,
            messages=tuple(conversation),
            tools=self.candidate.offers,
            output=self.candidate.output,
            settings=dict(self.candidate.blocks.sampling),
            purpose="turn",
            repetition=self.repetition,
        )
        reply = await self.models.complete(request)
        self.steps += 1
        self.prompt_tokens += reply.usage.prompt_tokens
        self.completion_tokens += reply.usage.completion_tokens
        self.cost_usd += reply.spent_usd or 0.0
        self.cached += reply.cached
        self.provider, self.answered_by = reply.provider, reply.model
        return reply

    async def _answer_calls(self, reply: ModelReply, conversation: list[Message]) -> int:
        listed: list[Json] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in reply.tool_calls
        ]
        step = sum(1 for said in self.appended if isinstance(said, dict) and said.get("role") == "agent")
        self._append("agent", {"text": reply.text or "", "toolCalls": listed}, actor=self.candidate.agent.id)
        results = await self.calls(step, reply.tool_calls)
        errors = self.candidate.agent.tool_errors
        failures = 0
        for call, result in zip(reply.tool_calls, results, strict=True):
            tool_call: dict[str, Json] = {"toolId": call.name, "invocationId": call.id}
            tool = self.candidate.tools.get(call.name)
            if tool is not None:
                tool_call["toolVersion"] = tool.version.version
            if result.failed:
                tool_call["failed"] = True
            self._append("tool", result.content, toolCall=tool_call)
            if result.trace is not None:
                self.traces.append(result.trace)
            conversation.append(
                ToolResult(call_id=call.id, tool_id=call.name, content=self.reads_result(result))
            )
            if result.failed:
                failures = 1
                if result.kind not in errors.retry_on:
                    raise TurnFailed(
                        f"Tool {call.name} failed: {_failure_words(result.content)}", result.kind
                    )
        return failures

    def _check_budget(self) -> None:
        budget = self.candidate.agent.budget
        most = budget.max_steps or MAX_STEPS
        if self.steps >= most:
            raise TurnFailed(
                f"The turn asked the model {self.steps} times, the most it may.", "budget-exceeded"
            )
        if budget.max_cost_usd is not None and self.cost_usd > budget.max_cost_usd:
            raise TurnFailed(f"The turn cost more than ${budget.max_cost_usd}.", "budget-exceeded")

    def _append(self, role: str, content: Json, **more: Json) -> None:
        self.appended.append(
            {
                "sequence": self.first_sequence + len(self.appended),
                "role": role,
                "content": content,
                **more,
                "createdAt": iso_now(),
            }
        )

    def _result(self, started: float, *typed: Json) -> dict[str, Json]:
        result: dict[str, Json] = {
            "turnNumber": self.number,
            "appended": self.appended,
            "response": self.appended[-1],
            "retrieved": [],
            "violations": [],
            "usage": {
                "steps": self.steps,
                "promptTokens": self.prompt_tokens,
                "completionTokens": self.completion_tokens,
                "totalCostUsd": self.cost_usd,
                "durationMs": round((time.monotonic() - started) * 1000),
            },
            "provider": {"id": self.provider, "model": self.answered_by},
        }
        if typed:
            result["output"] = typed[0]
        return result


def _failure_words(content: Json) -> str:
    message = content.get("message") if isinstance(content, dict) else content
    return str(message)


def iso_now() -> str:
    """The time now as the wire writes it: UTC, milliseconds, `Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def all_of(waiting: Sequence[Coroutine[None, None, CallResult]]) -> list[CallResult]:
    """The results of calls that run at once, in their order; when one raises, the others are given up."""
    if len(waiting) == 1:
        return [await waiting[0]]
    running = [asyncio.ensure_future(each) for each in waiting]
    try:
        return list(await asyncio.gather(*running))
    except BaseException:
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        raise
