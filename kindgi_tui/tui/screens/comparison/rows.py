"""How a comparison's cases stand in a list, and its counts and options in words."""

from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.headline import percents
from kindgi_tui.domain.regressions import pass_rates
from kindgi_tui.session.reviewing import FILTERS, STANDINGS, Counts, Reviewed
from kindgi_tui.text import one_line
from kindgi_tui.tui.widgets.line_list import Cell

SIGNS = {"regressed": "−", "improved": "+", "unchanged": "=", "unknown": "?"}
"""How a case did, as one sign beside its words."""

STYLES = {"regressed": "no", "improved": "yes", "unchanged": "dim", "unknown": "dim"}
"""The style of it."""

FILTER_WORDS = {"new": "new items"}
"""Filters whose name isn't word enough."""


CHECKED = ("failed", "newly failing", "newly passing", "unchecked")
"""Filters that only say something where corrections were checked."""


def case_row(case: Reviewed, question: str, width: int) -> list[Cell]:
    """A case as cells of a list of that width: how it did, its pass rate, what to know of it, its question."""
    style = STYLES.get(case.standing, "dim")
    words = STANDINGS.get(case.standing, "")
    cells = [
        Cell(
            f"{SIGNS.get(case.standing, ' ')} {words if width >= 58 else ''}", 19 if width >= 58 else 2, style
        )
    ]
    if width >= 50:
        cells.append(Cell(shares(case), 12))
    notes = ", ".join(notes_of(case))
    room = min(34, max(8, width // 4))
    cells.append(Cell(one_line(notes, room - 1), room, "bad" if trouble(case) else "dim"))
    left = max(4, width - sum(cell.cells for cell in cells))
    cells.append(Cell(one_line(question, left), left))
    return cells


def trouble(case: Reviewed) -> bool:
    """Whether the case has no output to rate."""
    return case.is_in("errors") or case.is_in("stopped")


def shares(case: Reviewed) -> str:
    """The case's pass rate, recorded and now."""
    before, now = pass_rates(case.result.baseline, case.result.candidate)
    if before is not None and now is not None:
        return " → ".join(percents(before, now))
    return " → ".join("–" if side is None else percents(side, side)[0] for side in (before, now))


def notes_of(case: Reviewed) -> list[str]:
    """What to know of a case beside its numbers."""
    result = case.result
    notes = []
    if case.is_in("errors"):
        notes.append("✗ error")
    if case.is_in("stopped"):
        notes.append("■ stopped")
    if case.is_in("unchecked"):
        notes.append("? unchecked")
    elif case.entry.failed:
        notes.append("✗ newly failing" if case.newly == "failing" else "✗ failed")
    elif result.corrections:
        notes.append("✓ newly passing" if case.newly == "passing" else "✓ passed")
    new = sum(item.judged is None for item in result.changes.new) if result.changes is not None else 0
    if new:
        notes.append(f"{new} new")
    if result.changes is not None and result.changes.dropped:
        notes.append(f"{len(result.changes.dropped)} dropped")
    if result.diverged:
        notes.append("diverged")
    if result.refused_writes:
        notes.append(f"{result.refused_writes:g} refused")
    if result.approval_skipped:
        notes.append("approval skipped")
    if result.rescored is False:
        notes.append("not rescored")
    return notes


def filter_line(chosen: str, sizes: dict[str, int], width: int) -> str:
    """The filters with their counts, the chosen one in brackets; those that leave nothing only where there is room."""
    every = [
        (name, f"{FILTER_WORDS.get(name, name)} {sizes.get(name, 0):,}")
        for name in FILTERS
        if name == chosen or name not in CHECKED or sizes.get(name, 0)
    ]
    for least in (0, 1):
        told = [
            f"[{words}]" if name == chosen else words
            for name, words in every
            if name in (chosen, "all") or sizes.get(name, 0) >= least
        ]
        line = "Cases · " + " · ".join(told)
        if len(line) <= width:
            return line
    return f"Cases · {FILTER_WORDS.get(chosen, chosen)} {sizes.get(chosen, 0):,} of {sizes.get('all', 0):,}"


def count_lines(comparison: Comparison, counts: Counts) -> tuple[str, str]:
    """Two lines: the counts that matter, and the cost, models and options."""
    progress, request = comparison.progress, comparison.request
    told = [f"{counts.cases:,} case{'' if counts.cases == 1 else 's'}"]
    told += [
        f"{count:,} {words}"
        for count, words in (
            (counts.diverged, "diverged"),
            (counts.refused, "refused calls" if counts.refused != 1 else "refused call"),
            (counts.errors, "errors" if counts.errors != 1 else "error"),
            (counts.stopped, "stopped"),
        )
    ]
    if counts.checked:
        told.append(f"{counts.passed:,} of {counts.checked:,} corrections passed")
    if counts.unchecked:
        why = f" ({one_line(counts.reasons[0], 60)})" if counts.reasons else ""
        told.append(f"{counts.unchecked:,} unchecked{why}")
    told += [f"{counts.erased:,} erased"] if counts.erased else []
    told += [f"{counts.not_rescored:,} not rescored"] if counts.not_rescored else []
    told += [f"{counts.waiting:,} new to judge"] if counts.waiting else []
    spent = [] if progress.cost_usd is None else [f"${progress.cost_usd:.4f}"]
    if request.repetitions > 1:
        spent.append(f"{request.repetitions} repetitions")
    # A rescore asks nobody, and not every runtime tells.
    if progress.finished and progress.cached is not None and comparison.rescore_of is None:
        spent.append(f"{progress.cached:,} of {progress.finished:,} cached")
    spent += [f"{one_line(model, 40)} ({runs:,})" for model, runs in counts.models]
    spent += [f"answers judged by {one_line(counts.judge, 40)}"] if counts.judge else []
    if request.reads == "live":
        spent.append("live reads")
    if request.weighing == "experts-only":
        spent.append("expert groups only")
    if request.sample is not None:
        spent.append(f"{request.sample.part} part, seed {one_line(request.sample.seed, 20)}")
    if request.overrides is not None:
        spent.append(f"overrides {one_line(', '.join(request.overrides.blocks), 60)}")
    if request.fresh:
        spent.append("fresh replies")
    return " · ".join(told), " · ".join(spent)


def candidate_name(comparison: Comparison) -> str:
    """The candidate as people call it: id and version."""
    request = comparison.request
    return one_line(f"{request.agent_id or request.flow_id or ''} {request.subject_version}", 80)
