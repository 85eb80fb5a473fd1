"""The demo's corrected runs: what people said of them, and what each version comes to on them, with no key."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.demo.corrected import load_corrections, load_verdicts
from kindgi_tui.demo.make import AGENT, CANDIDATES, make_demo
from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.expectations import checked_expectation
from kindgi_tui.domain.own_test_sets import own_test_set_id
from kindgi_tui.local.workbench import open_local

OPENING, SHIPPING, DECLINED = "64eb45a9", "725469c1", "bccdea8e"
EXPRESS, STUDENTS = "47de20e7", "c2fdabbf"
PASSES = {
    "0.1.0": {STUDENTS},
    "0.2.0": {OPENING, SHIPPING},
    # It logs what it suggests, so that it no longer calls the same tools.
    "0.3.0": set[str](),
}


def test_what_was_written_down_fits_together() -> None:
    corrections = load_corrections()
    for told in corrections:
        assert checked_expectation(told.expectation) == told.expectation
    answered = {told.run for told in corrections if told.expectation.answer is not None}
    said = {(told.run, told.version) for told in load_verdicts()}
    assert said == {(run, version) for run in answered for version in CANDIDATES}


@pytest.mark.parametrize("version", CANDIDATES)
def test_each_version_is_checked_on_what_people_corrected(tmp_path: Path, version: str) -> None:
    async def whole() -> Any:
        folder = tmp_path / "demo"
        report = await make_demo(folder)
        assert report.corrections == len(load_corrections())
        bench, _ = await open_local(folder)
        try:
            project = await bench.projects.get("default")
            started = await bench.comparisons.start(
                ComparisonRequest(
                    test_set_id=own_test_set_id(AGENT, project.id),
                    project_id=project.id,
                    agent_id=AGENT,
                    subject_version=version,
                )
            )
            async for _ in bench.comparisons.follow(started.id):
                pass
            return (await bench.comparisons.get(started.id)).result
        finally:
            await bench.close()

    result = asyncio.run(whole())
    summary = result["summary"]
    passed = {
        case["caseId"][:8]
        for case in result["perCase"]
        if any(one["pass"] for one in case.get("corrections", []))
    }
    assert passed == PASSES[version]
    assert summary["corrections"] == {"checked": 5, "passed": len(PASSES[version])}
    assert "unchecked" not in summary
