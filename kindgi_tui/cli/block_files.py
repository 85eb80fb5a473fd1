"""Files of blocks, YAML or JSON: one definition each or a list of them, and on which line a place of one stands."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kindgi_tui.cli.documents import STANDARD_INPUT, read_document
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.block_rules import BlockProblem
from kindgi_tui.domain.pointers import unescape
from kindgi_tui.workbench import Invalid

if TYPE_CHECKING:
    import yaml

SUFFIXES = (".json", ".yaml", ".yml")
"""What files of blocks in a folder are called."""


class Written(NamedTuple):
    """One definition, and where it stands."""

    place: Path
    """The file."""
    pointer: str
    """Where in the file: empty for a file of one, else its place in the list."""
    document: Json
    """The definition, as it was read."""


def read_blocks(places: Sequence[Path]) -> list[Written]:
    """The definitions in files, and in the files of folders (by name, folders in them too).

    Raises Invalid: a file that can't be read, with the line; a folder without any.
    """
    # A file that is named twice, by itself and by its folder say, is read once.
    named = {os.path.abspath(file): file for place in places for file in _files(place)}  # noqa: PTH100
    return [written for file in named.values() for written in _read(file)]


def _files(place: Path) -> list[Path]:
    if place == STANDARD_INPUT or not place.is_dir():
        return [place]
    found = sorted(each for each in place.rglob("*") if each.suffix.lower() in SUFFIXES and each.is_file())
    if not found:
        raise Invalid(f"{place} holds no file of blocks ({', '.join(SUFFIXES)}).", field="file")
    return found


def _read(file: Path) -> list[Written]:
    document = read_document(file)
    name = "standard input" if file == STANDARD_INPUT else str(file)
    if document is None:
        raise Invalid(f"{name} is empty: write a block with id, version, kind and content.", field="file")
    if document == []:
        raise Invalid(f"{name} holds an empty list: there is no block to publish.", field="file")
    if isinstance(document, list):
        return [Written(file, f"/{place}", each) for place, each in enumerate(document)]
    return [Written(file, "", document)]


def told(problems: Sequence[BlockProblem], blocks: Sequence[Written]) -> list[str]:
    """A sentence for each problem, with its file, which block of a list it is, and the line."""
    sentences = []
    for problem in problems:
        written = blocks[problem.block]
        line = line_of(written.place, written.pointer + problem.pointer, problem.line)
        place = "standard input" if written.place == STANDARD_INPUT else str(written.place)
        if written.pointer:
            place += f", block {int(written.pointer[1:]) + 1}"
        place += "" if line is None else f", line {line}"
        inside = "" if problem.line is None else f" (line {problem.line} of the template)"
        sentences.append(f"{place}: {problem.pointer or 'the block'}: {problem.message}{inside}")
    return sentences


def line_of(file: Path, pointer: str, inner: int | None = None) -> int | None:
    """On which line of a file a place of its document stands, from 1.

    `inner` is a line of a text at that place, which is a line of its own in a YAML block. A place that is missing
    has the line of what it is missing from; None where the file tells no lines.
    """
    import yaml

    try:
        # JSON is YAML in its flow style, but for the tabs between its tokens.
        node: yaml.Node | None = yaml.compose(
            file.read_text("utf-8-sig").replace("\t", " "), Loader=yaml.SafeLoader
        )
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return None
    if node is None:
        return None
    for step in pointer.split("/")[1:]:
        below = _below(node, unescape(step))
        if below is None:
            break
        node = below
    else:
        if inner is not None and isinstance(node, yaml.ScalarNode) and node.style == "|":
            return int(node.start_mark.line) + 1 + inner
    return int(node.start_mark.line) + 1


def _below(node: "yaml.Node", step: str) -> "yaml.Node | None":
    import yaml

    if isinstance(node, yaml.MappingNode):
        return next((value for name, value in node.value if name.value == step), None)
    if isinstance(node, yaml.SequenceNode) and step.isdigit() and int(step) < len(node.value):
        found: yaml.Node = node.value[int(step)]
        return found
    return None
