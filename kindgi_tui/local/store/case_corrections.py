"""The live corrections of runs, as the cases of a test set keep them (DESIGN sections 7 and 8)."""

import json
import sqlite3
from collections.abc import Iterable, Mapping

from kindgi_tui.domain.corrections import CaseCorrection, Expectation
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.store.values import load_json, storable


def case_corrections(
    connection: sqlite3.Connection, runs: Iterable[str]
) -> dict[str, tuple[CaseCorrection, ...]]:
    """What people say now that these runs should have done, oldest first, by run id; runs without any are left out."""
    by_stored = {storable(run_id): run_id for run_id in runs}
    found: dict[str, list[CaseCorrection]] = {}
    # One question for all of them: a test set has up to a thousand cases.
    rows = connection.execute(
        "SELECT r.id, c.id, c.expect, c.expert, c.created, c.seq FROM json_each(?) e "
        "CROSS JOIN runs r ON r.id = e.value CROSS JOIN corrections c ON c.run = r.seq WHERE c.ended IS NULL",
        (json.dumps(list(by_stored)),),
    ).fetchall()
    for run_id, correction_id, expect, expert, *_ in sorted(rows, key=lambda row: row[4:]):
        stored = load_json(expect)
        correction = CaseCorrection(
            correction_id=correction_id,
            expect=Expectation.read(stored if isinstance(stored, dict) else {}),
            expert=bool(expert),
        )
        found.setdefault(by_stored[run_id], []).append(correction)
    return {run_id: tuple(corrections) for run_id, corrections in found.items()}


def with_corrections(
    cases: Iterable[Case], corrections: Mapping[str, tuple[CaseCorrection, ...]]
) -> tuple[Case, ...]:
    """The cases, each with the corrections of its run; a case without any stays as it is."""
    return tuple(
        case.model_copy(update={"corrections": corrections[case.past_run]})
        if case.past_run in corrections
        else case
        for case in cases
    )
