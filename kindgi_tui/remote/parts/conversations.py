"""Conversations of a runtime."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.conversations import Conversation, ConversationFilter
from kindgi_tui.remote.context import Context
from kindgi_tui.remote.reading import moment, moment_if, text, text_if, whole
from kindgi_tui.remote.runtime import scope
from kindgi_tui.workbench import Page


class RemoteConversations:
    """The turns of an agent that belong together."""

    def __init__(self, context: Context) -> None:
        self._runtime = context.runtime

    async def list(
        self, query: ConversationFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[Conversation]:
        """Conversations, the one opened last first."""
        asked = [*scope(query.project_id), ("agentId", query.agent_id), ("replays", query.replays)]
        page = await self._runtime.page("conversations.list", query=asked, limit=limit, cursor=cursor)
        return Page(
            data=tuple(_conversation(row) for row in page.rows),
            has_more=page.has_more,
            next_cursor=page.next_cursor,
        )

    async def get(self, conversation_id: str) -> Conversation:
        """One conversation."""
        return _conversation(await self._runtime.get("conversations.get", conversation_id))

    async def messages(self, conversation_id: str) -> tuple[dict[str, Json], ...]:
        """Its messages in order."""
        return tuple(await self._runtime.all_rows("conversations.messages", conversation_id))


def _conversation(value: dict[str, Json]) -> Conversation:
    what = "a conversation"
    told = value.get("metadata")
    opened = moment(value, "openedAt", what)
    return Conversation(
        id=text(value, "id", what),
        project_id=text_if(value, "projectId") or "",
        agent_id=text_if(value, "agentId") or "",
        agent_version=text_if(value, "agentVersion") or "unknown",
        title=" ".join((text_if(value, "title") or "").split()),
        opened_at=opened,
        last_message_at=moment_if(value, "lastMessageAt") or opened,
        turns=whole(value, "turnCount"),
        replay_of=text_if(told, "replayOf") if isinstance(told, dict) else None,
    )
