"""A real workspace file for each test."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.store.making import opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = opened(tmp_path / "workspace.db")
    yield connection
    connection.close()
