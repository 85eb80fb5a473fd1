"""What serving the local workbench needs: tokens, kept answers, conversations."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.conversations import Conversation, ConversationFilter
from kindgi_tui.domain.projects import Right
from kindgi_tui.domain.serving import Bearer, KeptAnswer, KeyedRequest, Made, Token
from kindgi_tui.local.access import Access
from kindgi_tui.local.store import conversations, kept_answers, tokens
from kindgi_tui.workbench import Page


class LocalTokens:
    """Bearer tokens. The audit log has their names, never their secrets."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def add(self, name: str, person_id: str | None = None, right: Right = "judge") -> tuple[Token, str]:
        """Makes a token that acts as a person, the acting one unless another is named."""
        me = self._access.person.id
        return await self._access.write(
            "admin",
            "tokens.add",
            lambda c: tokens.add_token(c, name, person_id or me, right, me),
            lambda made: made[0].id,
        )

    async def list(self) -> tuple[Token, ...]:
        """Every token, newest first, revoked ones too."""
        return await self._access.read(tokens.list_tokens)

    async def revoke(self, reference: str) -> Token:
        """Revokes a token."""
        return await self._access.write(
            "admin",
            "tokens.revoke",
            lambda c: tokens.revoke_token(c, reference),
            lambda revoked: revoked.id,
        )

    async def find(self, secret: str) -> Bearer:
        """Who acts with that secret."""
        return await self._access.read(lambda c: tokens.find_bearer(c, secret))


class LocalAnswers:
    """Answers kept for retries; they belong to whoever serves, so that no right is asked."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def begin(self, request: KeyedRequest) -> KeptAnswer | Made | None:
        """The answer kept for a request, or what it made; None when it is to be run now."""
        return await self._access.database.write(lambda c: kept_answers.begin(c, request))

    async def renew(self, request: KeyedRequest) -> None:
        """Goes on holding a key whose request still runs."""
        await self._access.database.write(lambda c: kept_answers.renew(c, request))

    async def keep(self, request: KeyedRequest, answer: KeptAnswer) -> None:
        """Keeps a request's answer."""
        await self._access.database.write(lambda c: kept_answers.keep(c, request, answer))

    async def release(self, request: KeyedRequest) -> None:
        """Lets the key of a refused request go."""
        await self._access.database.write(lambda c: kept_answers.release(c, request))


class LocalConversations:
    """Conversations, made from the runs of their turns."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def list(
        self, query: ConversationFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[Conversation]:
        """Conversations, the one opened last first."""
        return await self._access.read(lambda c: conversations.list_conversations(c, query, limit, cursor))

    async def get(self, conversation_id: str) -> Conversation:
        """One conversation."""
        return await self._access.read(lambda c: conversations.get_conversation(c, conversation_id))

    async def messages(self, conversation_id: str) -> tuple[dict[str, Json], ...]:
        """Its messages in order."""
        return await self._access.read(lambda c: conversations.conversation_messages(c, conversation_id))
