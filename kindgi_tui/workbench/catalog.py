"""What can run: agents, flows, tools, packs, and the models they ask."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kindgi_tui.domain.base import Frozen, Json

if TYPE_CHECKING:
    from kindgi_tui.domain.block_rules import BlockProblem
    from kindgi_tui.domain.blocks import BlockKind, BlockVersion, PinnedBlocks, PublishedBlocks
    from kindgi_tui.domain.catalog import CatalogVersion, PackSnapshot, Published
    from kindgi_tui.domain.overrides import OverrideIssue, Overrides


class Catalog(Protocol):
    """Agents, flows or tools, at their versions."""

    async def list(self) -> tuple[CatalogVersion, ...]:
        """The newest version of each, by id."""
        ...

    async def versions(self, entry_id: str) -> tuple[CatalogVersion, ...]:
        """Its versions, newest first. Raises NotFound."""
        ...

    async def get(self, entry_id: str, version: str | None = None) -> CatalogVersion:
        """One version, the newest when none is named. Raises NotFound."""
        ...


class Packs(Protocol):
    """Published packs."""

    async def publish(self, folder: Path, python: str | None = None) -> Published:
        """Copies, indexes and registers a pack. Raises Invalid, Conflict (a version's content differs),
        Unsupported (it declares what can't be run), Denied."""
        ...

    async def list(self) -> tuple[PackSnapshot, ...]:
        """Published snapshots, newest first."""
        ...

    async def env(self, pack_id: str) -> dict[str, str]:
        """The environment values set for a pack's tools. They may be secrets: faces show names alone."""
        ...

    async def set_env(self, pack_id: str, name: str, value: str | None) -> None:
        """Sets a value, or with None removes it. Raises NotFound, Denied."""
        ...


class Blocks(Protocol):
    """Versioned settings, prompts and model settings, which agent versions pin."""

    async def check(self, documents: Sequence[Json]) -> tuple[BlockProblem, ...]:
        """What is wrong with definitions of blocks, by place; empty when they may be published."""
        ...

    async def publish(self, documents: Sequence[Json]) -> PublishedBlocks:
        """Registers definitions, all of them or none: id, version, kind, description, content.

        Raises Invalid (naming every problem), Conflict (a version's content or the block's kind differs), Denied.
        """
        ...

    async def list(self, kind: BlockKind | None = None) -> tuple[BlockVersion, ...]:
        """The newest version of each, by id; only of one kind where it is given."""
        ...

    async def versions(self, block_id: str) -> tuple[BlockVersion, ...]:
        """Its versions, newest first. Raises NotFound."""
        ...

    async def get(self, block_id: str, version: str | None = None) -> BlockVersion:
        """One version, the newest when none is named. Raises NotFound."""
        ...

    async def pinned(self, agent_id: str, version: str) -> PinnedBlocks:
        """The blocks an agent version runs with. Raises NotFound."""
        ...

    async def override_issues(
        self, agent_id: str, version: str, overrides: Overrides
    ) -> tuple[OverrideIssue, ...]:
        """What of a comparison's overrides does not fit the agent version; empty when they may run.

        Raises NotFound.
        """
        ...


class ModelStatus(Frozen):
    """One configured provider, and what a check of it said."""

    provider: str
    """Its name."""
    model: str | None
    """Its default model."""
    address: str
    """Where it is asked."""
    ready: bool | None
    """Whether a tiny call worked; None: not tried."""
    sentence: str
    """What is so, or what to do."""


class Models(Protocol):
    """Where models' replies come from."""

    async def list(self) -> tuple[ModelStatus, ...]:
        """The configured providers, without calling them."""
        ...

    async def check(self) -> tuple[ModelStatus, ...]:
        """The same, each asked for one tiny reply."""
        ...

    async def remember(self, replies: dict[str, Json]) -> None:
        """Puts replies into the reply cache by key."""
        ...
