"""Opening a workbench: the only place that knows both kinds (DESIGN section 3)."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from kindgi_tui.domain.base import Frozen

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

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
