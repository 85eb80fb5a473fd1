"""`kindgi-tui backup`: a consistent copy of the workspace's file, while it is in use."""

from pathlib import Path

import click

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.parameters import FILE
from kindgi_tui.cli.shared_options import as_verb


@click.argument("file", type=FILE)
async def backup(call: Call, file: Path) -> None:
    """Writes a consistent copy of what the workspace stores to FILE, which must not exist yet.

    Put it back as `workspace.db` of a folder to use it; published packs are in the folder's `packs`.
    """
    await call.bench.backup(file)
    size = _size(file)
    if call.json:
        call.out.json({"file": str(file), "bytes": size})
    else:
        call.out.line(f"Copied {call.bench.where} to {file} ({size:,} bytes).")


def _size(file: Path) -> int:
    return file.stat().st_size


noun = as_verb("backup", example="kindgi-tui backup workspace-2026-11-30.db")(backup)
