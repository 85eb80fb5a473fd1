"""Runs dismissed from the judging queue, for everybody: their row of `owed` stands in `dismissals` meanwhile."""

import sqlite3

from kindgi_tui.domain.judging import (
    DISMISSAL_REASON_LIMIT,
    Dismissal,
    QueuedRun,
    QueueFilter,
    QueueState,
)
from kindgi_tui.local.store.queue import JUDGED, MINE, OWED, Scope, listed_runs
from kindgi_tui.local.store.runs import run_seq
from kindgi_tui.local.store.values import (
    checked_limit,
    cursor_of,
    from_ms,
    keys_of,
    now_ms,
    restored,
    storable,
    storable_or_none,
)
from kindgi_tui.workbench import Conflict, Invalid, NotFound, Page

_KEPT = "run, project, subject, created, place, answers, elements, both"


def dismiss_run(connection: sqlite3.Connection, run_id: str, reason: str | None, person: str) -> None:
    """Takes a run off the queue that owes this person a verdict. Raises NotFound, Conflict, Invalid."""
    reason = (reason or "").strip() or None
    if reason is not None and len(reason) > DISMISSAL_REASON_LIMIT:
        raise Invalid(
            f"reason must be a string of at most {DISMISSAL_REASON_LIMIT} characters.", field="reason"
        )
    seq = run_seq(connection, run_id)
    if _dismissed(connection, seq):
        raise _not_open(run_id)
    row = connection.execute(
        f"SELECT {OWED} > {JUDGED} FROM owed o {MINE} WHERE o.run = :run",
        {"run": seq, "person": storable(person)},
    ).fetchone()
    if row is None:
        raise _not_there(run_id)
    if not row[0]:
        raise _not_open(run_id)
    connection.execute(
        f"INSERT INTO dismissals ({_KEPT}, person, reason, at) SELECT {_KEPT}, ?, ?, ? FROM owed WHERE run = ?",
        (storable(person), storable_or_none(reason), now_ms(), seq),
    )
    connection.execute("DELETE FROM owed WHERE run = ?", (seq,))


def reopen_run(connection: sqlite3.Connection, run_id: str) -> None:
    """Puts a dismissed run back in its place. Raises NotFound, Conflict."""
    seq = run_seq(connection, run_id)
    if not _dismissed(connection, seq):
        known = connection.execute("SELECT 1 FROM owed WHERE run = ?", (seq,)).fetchone()
        if known is None:
            raise _not_there(run_id)
        raise Conflict(
            f'Run "{run_id}" isn\'t dismissed from the judging queue.', code="judging-item-not-open"
        )
    connection.execute(f"INSERT INTO owed ({_KEPT}) SELECT {_KEPT} FROM dismissals WHERE run = ?", (seq,))
    connection.execute("DELETE FROM dismissals WHERE run = ?", (seq,))


def list_dismissed(
    connection: sqlite3.Connection, query: QueueFilter, limit: int, cursor: str | None
) -> Page[QueuedRun]:
    """The dismissed runs of a filter, the oldest run first, as the queue is. Raises NotFound, Invalid."""
    checked_limit(limit)
    scope = Scope(connection, query, "")
    conditions, values = _conditions(scope)
    if cursor is not None:
        conditions.append("(d.created, d.run) > (?, ?)")
        values += keys_of(cursor, 2)
    rows = connection.execute(
        "SELECT d.created, d.run, d.at, d.person, d.reason, d.elements, d.answers FROM dismissals d "
        f"WHERE {' AND '.join(conditions)} ORDER BY d.created, d.run LIMIT ?",
        (*values, limit + 1),
    ).fetchall()
    more, taken = len(rows) > limit, rows[:limit]
    listed = listed_runs(connection, [row[1] for row in taken])
    found: list[QueuedRun] = []
    for _, seq, at, person, reason, elements, answers in taken:
        dismissal = Dismissal(
            by=restored(person), at=from_ms(at), reason=None if reason is None else restored(reason)
        )
        run = listed[seq]
        state = QueueState(said=run.judgments, can_dismiss=False, can_reopen=True, dismissal=dismissal)
        found.append(QueuedRun(run=run, owed=elements or answers, judged=0, state=state))
    return Page(
        data=tuple(found),
        has_more=more,
        next_cursor=cursor_of(taken[-1][0], taken[-1][1]) if more else None,
    )


def count_dismissed(connection: sqlite3.Connection, query: QueueFilter) -> int:
    """How many runs of a filter are dismissed. Raises NotFound."""
    conditions, values = _conditions(Scope(connection, query, ""))
    row = connection.execute(
        f"SELECT count(*) FROM dismissals d WHERE {' AND '.join(conditions)}", values
    ).fetchone()
    return int(row[0])


def _conditions(scope: Scope) -> tuple[list[str], list[object]]:
    conditions: list[str] = ["d.project = ?"]
    values: list[object] = [scope.project]
    if scope.subjects is not None:
        conditions.append(f"d.subject IN ({', '.join(map(str, scope.subjects))})")
    if scope.path is not None:
        conditions.append("EXISTS (SELECT 1 FROM run_paths rp WHERE rp.run = d.run AND rp.path = ?)")
        values.append(scope.path)
    return conditions, values


def _dismissed(connection: sqlite3.Connection, seq: int) -> bool:
    return connection.execute("SELECT 1 FROM dismissals WHERE run = ?", (seq,)).fetchone() is not None


def _not_open(run_id: str) -> Conflict:
    return Conflict(f'Run "{run_id}" isn\'t open in the judging queue.', code="judging-item-not-open")


def _not_there(run_id: str) -> NotFound:
    return NotFound(
        f'Run "{run_id}" isn\'t in the judging queue of this project.', code="judging-item-not-found"
    )
