"""How a group stands in a list, and how it reads in a pane."""

from kindgi_tui.domain.groups import who_may, why_not
from kindgi_tui.domain.judgments import Group, Restriction
from kindgi_tui.domain.projects import Person
from kindgi_tui.session.groups import may_speak
from kindgi_tui.text import clean, one_line
from kindgi_tui.tui.widgets.line_list import Cell
from kindgi_tui.tui.widgets.text_pane import Block, Flow, Part

EXPERT = "◆ expert"
"""The mark of a group that is restricted: what is said as it counts as an expert's."""


def scope_words(group: Group, project: str) -> str:
    """Whose runs one may judge as it; `project` is the name of the one worked in."""
    if group.agent_id is not None:
        return f"agent {group.agent_id}"
    return "workspace" if group.project_id is None else f"project {project}"


def group_row(group: Group, project: str, width: int) -> list[Cell]:
    """A group as cells of a list of that width: name, weight, expert mark or retired, scope, who may."""
    gone = group.retired_at is not None
    name = max(10, min(30, width // 3 - 2))
    mark = "retired" if gone else EXPERT if group.restriction is not None else ""
    cells = [
        Cell(one_line(group.name, name - 1), name, "dim" if gone else "key"),
        Cell(f"×{group.weight:g} ", 9, "dim" if gone else ""),
        Cell(mark, 10, "dim" if gone else "yes"),
    ]
    if width >= 90:
        cells.append(Cell(one_line(scope_words(group, project), 25), 26, "dim"))
    left = max(1, width - sum(cell.cells for cell in cells))
    return [*cells, Cell(one_line(who_may(group.restriction), left), left, "dim")]


def group_parts(group: Group, project: str, person: Person, people: tuple[Person, ...]) -> list[Part]:
    """A group as a pane shows it: what it is for, what it weighs, who may speak as it."""
    expert = group.restriction is not None
    rows = [
        ("Weight", f"{group.weight:g}"),
        ("For", scope_words(group, project)),
        ("Who may", who_may(group.restriction)),
        (
            "Experts",
            "yes: what is said as it counts as an expert's" if expert else "no: anyone may speak as it",
        ),
        ("Made", f"{group.created_at.astimezone():%Y-%m-%d %H:%M}"),
        ("Retired", "" if group.retired_at is None else f"{group.retired_at.astimezone():%Y-%m-%d %H:%M}"),
    ]
    parts: list[Part] = [Block(one_line(group.name, 300), "head")]
    if group.description:
        parts.append(Block(clean(group.description, 2_000)))
    parts.append(Block(""))
    for label, value in rows:
        if value:
            parts.append(Flow(((f"{label:<9}", "dim"), (one_line(value, 400), "")), 0, 9))
    parts.append(Block(""))
    if group.retired_at is not None:
        return [*parts, Block("Nobody speaks as it any more; what was said as it still counts.", "dim")]
    return [*parts, *speaking_parts(group.restriction, person, people)]


def speaking_parts(restriction: Restriction | None, person: Person, people: tuple[Person, ...]) -> list[Part]:
    """Whether one may speak as it oneself, and who of the directory may."""
    reason = why_not(restriction, person)
    parts: list[Part] = [
        Block("✓ You may speak as it: G in Judge picks it.", "yes")
        if reason is None
        else Block(clean(f"✗ You may not speak as it: {reason}.", 600), "no")
    ]
    if len(people) > 1:
        may, others = may_speak(restriction, people)
        parts.append(_names("✓ may", may, "yes"))
        if others:
            parts.append(_names("✗ may not", others, "no"))
    return parts


def _names(label: str, names: tuple[str, ...], style: str) -> Part:
    shown = one_line(", ".join(names[:50]), 2_000) + (
        f" and {len(names) - 50:,} more" if len(names) > 50 else ""
    )
    return Flow(((f"{label:<10}", style), (shown or "nobody here", "" if names else "dim")), 0, 10)
