"""How many cells cleaned text takes, cutting and wrapping it. The widths are Rich's, which draws it."""

import re

from rich.cells import cell_len, split_graphemes

_CHARACTERS_PER_CELL = 8
"""More characters than this a cell don't occur in cleaned text: a letter with five marks has six."""

_WORDS = re.compile(r" *[^ ]+| +")


def width(text: str) -> int:
    """The cells `text` takes on one line. It is cleaned text without newlines."""
    if text.isascii() and text.isprintable():
        return len(text)
    return cell_len(text)


def truncate_cells(text: str, cells: int) -> str:
    """`text` in at most `cells` cells, with `…` as the last one where something was cut off.

    Never splits a character that takes two cells, nor one from its marks. Looks only at what can be shown.
    """
    if cells <= 0:
        return ""
    head = text[: cells * _CHARACTERS_PER_CELL + 64]
    if len(head) == len(text) and width(text) <= cells:
        return text
    return _fitting(head, cells - 1) + "…"


def wrap(text: str, cells: int, lines: int | None = None) -> list[str]:
    """The lines of cleaned `text`, each at most `cells` wide: broken at spaces, a longer word where it must be.

    Spaces where a line was broken go; those that begin a line stay. A blank line is an empty string. A character
    wider than `cells` stands alone on its line. With `lines` at most that many are made, and no more of `text` is
    looked at than they need.
    """
    cells = max(cells, 1)
    found: list[str] = []
    position = 0
    while position <= len(text):
        if lines is not None and len(found) >= lines:
            return found[:lines]
        end = text.find("\n", position, None if lines is None else position + _reach(cells, lines) + 1)
        if end < 0:
            end = len(text)
        stop = end if lines is None else min(end, position + _reach(cells, lines))
        found.extend(_wrap_line(text[position:stop], cells))
        position = end + 1
        if stop < end:
            break
    return found if lines is None else found[:lines]


def _reach(cells: int, lines: int) -> int:
    """How many characters can be on `lines` lines at most."""
    return cells * lines * _CHARACTERS_PER_CELL + 64


def _fitting(text: str, cells: int) -> str:
    """The longest start of `text` that takes at most `cells` cells."""
    if text.isascii() and text.isprintable():
        return text[:cells]
    used = 0
    for start, _, size in split_graphemes(text)[0]:
        used += size
        if used > cells:
            return text[:start]
    return text


def _wrap_line(line: str, cells: int) -> list[str]:
    """The lines of one line without newlines; at least one."""
    if len(line) <= cells and width(line) <= cells:
        return [line]
    done: list[str] = []
    current, used = "", 0
    for match in _WORDS.finditer(line):
        word = match.group()
        size = width(word)
        if used + size <= cells:
            current, used = current + word, used + size
            continue
        if used:
            done.append(current.rstrip(" "))
            word = word.lstrip(" ")
            size = width(word)
        if size <= cells:
            current, used = word, size
            continue
        *full, current = _chop(word, cells)
        done.extend(full)
        used = width(current)
    if current.strip(" ") or not done:
        done.append(current.rstrip(" "))
    return done


def _chop(word: str, cells: int) -> list[str]:
    """`word` in pieces of at most `cells` cells, each at least one character; at least one piece."""
    if word.isascii() and word.isprintable():
        return [word[start : start + cells] for start in range(0, len(word), cells)] or [""]
    pieces: list[str] = []
    begin = used = 0
    for start, _, size in split_graphemes(word)[0]:
        if used + size > cells and start > begin:
            pieces.append(word[begin:start])
            begin, used = start, 0
        used += size
    pieces.append(word[begin:])
    return pieces
