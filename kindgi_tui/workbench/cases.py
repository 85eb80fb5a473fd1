"""The cases of agents' own test sets (DESIGN section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kindgi_tui.domain.agreement import Agreement
    from kindgi_tui.domain.own_test_sets import NewCase, OwnCase, OwnTestSet
    from kindgi_tui.domain.test_set_versions import TestSetVersion
    from kindgi_tui.workbench.pages import Page


class Cases(Protocol):
    """Agents' own test sets: a case per run people said something of, and cases added by hand."""

    async def sets(self, project_id: str | None = None) -> tuple[OwnTestSet, ...]:
        """The own test sets that have a case or a version, by id; of one project or of all. Raises NotFound."""
        ...

    async def own(self, agent_id: str, project_id: str) -> OwnTestSet:
        """An agent's own test set as it stands now; an empty one where nothing is said. Raises NotFound (project)."""
        ...

    async def list(
        self,
        agent_id: str,
        project_id: str,
        retired: bool = False,
        limit: int = 25,
        cursor: str | None = None,
    ) -> Page[OwnCase]:
        """Its live cases, or the retired ones, newest judged, corrected or added first. Raises NotFound, Invalid."""
        ...

    async def get(self, case_id: str) -> OwnCase:
        """One case, live or retired; a unique beginning of its id is enough. Raises NotFound."""
        ...

    async def add(self, new: NewCase) -> OwnCase:
        """Adds a case by hand, an expert case. Raises Invalid, NotFound, Conflict (a run that goes on), Denied."""
        ...

    async def retire(self, case_id: str) -> OwnCase:
        """Leaves a case out until it is brought back; one that is retired stays so. Raises NotFound, Denied."""
        ...

    async def bring_back(self, case_id: str) -> OwnCase:
        """Brings a retired case back. Raises NotFound, Denied."""
        ...

    async def agreement(self, agent_id: str, project_id: str) -> Agreement:
        """How far people agree, by what is live on the runs its live cases are made from, at most 1,000.

        Raises NotFound, Unsupported.
        """
        ...

    async def freeze(self, agent_id: str, project_id: str) -> TestSetVersion:
        """The version that holds its cases as they are now: a new `1.0.<n>` when they changed, else the newest.

        Starting a comparison on the set, a dry run too, does this by itself. Raises Conflict
        (`suggested-change-nothing-to-check`: it has no cases), NotFound, Denied.
        """
        ...
