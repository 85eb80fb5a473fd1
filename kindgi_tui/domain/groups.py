"""Which group a judge may speak as (Kindgi 0.1 judge classes; DESIGN section 2)."""

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


def who_may(restriction: Restriction | None) -> str:
    """Who may speak as a group so restricted, in words; each part holds as well as the others."""
    if restriction is None or restriction == Restriction():
        return "anyone"
    kinds = {"user": "people", "service": "services"}
    parts = [" and ".join(kinds[kind] for kind in restriction.principal_kinds)]
    parts.append(", ".join(restriction.principal_ids))
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
