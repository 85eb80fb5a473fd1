"""Judgments and groups of the local workbench."""

from kindgi_tui.domain.judgments import Group, Judgment, Restriction
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
from kindgi_tui.local.access import Access
from kindgi_tui.local.store import groups, judgments
from kindgi_tui.workbench import Page


class LocalJudgments:
    """Verdicts on items. They are not audited: each record says who made it and when."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def add(self, new: NewJudgment) -> Judgment:
        """Records a verdict of the acting person; it replaces their live one on the item."""
        person = self._access.person
        return await self._access.write("judge", None, lambda c: judgments.add_judgment(c, new, person))

    async def get(self, judgment_id: str) -> Judgment:
        """One judgment, live or not."""
        return await self._access.read(lambda c: judgments.get_judgment(c, judgment_id))

    async def list(self, query: JudgmentFilter, limit: int = 25, cursor: str | None = None) -> Page[Judgment]:
        """Live judgments, newest first."""
        return await self._access.read(lambda c: judgments.list_judgments(c, query, limit, cursor))

    async def remove(self, judgment_id: str) -> None:
        """Removes a live judgment."""
        person = self._access.person
        await self._access.write(
            "judge",
            "judgments.remove",
            lambda c: judgments.remove_judgment(c, judgment_id, person),
            judgment_id,
        )

    async def take_back(self, run_id: str, key: str, participant: str | None = None) -> Judgment | None:
        """Takes the acting person's verdict on an item back."""
        person = self._access.person
        return await self._access.write(
            "judge", None, lambda c: judgments.take_back(c, run_id, key, person, participant)
        )


class LocalGroups:
    """Who judges speak as."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def list(self, project_id: str | None = None, retired: bool = False) -> tuple[Group, ...]:
        """Groups of the workspace and of the project, newest first."""
        return await self._access.read(lambda c: groups.list_groups(c, project_id, retired))

    async def get(self, reference: str) -> Group:
        """The group with that id or name, retired or not."""
        return await self._access.read(lambda c: groups.get_group(c, reference))

    async def add(
        self,
        name: str,
        weight: float,
        *,
        description: str | None = None,
        project_id: str | None = None,
        agent_id: str | None = None,
        restriction: Restriction | None = None,
    ) -> Group:
        """Makes a group."""
        return await self._access.write(
            "admin",
            "groups.add",
            lambda c: groups.add_group(c, name, weight, description, project_id, agent_id, restriction),
            lambda made: made.id,
        )

    async def change(
        self,
        reference: str,
        *,
        weight: float | None = None,
        description: str | None = None,
        restriction: Restriction | None = None,
        unrestricted: bool = False,
    ) -> Group:
        """Changes what is given."""
        return await self._access.write(
            "admin",
            "groups.change",
            lambda c: groups.change_group(c, reference, weight, description, restriction, unrestricted),
            lambda changed: changed.id,
        )

    async def retire(self, reference: str) -> Group:
        """Retires a group."""
        return await self._access.write(
            "admin", "groups.retire", lambda c: groups.retire_group(c, reference), lambda retired: retired.id
        )

    async def bring_back(self, reference: str) -> Group:
        """Brings a retired group back."""
        return await self._access.write(
            "admin",
            "groups.bring-back",
            lambda c: groups.bring_back_group(c, reference),
            lambda back: back.id,
        )
