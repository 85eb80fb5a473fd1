"""A demo workspace made once, and the command line on a copy of it."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.cli.driving import Cli
from tests.workspaces import copy_workspace


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps the tests away from one's own workspace, keys and terminal."""
    for name in list(os.environ):
        if name.startswith("KINDGI_") or name.endswith("_API_KEY") or name in ("COLUMNS", "NO_COLOR"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture(scope="session")
def made_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's workspace, not to be written to."""
    from kindgi_tui.demo.make import make_demo

    folder = tmp_path_factory.mktemp("made") / "demo"
    asyncio.run(make_demo(folder))
    return folder


@pytest.fixture
def demo(made_demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line on a copy of the demo."""
    folder = tmp_path / "demo"
    copy_workspace(made_demo, folder)
    return Cli(folder, monkeypatch)


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line on a workspace that isn't there yet."""
    return Cli(tmp_path / "empty", monkeypatch)
