"""A test set's case as text: the question, and each judged item with what people said of it."""

from kindgi_tui.cli.items import gist
from kindgi_tui.cli.output import Out
from kindgi_tui.domain.items import value_at
from kindgi_tui.domain.test_sets import Case, ItemSummary
from kindgi_tui.text import dumps_line, one_line

REASONS = 2
"""How many reasons of an item are shown."""


def question(case: Case, cells: int = 300) -> str:
    """What went in, on one line."""
    return one_line(case.input if isinstance(case.input, str) else dumps_line(case.input), cells)


def print_case(out: Out, case: Case) -> None:
    """Prints one case."""
    out.line(question(case), heading=True)
    out.line(f"  case {case.case_id}  {case.subject.id} {case.subject.version}")
    if case.erased:
        out.line("  Its content was erased.")
    for item in case.items:
        out.line(f"  {_item_line(case, item)}")
        for told in item.reasons[:REASONS]:
            if told.reason:
                out.line(f"      {told.verdict}: {one_line(told.reason, 160)}")
    out.line()


def _item_line(case: Case, item: ItemSummary) -> str:
    found = None if item.pointer is None else value_at(case.output, item.pointer)
    what = "" if found is None or not found.found else gist(found.value, 80)
    weight = float(item.total_weight)
    share = f"  {float(item.yes_weight) / weight:.0%} yes by weight" if weight > 0 else ""
    return f"{one_line(item.key, 80)}  {item.yes} yes, {item.no} no{share}  {what}".rstrip()
