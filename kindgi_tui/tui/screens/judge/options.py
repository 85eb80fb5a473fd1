"""What other screens and the command line ask Judge for, in the app's options."""

from typing import Any

from kindgi_tui.domain.judging import QueueFilter
from kindgi_tui.session.judging_sitting import Sitting, SittingKind


def sitting_from(options: dict[str, Any], project_id: str) -> Sitting | None:
    """Takes what is asked for out of the options; None when nothing is.

    `judge_items`: pairs of run id and item key; `judge_disputed`: such pairs that people disagree on, the ones judged
    before to be said again; `judge_apart`: with these, pairs of the id of a run that people corrected differently and
    who did; `judge_run`: one run alone; `judge_from`: the run to begin with;
    `judge_queue`: the queue, with `judge_agent`, `judge_segments`, `judge_order`, `judge_seed`, `judge_limit`.
    """
    items, run, first = (options.pop(name, None) for name in ("judge_items", "judge_run", "judge_from"))
    disputed = options.pop("judge_disputed", None)
    apart = tuple(
        (str(run_id), tuple(map(str, who))) for run_id, who in options.pop("judge_apart", None) or ()
    )
    queue = options.pop("judge_queue", None)
    agent, segments, order, seed, limit = (
        options.pop(f"judge_{name}", None) for name in ("agent", "segments", "order", "seed", "limit")
    )
    query = QueueFilter(
        project_id=project_id,
        subject_id=agent,
        segments=tuple(segments or ()),
        order=order or "oldest",
        seed=seed or "",
    )
    asked: tuple[tuple[SittingKind, Any], ...] = (("items", items), ("disputed", disputed))
    for kind, pairs in asked:
        if pairs is not None:
            named = tuple((str(run_id), str(key)) for run_id, key in pairs)
            return Sitting(query=query, kind=kind, items=named, apart=apart if kind == "disputed" else ())
    if run is not None:
        return Sitting(query=query, kind="run", first=str(run))
    if first is not None:
        return Sitting(query=query, first=str(first), limit=limit)
    return Sitting(query=query, limit=limit) if queue else None
