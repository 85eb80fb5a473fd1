"""Where the details of something unexpected go: a file only its owner can read, never the screen."""

import contextlib
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

FOLDER = "logs"
"""The folder inside a workspace that logs go to."""

_workspace: list[Path] = []


def remember_workspace(folder: Path) -> None:
    """Says which workspace the command works in, so that its log goes there."""
    _workspace[:] = [folder]


def write(details: str) -> Path | None:
    """Writes the details down, in the workspace where there is one, else among temporary files.

    None when neither can be written.
    """
    name = f"kindgi-tui-{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}.log"
    folders = [folder / FOLDER for folder in _workspace if folder.is_dir()]
    for folder in [*folders, Path(tempfile.gettempdir())]:
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            path = folder / name
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(details)
            return path
    return None
