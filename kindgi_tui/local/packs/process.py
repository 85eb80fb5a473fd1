"""Starting a pack's code in a process of its own that can't outlive ours (DESIGN sections 9 and 13)."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

WATCHDOG = Path(__file__).with_name("watchdog.py")
"""The program between us and the child: it ends the child when our pipe closes."""

_BASICS = """
PATH HOME USER LOGNAME HOSTNAME LANG LANGUAGE TZ TMPDIR TMP TEMP LD_LIBRARY_PATH DYLD_LIBRARY_PATH
HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
"""
_KEPT = frozenset(_BASICS.split())
_CLOSE_SECONDS = 10.0


def child_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """What a pack's process sees: this machine's basics and `extra`, none of the other variables of ours.

    A model key or a token in our environment never reaches a pack's code. Python writes no caches into the snapshot.
    """
    kept = {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith("LC_")}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"} | dict(extra)


class Output:
    """Where one of a child's streams goes: a file of at most `limit` bytes (its older part stands in `<path>.1`)."""

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        """The file; its folder must exist."""
        self.limit = limit
        """Bytes."""


class StartFailed(Exception):
    """The child could not be started at all; the text says why."""


class ChildProcess:
    """One child under its watchdog. `pid` is the child's, `ended` is set once it is gone."""

    def __init__(self, watchdog: asyncio.subprocess.Process) -> None:
        self._watchdog = watchdog
        self.pid: int | None = None
        """The child's process id, which is also its group's; None until it has started."""
        self.code: int | None = None
        """Its exit code once it has ended, where known; negative for a signal."""
        self.ended = asyncio.Event()
        """Set once the child is gone."""
        self.events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        """The child's events, in order; None after the last."""
        self._reader = asyncio.ensure_future(self._read())

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdout: Output,
        stderr: Output,
        events: Sequence[str] = (),
        grace: float = 0.0,
    ) -> "ChildProcess":
        """Starts the command in a session of its own, its streams going to files.

        `grace` is how many seconds a child that should end may take before it is killed. Raises StartFailed.
        """
        job = {
            "command": list(command),
            "cwd": str(cwd),
            "env": dict(env),
            "stdout": {"path": str(stdout.path), "max": stdout.limit},
            "stderr": {"path": str(stderr.path), "max": stderr.limit},
            "events": list(events),
            "grace": grace,
        }
        # A session of its own, so that a Ctrl-C in the terminal does not end the watchdog before the child.
        watchdog = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(WATCHDOG)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            limit=1 << 20,
        )
        child = cls(watchdog)
        try:
            assert watchdog.stdin is not None
            watchdog.stdin.write(json.dumps(job).encode() + b"\n")
            with contextlib.suppress(ConnectionError):
                await watchdog.stdin.drain()
            first = await child.events.get()
            if first is None or first.get("event") != "started":
                reason = (first or {}).get("reason") or "its watchdog stopped"
                raise StartFailed(str(reason))
        except BaseException:
            await child.close()
            raise
        return child

    async def _read(self) -> None:
        assert self._watchdog.stdout is not None
        try:
            async for line in self._watchdog.stdout:
                event = json.loads(line)
                if event.get("event") == "started":
                    self.pid = event["pid"]
                if event.get("event") == "ended":
                    self.code = event.get("code")
                    self.pid = None
                self.events.put_nowait(event)
        finally:
            if self.pid is not None:  # the watchdog itself was ended: what it watched must not stay behind
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
            self.events.put_nowait(None)
            self.ended.set()

    async def close(self) -> None:
        """Ends the child (asked first, then killed after its grace) and waits until it is gone."""
        closing = asyncio.ensure_future(self._close())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await closing
            raise

    async def _close(self) -> None:
        assert self._watchdog.stdin is not None
        self._watchdog.stdin.close()
        try:
            await asyncio.wait_for(self._watchdog.wait(), _CLOSE_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._watchdog.kill()
            await self._watchdog.wait()
        with contextlib.suppress(Exception):
            await self._reader
