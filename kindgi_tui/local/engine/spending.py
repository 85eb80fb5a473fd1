"""A cost limit: the dearest call seen is reserved for each one in flight (DESIGN section 9)."""

import asyncio
from types import TracebackType

from kindgi_tui.local.engine.turns import Answering
from kindgi_tui.local.models.calls import ModelReply, ModelRequest


class LimitReached(Exception):
    """One more call could pass the limit."""


class Spending:
    """Lets a call start only while it can't pass the limit, as far as calls seen tell.

    Until the first priced call is back nothing is known, so calls go one at a time.
    """

    def __init__(self, models: Answering, limit_usd: float, spent_usd: float = 0.0) -> None:
        self._models = models
        self._limit = limit_usd
        self._spent = spent_usd
        self._dearest = 0.0
        self._in_flight = 0
        self._first = asyncio.Lock()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The model's reply. Raises LimitReached when the limit could be passed, and what the models raise."""
        if self._dearest == 0.0:
            async with self._first:
                return await self._counted(request)
        return await self._counted(request)

    async def _counted(self, request: ModelRequest) -> ModelReply:
        if self._spent >= self._limit or self._spent + self._dearest * (self._in_flight + 1) > self._limit:
            raise LimitReached
        with _Flight(self):
            reply = await self._models.complete(request)
        cost = reply.spent_usd or 0.0
        self._spent += cost
        self._dearest = max(self._dearest, cost)
        return reply

    def flies(self, change: int) -> None:
        """Counts a call that starts (1) or ends (-1)."""
        self._in_flight += change


class _Flight:
    def __init__(self, spending: Spending) -> None:
        self._spending = spending

    def __enter__(self) -> None:
        self._spending.flies(1)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._spending.flies(-1)
