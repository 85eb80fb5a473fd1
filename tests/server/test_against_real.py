"""The same requests to the real API and to our server: the same statuses, codes, sentences and shapes."""

from pathlib import Path

import pytest

from tests.server.both import Side, shape
from tests.server.both_requests import REQUESTS
from tests.server.real import find_real_api, real_api
from tests.server.running import copied, serving

REAL = find_real_api()


@pytest.mark.skipif(isinstance(REAL, str), reason=str(REAL))
def test_both_answer_the_same(three_runs: Path, tmp_path: Path) -> None:
    assert not isinstance(REAL, str)
    assert len(REQUESTS) >= 150
    wrong = []
    with (
        real_api(REAL, tmp_path) as theirs,
        serving(copied(three_runs, tmp_path / "workspace"), "--dialect", "0.1") as ours,
    ):
        real, our = Side(theirs), Side(ours)
        for sent in REQUESTS:
            expected, found = real.send(sent), our.send(sent)
            told, said = real.plain(expected), our.plain(found)
            if sent.timing is not None:
                told = said = None
            if not sent.whole and expected.status_code < 400:
                told, said = shape(told), shape(said)
            replayed = [one.headers.get("x-idempotent-replay") for one in (expected, found)]
            same = (expected.status_code, told, replayed[0]) == (found.status_code, said, replayed[1])
            if same == (sent.differs is not None):
                wrong.append((sent, (expected.status_code, told), (found.status_code, said)))
    assert wrong == []
