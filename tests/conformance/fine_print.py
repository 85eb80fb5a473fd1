"""Which lines of DESIGN section 4's fine print a request and its answer exercise."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kindgi_tui.domain.sampling import position
from tests.conformance.generate import plain_value_at

Json = Any
Request = dict[str, Any]

LINES: dict[str, str] = {
    "1 pointer": "a judged answer, output or place without a pointer does not count",
    "2 weights": "weights are the groups' of now; restricted is as recorded",
    "3 newest": "several judgments of a key: pointer and rank from the newest",
    "3 order": "items by rank, those without one last",
    "3 last": "a duplicated judged key: the last wins",
    "3 lists": "the same own id in two lists counts in both",
    "4 fields": "integer-like keys are walked first",
    "4 numbers": "numbers as keys are written as JavaScript writes them",
    "4 equality": "equal in another key order, or with 1.0 for 1",
    "5 zero": "weight 0 makes an item judged and leaves the pass rate's n",
    "5 coverage": "coverage's n counts every scored case that has an item",
    "6 errors": "some repetitions of a case errored, it is none",
    "6 gap": "a second repetition stands in the first place",
    "6 spread": "spread needs two values",
    "7 refused": "the most of a case's repetitions, summed over cases",
    "7 live": "nothing diverges when reads are live",
    "8 all": "every case errored: failed, metrics null",
    "8 cancelled": "a cancelled comparison has a summary",
    "9 truncated": "truncated at 1,000 cases, also when nothing more is there",
    "9 empty": "an empty set builds",
    "10 split": "a stratum is split by the positions of its cases",
    "10 half": "a half is rounded up",
    "10 one": "a stratum of one holds nothing out",
    "11 never": "a fresh judgment does not override the past output's",
    "11 weight": "fresh weight is on two metrics alone",
}
"""The lines, in parts, each with what it says."""


def hits(request: Request, result: Json) -> set[str]:
    """The lines that a request and its answer exercise."""
    return {line for line, exercised in _CHECKS if exercised(request, result)}


def count(pairs: Iterable[tuple[Request, Json]]) -> Counter[str]:
    """How many of the pairs exercise each line."""
    counts: Counter[str] = Counter(dict.fromkeys(LINES, 0))
    for request, result in pairs:
        counts.update(hits(request, result))
    return counts


# What a pair holds, whichever rule it is of.


def _items_of(request: Request, result: Json) -> Iterator[list[Json]]:
    """The item lists that an answer shows."""
    if request["op"] == "outputItems":
        yield result
    elif request["op"] == "scoreOutput":
        yield result["items"]


def _case_outputs(request: Request) -> Iterator[tuple[Request, list[Request]]]:
    """Each case of a comparison, with its outcomes."""
    for case in request["cases"]:
        given = request["candidates"].get(case["caseId"], [])
        yield case, given if isinstance(given, list) else [given]


def _judged_pairs(request: Request, result: Json) -> Iterator[tuple[Json, list[Json]]]:
    """Each item of an answer with the judged items of its key."""
    if request["op"] in ("matchJudged", "scoreOutput"):
        matched = result if request["op"] == "matchJudged" else result["matched"]
        for one in matched:
            yield one, [judged for judged in request["judged"] if judged["key"] == one["item"]["key"]]


def _settings(request: Request) -> Request:
    return {"repetitions": 1, "reads": "recorded", "k": 10, **request.get("comparison", {})}


def _summary(result: Json) -> Request:
    return (result.get("summary") if isinstance(result, dict) else None) or {}


def _values(value: Json) -> Iterator[Json]:
    yield value
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        yield from _values(child)


# The lines.


def _pointer_needed(request: Request, result: Json) -> bool:
    if request["op"] == "compare":
        return any(
            "pointer" not in item and (item["key"] in ("answer", "output") or item["key"].startswith("/"))
            for case in request["cases"]
            for item in case["items"]
        )
    return any(
        not one["item"].get("ownKey") and judged and "pointer" not in judged[-1] and "judged" not in one
        for one, judged in _judged_pairs(request, result)
    )


def _judgment_lists(request: Request) -> Iterator[list[Request]]:
    if request["op"] == "summarizeByItem":
        yield request["judgments"]
    elif request["op"] == "buildCases":
        for run in request["judgedRuns"]:
            yield run["judgments"]
    elif request["op"] == "rescore":
        yield request["judgments"]


def _weights_of_now(request: Request, _: Json) -> bool:
    classes = request.get("classes", {})
    return any(
        classes.get(said.get("judgeClassId"), 1) != 1 and said.get("restricted") is True
        for judgments in _judgment_lists(request)
        for said in judgments
    )


def _newest(request: Request, _: Json) -> bool:
    for judgments in _judgment_lists(request):
        newest: dict[tuple[Json, str], Request] = {}
        for said in judgments:
            item = said["item"]
            first = newest.setdefault((said.get("runId"), item["key"]), item)
            if (first.get("pointer"), first.get("rank")) != (item.get("pointer"), item.get("rank")):
                return True
    return False


def _by_rank(request: Request, result: Json) -> bool:
    if request["op"] != "summarizeByItem":
        return False
    ranks = [item.get("rank", 2**53) for item in result]
    first = list(dict.fromkeys(said["item"]["key"] for said in request["judgments"]))
    return len(set(ranks)) > 1 and [item["key"] for item in result] != first


def _last_wins(request: Request, result: Json) -> bool:
    for one, judged in _judged_pairs(request, result):
        if "judged" in one and len(judged) > 1 and judged[0] != judged[-1]:
            return True
    return False


def _two_lists(request: Request, result: Json) -> bool:
    for items in _items_of(request, result):
        own = [item["key"] for item in items if item["ownKey"]]
        if len(own) > len(set(own)):
            return True
    return False


def _integer_fields(request: Request, result: Json) -> bool:
    def late(value: Json) -> bool:
        names = [name for name in value if isinstance(value[name], list | dict)]
        like = [name.isascii() and name.isdigit() and str(int(name)) == name for name in names]
        return any(like[i] and not like[i - 1] for i in range(1, len(like)))

    outputs = [request.get("output")] if request["op"] in ("outputItems", "scoreOutput") else []
    found = any(isinstance(v, dict) and late(v) for output in outputs for v in _values(output))
    return found and any(len(items) > 1 for items in _items_of(request, result))


def _number_keys(request: Request, result: Json) -> bool:
    for items in _items_of(request, result):
        for item in items:
            value = item["value"]
            own = value.get("id", value.get("key")) if isinstance(value, dict) and item["ownKey"] else None
            if isinstance(own, int | float) and not isinstance(own, bool):
                return True
    return False


def _equal_otherwise(request: Request, result: Json) -> bool:
    """An item that is no one's own matched, and both contents are not written the same."""
    for one, judged in _judged_pairs(request, result):
        if (
            "judged" in one
            and not one["item"].get("ownKey")
            and isinstance(one["item"]["value"], dict | list)
        ):
            before = plain_value_at(request.get("judgedOutput"), judged[-1]["pointer"])
            if repr(before) != repr(one["item"]["value"]):
                return True
    return False


def _scores(result: Json) -> Iterator[Json]:
    for case in result.get("perCase", ()) if isinstance(result, dict) else ():
        yield from case["candidate"]


def _weight_zero(request: Request, result: Json) -> bool:
    if request["op"] not in ("compare", "rescore"):
        return False
    return any(score["judgedItems"] > 0 and score["totalWeight"] == 0 for score in _scores(result))


def _coverage_n(request: Request, result: Json) -> bool:
    metrics = _summary(result).get("metrics")
    return metrics is not None and bool(metrics["judgedCoverage"]["n"] > metrics["weightedYesShare"]["n"])


def _some_errors(request: Request, result: Json) -> bool:
    if request["op"] != "compare":
        return False
    kept = {case["caseId"]: case for case in result.get("perCase", ())}
    return any(
        any("error" in outcome for outcome in outcomes) and kept[case["caseId"]]["candidate"]
        for case, outcomes in _case_outputs(request)
        if case["caseId"] in kept
    )


def _gap(request: Request, result: Json) -> bool:
    if request["op"] != "compare":
        return False
    kept = {case["caseId"] for case in result.get("perCase", ()) if case["candidate"]}
    return any(
        outcomes and ("error" in outcomes[0] or "stopped" in outcomes[0])
        for case, outcomes in _case_outputs(request)
        if case["caseId"] in kept
    )


def _spread(request: Request, result: Json) -> bool:
    return "spread" in _summary(result).get("metrics", {}).get("judgedCoverage", {})


def _refused(request: Request, result: Json) -> bool:
    if request["op"] != "compare":
        return False
    kept = {case["caseId"] for case in result.get("perCase", ())}
    for case, outcomes in _case_outputs(request):
        counts = [
            sum(tool["source"] == "refused" for tool in outcome.get("replay", {}).get("tools", ()))
            for outcome in outcomes
        ]
        if case["caseId"] in kept and len(set(counts)) > 1:
            return True
    return False


def _live_reads(request: Request, result: Json) -> bool:
    if request["op"] != "compare" or _settings(request)["reads"] != "live":
        return False
    return any(
        tool["source"] == "live" and "recomputed" not in tool
        for case in result.get("perCase", ())
        for tool in case.get("tools", ())
    )


def _all_errors(request: Request, result: Json) -> bool:
    summary = _summary(result)
    return summary.get("cases", 0) > 0 and bool(summary["status"] == "failed")


def _cancelled(request: Request, result: Json) -> bool:
    return bool(_summary(result)) and result.get("error") == "cancelled"


def _truncated(request: Request, result: Json) -> bool:
    return request["op"] == "buildCases" and len(request["judgedRuns"]) >= 999


def _empty(request: Request, result: Json) -> bool:
    return bool(request["op"] == "buildCases" and result["caseCount"] == 0)


def _strata(request: Request) -> list[list[str]]:
    if request["op"] != "sampleCases":
        return []
    strata: dict[bool, list[str]] = {}
    for case in request["cases"]:
        no = any(item["yesWeight"] < item["totalWeight"] for item in case["items"])
        strata.setdefault(no, []).append(case["caseId"])
    return list(strata.values())


def _split(request: Request, _: Json) -> bool:
    seed = request["sample"]["seed"] if request["op"] == "sampleCases" else ""
    return any(sorted(ids, key=lambda one: position(seed, one)) != ids for ids in _strata(request))


def _half(request: Request, _: Json) -> bool:
    return any(
        (len(ids) * request["sample"]["holdOutShare"]) % 1 == 0.5 for ids in _strata(request) if len(ids) > 1
    )


def _one(request: Request, _: Json) -> bool:
    return any(len(ids) == 1 for ids in _strata(request))


def _never_overrides(request: Request, result: Json) -> bool:
    if request["op"] == "withFresh":
        keys = {one["key"] for one in request["fresh"]}
        return any("judged" in one and one["item"]["key"] in keys for one in request["matched"])
    if request["op"] == "scoreOutput":
        keys = {one["key"] for one in request.get("fresh", ())}
        return any("judged" in one and one["item"]["key"] in keys for one in result["matched"])
    return False


def _fresh_weight(request: Request, result: Json) -> bool:
    return "freshWeight" in _summary(result).get("metrics", {}).get("weightedYesShare", {})


_Check = Callable[[Request, Json], bool]
_CHECKS: tuple[tuple[str, _Check], ...] = tuple(
    zip(
        LINES,
        (
            _pointer_needed,
            _weights_of_now,
            _newest,
            _by_rank,
            _last_wins,
            _two_lists,
            _integer_fields,
            _number_keys,
            _equal_otherwise,
            _weight_zero,
            _coverage_n,
            _some_errors,
            _gap,
            _spread,
            _refused,
            _live_reads,
            _all_errors,
            _cancelled,
            _truncated,
            _empty,
            _split,
            _half,
            _one,
            _never_overrides,
            _fresh_weight,
        ),
        strict=True,
    )
)
