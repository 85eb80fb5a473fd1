"""JSON Pointers (RFC 6901): written, read strictly, and read as leniently as matching does on the 0.1 wire."""

import re

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.javascript import read_number
from kindgi_tui.domain.plain import Plain

_PLACE = re.compile(r"0|[1-9][0-9]*")

_INHERITED = frozenset(
    (
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
    )
)
"""Names every object answers to on the wire's other side, with something that JSON has no value for."""


class Found(Plain):
    """What stands at a pointer."""

    null_is_a_value = frozenset(("value",))

    found: bool
    """Whether anything stands there."""
    value: Json = None
    """What stands there; not given when nothing does, or when JSON cannot say it."""


NOTHING = Found.make(found=False)
"""Nothing stands at the pointer."""

_UNSPEAKABLE = Found.make(found=True)


def escape(token: str) -> str:
    """One step of a pointer: `~` as `~0`, `/` as `~1`."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """The key or place that one step of a pointer names."""
    return token.replace("~1", "/").replace("~0", "~")


def resolve(document: Json, pointer: str) -> Found:
    """The value at a pointer, read strictly: what a judgment's pointer must pass when it is recorded.

    Places in lists are `0` or digits without a leading zero. The first character is not looked at.
    """
    current = document
    for raw in pointer[1:].split("/") if pointer else ():
        token = unescape(raw)
        if isinstance(current, list):
            if not _PLACE.fullmatch(token) or len(token) > 18 or int(token) >= len(current):
                return NOTHING
            current = current[int(token)]
        elif isinstance(current, dict) and token in current:
            current = current[token]
        else:
            return NOTHING
    return Found.make(found=True, value=current)


def look_up(document: Json, pointer: str) -> Found:
    """The value at a pointer, read leniently, as matching does.

    A place in a list is whatever JavaScript reads as a whole number (`01`, `1e0`, `0x1`, blank for 0). A name
    that every JavaScript object inherits (`toString`, `__proto__`) is found where the object has none of its own.
    """
    if pointer == "":
        return Found.make(found=True, value=document)
    if not pointer.startswith("/"):
        return NOTHING
    current = document
    tokens = [unescape(raw) for raw in pointer[1:].split("/")]
    for i, token in enumerate(tokens):
        if isinstance(current, list):
            number = read_number(token)
            if number is None or not number.is_integer() or not 0 <= number < len(current):
                return NOTHING
            current = current[int(number)]
        elif isinstance(current, dict):
            if token not in current:
                return _inherited(tokens[i:])
            current = current[token]
        else:
            return NOTHING
    return Found.make(found=True, value=current)


def _inherited(tokens: list[str]) -> Found:
    """What an object's prototype has at the rest of a pointer: methods, itself empty, and null above it."""
    *steps, last = tokens
    if last in _INHERITED and all(step == "__proto__" for step in steps) and len(steps) <= 1:
        return _UNSPEAKABLE
    if last == "__proto__" and not steps:
        return Found(found=True, value={})
    if tokens == ["__proto__", "__proto__"]:
        return Found(found=True, value=None)
    return NOTHING
