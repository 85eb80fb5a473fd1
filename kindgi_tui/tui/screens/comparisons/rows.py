"""How a comparison stands in a list."""

from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.headline import percents
from kindgi_tui.session.own_sets import set_words
from kindgi_tui.text import one_line
from kindgi_tui.tui.screens.comparison.rows import candidate_name
from kindgi_tui.tui.screens.runs.rows import when
from kindgi_tui.tui.widgets.line_list import Cell

STATUSES = {
    "completed": ("✓ done", "yes"), "failed": ("✗ failed", "bad"), "cancelled": ("− cancelled", "no"),
    "running": ("… running", "key"), "pending": ("· pending", "dim"),
}  # fmt: skip
"""A status in sign, word and style."""


def comparison_row(one: Comparison, width: int) -> list[Cell]:
    """A comparison as cells of a list of that width: when, status, pass rates and their word, candidate, test set."""
    words, style = STATUSES[one.status]
    cells = [Cell(when(one.created_at), 12, "dim"), Cell(words, 12, style)]
    if width >= 50:
        cells.append(Cell(came_to(one), 14))
    if width >= 76:
        cells.append(Cell(how_sure(one), 18, {"better": "yes", "worse": "no"}.get(_word(one), "dim")))
    left = width - sum(cell.cells for cell in cells)
    notes = ", ".join(notes_of(one))
    if width >= 130:
        cells.append(Cell(one_line(notes, 33), 34, "dim"))
        left -= 34
    name = candidate_name(one)
    on = one_line(f"{set_words(one.test_set_id)} {one.test_set_version}", 60)
    if left < 40:
        marked = "experts · " if one.request.weighing == "experts-only" else ""
        told = one_line(f"{marked}{one.request.subject_version} {name.rpartition(' ')[0]}", max(1, left))
        return [*cells, Cell(told, max(1, left))]
    return [*cells, Cell(name, left - left // 2), Cell(on, left // 2, "dim")]


def came_to(one: Comparison) -> str:
    """The pass rate, recorded and now; while it runs how far it is."""
    brief, progress = one.brief, one.progress
    if one.status in ("running", "pending"):
        return progress.done() if progress.repetitions is not None else f"{progress.done()} done"
    if brief is None:
        return ""
    if brief.before is not None and brief.now is not None:
        return " → ".join(percents(brief.before, brief.now))
    return " → ".join("–" if side is None else percents(side, side)[0] for side in (brief.before, brief.now))


def _word(one: Comparison) -> str:
    return one.brief.word if one.brief is not None and one.status not in ("running", "pending") else ""


def how_sure(one: Comparison) -> str:
    """The word of its interval."""
    return one_line(_word(one), 30)


def notes_of(one: Comparison) -> list[str]:
    """What else there is to know: rescores, new items, options."""
    # First, because it changes what the numbers mean, and a narrow list cuts the end.
    notes = ["expert groups only"] if one.request.weighing == "experts-only" else []
    if one.rescores:
        notes.append(f"rescored ×{one.rescores}")
    if one.brief is not None and one.brief.waiting:
        notes.append(f"{one.brief.waiting:,} new")
    if one.progress.errors:
        notes.append(f"{one.progress.errors:,} errors")
    if one.request.sample is not None:
        notes.append(one.request.sample.part)
    if one.request.overrides is not None:
        notes.append("overrides")
    return notes
