"""Groups without a screen: a draft of one, what it means, what saving it comes to, and taking a step back."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.groups import why_not
from kindgi_tui.domain.judgments import Group, Restriction
from kindgi_tui.domain.limits import LimitError, check_group_name, check_weight
from kindgi_tui.domain.projects import Person, Project
from kindgi_tui.session.fields import decimal_number

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

PROJECT = "project"
"""The scope of a draft that is for the project one works in."""

AGENT = "agent:"
"""What stands before an agent's id in a draft's scope."""

KINDS: dict[str, tuple[Literal["user", "service"], ...]] = {
    "": (), "user": ("user",), "service": ("service",), "user service": ("user", "service"),
}  # fmt: skip
"""Kinds of caller as a draft names them."""


class GroupDraft(Frozen):
    """The form as it was typed."""

    name: str = ""
    """Its name."""
    weight: str = ""
    """How much its judgments weigh; empty: as it is, 1 for a new one."""
    description: str = ""
    """What it is for."""
    scope: str = ""
    """Where one may speak as it: empty for the whole workspace, `project`, or `agent:` and an agent's id."""
    only: str = ""
    """Ids of the people who may alone, parted by commas or spaces."""
    kinds: str = ""
    """The kinds of caller who may alone, parted by a space."""
    reviewer: str = ""
    """The least rank of a reviewer who may."""


class GroupFacts(Frozen):
    """What the form knows of the workbench."""

    person: Person
    """Who asks."""
    project: Project
    """The project worked in."""
    people: tuple[Person, ...] = ()
    """The directory; at a runtime oneself alone."""
    groups: tuple[Group, ...] = ()
    """The live groups of the workspace and the project."""
    agents: tuple[str, ...] = ()
    """Ids of published agents."""
    of: Group | None = None
    """The group that is changed; None: a new one is made."""


class GroupCheck(Frozen):
    """What saving a draft comes to."""

    name: str
    """The group's name."""
    weight: float = 1.0
    """Its weight."""
    restriction: Restriction | None = None
    """Who may speak as it; None: anyone who may judge."""
    problems: dict[str, str] = {}
    """What is wrong, a sentence a field."""
    unknown: tuple[str, ...] = ()
    """Named people who aren't in the directory."""
    refusal: str | None = None
    """Why it can't be saved, a sentence; None when it can."""


class GroupStep(Frozen):
    """Something that was done to a group, so that it can be taken back."""

    before: Group | None
    """As it was; None: it was made."""
    after: Group
    """As it is since."""


def why_not_change(person: Person) -> str | None:
    """Why this person may not make, change or retire groups; None when they may."""
    if person.right == "admin":
        return None
    article = "an" if person.right == "editor" else "a"
    return f"Groups are an admin's to change, and {person.id} has the right of {article} {person.right}: ask an admin."


def draft_of(group: Group) -> GroupDraft:
    """A group as a draft."""
    rule = group.restriction or Restriction()
    return GroupDraft(
        name=group.name,
        weight=f"{Decimal(str(group.weight)).normalize():f}",
        description=group.description or "",
        only=", ".join(rule.principal_ids),
        kinds=" ".join(kind for kind in ("user", "service") if kind in rule.principal_kinds),
        reviewer=rule.min_reviewer_role or "",
    )


def read_group(draft: GroupDraft, facts: GroupFacts) -> GroupCheck:
    """What a draft means, and why it can't be saved as it is."""
    problems: dict[str, str] = {}
    before = facts.of
    name = before.name if before is not None else draft.name.strip()
    weight = before.weight if before is not None else 1.0
    if before is None:
        _check_name(name, draft, facts, problems)
    if draft.weight.strip():
        typed = decimal_number(draft.weight)
        try:
            weight = check_weight(typed)
        except LimitError:
            problems["weight"] = "A weight is a number, 0 or more: 3 counts three times as much as 1."
    people = _names(draft.only, facts.people)
    reviewer = draft.reviewer if draft.reviewer in ("standard", "senior", "admin") else None
    rule = Restriction.model_validate(
        {
            "principal_ids": people,
            "principal_kinds": KINDS.get(draft.kinds, ()),
            "min_reviewer_role": reviewer,
        }
    )
    restriction = None if rule == Restriction() else rule
    known = {one.id for one in facts.people}
    check = GroupCheck(
        name=name,
        weight=weight,
        restriction=restriction,
        problems=problems,
        unknown=tuple(one for one in people if one not in known),
    )
    refusal = why_not_change(facts.person) or next(iter(problems.values()), None)
    if refusal is None and before is not None and not changes(before, draft, check):
        refusal = "Nothing is changed yet."
    return check.model_copy(update={"refusal": refusal})


def _check_name(name: str, draft: GroupDraft, facts: GroupFacts, problems: dict[str, str]) -> None:
    if not name:
        problems["name"] = "Give it a name, such as experts."
        return
    try:
        check_group_name(name)
    except LimitError as wrong:
        problems["name"] = wrong.sentence
        return
    place = scope_of(draft, facts)
    if any(one.name == name and (one.project_id, one.agent_id) == place for one in facts.groups):
        problems["name"] = f"A group named {name} is there already: choose another name, or change that one."


def _names(typed: str, people: tuple[Person, ...]) -> tuple[str, ...]:
    """The people a text names. An id may hold a comma, so one that is in the directory stays whole."""
    known = {one.id for one in people}
    found: list[str] = []
    for part in typed.split():
        word = part if part in known else part.rstrip(",")
        found += [word] if word in known else [each for each in word.split(",") if each]
    return tuple(dict.fromkeys(found))


def scope_of(draft: GroupDraft, facts: GroupFacts) -> tuple[str | None, str | None]:
    """Project and agent of a draft; None each for all."""
    if draft.scope.startswith(AGENT):
        return facts.project.id, draft.scope.removeprefix(AGENT)
    return (facts.project.id if draft.scope == PROJECT else None), None


def changes(before: Group, draft: GroupDraft, check: GroupCheck) -> dict[str, Any]:
    """What saving a draft changes in a group, as `Groups.change` takes it."""
    found: dict[str, Any] = {}
    if check.weight != before.weight:
        found["weight"] = check.weight
    if draft.description.strip() != (before.description or ""):
        found["description"] = draft.description.strip()
    if check.restriction != before.restriction:
        found |= {"unrestricted": True} if check.restriction is None else {"restriction": check.restriction}
    return found


def may_speak(
    restriction: Restriction | None, people: tuple[Person, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the people who may speak as a group so restricted, and of those who may not."""
    may = tuple(one.id for one in people if why_not(restriction, one) is None)
    return may, tuple(one.id for one in people if one.id not in may)


async def group_facts(workbench: "Workbench", project: Project, of: Group | None) -> GroupFacts:
    """What the form needs to know before anything is typed."""
    return GroupFacts(
        person=await workbench.people.me(),
        project=project,
        people=await workbench.people.list(),
        groups=await workbench.groups.list(project.id),
        agents=tuple(one.id for one in await workbench.agents.list()),
        of=of,
    )


async def save_group(
    workbench: "Workbench", draft: GroupDraft, facts: GroupFacts, check: GroupCheck
) -> GroupStep:
    """Makes or changes the group. Raises the workbench's errors."""
    if facts.of is not None:
        changed = await workbench.groups.change(facts.of.id, **changes(facts.of, draft, check))
        return GroupStep(before=facts.of, after=changed)
    project_id, agent_id = scope_of(draft, facts)
    made = await workbench.groups.add(
        check.name,
        check.weight,
        description=draft.description.strip() or None,
        project_id=project_id,
        agent_id=agent_id,
        restriction=check.restriction,
    )
    return GroupStep(before=None, after=made)


async def take_back_step(workbench: "Workbench", step: GroupStep) -> str:
    """Undoes a step, and says so. Raises the workbench's errors: a runtime brings no retired group back."""
    before, after = step.before, step.after
    if before is None or (before.retired_at is not None and after.retired_at is None):
        await workbench.groups.retire(after.id)
        return f"{after.name} is retired again." if before else f"{after.name} is retired: it was just made."
    if after.retired_at is not None and before.retired_at is None:
        await workbench.groups.bring_back(after.id)
        return f"{after.name} is back."
    rule: dict[str, Any] = (
        {"unrestricted": True} if before.restriction is None else {"restriction": before.restriction}
    )
    await workbench.groups.change(
        after.id, weight=before.weight, description=before.description or "", **rule
    )
    return f"{after.name} is as it was: weight {before.weight:g}."
