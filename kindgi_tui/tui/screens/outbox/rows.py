"""How an entry of the outbox stands in a list, and how it reads whole."""

from collections import Counter
from collections.abc import Sequence

from kindgi_tui.domain.outbox import OutboxEntry, OutboxState
from kindgi_tui.text import clean, one_line
from kindgi_tui.tui.screens.audit.rows import short
from kindgi_tui.tui.screens.runs.rows import when
from kindgi_tui.tui.widgets.line_list import Cell
from kindgi_tui.tui.widgets.text_pane import Block, Flow, Part

MARKS: dict[OutboxState, str] = {"waiting": "…", "refused": "✗", "asked": "?", "unclaimed": "‖"}
"""A state as one sign; its word and its colour say it again."""

STYLES: dict[OutboxState, str] = {"waiting": "dim", "refused": "bad", "asked": "no", "unclaimed": "key"}
"""The colour of a state."""

STEPS: dict[OutboxState, str] = {
    "waiting": "It is sent by itself when that can be. s tries everything that waits now, x drops it.",
    "refused": "It isn't sent by itself any more. s sends it again, x drops it.",
    "asked": "s sends yours over the newer one, x drops yours.",
    "unclaimed": "s sends it as yours, x drops it.",
}
"""By state, what can be done."""

LONG = 20_000
"""Characters of a reason that are shown."""


def said(entry: OutboxEntry) -> str:
    """What was said, in a word or two."""
    return entry.verdict or "taken back"


def named(entry: OutboxEntry, cells: int = 60) -> str:
    """An entry as a sentence names it: what was said, of what; the item in so many cells."""
    item = one_line(entry.item_key, cells)
    return f"{item} taken back" if entry.verdict is None else f"{entry.verdict} on {item}"


def outbox_row(entry: OutboxEntry, width: int) -> list[Cell]:
    """An entry as cells of a list of that width: state, when, run, item, what was said, and why."""
    item = max(10, min(28, width // 4))
    cells = [
        Cell(f"{MARKS[entry.state]} {entry.state}", 12, STYLES[entry.state]),
        Cell(when(entry.made_at), 12, "dim"),
        Cell(one_line(short(entry.run_id), 8), 9, "dim"),
        Cell(one_line(entry.item_key, item - 1), item),
        Cell(said(entry), 11, entry.verdict or ""),
    ]
    left = max(1, width - sum(cell.cells for cell in cells))
    return [*cells, Cell(one_line(entry.reason or "", left), left, "dim")]


def counted(entries: Sequence[OutboxEntry]) -> str:
    """How many there are of each state, in words; empty for none."""
    counts = Counter(entry.state for entry in entries)
    return " · ".join(f"{counts[state]:,} {state}" for state in MARKS if counts[state])


def outbox_parts(entry: OutboxEntry, why: str) -> list[Part]:
    """An entry as a pane shows it whole; `why` is why it waits, or the runtime's reason, empty for none."""
    rows = [
        ("Run", entry.run_id),
        ("Item", entry.item_key),
        ("Said", said(entry)),
        ("Reason", entry.reason or ""),
        ("When", f"{entry.made_at.astimezone():%Y-%m-%d %H:%M:%S}"),
        ("Code", entry.code or ""),
    ]
    parts: list[Part] = [Block(f"{MARKS[entry.state]} {entry.state}: {named(entry, 300)}", "head")]
    parts += [Block(clean(why, LONG))] if why else []
    parts += [Block(STEPS[entry.state], "dim"), Block("")]
    parts += [
        Flow(((f"{label:<8}", "dim"), (one_line(value, 2_000), "")), 0, 8) for label, value in rows if value
    ]
    return [*parts, Block(""), Block("⏎ opens the run.", "dim")]
