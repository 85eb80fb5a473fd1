"""What saving a group comes to, in words."""

from kindgi_tui.domain.groups import who_may
from kindgi_tui.session.groups import GroupCheck, GroupDraft, GroupFacts, changes
from kindgi_tui.text import clean, one_line
from kindgi_tui.tui.screens.groups.rows import speaking_parts
from kindgi_tui.tui.widgets.text_pane import Block, Part


def check_parts(draft: GroupDraft, facts: GroupFacts, check: GroupCheck) -> list[Part]:
    """A check as a pane shows it."""
    parts: list[Part] = []
    if check.refusal is not None:
        parts.append(Block(clean(f"✗ {check.refusal}", 1_000), "bad" if check.problems else "dim"))
    if check.problems:
        return parts
    parts.append(Block(one_line(f"{check.name or 'The group'} weighs {check.weight:g}", 300), "head"))
    if check.restriction is None:
        parts.append(Block("Anyone who may judge may speak as it: it is no expert group."))
    else:
        parts.append(Block(clean(f"Who may speak as it: {who_may(check.restriction)}.", 1_000)))
        parts.append(Block("It is an expert group: what is said as it counts as an expert's."))
    if check.unknown:
        names = ", ".join(check.unknown)
        parts.append(
            Block(clean(f"Not known here: {names}. A name that is nobody's lets nobody speak.", 1_000), "bad")
        )
    if facts.of is not None:
        changed = changes(facts.of, draft, check)
        if "weight" in changed:
            told = f"Weight {facts.of.weight:g} → {check.weight:g}: "
            parts.append(Block(told + "it counts when a set is built or a comparison rescored.", "dim"))
        if "restriction" in changed or "unrestricted" in changed:
            parts.append(Block("What was said as it before stays as restricted as it was.", "dim"))
    return [*parts, *speaking_parts(check.restriction, facts.person, facts.people)]
