"""Runtimes to work at: the fake one for faults, and remote workbenches on it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from kindgi_tui.remote import sending, transport
from kindgi_tui.remote.transport import Limits
from kindgi_tui.remote.workbench import RemoteWorkbench, open_remote
from tests.remote.fake_runtime import TOKEN, FakeRuntime

Opener = Callable[..., Awaitable[RemoteWorkbench]]


@pytest.fixture
def runtime() -> Iterator[FakeRuntime]:
    made = FakeRuntime()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses are short here, and a proxy of the environment is out of the way."""
    monkeypatch.setattr(sending, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(sending, "LONGEST_PAUSE", 0.05)
    monkeypatch.setattr(transport, "_pause", lambda attempt: 0.01)


@pytest.fixture
async def opener(tmp_path: Path) -> AsyncIterator[Opener]:
    opened: list[RemoteWorkbench] = []

    async def open_one(
        address: str,
        *,
        token: str = TOKEN,
        patient: bool = False,
        folder: Path | None = None,
        silence: float = 0.5,
    ) -> RemoteWorkbench:
        made = await open_remote(
            address,
            SecretStr(token),
            folder or tmp_path / "outbox",
            patient=patient,
            limits=Limits(connect=0.5, silence=silence, whole=1.5),
        )
        await made.outbox.begin()
        opened.append(made)
        return made

    yield open_one
    for one in opened:
        await one.close()
