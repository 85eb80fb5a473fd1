"""The cases of agents' own test sets, in the local workbench."""

from kindgi_tui.domain.agreement import Agreement
from kindgi_tui.domain.own_test_sets import NewCase, OwnCase, OwnTestSet
from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.local.access import Access
from kindgi_tui.local.store import agreement, own_cases, own_test_sets
from kindgi_tui.workbench import Page


class LocalCases:
    """Agents' own test sets: a case per run people said something of, and cases added by hand."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def sets(self, project_id: str | None = None) -> tuple[OwnTestSet, ...]:
        """The own test sets that have a case or a version, by id."""
        return await self._access.read(lambda c: own_test_sets.own_test_sets(c, project_id))

    async def own(self, agent_id: str, project_id: str) -> OwnTestSet:
        """An agent's own test set as it stands now."""
        return await self._access.read(lambda c: own_test_sets.own_test_set(c, agent_id, project_id))

    async def list(
        self,
        agent_id: str,
        project_id: str,
        retired: bool = False,
        limit: int = 25,
        cursor: str | None = None,
    ) -> Page[OwnCase]:
        """Its live cases, or the retired ones, newest first."""
        return await self._access.read(
            lambda c: own_cases.list_own_cases(c, agent_id, project_id, retired, limit, cursor)
        )

    async def get(self, case_id: str) -> OwnCase:
        """One case, live or retired."""
        return await self._access.read(lambda c: own_cases.get_own_case(c, case_id))

    async def add(self, new: NewCase) -> OwnCase:
        """Adds a case by hand."""
        person = self._access.person.id
        return await self._access.write(
            "editor", "cases.add", lambda c: own_cases.add_own_case(c, new, person), lambda made: made.id
        )

    async def retire(self, case_id: str) -> OwnCase:
        """Leaves a case out until it is brought back."""
        person = self._access.person.id
        return await self._access.write(
            "editor",
            "cases.retire",
            lambda c: own_cases.retire_own_case(c, case_id, person),
            lambda found: found.id,
        )

    async def bring_back(self, case_id: str) -> OwnCase:
        """Brings a retired case back."""
        return await self._access.write(
            "editor",
            "cases.bring-back",
            lambda c: own_cases.bring_back_own_case(c, case_id),
            lambda found: found.id,
        )

    async def agreement(self, agent_id: str, project_id: str) -> Agreement:
        """How far people agree who judged the runs of its cases as they are now."""
        return await self._access.read(lambda c: agreement.agreement_on_own(c, agent_id, project_id))

    async def freeze(self, agent_id: str, project_id: str) -> TestSetVersion:
        """The version that holds its cases as they are now."""
        self._access.require("editor")
        before = await self._access.read(lambda c: own_test_sets.gather_own(c, agent_id, project_id))
        person = self._access.person.id
        return await self._access.write(
            "editor", None, lambda c: own_test_sets.freeze_noted(c, agent_id, project_id, person, before)
        )
