"""How a run reads in a pane: what it is, the conversation with its calls, the items with what was said of them."""

from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.session.transcript import Entry, transcript
from kindgi_tui.text import clean, json_text, one_line
from kindgi_tui.tui.widgets.text_pane import Block
from kindgi_tui.tui.widgets.text_pane import Run as LineRun

LONG = 4_000
"""Characters of one message a pane shows before it says how many more there are."""


def run_blocks(
    run: RunDetail, judgments: tuple[Judgment, ...] = (), folded: bool = True
) -> list[Block | LineRun]:
    """A run as a pane shows it: what it is, the conversation with its calls, the items with what was said of them."""
    path = " › ".join(f"{part.key}={part.value}" for part in run.segments)
    told = [
        f"{run.subject.id} {run.subject.version}", run.status, f"{run.created_at.astimezone():%Y-%m-%d %H:%M:%S}",
        *([path] if path else []), *(["replay"] if run.replay_of else []),
        *([run.source] if run.source != "recorded" else []),
    ]  # fmt: skip
    blocks: list[Block | LineRun] = [Block(one_line(" · ".join(told), 400), "dim")]
    if run.failure is not None:
        blocks.append(Block(f"✗ {clean(run.failure, LONG)}", "bad"))
    blocks.append(Block(""))
    for entry in transcript(run):
        blocks += entry_blocks(entry, folded)
    items = output_items(run.output, run.subject.kind == "agent")
    if items:
        blocks += [Block(""), Block("Items", "head")]
        for item in items:
            said = [one for one in judgments if one.item.key == item.key]
            blocks.append(
                LineRun(((f"  {one_line(item.key, 30):<22} ", "key"), (item_words(item.value, 300), "")))
            )
            for one in said:
                mark = "✓ yes" if one.verdict == "yes" else "✗ no "
                reason = f" — {one_line(one.reason, 200)}" if one.reason else ""
                blocks.append(
                    LineRun(
                        (
                            ("      ", ""),
                            (mark, one.verdict),
                            (f" {one_line(one.asserter, 30)}{reason}", "dim"),
                        )
                    )
                )
    return blocks


def item_words(value: object, cells: int) -> str:
    """An item's value on one line: its title, name or text where it has one, else as JSON."""
    if isinstance(value, dict):
        for key in ("title", "name", "text", "label", "summary"):
            if isinstance(value.get(key), str):
                return one_line(str(value[key]), cells)
    if isinstance(value, str):
        return one_line(value, cells)
    return one_line(json_text(value, cells * 4), cells)  # type: ignore[arg-type]


def entry_blocks(entry: Entry, folded: bool = True) -> list[Block | LineRun]:
    """One message or call as blocks; a folded call is a line, an open one shows all."""
    past = " (before)" if entry.past else ""
    if entry.speaker == "tool":
        sign = "✗" if entry.failed else "→" if entry.finished else "… no result"
        head = f"⚙ {one_line(entry.tool_id or '', 60)}{past}"
        arguments = one_line(json_text(entry.arguments, 2_000), 400)
        result = one_line(json_text(entry.result, 2_000), 400) if entry.finished else ""
        if folded:
            return [LineRun(((f"  {head} ", "key"), (arguments, "dim"), (f" {sign} ", ""), (result, "dim")))]
        return [
            LineRun(((f"  {head}", "key"),)), Block(json_text(entry.arguments, LONG), "dim", 4),
            LineRun(((f"  {sign}", "bad" if entry.failed else "key"),)),
            *([Block(json_text(entry.result, LONG), "dim", 4)] if entry.finished else []),
        ]  # fmt: skip
    names = {"user": "User", "agent": "Agent", "system": "System"}
    return [
        LineRun(((f"{names.get(entry.speaker, 'User')}{past}", "head"),)),
        Block(clean(entry.text or "", LONG), "dim" if entry.past else "", 2),
    ]
