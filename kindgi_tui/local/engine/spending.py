"""What a comparison's calls cost, and a limit: the dearest call seen is reserved for each one in flight.

DESIGN section 9. It stands behind the reply cache, so stored replies neither cost nor wait.
"""

import asyncio

from kindgi_tui.local.models.asking import Asks
from kindgi_tui.local.models.calls import ModelReply, ModelRequest


class LimitReached(Exception):
    """One more call could pass the limit."""


class Spending:
    """Counts what calls cost, and with a limit lets one start only while it can't pass it, as far as calls seen tell.

    Until the first call is back nothing is known of prices, so under a limit the others wait for it.
    """

    def __init__(
        self,
        models: Asks,
        limit_usd: float | None = None,
        spent_usd: float = 0.0,
        dearest_usd: float = 0.0,
    ) -> None:
        """When a comparison is resumed, `spent_usd` was spent before, and a call cost about `dearest_usd`."""
        self._models = models
        self._limit = limit_usd
        self.spent_usd = spent_usd
        """What was spent so far, in US dollars; calls whose price is not known count nothing."""
        self._dearest = dearest_usd
        self._in_flight = 0
        self._known = limit_usd is None or dearest_usd > 0
        self._first = asyncio.Lock()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The model's reply. Raises LimitReached when the limit could be passed, and what the models raise."""
        if not self._known:
            async with self._first:
                if not self._known:
                    reply = await self._counted(request)
                    self._known = True
                    return reply
        return await self._counted(request)

    async def _counted(self, request: ModelRequest) -> ModelReply:
        if self._limit is not None:
            reserved = self._dearest * (self._in_flight + 1)
            if self.spent_usd >= self._limit or self.spent_usd + reserved > self._limit:
                raise LimitReached
        self._in_flight += 1
        try:
            reply = await self._models.complete(request)
        finally:
            self._in_flight -= 1
        cost = reply.spent_usd or 0.0
        self.spent_usd += cost
        self._dearest = max(self._dearest, cost)
        return reply
