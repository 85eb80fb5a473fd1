"""Scores, sums, comparisons and rescores, with the numbers of DESIGN."""

from datetime import UTC, datetime
from itertools import pairwise, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain import scoring
from kindgi_tui.domain.comparisons import ComparisonOptions, Outcome, Target
from kindgi_tui.domain.judgments import ItemRef, Judgment
from kindgi_tui.domain.runs import Subject
from kindgi_tui.domain.test_sets import Case, JudgedRun, RunCopy
from kindgi_tui.wire import v01

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def judgment(key: str, verdict: Any = "yes", rank: int | None = None, **more: Any) -> Judgment:
    pointer = None if rank is None else f"/output/articles/{rank}"
    item = ItemRef(key=key, pointer=pointer, rank=rank)
    return Judgment(id="j", run_id="r", item=item, verdict=verdict, asserter="ann", created_at=NOW, **more)


def picks(*ids: str, answer: str = "Here.") -> Any:
    appended = [{"role": "user", "content": "q"}, {"role": "agent", "content": answer}]
    return {"appended": appended, "output": {"articles": [{"id": one, "title": one} for one in ids]}}


def picker_cases() -> tuple[Case, ...]:
    """The three customers' questions: three articles each, one right and two wrong."""
    runs = [
        JudgedRun.of(
            {
                "runId": f"r{n}",
                "subject": {"kind": "agent", "id": "acme-ops.article-picker", "version": "0.1.0"},
                "input": "q",
                "output": picks(f"a{n}", f"b{n}", f"c{n}"),
                "context": {},
            },
            [judgment(f"a{n}", "yes", 0), judgment(f"b{n}", "no", 1), judgment(f"c{n}", "no", 2)],
        )
        for n in range(3)
    ]
    return scoring.build_cases(runs, {"agentId": "acme-ops.article-picker"}, {}, built_at=NOW).cases


def options(**more: Any) -> ComparisonOptions:
    target = Target(agent_id="acme-ops.article-picker", version="0.2.0")
    return ComparisonOptions(target=target, completed_at=NOW, **more)


def test_the_article_picker() -> None:
    """0.2.0 keeps only the right article: 1/3 to 1, coverage 0.75 to 0.5."""
    outcomes = {f"r{n}": [Outcome(output=picks(f"a{n}", answer="Only this."))] for n in range(3)}
    result = scoring.compare(picker_cases(), outcomes, options())
    assert result.summary is not None
    metrics = result.summary.metrics
    assert (metrics.pass_rate.baseline, metrics.pass_rate.candidate) == (1 / 3, 1)
    assert (metrics.case_coverage.baseline, metrics.case_coverage.candidate) == (0.75, 0.5)
    precision = metrics.weighted_precision_at_k
    assert (precision.baseline, precision.candidate, precision.k) == (1 / 3, 1, 10)
    assert {m.n for m in (metrics.pass_rate, metrics.case_coverage, precision)} == {3}
    changes = result.per_case[0].changes
    assert changes is not None
    assert [one.key for one in changes.kept] == ["a0"]
    assert [one.key for one in changes.dropped] == ["b0", "c0"]
    assert [one.key for one in changes.new] == ["answer"]
    assert v01.dump(metrics.pass_rate)["delta"] == 1 - 1 / 3  # type: ignore[index, call-overload]


def experts_cases() -> list[dict[str, Any]]:
    """Three cases of three items, one judged only by a group that was not restricted then."""
    output = {"output": {"articles": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}}
    cases = []
    for name, verdicts, restricted in (("one", "yny", 1), ("two", "ynn", 1), ("three", "yny", 0)):
        items = [
            {
                "key": key,
                "pointer": f"/output/articles/{i}",
                "rank": i,
                "yesWeight": int(said == "y"),
                "totalWeight": 1,
                "restricted": {"yesWeight": int(said == "y") * restricted, "totalWeight": restricted},
            }
            for i, (key, said) in enumerate(zip("abc", verdicts, strict=True))
        ]
        subject = {"kind": "agent", "id": "x", "version": "1.0.0"}
        cases.append({"caseId": name, "subject": subject, "input": name, "output": output, "items": items})
    return cases


@pytest.mark.parametrize(
    ("weighing", "rate", "coverage"), [("as-recorded", 5 / 9, 1), ("experts-only", 3 / 6, 2 / 3)]
)
def test_experts_only(weighing: str, rate: float, coverage: float) -> None:
    """5 of 9 as recorded; 3 of 6 by experts alone, and the third case counts as not judged."""
    cases = experts_cases()
    outcomes = {case["caseId"]: {"output": case["output"]} for case in cases}
    result = scoring.compare(cases, outcomes, {"classWeights": weighing})
    assert result.summary is not None
    assert result.summary.metrics.pass_rate.candidate == pytest.approx(rate, abs=1e-15)
    assert result.summary.metrics.case_coverage.candidate == pytest.approx(coverage, abs=1e-15)
    nested = scoring.compare(
        cases, outcomes, {"comparison": {"classWeights": weighing.replace("experts", "restricted")}}
    )
    assert nested.summary is not None
    assert nested.summary.metrics == result.summary.metrics
    wire = v01.dump(result)
    words = {"as-recorded": "as-recorded", "experts-only": "restricted-only"}
    assert wire["summary"]["classWeights"] == words[weighing]  # type: ignore[index, call-overload]


def test_a_side_without_evidence_is_null() -> None:
    result = scoring.compare(picker_cases(), {}, options())
    assert result.summary is not None
    assert result.summary.status == "failed"
    rate = result.summary.metrics.pass_rate
    assert (rate.baseline, rate.candidate, rate.delta, rate.n) == (None, None, None, 0)
    assert v01.dump(rate)["delta"] is None  # type: ignore[index, call-overload]
    assert result.per_case[0].error == "No candidate for case r0, repetition 1"


def test_repetitions_have_a_mean_and_a_spread() -> None:
    outcomes = {"r0": [Outcome(output=picks("a0")), Outcome(output=picks("b0")), Outcome(error="429")]}
    case = picker_cases()[:1]
    result = scoring.compare(case, outcomes, options(repetitions=3))
    assert result.summary is not None
    rate = result.summary.metrics.pass_rate
    assert (rate.candidate, rate.spread, rate.weight) == (0.5, 1, 2 / 3)
    assert result.per_case[0].error is None


def test_the_result_does_not_depend_on_the_order_of_the_outcomes() -> None:
    outcomes = {f"r{n}": [Outcome(output=picks(f"a{n}"))] for n in range(3)}
    results = [
        scoring.compare(picker_cases(), dict(some), options()) for some in permutations(outcomes.items())
    ]
    assert all(one == two for one, two in pairwise(results))


def test_a_rescore_counts_what_was_said_of_the_new_answers() -> None:
    cases = picker_cases()
    outcomes = {f"r{n}": [Outcome(run_id=f"new{n}", output=picks(f"a{n}", "d"))] for n in range(3)}
    first = scoring.compare(cases, outcomes, options(comparison_id="c1"))
    replays = {f"new{n}": picks(f"a{n}", "d") for n in range(2)}
    said = [judgment("d", "no", 1).model_copy(update={"run_id": "new0"}), judgment("a1", "no", 0)]
    said[1] = said[1].model_copy(update={"run_id": "new1"})
    again = scoring.rescore(cases, first, replays, said, {}, options(comparison_id="c2"))
    assert again.summary is not None
    assert (again.summary.rescore_of, again.summary.not_rescored) == ("c1", 1)
    rate = again.summary.metrics.pass_rate
    assert rate.candidate == 3 / 4
    assert rate.fresh_weight == 1
    assert "freshWeight" not in v01.dump(again.summary.metrics.weighted_precision_at_k)  # type: ignore[operator]
    assert again.per_case[1].candidate == first.per_case[1].candidate  # a fresh judgment never overrides
    assert again.per_case[2].rescored is False


def test_a_rescore_of_nothing_says_why() -> None:
    refused = scoring.rescore((), {"runId": "x"}, {}, (), {}, {})
    assert v01.dump(refused) == {
        "error": "Eval run \"x\" can't be rescored: it isn't a finished comparison here."
    }
    other = scoring.rescore(
        (), {"result": {"perCase": []}, "suiteId": "s", "suiteVersion": "1"}, {}, (), {}, {}
    )
    assert other.error == 'Comparison "oracle-prior-run" ran s@1: a rescore runs that test set version.'
    told = v01.dump(other)
    assert told == {"error": 'Eval run "oracle-prior-run" ran s@1: a rescore runs that test set version.'}


def test_a_dry_run_says_what_would_run() -> None:
    wire = v01.dump(scoring.compare(picker_cases(), {}, options(dry_run=True, k=5)))
    settings = {"baseline": "recorded", "reads": "recorded", "repetitions": 1, "k": 5}
    assert wire == {"dryRun": True, "cases": 3, "comparison": settings}


def test_sums_per_item() -> None:
    said = [
        judgment("a", "yes", 1, group_id="expert", restricted=True, reason="right"),
        judgment("b", "no"),
        judgment("a", "no", 0, group_id="gone"),
    ]
    assert v01.dump(scoring.summarize_by_item(said, {"expert": 3})) == [
        {
            "key": "a",
            "pointer": "/output/articles/1",
            "rank": 1,
            "yes": 1,
            "no": 1,
            "yesWeight": 3,
            "totalWeight": 4,
            "restricted": {"yesWeight": 3, "totalWeight": 3},
            "reasons": [{"verdict": "yes", "reason": "right", "judgeClassId": "expert", "restricted": True}],
        },
        {
            "key": "b",
            "yes": 0,
            "no": 1,
            "yesWeight": 0,
            "totalWeight": 1,
            "restricted": {"yesWeight": 0, "totalWeight": 0},
            "reasons": [],
        },
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["yes", "no"]), st.sampled_from([None, "g", "h"]))
    )
)
def test_sums_lose_no_judgment(said: list[tuple[str, str, str | None]]) -> None:
    weights = {"g": 2.5}
    items = scoring.summarize_by_item([judgment(k, v, group_id=g) for k, v, g in said], weights)
    assert sum(item.yes + item.no for item in items) == len(said)
    assert sum(item.total_weight for item in items) == sum(weights.get(g or "", 1) for _, _, g in said)
    assert all(0 <= item.yes_weight <= item.total_weight for item in items)


@pytest.mark.parametrize(
    ("runs", "truncated", "more"), [(999, False, False), (1000, True, False), (1001, True, True)]
)
def test_a_test_set_holds_a_thousand_cases(runs: int, truncated: bool, more: bool) -> None:
    copy = RunCopy(run_id="r", subject=Subject(kind="agent", id="x", version="1.0.0"), input="q", output={})
    said = [judgment("a")]
    built = scoring.build_cases((JudgedRun.of(copy, said) for _ in range(runs)), {}, {})
    assert (built.case_count, built.truncated, built.more) == (min(runs, 1000), truncated, more)
    assert "more" not in v01.dump(built)  # type: ignore[operator]


def test_reading_stops_one_case_after_the_most() -> None:
    copy = RunCopy(run_id="r", subject=Subject(kind="agent", id="x", version="1.0.0"))
    endless = iter(lambda: JudgedRun.of(copy, [judgment("a")]), None)
    assert scoring.build_cases(endless, {}, {}).more


def test_none_is_absent_in_python_and_null_is_null_on_the_wire() -> None:
    subject = Subject(kind="agent", id="x", version="1.0.0")
    ours = Case(case_id="c", subject=subject, context=None, input=None)
    assert "context" not in v01.dump(ours)  # type: ignore[operator]
    assert v01.dump(ours)["input"] is None  # type: ignore[index, call-overload]
    plain = Case.read({"caseId": "c", "subject": subject, "context": None})
    assert v01.dump(plain) == {
        "caseId": "c",
        "subject": {"kind": "agent", "id": "x", "version": "1.0.0"},
        "context": None,
    }


def test_models_and_plain_values_are_rated_alike() -> None:
    outcomes = {f"r{n}": [Outcome(output=picks(f"c{n}", "z"))] for n in range(3)}
    ours = scoring.compare(picker_cases(), outcomes, options())
    plain_cases = v01.dump(picker_cases())
    plain_outcomes = {case: v01.dump(given) for case, given in outcomes.items()}
    target = {"agentId": "acme-ops.article-picker", "version": "0.2.0"}
    plain = scoring.compare(plain_cases, plain_outcomes, {"target": target})  # type: ignore[arg-type]
    one, two = v01.dump(ours), v01.dump(plain)
    for result in (one, two):
        result["summary"].pop("completedAt")  # type: ignore[index, call-overload, union-attr, arg-type]
    assert one == two
