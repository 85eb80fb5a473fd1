import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.headline import Facts, headline, interval_sentence, percent, percents, stopped_sentence
from kindgi_tui.domain.statistics import Interval

PICKER = "acme-ops.article-picker 0.2.0"


def facts(**values: Any) -> Facts:
    return Facts(**{"candidate": PICKER, "baseline": 1 / 3, "now": 1.0, "n": 3, "cases": 3, **values})


def test_better() -> None:
    assert headline(facts(diverged=1)) == (
        "People's judgments rate acme-ops.article-picker 0.2.0 better than the recorded runs: 33% yes before, "
        "100% now, on the 3 of 3 cases with answers people judged. In 1 case it read something the "
        "recording didn't have."
    )


def test_with_graded_corrections() -> None:
    assert headline(facts(graded=True, diverged=1)) == (
        "People's corrections rate acme-ops.article-picker 0.2.0 better than the recorded runs: 33% marked right "
        "before, 100% now, on the 3 of 3 cases with answers people corrected. In 1 case it read something the "
        "recording didn't have."
    )


def test_worse_and_no_different() -> None:
    assert headline(facts(baseline=0.996, now=0.5, n=40, cases=1_200)) == (
        f"People's judgments rate {PICKER} worse than the recorded runs: 99.6% yes before, 50% now, on the 40 of "
        "1,200 cases with answers people judged."
    )
    assert headline(facts(baseline=0.1 + 0.2, now=0.3, n=1, cases=1)) == (
        f"People's judgments rate {PICKER} no different from the recorded runs: 30% yes before, 30% now, on the 1 of "
        "1 case with answers people judged."
    )
    assert "33.3% yes before, 33.4% now" in headline(facts(now=0.334))


def test_nothing_to_compare_names_the_way_out() -> None:
    none = {"baseline": 0.5, "now": None, "n": 0}
    assert headline(facts(**none, new_answers=12)) == (
        f"There's nothing to compare yet: people haven't judged any of {PICKER}'s answers. "
        "12 new answers to judge: press Enter."
    )
    assert headline(facts(**none, new_answers=1), "kindgi-tui runs list").endswith(
        "1 new answer to judge: kindgi-tui runs list."
    )
    assert headline(facts(**none, graded=True, new_answers=2)).endswith(
        "2 new answers to correct: press Enter."
    )
    assert headline(facts(**none)).endswith("answers.")
    assert headline(facts(baseline=None, now=0.8)) == (
        f"People's judgments rate {PICKER} 80% yes, on the 3 of 3 cases with answers people judged; there's nothing "
        "to compare with, they judged none of the recorded answers."
    )


def test_nothing_ran() -> None:
    none = {"baseline": None, "now": None, "n": 0, "new_answers": 0}
    assert headline(facts(**none, errors=3)) == (
        f"There's nothing to compare: all 3 cases failed, so {PICKER} has no answers to rate."
    )
    assert "the case failed" in headline(facts(**none, cases=1, errors=1))
    assert (
        headline(facts(**none, cases=0)) == f"There's nothing to compare: no case of {PICKER} has a result."
    )
    assert headline(facts(**none, errors=1, stopped=2)) == (
        "There's nothing to compare: none of the 3 cases has an output to rate. 2 cases stopped at a refused call "
        "and have no output to rate. 1 case failed and isn't counted."
    )


def test_clauses() -> None:
    one = headline(facts(diverged=1, refused=1, stopped=1, errors=1, unchecked=1, cases=5, planned=9))
    assert one.endswith(
        "It ended early: 5 of 9 cases finished. In 1 case it read something the recording didn't have. 1 tool call was "
        "refused and not carried out. 1 case stopped at a refused call and has no output to rate. 1 case failed and "
        "isn't counted. What was expected of 1 case couldn't be checked."
    )
    several = headline(facts(diverged=2, refused=1_000, stopped=2, errors=2, unchecked=2, cases=9))
    assert several.endswith(
        "In 2 cases it read something the recording didn't have. 1,000 tool calls were refused and not carried out. "
        "2 cases stopped at a refused call and have no output to rate. 2 cases failed and aren't counted. What was "
        "expected of 2 cases couldn't be checked."
    )
    assert headline(facts(experts_only=True)).endswith(
        "judged. Only experts' corrections counted; the others weighed 0."
    )


SHARES = st.one_of(
    st.floats(0, 1),
    st.integers(1, 2_000).flatmap(lambda total: st.integers(0, total).map(lambda part: part / total)),
    st.sampled_from([0.0, 1.0, 1e-12, 1 - 1e-12, 0.995, 0.005, 0.9999]),
)


@given(SHARES, SHARES)
def test_percentages_never_say_more_than_is_true(before: float, now: float) -> None:
    for share, shown in zip((before, now), percents(before, now), strict=True):
        assert (shown == "100%") == (share == 1)
        assert (shown == "0%") == (share == 0)
        assert abs(float(re.sub("[^0-9.]", "", shown)) / 100 - share) <= 0.0051
    if abs(before - now) > 1e-8:
        assert percents(before, now)[0] != percents(before, now)[1]


@given(SHARES, SHARES, st.integers(0, 9), st.integers(0, 9))
def test_the_headline_follows_the_point_estimate(before: float, now: float, n: int, errors: int) -> None:
    said = headline(facts(baseline=before, now=now, n=n, cases=9, errors=errors))
    if abs(before - now) > 1e-8:
        assert ("better than" in said) == (now > before)
        assert ("worse than" in said) == (now < before)
    elif before == now:
        assert "no different from" in said


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0.996, "99.6%"),
        (0.004, "0.4%"),
        (0.125, "13%"),
        (0.285, "29%"),
        (2 / 3, "67%"),
        (1, "100%"),
        (0, "0%"),
        (0.99996, "99.996%"),
    ],
)
def test_percent(share: float, shown: str) -> None:
    assert percent(share) == shown


def test_the_second_sentence() -> None:
    assert interval_sentence("Judged yes", Interval(0.12, 0.48), 34) == (
        "Judged yes: better by 12 to 48 points (95% interval, n = 34)."
    )
    assert interval_sentence("Judged yes", Interval(-0.48, -0.12), 34) == (
        "Judged yes: worse by 12 to 48 points (95% interval, n = 34)."
    )
    assert interval_sentence("Judged items", Interval(-0.051, 0.12), 1_000) == (
        "Judged items: too close to call, −5 to +12 points (95% interval, n = 1,000)."
    )
    assert interval_sentence("Judged yes", Interval(0.0004, 1), 10).startswith(
        "Judged yes: better by 0.04 to 100 points"
    )
    assert interval_sentence("Judged yes", Interval(0.2, 0.2), 10).startswith(
        "Judged yes: better by 20 points"
    )
    assert (
        interval_sentence("Top 10 judged yes", Interval(0.5, 1), 3)
        == "Top 10 judged yes: too few cases (n = 3)."
    )
    assert interval_sentence("Judged yes", None, 0) == "Judged yes: too few cases (n = 0)."


def test_a_stopped_case() -> None:
    assert stopped_sentence(
        "acme-ops.log-suggestion", {"articles": [{"id": "kb-201"}], "question": "wo?\n"}
    ) == (
        "It stopped at a tool call the replay refused: it would have called acme-ops.log-suggestion with "
        '{"articles":[{"id":"kb-201"}],"question":"wo?\\n"}. '
        "That call wasn't carried out, and there's no output to rate."
    )
    long = stopped_sentence("t", {"x": "y" * 100_000})
    assert len(long) < 2_300
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert "with {…}." in stopped_sentence("t", deep)
