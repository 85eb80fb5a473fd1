"""What the tests of models share: a configuration for the test server, requests, and a clock without waiting."""

from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.local.models.asking import Models
from kindgi_tui.local.models.calls import (
    Message,
    ModelRef,
    ModelRequest,
    SystemMessage,
    ToolOffer,
    UserMessage,
)
from kindgi_tui.local.models.config import ModelsConfig
from kindgi_tui.local.models.providers import Provider
from tests.local.models.server import ModelServer

KEY = "sk-very-secret-0123456789"
SEARCH = ToolOffer(
    id="acme-ops.search-articles",
    description="Searches.",
    input_schema={"type": "object", "properties": {"query": {"type": "string"}}},
)


class Clock:
    """A clock that only sleeping moves; `slept` holds every sleep."""

    def __init__(self) -> None:
        self.at = 1_800_000_000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds


def provider(server: ModelServer, kind: str = "openai", **more: Any) -> Provider:
    address = server.url if kind == "openai" else server.root
    return Provider.model_validate(
        {"name": "p", "kind": kind, "base_url": address, "api_key_env": "KEY", "timeout_s": 10, **more}
    )


def models(server: ModelServer, kind: str = "openai", clock: Clock | None = None, **more: Any) -> Models:
    clock = clock or Clock()
    return Models(
        ModelsConfig(providers={"p": provider(server, kind, **more)}),
        environment={"KEY": KEY},
        now=clock.now,
        sleep=clock.sleep,
        chance=lambda: 0.5,
    )


def ask(*messages: Message, settings: dict[str, Json] | None = None, **more: Any) -> ModelRequest:
    said = messages or (SystemMessage(text="Be brief."), UserMessage(text="Hello?"))
    return ModelRequest(
        model=ModelRef(provider="p", model="mock"), messages=said, settings=settings or {}, **more
    )
