"""As which group a person may speak of a run; judgments and corrections alike."""

import sqlite3

from kindgi_tui.domain.groups import group_applies, why_not
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.runs import Subject
from kindgi_tui.local.store.groups import find_group
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

    Raises Invalid (no such group here, or a retired one), Denied (its restriction).
    """
    if reference is None:
        return None, False
    project, kind, subject = connection.execute(
        "SELECT p.id, s.kind, s.id FROM runs r JOIN projects p ON p.seq = r.project "
        "JOIN subjects s ON s.seq = r.subject WHERE r.seq = ?",
        (seq,),
    ).fetchone()
    group = find_group(connection, reference)
    covered = (
        group is not None
        and (group.retired_at is None or copied is not None)
        and group_applies(group, project, Subject(kind=kind, id=restored(subject), version=""))
    )
    if group is None or not covered:
        raise Invalid(
            f"The group \"{reference}\" doesn't exist or doesn't apply to this run's project or agent. "
            "`kindgi-tui groups list` shows them.",
            code="judge-class-not-applicable",
            field="group",
        )
    if copied is not None:
        return group.id, copied
    reason = why_not(group.restriction, person)
    if reason is not None:
        raise Denied(f'You can\'t {verb} as "{group.name}": {reason}.', code="judge-class-not-allowed")
    return group.id, group.restriction is not None
