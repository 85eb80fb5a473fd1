"""Agents' own test sets among the others: as they stand now they have no version, and stand in lists all the same."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.own_test_sets import OwnTestSet, parse_own_test_set_id
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

NOW = "as it is now"
"""The version of an own test set that isn't one: what a comparison freezes when it starts."""


class ListedSets(Frozen):
    """The test sets of a project as lists show them."""

    sets: tuple[TestSetVersion, ...]
    """Built sets at their newest version; then agents' own ones as they stand now, whose version is empty."""
    own: dict[str, OwnTestSet]
    """How agents' own ones stand, by id."""


def as_it_stands(own: OwnTestSet) -> TestSetVersion:
    """An own test set as a list's row: its version is empty, its cases are the live ones."""
    return TestSetVersion(
        test_set_id=own.id,
        version="",
        project_id=own.project_id,
        case_count=own.case_count,
        available=own.available,
        request=BuildRequest(
            test_set_id=own.id, version="", project_id=own.project_id, agent_id=own.agent_id
        ),
        created_at=own.frozen_at or datetime.fromtimestamp(0, UTC),
        created_by="",
    )


async def listed_sets(workbench: "Workbench", project_id: str) -> ListedSets:
    """The sets of a project, those with most cases first among agents' own ones."""
    own = {one.id: one for one in await workbench.cases.sets(project_id)}
    built = [one for one in await workbench.test_sets.list(project_id) if one.test_set_id not in own]
    standing = sorted(own.values(), key=lambda one: (-one.case_count, one.id))
    return ListedSets(sets=(*built, *map(as_it_stands, standing)), own=own)


def set_words(test_set_id: str) -> str:
    """A test set's id as it is shown: an agent's own one by its agent, as its id is long."""
    own = parse_own_test_set_id(test_set_id)
    return test_set_id if own is None else f"own · {own[0]}"


def is_own(test_set_id: str) -> bool:
    """Whether a set is an agent's own."""
    return parse_own_test_set_id(test_set_id) is not None
