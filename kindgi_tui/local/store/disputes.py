"""Items of which people's live verdicts differ; which ones is kept by triggers (`disputed`)."""

import sqlite3

from kindgi_tui.domain.judging import Disagreement, QueueFilter
from kindgi_tui.local.store.projects import project_seq
from kindgi_tui.local.store.queue import listed_runs
from kindgi_tui.local.store.subjects import find_path
from kindgi_tui.local.store.values import checked_limit, cursor_of, keys_of, restored, storable
from kindgi_tui.workbench import Page


def list_disputes(
    connection: sqlite3.Connection, query: QueueFilter, limit: int, cursor: str | None
) -> Page[Disagreement]:
    """The disputed items of the filter's runs, oldest run first, whole runs on a page. Raises Invalid, NotFound."""
    checked_limit(limit)
    after = keys_of(cursor, 1)[0] if cursor is not None else 0
    runs = connection.execute(
        "SELECT DISTINCT d.run FROM disputed d CROSS JOIN runs r ON r.seq = d.run JOIN subjects s ON s.seq = r.subject "
        "WHERE d.run > :after AND r.project = :project AND r.is_replay = 0 AND (:id IS NULL OR s.id = :id) "
        "AND (:kind IS NULL OR s.kind = :kind) AND (:path IS NULL OR EXISTS (SELECT 1 FROM run_paths rp "
        "WHERE rp.path = :path AND rp.project = r.project AND rp.is_replay = 0 AND rp.created = r.created "
        "AND rp.run = r.seq)) ORDER BY d.run LIMIT :limit",
        {
            "after": after, "project": project_seq(connection, query.project_id), "kind": query.subject_kind,
            "id": None if query.subject_id is None else storable(query.subject_id),
            "path": find_path(connection, query.segments) if query.segments else None, "limit": limit + 1,
        },
    ).fetchall()  # fmt: skip
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
