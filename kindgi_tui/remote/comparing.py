"""Comparisons on the wire: what is asked as a body, and an answer as our record (Kindgi 0.1)."""

from collections.abc import Mapping
from typing import Literal

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import (
    Comparison,
    ComparisonProgress,
    ComparisonRequest,
    ComparisonStatus,
    Reads,
    SamplePart,
    Weighing,
)
from kindgi_tui.domain.flow_swaps import swaps_of
from kindgi_tui.domain.overrides import overrides_of
from kindgi_tui.remote.reading import moment, moment_if, text, text_if, whole, word
from kindgi_tui.remote.runtime import given

STATUSES: tuple[ComparisonStatus, ...] = ("pending", "running", "completed", "failed", "cancelled")
"""Where a comparison may stand."""

FINAL = frozenset({"completed", "failed", "cancelled"})
"""Statuses of one that ended."""


def start_body(request: ComparisonRequest, *, dry_run: bool = False) -> dict[str, Json]:
    """The body of a start, with every setting, those at their defaults too."""
    sample = request.sample
    reference = {"agentId": request.agent_id} if request.agent_id is not None else {"flowId": request.flow_id}
    named: dict[str, Json] = {**reference, "version": request.subject_version}
    return given(
        {
            "projectId": request.project_id,
            "agentRef" if request.agent_id is not None else "flowRef": named,
            "dryRun": True if dry_run else None,
            "correlationId": request.correlation_id,
            "baseline": "recorded",
            "reads": request.reads,
            "repetitions": request.repetitions,
            "k": request.k,
            "versions": None if request.versions is None else request.versions.wire or None,
            "classWeights": "restricted-only" if request.weighing == "experts-only" else "as-recorded",
            "sample": None
            if sample is None
            else {"part": sample.part, "seed": sample.seed, "holdOutShare": sample.hold_out_share},
            "overrides": None if request.overrides is None else request.overrides.wire,
        }
    )


def comparison(value: dict[str, Json], planned: int | None = None) -> Comparison:
    """A comparison without its result. `planned`: how many cases it was to run, where that is known.

    What the runtime doesn't tell is None: of how many cases it has so many, what it cost, what came from a cache.
    """
    what = "a comparison"
    status = word(value, "status", STATUSES, what)
    request = request_of(value)
    result = result_of(value)
    told = result.get("summary")
    summary = told if isinstance(told, dict) else {}
    listed = result.get("perCase")
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    cases: int | None = None
    if status == "completed":
        cases = max(len(rows), whole(summary, "cases"))
    elif planned:
        cases = max(len(rows), planned)
    ran = [request.repetitions if status == "completed" else _ran(row, request.repetitions) for row in rows]
    settings = value.get("comparison")
    rescore_of = text_if(settings, "rescoreOf") if isinstance(settings, dict) else None
    return Comparison(
        id=text(value, "runId", what),
        test_set_id=request.test_set_id,
        test_set_version=text_if(value, "suiteVersion") or "",
        project_id=request.project_id,
        request=request,
        status=status,
        started_by="",
        created_at=moment(value, "startedAt", what),
        completed_at=moment_if(value, "completedAt"),
        error=text_if(value, "error") if status == "failed" else None,
        cancel_reason=(text_if(value, "cancelReason") or "person") if status == "cancelled" else None,
        rescore_of=rescore_of or text_if(summary, "rescoreOf"),
        progress=ComparisonProgress(
            cases=cases,
            repetitions=None if cases is None else cases * request.repetitions,
            finished=sum(ran),
            finished_cases=sum(count == request.repetitions for count in ran),
            errors=sum(count for row, count in zip(rows, ran, strict=True) if "error" in row),
            cost_usd=cost_of(result),
            cached=None,
        ),
    )


def _ran(row: dict[str, Json], repetitions: int) -> int:
    """How many repetitions of a case ran, by what its result so far has: a runtime may tell of a case halfway."""
    counts = [len(told) for name in ("runIds", "candidate") if isinstance(told := row.get(name), list)]
    return min(repetitions, max(1, *counts)) if counts else 1


def cost_of(result: Mapping[str, Json]) -> float | None:
    """What a result says that it cost, in US dollars; None where it doesn't say."""
    told = result.get("costUsd")
    return float(told) if isinstance(told, int | float) and not isinstance(told, bool) else None


def result_of(value: dict[str, Json]) -> dict[str, Json]:
    """A comparison's result so far; empty without one."""
    result = value.get("result")
    return result if isinstance(result, dict) else {}


def run_ids(value: dict[str, Json]) -> frozenset[str]:
    """The ids of a comparison's replays, as far as it has them."""
    rows = result_of(value).get("perCase")
    ids: set[str] = set()
    for row in rows if isinstance(rows, list) else ():
        told = row.get("runIds") if isinstance(row, dict) else None
        ids |= {one for one in told if isinstance(one, str)} if isinstance(told, list) else set()
    return frozenset(ids)


def request_of(value: dict[str, Json]) -> ComparisonRequest:
    """What was asked. Settings are only told when one was given: without them the defaults hold."""
    told = value.get("comparison")
    settings = told if isinstance(told, dict) else {}
    agent, flow = value.get("agentRef"), value.get("flowRef")
    subject = agent if isinstance(agent, dict) else flow if isinstance(flow, dict) else {}
    weighing: Weighing = (
        "experts-only" if settings.get("classWeights") == "restricted-only" else "as-recorded"
    )
    reads: Reads = "live" if settings.get("reads") == "live" else "recorded"
    return ComparisonRequest(
        test_set_id=text(value, "suiteId", "a comparison"),
        version=text_if(value, "suiteVersion"),
        project_id=text_if(value, "projectId") or "",
        agent_id=text_if(subject, "agentId") if isinstance(agent, dict) else None,
        flow_id=text_if(subject, "flowId") if not isinstance(agent, dict) else None,
        subject_version=text_if(subject, "version") or "",
        reads=reads,
        repetitions=max(1, whole(settings, "repetitions", 1)),
        k=max(1, whole(settings, "k", 10)),
        weighing=weighing,
        sample=_sample(settings.get("sample")),
        versions=swaps_of(settings.get("versions")),
        correlation_id=text_if(value, "correlationId"),
        overrides=overrides_of(settings.get("overrides")),
    )


def _sample(value: Json) -> SamplePart | None:
    if not isinstance(value, dict):
        return None
    share, part = value.get("holdOutShare"), value.get("part")
    known: Literal["search", "hold-out"] = "search" if part == "search" else "hold-out"
    return SamplePart(
        part=known,
        seed=text_if(value, "seed") or "",
        hold_out_share=float(share) if isinstance(share, int | float) else 0.5,
    )
