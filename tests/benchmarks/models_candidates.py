"""What a model library costs a call, beside a bare aiohttp loop in the same run.

    python -m tests.benchmarks.models_candidates                      # ours and the floor
    python -m tests.benchmarks.models_candidates --all --rounds 3     # every candidate that is installed
    ... --python litellm=/path/to/bin/python                          # one that lives elsewhere

Each candidate runs in a process of its own against one local server. `wall` is × the ideal
(calls × latency ÷ concurrency), CPU is the process's own during the calls, import is the time to the first call.
A candidate that is not installed is skipped by name. All answers must be right.
"""

import argparse
import asyncio
import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

_LATENCY_S = 0.05
_SCHEMA: Any = {"type": "object", "properties": {"item": {"type": "integer"}}, "required": ["item"]}
_TOOL = {"type": "function", "function": {"name": "lookup", "description": "Look up.", "parameters": _SCHEMA}}
_SYSTEM = "You answer briefly."

Call = Callable[[int], Awaitable[Any]]


def _question(i: int) -> str:
    return f"What is the code for item {i}?"


def _chat(i: int) -> list[dict[str, str]]:
    return [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": _question(i)}]


async def floor(url: str, at_once: int) -> Call:
    import aiohttp

    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=at_once))

    async def call(i: int) -> Any:
        body = {"model": "mock", "messages": _chat(i), "tools": [_TOOL]}
        async with session.post(url + "/chat/completions", json=body) as response:
            return (await response.json())["choices"][0]["message"]["content"]

    return call


def _ours(kind: str, cached: bool) -> Callable[[str, int], Awaitable[Call]]:
    async def make(url: str, at_once: int) -> Call:
        from kindgi_tui.local.models import calls
        from kindgi_tui.local.models.asking import Asks, Models
        from kindgi_tui.local.models.cache import CachedModels
        from kindgi_tui.local.models.config import ModelsConfig
        from kindgi_tui.local.models.providers import Provider

        address = url if kind == "openai" else url.removesuffix("/v1")
        provider = Provider.model_validate(
            {"name": "p", "kind": kind, "base_url": address, "concurrency": at_once, "api_key_env": "K"}
        )
        models: Asks = Models(ModelsConfig(providers={"p": provider}), environment={"K": "x"})
        if cached:
            kept: dict[str, Any] = {}

            async def get(key: str) -> Any:
                return kept.get(key)

            async def put(key: str, value: Any) -> None:
                kept[key] = value

            models = CachedModels(models, get, put)
        offer = calls.ToolOffer(id="acme.lookup", description="Look up.", input_schema=_SCHEMA)

        async def call(i: int) -> Any:
            request = calls.ModelRequest(
                model=calls.ModelRef(provider="p", model="mock"),
                messages=(calls.SystemMessage(text=_SYSTEM), calls.UserMessage(text=_question(i))),
                tools=(offer,),
            )
            return (await models.complete(request)).text

        return call

    return make


def _openai(way: str) -> Callable[[str, int], Awaitable[Call]]:
    async def make(url: str, at_once: int) -> Call:
        openai = importlib.import_module("openai")
        http = None if way == "httpx" else openai.DefaultAioHttpClient()
        client = openai.AsyncOpenAI(base_url=url, api_key="x", max_retries=0, http_client=http)
        completions = client.chat.completions

        async def call(i: int) -> Any:
            if way == "raw":
                raw = await completions.with_raw_response.create(
                    model="mock", messages=_chat(i), tools=[_TOOL]
                )
                return json.loads(raw.content)["choices"][0]["message"]["content"]
            reply = await completions.create(model="mock", messages=_chat(i), tools=[_TOOL])
            return reply.choices[0].message.content

        return call

    return make


async def anthropic(url: str, at_once: int) -> Call:
    sdk = importlib.import_module("anthropic")
    client = sdk.AsyncAnthropic(
        base_url=url.removesuffix("/v1"), api_key="x", max_retries=0, http_client=sdk.DefaultAioHttpClient()
    )
    tools = [{"name": "lookup", "description": "Look up.", "input_schema": _SCHEMA}]

    async def call(i: int) -> Any:
        asked = [{"role": "user", "content": _question(i)}]
        reply = await client.messages.create(
            model="mock", max_tokens=99, system=_SYSTEM, messages=asked, tools=tools
        )
        return reply.content[0].text

    return call


async def pydantic_ai(url: str, at_once: int) -> Call:
    openai = importlib.import_module("openai")
    direct = importlib.import_module("pydantic_ai.direct")
    said = importlib.import_module("pydantic_ai.messages")
    models = importlib.import_module("pydantic_ai.models")
    chat = importlib.import_module("pydantic_ai.models.openai")
    providers = importlib.import_module("pydantic_ai.providers.openai")
    offers = importlib.import_module("pydantic_ai.tools")
    client = openai.AsyncOpenAI(
        base_url=url, api_key="x", max_retries=0, http_client=openai.DefaultAioHttpClient()
    )
    model = chat.OpenAIChatModel("mock", provider=providers.OpenAIProvider(openai_client=client))
    tools = [offers.ToolDefinition(name="lookup", description="Look up.", parameters_json_schema=_SCHEMA)]
    parameters = models.ModelRequestParameters(function_tools=tools)

    async def call(i: int) -> Any:
        asked = said.ModelRequest(parts=[said.SystemPromptPart(_SYSTEM), said.UserPromptPart(_question(i))])
        reply = await direct.model_request(model, [asked], model_request_parameters=parameters)
        return reply.parts[0].content

    return call


async def any_llm(url: str, at_once: int) -> Call:
    client = importlib.import_module("any_llm").AnyLLM.create("openai", api_key="x", api_base=url)

    async def call(i: int) -> Any:
        reply = await client.acompletion(model="mock", messages=_chat(i), tools=[_TOOL])
        return reply.choices[0].message.content

    return call


async def litellm(url: str, at_once: int) -> Call:
    # Otherwise its import fetches a price list.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    library = importlib.import_module("litellm")

    async def call(i: int) -> Any:
        reply = await library.acompletion(
            model="openai/mock", api_base=url, api_key="x", messages=_chat(i), tools=[_TOOL], num_retries=0
        )
        return reply.choices[0].message.content

    return call


OURS: dict[str, Callable[[str, int], Awaitable[Call]]] = {
    "floor": floor,
    "kindgi-tui": _ours("openai", cached=False),
    "kindgi-tui+cache": _ours("openai", cached=True),
    "kindgi-tui-anthropic": _ours("anthropic", cached=False),
}
OTHERS: dict[str, Callable[[str, int], Awaitable[Call]]] = {
    "openai": _openai("aiohttp"),
    "openai-raw": _openai("raw"),
    "openai-httpx": _openai("httpx"),
    "anthropic": anthropic,
    "pydantic-ai": pydantic_ai,
    "any-llm": any_llm,
    "litellm": litellm,
}


async def _measure(name: str, url: str, calls: int, at_once: int) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        call = await {**OURS, **OTHERS}[name](url, at_once)
    except ImportError as error:
        return {"skipped": str(error)}
    await call(0)
    first = time.perf_counter() - started
    waiting = iter(range(calls))
    right: list[bool] = []

    async def worker() -> None:
        for i in waiting:
            right.append(await call(i) == f"code-{i}")

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(at_once)))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "import_s": first - _LATENCY_S,
        "wall": wall / (calls * _LATENCY_S / at_once),
        "cpu_ms": cpu * 1000 / calls,
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "right": sum(right) == calls,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--all", action="store_true", help="the other libraries too")
    parser.add_argument("--only", default="", help="names, with commas")
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--at-once", default="50,10")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", action="append", default=[], metavar="NAME=PYTHON")
    parser.add_argument("--one", nargs=2, metavar=("NAME", "URL"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(asyncio.run(_measure(args.one[0], args.one[1], args.calls, int(args.at_once)))))
        sys.stdout.flush()
        # Skips the libraries' own clean-up of sessions left open: only the calls are measured.
        os._exit(0)
    pythons = dict(pair.split("=", 1) for pair in args.python)
    names = args.only.split(",") if args.only else [*OURS, *(OTHERS if args.all else ())]
    mock = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.models_mock", "--latency-ms", str(_LATENCY_S * 1000)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert mock.stdin is not None and mock.stdout is not None
    try:
        url = f"http://127.0.0.1:{mock.stdout.readline().strip()}/v1"
        for at_once in args.at_once.split(","):
            rows: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
            for _ in range(args.rounds):
                for name in names:
                    rows[name].append(
                        _child(pythons.get(name, sys.executable), name, url, args.calls, at_once)
                    )
            _table(at_once, rows)
    finally:
        mock.stdin.close()
        mock.wait(10)


def _child(python: str, name: str, url: str, calls: int, at_once: str) -> dict[str, Any]:
    here = [python, "-m", "tests.benchmarks.models_candidates"]
    done = subprocess.run(
        [*here, "--one", name, url, "--calls", str(calls), "--at-once", at_once],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    row: dict[str, Any] = json.loads(lines[-1]) if lines else {"skipped": done.stderr.strip()[-200:]}
    return row


def _table(at_once: str, rows: dict[str, list[dict[str, Any]]]) -> None:
    print(f"\n{at_once} at once, {_LATENCY_S * 1000:g} ms a call")
    print(f"{'':22}{'import s':>9}{'wall x':>8}{'CPU ms':>8}{'RSS MB':>8}")
    for name, measured in rows.items():
        skipped = [row["skipped"] for row in measured if "skipped" in row]
        if skipped:
            print(f"{name:22}skipped: {skipped[0]}")
            continue
        middle = {
            key: statistics.median(row[key] for row in measured) for key in measured[0] if key != "right"
        }
        wrong = "" if all(row["right"] for row in measured) else "  WRONG ANSWERS"
        print(
            f"{name:22}{middle['import_s']:9.2f}{middle['wall']:8.2f}{middle['cpu_ms']:8.2f}"
            f"{middle['rss_mb']:8.0f}{wrong}"
        )


if __name__ == "__main__":
    main()
