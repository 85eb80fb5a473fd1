"""Our rules against the recorded answers of the real implementation, always."""

import json
from collections import Counter
from typing import NamedTuple

import pytest

from tests.conformance import fine_print
from tests.conformance.ours import OPS, answer
from tests.conformance.recorded_pairs import COUNT, pairs


class Pass(NamedTuple):
    """One pass over the recorded pairs."""

    asked: Counter[str]
    different: list[str]
    exercised: Counter[str]


@pytest.fixture(scope="module")
def passed() -> Pass:
    one = Pass(Counter(), [], Counter())
    for number, (request, result) in enumerate(pairs()):
        one.asked[request["op"]] += 1
        one.exercised.update(fine_print.hits(request, result))
        if json.dumps(answer(request), sort_keys=True) != json.dumps(result, sort_keys=True):
            one.different.append(f"{number}: {request['op']}")
    return one


def test_every_recorded_answer_is_ours(passed: Pass) -> None:
    """No difference in any number, key, order of a list, or flag."""
    assert not passed.different
    assert passed.asked.total() == COUNT
    assert set(passed.asked) == set(OPS)


def test_every_line_of_the_fine_print_is_exercised_a_hundred_times(passed: Pass) -> None:
    assert {line.split()[0] for line in fine_print.LINES} == {str(n) for n in range(1, 12)}
    assert not {line: passed.exercised[line] for line in fine_print.LINES if passed.exercised[line] < 100}
