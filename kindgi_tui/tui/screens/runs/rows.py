"""How a run stands in a list."""

from datetime import datetime
from typing import TYPE_CHECKING

from kindgi_tui.text import one_line
from kindgi_tui.tui.widgets.line_list import Cell

if TYPE_CHECKING:
    from kindgi_tui.domain.runs import Run

MARKS = {"completed": "✓", "failed": "✗", "running": "…", "pending": "·", "suspended": "‖", "cancelled": "−"}
"""A status as one sign; the row's colour says it again."""


def when(moment: datetime) -> str:
    """A time of a list, in the local zone."""
    return moment.astimezone().strftime("%m-%d %H:%M")


def run_row(run: "Run", width: int) -> list[Cell]:
    """A run as cells of a list of that width: when, status, judged, what ran, its input."""
    bad = run.status == "failed"
    judged = f"{run.judgments:>3} " if run.judgments else "  · "
    cells = [
        Cell(when(run.created_at), 12, "dim"),
        Cell(MARKS.get(run.status, "?"), 2, "bad" if bad else "dim"),
        Cell(judged, 5, "yes" if run.judgments else "dim"),
    ]
    if width >= 60:
        room = min(26, max(15, width // 5))
        # The last part of an id tells agents of one pack apart.
        named = run.subject.id if len(run.subject.id) < room else run.subject.id.rpartition(".")[2]
        cells += [Cell(one_line(named, room - 1), room), Cell(one_line(run.subject.version, 8), 9, "dim")]
    if width >= 110 and run.segments:
        cells.append(Cell(one_line(" › ".join(part.value for part in run.segments), 20), 16, "dim"))
    left = width - sum(cell.cells for cell in cells)
    cells.append(Cell(one_line(run.preview, max(8, left)), max(8, left), "bad" if bad else ""))
    return cells
