"""Cases of agents' own test sets in the store: made of what people said, or added by hand (DESIGN section 8)."""

import sqlite3
from collections.abc import Mapping

from kindgi_tui.domain.corrections import Expectation
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.own_test_sets import ExpectedItem, NewCase, OwnCase, checked_case, expected_summary
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.domain.summing import by_rank, summarize_by_item
from kindgi_tui.domain.test_sets import Case, ItemSummary
from kindgi_tui.local.store.groups import group_weights
from kindgi_tui.local.store.judgments import judgments_of_run
from kindgi_tui.local.store.own_places import FIRST, Place, places, subject_seq
from kindgi_tui.local.store.projects import project_seq
from kindgi_tui.local.store.runs import get_run, read_run, run_seq
from kindgi_tui.local.store.test_sets import case_document, stored_case
from kindgi_tui.local.store.values import (
    checked_limit,
    cursor_of,
    from_ms,
    keys_of,
    load_json,
    new_id,
    now_ms,
    restored,
    restored_or_none,
    storable,
)
from kindgi_tui.workbench import Conflict, Invalid, NotFound, Page

NO_VERSION = "unknown"
"""The version of a case from nothing: no version of the agent answered it."""

_FINAL = ("completed", "failed", "cancelled")


def read_case(connection: sqlite3.Connection, place: Place, weights: Mapping[str, float]) -> OwnCase:
    """The case at a place. `weights` are the groups'."""
    at, by_hand, seq = place
    if by_hand:
        return _hand_case(connection, seq)
    run = read_run(connection, seq)
    said = _expected(connection, seq)
    case = _copy_of(run, run.id, summarize_by_item(judgments_of_run(connection, seq), weights))
    if said is not None:
        expect, expert, _ = said
        case = case.model_copy(update={"expect": expect, "expert": expert})
    retired = connection.execute(
        "SELECT retired, retired_by FROM retired_runs WHERE run = ?", (seq,)
    ).fetchone()
    return OwnCase(
        case=case,
        source="run",
        by=None if said is None else said[2],
        created_at=from_ms(at),
        retired_at=None if retired is None else from_ms(retired[0]),
        retired_by=None if retired is None else restored(retired[1]),
    )


def _copy_of(run: RunDetail, case_id: str, items: tuple[ItemSummary, ...]) -> Case:
    copied = {"input": run.input, "output": run.output}
    if run.context:
        copied["context"] = run.context
    return Case.make(case_id=case_id, subject=run.subject, items=items, **copied)


def _expected(connection: sqlite3.Connection, seq: int) -> tuple[Expectation, bool, str] | None:
    """What a run's case expects, whether an expert said so, and who: the newest expert's word, else the newest."""
    row = connection.execute(
        "SELECT expect, expert, asserter FROM corrections WHERE run = ? AND ended IS NULL "
        "ORDER BY expert DESC, created DESC, seq DESC LIMIT 1",
        (seq,),
    ).fetchone()
    if row is None:
        return None
    document, expert, asserter = row
    value = load_json(document)
    return Expectation.model_validate(value), bool(expert), restored(asserter)


def _hand_case(connection: sqlite3.Connection, seq: int) -> OwnCase:
    document, person, created, retired, retired_by = connection.execute(
        "SELECT document, person, created, retired, retired_by FROM hand_cases WHERE seq = ?", (seq,)
    ).fetchone()
    return OwnCase(
        case=stored_case(document),
        source="hand",
        by=restored(person),
        created_at=from_ms(created),
        retired_at=None if retired is None else from_ms(retired),
        retired_by=restored_or_none(retired_by),
    )


def list_own_cases(
    connection: sqlite3.Connection,
    agent_id: str,
    project_id: str,
    retired: bool,
    limit: int,
    cursor: str | None,
) -> Page[OwnCase]:
    """A page of the live cases, or of the retired ones, newest first. Raises NotFound (project), Invalid."""
    checked_limit(limit)
    after = FIRST if cursor is None else keys_of(cursor, 3)
    project, subject = project_seq(connection, project_id), subject_seq(connection, agent_id)
    found = places(connection, project, subject, retired, (after[0], after[1], after[2]), limit + 1)
    weights = group_weights(connection)
    more = len(found) > limit
    return Page(
        data=tuple(read_case(connection, place, weights) for place in found[:limit]),
        has_more=more,
        next_cursor=cursor_of(*found[limit - 1]) if more else None,
    )


def get_own_case(connection: sqlite3.Connection, case_id: str) -> OwnCase:
    """One case, live or retired; a unique beginning of its id is enough. Raises NotFound, Invalid."""
    return read_case(connection, _place_of(connection, case_id), group_weights(connection))


def _place_of(connection: sqlite3.Connection, case_id: str) -> Place:
    text = storable(case_id)
    row = connection.execute("SELECT created, seq FROM hand_cases WHERE id = ?", (text,)).fetchone()
    if row is None and len(text) >= 8:
        rows = connection.execute(
            "SELECT created, seq FROM hand_cases WHERE id >= ?1 AND id < ?1 || char(1114111) LIMIT 2", (text,)
        ).fetchall()
        if len(rows) > 1:
            raise Invalid(f'Several cases begin with "{case_id}": give more of the id.', field="case")
        row = rows[0] if rows else None
    if row is not None:
        return row[0], 1, row[1]
    try:
        seq = run_seq(connection, case_id)
    except NotFound:
        raise _no_case(case_id) from None
    at = connection.execute(
        "SELECT CASE WHEN r.judged = 1 THEN r.first_judged ELSE (SELECT min(c.created) FROM corrections c "
        "WHERE c.run = r.seq AND c.ended IS NULL) END FROM runs r JOIN subjects s ON s.seq = r.subject "
        "WHERE r.seq = ? AND r.is_replay = 0 AND s.kind = 'agent'",
        (seq,),
    ).fetchone()
    if at is None or at[0] is None:
        raise _no_case(case_id)
    return at[0], 0, seq


def _no_case(case_id: str) -> NotFound:
    return NotFound(
        f"No test case {case_id}: a run is one once something is said of it. `kindgi-tui cases list --agent AGENT` "
        "shows an agent's.",
        code="case-not-found",
    )


def add_own_case(connection: sqlite3.Connection, new: NewCase, person_id: str) -> OwnCase:
    """Adds a case by hand. Raises NotFound (run, project, agent), Conflict (a run goes on), Invalid, LimitError."""
    new = checked_case(new)
    identity = new_id()
    if new.run_id is not None:
        case, project = _from_run(connection, identity, new), get_run(connection, new.run_id).project_id
    else:
        case, project = _from_nothing(connection, identity, new), new.project_id or ""
    document = case_document(case)
    seq = connection.execute(
        "INSERT INTO hand_cases (id, project, subject, document, person, created) VALUES (?, ?, ?, ?, ?, ?) "
        "RETURNING seq",
        (
            identity,
            project_seq(connection, project),
            _subject_row(connection, case.subject.id),
            document,
            storable(person_id),
            now_ms(),
        ),
    ).fetchone()[0]
    return _hand_case(connection, seq)


def _from_run(connection: sqlite3.Connection, identity: str, new: NewCase) -> Case:
    run = get_run(connection, new.run_id or "")
    if run.subject.kind != "agent":
        raise Invalid(
            f"Run {run.id} is a flow's: a case of an agent's own test set is made from an agent's run.",
            field="run",
        )
    if run.replay_of is not None:
        raise Invalid(
            f"Run {run.id} is a replay, and a replay is never a case: make one from {run.replay_of}.",
            field="run",
        )
    if run.status not in _FINAL:
        raise Conflict(f"Run {run.id} hasn't ended yet (status {run.status}).", code="run-not-finished")
    if new.expect.answer == "right" and run.output is None:
        raise Invalid(
            f"Run {run.id} ({run.status}) has no answer that could be right: say what it should say.",
            field="answer",
        )
    case = _copy_of(run, identity, by_rank(_item_of(run, item) for item in new.items))
    return case.model_copy(update={"run_id": run.id, "expert": True, **_expectation(new)})


def _expectation(new: NewCase) -> dict[str, Expectation]:
    return {"expect": new.expect} if new.expect.parts else {}


def _item_of(run: RunDetail, item: ExpectedItem) -> ItemSummary:
    """An item said yes or no of by hand: at its place in the output where it stands there."""
    there = next((one for one in output_items(run.output, True) if one.key == item.key), None)
    if there is not None:
        return expected_summary(item, there.pointer, None if there.rank is None else int(there.rank))
    if item.key.startswith("/") or item.key in ("answer", "output"):
        raise Invalid(
            f'Run {run.id} has no item "{item.key}". `kindgi-tui runs show {run.id}` lists its items.',
            code="item-not-found",
            field="items",
        )
    return expected_summary(item)


def _from_nothing(connection: sqlite3.Connection, identity: str, new: NewCase) -> Case:
    agent = new.agent_id or ""
    _check_agent(connection, agent)
    return Case.make(
        case_id=identity,
        subject=Subject(kind="agent", id=agent, version=NO_VERSION),
        input=new.input,
        items=tuple(expected_summary(item) for item in new.items),
        expert=True,
        from_nothing=True,
        **_expectation(new),
    )


def _check_agent(connection: sqlite3.Connection, agent_id: str) -> None:
    known = connection.execute(
        "SELECT 1 FROM catalog WHERE kind = 'agent' AND id = ?1 UNION "
        "SELECT 1 FROM runs r JOIN subjects s ON s.seq = r.subject WHERE s.kind = 'agent' AND s.id = ?1 LIMIT 1",
        (storable(agent_id),),
    ).fetchone()
    if known is None:
        raise NotFound(
            f'No agent is called "{agent_id}" here. `kindgi-tui agents list` shows them.',
            code="agent-not-found",
        )


def _subject_row(connection: sqlite3.Connection, agent_id: str) -> int:
    found = subject_seq(connection, agent_id)
    if found >= 0:
        return found
    row = connection.execute(
        "INSERT INTO subjects (kind, id) VALUES ('agent', ?) RETURNING seq", (storable(agent_id),)
    ).fetchone()
    return int(row[0])


def retire_own_case(connection: sqlite3.Connection, case_id: str, person_id: str) -> OwnCase:
    """Retires a case; one that is retired stays as it is. Raises NotFound, Invalid."""
    place = _place_of(connection, case_id)
    _, by_hand, seq = place
    if by_hand:
        connection.execute(
            "UPDATE hand_cases SET retired = ?, retired_by = ? WHERE seq = ? AND retired IS NULL",
            (now_ms(), storable(person_id), seq),
        )
    else:
        connection.execute(
            "INSERT OR IGNORE INTO retired_runs VALUES (?, ?, ?)", (seq, now_ms(), storable(person_id))
        )
    return read_case(connection, place, group_weights(connection))


def bring_back_own_case(connection: sqlite3.Connection, case_id: str) -> OwnCase:
    """Brings a retired case back; a live one stays as it is. Raises NotFound, Invalid."""
    place = _place_of(connection, case_id)
    _, by_hand, seq = place
    if by_hand:
        connection.execute("UPDATE hand_cases SET retired = NULL, retired_by = NULL WHERE seq = ?", (seq,))
    else:
        connection.execute("DELETE FROM retired_runs WHERE run = ?", (seq,))
    return read_case(connection, place, group_weights(connection))
