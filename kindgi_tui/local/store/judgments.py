"""Judgments in the store: one live one per run, item, asserter and participant; the others stay as history."""

import sqlite3

from kindgi_tui.domain.judgments import REASON_LIMIT, ItemRef, Judgment
from kindgi_tui.domain.pointers import resolve
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
from kindgi_tui.local.store.runs import run_seq
from kindgi_tui.local.store.speaking import spoken_as
from kindgi_tui.local.store.values import (
    checked_limit,
    cursor_of,
    from_ms,
    keys_of,
    load_json,
    new_id,
    now_ms,
    restored,
    storable,
    storable_or_none,
)
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound, Page

_COLUMNS = (
    "j.seq, j.id, r.id, j.item_key, j.pointer, j.rank, j.verdict, j.reason, j.group_id, j.restricted, j.asserter, "
    "j.participant, j.created, j.ended, j.superseded_by"
)
_FROM = "judgments j CROSS JOIN runs r ON r.seq = j.run"


def _judgment(row: tuple[object, ...]) -> Judgment:
    (
        _,
        identity,
        run,
        key,
        pointer,
        rank,
        verdict,
        reason,
        group,
        restricted,
        asserter,
        participant,
        created,
        ended,
        superseded_by,
    ) = row
    said_for = restored(str(participant))
    return Judgment.model_construct(
        id=str(identity),
        run_id=restored(str(run)),
        item=ItemRef.model_construct(
            key=restored(str(key)),
            pointer=None if pointer is None else restored(str(pointer)),
            rank=rank if isinstance(rank, int) else None,
        ),
        verdict="yes" if verdict == "yes" else "no",
        reason=None if reason is None else restored(str(reason)),
        group_id=None if group is None else str(group),
        restricted=bool(restricted),
        asserter=restored(str(asserter)),
        participant=said_for or None,
        created_at=from_ms(int(str(created))),
        ended_at=None if ended is None else from_ms(int(str(ended))),
        superseded_by=None if superseded_by is None else str(superseded_by),
    )


def add_judgment(
    connection: sqlite3.Connection,
    new: NewJudgment,
    person: Person,
    created: int | None = None,
    *,
    copied: bool = False,
) -> Judgment:
    """Records a person's verdict; it replaces their live one on the item. Raises as `Judgments.add`.

    Of a copied one counts what its group was when it was said, and nobody asks whether they may speak as it today.

    Judging the same again changes nothing and gives the live one: `y` on a yes does nothing (DESIGN section 12).
    """
    seq = run_seq(connection, new.run_id)
    _check_fields(new)
    _check_run(connection, seq, new)
    told = new.restricted if copied else None
    group_id, restricted = spoken_as(connection, seq, new.group, person, "judge", told)
    live = _live_row(connection, seq, new.item.key, person.id, new.participant)
    previous: str | None = None
    at = now_ms() if created is None else created
    if live is not None:
        before = _judgment(live)
        same = (before.verdict, before.reason, before.group_id, before.item) == (
            new.verdict,
            new.reason or None,
            group_id,
            new.item,
        )
        if same:
            return before
        previous = before.id
    return _insert(connection, seq, new, person.id, group_id, restricted, at, previous, live)


def _check_fields(new: NewJudgment) -> None:
    if not new.item.key.strip():
        raise Invalid("item.key is required.", field="item")
    if new.item.rank is not None and new.item.rank < 0:
        raise Invalid("item.rank must be a whole number ≥ 0.", field="rank")
    if new.reason is not None and len(new.reason) > REASON_LIMIT:
        raise Invalid(f"reason must be a string of at most {REASON_LIMIT} characters.", field="reason")
    if new.participant is not None and not new.participant.strip():
        raise Invalid("participantId must be a non-empty string.", field="participant")


def _check_run(connection: sqlite3.Connection, seq: int, new: NewJudgment) -> None:
    status, output = connection.execute(
        "SELECT r.status, d.output FROM runs r JOIN run_documents d ON d.run = r.seq WHERE r.seq = ?", (seq,)
    ).fetchone()
    if status != "completed" or output is None or output == "null":
        raise Conflict(
            f'Run "{new.run_id}" has no output to judge yet (status {status}).', code="run-not-finished"
        )
    pointer = new.item.pointer
    if pointer is None:
        return
    if pointer and not pointer.startswith("/"):
        raise Invalid(
            'item.pointer must be a JSON Pointer such as "/matches/2" (or "" for the whole output).',
            field="pointer",
        )
    if not resolve(load_json(output), pointer).found:
        raise Invalid(
            f'Nothing at "{pointer}" in run "{new.run_id}"\'s output.', code="item-not-found", field="pointer"
        )


def _live_row(
    connection: sqlite3.Connection, seq: int, key: str, asserter: str, participant: str | None
) -> tuple[object, ...] | None:
    row: tuple[object, ...] | None = connection.execute(
        f"SELECT {_COLUMNS} FROM {_FROM} WHERE j.run = ? AND j.item_key = ? AND j.asserter = ? "
        "AND j.participant = ? AND j.ended IS NULL",
        (seq, storable(key), storable(asserter), storable(participant or "")),
    ).fetchone()
    return row


def _insert(
    connection: sqlite3.Connection,
    seq: int,
    new: NewJudgment,
    asserter: str,
    group_id: str | None,
    restricted: bool,
    created: int,
    previous: str | None,
    live: tuple[object, ...] | None,
) -> Judgment:
    identity = new_id()
    if live is not None:
        connection.execute(
            "UPDATE judgments SET ended = ?, superseded_by = ? WHERE seq = ?", (created, identity, live[0])
        )
    connection.execute(
        "INSERT INTO judgments (id, run, item_key, pointer, rank, verdict, reason, group_id, restricted, asserter, "
        "participant, created, previous) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            identity,
            seq,
            storable(new.item.key),
            storable_or_none(new.item.pointer),
            new.item.rank,
            new.verdict,
            storable_or_none(new.reason or None),
            group_id,
            int(restricted),
            storable(asserter),
            storable(new.participant or ""),
            created,
            previous,
        ),
    )
    return get_judgment(connection, identity)


def get_judgment(connection: sqlite3.Connection, judgment_id: str) -> Judgment:
    """One judgment, live or not. Raises NotFound."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM {_FROM} WHERE j.id = ?", (storable(judgment_id),)
    ).fetchone()
    if row is None:
        raise NotFound(f'No judgment "{judgment_id}".', code="judgment-not-found")
    return _judgment(row)


def remove_judgment(connection: sqlite3.Connection, judgment_id: str, person: Person) -> None:
    """Removes a live judgment; somebody else's only as an admin. Raises NotFound, Denied."""
    row = connection.execute(
        "SELECT asserter FROM judgments WHERE id = ? AND ended IS NULL", (storable(judgment_id),)
    ).fetchone()
    if row is None:
        raise NotFound(f'No live judgment "{judgment_id}".', code="judgment-not-found")
    if restored(row[0]) != person.id and person.right != "admin":
        raise Denied(f'Not allowed to remove judgment "{judgment_id}": {restored(row[0])} made it.')
    connection.execute("UPDATE judgments SET ended = ? WHERE id = ?", (now_ms(), storable(judgment_id)))


def take_back(
    connection: sqlite3.Connection, run_id: str, key: str, person: Person, participant: str | None
) -> Judgment | None:
    """Takes a person's verdict back: the one before it comes back as a new record, a first one is removed.

    A record that came back remembers what was before the one it brings back, so that one can go on taking back.
    Raises NotFound.
    """
    seq = run_seq(connection, run_id)
    live = _live_row(connection, seq, key, person.id, participant)
    if live is None:
        raise NotFound(f'You have said nothing of "{key}" in run "{run_id}".', code="judgment-not-found")
    previous = connection.execute("SELECT previous FROM judgments WHERE seq = ?", (live[0],)).fetchone()[0]
    if previous is None:
        connection.execute("UPDATE judgments SET ended = ? WHERE seq = ?", (now_ms(), live[0]))
        return None
    before = get_judgment(connection, previous)
    earlier = connection.execute("SELECT previous FROM judgments WHERE id = ?", (previous,)).fetchone()[0]
    again = NewJudgment(
        run_id=run_id, item=before.item, verdict=before.verdict, reason=before.reason, participant=participant
    )
    return _insert(
        connection, seq, again, person.id, before.group_id, before.restricted, now_ms(), earlier, live
    )


def list_judgments(
    connection: sqlite3.Connection, query: JudgmentFilter, limit: int, cursor: str | None
) -> Page[Judgment]:
    """Live judgments, newest first. Raises Invalid, NotFound (a run that isn't there)."""
    checked_limit(limit)
    conditions = ["j.ended IS NULL"]
    values: list[object] = []
    if query.run_id is not None:
        conditions.append("j.run = ?")
        values.append(run_seq(connection, query.run_id))
    joins = ""
    if query.subject_version is not None and query.subject_id is None:
        raise Invalid("agentVersion needs agentId.", field="agentVersion")
    if query.subject_id is not None:
        joins += " JOIN subjects s ON s.seq = r.subject JOIN subject_versions v ON v.seq = r.subject_version"
        conditions.append("s.id = ?")
        values.append(storable(query.subject_id))
        if query.subject_version is not None:
            conditions.append("v.version = ?")
            values.append(storable(query.subject_version))
    if query.project_id is not None:
        conditions.append("r.project = (SELECT seq FROM projects WHERE id = ?)")
        values.append(storable(query.project_id))
    for column, wanted in (
        ("verdict", query.verdict),
        ("group_id", query.group_id),
        ("asserter", query.asserter),
    ):
        if wanted is not None:
            conditions.append(f"j.{column} = ?")
            values.append(storable(wanted))
    if cursor is not None:
        conditions.append("(j.created, j.seq) < (?, ?)")
        values.extend(keys_of(cursor, 2))
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM {_FROM}{joins} WHERE {' AND '.join(conditions)} "
        "ORDER BY j.created DESC, j.seq DESC LIMIT ?",
        (*values, limit + 1),
    ).fetchall()
    more = len(rows) > limit
    return Page(
        data=tuple(map(_judgment, rows[:limit])),
        has_more=more,
        next_cursor=cursor_of(rows[limit - 1][12], rows[limit - 1][0]) if more else None,
    )


def judgments_of_run(connection: sqlite3.Connection, seq: int) -> tuple[Judgment, ...]:
    """The live judgments of the run in that row, newest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM {_FROM} WHERE j.run = ? AND j.ended IS NULL ORDER BY j.created DESC, j.seq DESC",
        (seq,),
    ).fetchall()
    return tuple(map(_judgment, rows))
