"""Opening a workbench: the only place that knows both kinds (DESIGN section 3)."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from kindgi_tui.domain.base import Frozen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from kindgi_tui.domain.catalog import Published
    from kindgi_tui.workbench import Workbench, WorkbenchError

WORKSPACE_VARIABLE = "KINDGI_TUI_WORKSPACE"
"""The environment variable that names the workspace folder."""


class Target(Frozen):
    """Which workbench to open, and as whom."""

    workspace: Path | None = None
    """The workspace folder; None: the environment's, else the user data directory's."""
    person: str | None = None
    """Who is acting; None: the login name."""


class Opened(Frozen):
    """What opening found."""

    folder: Path
    """The workspace folder."""
    created: bool
    """Whether it was made just now."""


def workspace_folder(target: Target) -> Path:
    """The folder a target names: given, else `KINDGI_TUI_WORKSPACE`, else in the user data directory."""
    if target.workspace is not None:
        return target.workspace.expanduser().absolute()
    named = os.environ.get(WORKSPACE_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    return data_folder() / "workspace"


def demo_folder() -> Path:
    """Where the demo's workspace stands, apart from one's own."""
    return data_folder() / "demo"


def data_folder() -> Path:
    """The user data directory of kindgi-tui."""
    import platformdirs

    return Path(platformdirs.user_data_dir("kindgi-tui"))


async def open_workbench(target: Target) -> tuple["Workbench", Opened]:
    """Opens the workspace, made with mode 0700 when it is missing. Raises the errors of `workbench`."""
    from kindgi_tui.local.workbench import open_local

    folder = workspace_folder(target)
    workbench, created = await open_local(folder, target.person)
    return workbench, Opened(folder=folder, created=created)


def init_pack(folder: Path, name: str) -> tuple[Path, ...]:
    """Writes a small pack that works into an empty or new folder; gives its files. Raises Invalid, Conflict."""
    from kindgi_tui.local.packs.scaffold import init_pack as write

    return write(folder, name)


async def watch_pack(
    folder: Path, publish: "Callable[[Path], Awaitable[Published]]"
) -> "AsyncIterator[Published | WorkbenchError]":
    """Publishes a pack's folder now and at every save: what each publish came to, or why it was refused."""
    import asyncio

    from kindgi_tui.local.packs.watching import PublishedAgain, Refused, watch

    async for event in watch(folder, publish, asyncio.Event()):
        if isinstance(event, PublishedAgain):
            yield event.result
        elif isinstance(event, Refused):
            yield event.error


def store_damage(target: Target) -> str | None:
    """What is wrong with the workspace's file, in SQLite's words; None when it is whole or not there."""
    from kindgi_tui.local.workbench import FILE_NAME
    from kindgi_tui.storage.checking import damage

    file = workspace_folder(target) / FILE_NAME
    return damage(file) if file.is_file() else None


def network_file_system(folder: Path) -> str | None:
    """The kind of network file system a folder is on; None on a local disk."""
    from kindgi_tui.storage.filesystem import network_type

    return network_type(folder)
