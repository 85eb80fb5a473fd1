"""What a build would take and leave out, in words."""

from kindgi_tui.domain.test_sets import MAX_CASES
from kindgi_tui.session.building import BuildCheck
from kindgi_tui.text import clean, one_line
from kindgi_tui.tui.widgets.text_pane import Block, Run


def counted(count: int, one: str, more: str = "") -> str:
    """A number of things, such as `1 run` or `1,314 runs`."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def check_blocks(check: BuildCheck, named: str) -> list[Block | Run]:
    """A check as a pane shows it."""
    blocks: list[Block | Run] = []
    seen = check.preview
    if check.refusal is not None:
        blocks.append(Block(clean(f"✗ {check.refusal}", 2_000), "bad"))
    if seen is None or check.request is None:
        return blocks
    cases = counted(seen.runs, "run")
    if seen.more:
        cases = f"the {seen.runs:,} newest of {seen.runs + seen.more:,} runs"
    blocks += [
        Block(one_line(f"{check.request.test_set_id} {check.request.version} will take", 300), "head"),
        Block(f"{cases}, each a case", "", 2),
        Block(counted(seen.items, "judged item"), "", 2),
        Block(counted(seen.judgments, "judgment"), "", 2),
        Block("and leave out", "head"),
    ]
    left: list[str] = []
    if seen.too_few:
        left.append(f"{counted(seen.too_few, 'run')} with too few judgments")
    if seen.more:
        left.append(f"{counted(seen.more, 'older run')}: a set holds {MAX_CASES:,}")
    if check.narrowed:
        left.append(f"{counted(check.narrowed, 'run')} by version, time or segment")
    told = left or [
        f"nothing: {counted(check.judged, 'judged run')} of {one_line(named, 100)} in the project"
    ]
    return [*blocks, *(Block(words, "", 2) for words in told)]
