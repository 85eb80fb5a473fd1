"""Agents' own test sets in the store: how they stand now, and frozen versions of them (DESIGN section 8)."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from kindgi_tui.domain.own_test_sets import OwnTestSet, own_test_set_id, parse_own_test_set_id
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.domain.test_sets import MAX_CASES
from kindgi_tui.local.store.groups import group_weights
from kindgi_tui.local.store.own_cases import read_case
from kindgi_tui.local.store.own_places import FIRST, Place, case_counts, places, subject_seq
from kindgi_tui.local.store.people import write_audit
from kindgi_tui.local.store.projects import list_projects, project_seq
from kindgi_tui.local.store.test_sets import Gathered, case_document, get_test_set, store_test_set
from kindgi_tui.local.store.values import from_ms, restored, storable
from kindgi_tui.workbench import Conflict

Tokens = dict[str, str]
"""Under each case's id, as it is stored, what stands for the rows it was made from: while that is the same, so is the
case."""


def _tokens(connection: sqlite3.Connection, taken: list[Place]) -> dict[str, tuple[Place, str]]:
    """The cases at those places by id, each with what stands for its rows, in their order."""
    runs = json.dumps([seq for _, by_hand, seq in taken if not by_hand])
    weights = group_weights(connection)
    rows: dict[int, list[object]] = {}
    for seq, judgment, group in connection.execute(
        "SELECT j.run, j.seq, j.group_id FROM json_each(?) e CROSS JOIN judgments j ON j.run = e.value "
        "WHERE j.ended IS NULL ORDER BY j.seq",
        (runs,),
    ):
        rows.setdefault(seq, []).append([judgment, weights.get(group, 1)])
    for seq, correction in connection.execute(
        "SELECT c.run, c.seq FROM json_each(?) e CROSS JOIN corrections c ON c.run = e.value "
        "WHERE c.ended IS NULL ORDER BY c.seq",
        (runs,),
    ):
        rows.setdefault(seq, []).append(correction)
    ids = [
        dict(
            connection.execute(
                f"SELECT t.seq, t.id FROM json_each(?) e CROSS JOIN {table} t ON t.seq = e.value", (seqs,)
            )
        )
        for table, seqs in (
            ("runs", runs),
            ("hand_cases", json.dumps([seq for _, hand, seq in taken if hand])),
        )
    ]
    found: dict[str, tuple[Place, str]] = {}
    for place in taken:
        _, by_hand, seq = place
        # A case added by hand never changes.
        token = "" if by_hand else sha256(json.dumps(rows[seq]).encode()).hexdigest()[:16]
        # A run may have been imported under the id of a case added by hand: the one that stands first counts.
        found.setdefault(ids[by_hand][seq], (place, token))
    return found


def _render(connection: sqlite3.Connection, place: Place, weights: dict[str, float]) -> str:
    return case_document(read_case(connection, place, weights).case)


@dataclass(frozen=True)
class OwnGathered:
    """The cases an agent's own test set has now, copied, which takes a while and needs no writer."""

    tokens: Tokens
    """What stands for the rows they were made from."""
    gathered: Gathered
    """The cases as a version stores them."""


@dataclass(frozen=True)
class _Frozen:
    """The newest frozen version of a set."""

    version: int
    """Its row."""
    name: str
    """`1.0.<n>`."""
    created: int
    """When it was made (ms)."""
    tokens: Tokens
    """What stands for the rows it was made from."""

    def documents(self, connection: sqlite3.Connection) -> dict[str, str]:
        """Its cases as they are stored, by id."""
        rows = connection.execute("SELECT case_id, document FROM cases WHERE version = ?", (self.version,))
        return dict(rows.fetchall())


def _newest(connection: sqlite3.Connection, test_set_id: str) -> _Frozen | None:
    row = connection.execute(
        "SELECT v.seq, v.version, v.created, f.tokens FROM test_set_versions v "
        "JOIN frozen_versions f ON f.version = v.seq WHERE v.test_set = ? ORDER BY v.seq DESC LIMIT 1",
        (storable(test_set_id),),
    ).fetchone()
    if row is None:
        return None
    version, name, created, tokens = row
    return _Frozen(version, name, created, json.loads(tokens))


def gather_own(connection: sqlite3.Connection, agent_id: str, project_id: str) -> OwnGathered | None:
    """The cases as they are now; None when the newest frozen version has just these. Raises NotFound, Conflict.

    No cases are a Conflict `suggested-change-nothing-to-check`.
    """
    project, subject = project_seq(connection, project_id), subject_seq(connection, agent_id)
    taken = places(connection, project, subject, False, FIRST, MAX_CASES)
    if not taken:
        raise nothing_to_check(agent_id)
    now = _tokens(connection, taken)
    tokens = {identity: token for identity, (_, token) in now.items()}
    newest = _newest(connection, own_test_set_id(agent_id, project_id))
    if newest is not None and newest.tokens == tokens:
        return None
    weights = group_weights(connection)
    # What didn't change isn't copied anew.
    known = {} if newest is None else newest.documents(connection)
    same = {} if newest is None else newest.tokens
    documents = [
        (identity, known[identity] if same.get(identity) == token else _render(connection, place, weights))
        for identity, (place, token) in now.items()
    ]
    available, _ = case_counts(connection, project, subject)
    return OwnGathered(tokens, Gathered(tuple(documents), max(available, len(documents))))


def nothing_to_check(agent_id: str) -> Conflict:
    """What a set without cases is refused with."""
    return Conflict(
        f"{agent_id} has no test cases in this project yet. Judge one of its runs (kindgi-tui judge), correct one "
        "(kindgi-tui corrections add RUN), or add one by hand (kindgi-tui cases add).",
        code="suggested-change-nothing-to-check",
    )


def freeze(
    connection: sqlite3.Connection,
    agent_id: str,
    project_id: str,
    person_id: str,
    before: OwnGathered | None = None,
) -> tuple[TestSetVersion, bool]:
    """The version that holds the cases as they are now, and whether it was made just now.

    `before` is what was gathered outside the writer; it counts while nothing was said since. Raises as `gather_own`.
    """
    identity = own_test_set_id(agent_id, project_id)
    newest = _newest(connection, identity)
    found = before
    if before is None or before.tokens != _tokens_now(connection, agent_id, project_id):
        found = gather_own(connection, agent_id, project_id)
    if newest is not None and (found is None or dict(found.gathered.cases) == newest.documents(connection)):
        if found is not None:
            connection.execute(
                "UPDATE frozen_versions SET tokens = ? WHERE version = ?",
                (json.dumps(found.tokens), newest.version),
            )
        return get_test_set(connection, identity, newest.name), False
    if found is None:
        raise nothing_to_check(agent_id)
    request = BuildRequest(
        test_set_id=identity,
        version=_next_version(connection, identity),
        project_id=project_id,
        agent_id=agent_id,
    )
    made = store_test_set(connection, request, found.gathered, person_id)
    connection.execute(
        "INSERT INTO frozen_versions SELECT seq, ? FROM test_set_versions WHERE test_set = ? AND version = ?",
        (json.dumps(found.tokens), storable(identity), made.version),
    )
    return made, True


def freeze_noted(
    connection: sqlite3.Connection,
    agent_id: str,
    project_id: str,
    person_id: str,
    before: OwnGathered | None,
) -> TestSetVersion:
    """Freezes it, and notes a version that this made in the audit log. Raises as `freeze`."""
    found, made = freeze(connection, agent_id, project_id, person_id, before)
    if made:
        write_audit(connection, person_id, "test-sets.freeze", f"{found.test_set_id}@{found.version}", None)
    return found


def _tokens_now(connection: sqlite3.Connection, agent_id: str, project_id: str) -> Tokens:
    project, subject = project_seq(connection, project_id), subject_seq(connection, agent_id)
    taken = places(connection, project, subject, False, FIRST, MAX_CASES)
    return {identity: token for identity, (_, token) in _tokens(connection, taken).items()}


def _next_version(connection: sqlite3.Connection, identity: str) -> str:
    rows = connection.execute(
        "SELECT version FROM test_set_versions WHERE test_set = ?", (storable(identity),)
    ).fetchall()
    taken = [int(version.rpartition(".")[2]) for (version,) in rows if version.startswith("1.0.")]
    return f"1.0.{max(taken, default=0) + 1}"


def own_test_set(connection: sqlite3.Connection, agent_id: str, project_id: str) -> OwnTestSet:
    """An agent's own test set as it stands now; without cases it is an empty one. Raises NotFound (project)."""
    identity = own_test_set_id(agent_id, project_id)
    project, subject = project_seq(connection, project_id), subject_seq(connection, agent_id)
    available, retired = case_counts(connection, project, subject)
    newest = _newest(connection, identity)
    changed = available > 0
    if newest is not None:
        taken = places(connection, project, subject, False, FIRST, MAX_CASES)
        changed = _changed(connection, newest, _tokens(connection, taken))
    return OwnTestSet(
        id=identity,
        agent_id=agent_id,
        project_id=project_id,
        case_count=min(available, MAX_CASES),
        available=available,
        retired=retired,
        version=None if newest is None else newest.name,
        frozen_at=None if newest is None else from_ms(newest.created),
        changed=changed,
    )


def _changed(connection: sqlite3.Connection, newest: _Frozen, now: dict[str, tuple[Place, str]]) -> bool:
    """Whether the cases differ from the newest version's, looking at those whose rows changed until one does."""
    if now.keys() != newest.tokens.keys():
        return True
    suspects = [
        (identity, place) for identity, (place, token) in now.items() if newest.tokens[identity] != token
    ]
    if not suspects:
        return False
    weights, known = group_weights(connection), newest.documents(connection)
    return any(_render(connection, place, weights) != known[identity] for identity, place in suspects)


def own_test_sets(connection: sqlite3.Connection, project_id: str | None) -> tuple[OwnTestSet, ...]:
    """The sets that have a case, a retired case or a version, by id; of one project or of all. Raises NotFound."""
    if project_id is None:
        found = [
            one for project in list_projects(connection) for one in own_test_sets(connection, project.id)
        ]
        return tuple(sorted(found, key=lambda one: one.id))
    return tuple(
        sorted(
            (own_test_set(connection, agent, project_id) for agent in set(_agents(connection, project_id))),
            key=lambda one: one.id,
        )
    )


def _agents(connection: sqlite3.Connection, project_id: str) -> Iterator[str]:
    project = project_seq(connection, project_id)
    rows = connection.execute(
        "SELECT s.id FROM subjects s WHERE s.kind = 'agent' AND s.seq IN ("
        "SELECT subject FROM run_counts WHERE project = ?1 AND is_replay = 0 AND judged = 1 AND count > 0 "
        "UNION SELECT subject FROM hand_cases WHERE project = ?1 "
        "UNION SELECT r.subject FROM corrections c CROSS JOIN runs r ON r.seq = c.run WHERE c.ended IS NULL "
        "AND r.project = ?1 AND r.is_replay = 0)",
        (project,),
    ).fetchall()
    yield from (restored(identity) for (identity,) in rows)
    frozen = connection.execute(
        "SELECT DISTINCT v.test_set FROM frozen_versions f JOIN test_set_versions v ON v.seq = f.version "
        "JOIN test_sets t ON t.id = v.test_set WHERE t.project = ?",
        (storable(project_id),),
    ).fetchall()
    for (identity,) in frozen:
        parsed = parse_own_test_set_id(restored(identity))
        if parsed is not None:
            yield parsed[0]
