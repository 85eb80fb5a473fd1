"""Our rules against the real implementation, on input that nobody has seen before, where it is installed."""

import json
import secrets

import pytest

from tests.conformance import fine_print
from tests.conformance.generate import requests
from tests.conformance.oracle import find_oracle
from tests.conformance.ours import answer, settled

ORACLE = find_oracle()
needs_oracle = pytest.mark.skipif(isinstance(ORACLE, str), reason=f"the oracle: {ORACLE}")


def differences(seed: str, count: int) -> tuple[list[str], dict[str, int]]:
    """The requests that are answered otherwise, and how often each line of the fine print was exercised."""
    assert not isinstance(ORACLE, str)
    asked = list(requests(seed, count))
    replies = ORACLE.ask(asked)
    assert len(replies) == count
    different = [
        f"seed {seed}, request {number}: {request['op']}"
        for number, (request, reply) in enumerate(zip(asked, replies, strict=True))
        if json.dumps(answer(request), sort_keys=True) != json.dumps(settled(reply["result"]), sort_keys=True)
    ]
    counts = fine_print.count((r, reply["result"]) for r, reply in zip(asked, replies, strict=True))
    return different, counts


@needs_oracle
def test_no_difference_on_fresh_input() -> None:
    different, _ = differences(secrets.token_hex(4), 400)
    assert not different


@needs_oracle
@pytest.mark.long
def test_no_difference_on_five_thousand_fresh_inputs() -> None:
    """And each line of the fine print occurs often (at least 100 times in the recorded ones)."""
    different, counts = differences(secrets.token_hex(4), 5000)
    assert not different
    assert not {line: n for line, n in counts.items() if n < 70}
