"""Gates: whether a finished comparison's answer is yes or no, for scripts (DESIGN sections 8 and 14)."""

import math
from typing import Any, Literal, NamedTuple

import click

from kindgi_tui.cli.parameters import F
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison

METRICS = {
    "pass-rate": "weightedYesShare",
    "case-coverage": "judgedCoverage",
    "precision-at-k": "weightedPrecisionAtK",
}
"""Metrics as gates name them, and as the stored result does."""

OTHER_NAMES = {
    "passRate": "pass-rate",
    "caseCoverage": "case-coverage",
    "weightedPrecisionAtK": "precision-at-k",
    "weighted-precision-at-k": "precision-at-k",
}
"""Other spellings of a metric that a gate takes."""

Regression = Literal["worse", "any"]
"""What `--fail-on-regression` looks at: the pass rate as a whole, or every single case too."""


class Least(NamedTuple):
    """The least a metric of the candidate must be."""

    metric: str
    """The metric, as gates name it."""
    value: float
    """The least value, 0 to 1."""


class LeastType(click.ParamType[Least]):
    """`METRIC=NUMBER`."""

    name = "metric=number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Least:
        """Reads the metric's name and the number."""
        if isinstance(value, Least):
            return value
        name, equals, number = str(value).partition("=")
        metric = OTHER_NAMES.get(name.strip(), name.strip())
        if metric not in METRICS:
            self.fail(
                f"A gate names one of {', '.join(METRICS)}, as in pass-rate=0.9; got {value!r}.", param, ctx
            )
        try:
            least = float(number)
        except ValueError:
            least = math.nan
        if not equals or not math.isfinite(least):
            self.fail(f"A gate needs a number, as in {metric}=0.9; got {value!r}.", param, ctx)
        if not 0 <= least <= 1:
            self.fail(f"A gate's number is a share, 0 to 1, as in {metric}=0.9; got {value!r}.", param, ctx)
        return Least(metric, least)


LEAST = LeastType()


def gate_options(function: F) -> F:
    """Gates: they wait for the end and decide the exit code."""
    least = click.option(
        "--fail-under", "least", multiple=True, type=LEAST, metavar="METRIC=X",
        help="Exit code 1 when pass-rate, case-coverage or precision-at-k is under X, or has no value.",
    )  # fmt: skip
    regression = click.option(
        "--fail-on-regression", "regression", is_flag=False, flag_value="worse", metavar="[=any]",
        type=click.Choice(["worse", "any"]),
        help="Exit code 1 when the pass rate fell; with =any also when any single case got worse.",
    )  # fmt: skip
    return least(regression(function))


def metric_of(comparison: Comparison, name: str) -> dict[str, Json]:
    """A metric of the result, by the stored name; empty where there is none."""
    found: Json = comparison.result
    for step in ("summary", "metrics", name):
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def summary_of(comparison: Comparison) -> dict[str, Json]:
    """The result's summary; empty where there is none."""
    found = comparison.result.get("summary") if isinstance(comparison.result, dict) else None
    return found if isinstance(found, dict) else {}


def failed_gates(
    comparison: Comparison, least: tuple[Least, ...], regression: Regression | None, regressed: int
) -> list[str]:
    """A sentence for each gate that fails; none means that the answer is yes.

    `regressed` is how many single cases got worse. A metric without evidence fails its gate: nothing says yes.
    """
    sentences = [sentence for gate in least if (sentence := _below(comparison, gate))]
    if regression is not None:
        sentences.extend(_regression(comparison, regression, regressed))
    return sentences


def _below(comparison: Comparison, gate: Least) -> str | None:
    value = metric_of(comparison, METRICS[gate.metric]).get("candidate")
    if not isinstance(value, int | float) or isinstance(value, bool):
        return f"Gate failed: {gate.metric} has no value, because nothing the candidate gave was judged."
    if value < gate.value:
        return f"Gate failed: {gate.metric} is {value:.6g}, less than {gate.value:.6g}."
    return None


def _regression(comparison: Comparison, regression: Regression, regressed: int) -> list[str]:
    delta = metric_of(comparison, METRICS["pass-rate"]).get("delta")
    if not isinstance(delta, int | float) or isinstance(delta, bool):
        return [
            "Gate failed: whether it got worse can't be said, because the pass rate has no value on both sides."
        ]
    sentences = []
    if delta < 0:
        sentences.append(f"Gate failed: the pass rate fell by {-delta:.6g}.")
    if regression == "any" and regressed:
        sentences.append(f"Gate failed: {regressed:,} {'case' if regressed == 1 else 'cases'} got worse.")
    return sentences


def finished_well(comparison: Comparison) -> bool:
    """Whether it completed and no case of it was an error."""
    return comparison.status == "completed" and summary_of(comparison).get("status") == "completed"
