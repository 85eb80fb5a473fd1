"""What the tests of the official client and command line start from."""

import asyncio
from pathlib import Path

import pytest

from kindgi_tui.demo.make import make_demo


@pytest.fixture(scope="session")
def made_demo_for_clients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's workspace, not to be written to."""
    folder = tmp_path_factory.mktemp("clients") / "demo"
    asyncio.run(make_demo(folder))
    return folder
