"""Real packs, written into temporary folders."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from kindgi_tui.local.packs.publishing import FILES, INDEX, index_pack, install_snapshot
from kindgi_tui.local.packs.service import PackService

MakePack = Callable[[dict[str, str]], Path]

PROJECT = """
    [tool.kindgi.pack]
    id = "acme"
    version = "1.2.3"
    [tool.kindgi.env]
    optional = ["ACME_REGION"]
"""

TOOLS = '''
    import asyncio, os, sys, time
    from pydantic import BaseModel, Field
    from kindgi import ToolContext, tool

    class Words(BaseModel):
        text: str = Field(min_length=1)
        size: int = 0

    class Said(BaseModel):
        text: str

    READS = {"mutating": False, "effects": [{"kind": "reads", "resource": "words"}]}

    @tool(id="acme.echo", version="0.1.0", **READS)
    def echo(words: Words, ctx: ToolContext) -> Said:
        """Says it again."""
        print("echoing", words.text)
        return Said(text=words.text * max(1, words.size))

    @tool(id="acme.raise", **READS)
    def fail(words: Words) -> Said:
        """Raises."""
        raise ValueError(words.text)

    @tool(id="acme.hang", **READS)
    def hang(words: Words, ctx: ToolContext) -> Said:
        """Waits until it is cancelled."""
        ctx.cancellation.wait(60)
        return Said(text="late")

    @tool(id="acme.block", **READS)
    async def block(words: Words) -> Said:
        """Blocks the whole service."""
        time.sleep(60)
        return Said(text="late")

    @tool(id="acme.env", needs_spec={"env": {"TONE": {"type": "string"}}}, **READS)
    def env(words: Words, ctx: ToolContext) -> dict:
        """What it is sent."""
        return {"call": dict(ctx.env), "region": os.environ.get("ACME_REGION"), "run": ctx.run_id,
                "project": ctx.project_id, "key": os.environ.get("OPENAI_API_KEY"),
                "token": os.environ.get("KINDGI_PACK_SERVICE_TOKEN"), "pid": os.getpid()}

    @tool(id="acme.die", **READS)
    def die(words: Words) -> Said:
        """Ends the process."""
        os.kill(os.getpid(), 9)
        return Said(text="")

    @tool(id="acme.noise", **READS)
    def noise(words: Words) -> Said:
        """Prints a lot."""
        for _ in range(words.size):
            print("x" * 1_000_000)
            print("y" * 1_000_000, file=sys.stderr)
        return Said(text="quiet")

    @tool(id="acme.spawn", **READS)
    def spawn(words: Words) -> dict:
        """Starts a process and leaves it."""
        import subprocess
        return {"pid": subprocess.Popen(["sleep", "600"]).pid}

    @tool(id="acme.odd", **READS)
    def odd(words: Words) -> dict:
        """Returns what is hard to send."""
        return {"nan": {"value": float("nan")}, "half": {"value": "\\ud800"}, "null": {"value": None}}[words.text]

    @tool(id="acme.write", effects=[{"kind": "writes", "resource": "file"}])
    def write(words: Words) -> Said:
        """Changes things."""
        return Said(text="written")
'''

AGENT = """
    from kindgi import Agent
    from ..tools.words import echo

    speaker = Agent(
        id="acme.speaker", version="0.1.0", name="Speaker", instructions="Say it.",
        tools=[echo, {"id": "acme.other", "version": "^2.0.0"}],
        output={"schema": {"type": "object"}, "name": "said", "maxRepairs": 2},
        budget={"maxSteps": 4, "maxCostUsd": 0.5}, preferred_provider="local", preferred_model="small",
        tool_errors={"maxRetries": 3, "retryOn": ["tool-error"]}, conversation_policy={"historyLimit": 9},
    )
"""

PACK = {"pyproject.toml": PROJECT, "tools/words.py": TOOLS, "agents/speaker.py": AGENT}


def write_files(folder: Path, files: dict[str, str]) -> Path:
    for place, text in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder


@pytest.fixture
def make_pack(tmp_path: Path) -> MakePack:
    """Writes the pack above with these files besides or instead; an empty text leaves a file out."""
    made = 0

    def make(files: dict[str, str]) -> Path:
        nonlocal made
        made += 1
        chosen = {place: text for place, text in (PACK | files).items() if text}
        return write_files(tmp_path / f"pack{made}", chosen)

    return make


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pack above, published once for every test."""
    import asyncio

    folder = write_files(tmp_path_factory.mktemp("pack"), PACK)
    with asyncio.run(index_pack(folder)) as indexed:
        return install_snapshot(indexed, tmp_path_factory.mktemp("packs"))


@pytest.fixture
def service(snapshot: Path, tmp_path: Path) -> PackService:
    """A service of it, not started; the test is its context."""
    return PackService(
        snapshot / FILES,
        snapshot / INDEX,
        env={"ACME_REGION": "north"},
        log_path=tmp_path / "service.log",
        name="acme",
    )
