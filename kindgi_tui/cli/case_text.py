"""A test set's case as text: the question, and each judged item with what people said of it."""

from kindgi_tui.cli.items import gist
from kindgi_tui.cli.output import Out
from kindgi_tui.domain.correction_words import expectation_parts
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
    run = "" if case.from_nothing or case.past_run == case.case_id else f"  of run {case.past_run}"
    out.line(f"  case {case.case_id}  {case.subject.id} {case.subject.version}{run}")
    if case.erased:
        out.line("  Its content was erased.")
    for line in case_expectation_lines(case):
        out.paragraph(f"  {line}")
    out.lines([f"  {line}" for line in case_item_lines(case)])
    out.line()


def case_expectation_lines(case: Case) -> list[str]:
    """What a case expects in words, and what is to be known of it; none where its items are all."""
    lines = list(expectation_parts(case.expect)) if case.expect is not None else []
    if case.expert:
        lines.append("an expert case")
    if case.from_nothing:
        lines.append("made from nothing: it has no recording")
    return lines


def case_item_lines(case: Case) -> list[str]:
    """A case's items, each with what was said of it and up to two reasons."""
    lines: list[str] = []
    for item in case.items:
        lines.append(_item_line(case, item))
        lines += [
            f"    {told.verdict}: {one_line(told.reason, 160)}"
            for told in item.reasons[:REASONS]
            if told.reason
        ]
    return lines


def _item_line(case: Case, item: ItemSummary) -> str:
    found = None if item.pointer is None else value_at(case.output, item.pointer)
    what = "" if found is None or not found.found else gist(found.value, 80)
    weight = float(item.total_weight)
    share = f"  {float(item.yes_weight) / weight:.0%} yes by weight" if weight > 0 else ""
    return f"{one_line(item.key, 80)}  {item.yes} yes, {item.no} no{share}  {what}".rstrip()
