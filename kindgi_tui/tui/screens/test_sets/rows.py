"""How a test set stands in a list, and how it reads in a pane."""

from collections.abc import Sequence

from kindgi_tui.domain.own_test_sets import OwnTestSet
from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.session.own_sets import set_words
from kindgi_tui.text import clean, one_line
from kindgi_tui.tui.screens.runs.rows import when
from kindgi_tui.tui.widgets.line_list import Cell
from kindgi_tui.tui.widgets.text_pane import Block, Run


def cases_words(one: TestSetVersion) -> str:
    """How many cases, and of how many runs where the limit cut it."""
    if one.truncated:
        return f"{one.case_count:,} newest of {one.available:,}"
    return f"{one.case_count:,} {'case' if one.case_count == 1 else 'cases'}"


def own_version_words(own: OwnTestSet) -> str:
    """The newest frozen version of an own set, and whether its cases changed since."""
    if own.version is None:
        return "not frozen"
    return f"{own.version} changed" if own.changed else own.version


def set_row(one: TestSetVersion, place: str, width: int, own: OwnTestSet | None = None) -> list[Cell]:
    """A set as cells of a list of that width: id, version with its `place` among the versions, cases, whose runs.

    `own` says how an agent's own set stands; its row names the agent, as its id is long.
    """
    version = one.version + (f" ({place})" if place else "")
    if own is not None and not one.version:
        version = own_version_words(own)
    named = set_words(one.test_set_id)
    room = 17 if place or width >= 60 else 9
    cells = [
        Cell(one_line(named, 80), max(14, min(36, width // 2 - 2)), "key"),
        # A blank on either side, however long it is.
        Cell(f" {one_line(version, room - 2)}", room),
        Cell(cases_words(one), 20 if one.truncated else 12, "dim"),
    ]
    if width >= 70:
        cells.append(Cell(one_line(one.request.agent_id or one.request.flow_id or "", 60), 26, "dim"))
    if width >= 90:
        never = own is not None and own.frozen_at is None
        cells.append(Cell("" if never else when(one.created_at), 12, "dim"))
    left = width - sum(cell.cells for cell in cells)
    about = "the agent's own test cases" if own is not None else one.description or ""
    if left > 8:
        cells.append(Cell(one_line(about, left), left, "dim"))
    return cells


def set_blocks(one: TestSetVersion, versions: Sequence[str], groups: dict[str, str]) -> list[Block | Run]:
    """A version of a set as a pane shows it; `groups` are names by id."""
    asked = one.request
    subject = asked.agent_id or f"flow {asked.flow_id or ''}"
    rows: list[tuple[str, str]] = [
        ("Cases", cases_words(one)),
        ("Runs of", subject + (f" {asked.subject_version}" if asked.subject_version else "")),
        ("Said as", ", ".join(groups.get(name, name) for name in asked.groups)),
        ("Least judged", "" if asked.min_judgments is None else str(asked.min_judgments)),
        ("Segment", " / ".join(f"{step.key}:{step.value}" for step in asked.segments)),
        ("Since", "" if asked.since is None else f"{asked.since.astimezone():%Y-%m-%d %H:%M}"),
        ("Until", "" if asked.until is None else f"{asked.until.astimezone():%Y-%m-%d %H:%M}"),
        (
            "Built",
            f"{one.created_at.astimezone():%Y-%m-%d %H:%M}"
            + (f" by {one.created_by}" if one.created_by else ""),
        ),
        ("Versions", ", ".join(versions)),
    ]
    blocks: list[Block | Run] = [Block(one_line(f"{one.test_set_id} {one.version}", 300), "head")]
    if one.description:
        blocks.append(Block(clean(one.description, 2_000)))
    blocks.append(Block(""))
    for label, value in rows:
        if value:
            blocks.append(Run(((f"{label:<13} ", "dim"), (one_line(value, 300), ""))))
    return blocks


def own_blocks(own: OwnTestSet, versions: Sequence[str]) -> list[Block | Run]:
    """An agent's own set as it stands now, as a pane shows it; `versions` are the frozen ones, newest first."""
    frozen = own_version_words(own)
    if own.frozen_at is not None:
        frozen = f"{own.version} on {own.frozen_at.astimezone():%Y-%m-%d %H:%M}"
    cases = f"{own.case_count:,} {'case' if own.case_count == 1 else 'cases'}"
    if own.truncated:
        cases = f"{own.case_count:,} newest of {own.available:,}"
    rows = [
        ("Cases", cases),
        ("Retired", f"{own.retired:,}" if own.retired else ""),
        ("Frozen as", frozen),
        ("Versions", ", ".join(versions)),
    ]
    told = "Every run of the agent that people judged or corrected is a case of it, and those added by hand."
    changed = "Its cases are those of its newest version."
    if own.changed and own.version is not None:
        changed = "Its cases changed since then: the next comparison on it makes the next version."
    elif own.version is None:
        changed = "The first comparison on it makes its first version."
    blocks: list[Block | Run] = [
        Block(one_line(f"{own.agent_id}: its own test set", 300), "head"),
        Block(told),
        Block(""),
    ]
    blocks += [Run(((f"{label:<13} ", "dim"), (one_line(value, 300), ""))) for label, value in rows if value]
    return [*blocks, Block(""), Block(changed), Block(one_line(own.id, 300), "dim")]
