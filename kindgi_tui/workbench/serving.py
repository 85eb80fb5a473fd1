"""What working over HTTP takes, on both sides: tokens, kept answers, the outbox."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kindgi_tui.domain.outbox import OutboxCounts, OutboxEntry
    from kindgi_tui.domain.projects import Right
    from kindgi_tui.domain.serving import Bearer, KeptAnswer, KeyedRequest, Made, Token


class Tokens(Protocol):
    """Bearer tokens of those who work over HTTP."""

    async def add(self, name: str, person_id: str | None = None, right: Right = "judge") -> tuple[Token, str]:
        """Makes a token that acts as a person (the caller without one); gives it and its secret, told once.

        Raises NotFound, Conflict (`token-name-taken`), Invalid, Denied.
        """
        ...

    async def list(self) -> tuple[Token, ...]:
        """Every token, newest first, revoked ones too."""
        ...

    async def revoke(self, reference: str) -> Token:
        """Revokes the token with that id or name. Raises NotFound, Denied."""
        ...

    async def find(self, secret: str) -> Bearer:
        """Who acts with that secret. Raises Denied (`auth-missing`, `auth-revoked`)."""
        ...


class Answers(Protocol):
    """Answers to requests with an idempotency key, kept for a day so that a retry runs nothing twice."""

    async def begin(self, request: KeyedRequest) -> KeptAnswer | Made | None:
        """The answer kept for a request; None when it is to be run now. Its key is then held for 30 seconds.

        What it made already, where the process that ran it ended before its answer was kept: then the key is held too,
        and the answer is to be told of that, and kept.

        Raises Conflict (`idempotency-key-body-mismatch`, `idempotency-key-in-flight`).
        """
        ...

    async def renew(self, request: KeyedRequest) -> None:
        """Goes on holding a key whose request still runs."""
        ...

    async def keep(self, request: KeyedRequest, answer: KeptAnswer) -> None:
        """Keeps a request's answer."""
        ...

    async def release(self, request: KeyedRequest) -> None:
        """Lets the key of a refused request go: it may be sent again."""
        ...


class Outbox(Protocol):
    """What waits to be sent to a runtime; always empty where one works on this machine (DESIGN section 10)."""

    async def begin(self) -> None:
        """Begins to send what waits from earlier, in the event loop that runs; the workbench sends by itself then."""
        ...

    async def counts(self) -> OutboxCounts:
        """How much waits, without asking the runtime."""
        ...

    async def list(self) -> tuple[OutboxEntry, ...]:
        """What waits, in the order it is sent in, with what was refused and what nobody has claimed."""
        ...

    async def retry(self, entry_id: str | None = None) -> None:
        """Sends a refused entry again; one the person was asked about is sent over the newer verdict.

        One that nobody has claimed becomes the caller's, and is sent as such.

        Without an id, everything that waits is tried now. Raises NotFound.
        """
        ...

    async def drop(self, entry_id: str) -> None:
        """Forgets an entry: it is not sent. Raises NotFound, Conflict (it may have arrived already)."""
        ...

    async def settle(self, seconds: float) -> OutboxCounts:
        """Sends what waits, for at most so long, and says what is left."""
        ...
