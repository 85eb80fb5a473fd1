"""Conversations in the store: nothing of their own, only the runs of agents that name one."""

import sqlite3
from datetime import datetime

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.conversations import Conversation, ConversationFilter
from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.local.store.run_filters import branches
from kindgi_tui.local.store.runs import read_run
from kindgi_tui.local.store.values import (
    checked_limit,
    cursor_of,
    from_ms,
    keys_of,
    load_json,
    restored,
    storable,
)
from kindgi_tui.workbench import NotFound, Page

_FIRST_TURN = (
    "r.conversation IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs e WHERE e.conversation = r.conversation "
    "AND (e.created, e.seq) < (r.created, r.seq))"
)
_COLUMNS = (
    "r.conversation, p.id, s.id, v.version, r.preview, r.created, r.replay_of, "
    "(SELECT count(*) FROM runs t WHERE t.conversation = r.conversation), "
    "(SELECT max(ifnull(t.completed, t.created)) FROM runs t WHERE t.conversation = r.conversation), "
    "(SELECT d.context FROM run_documents d WHERE d.run = r.seq AND instr(d.context, '\"participantId\"'))"
)
_JOINS = (
    "JOIN projects p ON p.seq = r.project JOIN subjects s ON s.seq = r.subject "
    "JOIN subject_versions v ON v.seq = r.subject_version"
)


def _conversation(connection: sqlite3.Connection, seq: int) -> Conversation:
    row = connection.execute(f"SELECT {_COLUMNS} FROM runs r {_JOINS} WHERE r.seq = ?", (seq,)).fetchone()
    identity, project, agent, version, preview, created, replay_of, turns, last, context = row
    return Conversation(
        id=restored(identity),
        project_id=project,
        agent_id=restored(agent),
        agent_version=restored(version),
        title=preview,
        opened_at=from_ms(created),
        last_message_at=from_ms(last),
        turns=turns,
        participant_id=None if context is None else _participant(load_json(context)),
        replay_of=None if replay_of is None else restored(replay_of),
    )


def _participant(context: Json) -> str | None:
    told = context.get("participantId") if isinstance(context, dict) else None
    return told if isinstance(told, str) else None


def list_conversations(
    connection: sqlite3.Connection, query: ConversationFilter, limit: int, cursor: str | None
) -> Page[Conversation]:
    """A page of conversations, the one opened last first. Raises Invalid."""
    checked_limit(limit)
    runs = RunFilter(
        project_id=query.project_id,
        subject_kind="agent",
        subject_id=query.agent_id,
        replays=query.replays,
    )
    place = keys_of(cursor, 2) if cursor is not None else None
    keys: list[tuple[int, int]] = []
    for branch in branches(connection, runs, place):
        where, values = branch.where()
        keys += connection.execute(
            f"SELECT r.created, r.seq FROM {branch.source} WHERE {where} AND {_FIRST_TURN} "
            "ORDER BY r.created DESC, r.seq DESC LIMIT ?",
            (*values, limit + 1),
        ).fetchall()
    keys.sort(reverse=True)
    more = len(keys) > limit
    return Page(
        data=tuple(_conversation(connection, seq) for _, seq in keys[:limit]),
        has_more=more,
        next_cursor=cursor_of(*keys[limit - 1]) if more else None,
    )


def _turns(connection: sqlite3.Connection, conversation_id: str) -> list[int]:
    rows = connection.execute(
        "SELECT seq FROM runs WHERE conversation = ? ORDER BY created, seq", (storable(conversation_id),)
    ).fetchall()
    if not rows:
        raise NotFound(f'No conversation "{conversation_id}".', code="conversation-not-found")
    return [row[0] for row in rows]


def get_conversation(connection: sqlite3.Connection, conversation_id: str) -> Conversation:
    """One conversation. Raises NotFound."""
    return _conversation(connection, _turns(connection, conversation_id)[0])


def conversation_messages(
    connection: sqlite3.Connection, conversation_id: str
) -> tuple[dict[str, Json], ...]:
    """Its messages in order: what was said before its first recorded turn, then what each turn added.

    A turn that failed has what it got to; one that has nothing of the kind has what went in.
    Raises NotFound.
    """
    said: list[dict[str, Json]] = []
    for number, seq in enumerate(_turns(connection, conversation_id)):
        run = read_run(connection, seq)
        added = run.output.get("appended") if isinstance(run.output, dict) else run.context.get("appended")
        history = run.context.get("history") if number == 0 else None
        turn: list[Json] = [*(history if isinstance(history, list) else ())]
        turn += added if isinstance(added, list) and added else [{"role": "user", "content": run.input}]
        moment = run.created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        said += [
            message if _has_time(message) else {**message, "createdAt": moment}
            for message in turn
            if isinstance(message, dict)
        ]
    return tuple({**message, "sequence": place} for place, message in enumerate(said))


def _has_time(message: dict[str, Json]) -> bool:
    told = message.get("createdAt")
    try:
        return isinstance(told, str) and datetime.fromisoformat(told).tzinfo is not None
    except ValueError:
        return False
