"""The lab's workspace and the demo's, made once a session and copied for each test."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from kindgi_tui.demo.make import make_demo
from kindgi_tui.local.workbench import open_local
from tests.local.engine.lab import Lab, publish
from tests.local.models.server import ModelServer
from tests.workspaces import copy_workspace


@pytest.fixture(scope="session")
def lab_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lab's workspace, to copy."""
    folder = tmp_path_factory.mktemp("lab") / "workspace"
    asyncio.run(publish(folder))
    return folder


@pytest_asyncio.fixture
async def lab(lab_template: Path, tmp_path: Path) -> AsyncIterator[Lab]:
    """A workspace with the lab's pack and a model server that is configured in it."""
    folder = tmp_path / "workspace"
    copy_workspace(lab_template, folder)
    workbench, _ = await open_local(folder)
    async with ModelServer() as server:
        project = (await workbench.projects.get()).id
        made = Lab(folder, workbench, server, project, tmp_path / "witness.jsonl")
        await workbench.packs.set_env("lab", "LAB_WITNESS", str(made.witness))
        made.models()
        try:
            yield made
        finally:
            await workbench.close()


@pytest.fixture(scope="session")
def demo_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's workspace, to copy."""
    folder = tmp_path_factory.mktemp("demo") / "workspace"
    asyncio.run(make_demo(folder))
    return folder


@pytest.fixture
def demo(demo_template: Path, tmp_path: Path) -> Path:
    """A copy of the demo's workspace."""
    folder = tmp_path / "demo"
    copy_workspace(demo_template, folder)
    return folder
