"""Our rules against the recorded answers of the real implementation, always."""

import json

from tests.conformance import fine_print
from tests.conformance.ours import OPS, answer
from tests.conformance.recorded_pairs import COUNT, pairs


def test_every_recorded_answer_is_ours() -> None:
    """No difference in any number, key, order of a list, or flag."""
    seen: set[str] = set()
    for number, (request, result) in enumerate(pairs()):
        ours = answer(request)
        assert json.dumps(ours, sort_keys=True) == json.dumps(result, sort_keys=True), (number, request["op"])
        seen.add(request["op"])
    assert number + 1 == COUNT
    assert seen == set(OPS)


def test_every_line_of_the_fine_print_is_exercised_a_hundred_times() -> None:
    counts = fine_print.count(pairs())
    assert not {line: n for line, n in counts.items() if n < 100}
    assert {line.split()[0] for line in counts} == {str(n) for n in range(1, 12)}
