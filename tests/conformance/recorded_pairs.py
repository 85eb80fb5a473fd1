"""The recorded pairs: requests with the real implementation's answers, as gzipped JSON lines.

`python -m tests.conformance.recorded_pairs` records them again, where the oracle is installed.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.conformance.generate import requests
from tests.conformance.oracle import find_oracle, json_text
from tests.conformance.ours import settled

FILE = Path(__file__).parent / "recorded" / "oracle-0.1.10.jsonl.gz"
SEED = "recorded"
COUNT = 5000


def pairs() -> Iterator[tuple[dict[str, Any], Any]]:
    """Each recorded request with its result (without the times at which it was made)."""
    with gzip.open(FILE, "rt", encoding="ascii") as lines:
        for line in lines:
            pair = json.loads(line)
            yield pair["request"], pair["result"]


def record() -> str:
    """Asks the oracle and writes the pairs down; says what was done."""
    oracle = find_oracle()
    if isinstance(oracle, str):
        return f"Nothing recorded: {oracle}"
    asked = list(requests(SEED, COUNT))
    replies = oracle.ask(asked)
    FILE.parent.mkdir(exist_ok=True)
    # No time and no name in the file's head, so that the same pairs make the same file.
    with FILE.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        for request, reply in zip(asked, replies, strict=True):
            pair = {"request": request, "result": settled(reply["result"])}
            packed.write((json_text(pair) + "\n").encode("ascii"))
    return f"{len(asked)} pairs in {FILE.stat().st_size} bytes"


if __name__ == "__main__":
    sys.stdout.write(record() + "\n")
