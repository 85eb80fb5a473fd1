"""Workspaces made once a session, and servers on copies of them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from kindgi_tui.demo.make import make_demo
from tests.server.running import AGENT, Served, copied, make_three_runs, serving


@pytest.fixture(scope="session")
def demo_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's workspace, not to be written to."""
    folder = tmp_path_factory.mktemp("served") / "demo"
    asyncio.run(make_demo(folder))
    return folder


@pytest.fixture(scope="session")
def three_runs(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with three runs nobody judged, not to be written to."""
    folder = tmp_path_factory.mktemp("three") / "workspace"
    asyncio.run(make_three_runs(folder, demo_made))
    return folder


@pytest.fixture(scope="session")
def served(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server on a copy of the demo, with its test set `acme.picks` built; tests keep out of each other's way."""
    with serving(copied(demo_made, tmp_path_factory.mktemp("copy") / "demo")) as server:
        body = {"version": "1.0.0", "projectId": server.project(), "agentId": AGENT}
        server.good("POST", "/v1/eval-suites/acme.picks/versions/from-judgments", body, 201)
        yield server
