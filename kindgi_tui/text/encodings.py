"""Cleaned text in a locale that can't show all of Unicode."""

import codecs
import unicodedata
from functools import lru_cache

_PLAINER = {
    "\ufe0e": "",
    "\ufe0f": "",
    "\u200d": "+",
    "…": "...",
    "‹": "<",
    "›": ">",
    "–": "-",
    "—": "-",
    "−": "-",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "•": "*",
    "·": ".",
    "→": "->",
    "←": "<-",
    "×": "x",
    "≥": ">=",
    "≤": "<=",
    "✓": "y",
    "✗": "n",
    "─": "-",
    "│": "|",
    "█": "#",
    "░": ".",
}
"""What our own signs, and the joints of emoji sequences, become."""


def for_encoding(text: str, encoding: str) -> str:
    """`text` in characters that `encoding` has, each encoded without a control byte.

    Others become plainer ones (`…` is `...`, `␛` is `^[`, `é` is `e`) or their number (`<U+4E2D>`). An encoding
    Python doesn't know counts as ASCII. Expects cleaned text.
    """
    if text.isascii():
        return text
    name = _known(encoding)
    if name == "utf-8":
        return text.encode("utf-8", "replace").decode("utf-8")
    return "".join([character if character < "\x80" else _shown(character, name) for character in text])


@lru_cache(maxsize=64)
def _known(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        ascii_stays = "az AZ 09 ~".encode(name) == b"az AZ 09 ~"
    except (LookupError, ValueError):
        return "ascii"
    return name if ascii_stays else "ascii"


@lru_cache(maxsize=8192)
def _shown(character: str, encoding: str) -> str:
    """One character beyond ASCII as `encoding` can show it."""
    if _encodes(character, encoding):
        return character
    point = ord(character)
    if 0x2400 <= point < 0x2420:
        return "^" + chr(point - 0x2400 + 0x40)
    if character == "␡":
        return "^?"
    if character in _PLAINER:
        return _PLAINER[character]
    letters = unicodedata.normalize("NFKD", character)
    if unicodedata.combining(letters[-1]) and letters[0].isascii() and letters[0].isalpha():
        return letters[0]
    return f"<U+{point:04X}>"


def _encodes(character: str, encoding: str) -> bool:
    """Whether `encoding` has it, without the escape sequences that some encodings switch their tables with."""
    try:
        encoded = character.encode(encoding)
    except UnicodeError:
        return False
    return all(byte >= 0x20 and byte != 0x7F for byte in encoded)
