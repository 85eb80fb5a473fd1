"""Gates: which comparisons pass, and which sentences a failed one prints."""

from typing import Any

import click
import pytest

from kindgi_tui.cli.gates import LEAST, Least, failed_gates, finished_well
from kindgi_tui.domain.base import Json
from tests.wire.test_v04 import comparison


def rated(pass_rate: float | None, delta: float | None, status: str = "completed", **changes: Any) -> Any:
    metric: Json = {"baseline": 0.5, "candidate": pass_rate, "delta": delta, "n": 3}
    summary: Json = {"status": status, "metrics": {"weightedYesShare": metric}}
    return comparison(result={"summary": summary, "perCase": []}, **changes)


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("pass-rate=0.9", Least("pass-rate", 0.9)),
        ("pass-rate=1", Least("pass-rate", 1.0)),
        ("case-coverage=1e-3", Least("case-coverage", 0.001)),
        ("passRate=0", Least("pass-rate", 0.0)),
        ("weightedPrecisionAtK=.5", Least("precision-at-k", 0.5)),
    ],
)
def test_reads_any_share(text: str, least: Least) -> None:
    assert LEAST.convert(text, None, None) == least


@pytest.mark.parametrize(
    "text",
    ["pass-rate", "pass-rate=", "pass-rate=high", "pass-rate=nan", "pass-rate=inf", "x=1", "=1", "pass-rate=2",
     "pass-rate=90", "case-coverage=-0.1", "precision-at-k=1.0001"],
)  # fmt: skip
def test_refuses_what_is_no_gate(text: str) -> None:
    with pytest.raises(click.UsageError):
        LEAST.convert(text, None, None)


@pytest.mark.parametrize(
    ("value", "least", "fails"), [(0.9, 0.9, False), (0.8999, 0.9, True), (0.0, -1.0, False)]
)
def test_fails_only_below(value: float, least: float, fails: bool) -> None:
    sentences = failed_gates(rated(value, 0.0), (Least("pass-rate", least),), None, 0)
    assert bool(sentences) is fails


def test_a_metric_without_a_value_fails_even_the_lowest_gate() -> None:
    [sentence] = failed_gates(rated(None, None), (Least("pass-rate", -100.0),), None, 0)
    assert "no value" in sentence
    [sentence] = failed_gates(rated(1.0, 0.0), (Least("case-coverage", -100.0),), None, 0)
    assert "case-coverage" in sentence


def test_regression_looks_at_the_pass_rate_and_with_any_at_each_case() -> None:
    assert failed_gates(rated(0.5, 0.0), (), "worse", 2) == []
    assert failed_gates(rated(0.5, 0.1), (), "any", 0) == []
    [sentence] = failed_gates(rated(0.5, 0.1), (), "any", 1)
    assert "1 case got worse" in sentence
    [sentence] = failed_gates(rated(0.4, -0.1), (), "worse", 0)
    assert "fell by 0.1" in sentence
    assert len(failed_gates(rated(0.4, -0.1), (), "any", 2)) == 2
    [sentence] = failed_gates(rated(0.4, None), (), "worse", 0)
    assert "can't be said" in sentence


def test_only_a_completed_comparison_without_errors_finished_well() -> None:
    assert finished_well(rated(1.0, 0.0))
    assert not finished_well(rated(1.0, 0.0, status="partial"))
    assert not finished_well(rated(1.0, 0.0, status="failed"))
    assert not finished_well(rated(1.0, 0.0, status="completed").model_copy(update={"status": "cancelled"}))
    assert not finished_well(comparison())
