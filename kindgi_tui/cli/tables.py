"""Tables as plain aligned text: they fit a terminal, and can be read in a file and pasted anywhere."""

from collections.abc import Sequence
from typing import NamedTuple

from kindgi_tui.text import one_line, truncate_cells, width, wrap

GAP = "  "
"""Between two columns."""

WIDEST_CELL = 100
"""The most cells one cell takes where nothing says how wide the lines are."""


LONGEST_VALUE = 6_000
"""The most characters of a value that goes on under itself."""


class Column(NamedTuple):
    """One column of a table."""

    title: str
    """Its heading."""
    right: bool = False
    """Whether its cells are aligned at the right, as numbers are."""
    least: int | None = None
    """The fewest cells it can be cut to; None: never cut, such as an id."""


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]], cells: int | None) -> list[str]:
    """The heading line and one line a row, every cell made harmless; in at most `cells` cells where that can be.

    Columns that may be cut give way, the widest first.
    """
    shown = [[_cell(text, column) for text, column in zip(row, columns, strict=True)] for row in rows]
    widths = [
        max([width(column.title), *(width(row[place]) for row in shown)])
        for place, column in enumerate(columns)
    ]
    if cells is not None:
        widths = _fitted(columns, widths, cells)
    lines = [_line([column.title for column in columns], columns, widths)]
    lines.extend(_line(row, columns, widths) for row in shown)
    return lines


def short_id(value: str) -> str:
    """The beginning of a UUID that names it on a command line; another kind of id stays whole."""
    return value[:8] if len(value) == 36 and value.count("-") == 4 else value


def pairs(rows: Sequence[tuple[str, str | None]], cells: int | None = None) -> list[str]:
    """Names and values under each other; a row without a value is left out.

    With `cells` a long value goes on under itself, in lines of that width; else it is cut.
    """
    most = 2 * WIDEST_CELL if cells is None else LONGEST_VALUE
    there = [(name, one_line(value, most)) for name, value in rows if value]
    longest = max((width(name) for name, _ in there), default=0)
    lines: list[str] = []
    for name, value in there:
        parts = [value] if cells is None else wrap(value, max(20, cells - longest - len(GAP)))
        for place, part in enumerate(parts):
            title = "" if place else name
            lines.append(f"{title}{' ' * (longest - width(title))}{GAP}{part}")
    return lines


def _cell(text: str, column: Column) -> str:
    # An id is never cut: it must stay good for pasting. 512 keeps a hostile one from filling the screen.
    return one_line(text, 512 if column.least is None else WIDEST_CELL)


def _fitted(columns: Sequence[Column], widths: Sequence[int], cells: int) -> list[int]:
    fitted = list(widths)
    over = sum(fitted) + len(GAP) * (len(fitted) - 1) - cells
    while over > 0:
        room = [
            (fitted[place] - column.least, place)
            for place, column in enumerate(columns)
            if column.least is not None and fitted[place] > column.least
        ]
        if not room:
            break
        _, widest = max((fitted[place], place) for _, place in room)
        others = [fitted[place] for _, place in room if place != widest]
        least = columns[widest].least or 0
        step = min(over, fitted[widest] - max([least, *(size for size in others if size < fitted[widest])]))
        step = max(step, 1)
        fitted[widest] -= step
        over -= step
    return fitted


def _line(cells: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    parts = []
    for text, column, size in zip(cells, columns, widths, strict=True):
        shown = truncate_cells(text, size)
        blank = " " * (size - width(shown))
        parts.append(blank + shown if column.right else shown + blank)
    return GAP.join(parts).rstrip()
