from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.regressions import Standing, classify, in_order, is_new, said_yes, standing_of
from kindgi_tui.domain.test_sets import JudgedItem


def score(yes: float, total: float) -> dict[str, Any]:
    return {
        "yesWeight": yes,
        "totalWeight": total,
        "items": 4,
        "judgedItems": 3,
        "topK": {"yesWeight": 0, "totalWeight": 0},
    }


def case(
    before: tuple[float, float],
    *now: tuple[float, float],
    dropped: tuple[str, ...] = (),
    new: tuple[str, ...] = (),
    judged: tuple[str, ...] = (),
    name: str = "case",
) -> CaseResult:
    return CaseResult.read(
        {
            "caseId": name,
            "runIds": ["run"],
            "baseline": score(*before),
            "candidate": [score(*each) for each in now],
            "changes": {
                "kept": [],
                "dropped": [{"key": key} for key in dropped],
                "new": [
                    *({"key": key, "pointer": f"/{key}"} for key in new),
                    *(
                        {"key": key, "pointer": "", "judged": {"yesWeight": 1, "totalWeight": 1}}
                        for key in judged
                    ),
                ],
            },
        }
    )


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (case((1, 3), (1, 1)), Standing.IMPROVED),
        (case((1, 3), (0, 2)), Standing.REGRESSED),
        (case((1, 3), (2, 6)), Standing.UNCHANGED),
        (case((1, 10), (0.1, 1), (0.1, 1)), Standing.UNCHANGED),
        (case((1, 2), (1, 1), (0, 1)), Standing.UNCHANGED),
        (case((1, 2), (1, 1), (0, 0)), Standing.IMPROVED),
        (case((1, 3)), Standing.UNKNOWN),
        (case((1, 3), (0, 0)), Standing.UNKNOWN),
        (case((0, 0), (1, 1)), Standing.UNKNOWN),
        # The liked item was dropped: whatever else is there, somebody has to look.
        (case((1, 1), (0, 0), dropped=("liked",)), Standing.REGRESSED),
        (case((2, 3), (1, 1), dropped=("liked",), new=("other",)), Standing.REGRESSED),
        (case((1, 3), (1, 1), dropped=("disliked",)), Standing.IMPROVED),
        # Since then people judged what came in its place: the rate decides.
        (case((2, 2), (2, 2), dropped=("liked",), judged=("other",)), Standing.UNCHANGED),
        (case((2, 2), (1, 2), dropped=("liked",), judged=("other",)), Standing.REGRESSED),
        (case((2, 2), (1, 1), dropped=("liked", "liked too"), judged=("other",)), Standing.REGRESSED),
        # Reworded, and nobody judged the new words.
        (case((1, 1), (0, 0), dropped=("liked",), new=("liked",)), Standing.UNKNOWN),
    ],
)
def test_standing(result: CaseResult, expected: Standing) -> None:
    assert classify(result, {"liked", "liked too"}) is expected


def test_graded_parts() -> None:
    same = case((1, 2), (1, 2))
    assert classify(same, parts={"decisions": (True, False), "answer": (False, True)}) is Standing.REGRESSED
    assert classify(same, parts={"decisions": (False, True)}) is Standing.IMPROVED
    assert classify(same, parts={"decisions": (True, True), "answer": (None, False)}) is Standing.UNCHANGED
    assert classify(case((0, 0), (0, 0)), parts={"answer": (True, True)}) is Standing.UNCHANGED
    assert classify(case((0, 0)), parts={"answer": (True, False)}) is Standing.UNKNOWN


def test_an_errored_case_without_changes() -> None:
    result = CaseResult.read({"caseId": "c", "baseline": score(1, 1), "candidate": [], "error": "boom"})
    assert classify(result, {"liked"}) is Standing.UNKNOWN
    assert not is_new(result)


def test_new_items() -> None:
    assert is_new(case((1, 1), (1, 1), new=("a",), judged=("b",)))
    assert not is_new(case((1, 1), (1, 1), judged=("b",)))


def test_said_yes() -> None:
    items = [
        JudgedItem(key="yes", yes_weight=2, total_weight=3),
        JudgedItem(key="split", yes_weight=1, total_weight=2),
        JudgedItem(key="no", yes_weight=0, total_weight=1),
        JudgedItem(key="nothing", yes_weight=0, total_weight=0),
        JudgedItem(key="unknown"),
    ]
    assert said_yes(items) == {"yes"}


def test_regressions_come_first() -> None:
    results = [
        case((1, 2), (1, 2), name="same"),
        case((1, 2), (2, 2), name="up"),
        case((1, 2), name="failed"),
        case((2, 2), (1, 2), name="down a little"),
        case((1, 2), (1, 2), new=("x",), name="same, new items"),
        case((2, 2), (0, 2), name="down a lot"),
    ]
    cases = in_order(standing_of(result) for result in results)
    assert [each.case_id for each in cases] == [
        "down a lot",
        "down a little",
        "failed",
        "up",
        "same, new items",
        "same",
    ]
    assert [each.change for each in cases] == [-1.0, -0.5, None, 0.5, 0.0, 0.0]


SUMS = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda pair: (min(pair), max(pair)))


@given(SUMS, st.lists(SUMS, max_size=3))
def test_swapping_the_sides_swaps_the_standing(before: tuple[int, int], now: list[tuple[int, int]]) -> None:
    standing = classify(case(before, *now))
    if len(now) == 1:
        swapped = {Standing.REGRESSED: Standing.IMPROVED, Standing.IMPROVED: Standing.REGRESSED}
        assert classify(case(now[0], before)) is swapped.get(standing, standing)
    assert (standing is Standing.UNKNOWN) == (before[1] == 0 or all(total == 0 for _, total in now))
