"""A comparison that checks corrections: its metrics, counts, headline and order (DESIGN sections 5 and 7)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain import scoring
from kindgi_tui.domain.beyond import beyond, linearised_intervals, metric_intervals
from kindgi_tui.domain.comparing import Verdicts
from kindgi_tui.domain.comparisons import CaseResult, ComparisonResult, ComparisonSummary, Outcome
from kindgi_tui.domain.corrections import AnswerVerdict, Expectation
from kindgi_tui.domain.grading import is_graded
from kindgi_tui.domain.metric_titles import METRIC_NAMES, metric_title
from kindgi_tui.domain.test_sets import Case, Evidence, ItemSummary
from kindgi_tui.session.reviewing import Review
from tests.domain.corrected import (
    FAILED,
    RIGHT_CALLS,
    SEARCH,
    STOPPED,
    WRONG_ANSWER,
    built,
    case,
    ran,
    said,
    should_call,
    turn,
)

CALLS = should_call((SEARCH, {"query": "refund"}))
BOTH = should_call((SEARCH, {"query": "refund"}), answer="wrong", should_say="How long it takes.")
GOOD, BAD = ran((SEARCH, {"query": "refund"})), ran((SEARCH, {"query": "order"}))
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def article(key: str, yes: int, total: int, expert: bool = True) -> ItemSummary:
    """A judged article."""
    experts = (
        Evidence(yes_weight=yes, total_weight=total) if expert else Evidence(yes_weight=0, total_weight=0)
    )
    return ItemSummary(
        key=key, pointer="/output/a/0", rank=0, yes_weight=yes, total_weight=total, restricted=experts
    )


def picked(*keys: str) -> dict[str, Any]:
    """A turn that called the search as it should have, and picked these articles."""
    return {**turn((SEARCH, {"query": "refund"})), "output": {"a": [{"id": key} for key in keys]}}


def compared(
    cases: Sequence[Case],
    outcomes: dict[str, list[Outcome]],
    verdicts: Verdicts | None = None,
    **settings: Any,
) -> tuple[ComparisonSummary, tuple[CaseResult, ...]]:
    """The summary and the cases."""
    repetitions = max(len(each) for each in outcomes.values())
    options = {"comparison": {"repetitions": repetitions, **settings}, "completed_at": NOW}
    result = scoring.compare(cases, outcomes, options, verdicts or {})
    assert result.summary is not None
    return result.summary, result.per_case


def sentences(
    summary: ComparisonSummary, results: Sequence[CaseResult], cases: Sequence[Case]
) -> dict[str, Any]:
    """What is told beside the result."""
    return beyond(
        summary, results, cases, linearised_intervals(results), candidate="acme-ops.picker 0.2.0",
        planned=len(cases), cost_usd=0,
    )  # fmt: skip


def test_graded_parts_are_checks_of_weight_one_in_the_pass_rate_alone() -> None:
    """Two articles, one yes, beside decisions and an answer: 1 of 4 before, and (1 + 1) of 4 now."""
    items = (article("a", 1, 1), article("b", 0, 1))
    one = case(BOTH, items=items, output=picked("a", "b"))
    outcome = Outcome(output=picked("a", "b"))
    summary, (result,) = compared([one], {"case": [outcome]}, {"case": said(False, why="It doesn't say.")})
    rate, coverage = summary.metrics.pass_rate, summary.metrics.case_coverage
    assert (rate.baseline, rate.candidate, rate.n, rate.baseline_n) == (1 / 4, 2 / 4, 1, 1)
    assert (rate.weight, rate.baseline_weight) == (4, 4)
    # The answer is an item too, so two of three are judged; graded parts are no items.
    assert (coverage.baseline, coverage.candidate, coverage.weight) == (2 / 3, 2 / 3, 2)
    precision = summary.metrics.weighted_precision_at_k
    assert (precision.baseline, precision.candidate, precision.weight) == (1 / 2, 1 / 2, 2)
    assert result.corrections[0].why == "It doesn't say."


def test_without_corrections_nothing_is_added() -> None:
    summary, (result,) = compared([case(items=(article("a", 1, 1),))], {"case": [GOOD]})
    given = {"corrections", "correction_differences", "unchecked"}
    assert not given & (result.model_fields_set | summary.model_fields_set)
    assert not any("checks" in score.model_fields_set for score in (result.baseline, *result.candidate))
    told, _ = compared([case()], {"case": [GOOD]}, {"case": said(True)})
    assert told.metrics.pass_rate.n == 0


def test_a_case_with_checks_alone_counts() -> None:
    cases = [case(CALLS, case_id="a"), case(RIGHT_CALLS, (SEARCH, {}), case_id="b"), case(case_id="c")]
    summary, results = compared(cases, {"a": [GOOD, GOOD], "b": [GOOD, ran()], "c": [GOOD, GOOD]})
    rate = summary.metrics.pass_rate
    assert (rate.baseline, rate.candidate, rate.n, rate.weight) == (1 / 2, 1 / 2, 2, 2)
    assert rate.spread == 0
    assert summary.corrections is not None
    assert (summary.corrections.checked, summary.corrections.passed) == (2, 1)
    assert [len(each.corrections) for each in results] == [1, 1, 0]


def test_each_repetition_that_ran_has_the_checks_of_all_of_them() -> None:
    summary, (result,) = compared([case(CALLS)], {"case": [FAILED, GOOD, GOOD]})
    assert [score.checks and score.checks.passed for score in result.candidate] == [0, 0]
    assert (summary.metrics.pass_rate.candidate, summary.errors) == (0, 0)


@pytest.mark.parametrize("ended", [FAILED, STOPPED])
def test_a_case_that_never_ran_is_checked_and_leaves_both_sides(ended: Outcome) -> None:
    cases = [case(CALLS, case_id="a"), case(RIGHT_CALLS, (SEARCH, {}), case_id="b")]
    summary, results = compared(cases, {"a": [GOOD], "b": [ended]})
    rate = summary.metrics.pass_rate
    assert (rate.baseline, rate.candidate, rate.n, rate.baseline_n) == (0, 1, 1, 1)
    assert summary.corrections is not None
    assert (summary.corrections.checked, summary.corrections.passed) == (2, 1)
    assert not results[1].corrections[0].passed


@pytest.mark.parametrize("ended", [FAILED, STOPPED])
def test_what_never_ran_doesnt_make_the_others_corrected_ones(ended: Outcome) -> None:
    """One case that people judged ran, the one they corrected didn't: no graded part counts."""
    cases = [
        case(case_id="a", items=(article("a", 1, 1),), output=picked("a")),
        case(RIGHT_CALLS, (SEARCH, {}), case_id="b"),
    ]
    summary, results = compared(cases, {"a": [Outcome(output=picked("a"))], "b": [ended]})
    assert not is_graded(results)
    headline = sentences(summary, results, cases)["headline"]
    assert headline.startswith("People's judgments rate acme-ops.picker 0.2.0 no different from")
    assert (
        "on the 1 of 2 cases with answers people judged. The 1 correction that was checked failed."
        in headline
    )
    review = Review()
    review.take(
        {"summary": {}, "perCase": [each.model_dump(mode="json", by_alias=True) for each in results]}, 10
    )
    assert not review.graded


def test_a_built_set_counts_its_corrections_in_the_summary_alone() -> None:
    summary, (result,) = compared([built(CALLS, RIGHT_CALLS)], {"case": [GOOD]})
    assert summary.corrections is not None
    assert (summary.corrections.checked, summary.corrections.passed) == (2, 1)
    assert summary.metrics.pass_rate.candidate is None
    assert [one.parts for one in result.corrections] == [None, None]
    assert not is_graded([result])


def test_unchecked_cases_are_counted_with_each_reason_once() -> None:
    why = "No model is named."
    verdicts = {
        name: [AnswerVerdict(entry_id=name, repetition=1, passed=None, why=why)] for name in ("a", "b")
    }
    cases = [
        case(BOTH, case_id="a"),
        case(WRONG_ANSWER, case_id="b"),
        case(RIGHT_CALLS, case_id="c", output="unreadable"),
        case(CALLS, case_id="d"),
    ]
    summary, results = compared(cases, {name: [GOOD] for name in "abcd"}, verdicts)
    assert summary.unchecked is not None
    assert summary.unchecked.count == 3
    assert len(summary.unchecked.reasons) == 2
    assert summary.unchecked.reasons[0] == why
    assert summary.corrections is not None
    assert (summary.corrections.checked, summary.corrections.passed) == (1, 1)
    assert summary.metrics.pass_rate.n == 1
    assert [bool(each.corrections) for each in results] == [False, False, False, True]
    told = sentences(summary, results, cases)
    assert told["headline"] == (
        "People's corrections rate acme-ops.picker 0.2.0 better than the recorded runs: 0% marked right before, "
        "100% now, on the 1 of 4 cases with answers people corrected. The 1 correction that was checked passed. "
        "What was expected of 3 cases couldn't be checked."
    )


def test_while_repetitions_are_to_come_nothing_is_graded() -> None:
    options = {"comparison": {"repetitions": 1}}
    result = scoring.compare([case(BOTH)], {"case": [GOOD]}, options, None)
    assert result.summary is not None
    assert (result.summary.corrections, result.summary.unchecked) == (None, None)
    assert result.per_case[0].unchecked is None


def experts_cases() -> list[Case]:
    """The documents' three cases of three articles; the last was judged under a group restricted only afterwards.

    Each expects its decisions to have been wrong; only the first is an expert case.
    """
    cases = []
    for name, verdicts, expert in (("one", "110", True), ("two", "100", True), ("three", "110", False)):
        items = tuple([article(key, int(yes), 1, expert) for key, yes in zip("abc", verdicts, strict=True)])
        output = {"output": {"a": [{"id": key} for key in "abc"]}}
        cases.append(case(case_id=name, items=items, output=output))
    return cases


def test_experts_only_by_the_documents_numbers() -> None:
    """Judged items alone: 5 of 9 and 3 of 6, coverage 1 and 2/3."""
    outcomes = {each.case_id: [Outcome(output=each.output)] for each in experts_cases()}
    for weighing, yes, total, coverage in (("as-recorded", 5, 9, 1), ("experts-only", 3, 6, 2 / 3)):
        summary, _ = compared(experts_cases(), outcomes, weighing=weighing)
        rate = summary.metrics.pass_rate
        assert rate.candidate == pytest.approx(yes / total, abs=1e-15)
        assert rate.weight == total
        assert summary.metrics.case_coverage.candidate == pytest.approx(coverage, abs=1e-15)
        assert summary.weighing == weighing


def test_experts_only_grades_expert_cases_alone() -> None:
    """The same three with a graded part each, passed now: 8 of 12 as recorded; the first alone makes it 4 of 7."""
    cases = [
        each.model_copy(update={"expect": CALLS, "expert": each.case_id == "one"}) for each in experts_cases()
    ]
    outcomes = {
        each.case_id: [GOOD.model_copy(update={"output": {**turn(), **_articles(each)}})] for each in cases
    }
    for weighing, before, now, total, checked in (("as-recorded", 5, 8, 12, 3), ("experts-only", 3, 4, 7, 1)):
        summary, results = compared(cases, outcomes, weighing=weighing)
        rate = summary.metrics.pass_rate
        assert rate.baseline == pytest.approx(before / total, abs=1e-15)
        assert rate.candidate == pytest.approx(now / total, abs=1e-15)
        assert summary.corrections is not None
        assert summary.corrections.checked == checked
        headline = sentences(summary, results, cases)["headline"]
        assert ("Only experts' corrections counted; the others weighed 0." in headline) is (checked == 1)


def _articles(one: Case) -> dict[str, Any]:
    assert isinstance(one.output, dict)
    return {"output": one.output["output"]}


def test_the_order_of_the_cases_takes_graded_parts_in() -> None:
    """Decisions that were right and now are not got worse, even where the answer's gain makes up for it."""
    mixed = Expectation(decisions="right", answer="wrong", why="Too long.")
    cases = [
        case(CALLS, case_id="better"),
        case(CALLS, case_id="same"),
        case(mixed, (SEARCH, {}), case_id="worse"),
        case(CALLS, case_id="ended"),
        built(RIGHT_CALLS, case_id="built", output=turn((SEARCH, {}))),
    ]
    outcomes = {"better": [GOOD], "same": [BAD], "worse": [ran()], "ended": [FAILED], "built": [ran()]}
    summary, results = compared(cases, outcomes, {"worse": said(True, entry="worse")})
    told = sentences(summary, results, cases)
    assert [(each["caseId"], each["standing"], each["change"]) for each in told["cases"]] == [
        ("worse", "regressed", 0.0),
        ("built", "regressed", None),
        ("ended", "unknown", None),
        ("better", "improved", 1.0),
        ("same", "unchanged", 0.0),
    ]
    assert "1 of the 5 corrections that were checked passed." in told["headline"]


def test_intervals_take_graded_parts_in() -> None:
    cases = [case(CALLS, case_id=str(n)) for n in range(12)]
    outcomes = {str(n): [GOOD if n < 11 else BAD] for n in range(12)}
    _, results = compared(cases, outcomes)
    for intervals in (linearised_intervals(results), metric_intervals(results, "seed")):
        rate = intervals["pass_rate"]
        assert rate is not None
        assert 0.5 < rate.low < 11 / 12 < rate.high <= 1
        assert intervals["weighted_precision_at_k"] is None


def test_the_headline_of_a_built_set_counts_its_corrections() -> None:
    """Verdicts alone decide what it is called: no graded part counts in its pass rate."""
    one = built(CALLS, RIGHT_CALLS, items=(article("a", 1, 1),), output=picked("a"))
    outcome = Outcome(output=picked("a"))
    summary, results = compared([one], {"case": [outcome]})
    assert sentences(summary, results, [one])["headline"] == (
        "People's judgments rate acme-ops.picker 0.2.0 no different from the recorded runs: 100% yes before, "
        "100% now, on the 1 of 1 case with answers people judged. 2 of the 2 corrections that were checked passed."
    )


def rescored(prior: ComparisonResult, cases: Sequence[Case], replays: dict[str, Any]) -> ComparisonResult:
    """The comparison rated again."""
    return scoring.rescore(cases, prior, replays, (), {}, {"completed_at": NOW})


@pytest.mark.parametrize("gone", [False, True])
def test_a_rescore_keeps_what_was_checked(gone: bool) -> None:
    cases = [
        case(BOTH, case_id="a", items=(article("a", 1, 1),), output=picked("a")),
        case(BOTH, case_id="b"),
    ]
    outcomes = {
        "a": [Outcome(output=picked("a"), run_id="r1"), Outcome(output=picked("a"), run_id="r2")],
        "b": [Outcome(output=turn(), run_id="r3"), Outcome(output=turn(), run_id="r4")],
    }
    verdicts = {"a": said(True, False, entry="a", why="No.")}
    prior = scoring.compare(
        cases, outcomes, {"comparison": {"repetitions": 2}, "completed_at": NOW}, verdicts
    )
    replays = {} if gone else {"r1": picked("a"), "r2": picked("a"), "r3": turn(), "r4": turn()}
    after = rescored(prior, cases, replays)
    assert prior.summary is not None
    assert after.summary is not None
    assert (after.summary.corrections, after.summary.unchecked) == (
        prior.summary.corrections,
        prior.summary.unchecked,
    )
    assert prior.summary.corrections is not None
    assert prior.summary.unchecked is not None
    kept = ("corrections", "correction_differences", "unchecked")
    for before, now in zip(prior.per_case, after.per_case, strict=True):
        assert [getattr(now, name) for name in kept] == [getattr(before, name) for name in kept]
        assert now.baseline.checks == before.baseline.checks
        assert [score.checks for score in now.candidate] == [score.checks for score in before.candidate]
    rate = prior.summary.metrics.pass_rate
    assert (rate.baseline, rate.candidate) == (1 / 3, 2 / 3)
    assert after.summary.metrics.pass_rate.baseline == rate.baseline
    assert after.summary.metrics.pass_rate.candidate == rate.candidate


def test_what_the_metrics_are_called() -> None:
    assert [metric_title(name, 7, False) for name in METRIC_NAMES] == [
        "Judged yes", "Judged items", "Top 7 judged yes",
    ]  # fmt: skip
    assert [metric_title(name, 7, True) for name in METRIC_NAMES] == [
        "Share marked right", "Corrected items", "Top 7 marked right",
    ]  # fmt: skip


CASES = st.lists(
    st.tuples(
        st.sampled_from([CALLS, BOTH, RIGHT_CALLS, None]), st.sampled_from([GOOD, BAD, FAILED]), st.booleans()
    ),
    min_size=1,
    max_size=6,
)


@given(CASES, st.randoms())
def test_the_result_does_not_depend_on_the_order_of_what_came_in(drawn: list[Any], chance: Any) -> None:
    cases = [case(expect, (SEARCH, {}), case_id=str(at)) for at, (expect, _, _) in enumerate(drawn)]
    outcomes = [(str(at), [outcome]) for at, (_, outcome, _) in enumerate(drawn)]
    verdicts = [(str(at), said(passed, entry=str(at))) for at, (_, _, passed) in enumerate(drawn)]
    before = compared(cases, dict(outcomes), dict(verdicts))
    chance.shuffle(outcomes)
    chance.shuffle(verdicts)
    assert compared(cases, dict(outcomes), dict(verdicts)) == before


@given(CASES)
def test_checks_add_up(drawn: list[Any]) -> None:
    """The pass rate of cases without items is passed parts over parts, of the cases that ran."""
    cases = [case(expect, (SEARCH, {}), case_id=str(at)) for at, (expect, _, _) in enumerate(drawn)]
    outcomes = {str(at): [outcome] for at, (_, outcome, _) in enumerate(drawn)}
    verdicts = {str(at): said(passed, entry=str(at)) for at, (_, _, passed) in enumerate(drawn)}
    summary, results = compared(cases, outcomes, verdicts)
    told = [each.corrections[0].parts for each in results if each.candidate and each.corrections]
    parts = [part for one in told if one for part in (one.decisions, one.answer) if part is not None]
    rate = summary.metrics.pass_rate
    assert rate.candidate == (pytest.approx(sum(parts) / len(parts)) if parts else None)
    assert (rate.weight, rate.n) == (len(parts), len(told))
