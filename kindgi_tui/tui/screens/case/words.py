"""What stands over a case's text and over its items."""

from kindgi_tui.session.opened_case import OpenedCase
from kindgi_tui.session.reviewing import question, standing_words
from kindgi_tui.tui.screens.comparison.rows import notes_of, shares


def title_line(opened: OpenedCase) -> str:
    """Which case of the list it is, and what went in."""
    asked = question(opened.case) if opened.case is not None else opened.reviewed.entry.case_id
    return f"Case {opened.place + 1:,} of {len(opened.cases):,} · {asked}"


def marks_line(opened: OpenedCase) -> str:
    """How the candidate did on it, what to know of it, and which repetition is shown."""
    reviewed, runs = opened.reviewed, len(opened.runs)
    yes = "marked right" if reviewed.graded else "judged yes"
    marks = [
        standing_words(reviewed.standing, reviewed.result),
        f"{shares(reviewed)} {yes}",
        *notes_of(reviewed),
    ]
    if runs > 1:
        marks.append(f"repetition {opened.repetition + 1} of {runs}")
    if opened.group is not None:
        marks.append(f"judging as {opened.group.name}")
    return " · ".join(mark for mark in marks if mark)


def items_line(opened: OpenedCase) -> str:
    """How many items there are of each kind, and how many to judge."""
    counts = {
        kind: sum(item.kind == kind for item in opened.items)
        for kind in ("new", "kept", "dropped", "missing")
    }
    new = f"{counts['new']} new, {opened.open_items} to judge"
    missing = f" · {counts['missing']} missing" if counts["missing"] else ""
    return f"Items · {new} · {counts['kept']} kept · {counts['dropped']} dropped{missing}"
