"""Row numbers of what ran, and of the paths it ran in: made once, then looked up."""

import sqlite3
from functools import lru_cache

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.runs import Segment, Subject
from kindgi_tui.local.store.values import dump_json, load_json, storable


def subject_rows(connection: sqlite3.Connection, subject: Subject) -> tuple[int, int]:
    """The row numbers of a subject and of its version, made when new."""
    kind_and_id = (subject.kind, storable(subject.id))
    row = connection.execute("SELECT seq FROM subjects WHERE kind = ? AND id = ?", kind_and_id).fetchone()
    if row is None:
        row = connection.execute(
            "INSERT INTO subjects (kind, id) VALUES (?, ?) RETURNING seq", kind_and_id
        ).fetchone()
    version = (int(row[0]), storable(subject.version))
    found = connection.execute(
        "SELECT seq FROM subject_versions WHERE subject = ? AND version = ?", version
    ).fetchone()
    if found is None:
        found = connection.execute(
            "INSERT INTO subject_versions (subject, version) VALUES (?, ?) RETURNING seq", version
        ).fetchone()
    return int(row[0]), int(found[0])


def segments_text(segments: tuple[Segment, ...]) -> str:
    """A path as it is stored: a JSON list of `[key, value]` pairs."""
    pairs: list[Json] = [[segment.key, segment.value] for segment in segments]
    return dump_json(pairs)


@lru_cache(4096)
def segments_of(stored: str | None) -> tuple[Segment, ...]:
    """The path stored as that text."""
    pairs = load_json(stored) if stored else []
    return tuple(
        Segment(key=str(pair[0]), value=str(pair[1]))
        for pair in (pairs if isinstance(pairs, list) else [])
        if isinstance(pair, list)
    )


def path_rows(connection: sqlite3.Connection, segments: tuple[Segment, ...]) -> list[int]:
    """The row numbers of a path's every beginning, from the first segment to the whole, made when new."""
    rows: list[int] = []
    for length in range(1, len(segments) + 1):
        path = segments_text(segments[:length])
        row = connection.execute("SELECT seq FROM paths WHERE path = ?", (path,)).fetchone()
        if row is None:
            row = connection.execute("INSERT INTO paths (path) VALUES (?) RETURNING seq", (path,)).fetchone()
            connection.executemany(
                "INSERT INTO path_ancestors VALUES (?, ?)", [(row[0], each) for each in (*rows, row[0])]
            )
        rows.append(int(row[0]))
    return rows


def find_path(connection: sqlite3.Connection, segments: tuple[Segment, ...]) -> int:
    """The row number of a path; -1 when no run was started in it."""
    row = connection.execute("SELECT seq FROM paths WHERE path = ?", (segments_text(segments),)).fetchone()
    return int(row[0]) if row is not None else -1
