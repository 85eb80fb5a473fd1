"""What a comparison would run and what changed in the candidate, in words."""

from kindgi_tui.domain.comparison_records import ComparisonPlan
from kindgi_tui.session.definition_changes import DefinitionChanges
from kindgi_tui.session.launching import CompareCheck
from kindgi_tui.text import clean, json_text, one_line
from kindgi_tui.text.diffs import JsonChange
from kindgi_tui.tui.widgets.text_pane import Block, Run
from kindgi_tui.tui.word_lines import word_lines

LONG = 400
"""Cells of a value that changed."""


def cost_words(plan: ComparisonPlan) -> str:
    """What it may cost."""
    if plan.cost_usd is None:
        return "Its cost is not known: the past turns don't say what they cost."
    if plan.cost_usd == 0:
        return "It costs nothing."
    shown = f"{plan.cost_usd:,.2f}" if plan.cost_usd >= 0.01 else f"{plan.cost_usd:.2g}"
    return f"It costs about ${shown}, if calls cost what they did before."


def _judged_words(plan: ComparisonPlan) -> str:
    """How many answers a model judges, with a blank after it; empty without any."""
    if plan.judged == 0:
        return ""
    return f"A model judges {plan.judged:,} {'answer' if plan.judged == 1 else 'answers'} at most. "


def _stored_words(plan: ComparisonPlan, fresh: bool) -> str:
    """How many answers are stored already, with a blank after it; empty where nobody says."""
    if plan.cached is None:
        return ""
    asked = plan.repetitions - plan.cached
    left = f"{asked:,} {'is' if asked == 1 else 'are'} asked for"
    if fresh:
        return f"Stored answers are ignored: {left}. "
    if asked == 0:
        return "Every answer is stored already" + (": no model is asked. " if plan.judged == 0 else ". ")
    if plan.cached == 0:
        return f"No answer is stored yet: {left}. "
    have = "answer is" if plan.repetitions == 1 else "answers are"
    return f"{plan.cached:,} of {plan.repetitions:,} {have} stored already, {left}. "


def plan_blocks(check: CompareCheck) -> list[Block | Run]:
    """The dry run, or why there is none."""
    blocks: list[Block | Run] = []
    plan, request = check.plan, check.request
    if check.refusal is not None:
        blocks.append(Block(clean(f"✗ {check.refusal}", 2_000), "bad"))
    if plan is None or request is None:
        return blocks
    who = f"{request.agent_id or request.flow_id} {request.subject_version}"
    cases = f"{plan.cases:,} {'case' if plan.cases == 1 else 'cases'}"
    each = "" if request.repetitions == 1 else f" × {request.repetitions} = {plan.repetitions:,} runs"
    blocks += [
        Block(one_line(f"Dry run: {cases}{each} of {who}", 300), "head"),
        Block(f"{_stored_words(plan, request.fresh)}{_judged_words(plan)}{cost_words(plan)}", "", 2),
    ]
    if request.sample is not None and request.sample.part == "search":
        blocks.append(Block("A gate can't decide by the search part.", "dim", 2))
    blocks += [Block(clean(f"! {problem}", 2_000), "bad", 2) for problem in plan.problems]
    return blocks


def changes_blocks(changes: DefinitionChanges, cases: int, cells: int) -> list[Block | Run]:
    """What changed in the candidate's definition; `cases` were recorded with the version before."""
    recorded = (
        f", with which {cases:,} {'case was' if cases == 1 else 'cases were'} recorded" if cases else ""
    )
    if changes.before == changes.after:
        same = f"{changes.after} is the version {cases:,} {'case was' if cases == 1 else 'cases were'} recorded with"
        return [Block(one_line(f"{same}: v shows what it changes since another.", 300), "dim")]
    head = f"What {changes.after} changes since {changes.before}{recorded}"
    blocks: list[Block | Run] = [Block(one_line(head, 300), "head")]
    if changes.none:
        return [*blocks, Block("Nothing but the version.", "dim", 2)]
    if changes.instructions:
        blocks.append(Block("Instructions, with [-what went-] and {+what came+}", "dim"))
        blocks += word_lines(changes.instructions, cells)
    if changes.others:
        blocks.append(Block("The rest of the definition", "dim"))
        blocks += [block for change in changes.others for block in _change_blocks(change)]
    return blocks


def _change_blocks(change: JsonChange) -> list[Block | Run]:
    if change.kind == "more":
        return [Block("… there may be more", "dim", 2)]
    place = one_line(change.pointer or "/", 100)
    before, after = (one_line(json_text(value, LONG * 4), LONG) for value in (change.before, change.after))
    if change.kind == "added":
        return [Block(f"{{+ {place}: {after} +}}", "added", 2)]
    if change.kind == "removed":
        return [Block(f"[- {place}: {before} -]", "removed", 2)]
    if change.kind == "moved":
        return [Block(f"{place}: moved to place {after}", "", 2)]
    return [
        Block(f"{place}:", "", 2),
        Block(f"[-{before}-]", "removed", 4),
        Block(f"{{+{after}+}}", "added", 4),
    ]
