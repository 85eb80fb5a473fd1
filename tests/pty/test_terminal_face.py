"""The terminal face in a real pseudo-terminal: it opens, takes keys, leaves the terminal sane, is quiet when idle."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from kindgi_tui.demo.make import make_demo
from tests.pty.terminal import Terminal, control_bytes, shapes, workbench
from tests.workspaces import copy_workspace


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pty") / "workspace"
    asyncio.run(make_demo(folder))
    return folder


@pytest.fixture
def demo(made: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    copy_workspace(made, folder)
    return folder


def env_of(folder: Path, **more: str) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(folder.parent / "state"), **more}


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
def test_it_opens_and_leaves_the_terminal_as_it_was(demo: Path, size: tuple[int, int]) -> None:
    with Terminal(workbench(demo), columns=size[0], rows=size[1], env=env_of(demo)) as terminal:
        terminal.wait("73 runs")
        terminal.keys("j", "j", "enter")
        terminal.wait("Items")
        terminal.keys("escape")
        terminal.wait("73 runs")
        terminal.keys("ctrl+q")
        assert terminal.wait_end() == 0
        assert b"\x1b[?1049l" in terminal.raw
        assert b"\x1b[?25h" in terminal.raw[terminal.raw.rindex(b"\x1b[?1049l") - 200 :]


def test_an_idle_screen_sends_nothing(demo: Path) -> None:
    with Terminal(workbench(demo), env=env_of(demo)) as terminal:
        terminal.wait("73 runs")
        # What is still being loaded on a slow machine comes first; something that ticks is never still so long.
        for _ in range(20):
            if not terminal.read(2.0):
                break
        assert terminal.read(3.0) == b""


def test_a_resize_in_the_middle_of_anything_harms_nothing(demo: Path) -> None:
    with Terminal(workbench(demo), columns=120, rows=40, env=env_of(demo)) as terminal:
        terminal.wait("73 runs")
        for columns, rows in ((40, 10), (200, 60), (61, 11), (80, 24)):
            terminal.keys("j")
            terminal.resize(columns, rows)
            terminal.keys("/" if columns == 61 else "k")
        terminal.read(0.5)
        terminal.keys("escape")
        terminal.wait("73 runs")
        terminal.keys("ctrl+q")
        assert terminal.wait_end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_leaves_the_terminal_sane(demo: Path, number: signal.Signals) -> None:
    with Terminal(workbench(demo), env=env_of(demo)) as terminal:
        terminal.wait("73 runs")
        os.kill(terminal.process.pid, number)
        terminal.wait_end()
        assert b"\x1b[?1049l" in terminal.raw


def test_without_colour_there_is_none(demo: Path) -> None:
    with Terminal(workbench(demo), env=env_of(demo, NO_COLOR="1")) as terminal:
        terminal.wait("73 runs")
        colours = [shape for shape in shapes(terminal.raw) if b"38;" in shape or b"48;" in shape]
        assert colours == []


def test_only_our_own_sequences_and_no_control_bytes_come_out(demo: Path) -> None:
    with Terminal(workbench(demo), env=env_of(demo)) as terminal:
        terminal.wait("73 runs")
        terminal.keys("j", "enter")
        terminal.wait("Items")
        terminal.keys("escape", "?")
        terminal.wait("Esc closes")
        assert control_bytes(terminal.raw) <= {10, 13}
        strings = {
            shape for shape in shapes(terminal.raw) if shape.startswith((b"\x1b]", b"\x1bP", b"\x1b_"))
        }
        # The pointer's shape, which Textual puts back; nothing else is a string to the terminal.
        assert strings <= {b"\x1b]#;default\x07"}
