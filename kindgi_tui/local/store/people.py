"""The directory of people in the store, and what was done by whom."""

import re
import sqlite3

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.projects import RIGHTS, AuditEntry, Person
from kindgi_tui.domain.queries import AuditFilter
from kindgi_tui.local.store.values import (
    checked_limit,
    cursor_of,
    dump_json,
    from_ms,
    keys_of,
    load_json,
    now_ms,
    restored,
    storable,
    to_ms,
)
from kindgi_tui.workbench import Denied, Invalid, Page

_COLUMNS = 'id, kind, name, reviewer_role, "right", created'
_ID = re.compile(r"[^\s\x00-\x1f\x7f-\x9f]{1,100}")


def _person(row: tuple[str, str, str, str | None, str, int]) -> Person:
    identity, kind, name, role, right, created = row
    return Person.model_validate(
        {
            "id": restored(identity),
            "kind": kind,
            "name": restored(name),
            "reviewer_role": role,
            "right": right,
            "created_at": from_ms(created),
        }
    )


def list_people(connection: sqlite3.Connection) -> tuple[Person, ...]:
    """Everybody, by id."""
    return tuple(map(_person, connection.execute(f"SELECT {_COLUMNS} FROM people ORDER BY id").fetchall()))


def find_person(connection: sqlite3.Connection, person_id: str) -> Person | None:
    """The person with that id."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM people WHERE id = ?", (storable(person_id),)).fetchone()
    return _person(row) if row is not None else None


def put_person(connection: sqlite3.Connection, person: Person) -> None:
    """Adds a person, or changes the one with that id. Raises Invalid, Denied (the last admin stays one)."""
    if not _ID.fullmatch(person.id):
        raise Invalid("A person's id has 1 to 100 characters and no spaces.", field="id")
    if person.right not in RIGHTS:
        raise Invalid("A person's right is judge, editor or admin.", field="right")
    if person.right != "admin":
        admins = connection.execute("SELECT id FROM people WHERE \"right\" = 'admin' LIMIT 2").fetchall()
        if admins == [(storable(person.id),)]:
            raise Denied(f"{person.id} is the only admin here. Make somebody else one first.")
    connection.execute(
        f"INSERT INTO people ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
        "kind = excluded.kind, name = excluded.name, reviewer_role = excluded.reviewer_role, "
        '"right" = excluded."right"',
        (
            storable(person.id),
            person.kind,
            storable(person.name),
            person.reviewer_role,
            person.right,
            to_ms(person.created_at),
        ),
    )


def write_audit(
    connection: sqlite3.Connection, actor: str, action: str, subject: str, details: Json = None
) -> None:
    """Notes that something was done; never with a secret in `details`."""
    connection.execute(
        "INSERT INTO audit (at, actor, action, subject, details) VALUES (?, ?, ?, ?, ?)",
        (
            now_ms(),
            storable(actor),
            action,
            storable(subject),
            None if details is None else dump_json(details),
        ),
    )


def list_audit(
    connection: sqlite3.Connection, query: AuditFilter, limit: int, cursor: str | None
) -> Page[AuditEntry]:
    """What was done, newest first. Raises Invalid."""
    checked_limit(limit)
    where, values = _audit_conditions(query)
    before = keys_of(cursor, 1)[0] if cursor is not None else 2**62
    rows = connection.execute(
        "SELECT id, at, actor, action, subject, details FROM audit "
        f"WHERE {' AND '.join([*where, 'id < ?'])} ORDER BY id DESC LIMIT ?",
        (*values, before, limit + 1),
    ).fetchall()
    entries = tuple(
        AuditEntry(
            id=identity,
            at=from_ms(at),
            actor=restored(actor),
            action=action,
            subject=restored(subject),
            details=None if details is None else load_json(details),
        )
        for identity, at, actor, action, subject, details in rows[:limit]
    )
    more = len(rows) > limit
    return Page(data=entries, has_more=more, next_cursor=cursor_of(entries[-1].id) if more else None)


def count_audit(connection: sqlite3.Connection, query: AuditFilter) -> int:
    """How many entries such a list holds in all."""
    where, values = _audit_conditions(query)
    held = f" WHERE {' AND '.join(where)}" if where else ""
    count: int = connection.execute(f"SELECT count(*) FROM audit{held}", values).fetchone()[0]
    return count


def _audit_conditions(query: AuditFilter) -> tuple[list[str], list[str | int]]:
    where: list[str] = []
    values: list[str | int] = []
    if query.actor is not None:
        where.append("actor = ?")
        values.append(storable(query.actor))
    if query.action is not None:
        if "." in query.action:
            where.append("action = ?")
            values.append(storable(query.action))
        else:
            where.append("substr(action, 1, instr(action, '.') - 1) = ?")
            values.append(storable(query.action))
    if query.subject is not None:
        where.append("substr(subject, 1, length(?)) = ?")
        values += [storable(query.subject)] * 2
    if query.since is not None:
        where.append("at >= ?")
        values.append(to_ms(query.since))
    if query.until is not None:
        where.append("at < ?")
        values.append(to_ms(query.until))
    return where, values
