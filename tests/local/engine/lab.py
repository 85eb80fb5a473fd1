"""A workspace for tests of the engine: a pack with a tool for every rule, judged runs, a real model server.

Every tool writes a line into a witness file when its code runs, so a test sees what really ran.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison, ComparisonRequest
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.engine.planning import check_start
from kindgi_tui.local.engine.running import run_comparison
from kindgi_tui.local.models.config import load_models
from kindgi_tui.local.store import comparisons
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from tests.local.models.server import Answer, ModelServer, Received, call

PROJECT = """
[tool.kindgi.pack]
id = "lab"
version = "1.0.0"
[tool.kindgi.env]
optional = ["LAB_WITNESS", "TONE"]
"""

_TOOL = '''
@tool(id="lab.{name}", version="0.1.0", description="{name}.", {options})
def {name}(words: Words, ctx: ToolContext) -> dict:
    """{name}."""
    return done("{name}", words, ctx)
'''

_HEAD = """
import json, os, time
from pydantic import BaseModel
from kindgi import ToolContext, tool


class Words(BaseModel):
    text: str


def done(name, words, ctx):
    with open(os.environ["LAB_WITNESS"], "a") as witness:
        witness.write(json.dumps({"tool": "lab." + name, "text": words.text, "env": dict(ctx.env)}) + "\\n")
    if words.text.startswith("sleep "):
        time.sleep(float(words.text.split()[1]))
        with open(os.environ["LAB_WITNESS"], "a") as witness:
            witness.write(json.dumps({"tool": "lab." + name, "text": "woke after " + words.text[6:]}) + "\\n")
    if words.text.startswith("raise "):
        raise ValueError(words.text)
    return {"live": words.text}
"""

READS = 'mutating=False, effects=[{"kind": "reads"}]'

TOOLS = {
    "look": READS,
    "count": "mutating=False",
    "fetch": 'mutating=False, effects=[{"kind": "reads"}, {"kind": "network"}]',
    "leak": 'mutating=False, effects=[{"kind": "sensitive-data-egress"}]',
    "note": 'mutating=True, effects=[{"kind": "writes"}]',
    "silent": 'mutating=False, effects=[{"kind": "writes"}]',
    "plain": 'effects=[{"kind": "reads"}]',
    "approve": "mutating=False, needs_approval_when_unattended=True",
    "tone": f'{READS}, needs_spec={{"env": {{"TONE": {{"type": "string"}}}}}}',
}
"""Every tool's name, and how it is declared."""

READ_ONLY = ("look", "count", "tone")
"""The tools that a replay may run."""

CHANGING = ("note", "silent", "plain", "approve", "fetch", "leak")
"""The tools that a replay never runs."""

_AGENTS = """
from kindgi import Agent
from ..tools.every import {names}

USES = [{{"needs": [{{"feature": "tool-use"}}]}}]
ALL = ["invalid-arguments", "unknown-tool", "tool-error"]


def clerk(version, **more):
    return Agent(id="lab.clerk", version=version, name="Clerk", instructions="Help, as " + version + ".",
                 capabilities=USES, tools=[{names}], preferred_provider="local", preferred_model="mock", **more)


recorded = clerk("0.1.0")
patient = clerk("0.2.0", tool_errors={{"maxRetries": 10, "retryOn": ALL}})
typed = clerk("0.3.0", output={{"name": "picks", "maxRepairs": 1, "schema": {{
    "type": "object", "required": ["picks"], "properties": {{"picks": {{"type": "array", "items": {{
        "type": "object", "required": ["id"], "properties": {{"id": {{"type": "string"}}}}}}}}}}}}}})
brief = clerk("0.4.0", budget={{"maxSteps": 2}}, tool_errors={{"maxRetries": 10, "retryOn": ALL}})
quick = clerk("0.6.0", budget={{"maxWallMs": 300}})
thrifty = clerk("0.7.0", budget={{"maxCostUsd": 0.001}})
hasty = clerk("0.8.0", tool_errors={{"maxRetries": 1, "retryOn": ["tool-error"]}})
"""

PACK = {
    "pyproject.toml": PROJECT,
    "tools/every.py": _HEAD + "".join(_TOOL.format(name=n, options=o) for n, o in TOOLS.items()),
    "agents/clerk.py": _AGENTS.format(names=", ".join(TOOLS)),
}

Step = Sequence[tuple[str, Json]]
"""The tool calls of one message, by tool name (without the pack) and arguments."""


@dataclass(frozen=True)
class Recorded:
    """One recorded call."""

    tool: str
    arguments: Json
    result: Json
    failed: bool = False


@dataclass
class Lab:
    """One workspace of a test."""

    folder: Path
    workbench: LocalWorkbench
    server: ModelServer
    project: str
    witness: Path
    made: int = 0
    versions: int = 0
    runs: list[str] = field(default_factory=list)

    def witnessed(self) -> list[dict[str, Any]]:
        """What the tools' code wrote when it ran, in order."""
        if not self.witness.exists():
            return []
        return [json.loads(line) for line in self.witness.read_text().splitlines()]

    def models(self, text: str = "free = true") -> None:
        """Configures the model server; `text` are more lines of its table."""
        (self.folder / "models.toml").write_text(
            f'[providers.local]\nbase_url = "{self.server.url}"\ntimeout_s = 5\n{text}\n'
        )

    def says(self, *answers: Answer) -> None:
        """In every turn the model gives these answers, in order, the last one again and again."""
        self.server.respond = lambda received: answers[min(place_of(received), len(answers) - 1)]

    async def judged(
        self,
        *calls: Recorded,
        question: str | None = None,
        answer: str = "the recorded answer",
        output: Json = None,
        context: dict[str, Json] | None = None,
        verdict: Any = "yes",
        judged: Sequence[tuple[str, str, int | None, Any]] = (),
        version: str = "0.1.0",
    ) -> str:
        """A recorded run of a version with these calls, judged; gives its id.

        `output` makes it a typed one; `judged` are items as (key, pointer, rank, verdict) in place of the answer.
        """
        self.made += 1
        run_id = f"00000000-0000-4000-8000-{self.made:012d}"
        asked = question or f"question {self.made}"
        appended: list[Json] = [{"role": "user", "content": asked}]
        for number, made in enumerate(calls):
            told: dict[str, Json] = {
                "id": f"c{number}",
                "name": f"lab.{made.tool}",
                "arguments": made.arguments,
            }
            appended.append({"role": "agent", "content": {"text": "", "toolCalls": [told]}})
            back: dict[str, Json] = {"toolId": f"lab.{made.tool}", "invocationId": f"c{number}"}
            if made.failed:
                back["failed"] = True
            appended.append({"role": "tool", "content": made.result, "toolCall": back})
        appended.append({"role": "agent", "content": answer})
        whole: dict[str, Json] = {"appended": appended}
        if output is not None:
            whole["output"] = output
        at = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(minutes=self.made)
        run = RunDetail(
            id=run_id,
            project_id=self.project,
            subject=Subject(kind="agent", id="lab.clerk", version=version),
            status="completed",
            created_at=at,
            completed_at=at,
            input=asked,
            output=whole,
            context=context or {},
        )
        items = judged or [("answer", f"/appended/{len(appended) - 1}/content", None, verdict)]
        said = [
            (
                NewJudgment(run_id=run_id, item=ItemRef(key=key, pointer=pointer, rank=rank), verdict=each),
                "judge",
                at,
            )
            for key, pointer, rank, each in items
        ]
        await self.workbench.runs.add([run], said)
        self.runs.append(run_id)
        return run_id

    async def build(self) -> str:
        """A new version of the test set with every judged run."""
        self.versions += 1
        version = f"1.0.{self.versions}"
        await self.workbench.test_sets.build(
            BuildRequest(
                test_set_id="lab.set", version=version, project_id=self.project, agent_id="lab.clerk"
            )
        )
        return version

    def request(self, version: str = "0.2.0", **more: Any) -> ComparisonRequest:
        """A comparison of a version on the newest version of the test set."""
        return ComparisonRequest(
            test_set_id="lab.set",
            project_id=self.project,
            agent_id="lab.clerk",
            subject_version=version,
            **more,
        )

    async def pending(self, version: str = "0.2.0", **more: Any) -> str:
        """A comparison that was asked for and waits for whoever runs it; gives its id."""
        if not self.versions:
            await self.build()
        request = self.request(version, **more)
        config = load_models(self.folder, environment={})

        def insert(connection: Any) -> str:
            checked = check_start(connection, request, config)
            return comparisons.insert_comparison(
                connection, checked.request, checked.version_seq, "judge", len(checked.cases)
            )

        return await self.workbench.access.database.write(insert)

    async def run(self, identity: str) -> Comparison:
        """Runs a pending comparison in this process, and gives it as it stands then."""
        config = load_models(self.folder, environment={})
        await run_comparison(self.workbench.access.database, self.folder, identity, config)
        return await self.workbench.comparisons.get(identity)

    async def compare(self, version: str = "0.2.0", **more: Any) -> Comparison:
        """A whole comparison in this process."""
        return await self.run(await self.pending(version, **more))

    async def reopened(self, identity: str) -> Comparison:
        """A failed or cancelled comparison, run on to its end in this process."""
        await self.workbench.access.database.write(lambda c: comparisons.reopen(c, identity))
        return await self.run(identity)

    async def ten(self) -> None:
        """Ten judged runs: `question 0` to `question 9`, every third with a no, the others with a yes."""
        for number in range(10):
            await self.judged(question=f"question {number}", verdict="yes" if number % 3 else "no")

    async def until(self, identity: str, finished: int) -> None:
        """Waits until that many repetitions of a comparison finished; at most 20 seconds."""
        for _ in range(2000):
            if (await self.workbench.comparisons.get(identity)).progress.finished >= finished:
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"fewer than {finished} repetitions finished")

    async def replays(self, identity: str) -> list[RunDetail]:
        """The replay runs of a comparison, by the case and then the order of recording."""

        def ids(connection: Any) -> list[str]:
            rows = connection.execute(
                "SELECT id FROM runs WHERE comparison = ? ORDER BY replay_of, seq", (identity,)
            )
            return [row[0] for row in rows]

        found = await self.workbench.access.read(ids)
        return [await self.workbench.runs.get(each) for each in found]


def place_of(received: Received) -> int:
    """Which of the model's answers in the turn a request asks for, from 0."""
    messages = received.body["messages"]
    last = max(
        i for i, m in enumerate(messages) if m["role"] == "user" and "Answer again" not in m["content"]
    )
    return sum(1 for message in messages[last:] if message["role"] == "assistant")


def question_of(received: Received) -> str:
    """The user's message a request answers."""
    said = [m["content"] for m in received.body["messages"] if m["role"] == "user"]
    return str(said[-1])


def calls(*made: tuple[str, Json], **more: Any) -> Answer:
    """The model calls these tools (by name, without the pack) in one message."""
    return call(*((f"lab_{name}", arguments) for name, arguments in made), **more)


def seen_results(received: Received) -> list[str]:
    """What a request's tool messages say, in order."""
    return [m["content"] for m in received.body["messages"] if m["role"] == "tool"]


def cases_of(comparison: Comparison) -> list[dict[str, Any]]:
    """The result's cases."""
    result: Any = comparison.result
    return list(result["perCase"])


def summary_of(comparison: Comparison) -> dict[str, Any]:
    """The result's summary."""
    result: Any = comparison.result
    found: dict[str, Any] = result["summary"]
    return found


def ours_of(comparison: Comparison) -> dict[str, Any]:
    """What we add to the wire's result."""
    result: Any = comparison.result
    found: dict[str, Any] = result["ours"]
    return found


def metric_of(comparison: Comparison, name: str = "weightedYesShare") -> tuple[Any, Any]:
    """A metric's baseline and candidate."""
    metric = summary_of(comparison)["metrics"][name]
    return metric["baseline"], metric["candidate"]


def tools_of(comparison: Comparison, case: int = 0) -> list[dict[str, Any]]:
    """The tool calls of a case's first repetition."""
    return list(cases_of(comparison)[case].get("tools", ()))


async def publish(folder: Path) -> None:
    """Makes the workspace every test's is a copy of."""
    pack = folder.with_name("lab-pack")
    for name, text in PACK.items():
        path = pack / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    workbench, _ = await open_local(folder)
    try:
        await workbench.packs.publish(pack)
    finally:
        await workbench.close()


Scripted = Callable[[Received], Answer]
"""What a model server answers by."""
