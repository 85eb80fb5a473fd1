"""A run as one reads it to judge: the conversation before, the turn with its calls, what else is in the output."""

import json
from typing import NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.items import Item
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.session.transcript import Entry, transcript
from kindgi_tui.text import clean, json_text, one_line
from kindgi_tui.tui.screens.judge.folded_json import folded_json
from kindgi_tui.tui.screens.judge.markdown import markdown_parts
from kindgi_tui.tui.widgets.text_pane import Block, Line, Part, Run, Wrapped, wrap_parts

LONG = 200_000
"""Characters of one message or value that are shown before it is said how many more there are."""

FOLDED, OPEN, WHOLE = 0, 1, 2
"""How far calls and JSON are opened: a line each; two levels of JSON; all of it."""

_NAMES = {"user": "User", "agent": "Agent", "system": "System"}


class Reading(NamedTuple):
    """How a conversation is shown."""

    fold: int = FOLDED
    """How far calls and JSON are opened."""
    drawn: bool = True
    """Whether Markdown is drawn."""


class Prepared(NamedTuple):
    """A text that is ready to be shown."""

    parts: tuple[Part, ...]
    """What it is made of."""
    wrapped: Wrapped
    """Its lines."""
    top: int
    """The line it is shown from."""


def prepare(run: RunDetail, reading: Reading, cells: int) -> Prepared:
    """A run's conversation wrapped to a pane's width; it is shown from this turn on. Any thread may do it."""
    before, turn = conversation_parts(run, reading)
    past = wrap_parts(before, cells)
    lines: list[Line] = past + wrap_parts(turn, cells)
    return Prepared((*before, *turn), Wrapped(cells, tuple(lines)), len(past))


def conversation_parts(run: RunDetail, reading: Reading) -> tuple[list[Part], list[Part]]:
    """The parts of the conversation before this turn, and of the turn."""
    before: list[Part] = []
    turn: list[Part] = []
    for entry in transcript(run):
        (before if entry.past else turn).extend(_entry(entry, reading))
    if run.failure is not None:
        turn.append(Block(f"✗ {clean(run.failure, LONG)}", "bad"))
    rest = _beside_items(run)
    if rest is not None:
        turn += [Run((("Output", "head"),)), *_value(rest, reading)]
    return before, turn


def _beside_items(run: RunDetail) -> Json:
    """A typed output: its lists' elements are the items below, its other fields are read here."""
    if run.subject.kind != "agent" or not isinstance(run.output, dict):
        return None
    typed = run.output.get("output")
    return typed if isinstance(typed, dict) and len(typed) > 1 else None


def _value(value: Json, reading: Reading, style: str = "") -> list[Part]:
    text = json_text(value, LONG) if reading.fold == WHOLE else folded_json(value, 1 + 2 * reading.fold)
    return [Block(text, style, 2)]


def _as_json(text: str) -> Json:
    """What a message says that is a JSON object or list; None for any other text, and for very long ones."""
    if len(text) > LONG:
        return None
    stripped = text.strip()
    if not stripped.startswith(("{", "[")) or not stripped.endswith(("}", "]")):
        return None
    try:
        value: Json = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return value or None


def _entry(entry: Entry, reading: Reading) -> list[Part]:
    past = " (before)" if entry.past else ""
    if entry.speaker == "tool":
        return _call(entry, reading, past)
    style = "dim" if entry.past else ""
    head = Run(((f"{_NAMES.get(entry.speaker, 'User')}{past}", "head"),))
    value = _as_json(entry.text or "") if reading.drawn else None
    if value is not None:
        return [head, *_value(value, reading, style)]
    text = clean(entry.text or "", LONG)
    return [head, *(markdown_parts(text, 2, style) if reading.drawn else [Block(text, style, 2)])]


def _call(entry: Entry, reading: Reading, past: str) -> list[Part]:
    sign = "✗" if entry.failed else "→" if entry.finished else "… no result"
    head = f"⚙ {one_line(entry.tool_id or '', 60)}{past}"
    if reading.fold == FOLDED:
        arguments = one_line(json_text(entry.arguments, 2_000), 160)
        result = one_line(json_text(entry.result, 2_000), 300) if entry.finished else ""
        return [Run(((f"  {head} ", "key"), (arguments, "dim"), (f" {sign} ", ""), (result, "dim")))]
    shown = folded_json if reading.fold == OPEN else lambda value: json_text(value, LONG)
    parts: list[Part] = [Run(((f"  {head}", "key"),)), Block(shown(entry.arguments), "dim", 4)]
    parts.append(Run(((f"  {sign}", "bad" if entry.failed else "key"),)))
    if entry.finished:
        parts.append(Block(shown(entry.result), "dim", 4))
    return parts


def item_parts(item: Item, drawn: bool) -> list[Part]:
    """One item, whole."""
    head = Run(((f"Item {one_line(item.key, 60)}", "head"), ("  Enter: the conversation again", "dim")))
    if isinstance(item.value, str):
        text = clean(item.value, LONG)
        return [head, *(markdown_parts(text, 2) if drawn else [Block(text, "", 2)])]
    return [head, Block(json_text(item.value, LONG), "", 2)]
