"""Where the cases of an agent's own test set stand in the store, and how many there are (DESIGN section 8).

A case is a run of the agent in the project, no replay, of which something live was said, or one added by hand; both
may be retired. They stand newest first, by when they were first judged, corrected or added.
"""

import heapq
import sqlite3

from kindgi_tui.local.store.values import storable

Place = tuple[int, int, int]
"""Where a case stands: when it was first judged, corrected or added (ms), 1 when it was added by hand, its row."""

_ARMS = (
    "SELECT r.first_judged, 0, r.seq FROM runs r WHERE r.project = ?1 AND r.subject = ?2 AND r.judged = 1 "
    "AND r.is_replay = 0 AND {mark}EXISTS (SELECT 1 FROM retired_runs t WHERE t.run = r.seq) "
    "AND (r.first_judged, 0, r.seq) < (?3, ?4, ?5) ORDER BY r.first_judged DESC, r.seq DESC LIMIT ?6",
    "SELECT at, 0, seq FROM (SELECT min(c.created) AS at, r.seq AS seq FROM corrections c "
    "CROSS JOIN runs r ON r.seq = c.run WHERE c.ended IS NULL AND r.project = ?1 AND r.subject = ?2 "
    "AND r.judged = 0 AND r.is_replay = 0 "
    "AND {mark}EXISTS (SELECT 1 FROM retired_runs t WHERE t.run = r.seq) GROUP BY r.seq) "
    "WHERE (at, 0, seq) < (?3, ?4, ?5) ORDER BY at DESC, seq DESC LIMIT ?6",
    "SELECT h.created, 1, h.seq FROM hand_cases h WHERE h.project = ?1 AND h.subject = ?2 "
    "AND h.retired IS {mark}NULL AND (h.created, 1, h.seq) < (?3, ?4, ?5) "
    "ORDER BY h.created DESC, h.seq DESC LIMIT ?6",
)
"""Judged runs, runs that were corrected alone, cases added by hand: each newest first, after a place."""

FIRST: Place = (2**62, 2, 0)
"""The place before every case."""


def places(
    connection: sqlite3.Connection, project: int, subject: int, retired: bool, after: Place, limit: int
) -> list[Place]:
    """The places of the next cases after a place, at most `limit`: the live ones, or the retired ones."""
    found: list[Place] = []
    for at, arm in enumerate(_ARMS):
        # A hand-made case is retired when its column holds a time; a run when it has a row.
        mark = "" if retired == (at < 2) else "NOT "
        rows = connection.execute(arm.format(mark=mark), (project, subject, *after, limit)).fetchall()
        found.extend(rows)
    return heapq.nlargest(limit, found)


def subject_seq(connection: sqlite3.Connection, agent_id: str) -> int:
    """An agent's row among what ran; -1 when nothing of it is known."""
    row = connection.execute(
        "SELECT seq FROM subjects WHERE kind = 'agent' AND id = ?", (storable(agent_id),)
    ).fetchone()
    return -1 if row is None else int(row[0])


def case_counts(connection: sqlite3.Connection, project: int, subject: int) -> tuple[int, int]:
    """How many cases are live, and how many are retired."""
    judged = connection.execute(
        "SELECT ifnull(sum(count), 0) FROM run_counts WHERE project = ? AND is_replay = 0 AND subject = ? "
        "AND judged = 1",
        (project, subject),
    ).fetchone()[0]
    corrected = connection.execute(
        "SELECT count(DISTINCT c.run) FROM corrections c CROSS JOIN runs r ON r.seq = c.run WHERE c.ended IS NULL "
        "AND r.project = ? AND r.subject = ? AND r.judged = 0 AND r.is_replay = 0",
        (project, subject),
    ).fetchone()[0]
    retired = connection.execute(
        "SELECT count(*) FROM retired_runs t CROSS JOIN runs r ON r.seq = t.run WHERE r.project = ? AND r.subject = ? "
        "AND (r.judged = 1 OR EXISTS (SELECT 1 FROM corrections c WHERE c.run = r.seq AND c.ended IS NULL))",
        (project, subject),
    ).fetchone()[0]
    by_hand, put_away = connection.execute(
        "SELECT count(*), count(retired) FROM hand_cases WHERE project = ? AND subject = ?",
        (project, subject),
    ).fetchone()
    return judged + corrected + by_hand - retired - put_away, retired + put_away
