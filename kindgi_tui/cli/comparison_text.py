"""A comparison in the words of a list, and what a dry run of one would do."""

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.tables import pairs
from kindgi_tui.domain.comparison_records import Comparison, ComparisonBrief, ComparisonPlan
from kindgi_tui.domain.headline import percent, percents
from kindgi_tui.wire import v04


def rated(brief: ComparisonBrief | None) -> str:
    """The pass rate before and now, and the word for it; empty where there is none yet."""
    if brief is None or brief.now is None:
        return ""
    if brief.before is None:
        return percent(brief.now)
    words = f", {brief.word}" if brief.word else ""
    return f"{' → '.join(percents(brief.before, brief.now))}{words}"


def note(comparison: Comparison) -> str:
    """What isn't as usual with a comparison: who weighs, a rescore, a sample, overrides."""
    notes = []
    if comparison.request.weighing == "experts-only":
        notes.append("expert groups only")
    if comparison.rescore_of is not None:
        notes.append("rescore")
    if comparison.request.sample is not None:
        notes.append(comparison.request.sample.part)
    if comparison.request.overrides is not None:
        notes.append("overrides")
    return ", ".join(notes)


def print_plan(call: Call, plan: ComparisonPlan) -> None:
    """Prints what a dry run found."""
    if call.json:
        call.out.json(v04.plan(plan))
        return
    rows: list[tuple[str, str | None]] = [("test set", f"{plan.test_set_id} {plan.test_set_version}")]
    rows += [("cases", f"{plan.cases:,}"), ("runs", f"{plan.repetitions:,}")]
    stored = None if plan.cached is None else f"{plan.cached:,} (these likely cost nothing)"
    rows += [("from stored replies", stored)]
    if plan.judged:
        rows += [("answers to judge", f"{plan.judged:,} at most, each a call of the judging model")]
    rows += [("may cost", "not known" if plan.cost_usd is None else f"${plan.cost_usd:.4f}")]
    call.out.lines(pairs(rows))
    for problem in plan.problems:
        call.out.paragraph(f"Problem: {problem}")
