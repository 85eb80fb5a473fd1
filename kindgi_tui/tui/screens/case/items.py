"""The items of a case in a list: how each stands, its verdict, its move, what it is."""

from collections.abc import Sequence

from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.session.opened_case import CaseItem, Kind
from kindgi_tui.session.reviewing import missing_words, said_words
from kindgi_tui.text import one_line
from kindgi_tui.tui.screens.runs.blocks import item_words
from kindgi_tui.tui.widgets.line_list import Cell

SIGNS: dict[Kind, str] = {"new": "+ new", "kept": "= kept", "dropped": "− dropped", "missing": "∅ missing"}
"""How an item stands, in sign and word."""


def item_row(item: CaseItem, judgments: Sequence[Judgment], me: str, width: int, experts: bool) -> list[Cell]:
    """An item as cells of a list of that width: how it stands, its verdict, its move, its words, why.

    `experts`: the comparison counts expert groups alone.
    """
    words, style, why = verdict_of(item, judgments, me, experts)
    cells = [Cell(SIGNS[item.kind], 10, "key" if item.kind == "new" else "dim"), Cell(words, 17, style)]
    if width >= 60:
        cells.append(Cell(moved(item), 9, "dim"))
    name = "" if item.key in ("answer", "output") else f"{one_line(item.key, 24)} "
    gist = one_line(item.key, 24) if not name and item.kind == "dropped" else item_words(item.value, 300)
    if item.kind == "missing":
        gist = missing_words(item.said)
    told = f"{name}{gist}" if name else f"{one_line(item.key, 12)}: {gist}"
    left = max(4, width - sum(cell.cells for cell in cells))
    reason = one_line(why, 200) if why else ""
    if reason and left >= 40:
        room = left // 2
        return [*cells, Cell(told, left - room), Cell(f" {reason}", room, "dim")]
    return [*cells, Cell(told, left)]


def verdict_of(item: CaseItem, judgments: Sequence[Judgment], me: str, experts: bool) -> tuple[str, str, str]:
    """What was said of an item: shape and word, their style, and a reason."""
    if item.kind == "new":
        own = [one for one in judgments if one.item.key == item.key]
        mine = next((one for one in own if one.asserter == me), None)
        one = mine or (own[0] if own else None)
        if one is None:
            return "· not judged", "dim", ""
        mark = "✓ yes" if one.verdict == "yes" else "✗ no "
        others = len(own) - (mine is not None)
        by = (
            ""
            if mine is not None and not others
            else f" +{others}"
            if mine is not None
            else f" {others} other"
        )
        return f"{mark}{by}", one.verdict, one.reason or ""
    words, yes = said_words(item.said, experts)
    told = () if item.said is None else item.said.reasons
    reason = next((one.reason for one in told if one.reason and (one.restricted or not experts)), "") or ""
    if yes is None:
        return words, "dim", reason
    return f"{'✓' if yes else '✗'} {words}", "yes" if yes else "no", reason


def moved(item: CaseItem) -> str:
    """Where it stood and stands, from 1."""
    before, now = item.rank_before, item.rank
    if before is None and now is None:
        return ""
    if before is None or now is None or before == now:
        place = now if now is not None else before
        return f"#{(place or 0) + 1}"
    return f"#{before + 1} → #{now + 1}"
