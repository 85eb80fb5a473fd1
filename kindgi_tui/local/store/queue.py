"""The queue of runs that owe a person a verdict, out of any number of runs (DESIGN sections 12 and 15).

Nothing here reads the runs a person is done with one by one: `owed` has a row per run that can be judged, `judged_by`
one per run they judged something of, and a mark says up to where they owe nothing any more.
"""

import hashlib
import sqlite3
from collections.abc import Iterable

from kindgi_tui.domain.judging import QueuedRun, QueueFilter, QueueProgress, QueueState
from kindgi_tui.domain.runs import Run
from kindgi_tui.local.store.projects import project_seq
from kindgi_tui.local.store.runs import RUN_COLUMNS, RUN_JOINS, listed_run, run_seq
from kindgi_tui.local.store.subjects import find_path
from kindgi_tui.local.store.values import (
    checked_limit,
    cursor_of,
    keys_of,
    now_ms,
    storable,
)
from kindgi_tui.workbench import Page

BUCKETS = 256
"""Parts a random order goes through one by one: only one part's runs are put in order at a time."""

_BUCKET_BITS = 48

MARK_BEHIND = 200
"""A mark is moved on when more runs than this stand between it and the first that owes something."""

OWED = (
    "CASE ifnull(s.owed, 'elements') WHEN 'answer' THEN o.answers WHEN 'all' THEN o.both "
    "ELSE CASE WHEN o.elements > 0 THEN o.elements ELSE o.answers END END"
)
"""How many items of the run `o` are to be judged, by its agent's setting `s`."""

JUDGED = (
    "CASE ifnull(s.owed, 'elements') WHEN 'answer' THEN ifnull(j.answers, 0) "
    "WHEN 'all' THEN ifnull(j.answers + j.elements, 0) "
    "ELSE CASE WHEN o.elements > 0 THEN ifnull(j.elements, 0) ELSE ifnull(j.answers, 0) END END"
)
"""How many of those the person of `j` has judged."""

MINE = (
    "LEFT JOIN judging_settings s ON s.project = o.project AND s.subject = o.subject "
    "LEFT JOIN judged_by j ON j.person = :person AND j.run = o.run "
    "LEFT JOIN skips k ON k.person = :person AND k.run = o.run"
)
"""What the person said, skipped and is asked for of the run `o`."""

_OPEN = f"k.run IS NULL AND {OWED} > {JUDGED}"


class Scope:
    """A filter on `owed o` in SQL: its source and conditions, and where the person's mark stands in it."""

    def __init__(self, connection: sqlite3.Connection, query: QueueFilter, person: str) -> None:
        self.project = project_seq(connection, query.project_id)
        self.subjects = _subjects(connection, query)
        self.path = find_path(connection, query.segments) if query.segments else None
        self.values: dict[str, object] = {"person": storable(person), "project": self.project}
        conditions = ["o.project = :project"]
        self.source, self.created = "owed o", "o.created"
        if self.path is not None:
            self.source = "run_paths rp CROSS JOIN owed o ON o.run = rp.run"
            self.created = "rp.created"
            self.values["path"] = self.path
            conditions = ["rp.path = :path", "rp.project = :project", "rp.is_replay = 0"]
        if self.subjects is not None:
            # One agent's runs stand in order on one index; several (an id of an agent and of a flow) are rare.
            conditions.append(
                "o.subject = " + str(self.subjects[0])
                if len(self.subjects) == 1
                else f"o.subject IN ({', '.join(map(str, self.subjects))})"
            )
        self.where = " AND ".join(conditions)

    @property
    def run(self) -> str:
        """The column of the run's number that orders with `created`."""
        return "o.run" if self.path is None else "rp.run"

    def mark(self, connection: sqlite3.Connection) -> tuple[int, int]:
        """Up to where the person owes nothing: the farthest mark that covers the filter."""
        subject = self.subjects[0] if self.subjects is not None and len(self.subjects) == 1 else 0
        rows = connection.execute(
            "SELECT created, run FROM queue_marks WHERE person = :person AND project = :project "
            "AND subject IN (0, :subject)",
            {**self.values, "subject": subject},
        ).fetchall()
        return max([(int(row[0]), int(row[1])) for row in rows], default=(-(2**62), 0))

    @property
    def mark_subject(self) -> int | None:
        """Which mark this filter moves: 0 for a whole project's; None when it moves none."""
        if self.path is not None:
            return None
        if self.subjects is None:
            return 0
        return self.subjects[0] if len(self.subjects) == 1 else None


def _subjects(connection: sqlite3.Connection, query: QueueFilter) -> tuple[int, ...] | None:
    if query.subject_id is None and query.subject_kind is None:
        return None
    rows = connection.execute(
        "SELECT seq FROM subjects WHERE (?1 IS NULL OR id = ?1) AND (?2 IS NULL OR kind = ?2)",
        (None if query.subject_id is None else storable(query.subject_id), query.subject_kind),
    ).fetchall()
    return tuple(int(row[0]) for row in rows) or (-1,)


def list_queue(
    connection: sqlite3.Connection, query: QueueFilter, person: str, limit: int, cursor: str | None
) -> Page[QueuedRun]:
    """A page of the runs that owe this person a verdict, in the filter's order. Raises Invalid, NotFound."""
    checked_limit(limit)
    scope = Scope(connection, query, person)
    if query.order == "random":
        return _random_page(connection, scope, query.seed, limit, cursor)
    after = keys_of(cursor, 2) if cursor is not None else scope.mark(connection)
    rows = connection.execute(
        oldest_sql(scope), {**scope.values, "created": after[0], "run": after[1], "limit": limit + 1}
    ).fetchall()
    more = len(rows) > limit
    taken = rows[:limit]
    return Page(
        data=_queued(connection, [(row[1], row[2], row[3]) for row in taken]),
        has_more=more,
        next_cursor=cursor_of(taken[-1][0], taken[-1][1]) if more else None,
    )


def oldest_sql(scope: Scope) -> str:
    """The statement that finds the next runs, oldest first, from a place on."""
    return (
        f"SELECT {scope.created}, o.run, {OWED}, {JUDGED} FROM {scope.source} {MINE} WHERE {scope.where} "
        f"AND ({scope.created}, {scope.run}) > (:created, :run) AND {_OPEN} "
        f"ORDER BY {scope.created}, {scope.run} LIMIT :limit"
    )


def mark_is_behind(connection: sqlite3.Connection, query: QueueFilter, person: str) -> bool:
    """Whether many runs that owe nothing stand between the person's mark and the first that does."""
    scope = Scope(connection, query, person)
    if query.order != "oldest" or scope.mark_subject is None:
        return False
    mark = scope.mark(connection)
    last = _before_first(connection, scope, mark)
    passed = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM owed o WHERE {scope.where} AND (o.created, o.run) > (:created, :run) "
        "AND (o.created, o.run) <= (:last_created, :last_run) LIMIT :limit)",
        {
            **scope.values, "created": mark[0], "run": mark[1], "last_created": last[0], "last_run": last[1],
            "limit": MARK_BEHIND + 1,
        },
    ).fetchone()  # fmt: skip
    return bool(passed[0] > MARK_BEHIND)


def move_mark(connection: sqlite3.Connection, query: QueueFilter, person: str) -> None:
    """Moves the person's mark on to the last run before the first that owes something."""
    scope = Scope(connection, query, person)
    if scope.mark_subject is None:
        return
    last = _before_first(connection, scope, scope.mark(connection))
    connection.execute(
        "INSERT OR REPLACE INTO queue_marks VALUES (:person, :project, :subject, :created, :run)",
        {**scope.values, "subject": scope.mark_subject, "created": last[0], "run": last[1]},
    )


def _before_first(connection: sqlite3.Connection, scope: Scope, mark: tuple[int, int]) -> tuple[int, int]:
    first = connection.execute(
        oldest_sql(scope), {**scope.values, "created": mark[0], "run": mark[1], "limit": 1}
    ).fetchone()
    if first is not None:
        return int(first[0]), int(first[1]) - 1
    last = connection.execute(
        f"SELECT o.created, o.run FROM owed o WHERE {scope.where} ORDER BY o.created DESC, o.run DESC LIMIT 1",
        scope.values,
    ).fetchone()
    return mark if last is None else (int(last[0]), int(last[1]))


def _order_of(seed: str, name: int) -> int:
    text = f"{seed}:{name}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "big")


def _random_page(
    connection: sqlite3.Connection, scope: Scope, seed: str, limit: int, cursor: str | None
) -> Page[QueuedRun]:
    """Buckets in the order of the seed, and each one's runs in the order of the seed."""
    bucket_at, after = keys_of(cursor, 2) if cursor is not None else (0, -1)
    buckets = sorted(range(BUCKETS), key=lambda bucket: _order_of(seed, -1 - bucket))
    if scope.path is not None:
        # A path's runs stand on an index by time alone: all that are open are put in order at once.
        buckets = [-1]
    found: list[tuple[int, int, int, int, int]] = []
    for number in range(bucket_at, len(buckets)):
        rows = connection.execute(random_sql(scope), {**scope.values, **_range(buckets[number])})
        ordered = sorted((_order_of(seed, row[0]), *row[1:]) for row in rows)
        found += [(number, *row) for row in ordered if number > bucket_at or row[0] > after]
        if len(found) > limit:
            break
    more = len(found) > limit
    taken = found[:limit]
    return Page(
        data=_queued(connection, [row[2:] for row in taken]),
        has_more=more,
        next_cursor=cursor_of(taken[-1][0], taken[-1][1]) if more else None,
    )


def _range(bucket: int) -> dict[str, object]:
    if bucket < 0:
        return {"low": 0, "high": 1 << 62}
    return {"low": bucket << _BUCKET_BITS, "high": (bucket + 1) << _BUCKET_BITS}


def random_sql(scope: Scope) -> str:
    """The statement that finds the open runs of a range of places."""
    return (
        f"SELECT o.place, o.run, {OWED}, {JUDGED} FROM {scope.source} {MINE} WHERE {scope.where} "
        f"AND o.place >= :low AND o.place < :high AND {_OPEN}"
    )


def _queued(connection: sqlite3.Connection, found: list[tuple[int, int, int]]) -> tuple[QueuedRun, ...]:
    listed = listed_runs(connection, [run for run, _, _ in found])
    return tuple(
        QueuedRun(
            run=listed[run],
            owed=owed,
            judged=min(judged, owed),
            state=QueueState(said=listed[run].judgments),
        )
        for run, owed, judged in found
    )


def listed_runs(connection: sqlite3.Connection, seqs: Iterable[int]) -> dict[int, Run]:
    """The runs in these rows, as lists show them."""
    found: dict[int, Run] = {}
    for seq in seqs:
        row = connection.execute(
            f"SELECT {RUN_COLUMNS} FROM runs r {RUN_JOINS} WHERE r.seq = ?", (seq,)
        ).fetchone()
        found[seq] = listed_run(row)
    return found


def queue_progress(connection: sqlite3.Connection, query: QueueFilter, person: str) -> QueueProgress:
    """How far the person is: what is kept for all runs, less what they judged or skipped themselves."""
    scope = Scope(connection, query, person)
    open_items = f"max({OWED} - {JUDGED}, 0)"
    done = f"{OWED} > 0 AND {OWED} <= {JUDGED}"
    if scope.path is not None:
        row = connection.execute(
            f"SELECT ifnull(sum({_OPEN}), 0), ifnull(sum(iif({_OPEN}, {open_items}, 0)), 0), "
            f"ifnull(sum(k.run IS NOT NULL AND {OWED} > {JUDGED}), 0), ifnull(sum({done}), 0) "
            f"FROM {scope.source} {MINE} WHERE {scope.where}",
            scope.values,
        ).fetchone()
        return QueueProgress(left=row[0], items_left=row[1], skipped=row[2], judged=row[3])
    mode = "ifnull(s.owed, 'elements')"
    runs, items = connection.execute(
        f"SELECT ifnull(sum(CASE {mode} WHEN 'answer' THEN o.answered ELSE o.runs END), 0), "
        f"ifnull(sum(CASE {mode} WHEN 'answer' THEN o.answered WHEN 'all' THEN o.both ELSE o.items END), 0) "
        "FROM owed_counts o LEFT JOIN judging_settings s ON s.project = o.project AND s.subject = o.subject "
        f"WHERE {scope.where}",
        scope.values,
    ).fetchone()
    judged, said = connection.execute(
        f"SELECT ifnull(sum({done}), 0), ifnull(sum(min({OWED}, {JUDGED})), 0) FROM judged_by j "
        "CROSS JOIN owed o ON o.run = j.run "
        "LEFT JOIN judging_settings s ON s.project = o.project AND s.subject = o.subject "
        f"WHERE j.person = :person AND {scope.where}",
        scope.values,
    ).fetchone()
    skipped, skipped_items = connection.execute(
        f"SELECT count(*), ifnull(sum({open_items}), 0) FROM skips k CROSS JOIN owed o ON o.run = k.run "
        "LEFT JOIN judging_settings s ON s.project = o.project AND s.subject = o.subject "
        "LEFT JOIN judged_by j ON j.person = :person AND j.run = o.run "
        f"WHERE k.person = :person AND {scope.where} AND {OWED} > {JUDGED}",
        scope.values,
    ).fetchone()
    return QueueProgress(
        left=runs - judged - skipped, items_left=items - said - skipped_items, skipped=skipped, judged=judged
    )


def skip_run(connection: sqlite3.Connection, run_id: str, person: str) -> None:
    """Notes that the person skipped the run. Raises NotFound."""
    connection.execute(
        "INSERT OR REPLACE INTO skips VALUES (?, ?, ?)",
        (storable(person), run_seq(connection, run_id), now_ms()),
    )


def unskip_run(connection: sqlite3.Connection, run_id: str, person: str) -> None:
    """Puts a skipped run back in its place. Raises NotFound for a run that isn't there."""
    connection.execute(
        "DELETE FROM skips WHERE person = ? AND run = ?", (storable(person), run_seq(connection, run_id))
    )


def list_skipped(
    connection: sqlite3.Connection, query: QueueFilter, person: str, limit: int, cursor: str | None
) -> Page[QueuedRun]:
    """The runs the person skipped that still owe a verdict of theirs, in the order they were recorded."""
    checked_limit(limit)
    scope = Scope(connection, query, person)
    after = keys_of(cursor, 1)[0] if cursor is not None else 0
    within = "" if scope.path is None else (
        " AND EXISTS (SELECT 1 FROM run_paths rp WHERE rp.path = :path AND rp.project = :project "
        "AND rp.is_replay = 0 AND rp.created = o.created AND rp.run = o.run)"
    )  # fmt: skip
    conditions = "o.project = :project"
    if scope.subjects is not None:
        conditions += f" AND o.subject IN ({', '.join(map(str, scope.subjects))})"
    rows = connection.execute(
        f"SELECT o.run, {OWED}, {JUDGED} FROM skips k CROSS JOIN owed o ON o.run = k.run "
        "LEFT JOIN judging_settings s ON s.project = o.project AND s.subject = o.subject "
        "LEFT JOIN judged_by j ON j.person = :person AND j.run = o.run "
        f"WHERE k.person = :person AND k.run > :after AND {conditions}{within} AND {OWED} > {JUDGED} "
        "ORDER BY k.run LIMIT :limit",
        {**scope.values, "after": after, "limit": limit + 1},
    ).fetchall()
    more = len(rows) > limit
    return Page(
        data=_queued(connection, rows[:limit]),
        has_more=more,
        next_cursor=cursor_of(rows[limit - 1][0]) if more else None,
    )
