"""What the metrics are called on screens and in reports (DESIGN section 5)."""

from typing import Literal, get_args

MetricName = Literal["pass_rate", "case_coverage", "weighted_precision_at_k"]
"""A metric, by our name."""

METRIC_NAMES: tuple[MetricName, ...] = get_args(MetricName)
"""All of them, in the order they are shown."""

_JUDGED = {
    "pass_rate": "Judged yes",
    "case_coverage": "Judged items",
    "weighted_precision_at_k": "Top {k} judged yes",
}
_GRADED = {
    "pass_rate": "Share marked right",
    "case_coverage": "Corrected items",
    "weighted_precision_at_k": "Top {k} marked right",
}


def metric_title(name: MetricName, k: int, graded: bool) -> str:
    """A metric's title; `graded` says whether graded parts of corrections count (`grading.is_graded`)."""
    return (_GRADED if graded else _JUDGED)[name].format(k=k)
