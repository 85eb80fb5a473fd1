"""A real program in a real pseudo-terminal: keys in, bytes out, and the screen they make."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte

KEYS = {
    "enter": "\r", "escape": "\x1b", "down": "\x1b[B", "up": "\x1b[A", "pagedown": "\x1b[6~", "pageup": "\x1b[5~",
    "home": "\x1b[H", "end": "\x1b[F", "tab": "\t",
    "backspace": "\x7f", "space": " ", "ctrl+p": "\x10", "ctrl+q": "\x11",
}  # fmt: skip
"""Keys by name, as a terminal sends them."""

_ANSWERS = (
    (re.compile(rb"\x1b\[0?c"), b"\x1b[?62;22c"),
    (re.compile(rb"\x1b\[6n"), b"\x1b[1;1R"),
    (re.compile(rb"\x1b\[5n"), b"\x1b[0n"),
    (re.compile(rb"\x1b\[\?2026\$p"), b"\x1b[?2026;2$y"),
    (re.compile(rb"\x1b\[\?2048\$p"), b"\x1b[?2048;0$y"),
)
_NOT_FOR_PYTE = re.compile(rb"\x1b\[[<>=?][0-9;]*[uqmn]|\x1b\[[0-9;?]*\$[a-z]|\x1b[PX^_].*?\x1b\\", re.DOTALL)

SEQUENCE = re.compile(
    rb"\x1b\[[0-9;:<=>?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_].*?\x1b\\|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
"""An escape sequence: CSI, OSC, a string, or a short one (ECMA-48)."""


class Terminal:
    """A program in a terminal of `columns` × `rows`. A context manager: leaving it ends the program."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        """Every byte the program wrote."""
        self._unparsed = b""
        self._master, slave = pty.openpty()
        self.resize(columns, rows)
        environment = {
            **{name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TMUX", "SSH_CONNECTION")},
            "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "TZ": "UTC", **(env or {}),
        }  # fmt: skip
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment, cwd=cwd, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)

    def resize(self, columns: int, rows: int) -> None:
        """Makes the terminal another size, and tells the program."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)
        if hasattr(self, "process"):
            os.kill(self.process.pid, signal.SIGWINCH)

    def read(self, seconds: float = 0.05) -> bytes:
        """Reads what is there within so many seconds, answers what a terminal is asked, and draws it."""
        got = b""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            ready, _, _ = select.select([self._master], [], [], left)
            if not ready:
                break
            try:
                piece = os.read(self._master, 65536)
            except OSError:
                break
            if not piece:
                break
            got += piece
            for question, answer in _ANSWERS:
                if question.search(piece):
                    os.write(self._master, answer)
        self.raw += got
        self.stream.feed(_NOT_FOR_PYTE.sub(b"", got))
        return got

    def send(self, text: str) -> None:
        """Sends what a key sends."""
        os.write(self._master, text.encode())

    def read_raw(self, quiet: float) -> bytes:
        """The next piece of output, drawn nowhere; nothing after `quiet` seconds of silence."""
        ready, _, _ = select.select([self._master], [], [], quiet)
        return os.read(self._master, 65536) if ready else b""

    def keys(self, *names: str) -> None:
        """Presses keys, by name or as text, one after another."""
        for name in names:
            os.write(self._master, KEYS.get(name, name).encode())
            # A key right after Escape would be read as one with Alt.
            self.read(0.25 if name == "escape" else 0.03)

    @property
    def text(self) -> str:
        """What the screen shows."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait(self, words: str, seconds: float = 20.0) -> str:
        """Waits until the screen shows these words; fails, with the screen, when it does not in time."""
        deadline = time.monotonic() + seconds
        while words not in self.text:
            assert time.monotonic() < deadline, f"{words!r} did not come:\n{self.text}"
            self.read(0.05)
        return self.text

    def wait_end(self, seconds: float = 10.0) -> int:
        """Waits until the program ends; gives its exit code."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it did not end:\n{self.text}"
            self.read(0.05)
        self.read(0.2)
        return self.process.returncode

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)


def shapes(raw: bytes) -> set[bytes]:
    """The kinds of escape sequences in some output, with their numbers left out."""
    return {re.sub(rb"[0-9]+", b"#", found) for found in SEQUENCE.findall(raw)}


def control_bytes(raw: bytes) -> set[int]:
    """The control bytes that stand outside escape sequences, C1 in UTF-8 among them."""
    rest = SEQUENCE.sub(b"", raw)
    found = {byte for byte in rest if byte < 32 or byte == 127}
    return found | {0x80 + 0x100 for _ in re.findall(rb"\xc2[\x80-\x9f]", rest)}


def workbench(folder: Path, *words: str) -> list[str]:
    """The command that opens the terminal face on a workspace."""
    return [sys.executable, "-m", "kindgi_tui", "--workspace", str(folder), *words]
