"""What makes a block's definition a good one, each problem with its place (DESIGN section 9).

Reading templates and schemas takes libraries that this package does not import: whoever checks hands in both.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.blocks import KINDS, BlockDraft, Parameter, parameters_of
from kindgi_tui.domain.pointers import escape

_ID = re.compile(r"[a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)+")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_TYPES = ("string", "number", "boolean", "date")
_KNOWN = ("id", "version", "kind", "description", "content")

GIVEN = ("today", "now", "agent", "conversation")
"""Variables every template may read: the day (`2026-10-12`), the moment (ISO 8601, UTC), the agent's `id`, `name` and
`version`, and the conversation's `id` and `turn` (from 1)."""

RESERVED = (*GIVEN, "input", "settings")
"""Names no parameter may have: the engine fills them in."""

MODEL_SETTINGS: dict[str, Json] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "provider": {"type": "string", "minLength": 1},
        "model": {"type": "string", "minLength": 1},
        "temperature": {"type": "number", "minimum": 0, "maximum": 2},
        "maxOutputTokens": {"type": "integer", "minimum": 1},
        "topP": {"type": "number", "minimum": 0, "maximum": 1},
        "seed": {"type": "integer"},
        "stop": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 4},
    },
}
"""What the values of model settings may be."""


class Misfit(Frozen):
    """One place where values do not satisfy a schema."""

    pointer: str
    """The JSON Pointer of the place within the values; within the schema when `in_schema`."""
    message: str
    """What is wrong there."""
    in_schema: bool = False
    """Whether it is the schema that is wrong."""


class TemplateReading(Frozen):
    """What a Liquid template is, read without rendering it."""

    problem: str | None = None
    """Why it is no template; None when it is one."""
    line: int | None = None
    """On which of its lines the problem is, from 1; None: nowhere in particular."""
    reads: tuple[tuple[str, ...], ...] = ()
    """The variables it reads from outside: the name, then each step that is written out, such as
    `("settings", "acme.weights", "recency")`. A step that is worked out ends the path with an empty one."""


@dataclass(frozen=True)
class Checkers:
    """Who reads schemas and templates."""

    misfits: Callable[[Json, Json], tuple[Misfit, ...]]
    """Given values and a JSON Schema: where they do not fit."""
    read_template: Callable[[str], TemplateReading]
    """Given a template: what it is."""


class BlockProblem(Frozen):
    """One thing that is wrong with a definition."""

    block: int = 0
    """Which of the definitions that were given, from 0."""
    pointer: str
    """The JSON Pointer of the place within the definition; empty: the whole."""
    message: str
    """What is wrong, in words."""
    line: int | None = None
    """For a template: on which of its lines, from 1."""


def given_twice(drafts: Sequence[tuple[int, BlockDraft]]) -> tuple[BlockProblem, ...]:
    """A problem for each draft whose id and version one before it has; each draft comes with its place."""
    seen: dict[tuple[str, str], int] = {}
    found = []
    for place, draft in drafts:
        if seen.setdefault((draft.id, draft.version), place) != place:
            message = f"{draft.id} {draft.version} is written twice: write each version of a block once"
            found.append(BlockProblem(block=place, pointer="", message=message))
    return tuple(found)


def draft_of(document: Json, checkers: Checkers) -> tuple[BlockDraft | None, tuple[BlockProblem, ...]]:
    """A definition as a draft, or its problems: with any problem there is no draft."""
    if not isinstance(document, dict):
        words = "a block is an object with id, version, kind and content"
        return None, (BlockProblem(pointer="", message=words),)
    problems = [*_identity(document), *_content(document, checkers)]
    if problems:
        return None, tuple(problems)
    return BlockDraft.model_validate({"description": "", **document}), ()


def _identity(document: Mapping[str, Json]) -> list[BlockProblem]:
    found = []
    identity, version = document.get("id"), document.get("version")
    if not isinstance(identity, str) or not _ID.fullmatch(identity):
        found.append(_at("/id", "id must be a dotted id in small letters, such as acme.weights"))
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        found.append(_at("/version", "version must be x.y.z, such as 1.0.0"))
    if document.get("kind") not in KINDS:
        found.append(_at("/kind", f"kind must be one of {', '.join(KINDS)}"))
    if not isinstance(document.get("description", ""), str):
        found.append(_at("/description", "description must be a text"))
    found += [
        _at(f"/{escape(name)}", f"a block has no {name}; it has {', '.join(_KNOWN)}")
        for name in document
        if name not in _KNOWN
    ]
    return found


def _content(document: Mapping[str, Json], checkers: Checkers) -> list[BlockProblem]:
    kind, content = document.get("kind"), document.get("content")
    if kind not in KINDS:
        return []
    fields = ("template", "parameters") if kind == "prompt" else ("values", "schema")
    if not isinstance(content, dict):
        return [_at("/content", f"a {kind} block needs content: {fields[0]}, and perhaps {fields[1]}")]
    found = [
        _at(f"/content/{escape(name)}", f"content of a {kind} block has {' and '.join(fields)}, not {name}")
        for name in content
        if name not in fields
    ]
    return found + (_prompt(content, checkers) if kind == "prompt" else _values(kind, content, checkers))


def _values(kind: Json, content: Mapping[str, Json], checkers: Checkers) -> list[BlockProblem]:
    values, schema = content.get("values"), content.get("schema")
    if not isinstance(values, dict):
        return [_at("/content/values", "values must be an object")]
    found = [] if schema is None else _misfits(values, schema, checkers)
    if kind == "model-settings":
        found += model_settings_problems(values, checkers)
    return found


def _misfits(values: Json, schema: Json, checkers: Checkers) -> list[BlockProblem]:
    if not isinstance(schema, dict):
        return [_at("/content/schema", "schema must be a JSON Schema, an object")]
    return [
        _at(f"/content/{'schema' if each.in_schema else 'values'}{each.pointer}", each.message)
        for each in checkers.misfits(values, schema)
    ]


def model_settings_problems(values: Json, checkers: Checkers) -> list[BlockProblem]:
    """Where values are no model settings."""
    return [
        _at(f"/content/values{each.pointer}", f"{each.message} (model settings)")
        for each in checkers.misfits(values, MODEL_SETTINGS)
    ]


def _prompt(content: Mapping[str, Json], checkers: Checkers) -> list[BlockProblem]:
    template, declared = content.get("template"), content.get("parameters", [])
    found = _parameters(declared)
    if not isinstance(template, str) or not template.strip():
        return [*found, _at("/content/template", "template must be a text that is not empty")]
    reading = checkers.read_template(template)
    if reading.problem is not None:
        problem = BlockProblem(pointer="/content/template", message=reading.problem, line=reading.line)
        return [*found, problem]
    return found + [
        _at("/content/template", words) for words in unknown_reads(reading, parameters_of(declared), None)
    ]


def unknown_reads(
    reading: TemplateReading, parameters: tuple[Parameter, ...], settings: tuple[str, ...] | None
) -> list[str]:
    """A sentence for each variable a template reads that nothing here gives it.

    `settings` are the ids of the agent's settings blocks; None: not known yet, as when a block is published.
    """
    names = {each.name for each in parameters}
    found: dict[str, None] = {}
    for path in reading.reads:
        root = path[0]
        if root == "settings" and settings is not None:
            if len(path) < 2 or path[1] not in settings:
                found[f"it reads {read_words(path)}, and the agent names no such settings block"] = None
        elif root == "input":
            found["it reads input, which can't be given here yet"] = None
        elif root != "settings" and root not in names and root not in GIVEN:
            found[f"it reads {root}, which is no declared parameter"] = None
    return list(found)


def read_words(path: tuple[str, ...]) -> str:
    """A variable as a template writes it: settings by the block's id, another by its name."""
    if path[0] != "settings":
        return path[0]
    return f'settings["{path[1]}"]' if len(path) > 1 and path[1] else "settings"


def _parameters(declared: Json) -> list[BlockProblem]:
    if not isinstance(declared, list):
        return [_at("/content/parameters", "parameters must be a list")]
    found: list[BlockProblem] = []
    seen: set[str] = set()
    for place, each in enumerate(declared):
        at = f"/content/parameters/{place}"
        name = each.get("name") if isinstance(each, dict) else None
        if not isinstance(each, dict) or not isinstance(name, str) or not name.strip():
            found.append(_at(at, "a parameter is an object with a name and a type"))
            continue
        if name in seen:
            found.append(_at(f"{at}/name", f"parameter {name} is declared twice"))
        if name in RESERVED:
            found.append(_at(f"{at}/name", f"{name} is filled in by itself: it can't be a parameter"))
        if each.get("type") not in _TYPES:
            found.append(_at(f"{at}/type", f"type must be one of {', '.join(_TYPES)}"))
        seen.add(name)
    return found


def _at(pointer: str, message: str) -> BlockProblem:
    return BlockProblem(pointer=pointer, message=message)
