"""Documents that people write by hand, YAML or JSON: read from a file or standard input as plain JSON values."""

import json
import re
import sys
from pathlib import Path
from typing import Any, cast

import yaml
from yaml.error import Mark

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.json_words import json_words, strict_json
from kindgi_tui.workbench import Invalid

LARGEST = 1_000_000
"""The largest document that is read, in bytes."""

STANDARD_INPUT = Path("-")
"""Stands for standard input."""

_NUMBER = r"-?(?:0|[1-9][0-9]*)"
_CORE: tuple[tuple[str, str, str], ...] = (
    ("null", r"null|Null|NULL|~|", "nN~"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", _NUMBER, "-0123456789"),
    ("float", _NUMBER + r"(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "-0123456789"),
)
"""Plain words that are no text, and how they begin: JSON's, as YAML 1.2's core schema has them. So `yes`, `on`, a
date and `010` are text, which YAML 1.1 takes for something else."""


_NO_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN|-?[0-9]{4001,})')


class _Loader(yaml.SafeLoader):
    """Reads YAML that says JSON: no tags, no aliases, no field twice."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """The next node. Raises ComposerError for a tag, and for an alias: a few can make a document without end."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            told = "an alias (*name) isn't taken here: write it out"
            raise yaml.composer.ComposerError(None, None, told, cast(Mark, event.start_mark))
        if getattr(event, "tag", None) is not None:
            told = "a tag (!name) isn't taken here: leave it out"
            raise yaml.composer.ComposerError(None, None, told, cast(Mark, event.start_mark))
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """The mapping. Raises ConstructorError for a field's name that is no text, or stands there twice."""
        seen: set[str] = set()
        for name_node, _ in node.value:
            name = self.construct_object(name_node, deep=True)
            if not isinstance(name, str):
                told = "a field's name must be text: put it in quotes"
                raise yaml.constructor.ConstructorError(None, None, told, name_node.start_mark)
            if name in seen:
                told = f'the field "{name}" stands here twice'
                raise yaml.constructor.ConstructorError(None, None, told, name_node.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


for _name, _pattern, _beginnings in _CORE:
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_name}", re.compile(f"(?:{_pattern})$"), [*_beginnings, ""]
    )


def read_document(place: Path) -> Json:
    """The YAML or JSON document in a file, or on standard input for `-`, as a JSON value.

    Raises Invalid with the line and column of what is wrong.
    """
    name = "standard input" if place == STANDARD_INPUT else str(place)
    text = _text(place, name)
    try:
        return _parsed(text, name, place.suffix.lower() == ".json")
    except RecursionError:
        raise Invalid(f"{name} is nested too deep.", field="file") from None


def text_in_file(field: str, value: Json) -> str:
    """A field of a document that must be text, and not blank. Raises Invalid."""
    if not isinstance(value, str):
        raise Invalid(f"{field} must be text: put it in quotes.", field="file")
    if not value.strip():
        raise Invalid(f"{field} may not be empty: fill it in, or leave it out.", field="file")
    return value


def read_json(text: str, name: str) -> Json:
    """The JSON value that a text on the command line is, held to what files are: no field twice, no NaN.

    `name` is how a sentence begins that says what is wrong. Raises Invalid.
    """
    try:
        return strict_json(text)
    except json.JSONDecodeError as cause:
        raise _not_json(name, cause) from None
    except RecursionError:
        raise Invalid(f"{name} is nested too deep.") from None
    except ValueError as cause:
        raise Invalid(f"{name} is not JSON{_where(text)}: {cause}.") from None


def read_text(place: Path) -> str:
    """The text in a file, or on standard input for `-`. Raises Invalid."""
    return _text(place, "standard input" if place == STANDARD_INPUT else str(place))


def _text(place: Path, name: str) -> str:
    if place == STANDARD_INPUT:
        stream = getattr(sys.stdin, "buffer", None)
        data = sys.stdin.read(LARGEST + 1).encode() if stream is None else stream.read(LARGEST + 1)
    else:
        try:
            with place.open("rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as cause:
            raise Invalid(f"{name} can't be read: {cause.strerror or cause}.", field="file") from None
    if len(data) > LARGEST:
        raise Invalid(f"{name} is larger than {LARGEST:,} bytes: split it into several files.", field="file")
    try:
        return str(data.decode("utf-8-sig"))
    except UnicodeDecodeError as cause:
        before = data[: cause.start].decode("utf-8", "replace")
        raise Invalid(f"{name} is not UTF-8 at {_at(before, len(before))}.", field="file") from None


def _parsed(text: str, name: str, is_json: bool) -> Json:
    if is_json or text.lstrip()[:1] in ("{", "["):
        try:
            return strict_json(text)
        except json.JSONDecodeError as cause:
            if is_json or not _reads_on(text, cause.pos):
                raise _not_json(name, cause) from None
        except ValueError as cause:
            raise Invalid(f"{name} is not JSON{_where(text)}: {cause}.", field="file") from None
    try:
        return _yaml(text)
    except yaml.reader.ReaderError as cause:
        character = cause.character if isinstance(cause.character, int) else ord(cause.character[:1])
        raise Invalid(
            f"{name} is not YAML at {_at(text, cause.position)}: it holds the control character "
            f"U+{character:04X}.",
            field="file",
        ) from None
    except yaml.MarkedYAMLError as cause:
        mark = cause.problem_mark or cause.context_mark
        place = "its end" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}"
        told = cause.problem or "it can't be read"
        if cause.context is not None and told.startswith("but "):
            told = f"{cause.context}, {told}"
        raise Invalid(f"{name} is not YAML at {place}: {_words(told)}.", field="file") from None
    except ValueError:
        raise Invalid(f"{name} holds a number that is too long{_where(text)}.", field="file") from None


def _not_json(name: str, cause: json.JSONDecodeError) -> Invalid:
    place = f"line {cause.lineno}, column {cause.colno}"
    return Invalid(f"{name} is not JSON at {place}: {json_words(cause)}.", field="file")


def _where(text: str) -> str:
    """Where JSON says what it may not: a field twice, no number, or one that is too long."""
    for token in _NO_NUMBER.finditer(text):
        if token.group(1):
            return f" at {_at(text, token.start())}"
    try:
        _yaml(text)
    except yaml.MarkedYAMLError as cause:
        mark = cause.problem_mark
        return "" if mark is None else f" at line {mark.line + 1}, column {mark.column + 1}"
    except (yaml.YAMLError, ValueError, RecursionError):
        pass
    return ""


def _yaml(text: str) -> Json:
    value: Json = yaml.load(text, Loader=_Loader)
    return value


def _reads_on(text: str, position: int) -> bool:
    """Whether what looks like JSON, and is none at that position, is YAML in its flow style, or meant as such: it can
    be read as YAML, at least further than as JSON."""
    try:
        _yaml(text)
    except yaml.MarkedYAMLError as cause:
        return cause.problem_mark is not None and cause.problem_mark.index > position
    except (yaml.YAMLError, ValueError, RecursionError):
        return False
    return True


def _at(text: str, position: int) -> str:
    before = text[:position]
    return f"line {before.count(chr(10)) + 1}, column {position - before.rfind(chr(10))}"


def _words(told: str) -> str:
    return told[:1].lower() + told[1:]
