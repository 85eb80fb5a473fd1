"""What no runtime offers over its API: each says so, and where it is done instead."""

from collections.abc import Sequence
from pathlib import Path

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.block_rules import BlockProblem
from kindgi_tui.domain.blocks import BlockKind, BlockVersion, PinnedBlocks, PublishedBlocks
from kindgi_tui.domain.catalog import PackSnapshot, Published
from kindgi_tui.domain.judging import Guideline, Owed
from kindgi_tui.domain.overrides import OverrideIssue, Overrides
from kindgi_tui.domain.projects import AuditEntry, Right
from kindgi_tui.domain.queries import AuditFilter
from kindgi_tui.domain.runs import SubjectKind
from kindgi_tui.domain.serving import Bearer, KeptAnswer, KeyedRequest, Made, Token
from kindgi_tui.workbench import ModelStatus, Page, Unsupported


class RemotePacks:
    """Packs are deployed to a runtime with its own tools."""

    async def publish(self, folder: Path, python: str | None = None) -> Published:
        """Not offered."""
        raise _packs()

    async def list(self) -> tuple[PackSnapshot, ...]:
        """Not offered."""
        raise _packs()

    async def env(self, pack_id: str) -> dict[str, str]:
        """Not offered."""
        raise _packs()

    async def set_env(self, pack_id: str, name: str, value: str | None) -> None:
        """Not offered."""
        raise _packs()


class RemoteBlocks:
    """Blocks are published to a runtime with its own tools."""

    async def check(self, documents: Sequence[Json]) -> tuple[BlockProblem, ...]:
        """Not offered."""
        raise _blocks()

    async def publish(self, documents: Sequence[Json]) -> PublishedBlocks:
        """Not offered."""
        raise _blocks()

    async def list(self, kind: BlockKind | None = None) -> tuple[BlockVersion, ...]:
        """Not offered."""
        raise _blocks()

    async def versions(self, block_id: str) -> tuple[BlockVersion, ...]:
        """Not offered."""
        raise _blocks()

    async def get(self, block_id: str, version: str | None = None) -> BlockVersion:
        """Not offered."""
        raise _blocks()

    async def pinned(self, agent_id: str, version: str) -> PinnedBlocks:
        """Not offered."""
        raise _blocks()

    async def override_issues(
        self, agent_id: str, version: str, overrides: Overrides
    ) -> tuple[OverrideIssue, ...]:
        """Not offered: the runtime checks them when a comparison starts."""
        raise _blocks()


class RemoteModels:
    """A runtime asks its models itself."""

    async def list(self) -> tuple[ModelStatus, ...]:
        """Not told."""
        raise _models()

    async def check(self) -> tuple[ModelStatus, ...]:
        """Not told."""
        raise _models()

    async def remember(self, replies: dict[str, Json]) -> None:
        """Not offered."""
        raise Unsupported("The API has no way to keep replies of models: they are kept in a local workspace.")


class RemoteAudit:
    """A runtime's audit log is its admins'."""

    async def list(
        self, query: AuditFilter | None = None, limit: int = 25, cursor: str | None = None
    ) -> Page[AuditEntry]:
        """Not offered."""
        raise _audit()

    async def count(self, query: AuditFilter | None = None) -> int:
        """Not offered."""
        raise _audit()


class RemoteGuidelines:
    """A runtime keeps no guidelines: there is none, and what is owed is the default."""

    async def get(self, project_id: str, kind: SubjectKind, subject_id: str) -> Guideline | None:
        """There is none."""
        return None

    async def versions(self, project_id: str, kind: SubjectKind, subject_id: str) -> tuple[Guideline, ...]:
        """There are none."""
        return ()

    async def save(self, project_id: str, kind: SubjectKind, subject_id: str, text: str) -> Guideline:
        """Not offered."""
        raise Unsupported("A runtime keeps no guidelines: they live in a local workspace.")

    async def owed(self, project_id: str, kind: SubjectKind, subject_id: str) -> Owed:
        """The lists' elements, else the answer."""
        return "elements"

    async def set_owed(self, project_id: str, kind: SubjectKind, subject_id: str, chosen: Owed) -> None:
        """Not offered."""
        raise Unsupported("A runtime doesn't keep which items are to be judged: that is a local workspace's.")


class RemoteTokens:
    """A runtime's tokens are its own."""

    async def add(self, name: str, person_id: str | None = None, right: Right = "judge") -> tuple[Token, str]:
        """Not offered."""
        raise _tokens()

    async def list(self) -> tuple[Token, ...]:
        """Not offered."""
        raise _tokens()

    async def revoke(self, reference: str) -> Token:
        """Not offered."""
        raise _tokens()

    async def find(self, secret: str) -> Bearer:
        """Not offered."""
        raise _tokens()


class RemoteAnswers:
    """A runtime keeps its answers itself."""

    async def begin(self, request: KeyedRequest) -> KeptAnswer | Made | None:
        """Not offered."""
        raise _answers()

    async def renew(self, request: KeyedRequest) -> None:
        """Not offered."""
        raise _answers()

    async def keep(self, request: KeyedRequest, answer: KeptAnswer) -> None:
        """Not offered."""
        raise _answers()

    async def release(self, request: KeyedRequest) -> None:
        """Not offered."""
        raise _answers()


def _audit() -> Unsupported:
    return Unsupported("This runtime doesn't show its audit log over the API: ask one of its admins.")


def _models() -> Unsupported:
    return Unsupported("A runtime asks its models itself, and doesn't tell which: ask whoever runs it.")


def _tokens() -> Unsupported:
    return Unsupported("A runtime's tokens are made there; `kindgi-tui tokens` makes those of a workspace.")


def _answers() -> Unsupported:
    return Unsupported("A runtime can't be served on: `kindgi-tui serve` puts a workspace behind the API.")


def _blocks() -> Unsupported:
    return Unsupported("Blocks are published to a runtime with its own CLI (`kindgi blocks`), not from here.")


def _packs() -> Unsupported:
    return Unsupported("Packs are deployed to a runtime with its own CLI (`kindgi deploy`), not from here.")
