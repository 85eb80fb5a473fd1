"""What goes to a model and what comes back, whoever the provider is (DESIGN section 9, models)."""

from typing import Literal

from pydantic import Field

from kindgi_tui.domain.base import Frozen, Json

Purpose = Literal["turn", "judge"]
"""Why a model is asked: to answer as the agent, or to judge an answer. Part of the cache key."""


class ModelRef(Frozen):
    """One model of one provider."""

    provider: str
    """The provider's name in the configuration, such as `anthropic` or `local`."""
    model: str
    """The model's name as the provider writes it."""

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


class ToolOffer(Frozen):
    """A tool the model may call."""

    id: str
    """The dotted tool id; providers get a safe name made from it (`tool_names`)."""
    description: str
    """What the tool does, for the model."""
    input_schema: Json
    """JSON schema of the arguments: an object."""


class OutputSchema(Frozen):
    """The shape a typed answer must have."""

    name: str
    """A short name, for providers that want one."""
    # Named `schema` on the outside, as the agents' definitions do; pydantic's own name is taken.
    json_schema: Json = Field(alias="schema")
    """The JSON schema the answer must fit."""

    model_config = Frozen.model_config | {"populate_by_name": True}


class ToolCall(Frozen):
    """A call the model asks for."""

    id: str
    """The provider's id of the call; unique within one conversation (`with_own_call_ids`)."""
    name: str
    """The tool id; a name the model made up stays as it wrote it."""
    arguments: Json
    """The arguments as a JSON value, or the text the model wrote when it is not JSON."""


class SystemMessage(Frozen):
    """What the agent is told to be."""

    text: str
    """The instructions."""


class UserMessage(Frozen):
    """What the user said."""

    text: str
    """The words."""


class AgentMessage(Frozen):
    """What the model said before."""

    text: str | None = None
    """The words, if any."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls it asked for, in order."""


class ToolResult(Frozen):
    """What a tool call gave."""

    call_id: str
    """The id of the call in the agent's message before."""
    tool_id: str
    """The dotted id of the tool."""
    content: Json
    """The result; a text goes to the model as it is, anything else as JSON."""


Message = SystemMessage | UserMessage | AgentMessage | ToolResult
"""One message of a conversation."""


class ModelRequest(Frozen):
    """One question to a model."""

    model: ModelRef
    """Who is asked."""
    messages: tuple[Message, ...]
    """The conversation, oldest first."""
    tools: tuple[ToolOffer, ...] = ()
    """The tools on offer, in order."""
    output: OutputSchema | None = None
    """The shape of a typed answer; None for a free one."""
    settings: dict[str, Json] = {}
    """`temperature`, `maxTokens`, `topP`, `stop`, `seed` and what else the provider takes; camel or snake case."""
    purpose: Purpose = "turn"
    """Why the model is asked."""
    repetition: int = 1
    """Which repetition of the case asks, from 1; it sets cached replies apart."""


class Usage(Frozen):
    """What a call used, as the provider counts it."""

    prompt_tokens: int = 0
    """Tokens read; 0 when the provider doesn't say."""
    completion_tokens: int = 0
    """Tokens written; 0 when the provider doesn't say."""
    cost_usd: float | None = None
    """What it cost in US dollars; None where the price or the count is not known."""


class ModelReply(Frozen):
    """What a model answered."""

    text: str | None
    """The words; None when it only called tools or said nothing."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls it asks for, in order; several may run at once."""
    usage: Usage = Usage()
    """What the call used when it was made; a cached reply keeps it for information."""
    provider: str
    """The provider's name in the configuration."""
    model: str
    """The model that was asked for."""
    served_model: str | None = None
    """The exact model the provider says answered, where it says so."""
    finish: str
    """Why it ended: `stop`, `tool_calls`, `length`, `content_filter`, or the provider's own word."""
    cached: bool = False
    """Whether it came from the reply cache."""

    @property
    def spent_usd(self) -> float | None:
        """What this reply costs now: 0 for a cached one, else `usage.cost_usd`."""
        return 0.0 if self.cached else self.usage.cost_usd


def with_own_call_ids(reply: ModelReply, request: ModelRequest) -> ModelReply:
    """The reply with call ids that no earlier call of the conversation has.

    Some servers number the calls of every answer from the start, or give none an id; results are matched to
    calls by id, so a repeated or empty one becomes `call-<place in the conversation>`.
    """
    if not reply.tool_calls:
        return reply
    used = {call.id for m in request.messages if isinstance(m, AgentMessage) for call in m.tool_calls}
    place = len(used)
    calls: list[ToolCall] = []
    for call in reply.tool_calls:
        place += 1
        own = call
        if not call.id or call.id in used:
            while f"call-{place}" in used:
                place += 1
            own = call.model_copy(update={"id": f"call-{place}"})
        used.add(own.id)
        calls.append(own)
    if all(a is b for a, b in zip(calls, reply.tool_calls, strict=True)):
        return reply
    return reply.model_copy(update={"tool_calls": tuple(calls)})
