"""Driving the command line in this process, in a process of its own, and through a pseudo-terminal."""

import fcntl
import io
import json
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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kindgi_tui.cli.main import main
from tests.hostile.corpus import assert_clean_bytes

PROGRAM = [sys.executable, "-c", "import sys; from kindgi_tui.cli.main import main; sys.exit(main())"]
"""The entry point, as the installed script calls it."""


_CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]")


class Result(NamedTuple):
    """What a command line came to."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def said(self) -> str:
        return self.err.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Cli:
    """Commands on one workspace; what they print is always held to be free of control bytes."""

    def __init__(self, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.workspace = workspace
        self._patch = monkeypatch

    def __call__(self, *words: str, stdin: str = "", encoding: str = "utf-8") -> Result:
        """Runs it in this process."""
        out, err = io.BytesIO(), io.BytesIO()
        with self._patch.context() as patch:
            # Kept by name: a wrapper that goes closes what it wraps.
            streams = [io.TextIOWrapper(raw, encoding=encoding, write_through=True) for raw in (out, err)]
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            patch.setattr(sys, "stdin", io.StringIO(stdin))
            code = main(["--workspace", str(self.workspace), *words])
        for printed in (out.getvalue(), err.getvalue()):
            if printed.isascii():
                # What is beyond ASCII needs no look; this is fast enough for 40 MB.
                assert _CONTROL.search(printed) is None
            else:
                assert_clean_bytes(printed)
        assert b"Traceback" not in err.getvalue()
        return Result(code, out.getvalue(), err.getvalue())

    def done(self, *words: str, stdin: str = "") -> Result:
        """Runs it and expects that it worked."""
        result = self(*words, stdin=stdin)
        assert result.code == 0, result.said
        return result

    def refused(self, code: int, *words: str) -> str:
        """Runs it and expects that exit code, with one sentence on standard error; gives the sentence."""
        result = self(*words)
        assert result.code == code, (result.code, result.said)
        lines = [line for line in result.said.splitlines() if not line.startswith("Made a new workspace")]
        assert len(lines) == 1, lines
        assert lines[0].startswith("Error: ")
        return lines[0].removeprefix("Error: ")


def process(
    *words: str,
    environment: Mapping[str, str] | None = None,
    stdout: int = subprocess.PIPE,
    timeout: float = 60,
) -> Result:
    """Runs it in a process of its own."""
    done = subprocess.run(
        [*PROGRAM, *words],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
        timeout=timeout,
        check=False,
    )
    return Result(done.returncode, done.stdout or b"", done.stderr)


class Terminal:
    """A command with a pseudo-terminal for everything, 100 cells wide."""

    def __init__(self, *words: str, environment: Mapping[str, str] | None = None) -> None:
        self.screen = b""
        pid, self._master = pty.fork()
        if pid == 0:
            os.execvpe(
                PROGRAM[0],
                [*PROGRAM, *words],
                {**os.environ, "TERM": "xterm-256color", **(environment or {})},
            )
        self._pid = pid
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))

    def read_until(self, found: Callable[[bytes], bool], seconds: float = 30.0) -> bool:
        """Reads until `found` likes the screen; False when the time is over or the command ended before."""
        end = time.monotonic() + seconds
        while not found(self.screen):
            ready, _, _ = select.select([self._master], [], [], 0.1)
            if ready:
                try:
                    piece = os.read(self._master, 65536)
                except OSError:
                    return found(self.screen)
                if not piece:
                    return found(self.screen)
                self.screen += piece
            if time.monotonic() > end:
                return False
        return True

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def end(self, seconds: float = 30.0) -> int:
        """The exit code, once it ended; it is killed when it doesn't."""
        self.read_until(lambda _: False, seconds)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                os.close(self._master)
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._master)
        raise AssertionError(f"it didn't end; the screen was {self.screen[-2000:]!r}")
