"""How a case of a comparison reads: recorded beside new word by word, what people said, the tool calls."""

from collections.abc import Sequence
from typing import NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparisons import CaseResult, ToolTrace
from kindgi_tui.domain.headline import stopped_sentence
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.session.checked import checked_entries, repetition_words, state_words
from kindgi_tui.session.reviewing import said_words
from kindgi_tui.text import clean, dumps_line, json_text, one_line, width, wrap
from kindgi_tui.text.diffs import Piece, word_diff
from kindgi_tui.tui.widgets.text_pane import Block, Run

LONG = 20_000
"""Characters of an answer that are shown."""

ALIKE = 0.3
"""The share of words two answers have in common before what changed is marked; else all of it would be."""

CALLS = 100
"""Tool calls of a case that are shown."""

REASONS = 2
"""Reasons of an item that are shown."""

SIDE_BY_SIDE = 98
"""From this many cells on the answers stand beside each other."""

Styled = tuple[tuple[str, str], ...]
"""Words with the names of their styles."""


_STYLES = {True: "yes", False: "bad", None: "dim"}


def expected_blocks(case: Case | None, result: CaseResult, shown: RunDetail | None) -> list[Block | Run]:
    """What the case expected and whether it passed, part by part; what was found instead where it failed.

    `shown` is the run of the repetition one looks at.
    """
    entries = checked_entries(case, result, shown)
    rows: list[Block | Run] = []
    for entry in entries:
        head = "Expected by an expert" if entry.expert else "Expected"
        told = repetition_words(entry)
        rows.append(Run(((head, "head"), (f" · {told}" if told else "", "dim"))))
        for part in entry.parts:
            words = state_words(part) if result.unchecked is None else "? unchecked"
            rows.append(Run(((f"{words:<14}", _STYLES[part.passed]), (part.part, "strong"))))
            rows += [Block(clean(phrase, LONG), "", 12) for phrase in part.expected]
            rows += [Block(clean(f"→ {phrase}", LONG), "bad", 12) for phrase in part.found]
    if result.unchecked is not None:
        rows.append(Block(f"It couldn't be checked: {one_line(result.unchecked, 400)}", "bad"))
    return [*rows, Block("")] if rows else []


class Answers(NamedTuple):
    """The recorded and the new answer, as words with styles, and what there is to say of them."""

    before: Styled
    """The recorded answer; what went is `removed`."""
    now: Styled
    """The new answer; what came is `added`."""
    note: str
    """How they differ, in a word."""


def answers(before: Json, now: Json) -> Answers:
    """Both answers with what changed; it may take a second on long ones."""
    old, new = _text(before), _text(now)
    if old == new:
        return Answers(((old, ""),), ((new, ""),), "the same")
    if not old or not new:
        return Answers(
            ((old or "(none)", "" if old else "dim"),), ((new or "(none)", "" if new else "dim"),), ""
        )
    pieces = word_diff(old, new)
    same = sum(len(piece.text) for piece in pieces if piece.kind == "same")
    if same < ALIKE * min(len(old), len(new)):
        return Answers(((old, ""),), ((new, ""),), "rewritten")
    return Answers(_side(pieces, "removed"), _side(pieces, "added"), "what changed is marked")


def _text(value: Json) -> str:
    if value is None:
        return ""
    return clean(value, LONG) if isinstance(value, str) else json_text(value, LONG)


def _side(pieces: Sequence[Piece], kind: str) -> Styled:
    return tuple(
        (piece.text, "" if piece.kind == "same" else kind) for piece in pieces if piece.kind in ("same", kind)
    )


def answer_blocks(told: Answers, before: str, now: str, cells: int) -> list[Block | Run]:
    """The answers under their titles: beside each other where there is room, else one under the other."""
    note = f" · {told.note}" if told.note else ""
    if cells < SIDE_BY_SIDE:
        return [
            Run(((f"Recorded · {before}", "head"), (note, "dim"))), *_column(told.before, "−", cells - 1), Block(""),
            Run(((f"New · {now}", "head"),)), *_column(told.now, "+", cells - 1),
        ]  # fmt: skip
    half = (cells - 4) // 2
    left, right = _column(told.before, "−", half), _column(told.now, "+", half)
    rows: list[Block | Run] = [
        Run(
            (
                *_padded(((f"Recorded · {before}", "head"),), half),
                (" │ ", "dim"),
                (f"New · {now}", "head"),
                (note, "dim"),
            )
        )
    ]
    for place in range(max(len(left), len(right))):
        one = left[place].pieces if place < len(left) else ()
        other = right[place].pieces if place < len(right) else ()
        rows.append(Run((*_padded(one, half), (" │ ", "dim"), *other)))
    return rows


def _padded(pieces: Styled, cells: int) -> Styled:
    used = sum(width(words) for words, _ in pieces)
    return (*pieces, (" " * max(0, cells - used), ""))


def _column(styled: Styled, sign: str, cells: int) -> list[Run]:
    """Lines of words with styles; a line with a change has the sign before it, so that it never rests on colour."""
    rows = []
    for line in wrapped(styled, max(4, cells - 2)):
        changed = any(style in ("removed", "added") for _, style in line)
        style = "bad" if sign == "−" else "yes"
        rows.append(Run(((f"{sign} " if changed else "  ", style if changed else ""), *line)))
    return rows


def wrapped(styled: Styled, cells: int) -> list[Styled]:
    """Words with styles, wrapped to so many cells as `text.wrap` does."""
    full = "".join(words for words, _ in styled)
    starts: list[tuple[int, str]] = []
    at = 0
    for words, style in styled:
        starts.append((at, style))
        at += len(words)
    starts.append((at, ""))
    rows: list[Styled] = []
    offset = 0
    for hard in full.split("\n"):
        place = offset
        for words in wrap(hard, cells):
            place = full.find(words, place)
            rows.append(_between(full, starts, place, place + len(words)))
            place += len(words)
        offset += len(hard) + 1
    return rows


def _between(full: str, starts: Sequence[tuple[int, str]], begin: int, end: int) -> Styled:
    found = []
    for number, (at, style) in enumerate(starts[:-1]):
        low, high = max(begin, at), min(end, starts[number + 1][0])
        if low < high:
            found.append((full[low:high], style))
    return tuple(found)


def question_blocks(case: Case | None, cells: int) -> list[Block | Run]:
    """What went in, where the title, of so many cells, can't show all of it."""
    if case is None:
        return [Block("Its case is no longer in the test set.", "dim"), Block("")]
    words = case.input if isinstance(case.input, str) else json_text(case.input, 4_000)
    if "\n" not in words and len(words) < 500 and width(one_line(words, 500)) <= cells - 20:
        return []
    return [Run((("Asked", "head"),)), Block(clean(words, 4_000), "", 2), Block("")]


def trouble_blocks(result: CaseResult, failure: str | None) -> list[Block | Run]:
    """Why there is no output to rate, in words."""
    if isinstance(result.stopped, dict):
        tool = result.stopped.get("toolId")
        sentence = stopped_sentence(
            tool if isinstance(tool, str) else "a tool", result.stopped.get("arguments")
        )
        return [Block(f"■ {clean(sentence, 4_000)}", "bad"), Block("")]
    if result.error:
        return [Block(f"✗ This case failed: {clean(result.error, 4_000)}", "bad"), Block("")]
    if failure:
        return [Block(f"✗ This repetition failed: {clean(failure, 4_000)}", "bad"), Block("")]
    return []


def said_blocks(case: Case | None, experts: bool) -> list[Block | Run]:
    """What people said of the recorded items, with up to two reasons each.

    `experts`: the comparison counts expert groups alone, so what those said stands first.
    """
    if case is None or not case.items:
        return []
    blocks: list[Block | Run] = [Block(""), Run((("What people said of the recorded items", "head"),))]
    for item in case.items:
        everybody = f"{item.yes:g} yes, {item.no:g} no"
        words, yes = (
            said_words(item, True) if experts else (everybody, 2 * item.yes_weight > item.total_weight)
        )
        mark, style = {True: ("✓", "yes"), False: ("✗", "no"), None: ("·", "dim")}[yes]
        rest = f" · all: {everybody}" if experts else ""
        blocks.append(Run(((f"  {mark} {words} ", style), (one_line(item.key, 60), "key"), (rest, "dim"))))
        blocks += [
            Run(((f"      {told.verdict}: ", "dim"), (one_line(told.reason, 300), "")))
            for told in item.reasons[:REASONS]
            if told.reason
        ]
    return blocks


SOURCES = {
    "recorded": ("= recorded ", "dim"), "live": ("~ live ", "no"), "refused": ("✗ refused ", "bad"),
    "recomputed": ("≈ recomputed ", "dim"),
}  # fmt: skip
"""Where a call's result came from: sign, word and style."""


def call_blocks(calls: Sequence[ToolTrace]) -> list[Block | Run]:
    """The tool calls, each with where its result came from, and why it was refused."""
    if not calls:
        return []
    blocks: list[Block | Run] = [Block(""), Run((("Tool calls", "head"),))]
    for call in calls[:CALLS]:
        words, style = SOURCES.get(
            "recomputed" if call.recomputed else call.source, (f"{one_line(call.source, 20)} ", "")
        )
        name = f"{one_line(call.tool_id, 80)} {one_line(call.tool_version or '', 20)}".rstrip()
        arguments = one_line(dumps_line(call.arguments), 600)
        blocks.append(Run(((f"  {words}", style), (f"{name} ", "key"), (arguments, ""))))
        if call.reason:
            blocks.append(Block(clean(call.reason, 1_000), "bad", 6))
    if len(calls) > CALLS:
        blocks.append(Block(f"  … {len(calls) - CALLS:,} more", "dim"))
    return blocks


def traces(result: CaseResult, output: Json, repetition: int) -> tuple[ToolTrace, ...]:
    """The calls of a repetition: the stored ones of the first, else those its run's replay report has."""
    if repetition == 0 and result.tools is not None:
        return result.tools
    report = output.get("replay") if isinstance(output, dict) else None
    listed = report.get("tools") if isinstance(report, dict) else None
    return (
        tuple(ToolTrace.read(one) for one in listed or () if isinstance(one, dict))
        if isinstance(listed, list)
        else ()
    )
