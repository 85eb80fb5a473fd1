"""Projects, people and the audit log of the local workbench."""

from kindgi_tui.domain.projects import AuditEntry, Person, Project
from kindgi_tui.domain.queries import AuditFilter
from kindgi_tui.local.access import Access
from kindgi_tui.local.store import people, projects
from kindgi_tui.workbench import Page


class LocalProjects:
    """Where runs belong."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def list(self) -> tuple[Project, ...]:
        """All projects, the default one first."""
        return await self._access.read(projects.list_projects)

    async def get(self, reference: str | None = None) -> Project:
        """The project with that id, slug or name; without one, the default."""
        return await self._access.read(lambda c: projects.get_project(c, reference))

    async def add(self, name: str, slug: str | None = None) -> Project:
        """Makes a project."""
        return await self._access.write(
            "admin", "projects.add", lambda c: projects.add_project(c, name, slug), lambda made: made.id
        )

    async def use(self, reference: str) -> Project:
        """Makes a project the default one."""
        return await self._access.write(
            "editor", "projects.use", lambda c: projects.use_project(c, reference), lambda used: used.id
        )


class LocalPeople:
    """The directory of people."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def me(self) -> Person:
        """Who is acting."""
        return self._access.person

    async def list(self) -> tuple[Person, ...]:
        """Everybody, by id."""
        return await self._access.read(people.list_people)

    async def add(self, person: Person) -> Person:
        """Adds a person, or changes the one with that id; the last admin stays one."""
        await self._access.write("admin", "people.add", lambda c: people.put_person(c, person), person.id)
        found = await self._access.read(lambda c: people.find_person(c, person.id))
        return found or person


class LocalAudit:
    """What was done, by whom, when."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def list(
        self, query: AuditFilter | None = None, limit: int = 25, cursor: str | None = None
    ) -> Page[AuditEntry]:
        """Entries, newest first; without a query all of them."""
        asked = query or AuditFilter()
        return await self._access.read(lambda c: people.list_audit(c, asked, limit, cursor))

    async def count(self, query: AuditFilter | None = None) -> int:
        """How many entries the whole list holds."""
        asked = query or AuditFilter()
        return await self._access.read(lambda c: people.count_audit(c, asked))
