"""How a case of an agent's own test set stands in a list, and how it reads in a pane."""

from kindgi_tui.domain.correction_words import expectation_words
from kindgi_tui.domain.own_test_sets import OwnCase, OwnTestSet
from kindgi_tui.text import one_line
from kindgi_tui.tui.screens.test_set_cases.rows import case_blocks, question
from kindgi_tui.tui.screens.test_sets.rows import own_version_words
from kindgi_tui.tui.widgets.line_list import Cell
from kindgi_tui.tui.widgets.text_pane import Block, Run


def title_words(own: OwnTestSet, retired: bool) -> str:
    """The title: whose set it is, how many cases, and how it is frozen."""
    counted = f"{own.case_count:,} {'case' if own.case_count == 1 else 'cases'}"
    if own.truncated:
        counted = f"{own.case_count:,} newest of {own.available:,} cases"
    if retired:
        return f"{own.agent_id}: its own test set · {own.retired:,} retired"
    away = f" · {own.retired:,} retired" if own.retired else ""
    return f"{own.agent_id}: its own test set · {counted}{away} · {own_version_words(own)}"


def mark_of(one: OwnCase) -> str:
    """What sets a case apart, in a word: who made it, or that an expert did."""
    if one.case.from_nothing:
        return "no run"
    if one.source == "hand":
        return "by hand"
    return "expert" if one.expert else ""


def own_case_row(one: OwnCase, width: int) -> list[Cell]:
    """A case as cells of a list of that width: yes and no over its items, its mark, what went in, what it expects."""
    yes, no = sum(item.yes for item in one.items), sum(item.no for item in one.items)
    cells = [Cell(f"✓{yes:>3g}", 5, "yes" if yes else "dim"), Cell(f"✗{no:>3g}", 6, "no" if no else "dim")]
    cells.append(Cell(mark_of(one), 8, "key"))
    left = max(1, width - sum(cell.cells for cell in cells))
    expects = "" if one.expect is None else one_line(expectation_words(one.expect), left)
    room = left // 2 if expects and left >= 40 else left
    cells.append(Cell(one_line(question(one.case, room * 4), room - 1), room))
    if room < left:
        cells.append(Cell(one_line(expects, left - room), left - room, "dim"))
    return cells


def own_case_blocks(one: OwnCase, whole: bool, groups: dict[str, str]) -> list[Block | Run]:
    """A case as a pane shows it; `whole` shows every reason and long texts, `groups` are names by id."""
    blocks = case_blocks(one.case, whole, groups)
    told = []
    if one.retired_at is not None:
        told.append(f"retired {one.retired_at.astimezone():%Y-%m-%d %H:%M} by {one.retired_by}")
    if one.source == "hand":
        told.append(f"added by hand by {one.by}, {one.created_at.astimezone():%Y-%m-%d %H:%M}")
    elif one.by is not None:
        told.append(f"corrected by {one.by}")
    if not told:
        return blocks
    style = "bad" if one.retired_at is not None else "dim"
    return [Block(one_line("; ".join(told), 300), style), *blocks]
