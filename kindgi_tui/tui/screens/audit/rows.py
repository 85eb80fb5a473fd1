"""How an entry of the audit log stands in a list, and how it reads whole."""

from collections.abc import Mapping

from kindgi_tui.domain.projects import AuditEntry
from kindgi_tui.text import clean, json_text, one_line
from kindgi_tui.tui.screens.audit.about import no_way, way_of
from kindgi_tui.tui.screens.runs.rows import when
from kindgi_tui.tui.widgets.line_list import Cell
from kindgi_tui.tui.widgets.text_pane import Block, Flow, Part

LONG = 20_000
"""Characters of an entry's details that are shown."""

BRIEF = 200
"""Characters of details that stand on a line of their own; longer ones are indented JSON."""


def audit_row(entry: AuditEntry, width: int) -> list[Cell]:
    """An entry as cells of a list of that width: when, who, what, on what."""
    who = max(8, min(20, width // 6))
    what = max(14, min(24, width // 4))
    cells = [
        Cell(when(entry.at), 12, "dim"),
        Cell(one_line(entry.actor, who - 1), who, "key"),
        Cell(one_line(entry.action, what - 1), what),
    ]
    left = max(1, width - sum(cell.cells for cell in cells))
    return [*cells, Cell(one_line(short(entry.subject), left), left, "dim")]


def short(subject: str) -> str:
    """The beginning of a UUID, which names it in commands; another id stays whole."""
    return subject[:8] if len(subject) == 36 and subject.count("-") == 4 else subject


def audit_parts(entry: AuditEntry, names: Mapping[str, str]) -> list[Part]:
    """An entry as a pane shows it whole; `names` are the names of people, by id."""
    name = names.get(entry.actor, "")
    told = "" if entry.details is None else json_text(entry.details, LONG)
    brief = told if len(told) <= BRIEF else ""
    rows = [
        ("Who", f"{entry.actor} ({name})" if name else entry.actor),
        ("When", f"{entry.at.astimezone():%Y-%m-%d %H:%M:%S}"),
        ("On", entry.subject or "–"),
        ("Details", brief),
    ]
    parts: list[Part] = [Block(one_line(entry.action, 300), "head")]
    parts += [
        Flow(((f"{label:<9}", "dim"), (one_line(value, 2_000), "")), 0, 9) for label, value in rows if value
    ]
    if told and not brief:
        parts += [Block(""), Block("Details", "head"), Block(told)]
    way = way_of(entry)
    next_step = no_way(entry) if way is None else f"⏎ opens the {way.to}."
    return [*parts, Block(""), Block(clean(next_step), "dim")]
