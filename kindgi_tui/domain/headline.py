"""A comparison in words: one sentence a person can act on, and a second about how sure it is (DESIGN section 5)."""

import json
import math

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.statistics import Interval, word

ONLY_EXPERTS = "Only experts' corrections counted; the others weighed 0."
"""What a comparison that counted experts alone says."""

_MOST_DECIMALS = 6
_EQUAL = 1e-9
"""Rates closer than this are the same."""

_ARGUMENTS_SHOWN = 2_000
"""Characters of a value, such as a call's arguments, that a sentence shows."""


class Facts(Frozen):
    """What a headline is made from."""

    candidate: str
    """The candidate as people call it: its id and version, `acme-ops.article-picker 0.2.0`."""

    baseline: float | None
    """The recorded runs' pass rate, 0 to 1; None without evidence."""

    now: float | None
    """The candidate's pass rate, 0 to 1; None without evidence."""

    n: int
    """Cases with evidence on the candidate's side."""

    cases: int
    """Cases that have a result."""

    new_answers: int = 0
    """New items nobody has judged."""

    graded: bool = False
    """Whether graded parts of corrections counted."""

    diverged: int = 0
    """Cases that read something the recording doesn't have."""

    refused: int = 0
    """Tool calls the replay refused."""

    stopped: int = 0
    """Cases that stopped at a refused call."""

    errors: int = 0
    """Cases none of whose repetitions ran."""

    checked: int = 0
    """Corrections that were checked."""

    passed: int = 0
    """How many of them passed."""

    unchecked: int = 0
    """Cases whose expectation couldn't be checked."""

    experts_only: bool = False
    """Whether only experts' judgments counted."""

    planned: int | None = None
    """Cases it was meant to have, when it ended before it had them all; else None."""


def headline(facts: Facts, way_out: str = "press Enter") -> str:
    """The whole headline: what people's judgments say, then a clause for each thing a reader has to know.

    `way_out` says how to judge the new answers where nothing can be compared yet: a key, or a command.
    """
    sentences = [_verdict(facts, way_out)]
    if facts.checked:
        # Early, because a narrow screen cuts the end, and better on the whole may fail what people asked for.
        sentences.append(_checked(facts))
    if facts.experts_only:
        sentences.append(ONLY_EXPERTS)
    if facts.planned is not None and facts.planned > facts.cases:
        sentences.append(f"It ended early: {facts.cases} of {_cases(facts.planned)} finished.")
    if facts.diverged:
        in_cases = _count(facts.diverged, "In 1 case", "In {} cases")
        sentences.append(f"{in_cases} it read something the recording didn't have.")
    if facts.refused:
        sentences.append(
            _count(
                facts.refused,
                "1 tool call was refused and not carried out.",
                "{} tool calls were refused and not carried out.",
            )
        )
    if facts.stopped:
        sentences.append(
            _count(
                facts.stopped,
                "1 case stopped at a refused call and has no output to rate.",
                "{} cases stopped at a refused call and have no output to rate.",
            )
        )
    if facts.errors and not _all_failed(facts):
        sentences.append(
            _count(facts.errors, "1 case failed and isn't counted.", "{} cases failed and aren't counted.")
        )
    if facts.unchecked:
        sentences.append(
            _count(
                facts.unchecked,
                "What was expected of 1 case couldn't be checked.",
                "What was expected of {} cases couldn't be checked.",
            )
        )
    return " ".join(sentences)


def interval_sentence(metric: str, interval: Interval | None, n: int) -> str:
    """The second sentence: how sure the change of one metric is, over `n` cases with evidence.

    `metric` is its name on the screen, such as `Judged yes`.
    """
    said = word(interval, n)
    cases = f"n = {n:,}"
    if said == "too few cases" or interval is None:
        return f"{metric}: {said} ({cases})."
    low, high = _points(interval.low), _points(interval.high)
    if said == "too close to call":
        return f"{metric}: {said}, {low} to {high} points (95% interval, {cases})."
    least, most = sorted((abs(interval.low), abs(interval.high)))
    return f"{metric}: {said} by {_range(least, most)} points (95% interval, {cases})."


def stopped_sentence(tool_id: str, arguments: Json) -> str:
    """What a case says that stopped at a refused call. The arguments are as the agent wrote them, cut when long."""
    call = f"{tool_id} with {one_line_json(arguments)}"
    return (
        f"It stopped at a tool call the replay refused: it would have called {call}. "
        "That call wasn't carried out, and there's no output to rate."
    )


def percents(before: float, now: float) -> tuple[str, str]:
    """Two shares (0 to 1) as percentages that never say more than is true.

    Nothing short of all is written 100%, nothing above none is 0%, and two that differ are written differently.
    """
    for decimals in range(_MOST_DECIMALS + 1):
        shown = _percent(before, decimals), _percent(now, decimals)
        if shown[0] != shown[1] or abs(before - now) <= _EQUAL:
            return shown
    return shown


def percent(share: float) -> str:
    """One share (0 to 1) as a percentage: whole, or with as many decimals as keep it off 0% and 100%."""
    return _percent(share, 0)


def _verdict(facts: Facts, way_out: str) -> str:
    """The first sentence."""
    people = "People's corrections" if facts.graded else "People's judgments"
    yes = "marked right" if facts.graded else "yes"
    judged = "corrected" if facts.graded else "judged"
    if facts.baseline is not None and facts.now is not None:
        before, now = percents(facts.baseline, facts.now)
        difference = facts.now - facts.baseline
        rated = "better than" if difference > 0 else "worse than"
        if abs(difference) <= _EQUAL:
            rated = "no different from"
        return (
            f"{people} rate {facts.candidate} {rated} the recorded runs: {before} {yes} before, {now} now, "
            f"on the {facts.n:,} of {_cases(facts.cases)} with answers people {judged}."
        )
    if not facts.cases:
        return f"There's nothing to compare: no case of {facts.candidate} has a result."
    if _all_failed(facts):
        failed = "the case failed" if facts.cases == 1 else f"all {_cases(facts.cases)} failed"
        return f"There's nothing to compare: {failed}, so {facts.candidate} has no answers to rate."
    if facts.errors + facts.stopped >= facts.cases:
        return f"There's nothing to compare: none of the {_cases(facts.cases)} has an output to rate."
    judge = "correct" if facts.graded else "judge"
    todo = _count(facts.new_answers, f"1 new answer to {judge}", f"{{}} new answers to {judge}")
    further = f" {todo}: {way_out}." if facts.new_answers else ""
    if facts.now is not None:
        rated = (
            f"{people} rate {facts.candidate} {percent(facts.now)} {yes}, "
            f"on the {facts.n:,} of {_cases(facts.cases)} with answers people {judged}"
        )
        return (
            f"{rated}; there's nothing to compare with, they {judged} none of the recorded answers.{further}"
        )
    return f"There's nothing to compare yet: people haven't {judged} any of {facts.candidate}'s answers.{further}"


def _checked(facts: Facts) -> str:
    """How many corrections passed."""
    if facts.checked == 1:
        return (
            "The 1 correction that was checked passed."
            if facts.passed
            else "The 1 correction that was checked failed."
        )
    return f"{facts.passed:,} of the {facts.checked:,} corrections that were checked passed."


def _all_failed(facts: Facts) -> bool:
    return facts.cases > 0 and facts.errors >= facts.cases


def _cases(count: int) -> str:
    return _count(count, "1 case", "{} cases")


def _count(count: int, one: str, several: str) -> str:
    return one if count == 1 else several.format(f"{count:,}")


def _percent(share: float, decimals: int) -> str:
    """`share` with that many decimals, more where it would look like 0% or 100% without being it."""
    for more in range(decimals, _MOST_DECIMALS + 1):
        # Half up, as people round; the smallest of errors in a binary fraction must not turn a half down.
        units = math.floor(share * 100 * 10**more + 0.5 + 1e-9)
        if (units > 0 or share <= 0) and (units < 100 * 10**more or share >= 1):
            return f"{_decimal(units, more)}%"
    return "over 99.999999%" if share > 0.5 else "under 0.000001%"


def _decimal(units: int, decimals: int) -> str:
    """A percentage counted in units of its last decimal, written out; 0 and 100 without decimals."""
    if not decimals or units in (0, 100 * 10**decimals):
        return str(units // 10**decimals)
    return f"{units // 10**decimals}.{units % 10**decimals:0{decimals}d}"


def _points(share: float) -> str:
    """A change in percentage points with its sign."""
    sign = "+" if share > 0 else "−" if share < 0 else ""
    return sign + _percent(abs(share), 0).removesuffix("%")


def _range(least: float, most: float) -> str:
    low, high = _percent(least, 0).removesuffix("%"), _percent(most, 0).removesuffix("%")
    return low if low == high else f"{low} to {high}"


def one_line_json(value: Json) -> str:
    """A value, such as a call's arguments, as JSON on one line, cut when long. The words in it are not cleaned."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (RecursionError, ValueError):
        return "{…}"
    return text if len(text) <= _ARGUMENTS_SHOWN else text[: _ARGUMENTS_SHOWN - 1] + "…"
