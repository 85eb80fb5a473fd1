"""Conversations and their messages, made from runs."""

from typing import Any

from kindgi_tui.domain.conversations import ConversationFilter
from kindgi_tui.server.asking import Answer, Ask
from kindgi_tui.server.errors import bad, missing
from kindgi_tui.server.operations import PAGED, SCOPED, Operation
from kindgi_tui.server.pages import after_key, page
from kindgi_tui.server.queries import one_of, scope, uuid_param
from kindgi_tui.wire import v01_records as records
from kindgi_tui.workbench import Invalid, NotFound


async def list_conversations(ask: Ask) -> Answer:
    """Conversations, the one opened last first. None here is closed, or says who opened it."""
    project = scope(ask, checked=True)
    status = one_of(ask, "status", ("open", "closed"), "`status` must be one of: open, closed")
    opened_by = one_of(ask, "openedBy", ("me",), "`openedBy` must be `me`")
    replays: Any = one_of(
        ask, "replays", ("exclude", "include", "only"), "`replays` must be `exclude`, `include` or `only`"
    )
    if opened_by is not None:
        return Answer({**page([], False, None), "openedBy": "me"})
    if status == "closed":
        return Answer(page([], False, None))
    query = ConversationFilter(
        project_id=project, agent_id=ask.given("agentId"), replays=replays or "exclude"
    )
    try:
        found = await ask.bench.conversations.list(query, ask.limit, ask.cursor)
    except Invalid:
        raise bad("`cursor` is malformed") from None
    rows = [records.conversation(one, ask.tenant) for one in found.data]
    return Answer(page(rows, found.has_more, found.next_cursor))


async def get_conversation(ask: Ask) -> Answer:
    """One conversation."""
    identity = uuid_param(ask, "conversationId", "conversation")
    try:
        return Answer(records.conversation(await ask.bench.conversations.get(identity), ask.tenant))
    except NotFound:
        raise missing("conversation-not-found", f'No conversation "{identity}".') from None


async def list_messages(ask: Ask) -> Answer:
    """A conversation's messages, in order."""
    identity = uuid_param(ask, "conversationId", "conversation")
    try:
        said = await ask.bench.conversations.messages(identity)
    except NotFound:
        raise missing("conversation-not-found", f'No conversation "{identity}".') from None
    return Answer(after_key(said, lambda one: str(one["sequence"]), records.message, ask.limit, ask.cursor))


OPERATIONS = (
    Operation(
        "GET",
        "/v1/conversations",
        list_conversations,
        "Conversations, the one opened last first.",
        "page:conversation",
        query=(*PAGED, *SCOPED, "agentId", "status", "openedBy", "replays"),
    ),
    Operation(
        "GET", "/v1/conversations/{conversationId}", get_conversation, "One conversation.", "conversation"
    ),
    Operation(
        "GET",
        "/v1/conversations/{conversationId}/messages",
        list_messages,
        "A conversation's messages.",
        "page:message",
        query=PAGED,
    ),
)
"""Conversations."""
