"""How far people agree on the runs of a test set's cases, from their live judgments and corrections."""

import json
import sqlite3
from collections.abc import Sequence

from kindgi_tui.domain.agreement import Agreement, Corrected, Rating, agreement_of, rater
from kindgi_tui.domain.corrections import Expectation
from kindgi_tui.domain.test_sets import MAX_CASES
from kindgi_tui.local.store.groups import get_group
from kindgi_tui.local.store.own_places import FIRST, places, subject_seq
from kindgi_tui.local.store.projects import project_seq
from kindgi_tui.local.store.test_sets import get_test_set, version_seq
from kindgi_tui.local.store.values import load_json, restored
from kindgi_tui.workbench import Invalid, NotFound


def agreement_on(connection: sqlite3.Connection, test_set_id: str, version: str | None) -> Agreement:
    """Agreement over the items of a version's runs, in the order of its cases. Raises NotFound."""
    seq = version_seq(connection, test_set_id, version)
    named = get_test_set(connection, test_set_id, version).request.groups
    groups = [_group_id(connection, reference) for reference in named]
    runs = connection.execute(
        "SELECT r.seq FROM cases c CROSS JOIN runs r ON r.id = c.case_id WHERE c.version = ? ORDER BY c.position",
        (seq,),
    )
    return _agreement(connection, [row[0] for row in runs], groups)


def agreement_on_own(connection: sqlite3.Connection, agent_id: str, project_id: str) -> Agreement:
    """Agreement over the items of the runs an agent's own test set has as cases now, newest first. Raises NotFound."""
    project, subject = project_seq(connection, project_id), subject_seq(connection, agent_id)
    taken = places(connection, project, subject, False, FIRST, MAX_CASES)
    return _agreement(connection, [seq for _, by_hand, seq in taken if not by_hand], ())


def _agreement(connection: sqlite3.Connection, runs: list[int], groups: Sequence[str]) -> Agreement:
    """Agreement over those runs' items, in their order; of what is said as one of the groups, where any is named."""
    marks = ", ".join("?" * len(groups))
    verdicts = connection.execute(
        "SELECT r.id, j.item_key, j.asserter, j.participant, j.verdict FROM json_each(?) e "
        "CROSS JOIN runs r ON r.seq = e.value CROSS JOIN judgments j ON j.run = r.seq AND j.ended IS NULL "
        f"{f'AND j.group_id IN ({marks}) ' if groups else ''}ORDER BY e.key, j.item_key, j.asserter, j.participant",
        (json.dumps(runs), *groups),
    )
    corrections = connection.execute(
        "SELECT r.id, c.asserter, c.participant, c.expect FROM json_each(?) e "
        "CROSS JOIN runs r ON r.seq = e.value CROSS JOIN corrections c ON c.run = r.seq AND c.ended IS NULL "
        f"{f'AND c.group_id IN ({marks}) ' if groups else ''}ORDER BY e.key, c.created DESC, c.seq DESC",
        (json.dumps(runs), *groups),
    )
    return agreement_of(
        [
            Rating(
                restored(run),
                restored(key),
                rater(restored(asserter), restored(participant) or None),
                "yes" if verdict == "yes" else "no",
            )
            for run, key, asserter, participant, verdict in verdicts
        ],
        [
            Corrected(
                restored(run),
                rater(restored(asserter), restored(participant) or None),
                Expectation.model_validate(load_json(str(expect))),
            )
            for run, asserter, participant, expect in corrections
        ],
    )


def _group_id(connection: sqlite3.Connection, reference: str) -> str:
    """The id of a group that a version names; what isn't there any more, or isn't one, matches nothing."""
    try:
        return get_group(connection, reference).id
    except (NotFound, Invalid):
        return ""
