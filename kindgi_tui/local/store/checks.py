"""What the judging model found of a comparison's answers, in the store (DESIGN sections 7 and 9)."""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kindgi_tui.domain.corrections import AnswerVerdict
from kindgi_tui.local.store.values import (
    now_ms,
    restored,
    restored_or_none,
    storable,
    storable_or_none,
)


@dataclass(frozen=True)
class JudgedAnswer:
    """One repetition's answer, held against one entry of its case."""

    case_id: str
    """The case."""
    verdict: AnswerVerdict
    """What was found, or why it couldn't be checked."""
    provider: str | None
    """The judging model's provider; None when no model was named."""
    model: str | None
    """Its name there."""
    tries: int = 0
    """How often it was asked."""
    cost_usd: float = 0.0
    """What that cost, replies that couldn't be read included; stored replies cost nothing."""
    prompt_tokens: int = 0
    """Tokens read."""
    completion_tokens: int = 0
    """Tokens written."""


def record_verdicts(
    connection: sqlite3.Connection,
    comparison_id: str,
    owner: str,
    judged: Sequence[JudgedAnswer],
    spent_usd: float | None = None,
) -> bool:
    """Writes verdicts down, each once; False (and nothing written) when `owner` owns the comparison no more.

    Their repetitions must have been written before: the cost counts in theirs. `spent_usd` is what the comparison cost
    in all by now; None: the costs are added up.
    """
    row = connection.execute(
        "SELECT seq FROM comparisons WHERE id = ? AND owner = ? AND status = 'running'",
        (comparison_id, owner),
    ).fetchone()
    if row is None:
        return False
    seq, now = int(row[0]), now_ms()
    connection.executemany(
        "INSERT INTO answer_verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                seq,
                storable(one.case_id),
                storable(one.verdict.entry_id),
                one.verdict.repetition,
                one.verdict.passed,
                storable_or_none(one.verdict.why),
                storable_or_none(one.provider),
                storable_or_none(one.model),
                one.tries,
                one.cost_usd,
                one.prompt_tokens,
                one.completion_tokens,
                now,
            )
            for one in judged
        ],
    )
    connection.executemany(
        "UPDATE repetitions SET cost = cost + ? WHERE comparison = ? AND case_id = ? AND repetition = ?",
        [
            (one.cost_usd, seq, storable(one.case_id), one.verdict.repetition)
            for one in judged
            if one.cost_usd
        ],
    )
    connection.execute(
        "UPDATE comparisons SET judged = judged + ?, cost = ifnull(?, cost + ?), heartbeat = ? WHERE seq = ?",
        (len(judged), spent_usd, sum(one.cost_usd for one in judged), now, seq),
    )
    return True


def judged_answers(
    connection: sqlite3.Connection,
    comparison_id: str,
    known: Collection[tuple[str, str, int]] = (),
) -> list[JudgedAnswer]:
    """The verdicts so far, by case, repetition and entry; `known` ones (case, entry, repetition) are left out."""
    rows = connection.execute(
        "SELECT v.case_id, v.entry, v.repetition, v.passed, v.why, v.provider, v.model, v.tries, v.cost, "
        "v.prompt_tokens, v.completion_tokens FROM answer_verdicts v JOIN comparisons c ON c.seq = v.comparison "
        "WHERE c.id = ? ORDER BY v.case_id, v.repetition, v.entry",
        (comparison_id,),
    )
    found: list[JudgedAnswer] = []
    for case_id, entry, repetition, passed, why, provider, model, tries, cost, read, written in rows:
        if (restored(case_id), restored(entry), repetition) in known:
            continue
        verdict = AnswerVerdict(
            entry_id=restored(entry),
            repetition=repetition,
            passed=None if passed is None else bool(passed),
            why=restored_or_none(why),
        )
        found.append(
            JudgedAnswer(
                restored(case_id),
                verdict,
                restored_or_none(provider),
                restored_or_none(model),
                tries,
                cost,
                read,
                written,
            )
        )
    return found


def judged_before(
    connection: sqlite3.Connection, version: int, agent_id: str, agent_version: str
) -> set[tuple[str, str, int, str, str]]:
    """The verdicts that models gave in any comparison of this agent version on the test set version in that row.

    By case, entry, repetition, and the model (provider, name).
    """
    rows = connection.execute(
        "SELECT v.case_id, v.entry, v.repetition, v.provider, v.model FROM comparisons c "
        "JOIN answer_verdicts v ON v.comparison = c.seq WHERE c.version = ? AND v.tries > 0 "
        "AND json_extract(c.request, '$.agent_id') = ? AND json_extract(c.request, '$.subject_version') = ?",
        (version, agent_id, agent_version),
    )
    return {
        (restored(case_id), restored(entry), repetition, restored(provider), restored(model))
        for case_id, entry, repetition, provider, model in rows
    }


def verdicts_by_case(judged: Sequence[JudgedAnswer]) -> dict[str, list[AnswerVerdict]]:
    """The verdicts of each case that has any, as the rules take them."""
    found: dict[str, list[AnswerVerdict]] = {}
    for one in judged:
        found.setdefault(one.case_id, []).append(one.verdict)
    return found
