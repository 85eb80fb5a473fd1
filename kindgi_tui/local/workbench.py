"""The local workbench: a folder with one SQLite file, opened as one person (DESIGN section 9)."""

import asyncio
import errno
import getpass
import os
import sqlite3
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kindgi_tui.domain.projects import Person
from kindgi_tui.local.access import Access
from kindgi_tui.local.store.people import find_person, put_person
from kindgi_tui.local.store.projects import add_project
from kindgi_tui.local.store.schema import APPLICATION_ID, MIGRATIONS
from kindgi_tui.local.store.values import from_ms, now_ms
from kindgi_tui.storage.sqlite import BUSY_SECONDS, Database, Trouble, translated
from kindgi_tui.workbench import Conflict, NotFound

if TYPE_CHECKING:
    from kindgi_tui.domain.serving import KeyedRequest
    from kindgi_tui.local.parts.blocks import LocalBlocks
    from kindgi_tui.local.parts.cases import LocalCases
    from kindgi_tui.local.parts.catalog import LocalCatalog, LocalModels, LocalPacks
    from kindgi_tui.local.parts.comparisons import LocalComparisons
    from kindgi_tui.local.parts.corrections import LocalCorrections
    from kindgi_tui.local.parts.judgments import LocalGroups, LocalJudgments
    from kindgi_tui.local.parts.outbox import NoOutbox
    from kindgi_tui.local.parts.projects import LocalAudit, LocalPeople, LocalProjects
    from kindgi_tui.local.parts.queue import LocalGuidelines, LocalQueue
    from kindgi_tui.local.parts.runs import LocalRuns
    from kindgi_tui.local.parts.serving import LocalAnswers, LocalConversations, LocalTokens
    from kindgi_tui.local.parts.test_sets import LocalTestSets

FILE_NAME = "workspace.db"
"""The SQLite file in a workspace folder."""


class LocalWorkbench:
    """The workbench on one workspace folder. Each part is imported when it is first used."""

    def __init__(self, access: Access) -> None:
        self._access = access

    @cached_property
    def projects(self) -> "LocalProjects":
        """Projects."""
        from kindgi_tui.local.parts.projects import LocalProjects

        return LocalProjects(self._access)

    @cached_property
    def people(self) -> "LocalPeople":
        """People."""
        from kindgi_tui.local.parts.projects import LocalPeople

        return LocalPeople(self._access)

    @cached_property
    def runs(self) -> "LocalRuns":
        """Runs."""
        from kindgi_tui.local.parts.runs import LocalRuns

        return LocalRuns(self._access)

    @cached_property
    def conversations(self) -> "LocalConversations":
        """Conversations."""
        from kindgi_tui.local.parts.serving import LocalConversations

        return LocalConversations(self._access)

    @cached_property
    def judgments(self) -> "LocalJudgments":
        """Judgments."""
        from kindgi_tui.local.parts.judgments import LocalJudgments

        return LocalJudgments(self._access)

    @cached_property
    def corrections(self) -> "LocalCorrections":
        """Corrections."""
        from kindgi_tui.local.parts.corrections import LocalCorrections

        return LocalCorrections(self._access)

    @cached_property
    def groups(self) -> "LocalGroups":
        """Groups."""
        from kindgi_tui.local.parts.judgments import LocalGroups

        return LocalGroups(self._access)

    @cached_property
    def queue(self) -> "LocalQueue":
        """The runs that owe a verdict."""
        from kindgi_tui.local.parts.queue import LocalQueue

        return LocalQueue(self._access)

    @cached_property
    def guidelines(self) -> "LocalGuidelines":
        """What judges go by."""
        from kindgi_tui.local.parts.queue import LocalGuidelines

        return LocalGuidelines(self._access)

    @cached_property
    def test_sets(self) -> "LocalTestSets":
        """Test sets."""
        from kindgi_tui.local.parts.test_sets import LocalTestSets

        return LocalTestSets(self._access)

    @cached_property
    def cases(self) -> "LocalCases":
        """The cases of agents' own test sets."""
        from kindgi_tui.local.parts.cases import LocalCases

        return LocalCases(self._access)

    @cached_property
    def comparisons(self) -> "LocalComparisons":
        """Comparisons."""
        from kindgi_tui.local.parts.comparisons import LocalComparisons

        return LocalComparisons(self._access)

    @cached_property
    def agents(self) -> "LocalCatalog":
        """Agents."""
        from kindgi_tui.local.parts.catalog import LocalCatalog

        return LocalCatalog(self._access, "agent")

    @cached_property
    def flows(self) -> "LocalCatalog":
        """Flows."""
        from kindgi_tui.local.parts.catalog import LocalCatalog

        return LocalCatalog(self._access, "flow")

    @cached_property
    def tools(self) -> "LocalCatalog":
        """Tools."""
        from kindgi_tui.local.parts.catalog import LocalCatalog

        return LocalCatalog(self._access, "tool")

    @cached_property
    def packs(self) -> "LocalPacks":
        """Packs."""
        from kindgi_tui.local.parts.catalog import LocalPacks

        return LocalPacks(self._access)

    @cached_property
    def blocks(self) -> "LocalBlocks":
        """Blocks."""
        from kindgi_tui.local.parts.blocks import LocalBlocks

        return LocalBlocks(self._access)

    @cached_property
    def models(self) -> "LocalModels":
        """Models."""
        from kindgi_tui.local.parts.catalog import LocalModels

        return LocalModels(self._access)

    @cached_property
    def audit(self) -> "LocalAudit":
        """The audit log."""
        from kindgi_tui.local.parts.projects import LocalAudit

        return LocalAudit(self._access)

    @cached_property
    def outbox(self) -> "NoOutbox":
        """What waits to be sent: nothing."""
        from kindgi_tui.local.parts.outbox import NoOutbox

        return NoOutbox()

    @cached_property
    def tokens(self) -> "LocalTokens":
        """Bearer tokens."""
        from kindgi_tui.local.parts.serving import LocalTokens

        return LocalTokens(self._access)

    @cached_property
    def answers(self) -> "LocalAnswers":
        """Answers kept for retries."""
        from kindgi_tui.local.parts.serving import LocalAnswers

        return LocalAnswers(self._access)

    @property
    def where(self) -> str:
        """The workspace folder."""
        return str(self._access.folder)

    @property
    def access(self) -> Access:
        """The store it stands on, for what belongs to this kind of workbench alone."""
        return self._access

    def acting_as(self, person: Person, request: "KeyedRequest | None" = None) -> "LocalWorkbench":
        """The same workspace with somebody else acting, with the right that `person` has; closed with this one."""
        if person.id != self._access.person.id:
            self._access.require("admin")
        return LocalWorkbench(replace(self._access, person=person, request=request))

    async def backup(self, path: Path) -> None:
        """Writes a consistent copy of the store to a new file, at once or not at all."""
        if await asyncio.to_thread(path.exists):
            raise Conflict(f"{path} is there already. Name a new file.", code="backup-exists")

        self._access.require("admin")
        await self._access.database.read_committed(lambda connection: _copy(connection, path))

    async def close(self) -> None:
        """Ends the threads and closes the file."""
        await asyncio.to_thread(self._access.database.close)


def _copy(connection: sqlite3.Connection, path: Path) -> None:
    scratch = path.with_name(f"{path.name}.{os.getpid()}.part")
    with translated(path):
        # The copy has the rights of its first moment, and what it holds is not for everybody.
        os.close(os.open(scratch, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        try:
            target = sqlite3.connect(scratch, isolation_level=None)
            try:
                connection.backup(target)
            finally:
                target.close()
            _name(scratch, path)
        except FileExistsError:
            raise Conflict(f"{path} is there already. Name a new file.", code="backup-exists") from None
        finally:
            for name in (scratch, *(scratch.with_name(scratch.name + end) for end in ("-wal", "-shm"))):
                name.unlink(missing_ok=True)


def _name(scratch: Path, path: Path) -> None:
    """Gives a finished file its name. A link, unlike a rename, never replaces a file that came meanwhile."""
    try:
        os.link(scratch, path)
    except OSError as cause:
        if cause.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        # A disk without links, such as a stick.
        scratch.rename(path)


async def open_local(
    folder: Path, person_id: str | None = None, busy_seconds: float = BUSY_SECONDS
) -> tuple[LocalWorkbench, bool]:
    """Opens the workspace in `folder`, made when it is missing; also says whether it was made.

    Without `person_id` the login name acts; the owner of the folder is its admin. `busy_seconds`: how long an
    operation waits for another process's lock. Raises Trouble, NotFound.
    """
    return await asyncio.to_thread(_open, folder, person_id, busy_seconds)


def _open(folder: Path, person_id: str | None, busy_seconds: float) -> tuple[LocalWorkbench, bool]:
    file = folder / FILE_NAME
    with translated(file):
        created = not file.exists()
        if folder.exists() and not folder.is_dir():
            raise Trouble(
                f"{folder} is a file. Choose a folder with --workspace.", code="machine-not-a-folder"
            )
        if created:
            missing = not folder.exists()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if missing:
                folder.chmod(0o700)
        owner = folder.stat().st_uid == os.getuid()
    database = Database(file, APPLICATION_ID, MIGRATIONS, busy_seconds)
    try:
        person = _person(database, person_id, owner)
    except BaseException:
        database.close()
        raise
    return LocalWorkbench(Access(folder, database, person)), created


def login_name() -> str:
    """The login name of whoever runs this, without spaces; `owner` when the machine has none."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = ""
    return "".join(name.split()) or "owner"


def _person(database: Database, person_id: str | None, owner: bool) -> Person:
    name = person_id if person_id is not None else login_name()

    def look(connection: sqlite3.Connection) -> tuple[Person | None, bool]:
        empty = connection.execute("SELECT count(*) FROM projects").fetchone()[0] == 0
        return find_person(connection, name), empty

    def settle(connection: sqlite3.Connection) -> Person | None:
        if connection.execute("SELECT count(*) FROM projects").fetchone()[0] == 0:
            add_project(connection, "Default", "default")
        for wanted in {login_name()} if owner else set():
            if find_person(connection, wanted) is None:
                put_person(connection, Person(id=wanted, right="admin", created_at=from_ms(now_ms())))
        return find_person(connection, name)

    found, empty = database.read_now(look)
    if found is None or empty:
        found = database.write_now(settle)
    if found is None:
        raise NotFound(
            f'Nobody here is called "{name}". `kindgi-tui people list` shows everybody; an admin adds them with '
            f"`kindgi-tui people add {name}`.",
            code="person-not-found",
        )
    return found
