"""Conversations: the turns of an agent that belong together, as the recorded runs tell them (DESIGN section 2)."""

from collections.abc import Sequence
from datetime import datetime

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.queries import Replays

HISTORY_LIMIT = 200
"""The most messages of the conversation before a turn that it is given and that are kept of it: the newest ones."""


def history_context(messages: Sequence[Json]) -> dict[str, Json]:
    """The messages before a turn as its run's context keeps them: the newest 200, and whether there were more."""
    kept: dict[str, Json] = {"history": list(messages[-HISTORY_LIMIT:])}
    return kept | ({"historyTruncated": True} if len(messages) > HISTORY_LIMIT else {})


class ConversationFilter(Frozen):
    """Which conversations a list holds; every part given must hold."""

    project_id: str | None = None
    """Of this project."""
    agent_id: str | None = None
    """With this agent."""
    replays: Replays = "exclude"
    """Whether the conversations of replays are left out."""


class Conversation(Frozen):
    """One conversation with an agent, made from its turns' runs."""

    id: str
    """Its id."""
    project_id: str
    """The project of its first turn."""
    agent_id: str
    """The agent of its first turn."""
    agent_version: str
    """That agent's version."""
    title: str
    """The first words of its first message, one line."""
    opened_at: datetime
    """When its first turn started (UTC)."""
    last_message_at: datetime
    """When its last turn ended, or started where that is not known (UTC)."""
    turns: int
    """How many runs it has."""
    participant_id: str | None = None
    """The app's own user it was opened with, where its first turn says one."""
    replay_of: str | None = None
    """The past run, when its first turn is a replay."""
