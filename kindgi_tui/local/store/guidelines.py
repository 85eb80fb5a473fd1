"""Guidelines of judging in the store, version by version, and which items of an agent's runs are to be judged."""

import sqlite3

from kindgi_tui.domain.judging import GUIDELINE_LIMIT, OWED, Guideline, Owed
from kindgi_tui.domain.runs import SubjectKind
from kindgi_tui.local.store.projects import project_seq
from kindgi_tui.local.store.values import from_ms, now_ms, restored, storable
from kindgi_tui.workbench import Invalid, NotFound

_COLUMNS = "g.version, g.text, g.created, g.created_by"


def newest_guideline(
    connection: sqlite3.Connection, project_id: str, kind: SubjectKind, subject_id: str
) -> Guideline | None:
    """The newest version; None while there is none. Raises NotFound (project)."""
    found = _rows(connection, project_id, kind, subject_id, 1)
    return found[0] if found else None


def guideline_versions(
    connection: sqlite3.Connection, project_id: str, kind: SubjectKind, subject_id: str
) -> tuple[Guideline, ...]:
    """Every version, newest first. Raises NotFound (project)."""
    return _rows(connection, project_id, kind, subject_id, -1)


def _rows(
    connection: sqlite3.Connection, project_id: str, kind: SubjectKind, subject_id: str, limit: int
) -> tuple[Guideline, ...]:
    project = project_seq(connection, project_id)
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM subjects s JOIN guidelines g ON g.project = ? AND g.subject = s.seq "
        "WHERE s.kind = ? AND s.id = ? ORDER BY g.version DESC LIMIT ?",
        (project, kind, storable(subject_id), limit),
    ).fetchall()
    return tuple(
        Guideline(
            subject_id=subject_id,
            version=version,
            text=restored(text),
            created_at=from_ms(created),
            created_by=restored(who),
        )
        for version, text, created, who in rows
    )


def save_guideline(
    connection: sqlite3.Connection,
    project_id: str,
    kind: SubjectKind,
    subject_id: str,
    text: str,
    person: str,
) -> Guideline:
    """Saves a new version; the same text as the newest one makes none. Raises Invalid, NotFound."""
    if len(text) > GUIDELINE_LIMIT:
        raise Invalid(
            f"A guideline has at most {GUIDELINE_LIMIT:,} characters; this one has {len(text):,}.",
            field="text",
        )
    newest = newest_guideline(connection, project_id, kind, subject_id)
    if newest is not None and newest.text == text:
        return newest
    connection.execute(
        "INSERT INTO guidelines (project, subject, version, text, created, created_by) VALUES (?, ?, ?, ?, ?, ?)",
        (
            project_seq(connection, project_id),
            _subject(connection, kind, subject_id),
            1 if newest is None else newest.version + 1,
            storable(text),
            now_ms(),
            storable(person),
        ),
    )
    saved = newest_guideline(connection, project_id, kind, subject_id)
    assert saved is not None
    return saved


def _subject(connection: sqlite3.Connection, kind: SubjectKind, subject_id: str) -> int:
    row = connection.execute(
        "SELECT seq FROM subjects WHERE kind = ? AND id = ?", (kind, storable(subject_id))
    ).fetchone()
    if row is None:
        raise NotFound(
            f'No run of the {kind} "{subject_id}" is here, so that there is nothing to judge of it yet.'
        )
    return int(row[0])


def owed_setting(connection: sqlite3.Connection, project_id: str, kind: SubjectKind, subject_id: str) -> Owed:
    """Which items of its runs are to be judged. Raises NotFound (project)."""
    row = connection.execute(
        "SELECT o.owed FROM subjects s JOIN judging_settings o ON o.project = ? AND o.subject = s.seq "
        "WHERE s.kind = ? AND s.id = ?",
        (project_seq(connection, project_id), kind, storable(subject_id)),
    ).fetchone()
    return next((each for each in OWED if row is not None and each == row[0]), "elements")


def set_owed(
    connection: sqlite3.Connection, project_id: str, kind: SubjectKind, subject_id: str, owed: Owed
) -> None:
    """Sets which items of its runs are to be judged. Raises Invalid, NotFound."""
    if owed not in OWED:
        raise Invalid(f"What is judged is one of {', '.join(OWED)}.", field="owed")
    project, subject = project_seq(connection, project_id), _subject(connection, kind, subject_id)
    connection.execute("INSERT OR REPLACE INTO judging_settings VALUES (?, ?, ?)", (project, subject, owed))
    # What was done may owe something now: the queue is looked through from its start again.
    connection.execute("DELETE FROM queue_marks WHERE project = ? AND subject IN (0, ?)", (project, subject))
