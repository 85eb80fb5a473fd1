"""`kindgi-tui judge` in a real pseudo-terminal: one key is a verdict on disk, and the terminal is left sane."""

import asyncio
import fcntl
import os
import pty
import re
import select
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from kindgi_tui.local.workbench import open_local
from tests.tui.test_judge import listing

ASKED = re.compile(rb"\x1b\[6n")


def command(folder: Path, *words: str) -> list[str]:
    code = "import sys; from kindgi_tui.cli.main import main; sys.exit(main())"
    return [sys.executable, "-c", code, "judge", "--workspace", str(folder), *words]


async def fill(folder: Path) -> None:
    bench, _ = await open_local(folder)
    project = await bench.projects.get()
    await bench.runs.add([listing(number, project.id) for number in range(2)])
    await bench.close()


class Terminal:
    """A pseudo-terminal of 80 by 24 that answers where its cursor is, as every terminal does."""

    def __init__(self, words: list[str], environment: dict[str, str]) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            words, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)
        self.written = b""
        self.answers = 0

    def read(self, seconds: float) -> None:
        if not select.select([self.master], [], [], seconds)[0]:
            return
        try:
            data = os.read(self.master, 65_536)
        except OSError:
            return
        self.written += data
        for _ in ASKED.findall(data):
            self.answers += 1
            os.write(self.master, b"\x1b[1;1R")

    def until(self, pattern: bytes, seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while not re.search(pattern, self.written):
            assert time.monotonic() < end, self.written[-3_000:]
            self.read(0.05)

    def close(self) -> int:
        end = time.monotonic() + 20
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.05)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        os.close(self.master)
        return self.process.wait()


def test_a_key_in_a_terminal_over_ssh_is_a_verdict_on_disk(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    asyncio.run(fill(folder))
    environment = {
        **os.environ, "TERM": "xterm-256color", "KINDGI_TUI_PROFILE": "ssh", "XDG_STATE_HOME": str(tmp_path / "state"),
    }  # fmt: skip
    terminal = Terminal(command(folder, "--limit", "1"), environment)
    try:
        terminal.until(rb"Title a")
        terminal.until(rb"every key")
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            terminal.read(0.05)
        assert terminal.answers > 0
        os.write(terminal.master, b"y")
        terminal.until(rb"kb-a: yes")
        os.write(terminal.master, b"n")
        terminal.until(rb"kb-b: no")
        os.write(terminal.master, b"\x11")
    finally:
        code = terminal.close()
    assert code == 0
    # The alternate screen is left, and the cursor is shown again.
    assert terminal.written.rstrip().rfind(b"\x1b[?1049l") > terminal.written.rfind(b"\x1b[?1049h")
    with sqlite3.connect(folder / "workspace.db") as file:
        rows = file.execute(
            "SELECT item_key, verdict FROM judgments WHERE ended IS NULL ORDER BY seq"
        ).fetchall()
    assert rows == [("kb-a", "yes"), ("kb-b", "no")]


@pytest.mark.parametrize("words", [["judge"], []])
def test_a_terminals_profile_that_there_is_not_is_said_before_the_screen(
    tmp_path: Path, words: list[str]
) -> None:
    environment = {
        **os.environ, "TERM": "xterm-256color", "KINDGI_TUI_PROFILE": "none\x1b[31msense",
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }  # fmt: skip
    folder = tmp_path / "workspace"
    asyncio.run(fill(folder))
    program = [sys.executable, "-m", "kindgi_tui", *words, "--workspace", str(folder)]
    terminal = Terminal(program, environment)
    try:
        terminal.until(rb"\x1b\[\?1049h")
        terminal.until(rb"every key|Open ")
        os.write(terminal.master, b"\x11")
    finally:
        code = terminal.close()
    assert code == 0
    before = terminal.written.partition(b"\x1b[?1049h")[0].decode()
    assert "which is none of local, ssh, tmux, dumb: the terminal's own is taken." in before
    assert before.count("KINDGI_TUI_PROFILE is") == 1
    assert "\x1b[31m" not in before


def test_without_a_terminal_it_says_what_to_use(tmp_path: Path) -> None:
    for words, sentence in (
        ((), "needs a terminal"),
        (("--seed", "7"), "--order random"),
        (("--json",), "no --json"),
    ):
        done = subprocess.run(
            command(tmp_path / "none", *words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert sentence in done.stderr
        assert not (tmp_path / "none").exists()
