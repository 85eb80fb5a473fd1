"""What packs bring: agents, flows and tools at exact versions (DESIGN section 9)."""

from datetime import datetime
from typing import Literal

from kindgi_tui.domain.base import Frozen, Json

EntryKind = Literal["agent", "flow", "tool"]
"""What a version registers."""


class CatalogVersion(Frozen):
    """One registered version of an agent, a flow or a tool."""

    kind: EntryKind
    """Which of the three."""
    id: str
    """The dotted id."""
    version: str
    """The exact version, `x.y.z`."""
    digest: str
    """The hash of its definition; a version whose content differs is refused."""
    pack_digest: str
    """The snapshot whose service runs it."""
    definition: Json = None
    """The indexer's entry, as it stood in the index."""
    published_at: datetime | None
    """When it was registered (UTC)."""


class PackSnapshot(Frozen):
    """One published copy of a pack's folder."""

    digest: str
    """The hash of its files; also its folder's name under `packs/`."""
    pack_id: str
    """The pack's id."""
    pack_version: str
    """The pack's version."""
    python: str | None = None
    """The interpreter that runs it; None: the workbench's own."""
    published_at: datetime
    """When it was published (UTC)."""
    published_by: str
    """Who published it."""
    env_required: tuple[str, ...] = ()
    """Environment values its tools can't do without."""
    env_optional: tuple[str, ...] = ()
    """Environment values its tools may use."""


class Published(Frozen):
    """What a publish came to."""

    snapshot: PackSnapshot
    """The copy."""
    added: tuple[CatalogVersion, ...]
    """Versions that are new."""
    known: tuple[CatalogVersion, ...]
    """Versions that were registered already, with the same content."""
