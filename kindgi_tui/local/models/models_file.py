"""Reading `models.toml` so that a complaint can name the line."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kindgi_tui.local.models.failures import BadModelsFile

LineOf = Callable[[tuple[str, ...]], int | None]
"""The line (from 1) where a key path stands in the file, or the nearest table around it; None: not found."""

_LARGEST = 1_000_000
_AT = re.compile(r"\s*\(at line (\d+), column (\d+)\)$")


def read_models_file(path: Path) -> tuple[dict[str, Any], LineOf]:
    """The file as TOML gives it, and where its keys stand. Raises BadModelsFile with file and line."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise BadModelsFile(f"{path} can't be read: {error.strerror or error}.") from None
    if len(raw) > _LARGEST:
        raise BadModelsFile(f"{path} is larger than 1 MB, which no models.toml is.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BadModelsFile(f"{path}, line {line}: not UTF-8 text.") from None
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        said = str(error)
        at = _AT.search(said)
        line = int(at.group(1)) if at else text.count("\n") + 1
        raise BadModelsFile(f"{path}, line {line}: not TOML: {_AT.sub('', said).rstrip('.')}.") from None
    lines = text.splitlines()
    return data, lambda keys: _line_of(lines, keys)


def _line_of(lines: list[str], keys: tuple[str, ...]) -> int | None:
    """The line of the deepest part of the path that can be found: a table's header, then a key under it."""
    table: list[str] = []
    best, depth = None, 0
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("["):
            table = _parts(text.split("#")[0].strip().strip("[]"))
            here = table
        else:
            here = [*table, *_parts(text.partition("=")[0].strip())] if "=" in text else []
        shared = 0
        while shared < min(len(here), len(keys)) and here[shared] == keys[shared]:
            shared += 1
        # A line that goes past the path still stands inside it, such as an inline table's key.
        if shared > depth and (shared == len(here) or shared == len(keys)):
            best, depth = number, shared
    return best


def _parts(dotted: str) -> list[str]:
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|\'([^\']*)\'|([A-Za-z0-9_-]+)', dotted)
    return [a or b or c for a, b, c in found]
