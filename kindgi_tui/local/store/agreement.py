"""How far people agree on the runs of a test set's cases, from their live judgments."""

import sqlite3

from kindgi_tui.domain.agreement import Agreement, Rating, agreement_of, rater
from kindgi_tui.local.store.groups import get_group
from kindgi_tui.local.store.test_sets import get_test_set, version_seq
from kindgi_tui.local.store.values import restored
from kindgi_tui.workbench import Invalid, NotFound


def agreement_on(connection: sqlite3.Connection, test_set_id: str, version: str | None) -> Agreement:
    """Agreement over the items of a version's runs, in the order of its cases. Raises NotFound."""
    seq = version_seq(connection, test_set_id, version)
    named = get_test_set(connection, test_set_id, version).request.groups
    groups = [_group_id(connection, reference) for reference in named]
    counted = f"AND j.group_id IN ({', '.join('?' * len(groups))}) " if groups else ""
    rows = connection.execute(
        "SELECT r.id, j.item_key, j.asserter, j.participant, j.verdict FROM cases c "
        "CROSS JOIN runs r ON r.id = c.case_id "
        f"CROSS JOIN judgments j ON j.run = r.seq AND j.ended IS NULL {counted}WHERE c.version = ? "
        "ORDER BY c.position, j.item_key, j.asserter, j.participant",
        (*groups, seq),
    )
    return agreement_of(
        Rating(
            restored(run),
            restored(key),
            rater(restored(asserter), restored(participant) or None),
            "yes" if verdict == "yes" else "no",
        )
        for run, key, asserter, participant, verdict in rows
    )


def _group_id(connection: sqlite3.Connection, reference: str) -> str:
    """The id of a group that a version names; what isn't there any more, or isn't one, matches nothing."""
    try:
        return get_group(connection, reference).id
    except (NotFound, Invalid):
        return ""
