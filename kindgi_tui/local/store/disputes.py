"""What people differ on: items by their live verdicts, kept by triggers (`disputed`), and runs by their corrections."""

import sqlite3

from kindgi_tui.domain.javascript import json_equal
from kindgi_tui.domain.judging import CorrectedApart, Disagreement, QueueFilter
from kindgi_tui.local.store.projects import project_seq
from kindgi_tui.local.store.queue import listed_runs
from kindgi_tui.local.store.subjects import find_path
from kindgi_tui.local.store.values import checked_limit, cursor_of, keys_of, load_json, restored, storable
from kindgi_tui.workbench import Page

_WITHIN = (
    "r.project = :project AND r.is_replay = 0 AND (:id IS NULL OR s.id = :id) AND (:kind IS NULL OR s.kind = :kind) "
    "AND (:path IS NULL OR EXISTS (SELECT 1 FROM run_paths rp WHERE rp.path = :path AND rp.project = r.project "
    "AND rp.is_replay = 0 AND rp.created = r.created AND rp.run = r.seq))"
)
"""The runs of a filter."""


def _within(connection: sqlite3.Connection, query: QueueFilter) -> dict[str, object]:
    """The values of `_WITHIN`. Raises NotFound."""
    return {
        "project": project_seq(connection, query.project_id),
        "kind": query.subject_kind,
        "id": None if query.subject_id is None else storable(query.subject_id),
        "path": find_path(connection, query.segments) if query.segments else None,
    }


def list_disputes(
    connection: sqlite3.Connection, query: QueueFilter, limit: int, cursor: str | None
) -> Page[Disagreement]:
    """The disputed items of the filter's runs, oldest run first, whole runs on a page. Raises Invalid, NotFound."""
    checked_limit(limit)
    after = keys_of(cursor, 1)[0] if cursor is not None else 0
    runs = connection.execute(
        "SELECT DISTINCT d.run FROM disputed d CROSS JOIN runs r ON r.seq = d.run JOIN subjects s ON s.seq = r.subject "
        f"WHERE d.run > :after AND {_WITHIN} ORDER BY d.run LIMIT :limit",
        {**_within(connection, query), "after": after, "limit": limit + 1},
    ).fetchall()
    more = len(runs) > limit
    seqs = [int(row[0]) for row in runs[:limit]]
    listed = listed_runs(connection, seqs)
    found = []
    for seq in seqs:
        for (key,) in connection.execute(
            "SELECT item_key FROM disputed WHERE run = ? ORDER BY item_key", (seq,)
        ):
            said = connection.execute(
                "SELECT DISTINCT verdict, asserter FROM judgments WHERE run = ? AND item_key = ? AND ended IS NULL "
                "ORDER BY asserter",
                (seq, key),
            ).fetchall()
            found.append(
                Disagreement(
                    run=listed[seq],
                    item_key=restored(key),
                    yes=tuple(restored(who) for verdict, who in said if verdict == "yes"),
                    no=tuple(restored(who) for verdict, who in said if verdict == "no"),
                )
            )
    return Page(data=tuple(found), has_more=more, next_cursor=cursor_of(seqs[-1]) if more else None)


def list_corrected_apart(
    connection: sqlite3.Connection, query: QueueFilter, limit: int, cursor: str | None
) -> Page[CorrectedApart]:
    """The filter's runs whose live corrections expect different things, oldest first. Raises Invalid, NotFound.

    One run's corrections are few, so that they are compared one by one, as JSON is equal.
    """
    checked_limit(limit)
    after = keys_of(cursor, 1)[0] if cursor is not None else 0
    seqs: list[int] = []
    people: dict[int, tuple[str, ...]] = {}
    several = connection.execute(
        "SELECT c.run FROM corrections c JOIN runs r ON r.seq = c.run JOIN subjects s ON s.seq = r.subject "
        f"WHERE c.ended IS NULL AND c.run > :after AND {_WITHIN} GROUP BY c.run HAVING count(*) > 1 ORDER BY c.run",
        {**_within(connection, query), "after": after},
    )
    for (seq,) in several:
        said = connection.execute(
            "SELECT asserter, expect FROM corrections WHERE run = ? AND ended IS NULL ORDER BY created DESC, seq DESC",
            (seq,),
        ).fetchall()
        first = load_json(said[0][1])
        if all(json_equal(first, load_json(expect)) for _, expect in said[1:]):
            continue
        seqs.append(seq)
        people[seq] = tuple(dict.fromkeys(restored(who) for who, _ in said))
        if len(seqs) > limit:
            break
    more = len(seqs) > limit
    listed = listed_runs(connection, seqs[:limit])
    return Page(
        data=tuple(CorrectedApart(run=listed[seq], people=people[seq]) for seq in seqs[:limit]),
        has_more=more,
        next_cursor=cursor_of(seqs[limit - 1]) if more else None,
    )
