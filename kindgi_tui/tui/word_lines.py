"""What changed between two texts as lines of a pane: signs and styles, never colour alone, say what went and came."""

import re
from collections.abc import Iterable

from kindgi_tui.text import clean, width, wrap
from kindgi_tui.text.diffs import Piece
from kindgi_tui.tui.widgets.text_pane import Run

SIGNS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
"""What stands around a stretch, as the command line has it."""

SAME = 240
"""Characters of an unchanged stretch that are shown: more are left out in its middle."""

CHANGED = 4_000
"""Characters of a changed stretch that are shown."""

_WORDS = re.compile(r"\n|[^\S\n]+|\S+")


def word_lines(pieces: Iterable[Piece], cells: int, indent: int = 2) -> list[Run]:
    """The pieces wrapped to so many cells."""
    room = max(4, cells - indent)
    lines: list[Run] = []
    line: list[tuple[str, str]] = []
    used = 0

    def end() -> None:
        nonlocal line, used
        lines.append(Run(((" " * indent, ""), *line)))
        line, used = [], 0

    for words, style in _words(pieces):
        if words == "\n":
            end()
            continue
        if words.isspace() and used == 0 and lines:
            continue
        if used and used + width(words) > room:
            end()
            if words.isspace():
                continue
        *whole, last = wrap(words, room) if width(words) > room else [words]
        for part in whole:
            line.append((part, style))
            end()
        line.append((last, style))
        used += width(last)
    if line:
        end()
    return lines


def _words(pieces: Iterable[Piece]) -> Iterable[tuple[str, str]]:
    for kind, text in pieces:
        before, after = SIGNS[kind]
        style = "" if kind == "same" else kind
        shown = _shortened(text) if kind == "same" else f"{before}{clean(text, CHANGED)}{after}"
        for words in _WORDS.findall(shown):
            yield words, style


def _shortened(text: str) -> str:
    if len(text) <= SAME:
        return clean(text)
    half = SAME // 2
    left = len(text) - 2 * half
    return f"{clean(text[:half])} … {left:,} the same … {clean(text[-half:])}"
