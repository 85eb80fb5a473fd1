"""Agreement between people: published worked examples, what defines the coefficients, and the words for them."""

import math
from collections.abc import Sequence
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.agreement import (
    LEAST_SHARED,
    PAIRED_PEOPLE,
    Agreement,
    Corrected,
    Rating,
    agreement_of,
    agreement_sentence,
    apart_sentence,
    coefficient_words,
    cohen_kappa,
    krippendorff_alpha,
    rater,
)
from kindgi_tui.domain.corrections import Expectation, ExpectedCall
from kindgi_tui.domain.judgments import Verdict

VERDICTS: st.SearchStrategy[Verdict] = st.sampled_from(["yes", "no"])
PEOPLE = ("ann", "ben", "cara", "dan")
SAID = st.dictionaries(st.sampled_from(PEOPLE), VERDICTS)
BOTH = st.fixed_dictionaries({"ann": VERDICTS, "ben": VERDICTS})
MANY = st.dictionaries(st.sampled_from(PEOPLE), VERDICTS, min_size=2)
TABLES = st.one_of(
    st.lists(SAID, max_size=40),
    st.lists(BOTH, min_size=25, max_size=40),
    st.lists(MANY, min_size=25, max_size=40),
)
"""What people said item by item, with gaps."""


def table(yes_yes: int, yes_no: int, no_yes: int, no_no: int) -> list[tuple[str, str]]:
    """A table of two by two as pairs."""
    return [
        *[("yes", "yes")] * yes_yes,
        *[("yes", "no")] * yes_no,
        *[("no", "yes")] * no_yes,
        *[("no", "no")] * no_no,
    ]


def units(*rows: str) -> list[list[str]]:
    """What each observer said, a row an observer and a letter a unit, as units without the gaps (`.`)."""
    return [[value for value in column if value != "."] for column in zip(*rows, strict=True)]


def ratings(items: Sequence[dict[str, Verdict]]) -> list[Rating]:
    return [
        Rating(f"run-{number}", "answer", person, verdict)
        for number, said in enumerate(items)
        for person, verdict in said.items()
    ]


# Published examples


def test_kappa_of_the_grant_proposals() -> None:
    """Two readers of 50 grant proposals, the worked example of Wikipedia's "Cohen's kappa": p_o 0.7, p_e 0.5."""
    assert cohen_kappa(table(20, 5, 10, 15)) == 0.4


def test_kappa_of_two_residents_on_noon_lectures() -> None:
    """Viera and Garrett, "Understanding Interobserver Agreement: The Kappa Statistic", Family Medicine 2005;37(5):
    two residents on 100 lectures, 85% observed and 65% expected agreement: kappa 0.57."""
    found = cohen_kappa(table(15, 5, 10, 70))
    assert found is not None
    assert round(found, 2) == 0.57


def test_kappa_depends_on_the_margins() -> None:
    """Wikipedia's "Cohen's kappa", "Same percentages but different numbers": 60% agreement both times."""
    first, second = cohen_kappa(table(45, 15, 25, 15)), cohen_kappa(table(25, 35, 5, 35))
    assert first is not None
    assert second is not None
    assert (round(first, 4), round(second, 4)) == (0.1304, 0.2593)


KRIPPENDORFF = units("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
"""Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers, twelve units, gaps."""


def test_alpha_of_four_observers_with_gaps() -> None:
    """Krippendorff (2011), section C: 40 pairable values; nominal alpha 0.743."""
    assert sum(len(unit) for unit in KRIPPENDORFF if len(unit) > 1) == 40
    assert round(krippendorff_alpha(KRIPPENDORFF) or 0, 3) == 0.743


def test_alpha_of_two_observers() -> None:
    """Krippendorff (2011), sections A (Meg and Owen, binary: 0.095) and B (Ben and Gerry, nominal: 0.692)."""
    assert round(krippendorff_alpha(units("0100000010", "1110010000")) or 0, 3) == 0.095
    assert round(krippendorff_alpha(units("aabbdcccedda", "babbbccceddd")) or 0, 3) == 0.692


def test_alpha_of_three_coders_with_gaps() -> None:
    """The computational example of Wikipedia's "Krippendorff's alpha": three coders, fifteen units: 0.691."""
    coders = (".....34121133.3", "1.213343.......", "..21344.21133.4")
    assert round(krippendorff_alpha(units(*coders)) or 0, 3) == 0.691


# What defines them


def brute_alpha(told: Sequence[Sequence[str]]) -> float | None:
    """Alpha by its definition: mean disagreement within units, over that of all pairs of values there are."""
    pairable = [unit for unit in told if len(unit) > 1]
    values = [value for unit in pairable for value in unit]
    if len(set(values)) < 2:
        return None
    within = sum(
        sum(first != second for first, second in permutations(unit, 2)) / (len(unit) - 1) for unit in pairable
    ) / len(values)
    overall = sum(first != second for first, second in permutations(values, 2))
    return 1 - within / (overall / (len(values) * (len(values) - 1)))


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=12))
def test_alpha_is_its_definition(told: list[list[str]]) -> None:
    found, expected = krippendorff_alpha(told), brute_alpha(told)
    if expected is None:
        assert found is None
    else:
        assert found == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_kappa_is_its_definition(pairs: list[tuple[str, str]]) -> None:
    observed = sum(first == second for first, second in pairs) / len(pairs)
    # Chance: any judgment of the one beside any of the other.
    chance = sum(first == second for (first, _), (_, second) in product(pairs, pairs)) / len(pairs) ** 2
    found = cohen_kappa(pairs)
    if chance == 1:
        assert found is None
    else:
        assert found == pytest.approx((observed - chance) / (1 - chance), abs=1e-12)


@given(st.lists(st.sampled_from("abc"), min_size=2), st.integers(2, 5))
def test_perfect_agreement_is_one(said: list[str], people: int) -> None:
    same = len(set(said)) < 2
    assert cohen_kappa([(value, value) for value in said]) == (None if same else 1)
    assert krippendorff_alpha([[value] * people for value in said]) == (None if same else 1)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))
def test_what_says_nothing_of_each_other_is_chance(a: int, b: int, c: int, d: int) -> None:
    """Where the rows are as the columns would have them, kappa is exactly 0."""
    assert cohen_kappa(table(a * c, a * d, b * c, b * d)) == 0


@given(st.integers(2, 40))
def test_the_reverse_of_each_other_is_below_chance(count: int) -> None:
    assert cohen_kappa(table(0, count, count, 0)) == -1
    alpha = krippendorff_alpha(table(0, count, count, 0))
    assert alpha is not None
    # As 1 - (n - 1) / (n / 2) of n = 4 * count values.
    assert alpha == pytest.approx(-1 + 1 / (2 * count))


def test_nothing_to_tell_is_none_and_never_zero() -> None:
    assert cohen_kappa([]) is None
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([["yes"], ["no"]]) is None
    assert Agreement().raw is None
    assert Agreement().yes_rate is None


# What is told of them


@given(TABLES)
def test_counts_are_what_counting_by_hand_gives(items: list[dict[str, Verdict]]) -> None:
    found = agreement_of(ratings(items))
    shared = [said for said in items if len(said) > 1]
    assert found.shared == len(shared)
    assert found.agreed == sum(len(set(said.values())) == 1 for said in shared)
    assert found.verdicts == sum(len(said) for said in shared)
    assert found.yes == sum(verdict == "yes" for said in shared for verdict in said.values())
    assert found.people == tuple(sorted({person for said in shared for person in said}))
    assert found.agreed + len(found.split) == found.shared
    for pair in found.pairs:
        both = [said for said in items if pair.first in said and pair.second in said]
        assert pair.shared == len(both) > 0
        assert pair.agreed == sum(said[pair.first] == said[pair.second] for said in both)
        assert pair.only_first == sum((said[pair.first], said[pair.second]) == ("yes", "no") for said in both)
    together = {(a, b) for said in shared for a in said for b in said if a < b}
    assert {(pair.first, pair.second) for pair in found.pairs} == together


@given(TABLES, st.permutations(PEOPLE))
def test_who_is_called_what_changes_nothing(items: list[dict[str, Verdict]], renamed: Sequence[str]) -> None:
    names = dict(zip(PEOPLE, renamed, strict=True))
    before = agreement_of(ratings(items))
    after = agreement_of(ratings([{names[p]: v for p, v in said.items()} for said in items]))
    for name in ("shared", "by_all", "agreed", "verdicts", "yes", "coefficient"):
        assert getattr(after, name) == getattr(before, name)
    assert after.value == pytest.approx(before.value) if before.value is not None else after.value is None
    assert after.people == tuple(sorted(names[person] for person in before.people))


@given(TABLES)
def test_a_coefficient_is_told_from_thirty_shared_items_on(items: list[dict[str, Verdict]]) -> None:
    found = agreement_of(ratings(items))
    shared = [said for said in items if len(said) > 1]
    if found.shared < LEAST_SHARED:
        assert (found.coefficient, found.value) == (None, None)
    elif len(found.people) == 2:
        first, second = found.people
        assert found.coefficient == "kappa"
        assert found.value == cohen_kappa([(said[first], said[second]) for said in shared])
    else:
        assert found.coefficient == "alpha"
        assert found.value == krippendorff_alpha([list(said.values()) for said in shared])
    assert found.value is None or (found.value <= 1 and not math.isnan(found.value))


def two(*counts: int) -> Agreement:
    return agreement_of(ratings([{"ann": a, "ben": b} for a, b in table(*counts)]))  # type: ignore[dict-item]


def test_it_is_told_in_a_sentence_with_n_and_the_yes_rate() -> None:
    assert agreement_sentence(two(20, 5, 10, 15)) == (
        "2 people judged the same 50 items: they agree on 70% (kappa 0.40), 55% yes"
    )
    three: list[dict[str, Verdict]] = [{"ann": "yes", "ben": "yes", "cara": "yes"}] * 20
    three.extend([{"ann": "no", "ben": "no", "cara": "no"}] * 15)
    three.extend([{"ann": "yes", "ben": "no", "cara": "no"}] * 6)
    told = agreement_of(ratings(three))
    alpha = coefficient_words(krippendorff_alpha([list(said.values()) for said in three]) or 0)
    assert agreement_sentence(told) == (
        f"3 people judged the same 41 items: they agree on 85% (alpha {alpha}), 54% yes"
    )
    assert len(told.split) == 6
    assert (told.split[0].yes, told.split[0].no) == (("ann",), ("ben", "cara"))


def test_with_gaps_it_says_so() -> None:
    items: list[dict[str, Verdict]] = [{"ann": "yes", "ben": "no"}] * 20
    items.extend([{"ann": "no", "cara": "no"}] * 20)
    told = agreement_sentence(agreement_of(ratings(items)))
    assert told.startswith("3 people judged 40 items, each by two or more: they agree on 50% (alpha ")
    assert told.endswith("), 25% yes")


def test_under_thirty_there_are_counts_alone() -> None:
    assert agreement_sentence(two(6, 1, 1, 4)) == (
        "2 people judged the same 12 items: they agree on 10, 14 of 24 verdicts yes; too few for a coefficient (30)"
    )
    assert two(20, 5, 2, 2).coefficient is None
    assert two(20, 5, 3, 2).coefficient == "kappa"
    assert "judged the same item: they differ on it, 1 of 2 verdicts yes" in agreement_sentence(
        two(0, 1, 0, 0)
    )


def test_who_says_the_same_of_everything_gets_no_coefficient() -> None:
    assert agreement_sentence(two(40, 0, 0, 0)) == (
        "2 people judged the same 40 items: they agree on 100%, 100% yes; no kappa where all verdicts are the same"
    )


def test_without_shared_items_it_says_what_it_takes() -> None:
    assert agreement_sentence(agreement_of([])).startswith("Nobody has a live verdict")
    assert agreement_sentence(agreement_of(ratings([{"ann": "yes"}]))).startswith(
        "Only ann judged these runs"
    )
    apart = agreement_of(ratings([{"ann": "yes"}, {"ben": "no"}]))
    assert (apart.people, apart.alone) == ((), ("ann", "ben"))
    assert agreement_sentence(apart).startswith("2 people judged these runs, and no item twice")


def test_a_coefficient_never_says_more_than_is_true() -> None:
    assert coefficient_words(1) == "1.00"
    assert coefficient_words(0.9999) == "0.99"
    assert coefficient_words(-0.0001) == "0.00"
    assert coefficient_words(-0.256) == "-0.26"


def test_very_many_people_are_paired_only_where_most_is_shared() -> None:
    crowd: list[dict[str, Verdict]] = [{f"p{number:03}": "yes" for number in range(200)}]
    crowd += [{f"p{number:03}": "no" for number in range(150, 200)}]
    found = agreement_of(ratings(crowd))
    assert len(found.people) == 200
    assert len(found.pairs) == PAIRED_PEOPLE * (PAIRED_PEOPLE - 1) // 2
    assert {pair.shared for pair in found.pairs} == {2}


def test_an_apps_own_users_are_people_of_their_own() -> None:
    assert rater("bot", None) == "bot"
    assert rater("bot", "u-1") == "bot for u-1"


def call(arguments: dict[str, object] | None) -> Expectation:
    return Expectation(
        decisions="wrong",
        should_call=(ExpectedCall.make(tool_id="acme.search", arguments=arguments),),
    )


@pytest.mark.parametrize(
    ("first", "second", "differ"),
    [
        (call({"a": 1, "b": [1.0]}), call({"b": [1], "a": 1}), False),
        (call(None), call({}), False),
        (call({"a": 1}), call({"a": 2}), True),
        (Expectation(answer="right"), Expectation(answer="wrong", why="too long"), True),
        (Expectation(answer="wrong", why="x"), Expectation(answer="wrong", should_say="x"), True),
        (Expectation(decisions="right"), Expectation(decisions="right", answer="right"), True),
    ],
)
def test_runs_people_corrected_differently_stand_with_what_each_said(
    first: Expectation, second: Expectation, differ: bool
) -> None:
    said = [Corrected("r1", "ann", first), Corrected("r2", "ann", first), Corrected("r1", "ben", second)]
    found = agreement_of([], said)
    assert found.to_settle == differ
    assert [(one.run_id, one.people) for one in found.apart] == ([("r1", ("ann", "ben"))] if differ else [])
    words = "1 run is corrected differently by several people"
    assert apart_sentence(found) == (words if differ else "")
    if differ:
        assert [one.expect for one in found.apart[0].said] == [first, second]
        more = agreement_of([], [*said, Corrected("r2", "ben", second)])
        assert apart_sentence(more) == "2 runs are corrected differently by several people"
