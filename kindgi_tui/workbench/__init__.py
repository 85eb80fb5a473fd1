"""The one door: the protocol every face uses, and the errors it may raise (DESIGN sections 3 and 14)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kindgi_tui.workbench.cases import Cases
from kindgi_tui.workbench.catalog import (
    Blocks,
    Catalog,
    Models,
    ModelStatus,
    Packs,
)
from kindgi_tui.workbench.comparing import (
    Comparisons,
    TestSets,
)
from kindgi_tui.workbench.errors import (
    Conflict,
    Denied,
    Interrupted,
    Invalid,
    NotFound,
    Refused,
    Unavailable,
    Unsupported,
    WorkbenchError,
)
from kindgi_tui.workbench.judging import (
    Corrections,
    Groups,
    Guidelines,
    Judgments,
    Queue,
)
from kindgi_tui.workbench.pages import (
    Page,
)
from kindgi_tui.workbench.recording import (
    Audit,
    Conversations,
    ImportOutcome,
    People,
    Projects,
    Runs,
)
from kindgi_tui.workbench.serving import (
    Answers,
    Outbox,
    Tokens,
)

if TYPE_CHECKING:
    from kindgi_tui.domain.projects import Person
    from kindgi_tui.domain.serving import KeyedRequest

__all__ = [
    "Answers",
    "Audit",
    "Blocks",
    "Cases",
    "Catalog",
    "Comparisons",
    "Conflict",
    "Conversations",
    "Corrections",
    "Denied",
    "Groups",
    "Guidelines",
    "ImportOutcome",
    "Interrupted",
    "Invalid",
    "Judgments",
    "ModelStatus",
    "Models",
    "NotFound",
    "Outbox",
    "Packs",
    "Page",
    "People",
    "Projects",
    "Queue",
    "Refused",
    "Runs",
    "TestSets",
    "Tokens",
    "Unavailable",
    "Unsupported",
    "Workbench",
    "WorkbenchError",
]


class Workbench(Protocol):
    """Everything a face can do. Every async call may raise only the errors of this module."""

    @property
    def where(self) -> str:
        """Where one works, for the status line: a folder or an address."""
        ...

    @property
    def projects(self) -> Projects:
        """Projects."""
        ...

    @property
    def people(self) -> People:
        """People."""
        ...

    @property
    def runs(self) -> Runs:
        """Runs."""
        ...

    @property
    def conversations(self) -> Conversations:
        """Conversations."""
        ...

    @property
    def judgments(self) -> Judgments:
        """Judgments."""
        ...

    @property
    def corrections(self) -> Corrections:
        """Corrections."""
        ...

    @property
    def groups(self) -> Groups:
        """Groups."""
        ...

    @property
    def queue(self) -> Queue:
        """The runs that owe a verdict."""
        ...

    @property
    def guidelines(self) -> Guidelines:
        """What judges go by."""
        ...

    @property
    def test_sets(self) -> TestSets:
        """Test sets."""
        ...

    @property
    def cases(self) -> Cases:
        """The cases of agents' own test sets."""
        ...

    @property
    def comparisons(self) -> Comparisons:
        """Comparisons."""
        ...

    @property
    def agents(self) -> Catalog:
        """Agents."""
        ...

    @property
    def flows(self) -> Catalog:
        """Flows."""
        ...

    @property
    def tools(self) -> Catalog:
        """Tools."""
        ...

    @property
    def packs(self) -> Packs:
        """Packs."""
        ...

    @property
    def blocks(self) -> Blocks:
        """Blocks."""
        ...

    @property
    def models(self) -> Models:
        """Models."""
        ...

    @property
    def audit(self) -> Audit:
        """The audit log."""
        ...

    @property
    def outbox(self) -> Outbox:
        """What waits to be sent."""
        ...

    @property
    def tokens(self) -> Tokens:
        """Bearer tokens."""
        ...

    @property
    def answers(self) -> Answers:
        """Answers kept for retries."""
        ...

    def acting_as(self, person: Person, request: KeyedRequest | None = None) -> Workbench:
        """The same workbench with somebody else acting, with the right `person` has here; closed with this one. What it
        makes last is noted under the key of `request`, so that a retry makes nothing twice.

        Raises Denied unless the caller is an admin or that person.
        """
        ...

    async def backup(self, path: Path) -> None:
        """Writes a consistent copy of what is stored to a new file. Raises Conflict (it is there), Unsupported."""
        ...

    async def close(self) -> None:
        """Ends every process and file handle it holds."""
        ...
