"""A filter of runs as SQL conditions, in branches that each follow one index (DESIGN section 15)."""

import itertools
import sqlite3
from dataclasses import dataclass

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.local.store.subjects import find_path, paths_below
from kindgi_tui.local.store.values import storable, to_ms
from kindgi_tui.workbench import Invalid


@dataclass(frozen=True)
class Branch:
    """One part of a filter whose rows stand in order on one index."""

    source: str
    """The FROM clause; the run is `r`."""
    key: str
    """The alias whose `created` and run number order the rows: `r`, or `rp` for a path."""
    conditions: tuple[tuple[str, tuple[object, ...]], ...]
    """The conditions, each with its values."""

    def where(self, *more: tuple[str, tuple[object, ...]]) -> tuple[str, list[object]]:
        """The WHERE clause, with further conditions, and its values."""
        every = (*self.conditions, *more)
        return (
            " AND ".join(condition for condition, _ in every) or "1",
            [value for _, values in every for value in values],
        )


def checked(query: RunFilter) -> RunFilter:
    """The filter as it is meant: naming a comparison includes replays. Raises Invalid."""
    if query.subject_version is not None and query.subject_id is None:
        raise Invalid("`agentVersion` needs `agentId`.", field="agentVersion")
    if query.comparison_id is not None and query.replays == "exclude":
        return query.model_copy(update={"replays": "include"})
    return query


def branches(connection: sqlite3.Connection, query: RunFilter) -> list[Branch]:
    """The filter's branches; their rows together are the list. Raises Invalid."""
    query = checked(query)
    if query.comparison_id is not None:
        common = [*_project_condition(connection, query), *_common(connection, query)]
        statuses = _among("r.status", query.statuses)
        replay: list[tuple[str, tuple[object, ...]]] = (
            [("r.is_replay = 1", ())] if query.replays == "only" else []
        )
        of_comparison = ("r.comparison = ?", (query.comparison_id,))
        return [Branch("runs r", "r", (of_comparison, *common, *statuses, *replay))]
    key, source = (
        ("rp", "run_paths rp CROSS JOIN runs r ON r.seq = rp.run") if query.segments else ("r", "runs r")
    )
    path: list[tuple[str, tuple[object, ...]]] = (
        [("rp.path = ?", (find_path(connection, query.segments),))] if query.segments else []
    )
    common = _common(connection, query, key)
    replays = (0, 1) if query.replays == "include" else (int(query.replays == "only"),)
    return [
        Branch(
            source,
            key,
            (
                *path,
                (f"{key}.project = ?", (project,)),
                (f"{key}.is_replay = ?", (replay_of,)),
                *common,
                *([("r.status = ?", (status,))] if status is not None else []),
            ),
        )
        for project, replay_of, status in itertools.product(
            _projects(connection, query), replays, query.statuses or (None,)
        )
    ]


def count_conditions(connection: sqlite3.Connection, query: RunFilter) -> tuple[str, list[object]] | None:
    """The filter as conditions on the kept counts; None where only the rows can say."""
    query = checked(query)
    if query.text or query.comparison_id or query.created_since or query.created_until:
        return None
    parts = [
        *_project_condition(connection, query),
        *_common(connection, query),
        *_among("r.status", query.statuses),
    ]
    if query.replays != "include":
        parts.append(("r.is_replay = ?", (int(query.replays == "only"),)))
    if query.segments:
        parts += _among("r.path", paths_below(connection, query.segments), always=True)
    return Branch("run_counts r", "r", tuple(parts)).where()


def _projects(connection: sqlite3.Connection, query: RunFilter) -> list[int]:
    if query.project_id is None:
        return [row[0] for row in connection.execute("SELECT seq FROM projects")]
    rows = connection.execute("SELECT seq FROM projects WHERE id = ?", (storable(query.project_id),))
    return [row[0] for row in rows]


def _project_condition(
    connection: sqlite3.Connection, query: RunFilter
) -> list[tuple[str, tuple[object, ...]]]:
    return [] if query.project_id is None else _among("r.project", _projects(connection, query), always=True)


def _among(
    column: str, values: "list[int] | tuple[str, ...]", always: bool = False
) -> list[tuple[str, tuple[object, ...]]]:
    if not values and not always:
        return []
    if len(values) == 1:
        return [(f"{column} = ?", (values[0],))]
    return [(f"{column} IN ({', '.join('?' * len(values))})", tuple(values))]


def _common(
    connection: sqlite3.Connection, query: RunFilter, key: str = "r"
) -> list[tuple[str, tuple[object, ...]]]:
    found = _subject(connection, query)
    if query.judged is not None:
        found.append(("r.judged = ?", (int(query.judged),)))
    if query.created_since is not None:
        found.append((f"{key}.created >= ?", (to_ms(query.created_since),)))
    if query.created_until is not None:
        found.append((f"{key}.created < ?", (to_ms(query.created_until),)))
    if query.source is not None:
        found.append(("r.source = ?", (query.source,)))
        if query.source != "recorded":
            # Says what the partial index on sources says, so that SQLite takes it.
            found.append(("r.source <> 'recorded'", ()))
    return found


def _subject(connection: sqlite3.Connection, query: RunFilter) -> list[tuple[str, tuple[object, ...]]]:
    kind = query.subject_kind
    if query.subject_id is None:
        if kind is None:
            return []
        rows = connection.execute("SELECT seq FROM subjects WHERE kind = ?", (kind,)).fetchall()
        return _among("r.subject", [row[0] for row in rows], always=True)
    rows = connection.execute(
        "SELECT seq FROM subjects WHERE id = ?1 AND (?2 IS NULL OR kind = ?2)",
        (storable(query.subject_id), kind),
    ).fetchall()
    subjects = [row[0] for row in rows]
    if query.subject_version is None:
        return _among("r.subject", subjects, always=True)
    versions = [
        row[0]
        for subject in subjects
        for row in connection.execute(
            "SELECT seq FROM subject_versions WHERE subject = ? AND version = ?",
            (subject, storable(query.subject_version)),
        )
    ]
    return _among("r.subject_version", versions, always=True)
