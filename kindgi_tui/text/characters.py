"""What a single character does to a terminal, and the visible signs for those that must not reach it.

Most text never gets here: `SUSPECT` finds the few places that need a decision, everything else is plain.
"""

import re
import unicodedata
from enum import Enum
from functools import lru_cache

MARKS_PER_LETTER = 5
"""How many combining marks one letter keeps. Real scripts need at most four; taller stacks draw over other lines."""

_TONES = "\U0001f3fb-\U0001f3ff"
_PICTOGRAPHS = (
    "©®‼⁉™ℹ\u2190-\u21ff\u231a-\u23ffⓂ\u25aa-\u25cb\u25cd-\u27bf\u2934\u2935\u2b00-\u2bff〰〽㊗㊙"
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
_ELEMENT = f"[{_PICTOGRAPHS}](?:\ufe0f|[{_TONES}])?"
_TAGS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in name) for name in ("gbeng", "gbsct", "gbwls")
)

_PLAIN = (
    "\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0377\u037a-\u037f\u0384-\u0482\u048a-\u052f\u0531-\u0556"
    "\u2010-\u2027\u202f-\u205f\u2070\u2071\u2074-\u208e\u20a0-\u20bf\u2100-\u218b\u2190-\u2bff"
    "\u3000-\u3029\u3030-\u303f\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uff01-\uff9f\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
)

SUSPECT = re.compile(
    f"(?P<whole>{_ELEMENT}(?:\u200d{_ELEMENT}){{1,3}}|\U0001f3f4(?:{_TAGS})\U000e007f)|(?P<run>[^{_PLAIN}]+)"
)
"""Matches `whole` (an emoji sequence that is kept as it is: at most four elements, so that nothing can hide in an
endless one, or one of the three flags written with tags) or `run` (characters to look at one by one)."""

_PICTOGRAPH = re.compile(f"[{_PICTOGRAPHS}]")
_JOINING_SCRIPTS = re.compile("[\u0620-\u109f\u1780-\u17ff]")

_IGNORED = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters and marks that Unicode shows as nothing at all."""


class Kind(Enum):
    """What to do with one character."""

    KEEP = "keep"
    """It takes room of its own."""

    MARK = "mark"
    """It is drawn on the letter before it and takes no room."""

    SELECTOR = "selector"
    """A variation selector: it changes how the character before it looks."""

    TONE = "tone"
    """A skin tone: it colours the pictograph before it."""

    NON_JOINER = "non-joiner"
    """U+200C: right between letters of scripts that join, nothing elsewhere."""

    SIGN = "sign"
    """It controls something, is invisible or is no character: shown as a visible sign."""


@lru_cache(maxsize=8192)
def kind(character: str) -> Kind:
    """What to do with `character`, by its Unicode category and the exceptions above."""
    point = ord(character)
    if 0xFE00 <= point <= 0xFE0F or 0xE0100 <= point <= 0xE01EF or point in (0x180B, 0x180C, 0x180D, 0x180F):
        return Kind.SELECTOR
    if 0x1F3FB <= point <= 0x1F3FF:
        return Kind.TONE
    if point == 0x200C:
        return Kind.NON_JOINER
    if character in _IGNORED:
        return Kind.SIGN
    category = unicodedata.category(character)
    if category[0] == "M" or 0x1161 <= point <= 0x11FF or 0xD7B0 <= point <= 0xD7FB:
        return Kind.MARK
    if category in {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}:
        # Pictographs newer than this Python's Unicode count as unassigned, but never come here: they are plain.
        return Kind.SIGN
    return Kind.KEEP


def is_pictograph(character: str) -> bool:
    """Whether a skin tone may follow `character`. An empty string is none."""
    return _PICTOGRAPH.match(character) is not None


def joins(before: str, after: str) -> bool:
    """Whether U+200C between these two has a meaning: both are letters (or marks) of scripts whose letters join."""
    return bool(
        _JOINING_SCRIPTS.match(before)
        and _JOINING_SCRIPTS.match(after)
        and unicodedata.category(after)[0] == "L"
    )


def visible_sign(character: str) -> str:
    """The sign for one character: a control picture (`␛`, `␀`, `␡`) for C0 and DEL, else like `‹U+202E›`."""
    point = ord(character)
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "␡"
    return f"‹U+{point:04X}›"


def marks_sign(marks: str) -> str:
    """The sign for the marks of a stack that is too tall, like `‹+12 marks›`."""
    return f"‹+{len(marks)} mark{'s' if len(marks) > 1 else ''}›"


def json_escapes(characters: str) -> str:
    """The same characters as JSON escapes, like `\\u202e`: what is shown stays JSON and means the same."""
    points = "".join(
        (chr(0xD800 + ((ord(c) - 0x10000) >> 10)) + chr(0xDC00 + ((ord(c) - 0x10000) & 0x3FF)))
        if ord(c) > 0xFFFF
        else c
        for c in characters
    )
    return "".join(f"\\u{ord(c):04x}" for c in points)
