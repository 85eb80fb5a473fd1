"""Reading `models.toml` so that a complaint can name the line."""

import re
import tomllib
from pathlib import Path
from typing import Any

from kindgi_tui.local.models.failures import BadModelsFile

_LARGEST = 1_000_000
_AT = re.compile(r"\s*\(at line (\d+), column (\d+)\)$")


class ModelsFile:
    """A file's content as TOML gives it, and where its keys stand."""

    def __init__(self, path: Path, text: str, data: dict[str, Any]) -> None:
        self.path = path
        """Where it was read."""
        self.data = data
        """Its tables and values."""
        self._lines = text.splitlines()

    def place(self, *keys: str) -> str:
        """The file and, where it can be found, the line (from 1) of a key path or the nearest table around it."""
        line = _line_of(self._lines, keys)
        return f"{self.path}, line {line}" if line else str(self.path)

    def wrong(self, sentence: str, *keys: str) -> BadModelsFile:
        """The complaint about what stands at a key path."""
        return BadModelsFile(f"{self.place(*keys)}: {sentence}")


def read_models_file(path: Path) -> ModelsFile:
    """Reads the file. Raises BadModelsFile with file and line when it is no TOML."""
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
        return ModelsFile(path, text, tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        said = str(error)
        at = _AT.search(said)
        line = int(at.group(1)) if at else text.count("\n") + 1
        raise BadModelsFile(f"{path}, line {line}: not TOML: {_AT.sub('', said).rstrip('.')}.") from None


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
