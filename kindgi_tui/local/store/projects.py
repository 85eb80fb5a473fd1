"""Projects in the store."""

import re
import sqlite3

from kindgi_tui.domain.projects import Project
from kindgi_tui.local.store.values import from_ms, new_id, now_ms, restored, storable
from kindgi_tui.workbench import Conflict, Invalid, NotFound

_COLUMNS = "id, slug, name, is_default, created"
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def _project(row: tuple[str, str, str, int, int]) -> Project:
    identity, slug, name, is_default, created = row
    return Project(
        id=identity, slug=slug, name=restored(name), is_default=bool(is_default), created_at=from_ms(created)
    )


def list_projects(connection: sqlite3.Connection) -> tuple[Project, ...]:
    """All projects, the default one first, then by name."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM projects ORDER BY is_default DESC, name").fetchall()
    return tuple(map(_project, rows))


def get_project(connection: sqlite3.Connection, reference: str | None) -> Project:
    """The project with that id, slug or name, or the default one. Raises NotFound."""
    if reference is None:
        row = connection.execute(f"SELECT {_COLUMNS} FROM projects WHERE is_default = 1").fetchone()
    else:
        text = storable(reference)
        row = connection.execute(
            f"SELECT {_COLUMNS} FROM projects WHERE id = ?1 OR slug = ?1 OR name = ?1 "
            "ORDER BY (id = ?1) DESC, (slug = ?1) DESC LIMIT 1",
            (text,),
        ).fetchone()
    if row is None:
        raise NotFound(
            f'No project is called "{reference}". `kindgi-tui projects list` shows them all.',
            code="project-not-found",
        )
    return _project(row)


def project_seq(connection: sqlite3.Connection, project_id: str) -> int:
    """A project's row number. Raises NotFound."""
    row = connection.execute("SELECT seq FROM projects WHERE id = ?", (storable(project_id),)).fetchone()
    if row is None:
        raise NotFound(f'No project with id "{project_id}" in this workspace.', code="project-not-found")
    return int(row[0])


def add_project(
    connection: sqlite3.Connection, name: str, slug: str | None, project_id: str | None = None
) -> Project:
    """Makes a project; the first one is the default. Raises Conflict, Invalid."""
    if not name.strip() or len(name) > 100:
        raise Invalid("A project's name has 1 to 100 characters.", field="name")
    chosen = slug if slug is not None else re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:63]
    if not _SLUG.fullmatch(chosen):
        raise Invalid(
            "A project's slug has lowercase letters, digits and -, at most 63: give one with --slug.",
            field="slug",
        )
    first = connection.execute("SELECT count(*) FROM projects").fetchone()[0] == 0
    try:
        connection.execute(
            "INSERT INTO projects (id, slug, name, is_default, created) VALUES (?, ?, ?, ?, ?)",
            (project_id or new_id(), chosen, storable(name), int(first), now_ms()),
        )
    except sqlite3.IntegrityError:
        raise Conflict(
            f'A project with the name "{name}" or the slug "{chosen}" is there already. Choose another.',
            code="project-exists",
        ) from None
    return get_project(connection, chosen)


def use_project(connection: sqlite3.Connection, reference: str) -> Project:
    """Makes a project the default one. Raises NotFound."""
    project = get_project(connection, reference)
    connection.execute("UPDATE projects SET is_default = 0 WHERE is_default = 1")
    connection.execute("UPDATE projects SET is_default = 1 WHERE id = ?", (project.id,))
    return get_project(connection, project.id)
