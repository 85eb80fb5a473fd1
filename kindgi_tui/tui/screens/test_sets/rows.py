"""How a test set stands in a list, and how it reads in a pane."""

from collections.abc import Sequence

from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.text import clean, one_line
from kindgi_tui.tui.screens.runs.rows import when
from kindgi_tui.tui.widgets.line_list import Cell
from kindgi_tui.tui.widgets.text_pane import Block, Run


def cases_words(one: TestSetVersion) -> str:
    """How many cases, and of how many runs where the limit cut it."""
    if one.truncated:
        return f"{one.case_count:,} newest of {one.available:,}"
    return f"{one.case_count:,} {'case' if one.case_count == 1 else 'cases'}"


def set_row(one: TestSetVersion, place: str, width: int) -> list[Cell]:
    """A set as cells of a list of that width: id, version with its `place` among the versions, cases, whose runs."""
    version = one.version + (f" ({place})" if place else "")
    cells = [
        Cell(one_line(one.test_set_id, 80), max(14, min(36, width // 2 - 2)), "key"),
        Cell(f" {one_line(version, 24)}", 15 if place or width >= 60 else 9),
        Cell(cases_words(one), 20 if one.truncated else 12, "dim"),
    ]
    if width >= 70:
        cells.append(Cell(one_line(one.request.agent_id or one.request.flow_id or "", 60), 26, "dim"))
    if width >= 90:
        cells.append(Cell(when(one.created_at), 12, "dim"))
    left = width - sum(cell.cells for cell in cells)
    if left > 8:
        cells.append(Cell(one_line(one.description or "", left), left, "dim"))
    return cells


def set_blocks(one: TestSetVersion, versions: Sequence[str], groups: dict[str, str]) -> list[Block | Run]:
    """A version of a set as a pane shows it; `groups` are names by id."""
    asked = one.request
    subject = asked.agent_id or f"flow {asked.flow_id or ''}"
    rows: list[tuple[str, str]] = [
        ("Cases", cases_words(one)),
        ("Runs of", subject + (f" {asked.subject_version}" if asked.subject_version else "")),
        ("Said as", ", ".join(groups.get(name, name) for name in asked.groups)),
        ("Least judged", "" if asked.min_judgments is None else str(asked.min_judgments)),
        ("Segment", " / ".join(f"{step.key}:{step.value}" for step in asked.segments)),
        ("Since", "" if asked.since is None else f"{asked.since.astimezone():%Y-%m-%d %H:%M}"),
        ("Until", "" if asked.until is None else f"{asked.until.astimezone():%Y-%m-%d %H:%M}"),
        (
            "Built",
            f"{one.created_at.astimezone():%Y-%m-%d %H:%M}"
            + (f" by {one.created_by}" if one.created_by else ""),
        ),
        ("Versions", ", ".join(versions)),
    ]
    blocks: list[Block | Run] = [Block(one_line(f"{one.test_set_id} {one.version}", 300), "head")]
    if one.description:
        blocks.append(Block(clean(one.description, 2_000)))
    blocks.append(Block(""))
    for label, value in rows:
        if value:
            blocks.append(Run(((f"{label:<13} ", "dim"), (one_line(value, 300), ""))))
    return blocks
