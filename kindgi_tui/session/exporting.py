"""Writing what a list holds to a file, a page at a time."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from kindgi_tui.text import dumps_line
from kindgi_tui.wire import v04
from kindgi_tui.workbench import Conflict, Unavailable

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

PAGE = 100
"""How many cases are read at once."""


async def export_cases(workbench: "Workbench", test_set_id: str, version: str, path: Path) -> int:
    """Writes a version's cases to a new file as JSON, one a line; gives how many.

    Raises Conflict, Unavailable, NotFound.
    """
    page = await workbench.test_sets.cases(test_set_id, version, PAGE)
    written = 0
    try:
        file = await asyncio.to_thread(path.open, "x", encoding="ascii")
    except FileExistsError:
        raise Conflict(f"{path} is there already: give another name.", code="file-exists") from None
    except (OSError, ValueError) as cause:
        raise _unwritable(path, cause) from cause
    try:
        with file:
            while True:
                lines = [dumps_line(v04.case(case)) + "\n" for case in page.data]
                await asyncio.to_thread(file.writelines, lines)
                written += len(lines)
                if not page.has_more:
                    return written
                page = await workbench.test_sets.cases(test_set_id, version, PAGE, page.next_cursor)
    except OSError as cause:
        raise _unwritable(path, cause) from cause


def _unwritable(path: Path, cause: OSError | ValueError) -> Unavailable:
    reason = cause.strerror if isinstance(cause, OSError) else None
    return Unavailable(f"{path} can't be written: {reason or cause}.", code="machine-file")
