"""Every way a provider can fail, against a real server, in both protocols."""

import asyncio
import email.utils
import importlib.util
import logging
import subprocess
import sys
import time

import pytest

from kindgi_tui.local.models.asking import Models
from kindgi_tui.local.models.calls import (
    AgentMessage,
    OutputSchema,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from kindgi_tui.local.models.failures import (
    ModelError,
    ModelGarbled,
    ModelRefused,
    ModelUnavailable,
    NoProvider,
)
from kindgi_tui.workbench import Invalid, Unavailable
from tests.local.models.asked import KEY, SEARCH, Clock, ask, models
from tests.local.models.server import (
    Answer,
    ModelServer,
    Received,
    call,
    drop,
    failed,
    garbage,
    half,
    hang,
    limited,
    say,
    typed,
)

SDK = importlib.util.find_spec("anthropic") is not None
KINDS = pytest.mark.parametrize(
    "kind",
    [
        "openai",
        pytest.param(
            "anthropic", marks=pytest.mark.skipif(not SDK, reason="needs the extra `models` (anthropic)")
        ),
    ],
)


@KINDS
async def test_text_usage_and_cost(kind: str) -> None:
    prices = {"mock": {"input": 3.0, "output": 15.0}}
    async with ModelServer() as server, models(server, kind, prices=prices) as asked:
        server.script(say("Hi.", usage=(1000, 200)))
        reply = await asked.complete(ask())
        assert (reply.text, reply.tool_calls, reply.finish) == ("Hi.", (), "stop")
        assert (reply.provider, reply.model, reply.served_model) == ("p", "mock", "mock")
        assert reply.usage.prompt_tokens == 1000
        assert reply.usage.cost_usd == pytest.approx(0.003 + 0.003)
        assert reply.spent_usd == reply.usage.cost_usd
        sent = server.received[0]
        assert KEY in sent.headers.get("authorization", "") + sent.headers.get("x-api-key", "")


@KINDS
async def test_parallel_tool_calls_there_and_back(kind: str) -> None:
    async with ModelServer() as server, models(server, kind) as asked:
        server.script(
            call(
                ("acme-ops_search-articles", {"query": "a"}),
                ("acme-ops_search-articles", {"query": "b"}),
                text="I look.",
            ),
            say("Done."),
        )
        request = ask(tools=(SEARCH,))
        reply = await asked.complete(request)
        assert reply.text == "I look."
        assert [(c.name, c.arguments) for c in reply.tool_calls] == [
            ("acme-ops.search-articles", {"query": "a"}),
            ("acme-ops.search-articles", {"query": "b"}),
        ]
        assert reply.finish == "tool_calls"
        results = tuple(
            ToolResult(call_id=c.id, tool_id=c.name, content={"n": i}) for i, c in enumerate(reply.tool_calls)
        )
        agent = AgentMessage(text=reply.text, tool_calls=reply.tool_calls)
        # The server refuses results that don't fit their calls.
        second = await asked.complete(ask(*request.messages, agent, *results, tools=(SEARCH,)))
        assert second.text == "Done."


@KINDS
async def test_no_price_is_no_cost_and_free_is_zero(kind: str) -> None:
    async with ModelServer() as server:
        async with models(server, kind) as asked:
            assert (await asked.complete(ask())).usage.cost_usd is None
        async with models(server, kind, free=True) as asked:
            assert (await asked.complete(ask())).usage.cost_usd == 0.0


async def test_no_usage_is_no_cost() -> None:
    prices = {"mock": {"input": 3.0, "output": 15.0}}
    async with ModelServer() as server, models(server, prices=prices) as asked:
        server.script(say("Hi.", usage=None))
        usage = (await asked.complete(ask())).usage
        assert (usage.prompt_tokens, usage.completion_tokens, usage.cost_usd) == (0, 0, None)


@KINDS
async def test_429_waits_as_told_in_seconds(kind: str) -> None:
    clock = Clock()
    async with ModelServer() as server, models(server, kind, clock) as asked:
        server.script(limited(7), limited(2), say("ok"))
        assert (await asked.complete(ask())).text == "ok"
        assert len(server.received) == 3
        first, second = clock.slept
        assert 7 <= first <= 8
        assert 2 <= second <= 3


@KINDS
async def test_503_with_a_date_waits_until_then(kind: str) -> None:
    clock = Clock()
    when = email.utils.formatdate(clock.at + 30, usegmt=True)
    async with ModelServer() as server, models(server, kind, clock) as asked:
        server.script(limited(when, status=503), say("ok"))
        assert (await asked.complete(ask())).text == "ok"
        assert 29 <= clock.slept[0] <= 31


@KINDS
async def test_429_without_a_word_backs_off_longer_each_time(kind: str) -> None:
    clock = Clock()
    async with ModelServer() as server, models(server, kind, clock) as asked:
        server.script(limited(), limited(), limited(), say("ok"))
        assert (await asked.complete(ask())).text == "ok"
        assert clock.slept == sorted(clock.slept)
        assert clock.slept[2] == 4 * clock.slept[0] > 0


@KINDS
async def test_a_limit_that_asks_for_too_long_is_an_error_with_the_time(kind: str) -> None:
    clock = Clock()
    async with ModelServer() as server, models(server, kind, clock) as asked:
        server.script(limited(4000, message="Daily limit reached."))
        with pytest.raises(ModelUnavailable, match="Daily limit reached") as caught:
            await asked.complete(ask())
        assert caught.value.retry_after == 4000
        assert isinstance(caught.value, Unavailable)
        assert clock.slept == []


@KINDS
@pytest.mark.parametrize("after", [None, 0, 5])
async def test_a_limit_that_never_ends_is_given_up(kind: str, after: int | None) -> None:
    clock = Clock()
    async with ModelServer() as server, models(server, kind, clock) as asked:
        server.script(limited(after))
        with pytest.raises(ModelUnavailable):
            await asked.complete(ask())
        assert len(server.received) <= 100
        assert sum(clock.slept) <= 400


async def test_one_calls_limit_holds_the_others_back() -> None:
    clock = Clock()
    until = clock.at + 10
    refused = 0

    def respond(_: Received) -> Answer:
        nonlocal refused
        if clock.at < until:
            refused += 1
            return limited(until - clock.at)
        return say("ok")

    async with ModelServer() as server, models(server, clock=clock) as asked:
        server.respond = respond
        waiting = asyncio.Event()
        sleep = clock.sleep

        async def first_sleeps_long(seconds: float) -> None:
            if not waiting.is_set():
                waiting.set()
                # The first call sleeps on while the others come.
                await asyncio.sleep(0.1)
            await sleep(seconds)

        asked._sleep = first_sleeps_long
        first = asyncio.create_task(asked.complete(ask()))
        await waiting.wait()
        await asyncio.gather(first, *(asked.complete(ask()) for _ in range(3)))
    # One refusal: a call that starts later waits instead of being refused too.
    assert refused == 1


async def test_waiting_for_a_slot_is_not_silence() -> None:
    async with ModelServer() as server, models(server, concurrency=1, timeout_s=0.5) as asked:
        server.script(say("ok", delay=0.2))
        replies = await asyncio.gather(*(asked.complete(ask()) for _ in range(4)))
        assert [reply.text for reply in replies] == ["ok"] * 4
        assert len(server.received) == 4


@KINDS
@pytest.mark.parametrize("status", [500, 502, 503, 504, 529, 408])
async def test_trouble_is_tried_again_a_bounded_number_of_times(kind: str, status: int) -> None:
    clock = Clock()
    async with ModelServer() as server, models(server, kind, clock) as asked:
        server.script(failed(status), failed(status), say("ok"))
        assert (await asked.complete(ask())).text == "ok"
        server.script(failed(status, "The database is on fire."))
        before = len(server.received)
        with pytest.raises(ModelUnavailable, match=rf"^p is in trouble \({status}\).*on fire"):
            await asked.complete(ask())
        assert len(server.received) - before == 4


@KINDS
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refusal_is_told_at_once_in_the_providers_words(kind: str, status: int) -> None:
    clock = Clock()
    async with ModelServer() as server, models(server, kind, clock) as asked:
        server.script(failed(status, f"No model named mock; your key {KEY} is bad."))
        with pytest.raises(ModelRefused, match="No model named mock") as caught:
            await asked.complete(ask())
        assert len(server.received) == 1
        assert clock.slept == []
        assert isinstance(caught.value, Invalid)
        assert KEY not in caught.value.sentence
        if status == 401:
            assert "Check KEY" in caught.value.sentence


async def test_no_credit_left_is_not_a_limit() -> None:
    async with ModelServer() as server, models(server) as asked:
        server.script(failed(429, "You exceeded your quota.", code="insufficient_quota"))
        with pytest.raises(ModelRefused, match="no credit left"):
            await asked.complete(ask())
        assert len(server.received) == 1


async def test_a_failure_wrapped_in_a_200_is_one() -> None:
    clock = Clock()
    async with ModelServer() as server, models(server, clock=clock) as asked:
        server.script(
            garbage(b'{"error": {"code": 502, "message": "upstream"}}'),
            say("ok"),
        )
        assert (await asked.complete(ask())).text == "ok"
        server.script(garbage(b'{"error": {"code": "bad_model", "message": "no such model"}}'))
        with pytest.raises(ModelRefused, match="no such model"):
            await asked.complete(ask())


@KINDS
@pytest.mark.parametrize(
    "raw",
    [
        b"<html>Bad gateway</html>",
        b"",
        b"null",
        b"[]",
        b'"hello"',
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{}], "content": 5}',
        b'{"choices": [{"message": {"content": 5}}], "content": [{"type": "tool_use"}]}',
        b'{"choices": [{"message": {"tool_calls": [{}]}}]}',
        b'{"choices": [{"message": {"content": "\xff\xfe',
        b"[" * 100_000,
    ],
    ids=range(12),
)
async def test_garbage_is_asked_once_more_then_told(kind: str, raw: bytes) -> None:
    async with ModelServer() as server, models(server, kind) as asked:
        server.script(garbage(raw), say("ok"))
        assert (await asked.complete(ask())).text == "ok"
        server.script(garbage(raw))
        with pytest.raises(ModelGarbled, match=r"^p answered"):
            await asked.complete(ask())
        assert len(server.received) == 4


@KINDS
@pytest.mark.parametrize("fault", [half, drop])
async def test_a_broken_connection_is_tried_again(kind: str, fault: object) -> None:
    broken = half() if fault is half else drop()
    async with ModelServer() as server, models(server, kind) as asked:
        server.script(broken, broken, say("ok"))
        assert (await asked.complete(ask())).text == "ok"
        server.script(broken)
        with pytest.raises(ModelError) as caught:
            await asked.complete(ask())
        assert len(server.received) == 7
        assert isinstance(caught.value, Unavailable)


@KINDS
async def test_silence_ends_at_the_time_out(kind: str) -> None:
    async with ModelServer() as server, models(server, kind, timeout_s=0.2) as asked:
        server.script(hang(), say("ok"))
        assert (await asked.complete(ask())).text == "ok"
        server.script(hang())
        with pytest.raises(ModelUnavailable, match=r"no answer within 0\.2 s"):
            await asked.complete(ask())
        assert len(server.received) == 4


@KINDS
async def test_a_server_that_is_not_there_and_comes_back(kind: str) -> None:
    async with ModelServer() as server, models(server, kind) as asked:
        await asked.complete(ask())
        await server.stop()
        with pytest.raises(ModelUnavailable):
            await asked.complete(ask())
        async with server:
            assert (await asked.complete(ask())).text == "hello"


async def test_tls_where_there_is_none() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with ModelServer() as server, await asyncio.start_server(plain, "127.0.0.1", 0) as listening:
        address = f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
        async with models(server, base_url=address) as asked:
            with pytest.raises(ModelUnavailable, match="can't be reached at https"):
                await asked.complete(ask())


async def test_another_header_for_the_key() -> None:
    async with ModelServer() as server, models(server, api_key_header="api-key") as asked:
        await asked.complete(ask())
        assert server.received[0].headers["api-key"] == KEY
        assert "authorization" not in server.received[0].headers


async def test_the_asker_says_how_many_at_once() -> None:
    async with ModelServer() as server:
        config = models(server).config
        server.script(say("ok", delay=0.02))
        async with Models(config, at_once=3, environment={"KEY": KEY}) as asked:
            await asyncio.gather(*(asked.complete(ask()) for _ in range(12)))
        assert server.max_in_flight == 3


def test_nothing_heavy_is_imported_before_a_call() -> None:
    names = ("asking", "cache", "calls", "checking", "config", "typed", "openai_chat")
    heavy = "('aiohttp', 'anthropic', 'httpx', 'httpx2', 'jsonschema', 'kindgi', 'openai', 'platformdirs', 'rich')"
    code = (
        "import sys\n"
        + "".join(f"import kindgi_tui.local.models.{name}\n" for name in names)
        + f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@KINDS
async def test_cancelling_leaves_nothing_behind(kind: str) -> None:
    async with ModelServer() as server, models(server, kind, concurrency=2) as asked:
        server.script(hang())
        stuck = [asyncio.create_task(asked.complete(ask())) for _ in range(5)]
        for _ in range(500):
            if server.in_flight == 2:
                break
            await asyncio.sleep(0.01)
        for task in stuck:
            task.cancel()
        ended = await asyncio.gather(*stuck, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ended)
        # Both slots are free again.
        server.script(say("ok"))
        replies = await asyncio.gather(*(asked.complete(ask()) for _ in range(4)))
        assert [reply.text for reply in replies] == ["ok"] * 4


@KINDS
async def test_never_more_at_once_than_configured_and_connections_are_kept(kind: str) -> None:
    async with ModelServer() as server, models(server, kind, concurrency=4) as asked:
        server.script(say("ok", delay=0.005))
        await asyncio.gather(*(asked.complete(ask()) for _ in range(40)))
        assert server.max_in_flight == 4
        assert server.connections <= 4


@KINDS
async def test_lone_surrogates_and_odd_words_reach_the_model(kind: str) -> None:
    words = "a\ud800b \udfff \x00 \x1b[31m 😀 \ud83d\ude00"
    async with ModelServer() as server, models(server, kind) as asked:
        arguments = {"q": "\udc00", "n": 10**400}
        request = ask(
            SystemMessage(text=words),
            UserMessage(text=words),
            AgentMessage(text=words, tool_calls=(ToolCall(id="1", name="x.\ud800", arguments=arguments),)),
            ToolResult(call_id="1", tool_id="x.\ud800", content={"r": words, "nan": float("nan")}),
            tools=(SEARCH,),
        )
        assert (await asked.complete(request)).text == "hello"
        sent = str(server.received[0].body)
        assert "a\ufffdb \ufffd \\x00 \\x1b[31m 😀" in sent
        assert not any(0xD800 <= ord(c) <= 0xDFFF for c in sent)


async def test_settings_that_are_no_json_are_refused() -> None:
    async with ModelServer() as server, models(server) as asked:
        with pytest.raises(ModelRefused, match="can't be written as JSON"):
            await asked.complete(ask(settings={"temperature": float("nan")}))
        assert server.received == []


async def test_arguments_that_are_no_json_stay_text() -> None:
    async with ModelServer() as server, models(server) as asked:
        server.script(call(("made-up", "{broken"), ("made-up", ""), ("made-up", "[1]")))
        calls = (await asked.complete(ask(tools=(SEARCH,)))).tool_calls
        assert [c.arguments for c in calls] == ["{broken", {}, [1]]
        assert {c.name for c in calls} == {"made-up"}


async def test_call_ids_are_made_unique() -> None:
    async with ModelServer() as server, models(server) as asked:
        twice = call(("x", {}), ("x", {}), call_ids=("", "same"))
        server.script(twice, twice)
        first = await asked.complete(ask())
        assert [c.id for c in first.tool_calls] == ["call-1", "same"]
        before = AgentMessage(tool_calls=first.tool_calls)
        results = tuple(ToolResult(call_id=c.id, tool_id="x", content=1) for c in first.tool_calls)
        again = await asked.complete(ask(UserMessage(text="?"), before, *results))
        assert len({c.id for c in (*first.tool_calls, *again.tool_calls)}) == 4


@KINDS
async def test_a_redirect_is_not_followed(kind: str) -> None:
    async with ModelServer() as other, ModelServer() as server, models(server, kind) as asked:
        server.script(Answer(status=308, raw=b"", headers={"Location": other.url + "/chat/completions"}))
        with pytest.raises(ModelRefused, match="308"):
            await asked.complete(ask())
        assert other.received == []


@KINDS
async def test_typed_output_is_asked_for(kind: str) -> None:
    schema = OutputSchema(
        name="Picked articles", schema={"type": "object", "properties": {"a": {"type": "integer"}}}
    )
    async with ModelServer() as server:
        server.script(typed({"a": 1}))
        async with models(server, kind, typed_output="json_schema") as asked:
            assert (await asked.complete(ask(output=schema))).text == '{"a": 1}'
            body = server.received[-1].body
            if kind == "openai":
                assert body["response_format"]["json_schema"]["schema"] == schema.json_schema
                assert body["response_format"]["json_schema"]["name"] == "Picked_articles"
            else:
                assert body["output_config"]["format"]["schema"] == schema.json_schema
        async with models(server, kind, typed_output_with_tools=False) as asked:
            await asked.complete(ask(output=schema, tools=(SEARCH,)))
            body = server.received[-1].body
            assert "response_format" not in body
            assert "output_config" not in body
            told = body["messages"][0]["content"] if kind == "openai" else body["system"]
            assert told.startswith("Be brief.")
            assert '"integer"' in told


async def test_settings_are_written_as_the_protocol_wants() -> None:
    async with ModelServer() as server, models(server, max_tokens_field="max_completion_tokens") as asked:
        await asked.complete(
            ask(settings={"maxTokens": 9, "topP": 0.5, "stopSequences": ["x"], "reasoning_effort": "low"})
        )
        body = server.received[0].body
        assert body["max_completion_tokens"] == 9
        assert (body["top_p"], body["stop"], body["reasoning_effort"]) == (0.5, ["x"], "low")


@pytest.mark.skipif(not SDK, reason="needs the extra `models` (anthropic)")
async def test_anthropic_settings() -> None:
    async with ModelServer() as server, models(server, "anthropic") as asked:
        await asked.complete(ask(settings={"maxTokens": 9, "stop": "x", "novel": 1}))
        body = server.received[0].body
        assert (body["max_tokens"], body["stop_sequences"], body["novel"]) == (9, ["x"], 1)
        await asked.complete(ask())
        assert server.received[1].body["max_tokens"] == 4096


async def test_a_missing_sdk_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    async with ModelServer() as server, models(server, "anthropic") as asked:
        with pytest.raises(NoProvider, match=r"pip install 'kindgi-tui\[models\]'"):
            await asked.complete(ask())


@KINDS
async def test_a_missing_key_is_one_sentence(kind: str) -> None:
    async with ModelServer() as server, models(server, kind, api_key_env="NOT_SET") as asked:
        with pytest.raises(NoProvider, match="Set NOT_SET"):
            await asked.complete(ask())
        assert server.received == []


@KINDS
async def test_no_key_is_logged(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with ModelServer() as server, models(server, kind) as asked:
        server.script(failed(401, f"bad key {KEY}"))
        with pytest.raises(ModelRefused) as caught:
            await asked.complete(ask())
    assert KEY not in caplog.text
    assert KEY not in str(caught.value)
    assert KEY not in repr(caught.value)


async def test_two_hundred_calls_under_a_limit_all_come_through() -> None:
    """A provider that takes 20 calls at a time and refuses the rest: nobody is lost, the order doesn't matter."""
    taken: list[float] = []

    def respond(received: Received) -> Answer:
        recent = [at for at in taken if time.monotonic() - at < 0.05]
        if len(recent) >= 20:
            return limited(0.05)
        taken.append(time.monotonic())
        return say(received.body["messages"][-1]["content"])

    async with ModelServer() as server:
        server.respond = respond
        config = models(server, concurrency=50).config
        async with Models(config, environment={"KEY": KEY}) as asked:
            replies = await asyncio.gather(
                *(asked.complete(ask(UserMessage(text=str(n)))) for n in range(200))
            )
        assert [reply.text for reply in replies] == [str(n) for n in range(200)]
