"""Runs in the store: written once, read by id or in pages."""

import sqlite3
from collections.abc import Iterable
from functools import lru_cache

from kindgi_tui.domain.runs import Run, RunDetail, Subject
from kindgi_tui.local.store.owed import count_owed
from kindgi_tui.local.store.projects import project_seq
from kindgi_tui.local.store.search_text import preview_of
from kindgi_tui.local.store.subjects import path_rows, segments_of, segments_text, subject_rows
from kindgi_tui.local.store.values import (
    dump_json,
    from_ms,
    load_json,
    restored,
    restored_or_none,
    storable,
    storable_or_none,
    to_ms,
)
from kindgi_tui.workbench import Invalid, NotFound

RUN_COLUMNS = (
    "r.seq, r.id, p.id, s.kind, s.id, v.version, r.status, r.created, r.completed, r.segments, r.conversation, "
    "r.replay_of, r.comparison, r.failure, r.source, r.judgments, r.preview"
)
"""What a listed run is read from, in the order `run_fields` takes it."""

RUN_JOINS = (
    "JOIN projects p ON p.seq = r.project JOIN subjects s ON s.seq = r.subject "
    "JOIN subject_versions v ON v.seq = r.subject_version"
)
"""The joins those columns need."""


def run_fields(row: tuple[object, ...]) -> dict[str, object]:
    """A row of RUN_COLUMNS as the fields of a Run."""
    (
        _,
        identity,
        project,
        kind,
        subject,
        version,
        status,
        created,
        completed,
        segments,
        conversation,
        replay_of,
        comparison,
        failure,
        source,
        judgments,
        preview,
    ) = row
    return {
        "id": restored(str(identity)),
        "project_id": project,
        "subject": _subject(str(kind), str(subject), str(version)),
        "status": status,
        "created_at": from_ms(int(str(created))),
        "completed_at": None if completed is None else from_ms(int(str(completed))),
        "segments": segments_of(None if segments is None else str(segments)),
        "conversation_id": restored_or_none(None if conversation is None else str(conversation)),
        "replay_of": restored_or_none(None if replay_of is None else str(replay_of)),
        "comparison_id": restored_or_none(None if comparison is None else str(comparison)),
        "failure": restored_or_none(None if failure is None else str(failure)),
        "source": restored(str(source)),
        "judgments": judgments,
        "preview": preview,
    }


@lru_cache(4096)
def _subject(kind: str, identity: str, version: str) -> Subject:
    return Subject.model_construct(
        kind="flow" if kind == "flow" else "agent", id=restored(identity), version=restored(version)
    )


def insert_run(connection: sqlite3.Connection, run: RunDetail) -> bool:
    """Writes a run down; False when its id is known, and then nothing is changed. Raises NotFound (project)."""
    known = connection.execute("SELECT 1 FROM runs WHERE id = ?", (storable(run.id),)).fetchone()
    if known is not None:
        return False
    project = project_seq(connection, run.project_id)
    subject, version = subject_rows(connection, run.subject)
    paths = path_rows(connection, run.segments)
    is_replay = int(run.replay_of is not None)
    created = to_ms(run.created_at)
    row = connection.execute(
        "INSERT INTO runs (id, project, subject, subject_version, status, created, completed, segments, path, "
        "conversation, replay_of, comparison, is_replay, failure, source, preview) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
        (
            storable(run.id),
            project,
            subject,
            version,
            run.status,
            created,
            None if run.completed_at is None else to_ms(run.completed_at),
            segments_text(run.segments) if run.segments else None,
            paths[-1] if paths else None,
            storable_or_none(run.conversation_id),
            storable_or_none(run.replay_of),
            storable_or_none(run.comparison_id),
            is_replay,
            storable_or_none(run.failure),
            storable(run.source),
            preview_of(run.input),
        ),
    ).fetchone()
    seq = int(row[0])
    connection.executemany(
        "INSERT INTO run_paths VALUES (?, ?, ?, ?, ?)",
        [(path, project, is_replay, created, seq) for path in paths],
    )
    connection.execute(
        "INSERT INTO run_documents VALUES (?, ?, ?, ?, ?)",
        (
            seq,
            dump_json(run.input),
            None if run.output is None else dump_json(run.output),
            dump_json(run.context),
            None if run.raw is None else dump_json(run.raw),
        ),
    )
    if run.status == "completed" and not is_replay:
        count_owed(connection, seq, run.id, run.subject.kind == "agent", run.output)
    return True


def insert_runs(connection: sqlite3.Connection, runs: Iterable[RunDetail]) -> tuple[list[str], list[str]]:
    """Writes runs down; gives the ids of the new ones and of those that were known."""
    added: list[str] = []
    known: list[str] = []
    for run in runs:
        (added if insert_run(connection, run) else known).append(run.id)
    return added, known


def run_seq(connection: sqlite3.Connection, reference: str) -> int:
    """The row number of the run with that id, or the one id that begins so. Raises NotFound, Invalid."""
    text = storable(reference)
    row = connection.execute("SELECT seq FROM runs WHERE id = ?", (text,)).fetchone()
    if row is None and len(text) >= 8:
        rows = connection.execute(
            "SELECT seq FROM runs WHERE id >= ?1 AND id < ?1 || char(1114111) LIMIT 2", (text,)
        ).fetchall()
        if len(rows) > 1:
            raise Invalid(f'Several runs begin with "{reference}": give more of the id.', field="run")
        row = rows[0] if rows else None
    if row is None:
        raise NotFound(
            f"No run with id {reference}. `kindgi-tui runs list` shows them.", code="run-not-found"
        )
    return int(row[0])


def get_run(connection: sqlite3.Connection, reference: str) -> RunDetail:
    """One run, whole. Raises NotFound."""
    return read_run(connection, run_seq(connection, reference))


def read_run(connection: sqlite3.Connection, seq: int) -> RunDetail:
    """The run in that row, whole."""
    row = connection.execute(
        f"SELECT {RUN_COLUMNS} FROM runs r {RUN_JOINS} WHERE r.seq = ?", (seq,)
    ).fetchone()
    given, output, context, raw = connection.execute(
        "SELECT input, output, context, raw FROM run_documents WHERE run = ?", (seq,)
    ).fetchone()
    return RunDetail.model_validate(
        {
            **run_fields(row),
            "input": load_json(given),
            "output": None if output is None else load_json(output),
            "context": load_json(context),
            "raw": None if raw is None else load_json(raw),
        }
    )


def listed_run(row: tuple[object, ...]) -> Run:
    """A row of RUN_COLUMNS as a run of a list; the store is trusted, so nothing is validated again."""
    return Run.model_construct(**run_fields(row))  # type: ignore[arg-type]
