"""A comparison as a report that a person can read and paste (DESIGN section 5)."""

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.case_report import case_lines
from kindgi_tui.cli.commands import command
from kindgi_tui.cli.following import FINAL
from kindgi_tui.cli.gates import metric_of, summary_of
from kindgi_tui.cli.output import WIDEST, Out
from kindgi_tui.cli.review import ours, results_of, reviewed_cases
from kindgi_tui.cli.tables import Column, pairs, table
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.grading import is_graded
from kindgi_tui.domain.headline import interval_sentence, percents
from kindgi_tui.domain.metric_titles import MetricName, metric_title
from kindgi_tui.domain.statistics import Interval
from kindgi_tui.text import one_line
from kindgi_tui.wire import v04
from kindgi_tui.workbench import NotFound, Unsupported

CASES = 20
"""How many cases are shown unless told."""

REASONS = 5
"""How many reasons why cases are unchecked are told; the others stand at their cases."""

METRICS: tuple[tuple[str, MetricName], ...] = (
    ("weightedYesShare", "pass_rate"),
    ("judgedCoverage", "case_coverage"),
    ("weightedPrecisionAtK", "weighted_precision_at_k"),
)
"""The metrics in the order they are shown: the result's name, and ours."""

COUNTS = (
    ("diverged", "diverged"),
    ("refusedWrites", "refused calls"),
    ("errors", "errors"),
    ("stopped", "stopped"),
    ("erased", "erased"),
    ("notRescored", "not rescored"),
)
"""Counts of a summary that a reader has to know, and their words."""


async def print_comparison(call: Call, comparison: Comparison, most: int | None = CASES) -> None:
    """Prints the report with at most `most` cases (None: all), regressions first."""
    out = call.out
    results = results_of(comparison)
    _print_head(call, comparison)
    graded = is_graded(results)
    if summary_of(comparison):
        out.line()
        out.lines(metric_lines(comparison, out.width, graded))
        out.line()
        for sentence in _interval_sentences(comparison, graded):
            out.paragraph(sentence)
        out.line()
        out.lines(pairs(_facts(comparison), min(out.width or WIDEST, WIDEST)))
    if results and most != 0:
        out.line()
        out.line("Case by case, those that got worse first", heading=True)
        experts = comparison.request.weighing == "experts-only"
        for number, reviewed in enumerate(await reviewed_cases(call.bench, comparison, most), 1):
            out.line()
            out.lines(await case_lines(call.bench, reviewed, number, out.width, experts, graded))
            if out.gone:
                return
        for sentence in await _not_offered(call, comparison, results):
            out.line()
            out.paragraph(sentence)
    if most is not None and len(results) > most:
        out.line()
        more = f"{len(results) - most:,} more case{'s' if len(results) - most > 1 else ''}"
        out.line(f"{more}: {command(call, 'comparisons show', comparison.id)} --all")
    _print_next(call, comparison, results)


async def _not_offered(call: Call, comparison: Comparison, results: list[CaseResult]) -> list[str]:
    """What the report leaves out because the runtime doesn't offer it, a sentence each."""
    told = ours(comparison).get("notOffered")
    sentences = [one for one in told if isinstance(one, str)] if isinstance(told, list) else []
    runs = [run_id for result in results for run_id in result.run_ids if run_id]
    if runs:
        try:
            await call.bench.runs.get(runs[0])
        except NotFound:
            pass
        except Unsupported as cause:
            sentences.append(f"The new answers can't be shown. {cause.sentence}")
    return sentences


def candidate_name(comparison: Comparison) -> str:
    """The candidate as people call it: id and version."""
    request = comparison.request
    return f"{request.agent_id or request.flow_id or ''} {request.subject_version}"


def waiting_items(results: list[CaseResult]) -> list[tuple[str, str]]:
    """The new items that nobody judged, each with its replay's run: (run id, item key)."""
    found: list[tuple[str, str]] = []
    for result in results:
        runs = [run_id for run_id in result.run_ids if run_id]
        if runs and result.changes is not None:
            found.extend((runs[0], item.key) for item in result.changes.new if item.judged is None)
    return found


def metric_lines(comparison: Comparison, cells: int | None, graded: bool) -> list[str]:
    """The metrics as a table: recorded, candidate, change in percentage points, spread, cases with evidence.

    `graded` says whether graded parts of corrections count, which the metrics' titles say.
    """
    columns = [
        Column("METRIC"),
        Column("RECORDED", right=True),
        Column(comparison.request.subject_version, right=True),
        Column("POINTS", right=True),
        Column("95% INTERVAL", right=True),
        Column("SPREAD", right=True),
        Column("N", right=True),
    ]
    rows: list[tuple[str, ...]] = []
    for name, own_name in METRICS:
        metric = metric_of(comparison, name)
        label = metric_title(own_name, comparison.request.k, graded)
        before, now = _shown(_number(metric.get("baseline")), _number(metric.get("candidate")))
        interval = interval_of(comparison, own_name)
        rows.append(
            (
                label,
                before,
                now,
                _points(_number(metric.get("delta"))),
                "–" if interval is None else f"{_points(interval.low)} … {_points(interval.high)}",
                _points(_number(metric.get("spread"))).lstrip("+") if "spread" in metric else "",
                f"{_number(metric.get('n')) or 0:g}",
            )
        )
    if not any(row[5] for row in rows):
        columns.pop(5)
        rows = [(*row[:5], row[6]) for row in rows]
    return table(columns, rows, cells)


def interval_of(comparison: Comparison, name: str) -> Interval | None:
    """The stored interval of a metric's change; None without one."""
    told: Json = ours(comparison)
    for step in ("intervals", name):
        told = told.get(step) if isinstance(told, dict) else None
    if not isinstance(told, dict):
        return None
    low, high = _number(told.get("low")), _number(told.get("high"))
    return None if low is None or high is None else Interval(low, high)


def _print_head(call: Call, comparison: Comparison) -> None:
    headline = ours(comparison).get("headline")
    out = call.out
    if isinstance(headline, str) and headline:
        so_far = "" if comparison.status in FINAL else "So far: "
        # The command in it alone: what a tool would have been called with may look like one.
        step = f"kindgi-tui runs list --comparison {comparison.id}"
        out.paragraph(f"{so_far}{headline.replace(step, call.hint(step))}", heading=True)
    else:
        out.paragraph(
            f"{candidate_name(comparison)} on {comparison.test_set_id}: {comparison.status}.", heading=True
        )
    if comparison.error:
        out.paragraph(comparison.error)
    if comparison.cancel_reason == "cost-limit":
        out.paragraph(
            f"It reached its cost limit of ${comparison.request.cost_limit or 0:g} and was cancelled."
        )
    elif comparison.status == "cancelled":
        out.paragraph("It was cancelled before it finished.")
    if comparison.status not in FINAL:
        out.line(f"{comparison.progress.done()} finished so far.")


def _interval_sentences(comparison: Comparison, graded: bool) -> list[str]:
    name, own_name = METRICS[0]
    metric = metric_of(comparison, name)
    if _number(metric.get("delta")) is None:
        return []
    title = metric_title(own_name, comparison.request.k, graded)
    return [interval_sentence(title, interval_of(comparison, own_name), int(_number(metric.get("n")) or 0))]


def _facts(comparison: Comparison) -> list[tuple[str, str | None]]:
    summary = summary_of(comparison)
    request = comparison.request
    counts = [f"{_number(summary.get(name)) or 0:g} {words}" for name, words in COUNTS if name in summary]
    rows: list[tuple[str, str | None]] = [
        ("cases", f"{_number(summary.get('cases')) or 0:g}, {', '.join(counts)}")
    ]
    rows += [("corrections", _corrections(summary)), ("unchecked", _unchecked(summary))]
    rows += [("recorded", _versions(summary)), ("models", _models(summary)), ("cost", _cost(comparison))]
    asked = [
        f"{request.reads} reads",
        f"{request.repetitions} repetition{'s' if request.repetitions > 1 else ''}",
    ]
    if request.weighing == "experts-only":
        asked.append("expert groups only")
    if request.sample is not None:
        asked.append(f"the {request.sample.part} part (seed {request.sample.seed})")
    rows += [("run with", ", ".join(asked))]
    if request.overrides is not None:
        rows += [("overrides", f"{', '.join(request.overrides.blocks)} (no version has this content)")]
    rows += [("test set", f"{comparison.test_set_id} {comparison.test_set_version}")]
    ended = comparison.completed_at or comparison.created_at
    by = f", by {comparison.started_by}" if comparison.started_by else ""
    rows += [("comparison", f"{comparison.id}, {comparison.status} {v04.time(ended)}{by}")]
    return [*rows, ("rescore of", comparison.rescore_of)]


def _corrections(summary: dict[str, Json]) -> str | None:
    told = summary.get("corrections")
    if not isinstance(told, dict):
        return None
    return f"{_number(told.get('passed')) or 0:g} of {_number(told.get('checked')) or 0:g} passed"


def _unchecked(summary: dict[str, Json]) -> str | None:
    told = summary.get("unchecked")
    if not isinstance(told, dict):
        return None
    listed = told.get("reasons")
    reasons = listed if isinstance(listed, list) else []
    # Whole: what to do about it stands at its end.
    why = " ".join(one_line(str(one), 1_000) for one in reasons[:REASONS])
    if len(reasons) > REASONS:
        why += f" And {len(reasons) - REASONS:,} more, each at its case."
    return f"{_number(told.get('count')) or 0:g}" + (f": {why}" if why else "")


def _versions(summary: dict[str, Json]) -> str:
    baseline = summary.get("baseline")
    versions = baseline.get("versions") if isinstance(baseline, dict) else None
    found = []
    for one in versions if isinstance(versions, list) else []:
        if isinstance(one, dict):
            name = one.get("agentId") or one.get("flowId") or ""
            found.append(f"{name} {one.get('version')} ({_counted(one.get('cases'), 'case')})")
    return ", ".join(found)


def _models(summary: dict[str, Json]) -> str:
    sampling = summary.get("sampling")
    models = sampling.get("models") if isinstance(sampling, dict) else None
    found = []
    for one in models if isinstance(models, list) else []:
        if isinstance(one, dict):
            found.append(f"{one.get('providerId')} {one.get('model')} ({_counted(one.get('runs'), 'run')})")
    return ", ".join(found)


def _cost(comparison: Comparison) -> str | None:
    progress = comparison.progress
    told = [] if progress.cost_usd is None else [f"${progress.cost_usd:.4f}"]
    if progress.cached:
        told.append(f"{progress.cached:,} of {progress.finished:,} answered from stored replies")
    return "; ".join(told) or None


def _print_next(call: Call, comparison: Comparison, results: list[CaseResult]) -> None:
    out = call.out
    if comparison.status not in FINAL:
        _next(out, [command(call, "comparisons follow", comparison.id)])
        return
    steps = []
    resumes = not call.bench.comparisons.no_resume and comparison.rescore_of is None
    if comparison.status in ("failed", "cancelled") and resumes:
        steps.append(command(call, "comparisons resume", comparison.id))
    waiting = waiting_items(results)
    if waiting:
        run_id, key = waiting[0]
        out.line()
        what = "1 new answer" if len(waiting) == 1 else f"{len(waiting):,} new answers"
        out.line(f"{what} to judge, each marked + above. The first:")
        out.line(f"  {command(call, 'judgments add', '--run', run_id, '--item', key)} --yes   (or --no)")
        if comparison.status == "completed":
            out.line("Then rate it again with what you said:")
            out.line(f"  {command(call, 'comparisons rescore', comparison.id)}")
    if steps:
        _next(out, steps)


def _next(out: Out, steps: list[str]) -> None:
    out.line()
    for step in steps:
        out.line(f"Next: {step}")


def _counted(count: Json, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _shown(before: float | None, now: float | None) -> tuple[str, str]:
    if before is not None and now is not None:
        return percents(before, now)
    return tuple("–" if side is None else percents(side, side)[0] for side in (before, now))  # type: ignore[return-value]


def _points(delta: float | None) -> str:
    if delta is None:
        return "–"
    points = delta * 100
    if points == 0:
        return "0"
    shown = f"{points:+.0f}" if abs(points) >= 1 else f"{points:+.2g}"
    return shown.replace("-", "−")
