"""Which group a judge may speak as (Kindgi 0.1 judge classes; DESIGN section 2)."""

from collections.abc import Iterable

from kindgi_tui.domain.judgments import Group, Restriction
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.runs import Subject

_ROLES = ("standard", "senior", "admin")


def group_applies(group: Group, project_id: str, subject: Subject) -> bool:
    """Whether a group covers a run: of the workspace, of its project, or of its project and agent."""
    if group.project_id is None:
        return True
    if group.project_id != project_id:
        return False
    return group.agent_id is None or (subject.kind == "agent" and subject.id == group.agent_id)


def groups_called(reference: str, groups: Iterable[Group]) -> tuple[Group, ...]:
    """Those of `groups` that an id or name means: the one with that id, else the live ones with that name, else the
    retired ones. More than one: the name alone doesn't say which."""
    found = tuple(groups)
    by_id = tuple(one for one in found if one.id == reference)
    named = tuple(one for one in found if one.name == reference)
    return by_id or tuple(one for one in named if one.retired_at is None) or named


def which_group(reference: str, groups: Iterable[Group]) -> str:
    """The sentence that asks which of several groups with one name is meant."""
    named = ", ".join(f"{one.id} ({_place(one)})" for one in groups)
    return f'Several groups are called "{reference}": name one by its id. They are {named}.'


def _place(group: Group) -> str:
    of = "the workspace's" if group.project_id is None else f"project {group.project_id}'s"
    of = of if group.agent_id is None else f"for {group.agent_id} in project {group.project_id}"
    return of if group.retired_at is None else f"{of}, retired {group.retired_at:%Y-%m-%dT%H:%M:%SZ}"


def who_may(restriction: Restriction | None) -> str:
    """Who may speak as a group so restricted, in words; each part holds as well as the others."""
    if restriction is None or restriction == Restriction():
        return "anyone"
    kinds = {"user": "people", "service": "services"}
    parts = [" and ".join(kinds[kind] for kind in restriction.principal_kinds)]
    parts.append(", ".join(restriction.principal_ids))
    if restriction.unnamed:
        # A runtime says how many it names, and not whom.
        parts.append(f"{restriction.unnamed} named {'person' if restriction.unnamed == 1 else 'people'}")
    if restriction.min_reviewer_role is not None:
        parts.append(
            "admin reviewers"
            if restriction.min_reviewer_role == "admin"
            else f"reviewers from {restriction.min_reviewer_role}"
        )
    return "; ".join(part for part in parts if part)


def why_not(restriction: Restriction | None, person: Person) -> str | None:
    """Why a person may not speak as a group so restricted; None when they may. Kinds, then names, then role."""
    if restriction is None:
        return None
    kinds = restriction.principal_kinds
    if kinds and person.kind not in kinds:
        named = {"user": "users", "service": "service tokens"}
        return f"only {' and '.join(named[kind] for kind in kinds)} may assert it"
    if restriction.principal_ids and person.id not in restriction.principal_ids:
        return "it's restricted to named people or tokens, and you aren't one of them"
    least = restriction.min_reviewer_role
    if least is None:
        return None
    role = person.reviewer_role
    if role is not None and _ROLES.index(role) >= _ROLES.index(least):
        return None
    stands = "you aren't a reviewer" if role is None else f"you're a {role} reviewer"
    joint = ", and " if role is None else "; "
    wanted = "an admin reviewer" if least == "admin" else f"a {least} reviewer or above"
    return f"it needs {wanted}{joint}{stands}"
