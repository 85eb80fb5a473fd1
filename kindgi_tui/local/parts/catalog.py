"""Agents, flows, packs and models of the local workbench."""

import asyncio
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.catalog import CatalogVersion, EntryKind, PackSnapshot, Published
from kindgi_tui.local.access import Access
from kindgi_tui.local.store import catalog
from kindgi_tui.local.store.values import from_ms, now_ms
from kindgi_tui.workbench import ModelStatus, NotFound

if TYPE_CHECKING:
    from kindgi_tui.local.packs.definitions import AgentVersion


class LocalCatalog:
    """Agents or flows, at their versions."""

    def __init__(self, access: Access, kind: EntryKind) -> None:
        self._access = access
        self._kind = kind

    async def list(self) -> tuple[CatalogVersion, ...]:
        """The newest version of each, by id."""
        return await self._access.read(lambda c: catalog.list_entries(c, self._kind))

    async def versions(self, entry_id: str) -> tuple[CatalogVersion, ...]:
        """Its versions, newest first."""
        found = await self._access.read(lambda c: catalog.entry_versions(c, self._kind, entry_id))
        if not found:
            raise NotFound(
                f'No {self._kind} registered with id "{entry_id}". Publish its pack: kindgi-tui packs publish DIR.',
                code=f"{self._kind}-not-found",
            )
        return found

    async def get(self, entry_id: str, version: str | None = None) -> CatalogVersion:
        """One version, the newest when none is named."""
        return await self._access.read(lambda c: catalog.get_version(c, self._kind, entry_id, version))


class LocalPacks:
    """Published packs."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def publish(self, folder: Path, python: str | None = None) -> Published:
        """Copies, indexes and registers a pack."""
        from kindgi_tui.local.blocks.pinning import check_blocks, resolve_blocks
        from kindgi_tui.local.packs.publishing import (
            check_supported,
            declared_id,
            index_pack,
            install_snapshot,
        )
        from kindgi_tui.local.store.blocks import pin_blocks

        self._access.require("admin")
        known = declared_id(folder)
        env = await self.env(known) if known is not None else {}
        with await index_pack(folder, python, env) as indexed:
            check_supported(indexed.index)
            index = indexed.index
            await self._access.read(lambda c: check_blocks(c, _new_agents(c, index.agents)))
            snapshot = PackSnapshot(
                digest=indexed.digest,
                pack_id=index.pack_id,
                pack_version=index.pack_version,
                python=indexed.python,
                published_at=from_ms(now_ms()),
                published_by=self._access.person.id,
                env_required=index.env_required,
                env_optional=index.env_optional,
            )
            entries: list[tuple[EntryKind, str, str, str, Json]] = [
                *(("tool", each.id, each.version, each.digest, each.definition) for each in index.tools),
                *(("agent", each.id, each.version, each.digest, each.definition) for each in index.agents),
                *(("flow", each.id, each.version, each.digest, each.definition) for each in index.flows),
            ]

            def register(connection: sqlite3.Connection) -> Published:
                new = _new_agents(connection, index.agents)
                check_blocks(connection, new)
                published = catalog.register_pack(connection, snapshot, entries)
                for agent in new:
                    pins = resolve_blocks(connection, agent).pins
                    pin_blocks(connection, agent.id, agent.version, pins)
                return published

            # Files first: a snapshot without a row is harmless, a row without its files is not.
            await asyncio.to_thread(install_snapshot, indexed, self._access.packs_folder)
            return await self._access.write(
                "admin",
                "packs.publish",
                register,
                f"{index.pack_id}@{index.pack_version}",
            )

    async def list(self) -> tuple[PackSnapshot, ...]:
        """Published snapshots, newest first."""
        return await self._access.read(catalog.list_packs)

    async def env(self, pack_id: str) -> dict[str, str]:
        """The environment values set for a pack's tools."""
        return await self._access.read(lambda c: catalog.pack_env(c, pack_id))

    async def set_env(self, pack_id: str, name: str, value: str | None) -> None:
        """Sets a value, or with None removes it. The audit log has the name alone."""
        await self._access.write(
            "admin", "packs.env", lambda c: catalog.set_pack_env(c, pack_id, name, value), f"{pack_id} {name}"
        )


def _new_agents(
    connection: sqlite3.Connection, agents: tuple["AgentVersion", ...]
) -> tuple["AgentVersion", ...]:
    """Those not registered yet: what a registered version pins never changes."""
    return tuple(
        agent
        for agent in agents
        if catalog.find_version(connection, "agent", agent.id, agent.version) is None
    )


class LocalModels:
    """Where models' replies come from."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def list(self) -> tuple[ModelStatus, ...]:
        """The configured providers, without calling them."""
        from kindgi_tui.local.models.checking import listed
        from kindgi_tui.local.models.config import load_models

        return listed(load_models(self._access.folder))

    async def check(self) -> tuple[ModelStatus, ...]:
        """The same, each asked for one tiny reply."""
        from kindgi_tui.local.models.checking import check
        from kindgi_tui.local.models.config import load_models

        return await check(load_models(self._access.folder))

    async def remember(self, replies: dict[str, Json]) -> None:
        """Puts replies into the reply cache by key."""
        await self._access.write("editor", None, lambda c: catalog.put_replies(c, replies))
