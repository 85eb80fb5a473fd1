"""The pictures of every screen, made from the demo with what changes from run to run held still."""

import asyncio
import os
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from kindgi_tui.opening import Target
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.profile import Profile
from tests.tui.conftest import until
from tests.workspaces import copy_workspace

SIZES = ((80, 24), (160, 48))
"""The sizes every picture is made at."""

PERSON = "mira"
"""Who is acting in the pictures."""

NOW_MS = 1_762_000_000_000
"""What the clock stands at in the pictures (2025-11-01 12:26:40 UTC)."""

LOCAL = Profile("local", ansi=False, mouse=True, panel_hz=4.0, colour=True)

Steps = Callable[[WorkbenchApp, Pilot[None]], Awaitable[None]]


def hold_still(folder: Path) -> None:
    """Sets the times and ids of what was made just now to fixed ones."""
    connection = sqlite3.connect(folder / "workspace.db")
    with connection:
        connection.execute("UPDATE test_set_versions SET created = ?", (NOW_MS,))
        connection.execute("UPDATE groups SET created = ?", (NOW_MS,))
        connection.execute(
            "UPDATE audit SET at = ? + id * 1000, actor = CASE WHEN actor IN ('mira', 'jonas') THEN actor "
            "ELSE 'mira' END",
            (NOW_MS,),
        )
        connection.execute(
            "UPDATE comparisons SET created = ?, completed = ?", (NOW_MS + 60_000, NOW_MS + 61_500)
        )
        for number, (identity,) in enumerate(
            connection.execute("SELECT id FROM comparisons ORDER BY seq").fetchall()
        ):
            fixed = f"{number + 1:08d}-0000-4000-8000-000000000000"
            connection.execute(
                "UPDATE comparisons SET id = ?1, result = replace(result, ?2, ?1) WHERE id = ?2",
                (fixed, identity),
            )
            connection.execute("UPDATE runs SET comparison = ? WHERE comparison = ?", (fixed, identity))
            connection.execute("UPDATE audit SET subject = ? WHERE subject = ?", (fixed, identity))
        replays = connection.execute(
            "SELECT id FROM runs WHERE is_replay = 1 ORDER BY comparison, replay_of"
        ).fetchall()
        for number, (identity,) in enumerate(replays):
            fixed = f"{number + 1:08d}-1111-4111-8111-111111111111"
            connection.execute(
                "UPDATE runs SET id = ?, created = ?, completed = ? WHERE id = ?",
                (fixed, NOW_MS + 60_000 + number, NOW_MS + 61_000 + number, identity),
            )
            connection.execute("UPDATE repetitions SET run = ? WHERE run = ?", (fixed, identity))
            connection.execute("UPDATE comparisons SET result = replace(result, ?, ?)", (identity, fixed))
    connection.close()


@asynccontextmanager
async def standing(
    folder: Path, size: tuple[int, int], screen: str, **given: Any
) -> AsyncIterator[tuple[WorkbenchApp, Pilot[None]]]:
    """The app on a copy of the workspace called `demo`, in UTC, as the pictures' person."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    place = folder.parent / "demo"
    if not place.exists():
        copy_workspace(folder, place)
    app = WorkbenchApp(
        Target(workspace=place, person=PERSON), LOCAL, state_folder=folder.parent / "pictures-state", **given
    )
    async with app.run_test(size=size) as pilot:
        await until(lambda: type(app.screen).__name__ == screen, pilot)
        yield app, pilot


async def settled_picture(app: WorkbenchApp, pilot: Pilot[None]) -> str:
    """The picture once nothing moves any more."""
    last, same = "", 0
    for _ in range(200):
        await pilot.pause()
        now = picture_of(app)
        same = same + 1 if now == last else 0
        if same == 5:
            break
        last = now
        await asyncio.sleep(0.08)
    return last


def picture_of(app: WorkbenchApp) -> str:
    """The screen as SVG, without what a renderer's version writes into it, and without outside fonts."""
    svg = app.export_screenshot(title="kindgi-tui")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL).strip() + "\n"
