"""How far people agree who judged the same items: counts, Cohen's kappa, Krippendorff's alpha, and words for them.

Over items that two or more people judged. A coefficient says how much of the agreement is more than chance: 1 is all
of it, 0 none, below 0 they agree less than by chance. One is told from 30 shared items on, counts alone before.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Literal, NamedTuple

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.corrections import Expectation
from kindgi_tui.domain.headline import percent
from kindgi_tui.domain.javascript import json_equal
from kindgi_tui.domain.judgments import Verdict

LEAST_SHARED = 30
"""From so many shared items on a coefficient is told; below, counts alone."""

PAIRED_PEOPLE = 50
"""Pairs are counted among at most so many people, those who share most; everybody counts in all other numbers."""


class Rating(NamedTuple):
    """One live verdict of one person on one item."""

    run_id: str
    """The run."""
    item_key: str
    """The item's key."""
    person: str
    """Who said it, as `rater` names them; each says one thing of an item."""
    verdict: Verdict
    """Yes or no."""


class Corrected(NamedTuple):
    """One live correction of one person."""

    run_id: str
    """The run."""
    person: str
    """Who said it, as `rater` names them; each says one thing of a run."""
    expect: Expectation
    """What the run should have done."""


class SplitItem(Frozen):
    """An item that people said different things of."""

    run_id: str
    """The run."""
    item_key: str
    """The item's key."""
    yes: tuple[str, ...]
    """Who says yes, by name in order."""
    no: tuple[str, ...]
    """Who says no."""


class SaidApart(Frozen):
    """What one of several people said a run should have done."""

    person: str
    """Who, as `rater` names them."""
    expect: Expectation
    """What it should have done."""


class ApartRun(Frozen):
    """A run that people corrected differently: their live corrections expect different things."""

    run_id: str
    """The run."""
    said: tuple[SaidApart, ...]
    """What each of them said, in the order it came."""

    @property
    def people(self) -> tuple[str, ...]:
        """Who corrected it."""
        return tuple(one.person for one in self.said)


class PairAgreement(Frozen):
    """Two people, and what they said of the items both judged."""

    first: str
    """One of them; names are in order."""
    second: str
    """The other."""
    both_yes: int = 0
    """Items both said yes to."""
    both_no: int = 0
    """Items both said no to."""
    only_first: int = 0
    """Items the first said yes to and the second no."""
    only_second: int = 0
    """Items the second said yes to and the first no."""

    @property
    def shared(self) -> int:
        """Items both judged."""
        return self.agreed + self.only_first + self.only_second

    @property
    def agreed(self) -> int:
        """Items both said the same of."""
        return self.both_yes + self.both_no


class Agreement(Frozen):
    """How far people agree over the items that two or more of them judged."""

    people: tuple[str, ...] = ()
    """Who judged an item that somebody else judged too, in order."""
    alone: tuple[str, ...] = ()
    """Who judged only items nobody else did."""
    shared: int = 0
    """n: how many items two or more people judged."""
    by_all: int = 0
    """Of these, how many everybody in `people` judged."""
    agreed: int = 0
    """Of the shared ones, those of which everybody who judged them said the same."""
    verdicts: int = 0
    """Verdicts on the shared items."""
    yes: int = 0
    """Of these, how many are yes."""
    coefficient: Literal["kappa", "alpha"] | None = None
    """Which was computed: kappa for two people, alpha for more; None below 30 shared items."""
    value: float | None = None
    """What it came to, at most 1; None where it is not computed, or says nothing as all verdicts are the same."""
    pairs: tuple[PairAgreement, ...] = ()
    """Every two people who share an item, those who share most first."""
    split: tuple[SplitItem, ...] = ()
    """The items they disagree on, in the order they came."""
    apart: tuple[ApartRun, ...] = ()
    """The runs they corrected differently, in the order they came."""

    @property
    def to_settle(self) -> bool:
        """Whether there is something they differ on."""
        return bool(self.split or self.apart)

    @property
    def raw(self) -> float | None:
        """Raw agreement: the share of shared items of which everybody said the same; None without any."""
        return self.agreed / self.shared if self.shared else None

    @property
    def yes_rate(self) -> float | None:
        """The share of yes among the verdicts on shared items; None without any."""
        return self.yes / self.verdicts if self.verdicts else None


def rater(asserter: str, participant: str | None) -> str:
    """Who said something: a person, or an app's own user a person (or service) said it for."""
    return f"{asserter} for {participant}" if participant else asserter


def cohen_kappa(pairs: Iterable[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa of what two people said of each item (Cohen 1960): (observed - expected) / (1 - expected).

    None without an item, and where both only ever said the same one thing: chance alone would agree on all.
    """
    told = list(pairs)
    firsts, seconds = Counter(first for first, _ in told), Counter(second for _, second in told)
    count, agreed = len(told), sum(first == second for first, second in told)
    by_chance = sum(firsts[label] * seconds[label] for label in firsts)
    if count * count == by_chance:
        return None
    return float(Fraction(count * agreed - by_chance, count * count - by_chance))


def krippendorff_alpha(units: Iterable[Sequence[Hashable]]) -> float | None:
    """Krippendorff's alpha for nominal data (Krippendorff 2011): 1 - observed / expected disagreement.

    A unit is what people said of one item, in any order; gaps are left out, and units with fewer than two values
    don't count. None where all the values that count are the same, or there are none.
    """
    values: Counter[Hashable] = Counter()
    differing: Counter[int] = Counter()
    for unit in units:
        size = len(unit)
        if size < 2:
            continue
        told = Counter(unit)
        values.update(told)
        differing[size] += size * size - sum(count * count for count in told.values())
    total = values.total()
    expected = total * total - sum(count * count for count in values.values())
    if expected == 0:
        return None
    # A pair of a unit with m values counts 1/(m - 1), so that each value weighs 1 whatever the gaps.
    observed = sum((Fraction(count, size - 1) for size, count in differing.items()), Fraction(0))
    return float(1 - (total - 1) * observed / expected)


def agreement_of(ratings: Iterable[Rating], corrections: Iterable[Corrected] = ()) -> Agreement:
    """How far people agree, from their live verdicts; with the runs whose live corrections differ."""
    items: dict[tuple[str, str], dict[str, Verdict]] = {}
    everybody: set[str] = set()
    for one in ratings:
        items.setdefault((one.run_id, one.item_key), {})[one.person] = one.verdict
        everybody.add(one.person)
    shared = {place: said for place, said in items.items() if len(said) > 1}
    sharing = Counter(person for said in shared.values() for person in said)
    units = [tuple(said.values()) for said in shared.values()]
    coefficient: Literal["kappa", "alpha"] | None = None
    value: float | None = None
    if len(shared) >= LEAST_SHARED:
        coefficient = "kappa" if len(sharing) == 2 else "alpha"
        if coefficient == "kappa":
            first, second = sorted(sharing)
            value = cohen_kappa((said[first], said[second]) for said in shared.values())
        else:
            value = krippendorff_alpha(units)
    return Agreement(
        people=tuple(sorted(sharing)),
        alone=tuple(sorted(everybody - set(sharing))),
        shared=len(shared),
        by_all=sum(len(said) == len(sharing) for said in shared.values()),
        agreed=sum(len(set(unit)) == 1 for unit in units),
        verdicts=sum(map(len, units)),
        yes=sum(unit.count("yes") for unit in units),
        coefficient=coefficient,
        value=value,
        pairs=_pairs(shared.values(), sharing),
        split=tuple(_split(place, said) for place, said in shared.items() if len(set(said.values())) > 1),
        apart=_corrected_apart(corrections),
    )


def _corrected_apart(corrections: Iterable[Corrected]) -> tuple[ApartRun, ...]:
    runs: dict[str, list[Corrected]] = {}
    for one in corrections:
        runs.setdefault(one.run_id, []).append(one)
    return tuple(
        ApartRun(run_id=run_id, said=tuple(SaidApart(person=one.person, expect=one.expect) for one in said))
        for run_id, said in runs.items()
        if not all(json_equal(_shape(said[0].expect), _shape(one.expect)) for one in said[1:])
    )


def _shape(expect: Expectation) -> Json:
    calls: list[Json] = [[call.tool_id, call.arguments or {}] for call in expect.should_call]
    forbidden: list[Json] = [*expect.must_not_call]
    return [expect.decisions, calls, forbidden, expect.answer, expect.should_say, expect.why]


def _split(place: tuple[str, str], said: dict[str, Verdict]) -> SplitItem:
    yes = tuple(sorted(person for person, verdict in said.items() if verdict == "yes"))
    no = tuple(sorted(person for person, verdict in said.items() if verdict == "no"))
    return SplitItem(run_id=place[0], item_key=place[1], yes=yes, no=no)


_FIELD: dict[tuple[Verdict, Verdict], str] = {
    ("yes", "yes"): "both_yes", ("no", "no"): "both_no", ("yes", "no"): "only_first", ("no", "yes"): "only_second",
}  # fmt: skip


def _pairs(shared: Iterable[dict[str, Verdict]], sharing: Counter[str]) -> tuple[PairAgreement, ...]:
    ranked = sorted(sharing, key=lambda person: (-sharing[person], person))
    counted = set(ranked[:PAIRED_PEOPLE])
    found: dict[tuple[str, str], Counter[str]] = {}
    for said in shared:
        for first, second in combinations(sorted(counted & said.keys()), 2):
            found.setdefault((first, second), Counter())[_FIELD[said[first], said[second]]] += 1
    pairs = [PairAgreement(first=first, second=second, **counts) for (first, second), counts in found.items()]
    return tuple(sorted(pairs, key=lambda pair: (-pair.shared, pair.first, pair.second)))


def agreement_sentence(one: Agreement) -> str:
    """It in one sentence: who judged how much, how far they agree, and how many are yes."""
    if not one.shared:
        return _nothing_shared(one)
    people = f"{len(one.people):,} people judged"
    same = one.by_all == one.shared
    if one.shared == 1:
        differ = "they agree on it" if one.agreed else "they differ on it"
        which = "the same item" if same else "one item between them"
        return f"{people} {which}: {differ}, {_yes_count(one)}; {_too_few()}"
    which = f"the same {one.shared:,} items" if same else f"{one.shared:,} items, each by two or more"
    if one.coefficient is None:
        return f"{people} {which}: they agree on {one.agreed:,}, {_yes_count(one)}; {_too_few()}"
    raw = f"they agree on {percent(one.agreed / one.shared)}"
    rate = f"{percent(one.yes / one.verdicts)} yes"
    if one.value is None:
        return f"{people} {which}: {raw}, {rate}; no {one.coefficient} where all verdicts are the same"
    return f"{people} {which}: {raw} ({one.coefficient} {coefficient_words(one.value)}), {rate}"


def apart_sentence(one: Agreement) -> str:
    """How many runs people corrected differently; empty without one."""
    if not one.apart:
        return ""
    count = len(one.apart)
    return f"{count:,} {'run is' if count == 1 else 'runs are'} corrected differently by several people"


def coefficient_words(value: float) -> str:
    """A coefficient with two decimals; one short of 1 is never written 1.00."""
    shown = f"{value:.2f}"
    if shown == "1.00" and value < 1:
        return "0.99"
    return "0.00" if shown == "-0.00" else shown


def _yes_count(one: Agreement) -> str:
    return f"{one.yes:,} of {one.verdicts:,} verdicts yes"


def _too_few() -> str:
    return f"too few for a coefficient ({LEAST_SHARED})"


def _nothing_shared(one: Agreement) -> str:
    if not one.alone:
        return "Nobody has a live verdict on these runs, so there is no agreement to tell"
    if len(one.alone) == 1:
        return f"Only {one.alone[0]} judged these runs: agreement takes two people on the same items"
    return f"{len(one.alone):,} people judged these runs, and no item twice: agreement takes two on the same items"
