"""The oracle's own documented examples, each a request and its answer."""

import json

import pytest

from tests.conformance.oracle import shared_folder
from tests.conformance.ours import OPS, answer, settled


def _examples() -> list[tuple[dict[str, object], dict[str, object]]]:
    shared = shared_folder()
    page = shared / "kindgi-real" / "README.md" if shared is not None else None
    if page is None or not page.is_file():
        return []
    lines = [json.loads(line) for line in page.read_text().splitlines() if line.startswith('{"op"')]
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return [(request, reply) for request, reply in pairs if request["op"] in OPS]


EXAMPLES = _examples()


@pytest.mark.skipif(not EXAMPLES, reason="the oracle's page of examples is not in the shared folder")
def test_each_example_has_the_documented_answer() -> None:
    assert {request["op"] for request, _ in EXAMPLES} == set(OPS)
    for request, reply in EXAMPLES:
        assert answer(request) == settled(reply["result"]), request
