"""A rescore: a finished comparison's replays rated again with what was judged on them since (DESIGN section 4).

Nothing runs, and no answer is judged again: what checking them came to stays as it was.
"""

import sqlite3

from kindgi_tui.domain import scoring
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparing import taken_cases
from kindgi_tui.domain.comparison_options import options_of
from kindgi_tui.local.engine.results import with_ours
from kindgi_tui.local.store import comparisons, repetitions
from kindgi_tui.local.store.checks import judged_answers
from kindgi_tui.local.store.groups import group_weights
from kindgi_tui.local.store.judgments import judgments_of_run
from kindgi_tui.local.store.runs import run_seq
from kindgi_tui.local.store.test_sets import all_cases
from kindgi_tui.workbench import Conflict


def rescore_comparison(connection: sqlite3.Connection, reference: str, person_id: str) -> str:
    """Writes the rescore down as a comparison of its own and gives its id. Raises NotFound, Conflict."""
    prior = comparisons.get_comparison(connection, reference)
    if prior.status != "completed" or not isinstance(prior.result, dict) or "summary" not in prior.result:
        raise Conflict(
            f"Comparison {prior.id} can't be rescored: only a completed one can (this one is {prior.status}).",
            code="eval-run-not-rescorable",
        )
    seq = comparisons.version_of(connection, prior.id)
    source = prior.rescore_of or prior.id
    replays = repetitions.replay_outputs(connection, source)
    judgments = [
        said for run_id in replays for said in judgments_of_run(connection, run_seq(connection, run_id))
    ]
    every = all_cases(connection, seq)
    identity = comparisons.insert_comparison(
        connection, prior.request, seq, person_id, prior.progress.cases or 0, rescore_of=source
    )
    options = options_of(prior.request, identity, prior.test_set_version)
    record: dict[str, Json] = {
        "runId": source,
        "kind": "judged",
        "status": "completed",
        "suiteId": prior.test_set_id,
        "suiteVersion": prior.test_set_version,
        "result": prior.result,
    }
    result = scoring.rescore(every, record, replays, judgments, group_weights(connection), options)
    cases, _ = taken_cases(every, options.comparison)
    document = with_ours(
        result, cases, options, prior.progress.cases or 0, 0.0, judged_answers(connection, source)
    )
    comparisons.finish(connection, identity, None, "completed", document)
    return identity
