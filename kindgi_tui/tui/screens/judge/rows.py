"""The lines of Judge: the run in the queue, the item in its list and in its fixed place, what was said of it."""

from kindgi_tui.domain.items import Item
from kindgi_tui.domain.judging import CorrectedApart, Disagreement, Guideline, QueueProgress
from kindgi_tui.session.judging_queue import Entry, Said, Sheet
from kindgi_tui.session.judging_sitting import Sitting
from kindgi_tui.session.judging_undo import item_name
from kindgi_tui.text import clean, one_line, width
from kindgi_tui.tui.screens.judge.markdown import markdown_parts
from kindgi_tui.tui.screens.runs.blocks import item_words
from kindgi_tui.tui.screens.runs.rows import when
from kindgi_tui.tui.widgets.line_list import Cell
from kindgi_tui.tui.widgets.text_pane import Block, Flow, Part, Run

VERDICT_CELLS = 13
"""The width of a verdict's cell: shape and words."""


def verdict_words(said: Said | None, skipped: bool, on_the_way: bool = False) -> tuple[str, str]:
    """A verdict as shape and word, and the name of its style; one that isn't on disk yet has no shape of its own."""
    if on_the_way:
        return ("… not judged" if said is None else f"… {said.verdict}"), "dim"
    if said is not None:
        return ("✓ yes", "yes") if said.verdict == "yes" else ("✗ no", "no")
    return ("– skipped", "dim") if skipped else ("· not judged", "dim")


def _standing(sheet: Sheet, item: Item) -> tuple[str, str]:
    return verdict_words(sheet.mine.get(item.key), item.key in sheet.passed, sheet.on_the_way(item.key))


def item_row(sheet: Sheet, place: int, cells_wide: int) -> list[Cell]:
    """An item in the list: its number, its verdict, its key, its words, the reason."""
    item = sheet.items[place]
    said = sheet.mine.get(item.key)
    words, style = _standing(sheet, item)
    number = f"{place + 1}"
    cells = [Cell(number, 4, "dim"), Cell(words, VERDICT_CELLS, style)]
    left = cells_wide - 4 - VERDICT_CELLS
    if left >= 30 and (item.own_key or item.rank is None):
        size = min(20, left // 3)
        cells.append(Cell(one_line(item.key, size - 1), size, "key"))
        left -= size
    reason = said.reason if said is not None else None
    if reason and left >= 24:
        size = left // 2
        cells.append(Cell(item_words(item.value, size - 1), size))
        cells.append(Cell(one_line(f"— {reason}", left - size), left - size, "dim"))
    else:
        cells.append(Cell(item_words(item.value, max(left, 1)), max(left, 1)))
    return cells


def bar_words(sheet: Sheet, item: Item, place: int, cells: int) -> list[tuple[str, str]]:
    """The item to judge in its fixed place: number, verdict, name, words."""
    words, style = _standing(sheet, item)
    number = f" {place + 1} of {len(sheet.items)}"
    left = max(1, cells - 12 - VERDICT_CELLS)
    named = one_line(item_name(item), 24) + "  "
    return [
        (f"{number:<12}", "strong"), (f"{words:<{VERDICT_CELLS}}", style or ""), (named, "key"),
        (item_words(item.value, max(1, left - width(named))), ""),
    ]  # fmt: skip


def queue_row(entry: Entry, cells_wide: int) -> list[Cell]:
    """A run of the sitting: whether it is done, when, what went in."""
    if entry.dismissed:
        mark, style = "×", "dim"
    else:
        mark, style = ("–", "dim") if entry.skipped else ("✓", "yes") if entry.finished else ("·", "dim")
    if entry.run is None:
        return [
            Cell(mark, 2, style),
            Cell(one_line(entry.run_id, max(1, cells_wide - 2)), cells_wide - 2, "dim"),
        ]
    left = max(1, cells_wide - 14)
    return [
        Cell(mark, 2, style), Cell(when(entry.run.created_at), 12, "dim"),
        Cell(one_line(entry.run.preview, left), left),
    ]  # fmt: skip


def state_words(entry: Entry, groups: dict[str, str]) -> list[str]:
    """What the queue tells of a run: who dismissed it and why, how much was said of it, who is wanted."""
    state = entry.state
    if state is None:
        return []
    words: list[str] = []
    dismissal = state.dismissal
    if dismissal is not None:
        by = f" by {one_line(dismissal.by, 30)}" if dismissal.by else ""
        why = f": {one_line(dismissal.reason, 80)}" if dismissal.reason else ""
        words.append(f"dismissed{by}{why}")
    if state.said:
        named = [
            f"{one_line(groups.get(one.group_id, 'another group'), 20)} {one.count}"
            for one in state.said_as
            if one.group_id is not None
        ]
        of = f" ({', '.join(named)})" if named else ""
        words.append(f"{state.said:,} {'verdict' if state.said == 1 else 'verdicts'} so far{of}")
    wanted = [one_line(groups.get(each, "another group"), 20) for each in state.wanted_groups]
    words += [f"wanted: {', '.join(wanted)}"] if wanted else []
    return words


def reasons_words(reasons: tuple[str, ...], cells: int) -> str:
    """Reasons used before, with their numbers, on one line."""
    if not reasons:
        return ""
    each = max(8, (cells - 2) // len(reasons) - 4)
    return " " + "  ".join(f"{number} {one_line(reason, each)}" for number, reason in enumerate(reasons, 1))


def guideline_parts(guideline: Guideline | None, name: str) -> list[Part]:
    """What to judge by, drawn."""
    if guideline is None:
        return [
            Run((("Guideline", "head"),)),
            Block(f"None yet for {one_line(name, 60)}. W writes one.", "dim"),
        ]
    told = f"Guideline, version {guideline.version}, {when(guideline.created_at)}, {one_line(guideline.created_by, 20)}"
    return [Run(((told, "head"),)), *markdown_parts(clean(guideline.text))]


def history_parts(sheet: Sheet, item: Item, groups: dict[str, str]) -> list[Part]:
    """What was said of an item: mine with its reason, and once mine is in, everybody else's."""
    said = sheet.mine.get(item.key)
    words, style = _standing(sheet, item)
    parts: list[Part] = [Run(((f"{one_line(item_name(item), 24)}  ", "head"), (words, style)))]
    if said is not None and said.group_id:
        parts.append(Block(f"as {one_line(groups.get(said.group_id, 'a group'), 40)}", "dim", 2))
    if said is not None and said.reason:
        parts.append(Block(clean(said.reason, 2_000), "", 2))
    others = sheet.others.get(item.key, ())
    if not others:
        return parts
    if said is None:
        # What others said would colour what one says oneself.
        count = "1 other verdict shows" if len(others) == 1 else f"{len(others)} other verdicts show"
        return [*parts, Block(f"{count} once yours is in.", "dim")]
    for one in others:
        words, style = verdict_words(Said(one.verdict), False)
        why = f" — {one_line(one.reason, 300)}" if one.reason else ""
        parts.append(Run(((f"{words:<6}", style), (f" {one_line(one.asserter, 20)}{why}", "dim"))))
    return parts


def nothing_words(entry: Entry | None) -> str:
    """What stands where a run has nothing to judge; of one that people corrected differently, what to do about it."""
    if entry is not None and entry.apart:
        names = one_line(" and ".join(entry.apart), 80)
        return f"{names} corrected this run differently: c says what it should have done, ] goes on."
    return "This run has nothing to judge here: ] goes to the next."


def ending_parts(
    sitting: Sitting,
    done: int,
    progress: QueueProgress | None,
    disputes: tuple[Disagreement, ...] | None,
    apart: tuple[CorrectedApart, ...] = (),
) -> list[Part]:
    """The end of a sitting: what is done, what is left, and what to do next."""
    items = f"{done:,} {'item' if done == 1 else 'items'}"
    first = f"You judged {items} in this sitting." if done else "Nothing here owes a verdict of yours."
    parts: list[Part] = [Block(""), Run((("  All done", "head"),)), Block(first, "", 2), Block("")]
    if progress is not None:
        if progress.judged is not None:
            runs = f"{progress.judged:,} {'run' if progress.judged == 1 else 'runs'}"
            parts.append(Block(f"{runs} judged by you in all.", "dim", 2))
        if progress.left:
            more = f"{progress.left:,} more {'run owes' if progress.left == 1 else 'runs owe'} a verdict of yours"
            parts.append(_offer("q", f"{more}: judge on"))
        if progress.skipped:
            skipped = f"{progress.skipped:,} {'run' if progress.skipped == 1 else 'runs'} skipped"
            parts.append(_offer("a", f"{skipped}: judge them now"))
    if progress is not None and progress.dismissed and sitting.kind != "dismissed":
        dismissed = f"{progress.dismissed:,} {'run' if progress.dismissed == 1 else 'runs'} dismissed"
        parts.append(_offer("D", f"{dismissed}: look at them"))
    if disputes:
        count = f"{len(disputes):,} {'item' if len(disputes) == 1 else 'items'} in disagreement"
        parts.append(_offer("d", f"{count}: look at them"))
        for one in disputes[:5]:
            said = f"✓ {len(one.yes)} yes, ✗ {len(one.no)} no"
            parts.append(
                Run(
                    (
                        (f"      {one_line(one.item_key, 24):<24} ", ""),
                        (said, "dim"),
                        (f"  {one_line(one.run.preview, 60)}", "dim"),
                    )
                )
            )
    if apart:
        count = (
            f"{len(apart):,} {'run' if len(apart) == 1 else 'runs'} corrected differently by several people"
        )
        parts.append(_offer("d", f"{count}: settle {'it' if len(apart) == 1 else 'them'}"))
    parts.append(_offer("b", "Build a test set from what was judged"))
    if sitting.kind != "queue" and not (progress is not None and progress.left):
        parts.append(_offer("q", "Back to the queue"))
    if sitting.kind == "items":
        parts.append(_offer("Esc", "Back to the comparison"))
    parts.append(_offer("u", "Take back the last verdict"))
    return parts


def _offer(key: str, words: str) -> Part:
    return Flow(((f"{key} ", "key"), (words, "")), 2, 2)
