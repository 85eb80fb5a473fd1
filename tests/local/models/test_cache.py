"""The reply cache: what makes a request the same, and answering from it."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.base import Json
from kindgi_tui.local.models.cache import CachedModels, cache_key, dump_reply, load_reply
from kindgi_tui.local.models.calls import (
    AgentMessage,
    Message,
    ModelRef,
    ModelReply,
    ModelRequest,
    OutputSchema,
    SystemMessage,
    ToolCall,
    ToolOffer,
    ToolResult,
    Usage,
    UserMessage,
)
from kindgi_tui.local.models.failures import NoReplyCached
from tests.local.models.asked import ask, models
from tests.local.models.server import ModelServer, call, say

WORDS = st.text(st.characters(exclude_categories=()), max_size=8) | st.sampled_from(["\ud800", "\x00", "é"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    out: list[Message] = [SystemMessage(text=draw(WORDS))]
    number = 0
    for _ in range(draw(st.integers(1, 3))):
        out.append(UserMessage(text=draw(WORDS)))
        calls = []
        for _ in range(draw(st.integers(0, 3))):
            number += 1
            calls.append(ToolCall(id=f"id{number}", name=draw(WORDS), arguments=draw(JSON)))
        out.append(AgentMessage(text=draw(st.none() | WORDS), tool_calls=tuple(calls)))
        for made in draw(st.permutations(calls)):
            out.append(ToolResult(call_id=made.id, tool_id=made.name, content=draw(JSON)))
    return tuple(out)


REQUESTS = st.builds(
    ModelRequest,
    model=st.builds(ModelRef, provider=WORDS, model=WORDS),
    messages=conversations(),
    tools=st.lists(st.builds(ToolOffer, id=WORDS, description=WORDS, input_schema=JSON), max_size=2).map(
        tuple
    ),
    output=st.none() | st.builds(lambda name, shape: OutputSchema(name=name, schema=shape), WORDS, JSON),
    settings=st.dictionaries(WORDS, JSON, max_size=2),
    purpose=st.sampled_from(["turn", "judge"]),
    repetition=st.integers(1, 5),
)


def _renamed(messages: tuple[Message, ...], names: dict[str, str]) -> tuple[Message, ...]:
    out: list[Message] = []
    for message in messages:
        if isinstance(message, AgentMessage):
            calls = tuple(c.model_copy(update={"id": names[c.id]}) for c in message.tool_calls)
            out.append(message.model_copy(update={"tool_calls": calls}))
        elif isinstance(message, ToolResult):
            out.append(message.model_copy(update={"call_id": names[message.call_id]}))
        else:
            out.append(message)
    return tuple(out)


def _ids(request: ModelRequest) -> list[str]:
    return [c.id for m in request.messages if isinstance(m, AgentMessage) for c in m.tool_calls]


@given(REQUESTS, st.data())
def test_renaming_calls_changes_nothing(request: ModelRequest, data: st.DataObject) -> None:
    ids = _ids(request)
    new = data.draw(st.lists(WORDS, min_size=len(ids), max_size=len(ids), unique=True))
    messages = _renamed(request.messages, dict(zip(ids, new, strict=True)))
    assert cache_key(request.model_copy(update={"messages": messages})) == cache_key(request)


@given(REQUESTS)
def test_key_order_and_copies_change_nothing(request: ModelRequest) -> None:
    turned = request.model_copy(
        update={"settings": dict(reversed(list(copy.deepcopy(request.settings).items())))}
    )
    assert cache_key(turned) == cache_key(request)
    assert len(cache_key(request)) == 64


def _without(words: str) -> str:
    return words + "+"


CHANGES: list[Any] = [
    lambda r: {"model": r.model.model_copy(update={"provider": _without(r.model.provider)})},
    lambda r: {"model": r.model.model_copy(update={"model": _without(r.model.model)})},
    lambda r: {"repetition": r.repetition + 1},
    lambda r: {"purpose": "judge" if r.purpose == "turn" else "turn"},
    lambda r: {"settings": {**r.settings, "new setting": None}},
    lambda r: {"tools": (*r.tools, ToolOffer(id="x", description="", input_schema=None))},
    lambda r: {"output": OutputSchema(name="n", schema=1) if r.output is None else None},
    lambda r: {"messages": (*r.messages, UserMessage(text=""))},
    lambda r: {"messages": (*r.messages, AgentMessage(text=""))},
    lambda r: {"messages": r.messages[1:]},
    lambda r: {
        "messages": (r.messages[0].model_copy(update={"text": _without(r.messages[0].text)}), *r.messages[1:])
    },
]


@given(REQUESTS, st.sampled_from(range(len(CHANGES))))
def test_anything_else_changes_the_key(request: ModelRequest, which: int) -> None:
    changed = request.model_copy(update=CHANGES[which](request))
    assert cache_key(changed) != cache_key(request)


@given(REQUESTS, st.data())
def test_what_was_called_and_what_it_gave_change_the_key(request: ModelRequest, data: st.DataObject) -> None:
    at = [i for i, m in enumerate(request.messages) if isinstance(m, AgentMessage | ToolResult)]
    place = data.draw(st.sampled_from(at))
    message = request.messages[place]
    if isinstance(message, ToolResult):
        new: Message = message.model_copy(update={"content": [message.content]})
    elif isinstance(message, AgentMessage) and message.tool_calls:
        first = message.tool_calls[0]
        change = data.draw(st.sampled_from(["name", "arguments"]))
        value = _without(first.name) if change == "name" else [first.arguments]
        calls = (first.model_copy(update={change: value}), *message.tool_calls[1:])
        new = message.model_copy(update={"tool_calls": calls})
    else:
        new = message.model_copy(update={"text": "+" if message.text is None else None})
    messages = (*request.messages[:place], new, *request.messages[place + 1 :])
    assert cache_key(request.model_copy(update={"messages": messages})) != cache_key(request)


def test_which_call_a_result_belongs_to_counts() -> None:
    calls = tuple(ToolCall(id=i, name="t", arguments={}) for i in ("a", "b"))
    results = [ToolResult(call_id=i, tool_id="t", content=1) for i in ("a", "b")]
    other = [ToolResult(call_id=i, tool_id="t", content=1) for i in ("b", "b")]
    one = ask(AgentMessage(tool_calls=calls), *results)
    two = ask(AgentMessage(tool_calls=calls), *other)
    assert cache_key(one) != cache_key(two)


def test_the_key_stays_what_it_is() -> None:
    """The demo's replies are stored under these keys: a change of the form loses them."""
    search = ToolOffer(id="a.search", description="d", input_schema={"type": "object"})
    made = ToolCall(id="c9", name="a.search", arguments={"q": "é\ud800", "k": [1, 2.5, None]})
    request = ask(
        SystemMessage(text="s"),
        UserMessage(text="u"),
        AgentMessage(tool_calls=(made,)),
        ToolResult(call_id="c9", tool_id="a.search", content={"z": 1, "a": True}),
        tools=(search,),
        output=OutputSchema(name="o", schema={"type": "object"}),
        settings={"temperature": 0},
        repetition=2,
    )
    assert cache_key(request) == "3a945d71ee6afb2f33c6690315b49e945e4f6734a51eacc182294cf8e56e6185"


class Kept:
    """A store of replies, in memory."""

    def __init__(self) -> None:
        self.replies: dict[str, Json] = {}

    async def get(self, key: str) -> Json | None:
        return self.replies.get(key)

    async def put(self, key: str, value: Json) -> None:
        self.replies[key] = value


async def test_the_second_time_is_free_and_marked() -> None:
    kept = Kept()
    prices = {"mock": {"input": 1.0, "output": 1.0}}
    async with ModelServer() as server, models(server, prices=prices) as asked:
        server.script(call(("acme_x", {"q": "\ud800"})), say("other"))
        cached = CachedModels(asked, kept.get, kept.put)
        assert not await cached.cached(ask())
        first = await cached.complete(ask())
        assert await cached.cached(ask())
        second = await cached.complete(ask())
        assert len(server.received) == 1
        assert not first.cached
        assert second.cached
        assert second.tool_calls == first.tool_calls
        assert second.usage == first.usage
        assert first.spent_usd == first.usage.cost_usd != 0
        assert second.spent_usd == 0
        other = await cached.complete(ask(repetition=2))
        assert other.text == "other"
        assert not other.cached


async def test_fresh_asks_again_and_stores() -> None:
    kept = Kept()
    async with ModelServer() as server, models(server) as asked:
        server.script(say("old"), say("new"))
        await CachedModels(asked, kept.get, kept.put).complete(ask())
        fresh = CachedModels(asked, kept.get, kept.put, fresh=True)
        assert not await fresh.cached(ask())
        assert (await fresh.complete(ask())).text == "new"
        assert (await CachedModels(None, kept.get, kept.put).complete(ask())).text == "new"


@pytest.mark.parametrize("stored", [False, True])
async def test_a_reply_not_worth_keeping_is_asked_for_again(stored: bool) -> None:
    """Neither is it stored, nor does one that was stored before count."""
    kept = Kept()
    async with ModelServer() as server, models(server) as asked:
        server.script(say("?"), say("yes"))
        first = CachedModels(asked, kept.get, kept.put, keeps=None if stored else _readable)
        assert (await first.complete(ask())).text == "?"
        assert len(kept.replies) == int(stored)
        cached = CachedModels(asked, kept.get, kept.put, keeps=_readable)
        assert not await cached.cached(ask())
        assert [(await cached.complete(ask())).text for _ in range(2)] == ["yes", "yes"]
        assert await cached.cached(ask())
        assert len(server.received) == 2


def _readable(request: ModelRequest, reply: ModelReply) -> bool:
    return reply.text != "?"


async def test_without_a_provider_only_stored_replies() -> None:
    kept = Kept()
    alone = CachedModels(None, kept.get, kept.put)
    with pytest.raises(NoReplyCached, match=r"p/mock.*kindgi-tui models check"):
        await alone.complete(ask())
    kept.replies[cache_key(ask())] = {"text": "from the demo", "provider": "p", "model": "mock"}
    reply = await alone.complete(ask())
    assert (reply.text, reply.cached, reply.spent_usd) == ("from the demo", True, 0)
    with pytest.raises(NoReplyCached, match="--fresh"):
        await CachedModels(None, kept.get, kept.put, fresh=True).complete(ask())


@pytest.mark.parametrize(
    "stored",
    [None, [], "text", {}, {"provider": "p", "model": 5}, {"provider": "p", "model": "m", "toolCalls": 5}],
)
async def test_a_stored_value_that_is_no_reply_is_a_miss(stored: Json) -> None:
    kept = Kept()
    kept.replies[cache_key(ask())] = stored
    async with ModelServer() as server, models(server) as asked:
        cached = CachedModels(asked, kept.get, kept.put)
        assert not await cached.cached(ask())
        assert (await cached.complete(ask())).text == "hello"


async def test_cached_call_ids_stay_unique_in_a_conversation() -> None:
    kept = Kept()
    stored: Json = {
        "text": None,
        "toolCalls": [{"id": "c1", "name": "t", "arguments": {}}],
        "provider": "p",
        "model": "mock",
    }
    made = ToolCall(id="c1", name="t", arguments={})
    request = ask(AgentMessage(tool_calls=(made,)), ToolResult(call_id="c1", tool_id="t", content=1))
    kept.replies[cache_key(request)] = stored
    reply = await CachedModels(None, kept.get, kept.put).complete(request)
    assert reply.tool_calls[0].id not in ("c1", "")


@given(
    st.builds(
        ModelReply,
        text=st.none() | WORDS,
        tool_calls=st.lists(st.builds(ToolCall, id=WORDS, name=WORDS, arguments=JSON), max_size=2).map(tuple),
        usage=st.builds(
            Usage,
            prompt_tokens=st.integers(0, 9),
            completion_tokens=st.integers(0, 9),
            cost_usd=st.none() | st.floats(0, 1),
        ),
        provider=WORDS,
        model=WORDS,
        served_model=st.none() | WORDS,
        finish=WORDS,
    )
)
def test_a_reply_survives_being_stored(reply: ModelReply) -> None:
    import json

    back = load_reply(json.loads(json.dumps(dump_reply(reply))))
    # Compared as text: a NaN in arguments is not equal to itself.
    assert repr(back) == repr(reply.model_copy(update={"cached": True}))
