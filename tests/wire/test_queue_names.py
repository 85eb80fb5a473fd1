"""The queue's entries in both dialects' names: one table, there and back."""

from typing import Any

from kindgi_tui.remote.v04 import down
from kindgi_tui.wire.dialects import answer_04

OLDER: dict[str, Any] = {
    "runId": "r",
    "wantedClassIds": ["c1"],
    "anyJudgment": True,
    "progress": {"wanted": 2, "byClass": [{"judgeClassId": "c1", "judged": 1}, "odd"]},
}
NEWER: dict[str, Any] = {
    "runId": "r",
    "wantedGroupIds": ["c1"],
    "anyCorrection": True,
    "progress": {"wanted": 2, "byGroup": [{"groupId": "c1", "judged": 1}, "odd"]},
}


def test_an_entry_there_and_back() -> None:
    assert answer_04("queued", OLDER) == NEWER
    assert down("queued", NEWER) == OLDER
    page: Any = {"data": [OLDER, 7], "hasMore": False}
    assert down("queued", answer_04("page:queued", page)) == page


def test_what_has_no_such_shape_stays_as_it_came() -> None:
    odd: list[Any] = [None, "no", [], {"byClass": None}]
    for progress in odd:
        told = down("queued", answer_04("queued", {"progress": progress}))
        assert told == {"progress": progress}
