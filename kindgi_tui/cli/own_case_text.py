"""An agent's own test set and its cases as text: what each case expects, in words."""

from kindgi_tui.cli.case_text import case_item_lines, question
from kindgi_tui.cli.output import Out
from kindgi_tui.cli.tables import pairs
from kindgi_tui.domain.correction_words import expectation_parts
from kindgi_tui.domain.own_test_sets import OwnCase, OwnTestSet
from kindgi_tui.wire import v04

NO_RECORDING = "made from nothing: it has no recording, reads run live and writes are refused"
"""What is said of a case from nothing."""


def count_words(one: OwnTestSet) -> str:
    """How many cases, and of how many where the limit cuts them."""
    if one.truncated:
        return f"{one.case_count:,} newest of {one.available:,}"
    return f"{one.case_count:,}"


def frozen_words(one: OwnTestSet) -> str:
    """The newest frozen version, and whether the cases changed since."""
    if one.version is None:
        return "not frozen yet"
    return f"{one.version}, changed since" if one.changed else one.version


def print_own_set(out: Out, one: OwnTestSet, versions: tuple[str, ...]) -> None:
    """Prints an own test set as it stands now."""
    rows: list[tuple[str, str | None]] = [("test set", one.id), ("the own set of", one.agent_id)]
    rows += [("cases", count_words(one)), ("retired", f"{one.retired:,}" if one.retired else None)]
    rows += [("frozen as", frozen_words(one))]
    rows += [("frozen", None if one.frozen_at is None else v04.time(one.frozen_at))]
    out.lines(pairs([*rows, ("versions", ", ".join(versions))]))


def marks_of(one: OwnCase) -> str:
    """What sets a case apart: by hand, an expert's, from nothing, retired."""
    marks = []
    if one.source == "hand":
        marks.append("by hand")
    if one.expert:
        marks.append("expert")
    if one.case.from_nothing:
        marks.append("no recording")
    if one.retired_at is not None:
        marks.append("retired")
    return ", ".join(marks)


def print_own_case(out: Out, one: OwnCase) -> None:
    """Prints one case, whole."""
    out.line(question(one.case), heading=True)
    case = one.case
    rows: list[tuple[str, str | None]] = [("case", one.id)]
    rows += [("of run", one.run_id if one.run_id != one.id else None)]
    rows += [("answered by", None if case.from_nothing else f"{case.subject.id} {case.subject.version}")]
    rows += [("added by" if one.source == "hand" else "corrected by", one.by)]
    rows += [("since", v04.time(one.created_at)), ("expert case", "yes" if one.expert else None)]
    if one.retired_at is not None:
        rows += [("retired", f"{v04.time(one.retired_at)} by {one.retired_by}")]
    rows += [("recording", NO_RECORDING if case.from_nothing else None)]
    out.lines([f"  {line}" for line in pairs(rows)])
    for line in expectation_parts(one.expect) if one.expect is not None else ():
        out.paragraph(f"  {line}")
    out.lines([f"  {line}" for line in case_item_lines(case)])
    out.line()
