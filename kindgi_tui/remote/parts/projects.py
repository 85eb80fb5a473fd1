"""Projects of a runtime, and who works at it."""

from kindgi_tui.domain.projects import Person, Project
from kindgi_tui.remote import v01
from kindgi_tui.remote.context import Context
from kindgi_tui.workbench import NotFound, Unsupported


class RemoteProjects:
    """The runtime's projects."""

    def __init__(self, context: Context) -> None:
        self._runtime = context.runtime
        self._default: Project | None = None

    async def list(self) -> tuple[Project, ...]:
        """All projects, the default one first, then by name."""
        found = [v01.project(row) for row in await self._runtime.all_rows("projects.list")]
        return tuple(sorted(found, key=lambda one: (not one.is_default, one.name)))

    async def get(self, reference: str | None = None) -> Project:
        """The project with that id, slug or name; without one, the default."""
        if reference is None:
            if self._default is None:
                self._default = v01.project(await self._runtime.get("projects.default"))
            return self._default
        found = [one for one in await self.list() if reference in (one.id, one.slug, one.name)]
        if not found:
            raise NotFound(
                f'No project here is called "{reference}". `kindgi-tui projects list` shows them.',
                code="project-not-found",
            )
        return next((one for one in found if one.id == reference), found[0])

    async def add(self, name: str, slug: str | None = None) -> Project:
        """A runtime's projects are made by its admins."""
        raise Unsupported("Projects of a runtime are made in its console or with its own CLI.")

    async def use(self, reference: str) -> Project:
        """A runtime's default project is set by its admins."""
        raise Unsupported("A runtime's default project is set there: name another with --project.")


class RemotePeople:
    """Who works at the runtime. Only oneself is known."""

    def __init__(self, context: Context) -> None:
        self._identity = context.identity

    async def me(self) -> Person:
        """Who the token is."""
        return await self._identity.person()

    async def list(self) -> tuple[Person, ...]:
        """Oneself: a runtime's people are its admins' business."""
        return (await self._identity.person(),)

    async def add(self, person: Person) -> Person:
        """A runtime's people are made by its admins."""
        raise Unsupported("People of a runtime are added in its console or with its own CLI.")
