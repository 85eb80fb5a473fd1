"""What a comparison says of itself: its title, its headline, and how it ended."""

from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.headline import interval_sentence
from kindgi_tui.session.following import FINAL
from kindgi_tui.session.own_sets import set_words
from kindgi_tui.session.reviewing import Review
from kindgi_tui.text import one_line
from kindgi_tui.tui.screens.comparison.rows import candidate_name


def title_words(comparison: Comparison, rescores: int) -> str:
    """Where it stands, the candidate, the test set."""
    told: list[str] = [comparison.status]
    if rescores:
        told[0] += f", rescored ×{rescores}"
    told += [candidate_name(comparison), f"{set_words(comparison.test_set_id)} {comparison.test_set_version}"]
    return " · ".join([*told, comparison.id[:8]])


def headline_words(comparison: Comparison, review: Review) -> str:
    """The headline with how sure it is; why it ended before its time; what is waited for."""
    words = review.headline
    first = review.measures[0] if review.measures else None
    if first is not None and first.delta is not None:
        words += " " + interval_sentence(first.label, first.interval, first.n)
    if comparison.status not in FINAL:
        return f"So far: {words}" if words else "Waiting for the first case …"
    if comparison.status == "failed" and comparison.error:
        words = f"✗ {comparison.error} {words}"
    elif comparison.cancel_reason == "cost-limit":
        limit = comparison.request.cost_limit or 0
        words = f"It reached its cost limit of ${limit:g} and was cancelled. {words}"
    return words.strip() or "There is no result."


def end_words(comparison: Comparison, review: Review, waiting: int, resumes: bool = True) -> str:
    """When it ended and by whom, what is left of it, and what waits: `waiting` verdicts, or new items.

    `resumes`: whether one can be resumed where one works.
    """
    ended = comparison.completed_at or comparison.created_at
    by = f" by {one_line(comparison.started_by, 30)}" if comparison.started_by else ""
    told = [f"{comparison.status} {ended.astimezone():%m-%d %H:%M}{by}"]
    if comparison.status in ("failed", "cancelled") and comparison.rescore_of is None:
        told.append(f"{comparison.progress.done()} finished{': z resumes' if resumes else ''}")
    new = review.counts.waiting
    if waiting and comparison.status == "completed":
        told.append(f"{'1 verdict waits' if waiting == 1 else f'{waiting:,} verdicts wait'} for a rescore: R")
    elif new:
        told.append(f"{new:,} new item{'' if new == 1 else 's'} to judge: J, or Enter on a case")
    return " · ".join(told)
