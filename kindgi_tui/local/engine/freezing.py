"""Freezing an agent's own test set before a comparison on it starts (DESIGN section 8)."""

import sqlite3
from dataclasses import dataclass

from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.own_test_sets import own_test_set_id, parse_own_test_set_id
from kindgi_tui.local.store.own_test_sets import OwnGathered, freeze_noted, gather_own, own_test_set
from kindgi_tui.workbench import Invalid


@dataclass(frozen=True)
class Freezing:
    """What starting a comparison freezes first."""

    request: ComparisonRequest
    """What was asked."""
    person_id: str
    """Who asked."""
    own: tuple[str, str] | None
    """The agent and project whose own test set is frozen; None: nothing is."""
    gathered: OwnGathered | None
    """Its cases; None when its newest version has just these."""
    newest: str | None
    """That version; None when one is to be made, or nothing is frozen."""

    @property
    def settled(self) -> ComparisonRequest | None:
        """The request as a dry run takes it without writing anything; None when a version may have to be made."""
        if self.own is None:
            return self.request
        return None if self.newest is None else self.request.model_copy(update={"version": self.newest})

    def frozen(self, connection: sqlite3.Connection) -> ComparisonRequest:
        """The request with the version that holds the cases as they are now, on a writer's connection.

        Raises Conflict (`suggested-change-nothing-to-check`), NotFound.
        """
        if self.own is None:
            return self.request
        version = freeze_noted(connection, *self.own, self.person_id, self.gathered).version
        return self.request.model_copy(update={"version": version})


def gather_freezing(connection: sqlite3.Connection, request: ComparisonRequest, person_id: str) -> Freezing:
    """What is frozen before a comparison starts: an own test set, unless one of its versions is named.

    Raises Invalid (`bad-input`: another agent, another project, a flow), Conflict (no cases), NotFound.
    """
    own = parse_own_test_set_id(request.test_set_id)
    if own is None or (request.agent_id is None) == (request.flow_id is None):
        return Freezing(request, person_id, None, None, None)
    agent, project = own
    if request.agent_id != agent or request.project_id != project:
        raise Invalid(_not_its_own(request, agent, project), code="bad-input", field="testSetId")
    if request.version is not None:
        return Freezing(request, person_id, None, None, None)
    gathered = gather_own(connection, agent, project)
    newest = own_test_set(connection, agent, project).version if gathered is None else None
    return Freezing(request, person_id, own, gathered, newest)


def _not_its_own(request: ComparisonRequest, agent: str, project: str) -> str:
    held = f'Test set "{request.test_set_id}" is the own test set of {agent} in project {project}, and runs only that'
    if request.agent_id is None:
        return f"{held}, no flow. Flow {request.flow_id} runs on a test set built from its own judged runs."
    fitting = own_test_set_id(request.agent_id, request.project_id)
    return f"{held}. A version of {request.agent_id} in project {request.project_id} runs on {fitting}."
