"""How many items each run has to judge: kept when it is recorded, so that the queue never reads an output."""

import hashlib
import sqlite3

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.judging import owed_items
from kindgi_tui.local.store.values import load_json, restored

BATCH = 2_000
"""How many runs of an older file one transaction counts the items of."""


def count_owed(connection: sqlite3.Connection, seq: int, run_id: str, agent: bool, output: Json) -> None:
    """Keeps how many items the completed run in that row has; one without items owes nothing and gets no row."""
    items = output_items(output, agent)
    answers = len(owed_items(items, "answer"))
    elements = len({item.key for item in items if item.rank is not None})
    both = len(owed_items(items, "all"))
    if not both:
        return
    connection.execute(
        "INSERT OR IGNORE INTO owed SELECT seq, project, subject, created, ?, ?, ?, ? FROM runs WHERE seq = ?",
        (place_of(run_id), answers, elements, both, seq),
    )


def place_of(run_id: str) -> int:
    """A run's place from which random orders are made: 56 bits of a hash of its id."""
    return int.from_bytes(hashlib.sha256(run_id.encode("utf-8", "surrogatepass")).digest()[:7], "big")


def counting_is_behind(connection: sqlite3.Connection) -> bool:
    """Whether runs of an older file are still to be counted."""
    row = connection.execute("SELECT counted < before FROM owed_state").fetchone()
    return bool(row[0])


def count_older(connection: sqlite3.Connection) -> bool:
    """Counts the items of the next runs of an older file; whether there are more."""
    counted, before = connection.execute("SELECT counted, before FROM owed_state").fetchone()
    last = min(counted + BATCH, before)
    rows = connection.execute(
        "SELECT r.seq, r.id, s.kind, d.output FROM runs r JOIN subjects s ON s.seq = r.subject "
        "JOIN run_documents d ON d.run = r.seq WHERE r.seq > ? AND r.seq <= ? AND r.status = 'completed' "
        "AND r.is_replay = 0 AND d.output IS NOT NULL",
        (counted, last),
    )
    for seq, identity, kind, output in rows.fetchall():
        count_owed(connection, seq, restored(identity), kind == "agent", load_json(output))
    connection.execute("UPDATE owed_state SET counted = ?", (last,))
    return bool(last < before)
