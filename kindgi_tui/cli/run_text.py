"""A run as text: what went in, its tool calls, what came out, and each item with what was said of it."""

from collections.abc import Sequence

from kindgi_tui.cli.items import gist, items_of, word_of
from kindgi_tui.cli.output import Out
from kindgi_tui.cli.tables import pairs, short_id
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.correction_words import expectation_parts
from kindgi_tui.domain.corrections import Correction, CorrectionFilter
from kindgi_tui.domain.items import Item
from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.domain.queries import JudgmentFilter
from kindgi_tui.domain.runs import RecordedCall, RunDetail, recorded_calls
from kindgi_tui.text import clean, dumps_line, json_text, one_line
from kindgi_tui.wire import v04
from kindgi_tui.workbench import Unsupported, Workbench

LONGEST = 4000
"""The most characters of one text that are shown; `--json` has all of it."""

MOST_JUDGMENTS = 1000
"""The most judgments of one run that are read, and the most corrections."""

CORRECTION_CELLS = 300
"""The most cells of a line that says what a correction expects."""


async def runs_judgments(bench: Workbench, run_id: str) -> tuple[Judgment, ...]:
    """The live judgments of a run, newest first."""
    page = await bench.judgments.list(JudgmentFilter(run_id=run_id), limit=MOST_JUDGMENTS)
    return page.data


async def runs_corrections(bench: Workbench, run_id: str) -> tuple[Correction, ...]:
    """The live corrections of a run, newest first; none where whoever answers keeps none."""
    try:
        return (await bench.corrections.list(CorrectionFilter(run_id=run_id), limit=MOST_JUDGMENTS)).data
    except Unsupported:
        return ()


def run_with_items(
    run: RunDetail, said: Sequence[Judgment], corrected: Sequence[Correction] = ()
) -> dict[str, Json]:
    """A run for programs, with its items (key, pointer, rank), its live judgments and its live corrections."""
    items: list[Json] = [
        v04.without_none({"key": item.key, "pointer": item.pointer, "rank": item.rank})
        for item in items_of(run)
    ]
    judgments: list[Json] = [v04.judgment(one) for one in said]
    corrections: list[Json] = [v04.correction(one) for one in corrected]
    return {**v04.run(run), "items": items, "judgments": judgments, "corrections": corrections}


def print_run(
    out: Out, run: RunDetail, said: Sequence[Judgment], corrected: Sequence[Correction] = ()
) -> None:
    """Prints a run for people."""
    what = f"{run.subject.id} {run.subject.version}"
    rows: list[tuple[str, str | None]] = [("run", run.id), ("what ran", what), ("status", run.status)]
    rows += [("failed", run.failure), ("when", v04.time(run.created_at)), ("source", run.source)]
    rows += [("segment", " / ".join(f"{step.key}:{step.value}" for step in run.segments))]
    rows += [("replay of", run.replay_of), ("comparison", run.comparison_id)]
    out.lines(pairs([*rows, ("note", _note(run))]))
    _section(out, "Went in", run.input)
    calls = recorded_calls(run.output)
    if calls:
        out.line()
        out.line("Tool calls", heading=True)
        for call in calls:
            out.lines([f"  {line}" for line in _call_lines(call)])
    items = items_of(run)
    answer = next((item for item in items if item.key == "answer"), None)
    if answer is not None:
        _section(out, "Answer", answer.value)
    elif run.output is not None and run.subject.kind == "flow":
        _section(out, "Output", run.output)
    if items:
        out.line()
        out.line("Items to judge", heading=True)
        for item in items:
            out.lines([f"  {line}" for line in _item_lines(item, said)])
    if corrected:
        out.line()
        out.line("Corrections", heading=True)
        for one in corrected:
            out.lines([f"  {line}" for line in _correction_lines(one)])


def _note(run: RunDetail) -> str | None:
    if run.context.get("severalTurns") is True:
        return "Several turns in one: it can be judged and gathered, but not replayed faithfully."
    history = run.context.get("history")
    return f"{len(history)} messages came before." if isinstance(history, list) and history else None


def _section(out: Out, title: str, value: Json) -> None:
    if value is None:
        return
    out.line()
    out.line(title, heading=True)
    text = clean(value, LONGEST) if isinstance(value, str) else json_text(value, LONGEST)
    out.lines([f"  {line}" for line in text.split("\n")])


def _call_lines(call: RecordedCall) -> list[str]:
    name = f"{call.tool_id} {call.tool_version}" if call.tool_version else call.tool_id
    lines = [f"{one_line(name, 120)} {one_line(dumps_line(call.arguments), 160)}"]
    if not call.finished:
        return [*lines, "  no result was recorded"]
    came = "failed: " if call.failed else ""
    return [*lines, f"  {came}{one_line(_short(call.result), 160)}"]


def _short(value: Json) -> str:
    return value if isinstance(value, str) else dumps_line(value)


def _item_lines(item: Item, said: Sequence[Judgment]) -> list[str]:
    rank = "" if item.rank is None else f"#{int(item.rank) + 1} "
    lines = [f"{rank}{one_line(item.key, 120)}  {gist(item.value)}".rstrip()]
    for one in said:
        if one.item.key == item.key:
            reason = f": {one_line(one.reason, 160)}" if one.reason else ""
            lines.append(f"  {word_of(one)}, {one_line(one.asserter, 60)}{reason}")
    return lines


def _correction_lines(correction: Correction) -> list[str]:
    who = f"{correction.asserter} (expert)" if correction.expert else correction.asserter
    head = f"{one_line(who, 80)}, {v04.time(correction.created_at)}, {short_id(correction.id)}"
    return [head, *(f"  {one_line(part, CORRECTION_CELLS)}" for part in expectation_parts(correction.expect))]
