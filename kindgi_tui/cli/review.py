"""A finished comparison, case by case: how each one did, regressions first."""

from typing import NamedTuple

from kindgi_tui.domain.comparing import experts_only
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.regressions import CaseStanding, Standing, in_order, said_yes, standing_of
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.workbench import Page, Workbench

PAGE = 500
"""Cases read at once."""


class Reviewed(NamedTuple):
    """One case of a comparison with all there is to show of it."""

    standing: CaseStanding
    """How the candidate did."""
    result: CaseResult
    """Its scores, changes and tool calls."""
    case: Case | None
    """The case as the test set has it; None when it isn't there any more."""


async def reviewed_cases(bench: Workbench, comparison: Comparison) -> list[Reviewed]:
    """The cases that have a result, in the order to look at them. Empty while there is none."""
    told = comparison.result.get("perCase") if isinstance(comparison.result, dict) else None
    results = (
        [CaseResult.read(entry) for entry in told if isinstance(entry, dict)]
        if isinstance(told, list)
        else []
    )
    if not results:
        return []
    cases = await _cases(bench, comparison)
    experts = comparison.request.weighing == "experts-only"
    reviewed: dict[str, Reviewed] = {}
    for result in results:
        case = cases.get(result.case_id)
        items = () if case is None else experts_only(case.items) if experts else case.items
        reviewed[result.case_id] = Reviewed(standing_of(result, said_yes(items)), result, case)
    order = in_order(one.standing for one in reviewed.values())
    return [reviewed[standing.case_id] for standing in order]


def regressed(cases: list[Reviewed]) -> int:
    """How many cases got worse."""
    return sum(1 for one in cases if one.standing.standing is Standing.REGRESSED)


async def _cases(bench: Workbench, comparison: Comparison) -> dict[str, Case]:
    found: dict[str, Case] = {}
    cursor: str | None = None
    while True:
        page: Page[Case] = await bench.test_sets.cases(
            comparison.test_set_id, comparison.test_set_version, PAGE, cursor
        )
        found.update((case.case_id, case) for case in page.data)
        if not page.has_more or page.next_cursor is None:
            return found
        cursor = page.next_cursor
