"""How JavaScript reads, orders, rounds and writes JSON, where the 0.1 wire's rules depend on it (DESIGN section 4).

Everything here takes the values `json.loads` gives. Numbers become doubles, as they do on the other side.
"""

import math
import re
from collections.abc import ItemsView, Iterable

from kindgi_tui.domain.base import Json

Number = int | float
"""A JSON number. Whole ones are kept as `int`, so that they are written without a fraction."""

SAFE_INTEGER = 2**53 - 1
"""The largest whole number below which every whole number has a double of its own."""

_LAST_INDEX = 2**32 - 2
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_RADIX = {"0x": 16, "0o": 8, "0b": 2}
_RADIX_DIGITS = {16: re.compile(r"[0-9a-fA-F]+"), 8: re.compile(r"[0-7]+"), 2: re.compile(r"[01]+")}


def is_number(value: object) -> bool:
    """Whether a JSON value is a number; `true` and `false` are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def double(number: Number) -> float:
    """The number as a double; one that is too large is infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def whole(number: Number) -> Number:
    """The double nearest to the number: an `int` where JavaScript writes it without fraction or exponent."""
    if isinstance(number, int) and -SAFE_INTEGER <= number <= SAFE_INTEGER:
        return number
    value = double(number)
    if not value.is_integer() or abs(value) >= 1e21:
        return value
    return int(value) if abs(value) <= SAFE_INTEGER else int(number_text(value))


def number_text(number: Number) -> str:
    """The number as JavaScript writes it: `1.0` is `1`, `-0.0` is `0`, 10^21 is `1e+21`."""
    value = double(number)
    if math.isnan(value):
        return "NaN"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    if math.isinf(value):
        return f"{sign}Infinity"
    mantissa, _, exponent = repr(abs(value)).partition("e")
    before, _, after = mantissa.partition(".")
    digits = (before + after).lstrip("0")
    point = len(before) + int(exponent or 0) - (len(before + after) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        text = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        text = f"{digits[0]}{fraction}e{point - 1:+d}"
    return sign + text


def read_number(text: str) -> float | None:
    """A text read as a number as `Number(text)` does: blank is 0, `0x1F` and `1e2` count; None for no number."""
    stripped = text.strip(_SPACE)
    if stripped == "":
        return 0.0
    radix = _RADIX.get(stripped[:2].lower())
    if radix is not None:
        digits = stripped[2:]
        return double(int(digits, radix)) if _RADIX_DIGITS[radix].fullmatch(digits) else None
    if _DECIMAL.fullmatch(stripped):
        return float(stripped)
    return {"Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}.get(stripped)


_LEADING_INT = re.compile(r"([+-]?)([0-9]+)")


def read_leading_int(text: str) -> int | None:
    """The whole number a text begins with, as `parseInt(text, 10)` reads it; None for none, and for one too large.

    What follows it doesn't count: `2.7` and `2abc` are 2, `1e3` is 1.
    """
    match = _LEADING_INT.match(text.lstrip(_SPACE))
    if match is None:
        return None
    digits = match[2].lstrip("0")
    if len(digits) > 309 or math.isinf(double(int(digits or "0"))):
        return None
    return -int(digits or "0") if match[1] == "-" else int(digits or "0")


def round_half_up(value: float) -> int:
    """The nearest whole number; a half goes up, also below zero."""
    below = math.floor(value)
    return below if value - below < 0.5 else below + 1


def fields(value: dict[str, Json]) -> Iterable[tuple[str, Json]]:
    """An object's fields in JavaScript's order: integer-like keys ascending, then the others as they came."""
    entries: ItemsView[str, Json] = value.items()
    indexes = [(int(key), key) for key in value if _is_index(key)]
    if not indexes:
        return entries
    first = {key: value[key] for _, key in sorted(indexes)}
    return [*first.items(), *((key, child) for key, child in entries if key not in first)]


def _is_index(key: str) -> bool:
    return _INDEX.fullmatch(key) is not None and int(key) <= _LAST_INDEX


def utf16_order(text: str) -> bytes:
    """A sort key that orders texts by their UTF-16 code units; lone surrogates are fine."""
    return text.encode("utf-16-be", "surrogatepass")


def utf8(text: str) -> bytes:
    """The text as UTF-8; a lone surrogate becomes U+FFFD, as text encoders of that side write it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def json_equal(left: Json, right: Json) -> bool:
    """JSON equality: key order does not matter, 1 is 1.0, `true` is not 1, numbers are doubles.

    An infinite number (text such as `1e400`) is written as null, so it equals null.
    """
    pairs: list[tuple[Json, Json]] = [(left, right)]
    while pairs:
        a, b = pairs.pop()
        if isinstance(a, str) or isinstance(b, str):
            if a != b:
                return False
        elif isinstance(a, dict):
            if not isinstance(b, dict) or a.keys() != b.keys():
                return False
            pairs.extend((child, b[key]) for key, child in a.items())
        elif isinstance(a, list):
            if not isinstance(b, list) or len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif isinstance(b, dict | list) or not _scalar_equal(a, b):
            return False
    return True


def _scalar_equal(a: Json, b: Json) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return _finite(a) == _finite(b)


def _finite(value: Json) -> float | None:
    if not isinstance(value, int | float):
        return None
    number = double(value)
    return number if math.isfinite(number) else None


def written(value: Json) -> Json:
    """The value as it is after `JSON.parse` and `JSON.stringify`: fields in that order, numbers as doubles.

    Whole numbers are `int` up to 10^21; what is not finite is null. Works at any depth.
    """
    if isinstance(value, int) and -SAFE_INTEGER <= value <= SAFE_INTEGER:
        return value
    holder: list[Json] = [value]
    todo: list[tuple[list[Json] | dict[str, Json], int | str]] = [(holder, 0)]
    while todo:
        place, at = todo.pop()
        current = place[at]  # type: ignore[index]
        if isinstance(current, dict):
            copy: dict[str, Json] = dict(fields(current))
            place[at] = copy  # type: ignore[index]
            todo.extend((copy, key) for key, child in copy.items() if not isinstance(child, str))
        elif isinstance(current, list):
            listed = list(current)
            place[at] = listed  # type: ignore[index]
            todo.extend((listed, i) for i, child in enumerate(listed) if not isinstance(child, str))
        elif isinstance(current, int | float) and not isinstance(current, bool):
            number = whole(current)
            place[at] = number if math.isfinite(double(number)) else None  # type: ignore[index]
    return holder[0]
