"""What stands over the parts of Correct, and beside them: the run, a row whole, the tool's input."""

from textual.content import Content

from kindgi_tui.domain.agreement import rater
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.correction_words import expectation_words
from kindgi_tui.domain.corrections import Mark
from kindgi_tui.domain.javascript import json_equal
from kindgi_tui.session.arguments import Read, arguments_line, read_arguments
from kindgi_tui.session.correcting import Correcting
from kindgi_tui.session.correcting_draft import call_arguments
from kindgi_tui.session.tool_choices import ToolChoice
from kindgi_tui.session.tool_input import InputField, input_fields
from kindgi_tui.session.transcript import transcript
from kindgi_tui.text import clean, json_text, one_line
from kindgi_tui.tui.content import joined
from kindgi_tui.tui.screens.correct.rows import LABELS, NOT_SAVED, TEXTS, stance
from kindgi_tui.tui.screens.runs.blocks import entry_blocks
from kindgi_tui.tui.widgets.text_pane import Block, Flow, Part, Run

LONG = 4_000
"""Characters of one text that are shown."""

MARKS: dict[Mark | None, tuple[str, str]] = {
    None: ("· not said", ""), "right": ("✓ right", "$success"), "wrong": ("✗ wrong", "$warning"),
}  # fmt: skip
"""What was said of a part: sign and word, and their style."""


def title_words(correcting: Correcting) -> str:
    """Which run it is, whom one speaks as, and whether it is saved."""
    run, words = correcting.run, ["Correct"]
    if run is None:
        return f"Correct · run {correcting.run_id}"
    words += [f"{run.subject.id} {run.subject.version}", f"run {run.id[:8]}"]
    group = correcting.group
    words += [f"as {group.name}"] if group is not None else []
    if correcting.live is None:
        words.append("a draft" if correcting.unsaved else "nothing said yet")
    else:
        words.append("changed since it was saved" if correcting.unsaved else "✓ saved")
    return " · ".join(words)


def decisions_head(correcting: Correcting, cells: int) -> Content:
    """The line over the calls."""
    draft = correcting.draft
    if draft.decisions == "wrong":
        called = sum(row.stance == "call" for row in draft.calls)
        never = len({row.tool_id for row in draft.calls if row.stance == "never"})
        told = f"it should make {_calls(called)}" + (f", never {_tools(never)}" if never else "")
    elif draft.decisions == "right":
        told = "these tools and no others" if draft.calls else "no tool at all"
    else:
        count = len(correcting.recorded)
        told = f"it made {_calls(count)}" if correcting.run is not None else ""
    return _head("Decisions", draft.decisions, told, "d right  D wrong", cells)


def answer_head(correcting: Correcting, cells: int) -> Content:
    """The line over the texts."""
    told = {None: "", "right": "an answer that says the same passes", "wrong": "one that does this passes"}
    mark = correcting.draft.answer
    return _head("Answer", mark, told[mark], "a right  A wrong", cells)


def _head(name: str, mark: Mark | None, told: str, keys: str, cells: int) -> Content:
    words, style = MARKS[mark]
    left = max(1, cells - 23 - len(keys) - 1)
    pieces = (
        (f"{name:<11}", "bold"), (f"{words:<12}", f"bold {style}".strip()),
        (f"{one_line(told, left):<{left}} ", ""), (keys, "$secondary"),
    )  # fmt: skip
    return joined(*(Content.styled(part, look) for part, look in pieces))


def _calls(count: int) -> str:
    return f"{count} {'call' if count == 1 else 'calls'}"


def _tools(count: int) -> str:
    return f"{count} {'tool' if count == 1 else 'tools'}"


def run_parts(correcting: Correcting, whole: bool) -> list[Part]:
    """What was asked and answered; with `whole` all that was said and called, open."""
    run = correcting.run
    if run is None:
        return []
    parts: list[Part] = _others_parts(correcting)
    if run.failure is not None:
        parts.append(Block(f"✗ {clean(run.failure, LONG)}", "bad"))
    for entry in transcript(run):
        if whole or (entry.speaker != "tool" and not entry.past):
            parts += entry_blocks(entry, folded=False)
    output = run.output.get("output") if isinstance(run.output, dict) else None
    if run.subject.kind == "agent" and output is not None and not _says(parts, output):
        parts += [Run((("Output", "head"),)), Block(json_text(output, LONG), "", 2)]
    return parts


def _others_parts(correcting: Correcting) -> list[Part]:
    """What everybody else said of the run, once mine is saved: before, it would colour what I say myself."""
    others = correcting.others
    if not others:
        return []
    if correcting.live is None:
        count = "1 other correction shows" if len(others) == 1 else f"{len(others)} other corrections show"
        return [Block(f"{count} once yours is saved.", "dim")]
    parts: list[Part] = [Run((("What others said it should have done", "head"),))]
    for one in others:
        who = one_line(rater(one.asserter, one.participant), 60)
        parts.append(Flow(((f"{who}: ", "key"), (one_line(expectation_words(one.expect), 600), "")), 2, 2))
    return parts


def _says(parts: list[Part], output: Json) -> bool:
    """Whether the last text is the output already, as a typed agent's answer is."""
    last = parts[-1] if parts else None
    read = read_arguments(last.text) if isinstance(last, Block) else Read()
    return read.arguments is not None and json_equal(read.arguments, output)


def row_parts(correcting: Correcting, part: str, number: int) -> list[Part]:
    """The row under the cursor, whole: of `calls` or `says`."""
    if part == "says":
        name = TEXTS[number]
        text = getattr(correcting.draft, name)
        kept_aside = text and correcting.draft.answer != "wrong"
        return [
            Run(((LABELS[name], "head"), *([(f" {NOT_SAVED}", "dim")] if kept_aside else []))),
            Block(clean(text, LONG) if text else "Nothing yet.", "" if text else "dim"),
        ]
    calls = correcting.draft.calls
    if not 0 <= number < len(calls):
        return [Block("The run called no tool. n adds a call it should make.", "dim")]
    row = calls[number]
    tool = correcting.tool(row.tool_id)
    words, style = stance(correcting, row)
    parts: list[Part] = [
        Run(((one_line(row.tool_id, 200), "head"),)),
        Block(words, style),
    ]
    if row.recorded is not None:
        made = correcting.recorded[row.recorded]
        parts += [Run((("It was called with", "strong"),)), Block(json_text(made.arguments, LONG), "dim", 2)]
    asked = row.arguments
    recorded = None if row.recorded is None else call_arguments(correcting.recorded[row.recorded])
    if row.stance == "call" and asked is not None and (recorded is None or not json_equal(asked, recorded)):
        parts += [Run((("It should be called with", "strong"),)), Block(json_text(asked, LONG), "", 2)]
    doubt = correcting.doubt(row)
    if doubt is not None:
        parts.append(Block(f"! {clean(doubt, 400)}", "bad"))
    if tool is not None:
        parts += input_parts(tool)
    if row.recorded is not None and correcting.recorded[row.recorded].finished:
        made = correcting.recorded[row.recorded]
        sign = "It failed" if made.failed else "What came back"
        parts += [Run(((sign, "strong"),)), Block(json_text(made.result, 800), "dim", 2)]
    return parts


def input_parts(tool: ToolChoice) -> list[Part]:
    """What a tool takes: its fields with what they hold, required ones first."""
    version = f" {one_line(tool.version, 20)}" if tool.version else ""
    parts: list[Part] = [Flow(((f"{one_line(tool.id, 200)}{version} takes", "head"),), 0, 2)]
    if tool.about:
        parts.append(Block(clean(tool.about, 400), "dim"))
    fields = input_fields(tool.input)
    if not fields:
        parts.append(Block("Its fields aren't known here: any JSON object will do.", "dim", 2))
    return [*parts, *map(_field_part, fields)]


def _field_part(field: InputField) -> Part:
    needed = " · required" if field.required else ""
    about = f" · {one_line(field.about, 200)}" if field.about else ""
    name, kind = one_line(field.name, 60), one_line(field.kind, 120)
    return Flow(((f"{name}  ", "key"), (kind, ""), (needed, "strong"), (about, "dim")), 2, 2)


def typed_sentence(problem: str | None, fits: str | None, text: str) -> str:
    """What is said under the line while arguments are typed: the first error, what doesn't fit, or that all is well."""
    if problem is not None:
        return problem
    if not text.strip():
        return "Nothing: any arguments will do. Tab puts the tool's fields in."
    return (
        fits if fits is not None else "Fits. Enter takes it, Tab puts the next field in, Esc keeps a draft."
    )


def prefilled(correcting: Correcting, number: int) -> str:
    """What a call's arguments begin with when they are edited: what was begun, else what it says now."""
    begun = correcting.typed.get(f"call:{number}")
    if begun is not None:
        return begun
    row = correcting.draft.calls[number]
    shown = row.arguments
    if shown is None and row.recorded is not None:
        shown = call_arguments(correcting.recorded[row.recorded])
    return arguments_line(shown)
