"""Making any string safe to show: no control byte, nothing invisible, nothing that reorders or stacks up.

The result is plain text, not markup: a face wraps it in `rich.text.Text` and never parses it.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from kindgi_tui.text.characters import (
    MARKS_PER_LETTER,
    SUSPECT,
    Kind,
    is_pictograph,
    joins,
    kind,
    marks_sign,
    visible_sign,
)
from kindgi_tui.text.widths import truncate_cells

TAB = "    "
"""What a tab becomes."""

_BLANKS = re.compile("[ \t\r\n]+")


class _Chunk(NamedTuple):
    """A stretch of the result and how many characters of the original it stands for."""

    shown: str
    taken: int
    plain: bool
    """One shown character for each one taken, so it can be cut anywhere."""


def clean(text: str, limit: int | None = None, newlines: bool = True) -> str:
    """`text` as it may be shown: escapes, controls, bidi overrides, zero-width characters and lone surrogates as signs.

    Tabs become four spaces, `\\r\\n` a newline; without `newlines` a line feed is a sign too. Emoji sequences,
    variation selectors and combining marks stay; of a stack of marks the first five. With `limit` the result has at
    most that many characters and ends with `… n more` (n: characters of `text` not shown); only about twice `limit`
    characters are ever looked at. The result encodes as UTF-8, and cleaning it again changes nothing.
    """
    if limit is None or len(text) <= limit:
        if text.isprintable() and SUSPECT.search(text) is None:
            return text
        if limit is None:
            return rewrite(text, newlines=newlines)
    return _limited(text, limit, newlines)


def one_line(text: str, limit: int = 200) -> str:
    """`text` on one line of at most `limit` cells: blanks and line ends become one space, `…` says there is more.

    Looks at about eight characters a cell, however long the text is.
    """
    head = text[: limit * 8 + 64]
    line = clean(_BLANKS.sub(" ", head).strip(" "), newlines=False)
    cut = truncate_cells(line, limit)
    if len(head) == len(text) or cut != line:
        return cut
    return truncate_cells(line + "…", limit)


def rewrite(
    text: str,
    newlines: bool = True,
    sign: Callable[[str], str] = visible_sign,
    tall: Callable[[str], str] = marks_sign,
) -> str:
    """`text` with `sign` for each character that can't be shown and `tall` for what is too much of a stack of marks."""
    return "".join(chunk.shown for chunk in _chunks(text, newlines, sign, tall))


def _limited(text: str, limit: int, newlines: bool) -> str:
    """`clean` with a limit, looking at no more of `text` than the limit needs."""
    head = text[: 2 * limit + 64]
    chunks: list[_Chunk] = []
    size = taken = 0
    for chunk in _chunks(head, newlines, visible_sign, marks_sign):
        chunks.append(chunk)
        size += len(chunk.shown)
        taken += chunk.taken
        if size > limit:
            break
    if size <= limit and taken == len(text):
        return "".join(chunk.shown for chunk in chunks)
    room = limit - len(_tail(len(text)))
    if room < 0:
        return "…"[:limit]
    while size > room:
        last = chunks.pop()
        size -= len(last.shown)
        taken -= last.taken
        if last.plain and size < room:
            kept = last.shown[: room - size]
            chunks.append(_Chunk(kept, len(kept), True))
            size += len(kept)
            taken += len(kept)
    return "".join(chunk.shown for chunk in chunks) + _tail(len(text) - taken)


def _tail(left_out: int) -> str:
    return f"… {left_out:,} more"


def _chunks(
    text: str, newlines: bool, sign: Callable[[str], str], tall: Callable[[str], str]
) -> Iterator[_Chunk]:
    """The result in order. Every decision looks at what was shown last, so a second pass decides the same."""
    position = 0
    last = ""
    for match in SUSPECT.finditer(text):
        start, end = match.span()
        if start > position:
            yield _Chunk(text[position:start], start - position, True)
            last = text[start - 1]
        position = end
        if match.lastgroup == "whole":
            yield _Chunk(match.group(), end - start, False)
            last = text[end - 1]
            continue
        for chunk in _run(text, start, end, last, newlines, sign, tall):
            yield chunk
            last = chunk.shown[-1]
    if position < len(text):
        yield _Chunk(text[position:], len(text) - position, True)


def _run(
    text: str,
    start: int,
    end: int,
    last: str,
    newlines: bool,
    sign: Callable[[str], str],
    tall: Callable[[str], str],
) -> Iterator[_Chunk]:
    """The characters from `start` to `end` one by one; `last` was shown before them, empty at the start."""
    marks = 0
    position = start
    while position < end:
        character = text[position]
        taken = 1
        if character == "\n" and newlines:
            shown, marks = "\n", 0
        elif character == "\r" and newlines and text[position + 1 : position + 2] == "\n":
            shown, marks, taken = "\n", 0, 2
        elif character == "\t":
            shown, marks = TAB, 0
        else:
            what = kind(character)
            if what is Kind.MARK and marks >= MARKS_PER_LETTER:
                stop = position + 1
                while stop < end and kind(text[stop]) is Kind.MARK:
                    stop += 1
                shown, taken, marks = tall(text[position:stop]), stop - position, 0
            elif what is Kind.MARK:
                # A mark with no letter before it would be drawn on whatever the screen has there.
                shown, marks = character if last not in ("", "\n") else "◌" + character, marks + 1
            elif _stays(what, last, marks, text[position + 1 : position + 2]):
                shown, marks = character, 0 if what is Kind.KEEP else marks + 1
            else:
                shown, marks = sign(character), 0
        yield _Chunk(shown, taken, False)
        last = shown[-1]
        position += taken


def _stays(what: Kind, last: str, marks: int, after: str) -> bool:
    """Whether a character of this kind is shown as itself between `last` and `after`."""
    if what is Kind.SELECTOR:
        return marks == 0 and last not in ("", "\n", " ") and kind(last) not in (Kind.SELECTOR, Kind.MARK)
    if what is Kind.TONE:
        return is_pictograph(last)
    if what is Kind.NON_JOINER:
        return joins(last, after)
    return what is Kind.KEEP
