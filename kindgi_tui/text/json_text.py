"""JSON values as text: for people (pretty, safe to show, cut) and for programs (`--json`).

The writer keeps its own stack, so a value nested a thousand deep is no harder than any other.
"""

import json
import math
import re
from collections.abc import Callable, Iterator

from kindgi_tui.domain.base import Json
from kindgi_tui.text.characters import json_escapes
from kindgi_tui.text.cleaning import rewrite

_DEEPEST = 1_000_000
"""Values nested deeper than this are refused: they can only be a list or object that holds itself."""

_CUT_SEQUENCE = re.compile("[\u200d\U000e0020-\U000e007f]+$")
"""What is left at the end when a cut goes through an emoji sequence."""

_INTEGER_DIGITS = 4000
"""Python refuses to write longer integers in one go; they are written in pieces of this many digits."""


def json_text(value: Json, limit: int | None = None) -> str:
    """`value` as JSON indented by two spaces, safe to show. Without a cut it parses back to the same value.

    What `clean` would show as a sign is a JSON escape here (`\\u202e`). With `limit`, at most that many characters,
    ending in `… more`; no more of the value than that is looked at.
    """
    if limit is None:
        return "".join(_pieces(value, "  ", _shown_string, "NaN"))
    tail = "… more"
    parts: list[str] = []
    size = 0
    for piece in _pieces(value, "  ", lambda text: _shown_string(text[: limit + 1]), "NaN"):
        parts.append(piece)
        size += len(piece)
        if size > limit:
            text = _CUT_SEQUENCE.sub("", "".join(parts)[: max(limit - len(tail), 0)])
            return (text + tail)[:limit]
    return "".join(parts)


def dumps_line(value: Json) -> str:
    """`value` as JSON on one line, ASCII only and without any control byte, for programs.

    Strings come back from a parser as they were, lone surrogates too. JSON has no NaN and no Infinity: they are
    written as `null`, as JavaScript does.
    """
    try:
        line = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return "".join(_pieces(value, None, _ascii_string, "null"))
    return line.replace("\x7f", "\\u007f")


def dumps_pretty(value: Json) -> str:
    """The same as `dumps_line`, indented by two spaces. Newlines are its only control bytes."""
    return "".join(_pieces(value, "  ", _ascii_string, "null"))


def _shown_string(text: str) -> str:
    if text.isascii() and text.isprintable():
        return json.dumps(text)
    quoted = json.dumps(text, ensure_ascii=False)
    return rewrite(quoted, newlines=False, sign=json_escapes, tall=json_escapes)


def _ascii_string(text: str) -> str:
    return json.dumps(text).replace("\x7f", "\\u007f")


def _scalar(value: Json, string: Callable[[str], str], not_a_number: str) -> str:
    """A value that holds no other. `not_a_number` is `NaN` to keep what Python's parser reads, or `null`."""
    if isinstance(value, str):
        return string(value)
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return _digits(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return float.__repr__(value)
        if not_a_number == "null":
            return "null"
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _digits(value: int) -> str:
    """The decimal digits of an integer of any size."""
    if value.bit_length() < 12_000:
        return int.__repr__(value)
    base = 10**_INTEGER_DIGITS
    rest, parts = abs(value), []
    while rest:
        rest, part = divmod(rest, base)
        parts.append(str(part).rjust(_INTEGER_DIGITS, "0"))
    return ("-" if value < 0 else "") + "".join(reversed(parts)).lstrip("0")


def _pieces(
    value: Json, indent: str | None, string: Callable[[str], str], not_a_number: str
) -> Iterator[str]:
    """The text of `value`, piece by piece."""
    colon = ":" if indent is None else ": "
    stack: list[tuple[Iterator[tuple[str | None, Json]], str]] = []
    pending: tuple[str | None, Json] | None = (None, value)
    first = True
    while True:
        if pending is None:
            found = next(stack[-1][0], None)
            if found is None:
                _, closing = stack.pop()
                yield _line(indent, len(stack)) + closing
                if not stack:
                    return
                first = False
                continue
            yield ("" if first else ",") + _line(indent, len(stack))
            pending = found
        key, current = pending
        pending = None
        first = False
        if key is not None:
            yield string(key) + colon
        if isinstance(current, dict) and current:
            yield "{"
            stack.append((iter(list(current.items())), "}"))
            first = True
        elif isinstance(current, list | tuple) and current:
            yield "["
            stack.append((((None, element) for element in current), "]"))
            first = True
        else:
            yield (
                "{}"
                if current == {}
                else "[]"
                if current in ([], ())
                else _scalar(current, string, not_a_number)
            )
            if not stack:
                return
        if len(stack) > _DEEPEST:
            raise ValueError("The value holds itself.")


def _line(indent: str | None, depth: int) -> str:
    return "" if indent is None else "\n" + indent * depth
