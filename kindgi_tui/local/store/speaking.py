"""As which group a person may speak of a run; judgments and corrections alike."""

import shlex
import sqlite3

from kindgi_tui.domain.groups import group_applies, groups_called, why_not
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.runs import Subject
from kindgi_tui.local.store.groups import ambiguous, every_group_called
from kindgi_tui.local.store.values import restored
from kindgi_tui.workbench import Denied, Invalid


def spoken_as(
    connection: sqlite3.Connection,
    seq: int,
    reference: str | None,
    person: Person,
    verb: str,
    copied: bool | None = None,
) -> tuple[str | None, bool]:
    """The id of the group that `reference` (an id or name) means for the run in that row, and whether it is restricted
    now; (None, False) without a reference. `verb` is what they do as it, such as `judge`.
    `copied`: whether the group was restricted when it was said elsewhere; then nobody asks who may speak as it today.

    Raises Invalid (no such group here, a retired one, or several of that name), Denied (its restriction).
    """
    if reference is None:
        return None, False
    project, kind, subject = connection.execute(
        "SELECT p.id, s.kind, s.id FROM runs r JOIN projects p ON p.seq = r.project "
        "JOIN subjects s ON s.seq = r.subject WHERE r.seq = ?",
        (seq,),
    ).fetchone()
    about = Subject(kind=kind, id=restored(subject), version="")
    covering = tuple(
        one for one in every_group_called(connection, reference) if group_applies(one, project, about)
    )
    living = covering if copied is not None else tuple(one for one in covering if one.retired_at is None)
    found = groups_called(reference, living)
    if not found and covering:
        raise Invalid(
            f'The group "{reference}" was retired: nobody speaks as it any more. An admin brings it back with '
            f"`kindgi-tui groups bring-back {shlex.quote(reference)}`.",
            code="judge-class-not-applicable",
            field="group",
        )
    if not found:
        raise Invalid(
            f"The group \"{reference}\" doesn't exist or doesn't apply to this run's project or agent. "
            "`kindgi-tui groups list` shows them.",
            code="judge-class-not-applicable",
            field="group",
        )
    if len(found) > 1 and copied is None:
        raise ambiguous(reference, found)
    # Where nobody can be asked, the group that is closest to the run is meant.
    group = max(found, key=lambda one: (one.agent_id is not None, one.project_id is not None))
    if copied is not None:
        return group.id, copied
    reason = why_not(group.restriction, person)
    if reason is not None:
        raise Denied(f'You can\'t {verb} as "{group.name}": {reason}.', code="judge-class-not-allowed")
    return group.id, group.restriction is not None
