"""A small program that runs one child for its owner, and ends it when the owner is gone.

It is started as a file, with the standard library alone, so that it starts in milliseconds. Its standard input is a
pipe that the owner holds: the first line is the job, and the end of the pipe, however it came about (close, exit,
kill -9), ends the child and everything in the child's process group. Nothing here depends on the platform beyond POSIX.

The job is one line of JSON: `command`, `env`, `cwd`, `stdout` and `stderr` (each `{"path", "max"}`: a file of at most
`max` bytes, whose older half stands beside it as `path.1`), `grace` (seconds between asking the child to end
and killing it) and `events` (names of the child's JSON log lines on standard error that the owner wants to see).
Standard output answers with lines of JSON: `started` with the child's `pid`, those events, `ended` with its `code`.
"""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from typing import Any

_CHUNK = 1 << 16
_LONGEST_EVENT = 1 << 16


class BoundedFile:
    """A file that is appended to, and starts anew (the old one set aside as `.1`) once it is full."""

    def __init__(self, path: str, limit: int) -> None:
        self.path, self.limit = path, limit
        self._file = self._open()
        self._size = os.fstat(self._file).st_size

    def _open(self) -> int:
        return os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, chunk: bytes) -> None:
        """Appends; a full disk loses the chunk, never the child."""
        with contextlib.suppress(OSError):
            if self._size + len(chunk) > self.limit and self._size:
                os.replace(self.path, self.path + ".1")  # noqa: PTH105 (pathlib costs start-up time)
                os.close(self._file)
                self._file, self._size = self._open(), 0
            self._size += os.write(self._file, chunk)


class EventLines:
    """Finds the wanted JSON lines in a stream, skipping lines too long to be one."""

    def __init__(self, wanted: list[str]) -> None:
        self.wanted = frozenset(wanted)
        self._rest = b""
        self._skipping = False

    def feed(self, chunk: bytes) -> list[dict[str, Any]]:
        """The wanted events that this chunk completes."""
        *lines, rest = (self._rest + chunk).split(b"\n")
        found = []
        for line in lines:
            if not self._skipping and line.startswith(b"{"):
                with contextlib.suppress(ValueError, RecursionError):
                    event = json.loads(line)
                    if event.get("event") in self.wanted:
                        found.append(event)
            self._skipping = False
        if len(rest) > _LONGEST_EVENT:
            rest, self._skipping = b"", True
        self._rest = rest
        return found


def say(event: dict[str, Any]) -> None:
    """Tells the owner, if there still is one."""
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(event).encode() + b"\n")


def read_job() -> dict[str, Any] | None:
    """The job, or None when the owner went before it was all there."""
    data = b""
    while not data.endswith(b"\n"):
        chunk = os.read(0, _CHUNK)
        if not chunk:
            return None
        data += chunk
    job: dict[str, Any] = json.loads(data)
    return job


def kill_group(pid: int, number: int) -> None:
    """Signals the child's whole group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def run(job: dict[str, Any]) -> int | None:
    """Runs the child to its end, or to the owner's. The exit code, or None when it could not start."""
    wakeup, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    try:
        files = {
            spec["path"]: BoundedFile(spec["path"], spec["max"]) for spec in (job["stdout"], job["stderr"])
        }
        child = subprocess.Popen(
            job["command"],
            env=job["env"],
            cwd=job["cwd"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as cause:
        say({"event": "failed", "reason": getattr(cause, "strerror", None) or str(cause)})
        return None
    assert child.stdout is not None
    assert child.stderr is not None
    say({"event": "started", "pid": child.pid})
    lines = EventLines(job["events"])
    streams = {child.stdout.fileno(): "stdout", child.stderr.fileno(): "stderr"}
    selector = selectors.DefaultSelector()
    for fd in (0, wakeup, *streams):
        selector.register(fd, selectors.EVENT_READ)
    deadline: float | None = None
    ended: float | None = None
    while True:
        wait = None if ended is None else max(0.0, ended - time.monotonic())
        if deadline is not None:
            wait = max(0.0, deadline - time.monotonic())
        for key, _ in selector.select(wait):
            chunk = os.read(key.fd, _CHUNK)
            if key.fd in streams:
                if not chunk:
                    selector.unregister(key.fd)
                    continue
                files[job[streams[key.fd]]["path"]].write(chunk)
                if streams[key.fd] == "stderr":
                    for event in lines.feed(chunk):
                        say(event)
            elif key.fd == 0 and not chunk:
                selector.unregister(0)
                kill_group(child.pid, signal.SIGTERM)
                deadline = time.monotonic() + job["grace"] if ended is None else None
        if child.poll() is not None:
            # What the child started ends with it, and so do the pipes such a process may hold.
            kill_group(child.pid, signal.SIGKILL)
            if ended is None:
                ended, deadline = time.monotonic() + 1.0, None
            open_streams = [fd for fd in streams if fd in selector.get_map()]
            if not open_streams or time.monotonic() >= ended:
                return child.returncode
        elif deadline is not None and time.monotonic() >= deadline:
            kill_group(child.pid, signal.SIGKILL)
            deadline = None


def main() -> int:
    """Reads the job and runs it."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        # The owner's pipe alone says when to end. Handlers, for the child would inherit ignored signals.
        signal.signal(number, lambda *_: None)
    job = read_job()
    if job is None:
        return 0
    code = run(job)
    say({"event": "ended", "code": code})
    return 0


if __name__ == "__main__":
    sys.exit(main())
