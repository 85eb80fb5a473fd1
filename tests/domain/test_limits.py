"""The limits of DESIGN section 8, with the API's sentences."""

from collections.abc import Callable
from typing import Any

import pytest

from kindgi_tui.domain import limits
from kindgi_tui.domain.limits import LimitError

SAMPLE = (
    "`sample` must be { part: 'search' | 'hold-out', seed, holdOutShare } with holdOutShare from 0.1 to 0.9"
)


@pytest.mark.parametrize(
    ("check", "field", "sentence"),
    [
        (lambda: limits.check_repetitions(0), "repetitions", "`repetitions` must be an integer from 1 to 10"),
        (
            lambda: limits.check_repetitions(11),
            "repetitions",
            "`repetitions` must be an integer from 1 to 10",
        ),
        (
            lambda: limits.check_repetitions(True),
            "repetitions",
            "`repetitions` must be an integer from 1 to 10",
        ),
        (lambda: limits.check_k(101), "k", "`k` must be an integer from 1 to 100"),
        (lambda: limits.check_k(1.5), "k", "`k` must be an integer from 1 to 100"),
        (lambda: limits.check_sample("search", "s", 0.09), "sample", SAMPLE),
        (lambda: limits.check_sample("search", "s", 0.91), "sample", SAMPLE),
        (lambda: limits.check_sample("search", "", 0.5), "sample", SAMPLE),
        (lambda: limits.check_sample("search", "x" * 201, 0.5), "sample", SAMPLE),
        (lambda: limits.check_sample("all", "s", 0.5), "sample", SAMPLE),
        (
            lambda: limits.check_version("1.0.0-rc.1"),
            "version",
            'version is required: a semver such as "1.0.0".',
        ),
        (lambda: limits.check_version("1.0"), "version", 'version is required: a semver such as "1.0.0".'),
        (
            lambda: limits.check_version("1.0.0\n"),
            "version",
            'version is required: a semver such as "1.0.0".',
        ),
        (
            lambda: limits.check_reason("x" * 4001),
            "reason",
            "reason must be a string of at most 4000 characters.",
        ),
        (
            lambda: limits.check_reason("😀" * 2001),
            "reason",
            "reason must be a string of at most 4000 characters.",
        ),
        (lambda: limits.check_segments([("a", "x")] * 9), "segments", "`segments` takes at most 8 segments"),
        (
            lambda: limits.check_segments([("a", "x")] * 2),
            "segments",
            '`segments`: the key "a" appears twice',
        ),
        (
            lambda: limits.check_segments([("A", "x")]),
            "segments",
            '`segments`: a segment key is lowercase letters, digits, - and _ (starting with a letter); got "A"',
        ),
        (
            lambda: limits.check_segments([("a", "")]),
            "segments",
            '`segments`: a segment value is 1–256 characters (key "a")',
        ),
        (
            lambda: limits.check_correlation_id(""),
            "correlationId",
            "`correlationId` must be a non-empty string when supplied",
        ),
        (
            lambda: limits.check_correlation_id("pin:x"),
            "correlationId",
            "`correlationId` can't start with `pin:` or `latest:`: those are kept for versions",
        ),
        (lambda: limits.check_baseline("live"), "baseline", "Only `baseline: 'recorded'` runs today."),
        (lambda: limits.check_reads("x"), "reads", "`reads` must be 'recorded' or 'live'"),
        (lambda: limits.check_verdict("maybe"), "verdict", "verdict must be one of: yes, no."),
        (lambda: limits.check_item(" "), "item.key", "item.key is required."),
        (lambda: limits.check_item("a", rank=-1), "item.rank", "item.rank must be a whole number ≥ 0."),
        (lambda: limits.check_min_judgments(0), "minJudgments", "minJudgments must be a whole number ≥ 1."),
        (lambda: limits.check_weight(-1), "weight", "weight is required: a number ≥ 0."),
        (lambda: limits.check_weight(float("nan")), "weight", "weight is required: a number ≥ 0."),
        (lambda: limits.check_group_name("x" * 101), "name", "name is required (at most 100 characters)."),
    ],
)
def test_outside_its_limits(check: Callable[[], Any], field: str, sentence: str) -> None:
    with pytest.raises(LimitError) as caught:
        check()
    assert (caught.value.field, caught.value.sentence, str(caught.value)) == (field, sentence, sentence)


def test_within_their_limits() -> None:
    assert [limits.check_repetitions(n) for n in (1, 10, 2.0)] == [1, 10, 2]
    assert [limits.check_k(n) for n in (1, 100)] == [1, 100]
    for share in (0.1, 0.9):
        limits.check_sample("hold-out", "x" * 200, share)
    assert limits.check_version("0.10.2") == "0.10.2"
    assert len(limits.check_reason("x" * 4000)) == 4000
    path = [(f"k{n}", "v" * 256) for n in range(8)]
    assert limits.check_segments(path) == tuple(path)
    assert limits.check_correlation_id("nightly") == "nightly"
    assert limits.check_weight(0) == 0
    limits.check_item("answer", "", None)
    limits.check_item("answer", "/appended/0/content", 0)


def test_a_gate_decides_on_what_can_be_trusted() -> None:
    limits.check_gate(None, overridden=False)
    limits.check_gate("hold-out", overridden=False)
    for part, overridden in (("search", False), (None, True)):
        with pytest.raises(LimitError, match="A gate can't decide"):
            limits.check_gate(part, overridden=overridden)
