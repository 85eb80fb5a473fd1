"""Groups in the store."""

import math
import sqlite3

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.groups import groups_called, which_group
from kindgi_tui.domain.judgments import Group, Restriction
from kindgi_tui.local.store.values import (
    dump_json,
    from_ms,
    load_json,
    new_id,
    now_ms,
    restored,
    restored_or_none,
    storable,
    storable_or_none,
)
from kindgi_tui.workbench import Conflict, Invalid, NotFound

_COLUMNS = "id, project, agent, name, weight, description, restriction, created, retired"


def _group(
    row: tuple[str, str | None, str | None, str, float, str | None, str | None, int, int | None],
) -> Group:
    identity, project, agent, name, weight, description, restriction, created, retired = row
    return Group(
        id=identity,
        project_id=restored_or_none(project),
        agent_id=restored_or_none(agent),
        name=restored(name),
        weight=weight,
        description=restored_or_none(description),
        restriction=None if restriction is None else Restriction.model_validate(load_json(restriction)),
        created_at=from_ms(created),
        retired_at=None if retired is None else from_ms(retired),
    )


def list_groups(connection: sqlite3.Connection, project_id: str | None, retired: bool) -> tuple[Group, ...]:
    """Groups of the workspace, and of the project when one is given, newest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM groups WHERE (?1 IS NULL OR project IS NULL OR project = ?1) "
        "AND (?2 OR retired IS NULL) ORDER BY seq DESC",
        (storable_or_none(project_id), int(retired)),
    ).fetchall()
    return tuple(map(_group, rows))


def every_group_called(connection: sqlite3.Connection, reference: str) -> tuple[Group, ...]:
    """Every group with that id or name, retired ones too, newest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM groups WHERE id = ?1 OR name = ?1 ORDER BY seq DESC", (storable(reference),)
    ).fetchall()
    return tuple(map(_group, rows))


def find_group(
    connection: sqlite3.Connection, reference: str, *, retired: bool | None = None
) -> Group | None:
    """The group with that id; else the live one with that name, else the retired one. With `retired` a name means
    only those that are so, where any is. Raises Invalid: the name alone doesn't say which."""
    known = every_group_called(connection, reference)
    if retired is not None and all(one.id != reference for one in known):
        known = tuple(one for one in known if (one.retired_at is not None) == retired) or known
    found = groups_called(reference, known)
    if len(found) > 1:
        raise ambiguous(reference, found)
    return found[0] if found else None


def ambiguous(reference: str, groups: tuple[Group, ...]) -> Invalid:
    """Several groups have that name; says how to name one."""
    return Invalid(which_group(reference, groups), code="judge-class-ambiguous", field="group")


def get_group(connection: sqlite3.Connection, reference: str, *, retired: bool | None = None) -> Group:
    """The group with that id or name, as `find_group` finds it. Raises NotFound, Invalid."""
    found = find_group(connection, reference, retired=retired)
    if found is None:
        raise NotFound(
            f'No group is called "{reference}". `kindgi-tui groups list` shows them.',
            code="judge-class-not-found",
        )
    return found


def group_weights(connection: sqlite3.Connection) -> dict[str, float]:
    """The weight of every group by id, retired ones included (DESIGN section 4, fine print 2)."""
    return dict(connection.execute("SELECT id, weight FROM groups").fetchall())


def add_group(
    connection: sqlite3.Connection,
    name: str,
    weight: float,
    description: str | None,
    project_id: str | None,
    agent_id: str | None,
    restriction: Restriction | None,
    group_id: str | None = None,
) -> Group:
    """Makes a group. Raises Conflict, Invalid."""
    if not name.strip() or len(name) > 100:
        raise Invalid("name is required (at most 100 characters).", field="name")
    if agent_id is not None and project_id is None:
        raise Invalid("A group of one agent needs its project.", field="project")
    identity = group_id or new_id()
    try:
        connection.execute(
            f"INSERT INTO groups ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)",
            (
                identity,
                storable_or_none(project_id),
                storable_or_none(agent_id),
                storable(name),
                _weight(weight),
                storable_or_none(description),
                _restriction(restriction),
                now_ms(),
            ),
        )
    except sqlite3.IntegrityError:
        raise Conflict(
            f'A group named "{name}" already exists here.', code="judge-class-name-taken"
        ) from None
    return get_group(connection, identity)


def _weight(weight: float) -> float:
    if not math.isfinite(weight) or weight < 0:
        raise Invalid("weight is required: a number ≥ 0.", field="weight")
    return weight


def _restriction(restriction: Restriction | None) -> str | None:
    if restriction is None or restriction == Restriction():
        return None
    document: dict[str, Json] = restriction.model_dump(mode="json")
    return dump_json(document)


def change_group(
    connection: sqlite3.Connection,
    reference: str,
    weight: float | None,
    description: str | None,
    restriction: Restriction | None,
    unrestricted: bool,
) -> Group:
    """Changes what is given. Raises NotFound, Invalid."""
    group = get_group(connection, reference)
    if group.retired_at is not None:
        raise NotFound(f'The group "{reference}" is retired.', code="judge-class-not-found")
    if weight is None and description is None and restriction is None and not unrestricted:
        raise Invalid("Give a weight, a description or who may speak as the group.", field="weight")
    if weight is not None:
        connection.execute("UPDATE groups SET weight = ? WHERE id = ?", (_weight(weight), group.id))
    if description is not None:
        connection.execute(
            "UPDATE groups SET description = ? WHERE id = ?", (storable(description), group.id)
        )
    if restriction is not None or unrestricted:
        stored = None if unrestricted else _restriction(restriction)
        connection.execute("UPDATE groups SET restriction = ? WHERE id = ?", (stored, group.id))
    return get_group(connection, group.id)


def retire_group(connection: sqlite3.Connection, reference: str) -> Group:
    """Retires a group; its name is free again. Raises NotFound, Invalid."""
    group = get_group(connection, reference)
    connection.execute("UPDATE groups SET retired = ifnull(retired, ?) WHERE id = ?", (now_ms(), group.id))
    return get_group(connection, group.id)


def bring_back_group(connection: sqlite3.Connection, reference: str) -> Group:
    """Brings a retired group back. Raises NotFound, Invalid, Conflict: it lives, or its name was taken."""
    group = get_group(connection, reference, retired=True)
    if group.retired_at is None:
        raise Conflict(f'The group "{group.name}" isn\'t retired.', code="judge-class-not-retired")
    try:
        connection.execute("UPDATE groups SET retired = NULL WHERE id = ?", (group.id,))
    except sqlite3.IntegrityError:
        raise Conflict(
            f'Another group is called "{group.name}" since, so this one stays retired.',
            code="judge-class-name-taken",
        ) from None
    return get_group(connection, group.id)
