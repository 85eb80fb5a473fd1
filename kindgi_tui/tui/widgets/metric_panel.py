"""The metrics of a comparison: recorded and candidate with a bar, the change, how sure it is.

Only cells that changed are painted anew: figures come in several times a second, over slow links too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from kindgi_tui.domain.headline import percents
from kindgi_tui.session.reviewing import Measure
from kindgi_tui.text import one_line, truncate_cells, width
from kindgi_tui.tui.widgets.named_styles import NamedStyles

NONE = "–"
"""What stands where there is no evidence."""

_LABEL, _BAR = 19, 24
"""The widest label, and the widest bar."""


@dataclass(frozen=True)
class _Column:
    """One column: how wide, whether to the right, and what it says of a metric, with the name of its style."""

    title: str
    cells: int
    right: bool
    told: Callable[[Measure, int], tuple[str, str]]


class MetricPanel(Widget):
    """A line for each metric under a line of titles."""

    COMPONENT_CLASSES = {"metric-panel--dim", "metric-panel--up", "metric-panel--down", "metric-panel--bar"}
    DEFAULT_CSS = """
    MetricPanel { height: 4; background: $background; color: $foreground; }
    MetricPanel .metric-panel--dim { color: $secondary; }
    MetricPanel .metric-panel--up { color: $success; text-style: bold; }
    MetricPanel .metric-panel--down { color: $warning; text-style: bold; }
    MetricPanel .metric-panel--bar { color: $primary; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._measures: tuple[Measure, ...] = ()
        self._candidate = "now"
        self._columns: tuple[_Column, ...] = ()
        self._rows: list[list[tuple[str, str]]] = []
        self._style = NamedStyles(self, "metric-panel")

    def show(self, measures: Sequence[Measure], candidate: str) -> None:
        """Shows these figures; `candidate` is the candidate's version, over its column."""
        self._measures, self._candidate = tuple(measures), one_line(candidate, 10)
        self._update()

    def _update(self) -> None:
        """Paints the cells that are others than they were."""
        room = self.size.width
        columns = _columns(self._measures, room, self._candidate)
        rows = [[(column.title, "dim") for column in columns]]
        rows += [[column.told(one, column.cells) for column in columns] for one in self._measures]
        before, self._rows = self._rows, rows
        shape = [(column.cells, column.right) for column in columns]
        if shape != [(column.cells, column.right) for column in self._columns] or len(before) != len(rows):
            self._columns = columns
            self.refresh()
            return
        self._columns = columns
        for y, (old, new) in enumerate(zip(before, rows, strict=True)):
            x = 1
            for column, was, now in zip(columns, old, new, strict=True):
                if was != now:
                    self.refresh(Region(x, y, column.cells, 1))
                x += column.cells

    def render_line(self, y: int) -> Strip:
        """One line."""
        room = self.size.width
        row = self._rows[y] if y < len(self._rows) else []
        segments, left = [Segment(" ", self._style(""))], room - 1
        for column, (words, style) in zip(self._columns, row, strict=False):
            if column.cells > left:
                break
            segments.append(Segment(_fit(words, column.cells, column.right), self._style(style)))
            left -= column.cells
        segments.append(Segment(" " * max(0, left), self._style("")))
        return Strip(segments, room)

    def notify_style_update(self) -> None:
        """Forgets the styles of the last theme."""
        super().notify_style_update()
        self._style.forget()

    def on_resize(self, event: events.Resize) -> None:
        """Chooses the columns that fit."""
        self._update()


def _columns(measures: Sequence[Measure], room: int, candidate: str) -> tuple[_Column, ...]:
    """The columns that fit, the most needed ones first; what is left makes the bar longer."""
    repeated = any(one.spread is not None for one in measures)
    roomy = room >= 100
    offered: list[tuple[int, _Column]] = [
        (0, _Column("", _LABEL if room >= 78 else 14, False, lambda one, cells: (one.label, ""))),
        (0, _Column("recorded" if roomy else "then", 9 if roomy else 6, True, _before)),
        (0, _Column("", 3, False, lambda one, cells: (" → ", "dim"))),
        (0, _Column(candidate if roomy else "now", 9 if roomy else 6, False, _now)),
        (6, _Column("", 4, False, _bar)),
        (1, _Column("points" if roomy else "pts", 7 if roomy else 5, True, _delta)),
        (4, _Column("95% interval" if roomy else "interval", 14 if roomy else 12, True, _interval)),
        (
            3,
            _Column(
                "", 18, False, lambda one, cells: (f" {one_line(one.word, cells - 1)}", _word_style(one))
            ),
        ),
        (5, _Column("spread" if roomy else "±", 7 if roomy else 4, True, _spread)),
        (2, _Column("n", 7 if roomy else 6, True, lambda one, cells: (f"{one.n:,}", ""))),
    ]
    if not repeated:
        offered = [each for each in offered if each[1].told is not _spread]
    left, taken = room - 1, set()
    for place in sorted(range(len(offered)), key=lambda each: offered[each][0]):
        if offered[place][1].cells <= left:
            left -= offered[place][1].cells
            taken.add(place)
    columns = []
    for place in sorted(taken):
        column = offered[place][1]
        if column.told is _bar:
            column = _Column("", min(_BAR, column.cells + left), False, _bar)
        columns.append(column)
    return tuple(columns)


def _both(one: Measure) -> tuple[str, str]:
    if one.before is not None and one.now is not None:
        return percents(one.before, one.now)
    before, now = (NONE if side is None else percents(side, side)[0] for side in (one.before, one.now))
    return before, now


def _before(one: Measure, cells: int) -> tuple[str, str]:
    return _both(one)[0], "dim"


def _now(one: Measure, cells: int) -> tuple[str, str]:
    return _both(one)[1], ""


def _bar(one: Measure, cells: int) -> tuple[str, str]:
    """A bar as long as the candidate's value, with a mark where the recorded one is."""
    size = cells - 1
    if one.now is None and one.before is None:
        return "", "bar"
    full = round((one.now or 0) * size)
    bar = ["█" if place < full else "░" for place in range(size)]
    if one.before is not None:
        bar[min(size - 1, int(one.before * size))] = "│"
    return "".join(bar), "bar"


def _delta(one: Measure, cells: int) -> tuple[str, str]:
    style = "" if not one.delta else "up" if one.delta > 0 else "down"
    return points(one.delta), style


def _interval(one: Measure, cells: int) -> tuple[str, str]:
    if one.interval is None:
        return NONE, "dim"
    return f"{points(one.interval.low)} … {points(one.interval.high)}", ""


def _spread(one: Measure, cells: int) -> tuple[str, str]:
    return points(one.spread).lstrip("+"), "dim"


def _word_style(one: Measure) -> str:
    return {"better": "up", "worse": "down"}.get(one.word, "dim")


def points(share: float | None) -> str:
    """A change in percentage points with its sign."""
    if share is None:
        return NONE
    value = share * 100
    if value == 0:
        return "0"
    shown = f"{value:+.0f}" if abs(value) >= 1 else f"{value:+.2g}"
    return shown.replace("-", "−")


def _fit(words: str, cells: int, right: bool) -> str:
    size = width(words)
    if size > cells:
        words = truncate_cells(words, cells)
        size = width(words)
    blank = " " * (cells - size)
    return blank + words if right else words + blank
