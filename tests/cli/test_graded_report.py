"""The report of a comparison in which graded parts of corrections count: what its numbers are called."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from kindgi_tui.cli.case_report import case_lines
from kindgi_tui.cli.report import _facts, metric_lines
from kindgi_tui.cli.review import Reviewed, results_of
from kindgi_tui.cli.tables import pairs
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison, ComparisonProgress, ComparisonRequest
from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.corrections import Expectation
from kindgi_tui.domain.grading import is_graded
from kindgi_tui.domain.own_test_sets import ExpectedItem, expected_summary
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.opening import Target, open_workbench
from kindgi_tui.tui.screens.case.blocks import expected_blocks

SUMS: dict[str, Json] = {
    "yesWeight": 0, "totalWeight": 0, "items": 1, "judgedItems": 0, "topK": {"yesWeight": 0, "totalWeight": 0},
}  # fmt: skip
METRIC: dict[str, Json] = {"baseline": 0, "candidate": 0.5, "delta": 0.5, "n": 1}
ENTRY: dict[str, Json] = {
    "correctionId": "c", "pass": False, "repetitionsPassed": 0, "repetitions": 1,
}  # fmt: skip


def compared(parts: Json) -> Comparison:
    """One case that failed one of its two parts; told part by part, or not."""
    names = ("weightedYesShare", "judgedCoverage", "weightedPrecisionAtK")
    row: dict[str, Json] = {
        "caseId": "c",
        "runIds": [],
        "baseline": {**SUMS, "checks": {"passed": 0, "total": 2}},
        "candidate": [{**SUMS, "checks": {"passed": 1, "total": 2}}],
        "corrections": [{**ENTRY, **({} if parts is None else {"parts": parts})}],
    }
    return Comparison(
        id="one", test_set_id="acme.set", test_set_version="1.0.0", project_id="p",
        request=ComparisonRequest(
            test_set_id="acme.set", project_id="p", agent_id="acme.picker", subject_version="0.2.0", k=5
        ),
        status="completed", started_by="maria", created_at=datetime(2026, 11, 30, tzinfo=UTC),
        progress=ComparisonProgress(
            cases=1, repetitions=1, finished=1, finished_cases=1, errors=0, cost_usd=0, cached=0
        ),
        result={"summary": {"metrics": dict.fromkeys(names, METRIC)}, "perCase": [row]},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "titles", "marks"),
    [
        (
            {"decisions": True, "answer": False},
            ("Share marked right", "Corrected items", "Top 5 marked right"),
            "got better, 0% marked right before, 50% now",
        ),
        (None, ("Judged yes", "Judged items", "Top 5 judged yes"), "got better, 0% yes before, 50% now"),
    ],
)
async def test_metrics_and_cases_say_what_their_numbers_are(
    tmp_path: Path, parts: Json, titles: tuple[str, ...], marks: str
) -> None:
    comparison = compared(parts)
    results = results_of(comparison)
    lines = metric_lines(comparison, 100, is_graded(results))
    assert tuple(line.split("  ")[0] for line in lines[1:]) == titles
    bench, _ = await open_workbench(Target(workspace=tmp_path / "workspace"))
    try:
        told = await case_lines(
            bench, Reviewed("improved", results[0], None), 1, 100, graded=is_graded(results)
        )
        # A case that couldn't be checked says it as its neighbours do.
        bare = results[0].model_copy(update={"corrections": (), "unchecked": "No model is named."})
        beside = await case_lines(bench, Reviewed("improved", bare, None), 2, 100, graded=is_graded(results))
    finally:
        await bench.close()
    assert marks in " ".join(" ".join(told).split())
    assert marks in " ".join(" ".join(beside).split())


def test_why_a_case_is_unchecked_is_told_whole() -> None:
    """What to do about it stands at its end."""
    reasons = [
        f"Reason {number}. " + "The model wasn't there. " * 12 + f"Try way {number}." for number in range(7)
    ]
    comparison = compared(None)
    told: Json = {"unchecked": {"count": 9, "reasons": [*reasons]}, "baseline": {"versions": [
        {"agentId": "acme.picker", "version": "0.1.0", "cases": 1},
        {"agentId": "acme.picker", "version": "0.1.1", "cases": 2},
    ]}}  # fmt: skip
    lines = pairs(_facts(comparison.model_copy(update={"result": {"summary": told}})), 80)
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    assert [f"Try way {number}." in text for number in range(7)] == [True] * 5 + [False] * 2
    assert "And 2 more, each at its case." in text
    assert "acme.picker 0.1.0 (1 case), acme.picker 0.1.1 (2 cases)" in text


async def test_what_neither_run_had_is_missing_and_not_dropped(tmp_path: Path) -> None:
    result = CaseResult.read(
        {"caseId": "c", "changes": {"kept": [], "dropped": [{"key": "kb-2"}], "new": []}}
    )
    item = expected_summary(ExpectedItem(key="kb-2", verdict="yes"))
    subject = Subject(kind="agent", id="acme.picker", version="0.1.0")
    case = Case(case_id="c", subject=subject, input="q", output={"appended": []}, items=(item,))
    bench, _ = await open_workbench(Target(workspace=tmp_path / "workspace"))
    try:
        told = "\n".join(await case_lines(bench, Reviewed("unknown", result, case), 1, 100))
    finally:
        await bench.close()
    assert "∅ kb-2  yes  the case asks for it, and it was never there" in told
    assert "missing (∅)" in told
    assert "- kb-2" not in told


async def test_decisions_that_were_right_say_which_call_the_replay_made_instead(tmp_path: Path) -> None:
    """The result has no calls: they are those of the replay's run, as on the screen."""

    def turn(tool: str, arguments: dict[str, Json]) -> Json:
        call: Json = {"id": "k", "name": tool, "arguments": arguments}
        return {"appended": [{"role": "agent", "content": {"toolCalls": [call]}}]}

    subject = Subject(kind="agent", id="acme.picker", version="0.1.0")
    recorded = turn("acme.search", {"query": "refund"})
    expect = Expectation(decisions="right")
    case = Case(case_id="c", subject=subject, input="q", output=recorded, items=(), expect=expect)
    entry = {**ENTRY, "parts": {"decisions": False}}
    result = CaseResult.read({"caseId": "c", "runIds": ["replay-1"], "corrections": [entry]})
    bench, _ = await open_workbench(Target(workspace=tmp_path / "workspace"))
    try:
        project = await bench.projects.get()
        replay = RunDetail(
            id="replay-1", project_id=project.id, subject=subject, status="completed",
            created_at=datetime(2026, 11, 30, tzinfo=UTC), output=turn("acme.log", {"text": "x"}),
        )  # fmt: skip
        await bench.runs.add([replay])
        cli = await case_lines(bench, Reviewed("regressed", result, case), 1, 200)
        kept = await bench.runs.get("replay-1")
    finally:
        await bench.close()
    screen = [str(block) for block in expected_blocks(case, result, kept)]
    for told in ("\n".join(cli), "\n".join(screen)):
        assert 'should have called acme.search with query "refund", as the recorded run did' in told
        assert 'called acme.log with text "x", which the recorded run didn' in told
