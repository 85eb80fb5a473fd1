"""A tool's input as a help for typing arguments: its fields in words, and what Tab puts into the line."""

import json
import re

from kindgi_tui.domain.base import Frozen, Json

FIELDS = 60
"""Fields of an input that are offered."""

_ALTERNATIVES = 6
_DEPTH = 4
_KEY = re.compile(r'"(?:[^"\\]|\\.)*"|"[^"]*\Z|[{}\[\]:,]|[^\s"{}\[\]:,]+')
"""One piece of JSON: a text (the last one perhaps unfinished), a sign, or a bare word."""


class InputField(Frozen):
    """One top-level field of a tool's input."""

    name: str
    """Its name."""
    kind: str
    """What it holds, in words: `text`, `list of objects`, `one of "a", "b"`."""
    required: bool = False
    """Whether the tool can't do without it."""
    about: str = ""
    """What the tool's author says of it."""
    blank: str = '""'
    """What stands for a value that is still to be typed, as JSON."""


def input_fields(schema: Json) -> tuple[InputField, ...]:
    """The fields of a tool's input, required ones first; none when its schema doesn't say."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(properties, dict):
        return ()
    listed = schema.get("required")
    required = {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()
    found = [
        _field(name, _resolved(part, schema), name in required, schema)
        for name, part in list(properties.items())[:FIELDS]
    ]
    return tuple(sorted(found, key=lambda field: not field.required))


def _field(name: str, part: Json, required: bool, whole: dict[str, Json]) -> InputField:
    about = part.get("description") if isinstance(part, dict) else None
    return InputField(
        name=name,
        kind=kind_words(part, whole),
        required=required,
        about=about if isinstance(about, str) else "",
        blank=_blank(part),
    )


def _resolved(part: Json, whole: dict[str, Json]) -> Json:
    """The part itself, or what it refers to in the same schema."""
    for _ in range(_DEPTH):
        reference = part.get("$ref") if isinstance(part, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        found: Json = whole
        for step in reference[2:].split("/"):
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        part = found
    return part


_KINDS = {
    "string": "text", "number": "number", "integer": "whole number", "boolean": "true or false", "null": "null",
    "object": "object", "array": "list",
}  # fmt: skip


def kind_words(part: Json, whole: dict[str, Json], depth: int = 0) -> str:
    """What a field holds, in words."""
    part = _resolved(part, whole)
    if not isinstance(part, dict) or depth > _DEPTH:
        return "anything"
    if "const" in part:
        return json.dumps(part["const"], ensure_ascii=False)
    values = part.get("enum")
    if isinstance(values, list) and values:
        told = [json.dumps(value, ensure_ascii=False) for value in values[:_ALTERNATIVES]]
        return "one of " + ", ".join(told) + (" …" if len(values) > _ALTERNATIVES else "")
    for key in ("anyOf", "oneOf"):
        choices = part.get(key)
        if isinstance(choices, list) and choices:
            told = [kind_words(choice, whole, depth + 1) for choice in choices[:_ALTERNATIVES]]
            return " or ".join(dict.fromkeys(told))
    kind = part.get("type")
    if isinstance(kind, list):
        return " or ".join(_KINDS.get(str(one), str(one)) for one in kind[:_ALTERNATIVES]) or "anything"
    if kind == "array" and part.get("items") is not None:
        inner = kind_words(part["items"], whole, depth + 1)
        return "list" if inner == "anything" else f"list of {_many(inner)}"
    return _KINDS.get(str(kind), "anything")


def _many(kind: str) -> str:
    return {"text": "texts", "number": "numbers", "whole number": "whole numbers", "object": "objects"}.get(
        kind, kind
    )


def _blank(part: Json) -> str:
    if not isinstance(part, dict):
        return '""'
    values = part.get("enum")
    if "const" in part or (isinstance(values, list) and values):
        return json.dumps(part["const"] if "const" in part else values[0], ensure_ascii=False)  # type: ignore[index]
    kind = part.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    return {"string": '""', "boolean": "true", "object": "{}", "array": "[]", "null": "null"}.get(
        str(kind), "0" if kind in ("number", "integer") else '""'
    )


def complete(text: str, fields: tuple[InputField, ...]) -> tuple[str, int] | None:
    """The text with the next field of the input put in, and where the cursor belongs; None: nothing is left to put in.

    A name that was begun at the end of the text is finished; else the first field that isn't there yet is added, at
    the end of the object. `text` is one line of JSON, finished or not.
    """
    stripped = text.strip()
    if not stripped:
        stripped = "{"
    begun = _begun(stripped)
    if begun is None and _open_text(stripped):
        return None
    if begun is not None:
        at, prefix = begun
        field = next(
            (one for one in fields if one.name.startswith(prefix) and one.name not in _names(stripped[:at])),
            None,
        )
        return None if field is None else _put(stripped[:at], field, "")
    field = next((one for one in fields if one.name not in _names(stripped)), None)
    if field is None:
        return None
    closed = stripped.endswith("}") and _depth(stripped) == 0
    head = (stripped[:-1] if closed else stripped).rstrip()
    if _depth(head) != 1:
        return None
    if not head.endswith(("{", ",")):
        head += ","
    return _put(head if head.endswith("{") else head + " ", field, "}" if closed else "")


def _put(head: str, field: InputField, tail: str) -> tuple[str, int]:
    text = f"{head}{json.dumps(field.name, ensure_ascii=False)}: {field.blank}"
    # Between the quotes or brackets of an empty value, else behind it.
    inside = 1 if field.blank in ('""', "[]", "{}") else 0
    return text + (tail or "}"), len(text) - inside


def _pieces(text: str) -> list[tuple[int, str]]:
    return [(found.start(), found.group()) for found in _KEY.finditer(text)]


def _depth(text: str) -> int:
    signs = [piece for _, piece in _pieces(text) if piece in "{}[]"]
    return sum(1 if sign in "{[" else -1 for sign in signs)


def _begun(text: str) -> tuple[int, str] | None:
    """The name at the end of the text that has no closing quote: where it begins, and its letters so far."""
    pieces = _pieces(text)
    if not pieces:
        return None
    at, last = pieces[-1]
    unfinished = _open_text(text)
    expected = len(pieces) > 1 and pieces[-2][1] in ("{", ",")
    return (at, last[1:]) if unfinished and expected and _depth(text[:at]) == 1 else None


def _open_text(text: str) -> bool:
    """Whether it ends inside a text that has no closing quote."""
    pieces = _pieces(text)
    last = pieces[-1][1] if pieces else ""
    return last.startswith('"') and (len(last) == 1 or not last.endswith('"'))


def _names(text: str) -> set[str]:
    """The names of the object's own fields so far."""
    found, depth = set(), 0
    pieces = _pieces(text)
    for number, (_, piece) in enumerate(pieces):
        if piece in ("{", "["):
            depth += 1
        elif piece in ("}", "]"):
            depth -= 1
        elif (
            depth == 1 and piece.startswith('"') and number + 1 < len(pieces) and pieces[number + 1][1] == ":"
        ):
            try:
                found.add(str(json.loads(piece)))
            except ValueError:
                continue
    return found
