"""Agents, flows and tools of a runtime, at their versions."""

import re

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.catalog import CatalogVersion, EntryKind
from kindgi_tui.remote import v01
from kindgi_tui.remote.context import Context

_NUMBERS = re.compile(r"\d+")


class RemoteCatalog:
    """One kind of what a runtime has registered."""

    def __init__(self, context: Context, kind: EntryKind) -> None:
        self._runtime = context.runtime
        self._kind = kind

    async def list(self) -> tuple[CatalogVersion, ...]:
        """The newest version of each, by id."""
        rows = await self._runtime.all_rows(f"{self._kind}s.list")
        return tuple(sorted((self._entry(row) for row in rows), key=lambda one: one.id))

    async def versions(self, entry_id: str) -> tuple[CatalogVersion, ...]:
        """Its versions, newest first."""
        rows = await self._runtime.all_rows(f"{self._kind}s.versions", entry_id)
        found = [self._entry(row) for row in rows]
        return tuple(sorted(found, key=lambda one: version_order(one.version), reverse=True))

    async def get(self, entry_id: str, version: str | None = None) -> CatalogVersion:
        """One version, the newest when none is named."""
        if version is None:
            return self._entry(await self._runtime.get(f"{self._kind}s.get", entry_id))
        return self._entry(await self._runtime.get(f"{self._kind}s.version", entry_id, version))

    def _entry(self, row: dict[str, Json]) -> CatalogVersion:
        return v01.entry(row, self._kind)


def version_order(version: str) -> tuple[int, ...]:
    """What versions are ordered by."""
    return tuple(int(number[:18]) for number in _NUMBERS.findall(version)[:3])
