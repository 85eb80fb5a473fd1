"""A finished comparison, case by case: how each one did, regressions first."""

import contextlib
from typing import NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.workbench import Page, Unsupported, Workbench

PAGE = 100
"""Cases read at once."""

REGRESSED = "regressed"
"""The standing of a case that got worse, as it is stored."""


class Reviewed(NamedTuple):
    """One case of a comparison with all there is to show of it."""

    standing: str
    """How the candidate did: `regressed`, `unknown`, `improved` or `unchanged`; empty where it isn't stored."""
    result: CaseResult
    """Its scores, changes and tool calls."""
    case: Case | None
    """The case as the test set has it; None when it isn't there any more."""


def ours(comparison: Comparison) -> dict[str, Json]:
    """What is stored beside the wire's result; empty without one."""
    told = comparison.result.get("ours") if isinstance(comparison.result, dict) else None
    return told if isinstance(told, dict) else {}


def standings(comparison: Comparison) -> dict[str, str]:
    """How each case did, by case id, in the order to look at them. Empty while there is no result."""
    told = ours(comparison).get("cases")
    found = {}
    for one in told if isinstance(told, list) else []:
        if isinstance(one, dict) and isinstance(one.get("caseId"), str):
            found[str(one["caseId"])] = str(one.get("standing"))
    return found


def regressed(comparison: Comparison) -> int:
    """How many cases got worse."""
    return sum(1 for standing in standings(comparison).values() if standing == REGRESSED)


def results_of(comparison: Comparison) -> list[CaseResult]:
    """The cases that have a result, in the order to look at them: regressions, failed corrections, then the others."""
    told = comparison.result.get("perCase") if isinstance(comparison.result, dict) else None
    results = (
        [CaseResult.read(entry) for entry in told if isinstance(entry, dict)]
        if isinstance(told, list)
        else []
    )
    known = standings(comparison)
    places = {case_id: place for place, case_id in enumerate(known)}

    def order(result: CaseResult) -> tuple[int, int]:
        failed = any(not one.passed for one in result.corrections)
        group = 0 if known.get(result.case_id) == REGRESSED else 1 if failed else 2
        return group, places.get(result.case_id, len(places))

    return sorted(results, key=order)


async def reviewed_cases(bench: Workbench, comparison: Comparison, most: int | None = None) -> list[Reviewed]:
    """The first `most` cases (None: all) that have a result, with their copies in the test set.

    Without the copies where the runtime doesn't offer them.
    """
    results = results_of(comparison)[:most]
    known = standings(comparison)
    cases: dict[str, Case] = {}
    with contextlib.suppress(Unsupported):
        cases = await _cases(bench, comparison, {result.case_id for result in results})
    return [Reviewed(known.get(result.case_id, ""), result, cases.get(result.case_id)) for result in results]


async def _cases(bench: Workbench, comparison: Comparison, wanted: set[str]) -> dict[str, Case]:
    found: dict[str, Case] = {}
    cursor: str | None = None
    while len(found) < len(wanted):
        page: Page[Case] = await bench.test_sets.cases(
            comparison.test_set_id, comparison.test_set_version, PAGE, cursor
        )
        found.update((case.case_id, case) for case in page.data if case.case_id in wanted)
        if not page.has_more or page.next_cursor is None:
            break
        cursor = page.next_cursor
    return found
