"""The two real files of the shared folder, imported as its README says is right."""

import os
from pathlib import Path

import pytest

from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.runs import recorded_calls
from kindgi_tui.local.imports.records import ImportedRun
from tests.local.imports.reading_lines import imported

SHARED = Path(os.environ.get("KINDGI_SHARED") or Path(__file__).parents[4] / "shared")
SAMPLES = SHARED / "import-samples"

pytestmark = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason="the folder ../shared/import-samples isn't there"
)


def answer(run: ImportedRun) -> object:
    """What the answer item holds."""
    return next(item.value for item in output_items(run.detail.output, True) if item.key == "answer")


def test_tau_airline() -> None:
    runs, problems = imported(SAMPLES / "tau-airline.json")
    assert problems == []
    calls = [recorded_calls(run.detail.output) for run in runs]
    assert [len(each) for each in calls] == [6, 10, 8, 3, 5, 11, 9, 7]
    assert all(one.finished for each in calls for one in each)
    assert all(len({one.call_id for one in each}) == len(each) for each in calls)
    assert runs[0].detail.input == "Hi there! I'd like to change my flight reservation."
    assert str(answer(runs[0])).startswith(
        "Your reservation has been successfully updated to the new economy flights on May 24, 2024."
    )
    assert str(answer(runs[7])).startswith("I'm unable to remove checked bags from a reservation.")
    assert [run.machine_scores[0].value for run in runs] == [1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    assert all(run.judgments == () for run in runs)
    assert all(run.detail.context["severalTurns"] is True for run in runs)
    assert {run.detail.subject.id for run in runs} == {"tau-airline"}


def test_openai_finetune() -> None:
    runs, problems = imported(SAMPLES / "openai-finetune.jsonl")
    again, _ = imported(SAMPLES / "openai-finetune.jsonl")
    assert problems == []
    assert [run.position for run in runs] == [1, 2, 3, 4, 5]
    assert len({run.detail.id for run in runs}) == 5
    assert [run.detail.id for run in runs] == [run.detail.id for run in again]
    assert runs[3].detail.input == ""
    assert answer(runs[3]) == "You're great!"
    long = answer(runs[4])
    assert isinstance(long, str)
    assert len(long) == 26_000
    assert "\n" not in long
