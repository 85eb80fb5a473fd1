"""Conversations, as the runs of their turns tell them."""

import sqlite3
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kindgi_tui.domain.conversations import ConversationFilter
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.local.store.conversations import conversation_messages, get_conversation, list_conversations
from kindgi_tui.local.store.projects import get_project
from kindgi_tui.local.store.runs import insert_run
from kindgi_tui.workbench import Invalid, NotFound

AT = datetime(2026, 5, 1, 9, tzinfo=UTC)


def turn(store: sqlite3.Connection, conversation: str | None, minutes: int, said: str, **more: Any) -> str:
    """A turn that started so many minutes after nine; gives its run's id."""
    fields = {
        "id": str(uuid.uuid4()),
        "project_id": get_project(store, None).id,
        "subject": Subject(kind="agent", id="a.b", version="1.0.0"),
        "status": "completed",
        "created_at": AT + timedelta(minutes=minutes),
        "completed_at": AT + timedelta(minutes=minutes, seconds=5),
        "conversation_id": conversation,
        "input": said,
        "output": {
            "appended": [{"role": "user", "content": said}, {"role": "agent", "content": f"re: {said}"}]
        },
        "context": {"history": [{"role": "user", "content": "before"}]},
    }
    run = RunDetail.model_validate({**fields, **more})
    assert insert_run(store, run)
    return run.id


def ids(store: sqlite3.Connection, **query: Any) -> list[str]:
    return [one.id for one in list_conversations(store, ConversationFilter(**query), 100, None).data]


def test_a_conversation_is_its_turns(store: sqlite3.Connection) -> None:
    turn(store, "two", 30, "second")
    turn(store, "two", 0, "first")
    turn(store, None, 1, "alone")
    found = get_conversation(store, "two")
    assert (found.title, found.turns, found.agent_id, found.agent_version) == ("first", 2, "a.b", "1.0.0")
    assert (found.opened_at, found.last_message_at) == (AT, AT + timedelta(minutes=30, seconds=5))
    said = conversation_messages(store, "two")
    assert [message["content"] for message in said] == [
        "before",
        "first",
        "re: first",
        "second",
        "re: second",
    ]
    assert [message["sequence"] for message in said] == [0, 1, 2, 3, 4]
    assert ids(store) == ["two"]


def test_one_that_is_none(store: sqlite3.Connection) -> None:
    for ask in (get_conversation, conversation_messages):
        with pytest.raises(NotFound) as missing:
            ask(store, "nope")
        assert missing.value.code == "conversation-not-found"
    with pytest.raises(Invalid):
        list_conversations(store, ConversationFilter(), 10, "x")


def test_pages_go_by_when_they_were_opened(store: sqlite3.Connection) -> None:
    for number in range(7):
        turn(store, f"c{number}", number, "hello")
        # A later turn doesn't make it open again.
        turn(store, f"c{number}", 100 - number, "more")
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = list_conversations(store, ConversationFilter(), 3, cursor)
        seen += [one.id for one in page.data]
        if not page.has_more:
            break
        cursor = page.next_cursor
    assert seen == [f"c{number}" for number in range(6, -1, -1)]


def test_filters(store: sqlite3.Connection) -> None:
    past = turn(store, "plain", 0, "hello")
    turn(store, "replayed", 1, "hello", replay_of=past)
    turn(store, "other", 2, "hello", subject=Subject(kind="agent", id="c.d", version="1.0.0"))
    assert ids(store) == ["other", "plain"]
    assert ids(store, replays="only") == ["replayed"]
    assert ids(store, replays="include") == ["other", "replayed", "plain"]
    assert ids(store, agent_id="c.d") == ["other"]
    assert ids(store, project_id=get_project(store, None).id) == ["other", "plain"]
    assert ids(store, project_id="nope") == []
    assert get_conversation(store, "replayed").replay_of == past


def test_a_turn_that_failed_says_what_it_got_to(store: sqlite3.Connection) -> None:
    appended = [{"role": "user", "content": "hello"}, {"role": "agent", "content": "wait"}]
    turn(store, "failed", 0, "hello", status="failed", output=None, context={"appended": appended})
    turn(store, "silent", 0, "hello", status="failed", output=None, context={})
    assert [one["content"] for one in conversation_messages(store, "failed")] == ["hello", "wait"]
    assert [one["content"] for one in conversation_messages(store, "silent")] == ["hello"]


def test_a_list_is_found_on_indexes_alone(store: sqlite3.Connection) -> None:
    turn(store, "one", 0, "hello")
    traced: list[str] = []
    store.set_trace_callback(traced.append)
    ids(store)
    store.set_trace_callback(None)
    statement = next(one for one in traced if "NOT EXISTS" in one)
    plan = [row[3] for row in store.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert not [step for step in plan if step.startswith("SCAN") or "TEMP B-TREE" in step], plan
