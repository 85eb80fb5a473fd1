"""What everybody said of one run, summed per item and weighed; and test sets built from it (DESIGN 4 and 8)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparisons import ComparisonOptions
from kindgi_tui.domain.javascript import SAFE_INTEGER, Number, double, whole
from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.domain.test_sets import (
    MAX_CASES,
    BuiltCases,
    Case,
    Evidence,
    ItemSummary,
    JudgedRun,
    Reason,
    RunCopy,
    Said,
    TestSetQuery,
    TestSetSpec,
)

Weights = Mapping[str, Number | None]
"""The weight of each group, by its id. A group that is not in it, and no group, weigh 1."""


def summarize_by_item(
    judgments: Iterable[Judgment | Said | Mapping[str, Any]], weights: Weights | None = None
) -> tuple[ItemSummary, ...]:
    """The judgments of one run (newest first), summed per item key.

    An item's pointer and rank are its newest judgment's. Items stand by rank, those without one last, else in
    the order in which they first occur.
    """
    by_key: dict[str, list[Said]] = {}
    for judgment in judgments:
        said = Said.of(judgment)
        by_key.setdefault(said.key, []).append(said)
    weigh = _weigher(weights)
    return by_rank(_summary(key, said, weigh) for key, said in by_key.items())


def by_rank(items: Iterable[ItemSummary]) -> tuple[ItemSummary, ...]:
    """The items by rank, stably, those without one last."""
    return tuple(sorted(items, key=lambda item: double(SAFE_INTEGER if item.rank is None else item.rank)))


def _weigher(weights: Weights | None) -> Callable[[Said], Number]:
    known = weights or {}

    def weigh(said: Said) -> Number:
        if "group_id" not in said.model_fields_set:
            return 1
        weight = known.get("null" if said.group_id is None else said.group_id)
        return 1 if weight is None else weight

    return weigh


def _summary(key: str, judgments: list[Said], weigh: Callable[[Said], Number]) -> ItemSummary:
    yes = 0
    yes_weight = total_weight = restricted_yes = restricted_total = 0.0
    reasons: list[Reason] = []
    for said in judgments:
        weight = weigh(said)
        total_weight += weight
        if said.restricted:
            restricted_total += weight
        if said.verdict == "yes":
            yes += 1
            yes_weight += weight
            if said.restricted:
                restricted_yes += weight
        if "reason" in said.model_fields_set:
            reasons.append(_reason(said))
    newest = judgments[0]
    place = {name: getattr(newest, name) for name in ("pointer", "rank") if name in newest.model_fields_set}
    return ItemSummary.make(
        key=key,
        **place,
        yes=yes,
        no=len(judgments) - yes,
        yes_weight=whole(yes_weight),
        total_weight=whole(total_weight),
        restricted=Evidence.make(yes_weight=whole(restricted_yes), total_weight=whole(restricted_total)),
        reasons=tuple(reasons),
    )


def _reason(said: Said) -> Reason:
    given: dict[str, Any] = {"verdict": said.verdict, "reason": said.reason}
    if "group_id" in said.model_fields_set:
        given["group_id"] = said.group_id
    if said.restricted:
        given["restricted"] = True
    return Reason.make(**given)


def build_cases(
    judged_runs: Iterable[JudgedRun | Mapping[str, Any]],
    query: TestSetQuery | Mapping[str, Any] | None = None,
    weights: Weights | None = None,
    *,
    project_id: str | None = None,
    built_at: datetime | None = None,
) -> BuiltCases:
    """The cases of a test set, from judged runs as they are listed: newest first, already narrowed.

    Of the query only the groups and the least number of judgments choose here. Replays never become cases. At
    most 1,000 cases are taken; reading stops one case after that. `built_at` is now when it is not given.
    """
    asked = TestSetQuery.read(query or {})
    cases: list[Case] = []
    more = False
    for case in _cases(judged_runs, asked, weights):
        if len(cases) == MAX_CASES:
            more = True
            break
        cases.append(case)
    truncated = len(cases) == MAX_CASES
    spec = TestSetSpec.make(
        source="judgments",
        project_id=project_id or ComparisonOptions.model_fields["project_id"].default,
        query=asked,
        case_count=len(cases),
        truncated=truncated,
        built_at=built_at or datetime.now(UTC),
    )
    return BuiltCases.make(
        kind="ok", case_count=len(cases), truncated=truncated, spec=spec, cases=tuple(cases), more=more
    )


def _cases(
    judged_runs: Iterable[JudgedRun | Mapping[str, Any]], query: TestSetQuery, weights: Weights | None
) -> Iterator[Case]:
    for judged in judged_runs:
        one = judged if isinstance(judged, JudgedRun) else JudgedRun.of(judged["run"], judged["judgments"])
        case = _case(one, query, weights)
        if case is not None:
            yield case


def _case(judged: JudgedRun, query: TestSetQuery, weights: Weights | None) -> Case | None:
    run = judged.run
    if is_replay_copy(run):
        return None
    kept = judged.judgments
    if query.group_ids is not None:
        kept = tuple([said for said in kept if said.group_id in query.group_ids])
    least = 1 if query.min_judgments is None else query.min_judgments
    if not kept or len(kept) < least:
        return None
    given = {
        name: getattr(run, name) for name in ("input", "context", "output") if name in run.model_fields_set
    }
    return Case.make(case_id=run.run_id, subject=run.subject, items=summarize_by_item(kept, weights), **given)


def is_replay_copy(run: RunCopy | Mapping[str, Any]) -> bool:
    """Whether the copy of a run is a comparison's replay: its context says so, or its output's replay report."""
    copy = run if isinstance(run, RunCopy) else RunCopy.make(**run)
    if isinstance(copy.context, dict) and "replayOf" in copy.context:
        return True
    report: Json = copy.output.get("replay") if isinstance(copy.output, dict) else None
    return isinstance(report, dict) and isinstance(report.get("of"), str)
