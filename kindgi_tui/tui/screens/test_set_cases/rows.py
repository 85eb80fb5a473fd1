"""How a case stands in a list, and how it reads in a pane."""

from kindgi_tui.domain.correction_words import expectation_parts
from kindgi_tui.domain.items import value_at
from kindgi_tui.domain.test_sets import Case, ItemSummary
from kindgi_tui.text import clean, json_text, one_line
from kindgi_tui.tui.screens.runs.blocks import item_words
from kindgi_tui.tui.widgets.line_list import Cell
from kindgi_tui.tui.widgets.text_pane import Block, Run

REASONS = 2
"""How many reasons of an item are shown until all are asked for."""

NO_RECORDING = (
    "It has no recording: its reads run live, writes are refused, and it says only what would be right."
)
"""What is said of a case made from nothing."""

SHORT, LONG = 600, 20_000
"""Characters of a text, and of one that is shown whole."""


def question(case: Case, limit: int) -> str:
    """What went in, as text."""
    return case.input if isinstance(case.input, str) else json_text(case.input, limit)


def case_row(case: Case, width: int) -> list[Cell]:
    """A case as cells of a list of that width: yes and no over its items, the version, the question."""
    yes, no = sum(item.yes for item in case.items), sum(item.no for item in case.items)
    cells = [Cell(f"✓{yes:>3g}", 5, "yes" if yes else "dim"), Cell(f"✗{no:>3g}", 6, "no" if no else "dim")]
    if width >= 70:
        cells.append(Cell(one_line(case.subject.version, 12), 9, "dim"))
    left = max(1, width - sum(cell.cells for cell in cells))
    gone = "Its content was erased."
    words = gone if case.erased else one_line(question(case, left * 4), left)
    return [*cells, Cell(words, left, "dim" if case.erased else "")]


def case_blocks(case: Case, whole: bool, groups: dict[str, str]) -> list[Block | Run]:
    """A case as a pane shows it; `whole` shows every reason and long texts, `groups` are names by id."""
    limit = LONG if whole else SHORT
    told = f"{case.subject.id} {case.subject.version} · run {case.past_run}"
    if case.from_nothing:
        told = f"{case.subject.id} · made from nothing"
    blocks: list[Block | Run] = [Block(one_line(told, 300), "dim")]
    if case.erased:
        return [*blocks, Block("Its content was erased since: comparisons leave it out.", "bad")]
    blocks += [Block(clean(question(case, limit), limit)), Block(""), *expectation_blocks(case, limit)]
    for item in case.items:
        blocks += _item_blocks(case, item, whole, groups)
    if not case.items and case.expect is None:
        blocks.append(Block("Nobody judged an item of it.", "dim"))
    return blocks


def expectation_blocks(case: Case, limit: int) -> list[Block | Run]:
    """What a case expects in words; none where its items are all. `limit`: the longest phrase, in characters."""
    blocks: list[Block | Run] = []
    if case.expect is not None:
        blocks.append(Block("It expects", "head"))
        blocks += [Block(clean(part, limit), "", 2) for part in expectation_parts(case.expect)]
    if case.expert:
        blocks.append(Block("An expert case: it counts when experts' corrections alone do.", "dim"))
    if case.from_nothing:
        blocks.append(Block(NO_RECORDING, "dim"))
    return [*blocks, Block("")] if blocks else []


def share_words(item: ItemSummary) -> str:
    """The share of yes by weight; a dash where what was said weighs nothing."""
    weight = float(item.total_weight)
    return f"{float(item.yes_weight) / weight:.0%} yes by weight" if weight > 0 else "- weighs nothing"


def _item_blocks(case: Case, item: ItemSummary, whole: bool, groups: dict[str, str]) -> list[Block | Run]:
    found = None if item.pointer is None else value_at(case.output, item.pointer)
    value = found.value if found is not None and found.found else None
    head = Run(
        (
            (f"{one_line(item.key, 26):<14} ", "key"),
            (f"✓ {item.yes:g} yes", "yes" if item.yes else "dim"),
            ("  ", ""),
            (f"✗ {item.no:g} no", "no" if item.no else "dim"),
            (f"   {share_words(item)}", "dim"),
        )
    )
    blocks: list[Block | Run] = [head]
    if value is not None:
        text = (
            value if isinstance(value, str) else json_text(value, LONG) if whole else item_words(value, 200)
        )
        blocks.append(Block(clean(text, LONG if whole else SHORT), "", 2))
    given = [one for one in item.reasons if one.reason]
    for one in given if whole else given[:REASONS]:
        mark = "✓ yes" if one.verdict == "yes" else "✗ no"
        group = groups.get(one.group_id or "", "")
        said = f"{mark}{f' ({one_line(group, 40)})' if group else ''}: {one_line(one.reason or '', LONG)}"
        blocks.append(Block(clean(said, 4_000), "dim", 4))
    if not whole and len(given) > REASONS:
        blocks.append(Block(f"{len(given) - REASONS} more: o shows them", "dim", 4))
    return blocks
