"""The lines of Correct: what each call is to be, and the two texts of a wrong answer."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.javascript import json_equal
from kindgi_tui.session.arguments import arguments_line
from kindgi_tui.session.correcting import Correcting
from kindgi_tui.session.correcting_draft import CallRow, Text, call_arguments
from kindgi_tui.session.tool_choices import ToolChoice
from kindgi_tui.text import json_text, one_line
from kindgi_tui.tui.widgets.line_list import Cell

STANCE_CELLS = 13
"""The width of what a row says: sign and words."""

LABELS: dict[Text, str] = {"should_say": "should say", "why": "why"}
"""How the texts are called in their rows."""

TEXTS: tuple[Text, ...] = ("should_say", "why")
"""The texts in their order."""

NOT_SAVED = "(not saved)"
"""What stands before a text that isn't saved: its answer isn't marked wrong."""

_EMPTY: dict[Text, str] = {
    "should_say": "e writes what the answer should say",
    "why": "e writes why it is wrong, or what a right one has to do",
}


def stance(correcting: Correcting, row: CallRow) -> tuple[str, str]:
    """What a row says, as sign and word, and the name of its style."""
    if correcting.draft.decisions != "wrong":
        return ("· called", "dim") if row.recorded is not None else ("+ added", "dim")
    if row.stance == "never":
        return "✗ never", "no"
    if row.stance == "free":
        return "– not asked", "dim"
    if row.arguments is None:
        return "≈ any args", "yes"
    if row.recorded is None:
        return "+ added", "yes"
    made = call_arguments(correcting.recorded[row.recorded])
    return ("= as it was", "yes") if json_equal(made, row.arguments) else ("~ changed", "key")


def call_row(correcting: Correcting, number: int, cells_wide: int) -> list[Cell] | None:
    """A call as a row: what it is to be, the tool, the arguments."""
    calls = correcting.draft.calls
    if not 0 <= number < len(calls):
        return None
    row = calls[number]
    words, style = stance(correcting, row)
    left = max(1, cells_wide - STANCE_CELLS)
    name = min(30, max(8, left // 2))
    told, told_style = _arguments(correcting, number, row, left - name)
    return [
        Cell(words, STANCE_CELLS, style), Cell(tool_name(row.tool_id, name - 1), name, "key"),
        Cell(told, max(1, left - name), told_style),
    ]  # fmt: skip


def tool_name(tool_id: str, cells: int) -> str:
    """A tool's id; where it has no room, its end, which tells it from the others."""
    whole = one_line(tool_id, 400)
    if len(whole) <= cells:
        return whole
    short = one_line(tool_id.rpartition(".")[2] or tool_id, 400)
    return one_line(f"…{short}", cells)


def _arguments(correcting: Correcting, number: int, row: CallRow, cells: int) -> tuple[str, str]:
    begun = correcting.typed.get(f"call:{number}")
    if begun is not None:
        return one_line(f"(begun) {begun}", cells), "no"
    doubtful = correcting.draft.decisions == "wrong" and correcting.doubt(row) is not None
    if row.stance == "never" and row.recorded is None:
        return ("!", "bad") if doubtful else ("", "")
    if (
        row.stance == "call"
        and row.arguments is None
        and (row.recorded is None or correcting.draft.decisions == "wrong")
    ):
        return one_line("! with whatever arguments" if doubtful else "with whatever arguments", cells), "dim"
    shown: Json = row.arguments
    if shown is None and row.recorded is not None:
        shown = correcting.recorded[row.recorded].arguments
    words = one_line(arguments_line(shown) if isinstance(shown, dict) else json_text(shown, 400), cells)
    if row.stance != "call" or correcting.draft.decisions != "wrong":
        return words, "dim"
    if doubtful:
        return one_line(f"! {words}", cells), "bad"
    return words, ""


def says_row(correcting: Correcting, number: int, cells_wide: int) -> list[Cell] | None:
    """One of the two texts as a row."""
    if not 0 <= number < len(TEXTS):
        return None
    name = TEXTS[number]
    left = max(1, cells_wide - STANCE_CELLS)
    begun, text = correcting.typed.get(name), getattr(correcting.draft, name)
    wrong = correcting.draft.answer == "wrong"
    label = Cell(LABELS[name], STANCE_CELLS, "key" if wrong else "dim")
    if begun is not None:
        return [label, Cell(one_line(f"(begun) {begun}", left), left, "no")]
    if text:
        # It comes back when the answer is marked wrong again.
        return [
            label,
            Cell(one_line(text if wrong else f"{NOT_SAVED} {text}", left), left, "" if wrong else "dim"),
        ]
    return [label, Cell(one_line(_EMPTY[name] if wrong else "", left), left, "dim")]


def tool_row(tool: ToolChoice, cells_wide: int) -> list[Cell]:
    """A tool to pick: its id, what it does."""
    name = min(40, max(10, cells_wide // 2))
    left = max(1, cells_wide - name)
    return [Cell(one_line(tool.id, name - 1), name, "key"), Cell(one_line(tool.about, left), left, "dim")]
