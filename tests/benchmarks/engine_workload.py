"""What the engine's benchmarks run: a workspace of judged runs, a pack with a read-only tool, and a bare loop.

Each case asks for the code of one item. The model server answers with it, in the tools variant after it called
`bench.lookup`, whose result is recorded. Every answer was judged, so that each case is scored.
"""

import asyncio
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison, ComparisonRequest
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.engine.planning import check_start
from kindgi_tui.local.engine.running import run_comparison
from kindgi_tui.local.models.asking import Models
from kindgi_tui.local.models.calls import (
    AgentMessage,
    Message,
    ModelRef,
    ModelRequest,
    SystemMessage,
    ToolOffer,
    ToolResult,
    UserMessage,
)
from kindgi_tui.local.models.config import ModelsConfig
from kindgi_tui.local.models.providers import Provider
from kindgi_tui.local.store import comparisons
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from tests.local.models.server import Answer, ModelServer, Received, call, say

PACK = {
    "pyproject.toml": '[tool.kindgi.pack]\nid = "bench"\nversion = "1.0.0"\n',
    "tools/lookup.py": '''
from kindgi import tool
from pydantic import BaseModel


class Asked(BaseModel):
    item: int


class Found(BaseModel):
    code: str


@tool(id="bench.lookup", version="0.1.0", description="Look up the code for an item.", mutating=False,
      effects=[{"kind": "reads"}])
def lookup(asked: Asked) -> Found:
    """The code of an item."""
    return Found(code=f"code-{asked.item}")
''',
    "agents/answerer.py": """
from kindgi import Agent

from ..tools.lookup import lookup

USES = [{"needs": [{"feature": "tool-use"}]}]

plain = Agent(id="bench.plain", version="0.1.0", name="Plain", instructions="Answer with the code.",
              preferred_provider="local", preferred_model="mock")
tools = Agent(id="bench.tools", version="0.1.0", name="Tools", instructions="Answer with the code.",
              capabilities=USES, tools=[lookup], preferred_provider="local", preferred_model="mock")
""",
}


def question(item: int) -> str:
    """What is asked in a case."""
    return f"What is the code for item {item}?"


def config_for(url: str, concurrency: int) -> ModelsConfig:
    """The models' configuration for a model server that costs nothing."""
    provider = Provider(name="local", base_url=url, free=True, concurrency=concurrency)
    return ModelsConfig(providers={"local": provider})


async def make_workspace(folder: Path, cases: int) -> LocalWorkbench:
    """A workspace with `cases` judged runs of `bench.plain` and of `bench.tools`, and test sets of both."""
    pack = folder.with_name(folder.name + "-pack")
    for name, text in PACK.items():
        path = pack / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    workbench, _ = await open_local(folder)
    await workbench.packs.publish(pack)
    project = (await workbench.projects.get()).id
    start = datetime(2026, 11, 1, tzinfo=UTC)
    for agent, with_tool in (("bench.plain", False), ("bench.tools", True)):
        runs = [
            _run(agent, project, item, with_tool, start + timedelta(seconds=item)) for item in range(cases)
        ]
        place = 3 if with_tool else 1
        said: list[tuple[NewJudgment, str, datetime | None]] = [
            (
                NewJudgment(
                    run_id=run.id,
                    item=ItemRef(key="answer", pointer=f"/appended/{place}/content"),
                    verdict="yes",
                ),
                "judge",
                run.created_at,
            )
            for run in runs
        ]
        await workbench.runs.add(runs, said)
        await workbench.test_sets.build(
            BuildRequest(test_set_id=f"{agent}.set", version="1.0.0", project_id=project, agent_id=agent)
        )
    return workbench


def _run(agent: str, project: str, item: int, with_tool: bool, at: datetime) -> RunDetail:
    appended: list[Json] = [{"role": "user", "content": question(item)}]
    if with_tool:
        call: dict[str, Json] = {"id": "call-1", "name": "bench.lookup", "arguments": {"item": item}}
        appended.append({"role": "agent", "content": {"text": "", "toolCalls": [call]}})
        found: dict[str, Json] = {"role": "tool", "content": {"code": f"code-{item}"}}
        found["toolCall"] = {"toolId": "bench.lookup", "invocationId": "call-1"}
        appended.append(found)
    appended.append({"role": "agent", "content": f"code-{item}"})
    return RunDetail(
        id=f"00000000-0000-4000-8000-{int(with_tool)}{item:011d}",
        project_id=project,
        subject=Subject(kind="agent", id=agent, version="0.1.0"),
        status="completed",
        created_at=at,
        completed_at=at,
        input=question(item),
        output={"appended": appended},
        context={"history": []},
    )


@dataclass(frozen=True)
class Measured:
    """What one run took, and whether it did its work."""

    wall_s: float
    """Seconds on the clock."""
    cpu_s: float
    """Seconds of this process's CPU, all threads."""
    correct: int
    """How many answers were right."""


class Stopwatch:
    """Wall and CPU time of what runs inside the `with`."""

    def __enter__(self) -> "Stopwatch":
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall, self.cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu


async def bare_loop(config: ModelsConfig, cases: int, concurrency: int, tools: bool) -> Measured:
    """The same questions through the same model layer, and nothing else: workers, a turn by hand, `==`."""
    offer = ToolOffer(
        id="bench.lookup",
        description="Look up the code for an item.",
        input_schema={"type": "object", "properties": {"item": {"type": "integer"}}, "required": ["item"]},
    )
    offers = (offer,) if tools else ()
    model = ModelRef(provider="local", model="mock")
    waiting = iter(range(cases))
    right = 0

    async def turn(models: Models, item: int) -> str | None:
        messages: list[Message] = [
            SystemMessage(text="Answer with the code."),
            UserMessage(text=question(item)),
        ]
        while True:
            request = ModelRequest.model_construct(
                model=model,
                messages=tuple(messages),
                tools=offers,
                output=None,
                settings={},
                purpose="turn",
                repetition=1,
            )
            reply = await models.complete(request)
            if not reply.tool_calls:
                return reply.text
            messages.append(AgentMessage(text=reply.text, tool_calls=reply.tool_calls))
            for made in reply.tool_calls:
                messages.append(
                    ToolResult(call_id=made.id, tool_id=made.name, content={"code": f"code-{item}"})
                )

    async def worker(models: Models) -> None:
        nonlocal right
        for item in waiting:
            right += await turn(models, item) == f"code-{item}"

    async with Models(config) as models:
        with Stopwatch() as watch:
            await asyncio.gather(*(worker(models) for _ in range(concurrency)))
    return Measured(watch.wall, watch.cpu, right)


async def add_comparison(
    workbench: LocalWorkbench,
    config: ModelsConfig,
    concurrency: int,
    tools: bool,
    repetitions: int = 1,
) -> str:
    """A pending comparison on the workspace's test set, with no stored replies; gives its id."""
    agent = "bench.tools" if tools else "bench.plain"
    project = (await workbench.projects.get()).id
    request = ComparisonRequest(
        test_set_id=f"{agent}.set",
        project_id=project,
        agent_id=agent,
        subject_version="0.1.0",
        concurrency=concurrency,
        repetitions=repetitions,
    )

    def insert(connection: sqlite3.Connection) -> str:
        connection.execute("DELETE FROM replies")
        checked = check_start(connection, request, config)
        return comparisons.insert_comparison(
            connection, checked.request, checked.version_seq, "judge", len(checked.cases)
        )

    return await workbench.access.database.write(insert)


async def engine_run(
    workbench: LocalWorkbench,
    folder: Path,
    config: ModelsConfig,
    concurrency: int,
    tools: bool,
    repetitions: int = 1,
) -> Measured:
    """One comparison in this process, from claiming it to its stored result."""
    identity = await add_comparison(workbench, config, concurrency, tools, repetitions)
    with Stopwatch() as watch:
        await run_comparison(workbench.access.database, folder, identity, config)
    return Measured(watch.wall, watch.cpu, right_answers(await workbench.comparisons.get(identity)))


def right_answers(comparison: Comparison) -> int:
    """How many replays gave the answer people said yes to."""
    result = comparison.result
    cases = result.get("perCase") if isinstance(result, dict) else None
    scores = [
        score
        for case in (cases if isinstance(cases, list) else [])
        if isinstance(case, dict) and isinstance(case.get("candidate"), list)
        for score in case["candidate"]  # type: ignore[union-attr]
    ]
    return sum(1 for score in scores if isinstance(score, dict) and score.get("yesWeight") == 1)


def memory_kb(field: str = "RssAnon") -> int:
    """A line of this process's memory (`RssAnon`: what it allocated itself), in KB; Linux alone."""
    with Path(f"/proc/{os.getpid()}/status").open() as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field + ":"))


@contextlib.contextmanager
def model_server(latency_ms: float, tools: bool) -> Iterator[str]:
    """The address of a model server in a process of its own: the shared benchmark's where it is, else the tests'."""
    shared = Path(__file__).resolve().parents[3] / "shared/bench/mock_model.py"
    if shared.exists():
        command = [sys.executable, str(shared), "--latency-ms", str(latency_ms)]
    else:
        command = [sys.executable, "-m", "tests.benchmarks.engine_workload", str(latency_ms)]
    command += ["--tool-turn"] if tools else []
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{json.loads(process.stdout.readline())['port']}/v1"
        finally:
            process.terminate()


async def _serve(latency_ms: float, tools: bool) -> None:
    """The tests' model server, answering as the benchmark's does."""

    def respond(received: Received) -> Answer:
        messages = received.body["messages"]
        asked = next(m["content"] for m in reversed(messages) if m["role"] == "user")
        item = int(asked.removesuffix("?").split()[-1])
        if tools and received.body.get("tools") and messages[-1]["role"] != "tool":
            return call(("bench_lookup", {"item": item}), delay=latency_ms / 1000)
        return say(f"code-{item}", delay=latency_ms / 1000)

    async with ModelServer() as server:
        server.respond = respond
        print(json.dumps({"port": server.port}), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1]), "--tool-turn" in sys.argv))
