"""Test sets in the store: built from judged runs, kept as copies, never changed (DESIGN section 8)."""

import json
import sqlite3
from dataclasses import dataclass

from kindgi_tui.domain import scoring
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.own_test_sets import parse_own_test_set_id
from kindgi_tui.domain.test_set_versions import BuildPreview, BuildRequest, TestSetVersion
from kindgi_tui.domain.test_sets import MAX_CASES, Case, JudgedRun, RunCopy, TestSetQuery
from kindgi_tui.local.store.case_corrections import case_corrections, with_corrections
from kindgi_tui.local.store.groups import get_group, group_weights
from kindgi_tui.local.store.judgments import judgments_of_run
from kindgi_tui.local.store.projects import project_seq
from kindgi_tui.local.store.runs import read_run
from kindgi_tui.local.store.subjects import find_path
from kindgi_tui.local.store.values import (
    checked_limit,
    cursor_of,
    dump_json,
    from_ms,
    keys_of,
    load_json,
    now_ms,
    restored,
    restored_or_none,
    storable,
    storable_or_none,
    to_ms,
)
from kindgi_tui.wire import v01
from kindgi_tui.wire.expectations import written_expectation
from kindgi_tui.workbench import Conflict, Invalid, NotFound, Page


@dataclass(frozen=True)
class _Candidates:
    """The judged runs a build looks at, newest judged first, each with its counting judgments."""

    taken: list[int]
    available: int
    too_few: int
    judgments: int
    group_ids: tuple[str, ...]


def _candidates(connection: sqlite3.Connection, request: BuildRequest) -> _Candidates:
    if (request.agent_id is None) == (request.flow_id is None):
        raise Invalid(
            "Name the agent (--agent) or the flow (--flow) whose judged runs to use.", field="agentId"
        )
    kind = "agent" if request.agent_id is not None else "flow"
    conditions = [
        "r.project = ?",
        "r.subject = (SELECT seq FROM subjects WHERE kind = ? AND id = ?)",
        "r.judged = 1",
        "r.is_replay = 0",
    ]
    values: list[object] = [
        project_seq(connection, request.project_id),
        kind,
        storable(request.agent_id or request.flow_id or ""),
    ]
    if request.subject_version is not None:
        conditions.append("r.subject_version IN (SELECT seq FROM subject_versions WHERE version = ?)")
        values.append(storable(request.subject_version))
    if request.since is not None:
        conditions.append("r.first_judged >= ?")
        values.append(to_ms(request.since))
    if request.until is not None:
        conditions.append("r.first_judged < ?")
        values.append(to_ms(request.until))
    if request.segments:
        conditions.append(
            "EXISTS (SELECT 1 FROM run_paths rp WHERE rp.path = ? AND rp.project = r.project "
            "AND rp.is_replay = 0 AND rp.created = r.created AND rp.run = r.seq)"
        )
        values.append(find_path(connection, request.segments))
    groups = tuple(get_group(connection, reference).id for reference in request.groups)
    counted = "r.judgments"
    if groups:
        counted = (
            "(SELECT count(*) FROM judgments j WHERE j.run = r.seq AND j.ended IS NULL "
            f"AND j.group_id IN ({', '.join('?' * len(groups))}))"
        )
    rows = connection.execute(
        f"SELECT r.seq, {counted} FROM runs r WHERE {' AND '.join(conditions)} "
        "ORDER BY r.first_judged DESC, r.seq DESC",
        (*groups, *values),
    ).fetchall()
    least = max(1, request.min_judgments or 1)
    fitting = [(seq, count) for seq, count in rows if count >= least]
    taken = fitting[:MAX_CASES]
    return _Candidates(
        [seq for seq, _ in taken],
        len(fitting),
        len(rows) - len(fitting),
        sum(count for _, count in taken),
        groups,
    )


def _cases(
    connection: sqlite3.Connection, request: BuildRequest, candidates: _Candidates
) -> tuple[Case, ...]:
    judged = [
        JudgedRun.of(
            RunCopy(
                run_id=run.id,
                subject=run.subject,
                input=run.input,
                output=run.output,
                context=run.context or None,
            ),
            judgments_of_run(connection, seq),
        )
        for seq in candidates.taken
        for run in (read_run(connection, seq),)
    ]
    query = TestSetQuery(
        agent_id=request.agent_id,
        flow_id=request.flow_id,
        min_judgments=request.min_judgments,
        group_ids=candidates.group_ids or None,
    )
    cases = scoring.build_cases(judged, query, group_weights(connection)).cases
    return with_corrections(cases, case_corrections(connection, [case.past_run for case in cases]))


def preview_build(connection: sqlite3.Connection, request: BuildRequest) -> BuildPreview:
    """What a build would take. Raises Invalid, NotFound."""
    candidates = _candidates(connection, request)
    groups = candidates.group_ids
    counted = f" AND j.group_id IN ({', '.join('?' * len(groups))})" if groups else ""
    items = connection.execute(
        "SELECT count(*) FROM (SELECT DISTINCT j.run, j.item_key FROM json_each(?) e CROSS JOIN judgments j "
        f"ON j.run = e.value WHERE j.ended IS NULL{counted})",
        (json.dumps(candidates.taken), *groups),
    ).fetchone()[0]
    taken = len(candidates.taken)
    return BuildPreview(
        runs=taken,
        more=candidates.available - taken,
        items=items,
        judgments=candidates.judgments,
        too_few=candidates.too_few,
    )


@dataclass(frozen=True)
class Gathered:
    """The cases of a version that is not written yet."""

    cases: tuple[tuple[str, str], ...]
    """Each case's id and its document, both as they are stored."""
    available: int
    """How many runs matched."""


def gather_cases(connection: sqlite3.Connection, request: BuildRequest, empty: bool = False) -> Gathered:
    """Copies what a version holds, which takes a while and needs no writer. Raises as `store_test_set`.

    Nothing to copy is Invalid, unless `empty`.
    """
    _check_free(connection, request)
    candidates = _candidates(connection, request)
    cases = _cases(connection, request, candidates)
    if not cases and not empty:
        reason = f" ({candidates.too_few} have too few judgments)" if candidates.too_few else ""
        raise Invalid(
            f"No judged run matches{reason}, so there is no test set to build. Judge some runs first "
            "(kindgi-tui judgments add), or narrow less.",
            code="test-set-empty",
        )
    documents = tuple((storable(case.case_id), case_document(case)) for case in cases)
    return Gathered(documents, max(candidates.available, len(cases)))


def store_test_set(
    connection: sqlite3.Connection, request: BuildRequest, gathered: Gathered, person_id: str
) -> TestSetVersion:
    """Writes a version down. Raises Conflict, Invalid, NotFound."""
    _check_free(connection, request)
    identity, version = storable(request.test_set_id), request.version
    connection.execute(
        "INSERT OR IGNORE INTO test_sets VALUES (?, ?, ?)", (identity, request.project_id, now_ms())
    )
    # By their ids: another group may have the name tomorrow.
    groups = [get_group(connection, reference).id for reference in request.groups]
    document: dict[str, Json] = {**request.model_dump(mode="json"), "groups": list[Json](groups)}
    row = connection.execute(
        "INSERT INTO test_set_versions (test_set, version, description, case_count, available, request, created, "
        "created_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
        (
            identity,
            version,
            storable_or_none(request.description),
            len(gathered.cases),
            gathered.available,
            dump_json(document),
            now_ms(),
            storable(person_id),
        ),
    ).fetchone()
    connection.executemany(
        "INSERT INTO cases VALUES (?, ?, ?, ?)",
        [
            (row[0], position, case_id, document)
            for position, (case_id, document) in enumerate(gathered.cases)
        ],
    )
    return get_test_set(connection, request.test_set_id, version)


def _check_free(connection: sqlite3.Connection, request: BuildRequest) -> None:
    identity, version = storable(request.test_set_id), storable(request.version)
    known = connection.execute("SELECT project FROM test_sets WHERE id = ?", (identity,)).fetchone()
    if known is not None and known[0] != request.project_id:
        raise Conflict(
            f'The test set "{request.test_set_id}" belongs to another project: build its versions there.',
            code="eval-suite-project-mismatch",
        )
    if connection.execute(
        "SELECT 1 FROM test_set_versions WHERE test_set = ? AND version = ?", (identity, version)
    ).fetchone():
        raise Conflict(
            f'Version "{version}" of the test set "{request.test_set_id}" is already registered, and a version never '
            "changes: build another.",
            code="eval-suite-already-registered",
        )


_COLUMNS = (
    "v.test_set, v.version, t.project, v.description, v.case_count, v.available, v.request, v.created, "
    "v.created_by, v.seq"
)
_FROM = "test_set_versions v JOIN test_sets t ON t.id = v.test_set"


def _version(row: tuple[str, str, str, str | None, int, int, str, int, str, int]) -> TestSetVersion:
    identity, version, project, description, count, available, request, created, by, _ = row
    return TestSetVersion(
        test_set_id=restored(identity),
        version=version,
        project_id=project,
        description=restored_or_none(description),
        case_count=count,
        available=available,
        request=BuildRequest.model_validate(load_json(request)),
        created_at=from_ms(created),
        created_by=restored(by),
    )


def list_test_sets(connection: sqlite3.Connection, project_id: str | None) -> tuple[TestSetVersion, ...]:
    """The newest version of each set, by id."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM {_FROM} WHERE (?1 IS NULL OR t.project = ?1) AND v.seq = "
        "(SELECT max(seq) FROM test_set_versions w WHERE w.test_set = v.test_set) ORDER BY v.test_set",
        (storable_or_none(project_id),),
    ).fetchall()
    return tuple(map(_version, rows))


def test_set_versions(connection: sqlite3.Connection, test_set_id: str) -> tuple[TestSetVersion, ...]:
    """A set's versions, newest first. Raises NotFound."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM {_FROM} WHERE v.test_set = ? ORDER BY v.seq DESC", (storable(test_set_id),)
    ).fetchall()
    if not rows:
        own = parse_own_test_set_id(test_set_id)
        if own is not None:
            raise NotFound(
                f"The own test set of {own[0]} isn't frozen yet, so it has no version: starting a comparison on it "
                "without naming one makes the first. "
                f"`kindgi-tui cases list --agent {own[0]}` shows its cases.",
                code="eval-suite-not-found",
            )
        raise NotFound(
            f'No test set is called "{test_set_id}". `kindgi-tui test-sets list` shows them; '
            "`kindgi-tui test-sets build` makes one.",
            code="eval-suite-not-found",
        )
    return tuple(map(_version, rows))


test_set_versions.__test__ = False  # type: ignore[attr-defined]


def version_seq(connection: sqlite3.Connection, test_set_id: str, version: str | None) -> int:
    """The row number of a version, the newest when none is named. Raises NotFound."""
    row = connection.execute(
        "SELECT seq FROM test_set_versions WHERE test_set = ?1 AND (?2 IS NULL OR version = ?2) "
        "ORDER BY seq DESC LIMIT 1",
        (storable(test_set_id), storable_or_none(version)),
    ).fetchone()
    if row is None:
        test_set_versions(connection, test_set_id)
        raise NotFound(
            f'The test set "{test_set_id}" has no version "{version}". '
            f"`kindgi-tui test-sets show {test_set_id}` lists its versions.",
            code="eval-suite-not-found",
        )
    return int(row[0])


def get_test_set(connection: sqlite3.Connection, test_set_id: str, version: str | None) -> TestSetVersion:
    """One version, the newest when none is named. Raises NotFound."""
    seq = version_seq(connection, test_set_id, version)
    return _version(connection.execute(f"SELECT {_COLUMNS} FROM {_FROM} WHERE v.seq = ?", (seq,)).fetchone())


def list_cases(
    connection: sqlite3.Connection, test_set_id: str, version: str | None, limit: int, cursor: str | None
) -> Page[Case]:
    """A page of a version's cases, in the order they were taken. Raises NotFound, Invalid."""
    checked_limit(limit)
    seq = version_seq(connection, test_set_id, version)
    after = keys_of(cursor, 1)[0] if cursor is not None else -1
    rows = connection.execute(
        "SELECT position, document FROM cases WHERE version = ? AND position > ? ORDER BY position LIMIT ?",
        (seq, after, limit + 1),
    ).fetchall()
    more = len(rows) > limit
    return Page(
        data=tuple(stored_case(document) for _, document in rows[:limit]),
        has_more=more,
        next_cursor=cursor_of(rows[limit - 1][0]) if more else None,
    )


def get_case(connection: sqlite3.Connection, test_set_id: str, version: str, case_id: str) -> Case:
    """One of a version's cases. Raises NotFound."""
    row = connection.execute(
        "SELECT document FROM cases WHERE version = ? AND case_id = ?",
        (version_seq(connection, test_set_id, version), storable(case_id)),
    ).fetchone()
    if row is None:
        raise NotFound(f"{test_set_id} {version} has no case {case_id}.", code="case-not-found")
    return stored_case(row[0])


def all_cases(connection: sqlite3.Connection, seq: int) -> tuple[Case, ...]:
    """Every case of the version in that row, in order."""
    rows = connection.execute(
        "SELECT document FROM cases WHERE version = ? ORDER BY position", (seq,)
    ).fetchall()
    return tuple(stored_case(row[0]) for row in rows)


def case_document(case: Case) -> str:
    """A case as it is stored: the wire's names, and its copies as they were (the wire's numbers lose digits)."""
    document = v01.dump(case)
    if isinstance(document, dict):
        document |= {"input": case.input, "output": case.output}
        if case.context is not None:
            document["context"] = case.context
        # So has what is expected of it: arguments are compared with what a replay called, to the last digit.
        if case.expect is not None:
            document["expect"] = written_expectation(case.expect)
        if case.corrections:
            document["corrections"] = [
                {
                    "correctionId": each.correction_id,
                    "expect": written_expectation(each.expect),
                    "expert": each.expert,
                }
                for each in case.corrections
            ]
    return dump_json(document)


def stored_case(document: str) -> Case:
    """The case that `case_document` wrote."""
    value = load_json(document)
    return Case.read(value if isinstance(value, dict) else {})
