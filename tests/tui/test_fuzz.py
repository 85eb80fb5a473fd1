"""Random keys on random sizes: nothing crashes, and what was judged is what is stored."""

import random
from pathlib import Path

import pytest
from textual.geometry import Size

from tests.tui.conftest import running

KEYS = (
    *"abcdefghijklmnopqrstuvwxyzGJNPRSWXY0123456789[]/?", "enter", "escape", "tab", "backspace", "space",
    "up",
    "down", "left", "right", "home", "end", "pageup", "pagedown", "f2", "ctrl+p",
)  # fmt: skip
"""Every key a person may press by mistake; not the one that leaves."""

EDITS = ("W",)
"""Keys that open another program; they have tests of their own."""


async def press(demo: Path, seed: int, count: int) -> None:
    chance = random.Random(seed)
    keys = [key for key in KEYS if key not in EDITS]
    size = (chance.choice((40, 61, 80, 120, 200)), chance.choice((10, 24, 40, 60)))
    async with running(demo, size) as (app, pilot):
        for number in range(count):
            await pilot.press(chance.choice(keys))
            if number % 40 == 39:
                width, height = chance.randint(20, 200), chance.randint(5, 60)
                await pilot.resize_terminal(width, height)
            if not app.is_running:
                break
        assert app.is_running or app.return_code == 0
        assert app._exception is None
        assert app.size == Size(*app.size)


@pytest.mark.parametrize("seed", range(3))
async def test_random_keys(demo: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo.parent)
    await press(demo, seed, 120)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 120))
async def test_random_keys_for_minutes(demo: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo.parent)
    await press(demo, seed, 1500)
