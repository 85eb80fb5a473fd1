"""Runtimes as processes of their own: the real 0.1.10 API, and ours in each dialect."""

import asyncio
import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path

from kindgi_tui.demo.make import make_demo
from tests.conformance.oracle import find_oracle, shared_folder

PROGRAM = [sys.executable, "-c", "import sys; from kindgi_tui.cli.main import main; sys.exit(main())"]


class Target:
    """A running runtime: its address, a token for it, and the project that has the documents' runs."""

    def __init__(
        self, process: "subprocess.Popen[str]", address: str, token: str, project: str, judges: int
    ) -> None:
        self.process = process
        self.address = address
        self.token = token
        self.project = project
        self.judges = judges
        """How many people will have judged its runs alike, the one who judges in the test too."""

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def why_not_real() -> str | None:
    """Why the real API can't be started here; None when it can."""
    found = find_oracle()
    return found if isinstance(found, str) else None


def start_real() -> Target:
    found, shared = find_oracle(), shared_folder()
    assert not isinstance(found, str)
    assert shared is not None
    folder = shared / "kindgi-real"
    command = [
        str(found.node),
        str(folder / "server.mjs"),
        "--token=secret",
        f"--seed={folder / 'seed-article-picker.json'}",
        "--port=0",
        f"--node-modules={found.modules}",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return Target(process, _first_line(process), "secret", "default", 1)


def make_ours(folder: Path) -> str:
    """A demo workspace with a token; gives the token."""
    asyncio.run(make_demo(folder))
    return token_of(folder)


def token_of(folder: Path) -> str:
    """A new token of an admin of a workspace."""
    words = ["--workspace", str(folder), "tokens", "add", "tester", "--role", "admin", "--json"]
    done = subprocess.run([*PROGRAM, *words], capture_output=True, text=True, check=True, timeout=60)
    return str(json.loads(done.stdout)["token"])


def start_ours(folder: Path, token: str, dialect: str, *, port: str = "0", **environment: str) -> Target:
    words = ["--workspace", str(folder), "serve", "--port", port, "--dialect", dialect]
    process = subprocess.Popen(
        [*PROGRAM, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
    )
    return Target(process, _first_line(process), token, "docs", 2)


def _first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    end = time.monotonic() + 60
    while time.monotonic() < end:
        ready, _, _ = select.select([process.stdout], [], [], 0.5)
        if ready:
            line = process.stdout.readline().strip()
            if line.startswith("http"):
                return line
        if process.poll() is not None:
            break
    process.kill()
    raise AssertionError("the runtime didn't say its address")
