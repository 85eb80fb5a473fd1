"""A filter of runs as SQL conditions, in branches that each follow one index (DESIGN section 15)."""

import itertools
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.local.store.subjects import find_path
from kindgi_tui.local.store.values import storable, to_ms
from kindgi_tui.workbench import Invalid

BRANCHES = 256
"""The most branches that are asked one by one; a filter with more of them follows the order of time instead."""

Condition = tuple[str, tuple[object, ...]]
"""An SQL condition with its values."""


@dataclass(frozen=True)
class Branch:
    """One part of a filter whose rows stand in order on one index."""

    source: str
    """The FROM clause; the run is `r`."""
    key: str
    """The alias whose `created` and run number order the rows: `r`, or `rp` for a path."""
    conditions: tuple[Condition, ...]
    """The conditions, each with its values."""

    def where(self) -> tuple[str, list[object]]:
        """The WHERE clause and its values."""
        return (
            " AND ".join(condition for condition, _ in self.conditions) or "1",
            [value for _, values in self.conditions for value in values],
        )

    @property
    def order(self) -> tuple[str, str]:
        """The two columns that order the rows, both descending."""
        return f"{self.key}.created", "rp.run" if self.key == "rp" else "r.seq"


def branches(
    connection: sqlite3.Connection,
    query: RunFilter,
    place: tuple[int, ...] | None = None,
    backwards: bool = False,
) -> list[Branch]:
    """The filter's branches; their rows together are the list, or what follows `place` in it. Raises Invalid.

    `place` is a row's time and number; `backwards`, what stands before it.
    """
    query = _checked(query)
    if query.comparison_id is not None:
        # A plus keeps SQLite on the comparison's own index: nothing narrows more.
        rest = [(f"+{condition}", values) for condition, values in _conditions(connection, query)]
        rest += _within(connection, query)
        of_comparison = ("r.comparison = ?", (storable(query.comparison_id),))
        return [Branch("runs r", "r", (of_comparison, *rest, *_times("r", query, place, backwards)))]
    by_path = query.segments != ()
    key, source = ("rp", "run_paths rp CROSS JOIN runs r ON r.seq = rp.run") if by_path else ("r", "runs r")
    path: list[Condition] = [("rp.path = ?", (find_path(connection, query.segments),))] if by_path else []
    rest = [*_judged_and_source(query), *_times(key, query, place, backwards)]
    return [
        Branch(
            source,
            key,
            (*path, (f"{key}.project = ?", (project,)), (f"{key}.is_replay = ?", (replay,)), *parts, *rest),
        )
        for project, replay, parts in _products(connection, query)
    ]


def _products(connection: sqlite3.Connection, query: RunFilter) -> list[tuple[int, int, list[Condition]]]:
    """What the branches differ in: the project, whether the runs are replays, and what ran, with which status."""
    projects = _projects(connection, query)
    replays = (0, 1) if query.replays == "include" else (int(query.replays == "only"),)
    column, subjects = _subjects(connection, query)
    choices: list[tuple[str, Sequence[object]]] = []
    if column is not None:
        choices.append((column, subjects))
    if query.statuses:
        choices.append(("r.status", tuple(dict.fromkeys(query.statuses))))
    count = len(projects) * len(replays)
    parts: list[list[Condition]] = [[]]
    for name, values in choices:
        count *= max(len(values), 1)
        each = [_among(name, (value,)) for value in values] if count <= BRANCHES else [_among(name, values)]
        parts = [[*before, condition] for before in parts for condition in each]
    return [
        (project, replay, conditions)
        for project, replay, conditions in itertools.product(projects, replays, parts)
    ]


def kept_counts(connection: sqlite3.Connection, query: RunFilter) -> Branch | None:
    """The filter on the kept counts, as `r`; None where only the rows can say. Raises Invalid."""
    query = _checked(query)
    if query.text or query.comparison_id or query.created_since or query.created_until:
        return None
    parts = _conditions(connection, query)
    if not query.segments:
        return Branch("run_counts r", "r", tuple(parts))
    path = find_path(connection, query.segments)
    return Branch("path_counts r", "r", (("r.path = ?", (path,)), *parts))


def row_conditions(connection: sqlite3.Connection, query: RunFilter) -> Branch:
    """The whole filter but its text as conditions on a run that is found in another way. Raises Invalid."""
    query = _checked(query)
    parts = [*_conditions(connection, query), *_times("r", query)]
    if query.comparison_id is not None:
        parts.append(("r.comparison = ?", (storable(query.comparison_id),)))
    parts += _within(connection, query)
    return Branch("runs r", "r", tuple(parts))


def _within(connection: sqlite3.Connection, query: RunFilter) -> list[Condition]:
    if not query.segments:
        return []
    started_there = (
        "EXISTS (SELECT 1 FROM run_paths rp WHERE rp.path = ? AND rp.project = r.project "
        "AND rp.is_replay = r.is_replay AND rp.created = r.created AND rp.run = r.seq)"
    )
    return [(started_there, (find_path(connection, query.segments),))]


def _checked(query: RunFilter) -> RunFilter:
    if query.subject_version is not None and query.subject_id is None:
        raise Invalid("`agentVersion` needs `agentId`.", field="agentVersion")
    if query.comparison_id is not None and query.replays == "exclude":
        return query.model_copy(update={"replays": "include"})
    return query


def _conditions(connection: sqlite3.Connection, query: RunFilter) -> list[Condition]:
    """All but the path, the comparison, the times and the text: what the kept counts know too."""
    parts: list[Condition] = []
    if query.project_id is not None:
        parts.append(_among("r.project", _projects(connection, query)))
    if query.replays != "include":
        parts.append(("r.is_replay = ?", (int(query.replays == "only"),)))
    column, subjects = _subjects(connection, query)
    if column is not None:
        parts.append(_among(column, subjects))
    if query.statuses:
        parts.append(_among("r.status", query.statuses))
    return [*parts, *_judged_and_source(query)]


def _judged_and_source(query: RunFilter) -> list[Condition]:
    parts: list[Condition] = []
    if query.judged is not None:
        parts.append(("r.judged = ?", (int(query.judged),)))
    if query.source is not None:
        parts.append(("r.source = ?", (storable(query.source),)))
    return parts


def _times(
    key: str, query: RunFilter, place: tuple[int, ...] | None = None, backwards: bool = False
) -> list[Condition]:
    """The times asked for and the place in the list, as one lower and one upper bound, which an index can follow."""
    lower = [place] if place is not None and backwards else []
    upper = [place] if place is not None and not backwards else []
    # Rows are numbered from 1, so that 0 stands before every row of a time.
    if query.created_since is not None:
        lower.append((to_ms(query.created_since), 0))
    if query.created_until is not None:
        upper.append((to_ms(query.created_until), 0))
    columns = f"({key}.created, {'rp.run' if key == 'rp' else 'r.seq'})"
    parts: list[Condition] = [(f"{columns} > (?, ?)", tuple(max(lower)))] if lower else []
    if upper:
        parts.append((f"{columns} < (?, ?)", tuple(min(upper))))
    return parts


def _projects(connection: sqlite3.Connection, query: RunFilter) -> list[int]:
    if query.project_id is None:
        return [row[0] for row in connection.execute("SELECT seq FROM projects")]
    rows = connection.execute("SELECT seq FROM projects WHERE id = ?", (storable(query.project_id),))
    return [row[0] for row in rows]


def _among(column: str, values: Sequence[object]) -> Condition:
    if len(values) == 1:
        return f"{column} = ?", (values[0],)
    return f"{column} IN ({', '.join('?' * len(values))})", tuple(values)


def _subjects(connection: sqlite3.Connection, query: RunFilter) -> tuple[str | None, list[int]]:
    """The column that says what ran, with its row numbers; no column when the filter doesn't ask."""
    kind = query.subject_kind
    if query.subject_id is None:
        if kind is None:
            return None, []
        rows = connection.execute("SELECT seq FROM subjects WHERE kind = ?", (kind,)).fetchall()
        return "r.subject", [row[0] for row in rows]
    rows = connection.execute(
        "SELECT seq FROM subjects WHERE id = ?1 AND (?2 IS NULL OR kind = ?2)",
        (storable(query.subject_id), kind),
    ).fetchall()
    if query.subject_version is None:
        return "r.subject", [row[0] for row in rows]
    version = storable(query.subject_version)
    return "r.subject_version", [
        row[0]
        for (subject,) in rows
        for row in connection.execute(
            "SELECT seq FROM subject_versions WHERE subject = ? AND version = ?", (subject, version)
        )
    ]
