"""The finished repetitions of comparisons in the store, and the outputs of their replays."""

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from kindgi_tui.domain.base import Json
from kindgi_tui.local.store.values import dump_json, load_json, now_ms, restored, storable


@dataclass(frozen=True)
class FinishedRepetition:
    """One repetition of a case that came to its end."""

    case_id: str
    """The case."""
    repetition: int
    """Which one, from 1."""
    run_id: str | None
    """The replay's run, where there is one."""
    outcome: dict[str, Json]
    """What it came to, in the 0.1 wire's names, without the output, which its run holds."""
    is_error: bool
    """Whether it is an error."""
    cost_usd: float
    """What it cost; read from the store, with what judging its answer cost."""
    cached: bool
    """Whether every reply came from the cache."""


def record_repetitions(
    connection: sqlite3.Connection,
    comparison_id: str,
    owner: str,
    done: Sequence[FinishedRepetition],
    spent_usd: float | None = None,
) -> bool:
    """Writes finished repetitions down, each once; False (and nothing written) when `owner` owns it no more.

    `spent_usd` is what the comparison cost in all by now, repetitions that came to nothing included; None: the
    repetitions' costs are added up.
    """
    row = connection.execute(
        "SELECT seq, repetitions / max(cases, 1) FROM comparisons WHERE id = ? AND owner = ? AND status = 'running'",
        (comparison_id, owner),
    ).fetchone()
    if row is None:
        return False
    seq, each = int(row[0]), int(row[1])
    now = now_ms()
    connection.executemany(
        "INSERT INTO repetitions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                seq,
                storable(one.case_id),
                one.repetition,
                one.run_id,
                dump_json(one.outcome),
                int(one.is_error),
                one.cost_usd,
                int(one.cached),
                now,
            )
            for one in done
        ],
    )
    cases = {one.case_id for one in done}
    full = len(cases)
    if each > 1:
        full = sum(
            connection.execute(
                "SELECT count(*) = ? FROM repetitions WHERE comparison = ? AND case_id = ?",
                (each, seq, storable(case)),
            ).fetchone()[0]
            for case in cases
        )
    connection.execute(
        "UPDATE comparisons SET finished = finished + ?, finished_cases = finished_cases + ?, errors = errors + ?, "
        "cost = ifnull(?, cost + ?), cached = cached + ?, heartbeat = ? WHERE seq = ?",
        (
            len(done),
            full,
            sum(one.is_error for one in done),
            spent_usd,
            sum(one.cost_usd for one in done),
            sum(one.cached for one in done),
            now,
            seq,
        ),
    )
    return True


def finished_repetitions(
    connection: sqlite3.Connection, comparison_id: str, known: Collection[tuple[str, int]] = ()
) -> list[FinishedRepetition]:
    """What finished so far, by case and repetition; `known` ones (case id and repetition) are left out."""
    rows = connection.execute(
        "SELECT r.case_id, r.repetition, r.run, r.outcome, r.is_error, r.cost, r.cached FROM repetitions r "
        "JOIN comparisons c ON c.seq = r.comparison WHERE c.id = ? ORDER BY r.case_id, r.repetition",
        (comparison_id,),
    ).fetchall()
    found: list[FinishedRepetition] = []
    for case_id, repetition, run, outcome, is_error, cost, cached in rows:
        if (restored(case_id), repetition) in known:
            continue
        value = load_json(outcome)
        found.append(
            FinishedRepetition(
                restored(case_id),
                repetition,
                run,
                value if isinstance(value, dict) else {},
                bool(is_error),
                cost,
                bool(cached),
            )
        )
    return found


def replay_outputs(connection: sqlite3.Connection, comparison_id: str) -> dict[str, Json]:
    """The outputs of a comparison's replay runs, by run id."""
    rows = connection.execute(
        "SELECT r.id, d.output FROM runs r JOIN run_documents d ON d.run = r.seq WHERE r.comparison = ? "
        "AND d.output IS NOT NULL",
        (comparison_id,),
    ).fetchall()
    return {identity: load_json(output) for identity, output in rows}


def outputs_of_runs(connection: sqlite3.Connection, run_ids: Iterable[str]) -> dict[str, Json]:
    """The outputs of these runs, by run id; runs without one are left out."""
    found: dict[str, Json] = {}
    for run_id in run_ids:
        row = connection.execute(
            "SELECT d.output FROM runs r JOIN run_documents d ON d.run = r.seq WHERE r.id = ? "
            "AND d.output IS NOT NULL",
            (run_id,),
        ).fetchone()
        if row is not None:
            found[run_id] = load_json(row[0])
    return found
