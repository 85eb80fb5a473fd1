"""Asking models: limits per provider, backing off, bounded second tries (DESIGN section 9, the engine)."""

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Protocol, Self

from kindgi_tui.local.models.calls import ModelReply, ModelRequest, with_own_call_ids
from kindgi_tui.local.models.config import ModelsConfig
from kindgi_tui.local.models.failures import NoProvider
from kindgi_tui.local.models.providers import Provider
from kindgi_tui.local.models.retrying import Fault, Patience, TryFailed


class Client(Protocol):
    """One try at a time at one provider."""

    async def send(self, request: ModelRequest) -> ModelReply:
        """The reply. Raises TryFailed."""
        ...

    async def offered(self) -> tuple[str, ...]:
        """The model names on offer, where the provider tells. Raises TryFailed."""
        ...

    async def close(self) -> None:
        """Closes its connections."""
        ...


class Asks(Protocol):
    """Whoever answers requests: `Models`, or the reply cache in front of it."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply. Raises ModelError."""
        ...


class _Line:
    """One provider in use: its client, its slots, and until when it asked to be left alone."""

    def __init__(self, client: Client, slots: int) -> None:
        self.client = client
        self.slots = asyncio.Semaphore(slots)
        self.closed_until = 0.0


class Models:
    """The configured providers. An async context manager: leaving it closes the connections.

    `at_once` is how many calls may be under way at a provider whose configuration names no `concurrency`: the
    engine passes its own. Clock, sleep and chance can be given, for tests: `now` is seconds since 1970, `sleep`
    waits that many seconds, `chance` gives numbers in [0, 1).
    """

    def __init__(
        self,
        config: ModelsConfig,
        *,
        at_once: int = 16,
        environment: Mapping[str, str] | None = None,
        patience: Patience | None = None,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.config = config
        """What it was made from."""
        self._at_once = at_once
        self._environment = os.environ if environment is None else environment
        self._patience = patience or Patience()
        self._now = now
        self._sleep = sleep
        self._chance = chance
        self._lines: dict[str, _Line] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        lines, self._lines = self._lines, {}
        for line in lines.values():
            await line.client.close()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The model's reply, after as many tries as `Patience` allows.

        A provider that says when to come back (`Retry-After`) is left alone until then by every call. A call that
        waits for its next try holds no slot. Cancelling it at any moment leaves nothing behind. Raises ModelError:
        ModelUnavailable, ModelRefused, ModelGarbled or NoProvider.
        """
        line = self._line(request.model.provider)
        tries, waited = 0, 0.0
        while True:
            # Bounded: each turn of this loop spends a try, and `Patience` ends it.
            tries += 1
            try:
                async with line.slots:
                    closed = line.closed_until - self._now() if line.closed_until else 0.0
                    if closed > 0:
                        await self._sleep(closed + min(closed, 1.0) * self._chance())
                    return with_own_call_ids(await line.client.send(request), request)
            except TryFailed as failed:
                pause = self._patience.wait(failed, tries, waited, self._chance())
                if pause is None:
                    raise failed.error from None
                if failed.fault is Fault.LIMITED:
                    waited += pause
                    told = failed.error.retry_after
                    if told:
                        line.closed_until = max(line.closed_until, self._now() + told)
            await self._sleep(pause)

    async def offered(self, provider: str) -> tuple[str, ...]:
        """The model names a provider offers, empty where it doesn't tell. Raises ModelError."""
        line = self._line(provider)
        try:
            async with line.slots:
                return await line.client.offered()
        except TryFailed as failed:
            raise failed.error from None

    def _line(self, name: str) -> _Line:
        line = self._lines.get(name)
        if line is None:
            provider = self.config.provider(name)
            slots = provider.concurrency or self._at_once
            provider = provider.model_copy(update={"concurrency": slots})
            line = self._lines[name] = _Line(self._client(provider), slots)
        return line

    def _client(self, provider: Provider) -> Client:
        key = provider.key(self._environment)
        if key is None and (provider.api_key_env or provider.kind == "anthropic"):
            raise NoProvider(
                f"{provider.name} needs a key. Set {provider.api_key_env or '`api_key_env` in models.toml'}."
            )
        if provider.kind == "anthropic":
            from kindgi_tui.local.models.anthropic_client import AnthropicClient

            return AnthropicClient(provider, key, self._now)
        from kindgi_tui.local.models.openai_client import OpenAIClient

        return OpenAIClient(provider, key, self._now)
