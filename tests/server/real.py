"""The real API on loopback, where it is installed."""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.conformance.oracle import find_oracle
from tests.server.running import Asked, environment

TOKEN = "secret"


class RealApi(NamedTuple):
    """What starts the real API."""

    node: Path
    script: Path
    modules: Path


def find_real_api() -> RealApi | str:
    """The real API, or why there is none here."""
    oracle = find_oracle()
    if isinstance(oracle, str):
        return oracle
    script = oracle.script.with_name("server.mjs")
    return RealApi(oracle.node, script, oracle.modules) if script.is_file() else f"{script.name} is missing"


def find_official_cli() -> list[str] | str:
    """The command of the official CLI, or why there is none here."""
    import sys

    given = os.environ.get("KINDGI_CLI")
    if given:
        return [given]
    if importlib.util.find_spec("kindgi_cli") is not None:
        return [sys.executable, "-m", "kindgi_cli"]
    return "kindgi-cli 0.1.10 is not installed (KINDGI_CLI may name its command)"


@contextlib.contextmanager
def real_api(api: RealApi, folder: Path) -> Iterator[Asked]:
    """The real API on the documents' example and a second project, until the end. `folder` is for its seed."""
    seed = json.loads(api.script.with_name("seed-article-picker.json").read_text("utf-8"))
    seed["projects"].append({"id": "6f1d2c3b-0000-4000-8000-0000000000a2", "name": "Other", "slug": "other"})
    file = folder / "seed.json"
    file.write_text(json.dumps(seed), "utf-8")
    process = subprocess.Popen(
        [str(api.node), str(api.script), f"--token={TOKEN}", f"--seed={file}", "--port=0"],
        cwd=api.script.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment({"KINDGI_NODE_MODULES": str(api.modules)}),
    )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), "the real API didn't start"
        yield Asked(url, TOKEN)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
