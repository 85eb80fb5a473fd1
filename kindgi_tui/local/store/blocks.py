"""Blocks in the store: their versions, and what an agent version pins."""

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from kindgi_tui.domain.blocks import (
    BlockDraft,
    BlockKind,
    BlockVersion,
    PinnedBlocks,
    PinRole,
    PublishedBlocks,
)
from kindgi_tui.local.store.catalog import version_order
from kindgi_tui.local.store.values import dump_json, from_ms, load_json, now_ms, restored, storable
from kindgi_tui.workbench import Conflict, NotFound

_COLUMNS = "id, version, kind, description, content, digest, published, published_by"


def block_digest(draft: BlockDraft) -> str:
    """The hash (hex of sha256) of a block's kind, description and content, whatever the order of keys."""
    said = json.dumps([draft.kind, draft.description, draft.content], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(said.encode("ascii")).hexdigest()


def add_blocks(connection: sqlite3.Connection, drafts: Sequence[BlockDraft], person: str) -> PublishedBlocks:
    """Registers versions of blocks.

    Raises Conflict when a version is taken by other content, or the block is of another kind.
    """
    added: list[BlockVersion] = []
    known: list[BlockVersion] = []
    for draft in drafts:
        digest = block_digest(draft)
        versions = block_versions(connection, draft.id)
        if versions and versions[0].kind != draft.kind:
            raise Conflict(
                f"Block {draft.id} is a {versions[0].kind} block, and a block keeps its kind. Give the "
                f"{draft.kind} block an id of its own.",
                code="block-kind-mismatch",
            )
        found = next((each for each in versions if each.version == draft.version), None)
        if found is None:
            connection.execute(
                f"INSERT INTO blocks ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    draft.id,
                    draft.version,
                    draft.kind,
                    storable(draft.description),
                    dump_json(draft.content),
                    digest,
                    now_ms(),
                    storable(person),
                ),
            )
            added.append(get_block(connection, draft.id, draft.version))
        elif found.digest == digest:
            known.append(found)
        else:
            raise Conflict(
                f"Block {draft.id} {draft.version} is published with other content, and a version never changes. "
                "Give the changed block a new version and publish again.",
                code="block-already-registered",
            )
    return PublishedBlocks(added=tuple(added), known=tuple(known))


def list_blocks(connection: sqlite3.Connection, kind: BlockKind | None = None) -> tuple[BlockVersion, ...]:
    """The newest version of each block, by id; only of one kind where it is given."""
    newest: dict[str, BlockVersion] = {}
    for row in connection.execute(f"SELECT {_COLUMNS} FROM blocks ORDER BY id"):
        block = _block(row)
        known = newest.get(block.id)
        if known is None or version_order(block.version) > version_order(known.version):
            newest[block.id] = block
    return tuple(each for each in newest.values() if kind is None or each.kind == kind)


def block_versions(connection: sqlite3.Connection, block_id: str) -> tuple[BlockVersion, ...]:
    """Every version of a block, newest first; empty when there is none."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM blocks WHERE id = ?", (storable(block_id),)).fetchall()
    return tuple(sorted(map(_block, rows), key=lambda block: version_order(block.version), reverse=True))


def get_block(connection: sqlite3.Connection, block_id: str, version: str | None = None) -> BlockVersion:
    """One version of a block, the newest when none is named. Raises NotFound."""
    versions = block_versions(connection, block_id)
    if not versions:
        raise NotFound(
            f'No block has the id "{block_id}". `kindgi-tui blocks list` shows them; kindgi-tui blocks publish FILE '
            "publishes one.",
            code="block-not-found",
        )
    for block in versions:
        if version is None or block.version == version:
            return block
    have = ", ".join(each.version for each in versions)
    raise NotFound(f'Block "{block_id}" has no version {version}; there is {have}.', code="block-not-found")


def pin_blocks(
    connection: sqlite3.Connection,
    agent_id: str,
    version: str,
    pins: Sequence[tuple[PinRole, BlockVersion]],
) -> None:
    """Writes down what an agent version runs with; what was written before stays."""
    connection.executemany(
        "INSERT INTO agent_pins (agent, version, place, role, block) "
        "SELECT ?, ?, ?, ?, seq FROM blocks WHERE id = ? AND version = ? ON CONFLICT DO NOTHING",
        [
            (storable(agent_id), storable(version), place, role, block.id, block.version)
            for place, (role, block) in enumerate(pins)
        ],
    )


def pinned_blocks(connection: sqlite3.Connection, agent_id: str, version: str) -> PinnedBlocks:
    """What an agent version runs with; nothing for one that pins none, or isn't registered."""
    columns = ", ".join(f"blocks.{name.strip()}" for name in _COLUMNS.split(","))
    rows = connection.execute(
        f"SELECT role, {columns} FROM agent_pins JOIN blocks ON blocks.seq = agent_pins.block "
        "WHERE agent = ? AND agent_pins.version = ? ORDER BY place",
        (storable(agent_id), storable(version)),
    ).fetchall()
    found = [(role, _block(row)) for role, *row in rows]
    return PinnedBlocks(
        prompt=next((block for role, block in found if role == "prompt"), None),
        settings=tuple(block for role, block in found if role == "settings"),
        model_settings=next((block for role, block in found if role == "model-settings"), None),
    )


def _block(row: Sequence[Any]) -> BlockVersion:
    identity, version, kind, description, content, digest, published, by = row
    return BlockVersion(
        id=identity,
        version=version,
        kind=kind,
        description=restored(description),
        content=load_json(content),
        digest=digest,
        published_at=from_ms(published),
        published_by=restored(by),
    )
