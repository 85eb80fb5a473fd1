"""One case of a comparison as text: recorded and new answer, items kept, dropped and new, tool calls."""

from kindgi_tui.cli.case_text import question
from kindgi_tui.cli.items import gist
from kindgi_tui.cli.output import WIDEST
from kindgi_tui.cli.review import Reviewed
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparisons import CaseResult, ToolTrace
from kindgi_tui.domain.headline import percent, stopped_sentence
from kindgi_tui.domain.items import answer_of, output_items
from kindgi_tui.domain.regressions import pass_rates
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.session.checked import checked_entries, repetition_words, state_words
from kindgi_tui.session.reviewing import missing_words, said_words, standing_words
from kindgi_tui.text import clean, dumps_line, json_text, one_line, wrap
from kindgi_tui.text.diffs import word_diff
from kindgi_tui.workbench import NotFound, Unsupported, Workbench

LONGEST = 1200
"""The most characters of an answer that are shown."""

DIFFED = 20_000
"""Answers longer than this together are shown one after the other, not word by word."""

ALIKE = 0.4
"""The share of words two answers must have in common to be shown as one text with its changes."""

CALLS = 20
"""The most tool calls of a case that are shown."""


async def case_lines(
    bench: Workbench,
    reviewed: Reviewed,
    number: int,
    cells: int | None,
    experts: bool = False,
    graded: bool = False,
) -> list[str]:
    """The lines of one case. `experts`: the comparison counts expert groups alone; `graded`: graded parts of
    corrections count in its pass rate."""
    result, case = reviewed.result, reviewed.case
    width = min(cells or WIDEST, WIDEST)
    asked = (
        question(case)
        if case is not None
        else "(its case isn't there: no longer in the test set, or not offered)"
    )
    lines = wrap(clean(f"{number}. {asked}"), width)
    marks = [mark for mark in (standing_words(reviewed.standing, result), *_marks(result, graded)) if mark]
    lines.append(f"   {', '.join(marks)}  case {result.case_id}")
    lines += [f"   {line}" for line in _trouble(result, width - 3)]
    replay = await _first_replay(bench, result)
    lines += [f"   {line}" for line in _expected(case, result, replay, width - 3)]
    agent_turn = case is None or case.subject.kind == "agent"
    output = None if replay is None else replay.output
    before = answer_of(None if case is None else case.output, agent_turn)
    now = answer_of(output, agent_turn)
    lines += [f"   {line}" for line in _answers(before, now, width - 3)]
    lines += [f"   {line}" for line in _item_lines(reviewed, output, agent_turn, experts)]
    return lines + [f"   {line}" for line in _call_lines(result)]


def _marks(result: CaseResult, graded: bool) -> list[str]:
    marks = []
    before, now = pass_rates(result.baseline, result.candidate)
    if before is not None and now is not None:
        yes = "marked right" if graded else "yes"
        marks.append(f"{percent(before)} {yes} before, {percent(now)} now")
    if result.diverged:
        marks.append("diverged")
    if result.refused_writes:
        count = int(result.refused_writes)
        marks.append(f"{count} refused call{'' if count == 1 else 's'}")
    if result.approval_skipped:
        marks.append("approval skipped")
    if result.rescored is False:
        marks.append("not rescored: its replays are gone")
    return marks


def _trouble(result: CaseResult, cells: int) -> list[str]:
    if result.error:
        return wrap(clean(f"Error: {result.error}", LONGEST), cells)
    if isinstance(result.stopped, dict):
        tool = result.stopped.get("toolId")
        sentence = stopped_sentence(
            tool if isinstance(tool, str) else "a tool", result.stopped.get("arguments")
        )
        return wrap(clean(sentence, LONGEST), cells)
    return []


def _expected(case: Case | None, result: CaseResult, replay: RunDetail | None, cells: int) -> list[str]:
    """What it expected and whether it passed, part by part, and what was found instead."""
    lines: list[str] = []
    for entry in checked_entries(case, result, replay):
        told = repetition_words(entry)
        head = "expected by an expert" if entry.expert else "expected"
        lines.append(head + (f" ({told})" if told else ""))
        for part in entry.parts:
            state = "? unchecked" if result.unchecked is not None else state_words(part)
            lines.append(f"  {state}  {part.part}")
            for phrase in (*part.expected, *(f"found: {found}" for found in part.found)):
                lines += [f"    {line}" for line in wrap(clean(phrase, LONGEST), cells - 4)]
    if result.unchecked is not None:
        lines += wrap(clean(f"It couldn't be checked: {result.unchecked}", LONGEST), cells)
    return lines


async def _first_replay(bench: Workbench, result: CaseResult) -> RunDetail | None:
    runs = [run_id for run_id in result.run_ids if run_id]
    if not runs:
        return None
    try:
        return await bench.runs.get(runs[0])
    except (NotFound, Unsupported):
        return None


def _answers(before: Json, now: Json, cells: int) -> list[str]:
    if before is None and now is None:
        return []
    if isinstance(before, str) and isinstance(now, str):
        if before == now:
            return _block("answer, the same:", now, cells)
        if len(before) + len(now) <= DIFFED:
            pieces = word_diff(before, now)
            same = sum(len(piece.text) for piece in pieces if piece.kind == "same")
            if same >= ALIKE * max(len(before), len(now)):
                signs = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
                text = "".join(
                    f"{signs[piece.kind][0]}{piece.text}{signs[piece.kind][1]}" for piece in pieces
                )
                return _block("answer, with [-what went-] and {+what came+}:", text, cells)
    return [*_block("recorded answer:", before, cells), *_block("new answer:", now, cells)]


def _block(title: str, value: Json, cells: int) -> list[str]:
    if value is None:
        return [title, "  (none)"]
    text = clean(value, LONGEST) if isinstance(value, str) else json_text(value, LONGEST)
    return [title, *(f"  {line}" for line in wrap(text, cells - 2))]


def _item_lines(reviewed: Reviewed, output: Json, agent_turn: bool, experts: bool) -> list[str]:
    changes, case = reviewed.result.changes, reviewed.case
    if changes is None:
        return []
    judged = {item.key: item for item in case.items} if case is not None else {}
    recorded = {
        item.key: item.value for item in output_items(None if case is None else case.output, agent_turn)
    }
    new = {item.key: item.value for item in output_items(output, agent_turn)}
    lines: list[str] = []
    missing: list[str] = []
    for kept in changes.kept:
        told = said_words(judged.get(kept.key), experts)[0]
        lines.append(
            f"  = {_name(kept.key)}  {told}{_moved(kept.rank_before, kept.rank)}  {_what(new, kept.key)}"
        )
    for dropped in changes.dropped:
        told = said_words(judged.get(dropped.key), experts)[0]
        if case is not None and dropped.key not in recorded:
            missing.append(f"  ∅ {_name(dropped.key)}  {told}  {missing_words(judged.get(dropped.key))}")
            continue
        lines.append(f"  - {_name(dropped.key)}  {told}  {_what(recorded, dropped.key)}")
    for added in changes.new:
        told = "new, nobody judged it yet"
        if added.judged is not None:
            told = f"new, {added.judged.yes_weight:g} of {added.judged.total_weight:g} yes"
        lines.append(f"  + {_name(added.key)}  {told}  {_what(new, added.key)}")
    lines += missing
    signs = "kept (=), dropped (-), new (+)" + (", missing (∅)" if missing else "")
    return [f"items {signs}:", *(line.rstrip() for line in lines)] if lines else []


def _name(key: str) -> str:
    return one_line(key, 80)


def _what(values: dict[str, Json], key: str) -> str:
    # The answer itself stands above.
    return "" if key in ("answer", "output") or key not in values else gist(values[key], 60)


def _moved(before: float | int | None, now: float | int | None) -> str:
    if before is None or now is None or before == now:
        return ""
    return f", #{int(before) + 1} → #{int(now) + 1}"


def _call_lines(result: CaseResult) -> list[str]:
    calls = result.tools or ()
    lines = [_call_line(call) for call in calls[:CALLS]]
    if len(calls) > CALLS:
        lines.append(f"  … {len(calls) - CALLS:,} more")
    return ["tool calls:", *lines] if lines else []


def _call_line(call: ToolTrace) -> str:
    name = f"{call.tool_id} {call.tool_version}" if call.tool_version else call.tool_id
    arguments = one_line(dumps_line(call.arguments), 120)
    reason = f" ({one_line(call.reason, 160)})" if call.reason else ""
    source = "recomputed" if call.recomputed else call.source
    return f"  {source}: {one_line(name, 120)} {arguments}{reason}"
