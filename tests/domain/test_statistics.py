import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.statistics import (
    CaseEvidence,
    Interval,
    bootstrap_intervals,
    delta,
    linearised_interval,
    word,
)

WEIGHTS = st.sampled_from([0, 1, 2, 3, 0.5, 0.1, 1e6])
SUMS = st.tuples(WEIGHTS, WEIGHTS).map(lambda pair: (float(min(pair)), float(max(pair))))
CASES = st.lists(st.builds(CaseEvidence, SUMS, st.lists(SUMS, max_size=3)), max_size=15)


def drawn(
    numbers: random.Random, count: int, before: float, now: float, repetitions: int = 1
) -> list[CaseEvidence]:
    """Cases of one to five judged items whose rates scatter around `before` and `now`, alike within a case."""
    cases = []
    for _ in range(count):
        luck = numbers.uniform(-0.2, 0.2)
        total = numbers.randint(1, 5)

        def sums(rate: float, items: int, luck: float = luck) -> tuple[float, float]:
            return sum(numbers.random() < rate + luck for _ in range(items)), items

        cases.append(
            CaseEvidence(sums(before, total), [sums(now, numbers.randint(1, 5)) for _ in range(repetitions)])
        )
    return cases


def bootstrap_interval(cases: Sequence[CaseEvidence], seed: str, resamples: int) -> Interval | None:
    """The interval of one metric alone."""
    return bootstrap_intervals({"": cases}, seed, resamples)[""]


def test_the_delta_is_of_pooled_ratios() -> None:
    cases = [CaseEvidence((1, 3), [(1, 1), (1, 2)]), CaseEvidence((0, 1), [(0, 1)]), CaseEvidence((9, 9), [])]
    assert delta(cases) == pytest.approx((1 / 2 + 1 / 2) / 2 - 1 / 4)
    assert delta([]) is None
    assert delta([CaseEvidence((1, 1), [(0, 0)])]) is None
    assert delta([CaseEvidence((0, 0), [(1, 1)])]) is None


def test_the_linearised_interval_by_hand() -> None:
    """One item a case: the interval of a paired mean, 0.6 with t(9) = 2.262 standard errors of √(2.4 / 9 / 10)."""
    cases = [CaseEvidence((0, 1), [(1, 1)])] * 6 + [CaseEvidence((1, 1), [(1, 1)])] * 4
    interval = linearised_interval(cases)
    assert interval is not None
    assert interval.low == pytest.approx(0.6 - 2.2622 * (2.4 / 9 / 10) ** 0.5, abs=1e-3)
    assert interval.high == pytest.approx(0.6 + 2.2622 * (2.4 / 9 / 10) ** 0.5, abs=1e-3)


def test_no_evidence_no_interval() -> None:
    for make in (linearised_interval, lambda cases: bootstrap_interval(cases, "s", 50)):
        assert make([]) is None
        assert make([CaseEvidence((1, 2), [(1, 1)])]) is None
        assert make([CaseEvidence((1, 2), [])] * 20) is None
        assert make([CaseEvidence((1, 2), [(0, 0)])] * 20) is None
        assert make([CaseEvidence((0, 0), [(1, 2)])] * 20) is None
        assert make([CaseEvidence((float("nan"), float("nan")), [(1, 2)])] * 20) is None


def test_one_case_with_evidence_among_many_is_no_ground_for_an_interval() -> None:
    cases = [CaseEvidence((1, 2), [(0, 0)])] * 40 + [CaseEvidence((1, 2), [(1, 2)]), CaseEvidence((1, 2), [])]
    few = bootstrap_interval([*cases[:2], cases[-2], *cases[2:8]], "s", 200)
    assert few is not None
    assert few.low == few.high == 0


@given(CASES)
@settings(max_examples=60)
def test_intervals_are_ordered_and_within_bounds(cases: list[CaseEvidence]) -> None:
    middle = delta(cases)
    linear, bootstrap = linearised_interval(cases), bootstrap_interval(cases, "seed", 60)
    for interval in (linear, bootstrap):
        if interval is not None:
            assert -1 <= interval.low <= interval.high <= 1
            assert middle is not None
    if linear is not None and middle is not None:
        assert linear.low - 1e-9 <= middle <= linear.high + 1e-9
    if middle is None:
        assert linear is None


@given(CASES, st.sampled_from([2, 0.5, 1024]))
@settings(max_examples=40)
def test_the_unit_of_weights_does_not_matter(cases: list[CaseEvidence], unit: float) -> None:
    def scaled(sums: tuple[float, float]) -> tuple[float, float]:
        return sums[0] * unit, sums[1] * unit

    other = [CaseEvidence(scaled(case.baseline), [scaled(sums) for sums in case.candidate]) for case in cases]
    for one, two in (
        (linearised_interval(cases), linearised_interval(other)),
        (bootstrap_interval(cases, "s", 40), bootstrap_interval(other, "s", 40)),
    ):
        assert (one is None) == (two is None)
        if one is not None:
            assert two == pytest.approx(one, abs=1e-5)


def test_the_same_seed_gives_the_same_numbers_everywhere() -> None:
    cases = drawn(random.Random("fixed"), 30, 0.4, 0.6)
    assert bootstrap_interval(cases, "comparison-1", 500) == bootstrap_interval(cases, "comparison-1", 500)
    assert bootstrap_interval(cases, "comparison-1", 500) != bootstrap_interval(cases, "comparison-2", 500)
    plain = [CaseEvidence((i % 2, 1), [((i * 7 + 3) % 3 % 2, 1)]) for i in range(24)]
    # Written down once: another machine or Python version has to give exactly these.
    assert bootstrap_interval(plain, "fixed", 400) == Interval(-0.45833333333333337, 0.125)


def test_metrics_together_are_as_alone() -> None:
    numbers = random.Random(5)
    one, two = drawn(numbers, 40, 0.3, 0.7), drawn(numbers, 40, 0.5, 0.5, repetitions=3)
    shorter = one[:25]
    together = bootstrap_intervals({"one": one, "two": two, "shorter": shorter, "none": []}, "s", 300)
    assert together == {
        "one": bootstrap_interval(one, "s", 300),
        "two": bootstrap_interval(two, "s", 300),
        "shorter": bootstrap_interval(shorter, "s", 300),
        "none": None,
    }


def test_pairs_stay_together() -> None:
    """Cases that differ much from each other but not from their recording leave no doubt: the interval is a point."""
    cases = [CaseEvidence((i % 4, 3), [(i % 4, 3)]) for i in range(40)]
    assert bootstrap_interval(cases, "s", 300) == Interval(0, 0)
    assert linearised_interval(cases) == pytest.approx((0, 0), abs=1e-12)


@pytest.mark.parametrize(
    ("make", "simulations"),
    [
        pytest.param(linearised_interval, 1_000, id="linearised"),
        pytest.param(lambda cases: bootstrap_interval(cases, "simulation", 400), 300, id="bootstrap"),
    ],
)
@pytest.mark.parametrize(("before", "now", "repetitions"), [(0.35, 0.6, 1), (0.5, 0.5, 3)])
def test_the_true_delta_is_inside_about_95_times_in_100(
    make: Callable[[list[CaseEvidence]], Interval | None],
    simulations: int,
    before: float,
    now: float,
    repetitions: int,
) -> None:
    numbers = random.Random(f"coverage {before} {now}")
    inside = 0
    for _ in range(simulations):
        interval = make(drawn(numbers, 40, before, now, repetitions))
        assert interval is not None
        inside += interval.low <= now - before <= interval.high
    assert 0.90 <= inside / simulations <= 0.99


def test_words() -> None:
    assert word(Interval(0.01, 0.2), 10) == "better"
    assert word(Interval(-0.2, -0.01), 10) == "worse"
    assert word(Interval(0, 0.2), 10) == "too close to call"
    assert word(Interval(-0.2, 0), 500) == "too close to call"
    assert word(Interval(0.5, 0.9), 9) == "too few cases"
    assert word(None, 0) == "too few cases"
    assert word(None, 10) == "too close to call"
