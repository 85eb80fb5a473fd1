"""Our answers to the oracle's requests."""

from collections.abc import Callable
from typing import Any

from kindgi_tui.domain import items, sampling, scoring
from kindgi_tui.domain.comparisons import Sample
from kindgi_tui.wire import v01

Request = dict[str, Any]


def answer(request: Request) -> Any:
    """The result of one request, as our rules give it on the 0.1 wire."""
    return settled(v01.dump(_RULES[request["op"]](request)))


def settled(result: Any) -> Any:
    """A result without the times at which it was made."""
    if isinstance(result, dict):
        if isinstance(result.get("summary"), dict):
            result = {**result, "summary": {**result["summary"], "completedAt": "-"}}
        if isinstance(result.get("spec"), dict):
            result = {**result, "spec": {**result["spec"], "builtAt": "-"}}
    return result


def _score_output(request: Request) -> Any:
    found = items.output_items(request.get("output"), request.get("agentTurn") is True)
    matched = scoring.match_judged(found, request["judged"], request.get("judgedOutput"))
    matched = scoring.with_fresh(matched, request.get("fresh", ()))
    return {
        "items": found,
        "matched": matched,
        "score": scoring.score_items(matched, request.get("k", 10)),
        "changes": scoring.item_changes(matched, request["judged"]),
    }


def _options(request: Request) -> Request:
    return {k: v for k, v in request.items() if k not in ("op", "id", "cases", "candidates")}


_RULES: dict[str, Callable[[Request], Any]] = {
    "outputItems": lambda r: items.output_items(r.get("output"), r.get("agentTurn") is True),
    "valueAt": lambda r: items.value_at(r["doc"], r["pointer"]),
    "matchJudged": lambda r: scoring.match_judged(r["items"], r["judged"], r.get("judgedOutput")),
    "withFresh": lambda r: scoring.with_fresh(r["matched"], r["fresh"]),
    "scoreItems": lambda r: scoring.score_items(r["matched"], r.get("k", 10)),
    "itemChanges": lambda r: scoring.item_changes(r["matched"], r["judged"]),
    "scoreOutput": _score_output,
    "sampleCases": lambda r: sampling.sample_cases(r["cases"], Sample.read(r["sample"])),
    "summarizeByItem": lambda r: scoring.summarize_by_item(r["judgments"], r.get("classes")),
    "buildCases": lambda r: scoring.build_cases(
        r["judgedRuns"], r.get("query"), r.get("classes"), project_id=r.get("projectId")
    ),
    "compare": lambda r: scoring.compare(r["cases"], r["candidates"], _options(r)),
    "rescore": lambda r: scoring.rescore(
        r["cases"], r["prior"], r["replays"], r.get("judgments", ()), r.get("classes"), _options(r)
    ),
}

OPS = tuple(_RULES)
"""The requests our rules answer."""
