"""Comparisons in lists: what each came to in a few numbers, rescores folded under what they score again.

A result can have a megabyte; SQLite reads the few numbers out of it, so that a page of a list stays cheap.
"""

import sqlite3

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison, ComparisonBrief
from kindgi_tui.local.store.comparisons import COLUMNS, FROM, comparison_of, comparison_seq
from kindgi_tui.local.store.values import checked_limit, cursor_of, keys_of, load_json, storable_or_none
from kindgi_tui.workbench import Page

_PATHS = (
    "$.summary.metrics.weightedYesShare.baseline",
    "$.summary.metrics.weightedYesShare.candidate",
    "$.summary.metrics.weightedYesShare.n",
    "$.ours.intervals.pass_rate.word",
    "$.ours.waiting",
    "$.ours.headline",
)
_BRIEF = (
    "CASE WHEN {0}.result IS NULL THEN NULL WHEN json_valid({0}.result) THEN json_extract({0}.result, "
    + ", ".join(f"'{path}'" for path in _PATHS)
    # SQLite refuses what Python's JSON knows beside JSON (NaN), and deep nesting: those are read whole.
    + ") ELSE {0}.result END"
)
_OWN, _NEWEST = _BRIEF.format("c"), _BRIEF.format("n")


def list_comparisons(
    connection: sqlite3.Connection,
    project_id: str | None,
    test_set_id: str | None,
    limit: int,
    cursor: str | None,
    backwards: bool = False,
    folded: bool = False,
) -> Page[Comparison]:
    """Comparisons, newest first, with what each came to, without their results. Raises Invalid.

    `backwards` gives the page before the cursor (the last one without), in the list's order. `folded` leaves rescores
    out: what they score again says how many there are, and its brief is the newest one's.
    """
    checked_limit(limit)
    place = keys_of(cursor, 1)[0] if cursor is not None else None
    after = ("c.seq > ?1", "ASC") if backwards else ("c.seq < ?1", "DESC")
    where = [
        f"(?1 IS NULL OR {after[0]})",
        "(?2 IS NULL OR c.project = ?2)",
        "(?3 IS NULL OR c.test_set = ?3)",
    ]
    source, brief, counted = FROM, _OWN, "0, NULL"
    if folded:
        where.append("c.rescore_of IS NULL")
        source += (
            " LEFT JOIN (SELECT rescore_of AS original, count(*) AS count, max(seq) AS newest FROM comparisons "
            "WHERE rescore_of IS NOT NULL GROUP BY rescore_of) f ON f.original = c.id "
            "LEFT JOIN comparisons n ON n.seq = f.newest"
        )
        brief = f"CASE WHEN n.seq IS NULL THEN {_OWN} ELSE {_NEWEST} END"
        counted = "ifnull(f.count, 0), n.id"
    rows = connection.execute(
        f"SELECT {brief}, {counted}, {COLUMNS} FROM {source} WHERE {' AND '.join(where)} "
        f"ORDER BY c.seq {after[1]} LIMIT ?4",
        (place, storable_or_none(project_id), storable_or_none(test_set_id), limit + 1),
    ).fetchall()
    more = len(rows) > limit
    rows = rows[:limit]
    edge = rows[-1][3] if rows else 0
    if backwards:
        rows.reverse()
    return Page(
        data=tuple(_row(row) for row in rows), has_more=more, next_cursor=cursor_of(edge) if more else None
    )


def count_comparisons(connection: sqlite3.Connection, project_id: str | None, test_set_id: str | None) -> int:
    """How many comparisons a folded list holds."""
    row = connection.execute(
        "SELECT count(*) FROM comparisons WHERE rescore_of IS NULL AND (?1 IS NULL OR project = ?1) "
        "AND (?2 IS NULL OR test_set = ?2)",
        (storable_or_none(project_id), storable_or_none(test_set_id)),
    ).fetchone()
    return int(row[0])


def rescores_of(connection: sqlite3.Connection, reference: str) -> tuple[Comparison, ...]:
    """The rescores of a comparison, newest first, without their results. Raises NotFound, Invalid."""
    seq = comparison_seq(connection, reference)
    rows = connection.execute(
        f"SELECT {_OWN}, 0, NULL, {COLUMNS} FROM {FROM} JOIN comparisons o ON o.seq = ?1 "
        "WHERE c.test_set = o.test_set AND c.seq > o.seq AND c.rescore_of = o.id ORDER BY c.seq DESC",
        (seq,),
    ).fetchall()
    return tuple(_row(row) for row in rows)


def waiting_judgments(connection: sqlite3.Connection, reference: str) -> int:
    """How many live judgments on a comparison's replays its result does not count. Raises NotFound, Invalid.

    The result of what ran counts none of them, a rescore's those that were made before it.
    """
    seq = comparison_seq(connection, reference)
    row = connection.execute(
        "SELECT count(*) FROM comparisons c JOIN runs r ON r.comparison = ifnull(c.rescore_of, c.id) "
        "JOIN judgments j ON j.run = r.seq AND j.ended IS NULL "
        "WHERE c.seq = ? AND (c.rescore_of IS NULL OR j.created > c.completed)",
        (seq,),
    ).fetchone()
    return int(row[0])


def brief_of(result: Json) -> ComparisonBrief | None:
    """What a result came to, in a few numbers; None without one."""
    if not isinstance(result, dict):
        return None
    return _brief([_at(result, path) for path in _PATHS])


def _row(row: tuple[object, ...]) -> Comparison:
    told, rescores, newest, *rest = row
    comparison = comparison_of(rest)
    value = None if told is None else load_json(str(told))
    brief = _brief(value) if isinstance(value, list) else brief_of(value)
    return comparison.model_copy(
        update={"brief": brief, "rescores": int(str(rescores)), "newest_rescore": newest}
    )


def _at(document: Json, path: str) -> Json:
    for step in path.split(".")[1:]:
        document = document.get(step) if isinstance(document, dict) else None
    return document


def _brief(values: list[Json]) -> ComparisonBrief:
    before, now, n, word, waiting, headline = values
    return ComparisonBrief(
        before=_share(before),
        now=_share(now),
        n=int(_share(n) or 0),
        word=word if isinstance(word, str) else "",
        waiting=int(_share(waiting) or 0),
        headline=headline if isinstance(headline, str) else "",
    )


def _share(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
