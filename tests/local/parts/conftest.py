"""A real workspace, opened as its admin, and as anybody else."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from kindgi_tui.domain.projects import Right
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from tests.local.store.making import person

As = Callable[[str, Right], Awaitable[LocalWorkbench]]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[LocalWorkbench]:
    opened, made = await open_local(tmp_path / "w")
    assert made
    yield opened
    await opened.close()


@pytest.fixture
async def opened_as(bench: LocalWorkbench, tmp_path: Path) -> AsyncIterator[As]:
    """Opens the workspace as somebody with a right, added when new."""
    opened: list[LocalWorkbench] = []

    async def as_person(name: str, right: Right) -> LocalWorkbench:
        await bench.people.add(person(name, right))
        theirs, _ = await open_local(tmp_path / "w", name)
        opened.append(theirs)
        return theirs

    yield as_person
    for each in opened:
        await each.close()
