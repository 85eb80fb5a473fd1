"""What is recorded, where, and by whom: projects, people, runs, conversations, the audit log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kindgi_tui.domain.base import Frozen, Json

if TYPE_CHECKING:
    from kindgi_tui.domain.conversations import Conversation, ConversationFilter
    from kindgi_tui.domain.corrections import NewCorrection
    from kindgi_tui.domain.imports import ImportOptions, ImportReport
    from kindgi_tui.domain.projects import AuditEntry, Person, Project
    from kindgi_tui.domain.queries import AuditFilter, NewJudgment, RunFilter
    from kindgi_tui.domain.runs import Run, RunDetail, Segment, TurnGiven
    from kindgi_tui.workbench.pages import Page


class ImportOutcome(Frozen):
    """What writing imported runs came to."""

    added: tuple[str, ...]
    """Ids of the runs that are new."""
    known: tuple[str, ...]
    """Ids of the runs that were there already."""
    judgments: int
    """How many judgments came along and were recorded."""
    corrections: int = 0
    """How many corrections came along and were recorded."""


class Projects(Protocol):
    """Where runs belong."""

    async def list(self) -> tuple[Project, ...]:
        """All projects, the default one first, then by name."""
        ...

    async def get(self, reference: str | None = None) -> Project:
        """The project with that id, slug or name; without one, the default. Raises NotFound."""
        ...

    async def add(self, name: str, slug: str | None = None) -> Project:
        """Makes a project. Raises Conflict when the slug or name is taken, Denied."""
        ...

    async def use(self, reference: str) -> Project:
        """Makes a project the default one. Raises NotFound, Denied."""
        ...


class People(Protocol):
    """The directory of people."""

    async def me(self) -> Person:
        """Who the caller is."""
        ...

    async def list(self) -> tuple[Person, ...]:
        """Everybody, by id."""
        ...

    async def add(self, person: Person) -> Person:
        """Adds a person, or changes the one with that id. Raises Denied, Invalid."""
        ...


class Runs(Protocol):
    """Recorded runs."""

    async def list(
        self, query: RunFilter, limit: int = 25, cursor: str | None = None, backwards: bool = False
    ) -> Page[Run]:
        """Runs, newest first. Raises Invalid for a cursor that isn't from this list.

        `backwards` gives the page before the cursor (the last one without), in the list's order.
        """
        ...

    async def count(self, query: RunFilter) -> int:
        """How many runs the whole list holds."""
        ...

    async def get(self, run_id: str) -> RunDetail:
        """One run, whole. A unique beginning of an id (8 characters or more) is enough. Raises NotFound."""
        ...

    async def add(
        self,
        runs: Sequence[RunDetail],
        judgments: Sequence[tuple[NewJudgment, str, datetime | None]] = (),
        corrections: Sequence[tuple[NewCorrection, str, datetime | None]] = (),
    ) -> ImportOutcome:
        """Writes runs down; the ones whose id is known are left as they are.

        `judgments` and `corrections` ride along, each with the id of who said it (added to the people when new) and
        when. Raises Denied.
        """
        ...

    async def import_files(
        self, paths: Sequence[Path], options: ImportOptions, dry_run: bool = False
    ) -> ImportReport:
        """Reads runs from files and folders and writes them down, or with `dry_run` only says what would come in.

        What is wrong with a file or a record stands in the report, and is no error. Raises Denied.
        """
        ...

    async def export(self, run_id: str) -> str:
        """One run with its live judgments and corrections as a line of our JSONL, without the newline.

        Raises NotFound.
        """
        ...

    async def start(
        self,
        project_id: str,
        agent_id: str,
        version: str | None,
        message: str,
        segments: Sequence[Segment] = (),
        fresh: bool = False,
        given: TurnGiven | None = None,
        begun: Callable[[RunDetail], None] | None = None,
    ) -> RunDetail:
        """Runs one turn of an agent (its newest version unless one is named) and records it.

        `begun` is told of the run, running, before the model is asked. From then on it is recorded whatever comes:
        what would be raised is its failure, and a turn that is cancelled is a cancelled run.

        Raises NotFound (the agent, the conversation), Invalid (another agent's conversation), Unsupported (no
        provider and no stored reply), Unavailable.
        """
        ...


class Conversations(Protocol):
    """The turns of an agent that belong together, made from its runs."""

    async def list(
        self, query: ConversationFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[Conversation]:
        """Conversations, the one opened last first. Raises Invalid."""
        ...

    async def get(self, conversation_id: str) -> Conversation:
        """One conversation. Raises NotFound."""
        ...

    async def messages(self, conversation_id: str) -> tuple[dict[str, Json], ...]:
        """Its messages in order, each with its `sequence`, in the wire's names. Raises NotFound."""
        ...


class Audit(Protocol):
    """What was done, by whom, when."""

    async def list(
        self, query: AuditFilter | None = None, limit: int = 25, cursor: str | None = None
    ) -> Page[AuditEntry]:
        """Entries, newest first; without a query all of them."""
        ...

    async def count(self, query: AuditFilter | None = None) -> int:
        """How many entries the whole list holds."""
        ...
