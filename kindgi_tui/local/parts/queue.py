"""The queue and the guidelines of the local workbench."""

import sqlite3

from kindgi_tui.domain.judging import (
    CorrectedApart,
    Disagreement,
    Guideline,
    Owed,
    QueuedRun,
    QueueFilter,
    QueueProgress,
)
from kindgi_tui.domain.runs import SubjectKind
from kindgi_tui.local.access import Access
from kindgi_tui.local.store import dismissals, disputes, guidelines, owed, queue
from kindgi_tui.workbench import Page


class LocalQueue:
    """The runs that owe a verdict of the acting person."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def list(self, query: QueueFilter, limit: int = 25, cursor: str | None = None) -> Page[QueuedRun]:
        """The next runs, in the filter's order."""
        person = self._access.person.id
        await self._count()
        page = await self._access.read(lambda c: queue.list_queue(c, query, person, limit, cursor))
        if cursor is None and await self._access.read(lambda c: queue.mark_is_behind(c, query, person)):
            await self._access.database.write(lambda c: queue.move_mark(c, query, person))
        return page

    async def _count(self) -> None:
        """Counts the items of an older file's runs, once."""
        if await self._access.read(owed.counting_is_behind):
            while await self._access.database.write(owed.count_older):
                pass

    async def progress(self, query: QueueFilter) -> QueueProgress:
        """How far the acting person is."""
        person = self._access.person.id
        await self._count()

        def count(connection: sqlite3.Connection) -> QueueProgress:
            progress = queue.queue_progress(connection, query, person)
            return progress.model_copy(update={"dismissed": dismissals.count_dismissed(connection, query)})

        return await self._access.read(count)

    async def skip(self, run_id: str) -> None:
        """Skips a run."""
        person = self._access.person.id
        await self._access.write("judge", None, lambda c: queue.skip_run(c, run_id, person))

    async def unskip(self, run_id: str) -> None:
        """Puts a skipped run back."""
        person = self._access.person.id
        await self._access.write("judge", None, lambda c: queue.unskip_run(c, run_id, person))

    async def skipped(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[QueuedRun]:
        """The skipped runs that still owe a verdict."""
        person = self._access.person.id
        return await self._access.read(lambda c: queue.list_skipped(c, query, person, limit, cursor))

    async def dismiss(self, run_id: str, reason: str | None = None) -> None:
        """Takes a run off the queue, for everybody."""
        person = self._access.person.id
        await self._count()
        await self._access.write(
            "judge", "queue.dismiss", lambda c: dismissals.dismiss_run(c, run_id, reason, person), run_id
        )

    async def reopen(self, run_id: str) -> None:
        """Puts a dismissed run back."""
        await self._access.write("judge", "queue.reopen", lambda c: dismissals.reopen_run(c, run_id), run_id)

    async def dismissed(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[QueuedRun]:
        """The dismissed runs, the oldest first."""
        return await self._access.read(lambda c: dismissals.list_dismissed(c, query, limit, cursor))

    async def disagreements(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[Disagreement]:
        """Items of which live verdicts differ."""
        return await self._access.read(lambda c: disputes.list_disputes(c, query, limit, cursor))

    async def corrected_apart(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[CorrectedApart]:
        """Runs of which live corrections differ."""
        return await self._access.read(lambda c: disputes.list_corrected_apart(c, query, limit, cursor))


class LocalGuidelines:
    """What judges go by."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def get(self, project_id: str, kind: SubjectKind, subject_id: str) -> Guideline | None:
        """The newest version."""
        return await self._access.read(lambda c: guidelines.newest_guideline(c, project_id, kind, subject_id))

    async def versions(self, project_id: str, kind: SubjectKind, subject_id: str) -> tuple[Guideline, ...]:
        """Every version, newest first."""
        return await self._access.read(
            lambda c: guidelines.guideline_versions(c, project_id, kind, subject_id)
        )

    async def save(self, project_id: str, kind: SubjectKind, subject_id: str, text: str) -> Guideline:
        """Saves a new version."""
        person = self._access.person.id
        return await self._access.write(
            "editor",
            "guidelines.save",
            lambda c: guidelines.save_guideline(c, project_id, kind, subject_id, text, person),
            subject_id,
        )

    async def owed(self, project_id: str, kind: SubjectKind, subject_id: str) -> Owed:
        """Which items of its runs are to be judged."""
        return await self._access.read(lambda c: guidelines.owed_setting(c, project_id, kind, subject_id))

    async def set_owed(self, project_id: str, kind: SubjectKind, subject_id: str, chosen: Owed) -> None:
        """Sets which items of its runs are to be judged."""
        await self._access.write(
            "editor",
            "guidelines.owed",
            lambda c: guidelines.set_owed(c, project_id, kind, subject_id, chosen),
            subject_id,
            {"owed": chosen},
        )
