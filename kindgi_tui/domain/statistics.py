"""How sure a comparison's delta is: a 95% interval for the difference of two pooled ratios (DESIGN section 5).

Both intervals treat cases as the sample: a case's recorded and new evidence stay together, and so do its repetitions.
A linearised interval costs one pass over the cases, so it can be shown while they come in; the bootstrap is for the end
and takes some tenths of a second for 1,000 cases, so it belongs in a thread or process of its own.
"""

import math
import random
import struct
from collections.abc import Sequence
from typing import Literal, NamedTuple

LEAST_CASES = 10
"""With evidence in fewer cases than this, no word is said for or against."""

RESAMPLES = 2_000
"""How often a bootstrap draws the cases again."""

_TAIL = 0.025
_NORMAL = 1.959963984540054
_LARGEST = 2**40
"""Weights become whole numbers up to this, so that sums of them are exact and the same on every machine."""

Word = Literal["better", "worse", "too close to call", "too few cases"]
"""What an interval says, in a word."""


class Sums(NamedTuple):
    """Evidence as two sums of weights; for coverage, as two counts of items."""

    yes: float
    """Σ yes weight (or judged items), 0 to `total`."""

    total: float
    """Σ weight (or items); 0 is no evidence."""


class CaseEvidence(NamedTuple):
    """One case's evidence for one metric."""

    baseline: tuple[float, float]
    """Sums of the recorded output: yes and total."""

    candidate: Sequence[tuple[float, float]]
    """Sums of each repetition that ran, in order. Empty when none ran: the case then leaves both sides."""


class Interval(NamedTuple):
    """Where the delta (candidate minus baseline) lies with 95% confidence; both ends from -1 to 1."""

    low: float
    """The lower end."""

    high: float
    """The upper end, at least `low`."""


def delta(cases: Sequence[CaseEvidence]) -> float | None:
    """The delta itself: the mean over repetitions of the candidate's pooled ratio, minus the baseline's.

    None when a side has no evidence.
    """
    rows = _rows(cases)
    return _delta([math.fsum(column) for column in zip(*rows, strict=True)]) if rows else None


def linearised_interval(cases: Sequence[CaseEvidence]) -> Interval | None:
    """The interval by the delta method, with Student's t for few cases. None with fewer than two cases or no evidence.

    A repetition in which no case has evidence counts for nothing. Repetitions of one case are not independent of each
    other, and aren't taken to be.
    """
    rows = _rows(cases)
    if len(rows) < 2:
        return None
    totals = [math.fsum(column) for column in zip(*rows, strict=True)]
    middle = _delta(totals)
    if middle is None:
        return None
    pairs = [
        (at, totals[at] / totals[at + 1], totals[at + 1]) for at in range(0, len(totals), 2) if totals[at + 1]
    ]
    (_, recorded, weight), *repetitions = pairs
    share = 1 / len(repetitions)
    squares = 0.0
    for row in rows:
        influence = (recorded * row[1] - row[0]) / weight
        for at, ratio, total in repetitions:
            influence += share * (row[at] - ratio * row[at + 1]) / total
        squares += influence * influence
    n = len(rows)
    reach = _student(n - 1) * math.sqrt(squares * n / (n - 1))
    return Interval(max(middle - reach, -1.0), min(middle + reach, 1.0))


def bootstrap_intervals(
    metrics: dict[str, Sequence[CaseEvidence]], seed: str, resamples: int = RESAMPLES
) -> dict[str, Interval | None]:
    """The intervals of metrics of the same cases by a paired bootstrap over cases (percentiles), by their names.

    None with fewer than two cases or no evidence. The same cases in the same order and the same seed give the same
    interval on every machine. Draws in which a side has no evidence are left out; where they are most of the draws,
    there is no interval. Each draw of cases serves all metrics, and a metric's interval is the same whether it is asked
    for alone or with others.
    """
    groups: dict[int, list[str]] = {}
    rows = {name: _rows(cases) for name, cases in metrics.items()}
    for name, own in rows.items():
        groups.setdefault(len(own), []).append(name)
    found: dict[str, Interval | None] = dict.fromkeys(metrics)
    for size, names in groups.items():
        if 2 <= size <= _VALUES:
            deltas = _resampled([rows[name] for name in names], size, seed, resamples)
            found.update(zip(names, [_percentiles(each, resamples) for each in deltas], strict=True))
    return found


def word(interval: Interval | None, n: int) -> Word:
    """What an interval over `n` cases with evidence on the candidate's side says.

    `better` or `worse` when it leaves out 0, `too few cases` under ten, else `too close to call`.
    """
    if n < LEAST_CASES:
        return "too few cases"
    if interval is not None and interval.low > 0:
        return "better"
    if interval is not None and interval.high < 0:
        return "worse"
    return "too close to call"


def _rows(cases: Sequence[CaseEvidence]) -> list[list[float]]:
    """The cases the candidate ran as rows of one length: baseline yes and total, then those of each repetition."""
    ran = [case for case in cases if case.candidate]
    most = max((len(case.candidate) for case in ran), default=0)
    rows = []
    for case in ran:
        row = [value for sums in (case.baseline, *case.candidate) for value in _known(sums)]
        row.extend([0] * (2 + 2 * most - len(row)))
        rows.append(row)
    return rows


def _known(sums: tuple[float, float]) -> tuple[float, float]:
    """The sums themselves, or no evidence where one of them is no number."""
    return sums if math.isfinite(sums[0]) and math.isfinite(sums[1]) else (0, 0)


def _delta(totals: Sequence[float]) -> float | None:
    """The delta from the sums over all cases."""
    ratios = [totals[at] / totals[at + 1] for at in range(2, len(totals), 2) if totals[at + 1]]
    if not totals[1] or not ratios:
        return None
    return sum(ratios) / len(ratios) - totals[0] / totals[1]


_VALUES = 1 << 16
"""How many values two bytes have: the most cases that can be resampled; a test set has at most 1,000."""


def _resampled(
    metrics: Sequence[Sequence[Sequence[float]]], size: int, seed: str, resamples: int
) -> list[list[float]]:
    """The deltas of each metric over the draws that have evidence on both sides.

    All sums of a case are packed into one large whole number, 64 bits each, so that adding up a draw is one addition a
    case, whatever the number of metrics and repetitions.
    """
    scaled = [_whole(rows) for rows in metrics]
    columns = [len(rows[0]) for rows in scaled]
    packing = struct.Struct(f"<{sum(columns)}Q")
    packed = [
        int.from_bytes(packing.pack(*[value for rows in scaled for value in rows[case]]), "little")
        for case in range(size)
    ]
    numbers = random.Random(f"bootstrap:{seed}")
    # Two random bytes choose a case by a table, so that a draw is one lookup; the few values past the last whole round
    # of cases are drawn again, so that every case is as likely as another.
    table = packed * (_VALUES // size)
    drawing = struct.Struct(f"<{size}H")
    deltas: list[list[float]] = [[] for _ in metrics]
    for _ in range(resamples):
        drawn: Sequence[int] = drawing.unpack(numbers.getrandbits(16 * size).to_bytes(2 * size, "little"))
        if max(drawn) >= len(table):
            drawn = _again(drawn, len(table), numbers)
        total = sum(map(table.__getitem__, drawn))
        sums = packing.unpack(total.to_bytes(packing.size, "little"))
        start = 0
        for found, width in zip(deltas, columns, strict=True):
            value = _delta(sums[start : start + width])
            if value is not None:
                found.append(value)
            start += width
    return deltas


def _again(drawn: Sequence[int], end: int, numbers: random.Random) -> list[int]:
    """The draws below `end`, and as many others that are."""
    kept = [number for number in drawn if number < end]
    while len(kept) < len(drawn):
        number = numbers.getrandbits(16)
        if number < end:
            kept.append(number)
    return kept


def _whole(rows: Sequence[Sequence[float]]) -> list[list[int]]:
    """The rows in whole numbers: as they are where they are whole and small, else times one power of two."""
    largest = max(max(row) for row in rows)
    if largest <= _LARGEST and all(value == int(value) for row in rows for value in row):
        return [[int(value) for value in row] for row in rows]
    exponent = 40 - math.frexp(largest)[1]
    return [[round(math.ldexp(value, exponent)) for value in row] for row in rows]


def _percentiles(deltas: list[float], resamples: int) -> Interval | None:
    """The middle 95% of the deltas."""
    if not deltas or 2 * len(deltas) < resamples:
        return None
    deltas.sort()

    def at(share: float) -> float:
        place = share * (len(deltas) - 1)
        below = int(place)
        above = min(below + 1, len(deltas) - 1)
        return deltas[below] + (deltas[above] - deltas[below]) * (place - below)

    return Interval(at(_TAIL), at(1 - _TAIL))


def _student(freedom: int) -> float:
    """The 97.5% point of Student's t, by the first terms of its expansion; exact enough from three degrees on."""
    if freedom <= 2:
        return (12.7062, 4.3027)[freedom - 1]
    z, n = _NORMAL, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )
