"""Corrections in the store: one live one per run, asserter and participant; the others stay as history."""

import sqlite3
from collections.abc import Sequence

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import Correction, CorrectionFilter, Expectation, NewCorrection
from kindgi_tui.domain.expectations import checked_expectation
from kindgi_tui.domain.javascript import json_equal
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.domain.projects import Person
from kindgi_tui.local.store.runs import run_seq
from kindgi_tui.local.store.speaking import spoken_as
from kindgi_tui.local.store.values import (
    checked_limit,
    cursor_of,
    dump_json,
    from_ms,
    keys_of,
    load_json,
    new_id,
    now_ms,
    restored,
    storable,
)
from kindgi_tui.wire.expectations import written_expectation
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound, Page, Refused, WorkbenchError

_COLUMNS = (
    "c.seq, c.id, r.id, c.expect, c.group_id, c.expert, c.asserter, c.participant, c.created, c.ended, "
    "c.superseded_by, c.previous"
)
_FROM = "corrections c CROSS JOIN runs r ON r.seq = c.run"
_FINAL = ("completed", "failed", "cancelled")

SHORTEST_ID = 8
"""The fewest characters of an id that name a correction."""


def _correction(row: tuple[object, ...]) -> Correction:
    _, identity, run, expect, group, expert, asserter, participant, created, ended, superseded_by, _ = row
    said_for = restored(str(participant))
    return Correction.model_construct(
        id=str(identity),
        run_id=restored(str(run)),
        expect=Expectation.model_validate(load_json(str(expect))),
        group_id=None if group is None else str(group),
        expert=bool(expert),
        asserter=restored(str(asserter)),
        participant=said_for or None,
        created_at=from_ms(int(str(created))),
        ended_at=None if ended is None else from_ms(int(str(ended))),
        superseded_by=None if superseded_by is None else str(superseded_by),
    )


def add_correction(
    connection: sqlite3.Connection,
    new: NewCorrection,
    person: Person,
    created: int | None = None,
    *,
    copied: bool = False,
) -> Correction:
    """Records a person's correction; it replaces their live one of the run. Raises as `Corrections.add`.

    Of a copied one counts what its group was when it was said, and nobody asks whether they may speak as it today.
    Saying the same again changes nothing and gives the live one.
    """
    seq = run_seq(connection, new.run_id)
    expect = _checked(new)
    _check_run(connection, seq, new.run_id, expect)
    group_id, expert = spoken_as(
        connection, seq, new.group, person, "correct", new.expert if copied else None
    )
    live = _live_row(connection, seq, person.id, new.participant)
    written: Json = written_expectation(expect)
    if live is not None and live[4] == group_id and json_equal(load_json(str(live[3])), written):
        return _correction(live)
    at = now_ms() if created is None else created
    previous = None if live is None else str(live[1])
    return _insert(
        connection, seq, written, person.id, new.participant, (group_id, expert), at, previous, live
    )


def add_corrections(
    connection: sqlite3.Connection, new: Sequence[NewCorrection], person: Person
) -> tuple[Correction, ...]:
    """Records a person's corrections in their order. Raises Refused when one can't be: nothing may be kept then."""
    made: list[Correction] = []
    refusals: list[tuple[int, WorkbenchError]] = []
    for place, each in enumerate(new, 1):
        try:
            made.append(add_correction(connection, each, person))
        except WorkbenchError as cause:
            refusals.append((place, cause))
    if refusals:
        place, first = refusals[0]
        of = (
            f"{len(refusals)} of {len(new)} corrections can't be saved"
            if len(new) > 1
            else "It can't be saved"
        )
        raise Refused(f"{of}, so none was. Number {place}: {first.sentence}", tuple(refusals))
    return tuple(made)


def _checked(new: NewCorrection) -> Expectation:
    if new.participant is not None and not new.participant.strip():
        raise Invalid("participantId must be a non-empty string.", field="participant")
    try:
        return checked_expectation(new.expect)
    except LimitError as cause:
        raise Invalid(cause.sentence, field=cause.field) from cause


def _check_run(connection: sqlite3.Connection, seq: int, told: str, expect: Expectation) -> None:
    """Whether such an expectation can be had of the run in that row. Raises Conflict, Invalid."""
    status, kind, output = connection.execute(
        "SELECT r.status, s.kind, d.output FROM runs r JOIN subjects s ON s.seq = r.subject "
        "JOIN run_documents d ON d.run = r.seq WHERE r.seq = ?",
        (seq,),
    ).fetchone()
    if status not in _FINAL:
        raise Conflict(
            f'Run "{told}" has not ended (it is {status}): correct it when it has.', code="run-not-finished"
        )
    if expect.decisions is not None and kind != "agent":
        raise Invalid(
            f'Run "{told}" is a flow\'s, and only an agent decides which tools it calls: correct its answer.',
            field="decisions",
        )
    if expect.answer is not None and (output is None or output == "null"):
        instead = " Correct its decisions." if kind == "agent" else ""
        raise Invalid(
            f'Run "{told}" ({status}) has no output, so no answer to correct.{instead}', field="answer"
        )


def _live_row(
    connection: sqlite3.Connection, seq: int, asserter: str, participant: str | None
) -> tuple[object, ...] | None:
    row: tuple[object, ...] | None = connection.execute(
        f"SELECT {_COLUMNS} FROM {_FROM} WHERE c.run = ? AND c.asserter = ? AND c.participant = ? AND c.ended IS NULL",
        (seq, storable(asserter), storable(participant or "")),
    ).fetchone()
    return row


def _insert(
    connection: sqlite3.Connection,
    seq: int,
    expect: Json,
    asserter: str,
    participant: str | None,
    group: tuple[str | None, bool],
    created: int,
    previous: str | None,
    live: tuple[object, ...] | None,
) -> Correction:
    identity = new_id()
    if live is not None:
        connection.execute(
            "UPDATE corrections SET ended = ?, superseded_by = ? WHERE seq = ?", (created, identity, live[0])
        )
    connection.execute(
        "INSERT INTO corrections (id, run, expect, group_id, expert, asserter, participant, created, previous) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            identity,
            seq,
            dump_json(expect),
            group[0],
            int(group[1]),
            storable(asserter),
            storable(participant or ""),
            created,
            previous,
        ),
    )
    return _correction(_row(connection, identity))


def _row(connection: sqlite3.Connection, reference: str) -> tuple[object, ...]:
    """The row of the correction with that id, or of the one whose id begins so. Raises NotFound, Invalid."""
    text = storable(reference)
    statement = f"SELECT {_COLUMNS} FROM {_FROM} WHERE "
    rows = connection.execute(f"{statement} c.id = ?", (text,)).fetchall()
    if not rows and len(text) >= SHORTEST_ID:
        rows = connection.execute(
            f"{statement} c.id >= ?1 AND c.id < ?1 || char(1114111) LIMIT 2", (text,)
        ).fetchall()
        if len(rows) > 1:
            raise Invalid(
                f'Several corrections begin with "{reference}": give more of the id.', field="correction"
            )
    if not rows:
        raise NotFound(
            f'No correction "{reference}". `kindgi-tui corrections list` shows the live ones.',
            code="correction-not-found",
        )
    row: tuple[object, ...] = rows[0]
    return row


def get_correction(connection: sqlite3.Connection, reference: str) -> Correction:
    """One correction, live or not, by its id or a beginning of it. Raises NotFound, Invalid."""
    return _correction(_row(connection, reference))


def remove_correction(connection: sqlite3.Connection, reference: str, person: Person) -> Correction:
    """Removes a live correction, and gives it as it was; somebody else's only as an admin. Raises NotFound, Denied."""
    found = get_correction(connection, reference)
    if found.ended_at is not None:
        raise NotFound(
            f'The correction "{reference}" is not live any more: it was replaced or removed before.',
            code="correction-not-found",
        )
    if found.asserter != person.id and person.right != "admin":
        raise Denied(f'Not allowed to remove correction "{reference}": {found.asserter} made it.')
    connection.execute("UPDATE corrections SET ended = ? WHERE id = ?", (now_ms(), found.id))
    return found


def take_back_correction(
    connection: sqlite3.Connection, run_id: str, person: Person, participant: str | None
) -> Correction | None:
    """Takes a person's correction back: the one before it comes back as a new record, a first one is removed.

    What comes back is as it was, its group and whether that was an expert group too, and remembers what was before it,
    so that one can go on taking back. Raises NotFound.
    """
    seq = run_seq(connection, run_id)
    live = _live_row(connection, seq, person.id, participant)
    if live is None:
        raise NotFound(f'You have no correction of run "{run_id}".', code="correction-not-found")
    if live[11] is None:
        connection.execute("UPDATE corrections SET ended = ? WHERE seq = ?", (now_ms(), live[0]))
        return None
    before = _row(connection, str(live[11]))
    group = (None if before[4] is None else str(before[4]), bool(before[5]))
    earlier = None if before[11] is None else str(before[11])
    return _insert(
        connection, seq, load_json(str(before[3])), person.id, participant, group, now_ms(), earlier, live
    )


def list_corrections(
    connection: sqlite3.Connection, query: CorrectionFilter, limit: int, cursor: str | None
) -> Page[Correction]:
    """Live corrections, newest first. Raises Invalid, NotFound (a run that isn't there)."""
    checked_limit(limit)
    conditions = ["c.ended IS NULL"]
    values: list[object] = []
    joins = ""
    if query.run_id is not None:
        conditions.append("c.run = ?")
        values.append(run_seq(connection, query.run_id))
    if query.subject_id is not None:
        joins = " JOIN subjects s ON s.seq = r.subject"
        conditions.append("s.id = ?")
        values.append(storable(query.subject_id))
    if query.project_id is not None:
        conditions.append("r.project = (SELECT seq FROM projects WHERE id = ?)")
        values.append(storable(query.project_id))
    for column, wanted in (("group_id", query.group_id), ("asserter", query.asserter)):
        if wanted is not None:
            conditions.append(f"c.{column} = ?")
            values.append(storable(wanted))
    if cursor is not None:
        conditions.append("(c.created, c.seq) < (?, ?)")
        values.extend(keys_of(cursor, 2))
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM {_FROM}{joins} WHERE {' AND '.join(conditions)} "
        "ORDER BY c.created DESC, c.seq DESC LIMIT ?",
        (*values, limit + 1),
    ).fetchall()
    more = len(rows) > limit
    return Page(
        data=tuple(map(_correction, rows[:limit])),
        has_more=more,
        next_cursor=cursor_of(rows[limit - 1][8], rows[limit - 1][0]) if more else None,
    )


def corrections_of_run(connection: sqlite3.Connection, seq: int) -> tuple[Correction, ...]:
    """The live corrections of the run in that row, newest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM {_FROM} WHERE c.run = ? AND c.ended IS NULL ORDER BY c.created DESC, c.seq DESC",
        (seq,),
    ).fetchall()
    return tuple(map(_correction, rows))


def history_of_run(connection: sqlite3.Connection, seq: int) -> tuple[Correction, ...]:
    """Every correction ever made of the run in that row, newest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM {_FROM} WHERE c.run = ? ORDER BY c.created DESC, c.seq DESC", (seq,)
    ).fetchall()
    return tuple(map(_correction, rows))
