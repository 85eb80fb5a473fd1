"""What is loaded until the first rows are shown: no model library, no server, no HTTP client, no Kindgi client."""

import subprocess
import sys
from pathlib import Path

from kindgi_tui.workbench import Page

PROGRAM = """
import asyncio, sys
from pathlib import Path

from kindgi_tui.workbench import Page
from kindgi_tui.opening import Target
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.widgets.line_list import LineList

async def main():
    app = WorkbenchApp(Target(workspace=Path(sys.argv[1])), state_folder=Path(sys.argv[2]))
    loaded = []
    show = LineList.show
    def shown(self, *given, **named):
        loaded.append(sorted(sys.modules))
        return show(self, *given, **named)
    LineList.show = shown
    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(500):
            await pilot.pause(0.02)
            if loaded:
                break
    print("\\n".join(loaded[0]))

asyncio.run(main())
"""

HEAVY = {
    "aiohttp", "anthropic", "httpcore", "httpx", "jsonschema", "kindgi", "markdown_it", "openai", "pygments.lexers",
    "starlette", "uvicorn",
}  # fmt: skip
"""What costs more than it is worth before there is anything to see."""

NOT_YET = {
    "kindgi_tui.demo.make", "kindgi_tui.domain.scoring", "kindgi_tui.local.engine.running",
    "kindgi_tui.local.imports.reading", "kindgi_tui.local.models.asking", "kindgi_tui.local.packs.publishing",
    "kindgi_tui.remote.workbench", "kindgi_tui.server.app", "kindgi_tui.session.correcting",
    "kindgi_tui.tui.screens.comparison.screen", "kindgi_tui.tui.screens.correct.screen",
    "kindgi_tui.tui.screens.judge.screen",
}  # fmt: skip
"""Rooms of ours that the first screen does not need."""


def test_nothing_heavy_is_loaded_before_the_first_rows(demo: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(demo), str(tmp_path / "state")],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "kindgi_tui.tui.screens.runs.screen" in loaded
    assert loaded & HEAVY == set()
    assert loaded & NOT_YET == set()


def test_no_model_is_made_for_each_kind_of_a_pages_rows() -> None:
    """`Page[Run]` in a signature is for readers and type checkers: it costs nothing where it is read."""
    named: list[object] = [Page[int], Page[str]]
    assert all(one is Page for one in named)
    assert Page[int](data=(1,), has_more=False).data == (1,)


def test_no_installed_package_is_asked_for_plugins_of_models() -> None:
    """Looking for them reads the metadata of every installed package, which takes longer than opening a workspace."""
    asks = """
import importlib.metadata, os, sys
from pydantic.plugin import _loader

def asked(**about):
    raise AssertionError("packages were looked through")

_loader.entry_points = asked
sys.argv = ["kindgi-tui", "--version"]
from kindgi_tui.cli.entry import main
main()
from kindgi_tui.domain.projects import Person
Person.model_rebuild()
print(os.environ["PYDANTIC_DISABLE_PLUGINS"])
"""
    done = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[-1:]) == (0, ["__all__"]), done.stderr
