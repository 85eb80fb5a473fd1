"""Comparisons in the store: what was asked, and the lease of whoever runs them.

A comparison's owner beats its heart into the row; one that stopped for `lease_seconds` is dead, and whoever finds it
so ends the comparison (DESIGN section 9).
"""

import os
import sqlite3
from collections.abc import Sequence

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import (
    Comparison,
    ComparisonProgress,
    ComparisonRequest,
    ComparisonStatus,
)
from kindgi_tui.local.store.values import (
    dump_json,
    from_ms,
    load_json,
    new_id,
    now_ms,
    restored,
    storable,
)
from kindgi_tui.workbench import Conflict, Invalid, NotFound

LEASE_SECONDS = 10.0
"""After how long without a beat an owner is dead."""

LEASE_VARIABLE = "KINDGI_TUI_LEASE_SECONDS"
"""The environment variable that sets another time, the same for every process of a workspace: for tests."""

BEATS_PER_LEASE = 5
"""How often an owner beats in that time: every 2 seconds (DESIGN section 9)."""


def lease_seconds() -> float:
    """After how long without a beat an owner is dead, in seconds."""
    try:
        return max(0.1, float(os.environ.get(LEASE_VARIABLE, LEASE_SECONDS)))
    except ValueError:
        return LEASE_SECONDS


COLUMNS = (
    "c.seq, c.id, c.test_set, v.version, c.project, c.request, c.status, c.started_by, c.created, c.completed, "
    "c.error, c.cancel_reason, c.rescore_of, c.cases, c.repetitions, c.finished, c.finished_cases, c.errors, "
    "c.cost, c.cached, c.judged"
)
"""The columns `comparison_of` reads."""

FROM = "comparisons c JOIN test_set_versions v ON v.seq = c.version"
"""Where they stand."""


def comparison_of(row: Sequence[object], result: str | None = None) -> Comparison:
    """A row of `COLUMNS` as a comparison, with its stored result where one is given."""
    (
        _,
        identity,
        test_set,
        version,
        project,
        request,
        status,
        by,
        created,
        completed,
        error,
        cancel_reason,
        rescore_of,
        cases,
        repetitions,
        finished,
        finished_cases,
        errors,
        cost,
        cached,
        judged,
    ) = row
    return Comparison.model_validate(
        {
            "id": identity,
            "test_set_id": restored(str(test_set)),
            "test_set_version": version,
            "project_id": project,
            "request": ComparisonRequest.model_validate(load_json(str(request))),
            "status": status,
            "started_by": restored(str(by)),
            "created_at": from_ms(int(str(created))),
            "completed_at": None if completed is None else from_ms(int(str(completed))),
            "error": None if error is None else restored(str(error)),
            "cancel_reason": cancel_reason,
            "rescore_of": rescore_of,
            "progress": ComparisonProgress.model_validate(
                {
                    "cases": cases,
                    "repetitions": repetitions,
                    "finished": finished,
                    "finished_cases": finished_cases,
                    "errors": errors,
                    "cost_usd": cost,
                    "cached": cached,
                    "judged": judged,
                }
            ),
            "result": None if result is None else load_json(result),
        }
    )


def insert_comparison(
    connection: sqlite3.Connection,
    request: ComparisonRequest,
    version: int,
    person_id: str,
    cases: int,
    rescore_of: str | None = None,
) -> str:
    """Writes down that a comparison was asked for; gives its id. It is `pending` until somebody owns it."""
    identity = new_id()
    document: dict[str, Json] = request.model_dump(mode="json")
    # A rescore runs nothing, so nothing of it is left to do.
    done = cases if rescore_of is not None else 0
    connection.execute(
        "INSERT INTO comparisons (id, project, test_set, version, request, status, started_by, created, rescore_of, "
        "cases, repetitions, heartbeat, finished, finished_cases) "
        "VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            identity,
            request.project_id,
            storable(request.test_set_id),
            version,
            dump_json(document),
            storable(person_id),
            now_ms(),
            rescore_of,
            cases,
            cases * request.repetitions,
            now_ms(),
            done * request.repetitions,
            done,
        ),
    )
    return identity


def comparison_seq(connection: sqlite3.Connection, reference: str) -> int:
    """The row number of the comparison with that id, or the one id that begins so. Raises NotFound, Invalid."""
    text = storable(reference)
    rows = connection.execute("SELECT seq FROM comparisons WHERE id = ?", (text,)).fetchall()
    if not rows and len(text) >= 4:
        rows = connection.execute(
            "SELECT seq FROM comparisons WHERE id >= ?1 AND id < ?1 || char(1114111) LIMIT 2", (text,)
        ).fetchall()
    if len(rows) > 1:
        raise Invalid(
            f'Several comparisons begin with "{reference}": give more of the id.', field="comparison"
        )
    if not rows:
        raise NotFound(
            f"No comparison with id {reference}. `kindgi-tui comparisons list` shows them.",
            code="eval-run-not-found",
        )
    return int(rows[0][0])


def get_comparison(connection: sqlite3.Connection, reference: str, with_result: bool = True) -> Comparison:
    """One comparison. Raises NotFound."""
    seq = comparison_seq(connection, reference)
    row = connection.execute(
        f"SELECT {COLUMNS}, {'c.result' if with_result else 'NULL'} FROM {FROM} WHERE c.seq = ?", (seq,)
    ).fetchone()
    return comparison_of(row[:-1], row[-1])


def version_of(connection: sqlite3.Connection, comparison_id: str) -> int:
    """The row number of the test set version a comparison runs on."""
    row = connection.execute("SELECT version FROM comparisons WHERE id = ?", (comparison_id,)).fetchone()
    return int(row[0])


def claim(connection: sqlite3.Connection, comparison_id: str, owner: str, pid: int) -> bool:
    """Makes `owner` the one who runs a pending comparison; False when it is somebody else's or at its end."""
    changed = connection.execute(
        "UPDATE comparisons SET owner = ?, owner_pid = ?, heartbeat = ?, status = 'running' "
        "WHERE id = ? AND status = 'pending'",
        (owner, pid, now_ms(), comparison_id),
    )
    return changed.rowcount == 1


def beat(connection: sqlite3.Connection, comparison_id: str, owner: str) -> str | None:
    """The owner lives: gives why it shall cancel, `lost` when it owns it no more, None to go on."""
    row = connection.execute(
        "UPDATE comparisons SET heartbeat = ? WHERE id = ? AND owner = ? AND status = 'running' "
        "RETURNING cancel_requested",
        (now_ms(), comparison_id, owner),
    ).fetchone()
    if row is None:
        return "lost"
    return "person" if row[0] else None


def cancel_wanted(connection: sqlite3.Connection, comparison_id: str, owner: str) -> str | None:
    """The same question without a beat, for a reader's connection."""
    row = connection.execute(
        "SELECT cancel_requested FROM comparisons WHERE id = ? AND owner = ? AND status = 'running'",
        (comparison_id, owner),
    ).fetchone()
    if row is None:
        return "lost"
    return "person" if row[0] else None


def request_cancel(connection: sqlite3.Connection, reference: str) -> str:
    """Asks the owner to cancel; one that nobody owns yet is cancelled at once. Gives the id. Raises Conflict."""
    seq = comparison_seq(connection, reference)
    identity, status = connection.execute(
        "SELECT id, status FROM comparisons WHERE seq = ?", (seq,)
    ).fetchone()
    if status not in ("pending", "running"):
        raise Conflict(
            f"Comparison {identity} can't be cancelled: it is already {status}.",
            code="eval-run-already-terminal",
        )
    if status == "pending":
        connection.execute(
            "UPDATE comparisons SET status = 'cancelled', cancel_reason = 'person', completed = ? WHERE seq = ?",
            (now_ms(), seq),
        )
    else:
        connection.execute("UPDATE comparisons SET cancel_requested = 1 WHERE seq = ?", (seq,))
    return str(identity)


def reopen(connection: sqlite3.Connection, reference: str) -> str:
    """Makes a failed or cancelled comparison pending again; what finished stays. Gives the id. Raises Conflict."""
    seq = comparison_seq(connection, reference)
    identity, status, rescore_of = connection.execute(
        "SELECT id, status, rescore_of FROM comparisons WHERE seq = ?", (seq,)
    ).fetchone()
    if status not in ("failed", "cancelled") or rescore_of is not None:
        what = f"it is {status}" if rescore_of is None else "it is a rescore: start another"
        raise Conflict(f"Comparison {identity} can't be resumed: {what}.", code="eval-run-not-resumable")
    connection.execute(
        "UPDATE comparisons SET status = 'pending', owner = NULL, owner_pid = NULL, heartbeat = ?, error = NULL, "
        "cancel_reason = NULL, cancel_requested = 0, completed = NULL, result = NULL WHERE seq = ?",
        (now_ms(), seq),
    )
    return str(identity)


def finish(
    connection: sqlite3.Connection,
    comparison_id: str,
    owner: str | None,
    status: ComparisonStatus,
    result: Json,
    error: str | None = None,
    cancel_reason: str | None = None,
) -> bool:
    """Ends a comparison with its result; False when it is at its end already or somebody else's."""
    changed = connection.execute(
        "UPDATE comparisons SET status = ?, result = ?, error = ?, cancel_reason = ?, completed = ?, owner = NULL "
        "WHERE id = ? AND status IN ('pending', 'running') AND owner IS ?",
        (
            status,
            None if result is None else dump_json(result),
            None if error is None else storable(error),
            cancel_reason,
            now_ms(),
            comparison_id,
            owner,
        ),
    )
    return changed.rowcount == 1


def dead_leases(connection: sqlite3.Connection) -> list[str]:
    """Comparisons whose owner stopped beating."""
    rows = connection.execute(
        "SELECT id FROM comparisons WHERE status IN ('pending', 'running') AND heartbeat < ?",
        (now_ms() - int(lease_seconds() * 1000),),
    ).fetchall()
    return [row[0] for row in rows]


def take_over(connection: sqlite3.Connection, comparison_id: str, owner: str) -> bool:
    """Takes a dead owner's place, so that exactly one ends its comparison; False when somebody else did."""
    changed = connection.execute(
        "UPDATE comparisons SET owner = ?, status = 'running', heartbeat = ? WHERE id = ? "
        "AND status IN ('pending', 'running') AND heartbeat < ?",
        (owner, now_ms(), comparison_id, now_ms() - int(lease_seconds() * 1000)),
    )
    return changed.rowcount == 1
