"""The lines of the form that makes or changes a group."""

from typing import Any

from kindgi_tui.session.fields import Choice, FormField, Numbers
from kindgi_tui.session.groups import AGENT, PROJECT, GroupCheck, GroupDraft, GroupFacts


def group_fields(draft: GroupDraft, facts: GroupFacts, check: GroupCheck | None) -> tuple[FormField, ...]:
    """The form's lines for a draft; a group that is there keeps its name and its scope."""
    rows = ([] if facts.of is not None else _identity(facts)) + _settings(draft, facts)
    problems = {} if check is None else check.problems
    return tuple(
        FormField(**row, value=getattr(draft, row["name"]), problem=problems.get(row["name"])) for row in rows
    )


def _identity(facts: GroupFacts) -> list[dict[str, Any]]:
    scopes = [
        Choice(value="", words="the whole workspace"),
        Choice(value=PROJECT, words=f"project {facts.project.name}"),
        *(Choice(value=f"{AGENT}{one}", words=f"agent {one}") for one in facts.agents),
    ]
    return [
        {"name": "name", "label": "Name", "help": "What judges pick with G, 1 to 100 characters, such as experts."},
        {
            "name": "scope", "label": "For", "typed": False, "choices": tuple(scopes), "hint": "the whole workspace",
            "help": "Whose runs one may judge as it: all, the project's, or one agent's in the project. It stays so.",
        },
    ]  # fmt: skip


def _settings(draft: GroupDraft, facts: GroupFacts) -> list[dict[str, Any]]:
    kinds = [
        Choice(value="", words="any caller"),
        Choice(value="user", words="people"),
        Choice(value="service", words="services"),
    ]
    if draft.kinds == "user service":
        kinds.append(Choice(value="user service", words="people and services"))
    ranks = [
        Choice(value="", words="any rank, or none"), Choice(value="standard", words="standard and above"),
        Choice(value="senior", words="senior and above"), Choice(value="admin", words="admin"),
    ]  # fmt: skip
    people = tuple(Choice(value=one.id) for one in facts.people)
    return [
        {
            "name": "weight", "label": "Weight", "numbers": Numbers(least=0),
            "hint": "1" if facts.of is None else f"{facts.of.weight:g}",
            "help": "How much its judgments weigh beside others, 0 or more; it may have decimals.",
        },
        {"name": "description", "label": "About", "help": "What it is for, for those who pick it.", "hint": "-"},
        {
            "name": "only", "label": "Only", "hint": "anyone", "choices": people,
            "help": "Only these people may speak as it: their ids, parted by commas; l goes through the directory.",
        },
        {
            "name": "kinds", "label": "Callers", "typed": False, "choices": tuple(kinds), "hint": "any caller",
            "help": "Only people, or only services (programs that act under their own name).",
        },
        {
            "name": "reviewer", "label": "Reviewers", "typed": False, "choices": tuple(ranks),
            "hint": "any rank, or none", "help": "Only reviewers of this rank and above.",
        },
    ]  # fmt: skip
