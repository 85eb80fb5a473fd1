"""Pages of runs under any filter, newest first by their start, and the counts of whole lists."""

import json
import sqlite3

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.runs import Run
from kindgi_tui.local.store.run_filters import branches, kept_counts
from kindgi_tui.local.store.run_search import count_matches, search_runs
from kindgi_tui.local.store.runs import RUN_COLUMNS, RUN_JOINS, listed_run
from kindgi_tui.local.store.values import checked_limit, cursor_of, keys_of
from kindgi_tui.workbench import Invalid, Page


def list_runs(
    connection: sqlite3.Connection, query: RunFilter, limit: int, cursor: str | None, backwards: bool = False
) -> Page[Run]:
    """A page of runs, newest first; a search's page is by the order of recording. Raises Invalid.

    `backwards` gives the page before the cursor (without one, the last page), its rows in the list's order, and a
    cursor that leads farther back.
    """
    checked_limit(limit)
    if query.text is not None and query.text.strip():
        if backwards:
            raise Invalid("A search is read from its newest result on.", field="cursor")
        after = keys_of(cursor, 1)[0] if cursor is not None else None
        found = search_runs(connection, query, query.text, limit + 1, after)
        more = len(found) > limit
        return Page(
            data=_listed(connection, [each.run for each in found[:limit]]),
            has_more=more,
            next_cursor=cursor_of(found[limit - 1].key) if more else None,
        )
    place = keys_of(cursor, 2) if cursor is not None else None
    direction = "ASC" if backwards else "DESC"
    keys: list[tuple[int, int]] = []
    for branch in branches(connection, query, place, backwards):
        where, values = branch.where()
        created, seq = branch.order
        # The page's rows are found on the index alone; only they are read.
        keys += connection.execute(
            f"SELECT {created}, {seq} FROM {branch.source} WHERE {where} "
            f"ORDER BY {created} {direction}, {seq} {direction} LIMIT ?",
            (*values, limit + 1),
        ).fetchall()
    keys.sort(reverse=not backwards)
    more = len(keys) > limit
    taken = [seq for _, seq in keys[:limit]]
    return Page(
        data=_listed(connection, taken[::-1] if backwards else taken),
        has_more=more,
        next_cursor=cursor_of(*keys[limit - 1]) if more else None,
    )


def count_runs(connection: sqlite3.Connection, query: RunFilter) -> int:
    """How many runs a list holds: from the kept counts, and by counting where a time or a text is asked."""
    if query.text is not None and query.text.strip():
        return count_matches(connection, query, query.text)
    kept = kept_counts(connection, query.model_copy(update={"text": None}))
    if kept is not None:
        where, values = kept.where()
        row = connection.execute(
            f"SELECT ifnull(sum(r.count), 0) FROM {kept.source} WHERE {where}", values
        ).fetchone()
        return int(row[0])
    total = 0
    for branch in branches(connection, query):
        where, values = branch.where()
        row = connection.execute(f"SELECT count(*) FROM {branch.source} WHERE {where}", values).fetchone()
        total += int(row[0])
    return total


def _listed(connection: sqlite3.Connection, seqs: list[int]) -> tuple[Run, ...]:
    rows = connection.execute(
        f"SELECT {RUN_COLUMNS} FROM json_each(?) j CROSS JOIN runs r ON r.seq = j.value {RUN_JOINS}",
        (json.dumps(seqs),),
    ).fetchall()
    found = {row[0]: row for row in rows}
    return tuple(listed_run(found[seq]) for seq in seqs)
