"""Blocks of the local workbench."""

import sqlite3
from collections.abc import Sequence

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.block_rules import BlockProblem, draft_of, given_twice
from kindgi_tui.domain.blocks import BlockDraft, BlockKind, BlockVersion, PinnedBlocks, PublishedBlocks
from kindgi_tui.domain.overrides import OverrideIssue, Overrides, override_issues
from kindgi_tui.local.access import Access
from kindgi_tui.local.blocks.checking import checkers
from kindgi_tui.local.store import blocks
from kindgi_tui.local.store.catalog import get_version
from kindgi_tui.workbench import Invalid


class LocalBlocks:
    """Versioned settings, prompts and model settings."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def check(self, documents: Sequence[Json]) -> tuple[BlockProblem, ...]:
        """What is wrong with definitions, by place; empty when they may be published."""
        return await self._access.read(lambda c: _checked(c, documents)[1])

    async def publish(self, documents: Sequence[Json]) -> PublishedBlocks:
        """Registers definitions, all of them or none."""
        person = self._access.person.id

        def register(connection: sqlite3.Connection) -> PublishedBlocks:
            drafts, problems = _checked(connection, documents)
            if problems:
                raise Invalid(_sentence(problems), code="validation-failed", field=problems[0].pointer)
            return blocks.add_blocks(connection, drafts, person)

        return await self._access.write(
            "editor",
            "blocks.publish",
            register,
            lambda done: ", ".join(f"{each.id}@{each.version}" for each in (*done.added, *done.known)),
        )

    async def list(self, kind: BlockKind | None = None) -> tuple[BlockVersion, ...]:
        """The newest version of each, by id."""
        return await self._access.read(lambda c: blocks.list_blocks(c, kind))

    async def versions(self, block_id: str) -> tuple[BlockVersion, ...]:
        """Its versions, newest first."""

        def read(connection: sqlite3.Connection) -> tuple[BlockVersion, ...]:
            blocks.get_block(connection, block_id)
            return blocks.block_versions(connection, block_id)

        return await self._access.read(read)

    async def get(self, block_id: str, version: str | None = None) -> BlockVersion:
        """One version, the newest when none is named."""
        return await self._access.read(lambda c: blocks.get_block(c, block_id, version))

    async def pinned(self, agent_id: str, version: str) -> PinnedBlocks:
        """What an agent version runs with."""

        def read(connection: sqlite3.Connection) -> PinnedBlocks:
            found = get_version(connection, "agent", agent_id, version)
            return blocks.pinned_blocks(connection, found.id, found.version)

        return await self._access.read(read)

    async def override_issues(
        self, agent_id: str, version: str, overrides: Overrides
    ) -> tuple[OverrideIssue, ...]:
        """What of the overrides does not fit the agent version; empty when a comparison may run them."""
        from kindgi_tui.local.engine.candidates import load_candidate

        return await self._access.read(
            lambda c: override_issues(overrides, load_candidate(c, agent_id, version).has, checkers())
        )


def _checked(
    connection: sqlite3.Connection, documents: Sequence[Json]
) -> tuple[list[BlockDraft], tuple[BlockProblem, ...]]:
    drafts: list[tuple[int, BlockDraft]] = []
    problems: list[BlockProblem] = []
    for place, document in enumerate(documents):
        draft, found = draft_of(document, checkers())
        if draft is not None:
            drafts.append((place, draft))
            found = _against_latest(connection, draft)
        problems += [each.model_copy(update={"block": place}) for each in found]
    return [draft for _, draft in drafts], (*problems, *given_twice(drafts))


def _against_latest(connection: sqlite3.Connection, draft: BlockDraft) -> tuple[BlockProblem, ...]:
    """A new version's values must satisfy the latest version's schema too: tools that read them go by it."""
    versions = blocks.block_versions(connection, draft.id)
    if not versions or any(each.version == draft.version for each in versions):
        return ()
    latest = versions[0]
    if latest.kind != draft.kind or latest.json_schema is None:
        return ()
    return tuple(
        BlockProblem(
            pointer=f"/content/values{each.pointer}",
            message=f"{each.message} (the schema of {latest.version}, which a new version's values satisfy too)",
        )
        for each in checkers().misfits(draft.content.get("values"), latest.json_schema)
    )


def _sentence(problems: tuple[BlockProblem, ...]) -> str:
    told = "; ".join(f"{each.pointer or 'the block'}: {each.message}" for each in problems)
    return f"Nothing was published: {told}."
