"""What agents wrote, on the raw bytes of a terminal: only the renderer's own sequences come out, whatever is opened."""

import asyncio
from pathlib import Path

import pytest

from kindgi_tui.demo.make import make_demo
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.projects import Project
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.runs import RunDetail, Segment, Subject
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.store.values import from_ms
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from tests.hostile.corpus import strings
from tests.pty.terminal import Terminal, control_bytes, shapes, workbench

AGENT = "acme-ops.article-picker"


def _runs(project: Project) -> list[RunDetail]:
    """A run for each hostile text, which stands wherever an agent's words may stand."""
    runs = []
    for number, text in enumerate(strings().values()):
        text = text[:3000]
        call = {"id": "c1", "name": text[:80] or "x", "arguments": {"query": text}}
        runs.append(
            RunDetail(
                id=f"{number:08d}-aaaa-4aaa-8aaa-aaaaaaaaaaaa",
                project_id=project.id,
                subject=Subject(kind="agent", id=AGENT, version="0.1.0"),
                status="completed",
                created_at=from_ms(1_900_000_000_000 + number * 1000),
                segments=(Segment(key="from", value=text[:40] or "x"),),
                input=text,
                output={
                    "appended": [
                        {"role": "user", "content": text},
                        {"role": "agent", "content": {"text": text, "toolCalls": [call]}},
                        {
                            "role": "tool",
                            "content": {"r": text},
                            "toolCall": {"invocationId": "c1", "toolId": "x"},
                        },
                        {"role": "agent", "content": text or "x"},
                    ],
                    "output": {"l": [{"id": text[:60] or "x", "title": text}, text]},
                },
            )
        )
    return runs


async def _fill(folder: Path) -> None:
    await make_demo(folder)
    bench, _ = await open_local(folder)
    assert isinstance(bench, LocalWorkbench)
    project = await bench.projects.add("Hostile", "hostile")
    runs = _runs(project)
    await bench.runs.add(runs)
    for run in runs:
        item = output_items(run.output, True)[0]
        await bench.judgments.add(
            NewJudgment(
                run_id=run.id,
                item=ItemRef(key=item.key, pointer=item.pointer),
                verdict="no",
                reason=str(run.input)[:500],
            )
        )
    await bench.projects.use("hostile")
    await bench.test_sets.build(
        BuildRequest(
            test_set_id="hostile.picks",
            version="1.0.0",
            project_id=project.id,
            agent_id=AGENT,
            description="\x1b]52;c;aGk=\x07[@click=app.quit]x[/]",
        )
    )
    await bench.close()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "workspace"
    asyncio.run(_fill(folder))
    return folder


def test_no_word_of_an_agent_reaches_the_terminal_as_anything_but_words(
    hostile: Path, tmp_path: Path
) -> None:
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with Terminal(workbench(hostile), columns=120, rows=40, env=env) as terminal:
        count = len(strings())
        terminal.wait(f"{count} runs")
        for _ in range(count):
            terminal.keys("j")
        terminal.keys("home")
        for _ in range(0, count, 6):
            terminal.keys("enter", "o", "w", "escape", *"jjjjjj")
        terminal.wait("Runs ·")
        terminal.keys("g", "j")
        terminal.wait("Judge")
        for _ in range(0, count, 3):
            terminal.keys("o", "]", "enter", "j")
        terminal.keys("g", "t")
        terminal.wait("hostile.picks")
        terminal.keys("enter")
        terminal.wait("cases")
        for _ in range(count):
            terminal.keys("j")
        terminal.keys("escape", "b")
        terminal.read(0.5)
        terminal.keys("escape")
        terminal.read(0.3)
        terminal.keys("c")
        terminal.read(0.5)
        terminal.keys("ctrl+q")
        assert terminal.wait_end() == 0
        assert control_bytes(terminal.raw) <= {10, 13}
        found = shapes(terminal.raw)
        strings_out = {
            shape for shape in found if shape.startswith((b"\x1b]", b"\x1bP", b"\x1b_", b"\x1b^", b"\x1bX"))
        }
        assert strings_out <= {b"\x1b]#;default\x07"}
        others = {shape[-1:] for shape in found if shape.startswith(b"\x1b[")}
        # Styles, places, modes, the keyboard's protocol, and questions about the cursor: what Textual itself sends.
        assert others <= {b"m", b"H", b"h", b"l", b"u", b"p", b"n", b"t", b"J", b"K"}, others
