"""The judging queue: what an item tells of the judgments on its run, and since when it is closed."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.server.running import AGENT, PACKAGE, PASSWORD, REFUND, Served, copied, serving


@pytest.fixture(scope="module")
def queue(three_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(copied(three_runs, tmp_path_factory.mktemp("queue") / "workspace")) as served:
        yield served


def judge(served: Served, run: str, key: str, place: int, **more: Any) -> Any:
    item = {"key": key, "pointer": f"/output/articles/{place}", "rank": place}
    return served.good("POST", "/v1/judgments", {"runId": run, "item": item, "verdict": "yes", **more}, 201)


def test_an_item_tells_who_judged_as_what_and_when_it_was_closed(queue: Served) -> None:
    project = queue.project("default")
    path = f"/v1/projects/{project}/judging-queue"
    group = {"name": "Experts", "weight": 3, "scope": {"kind": "tenant"}}
    experts = queue.good("POST", "/v1/judge-classes", group, 201)["id"]
    first = judge(queue, PASSWORD, "kb-101", 0, judgeClassId=experts)
    judge(queue, PASSWORD, "kb-102", 1, judgeClassId=experts)
    judge(queue, PASSWORD, "kb-103", 2)
    judged = queue.good("GET", f"{path}?state=judged")["data"]
    assert [one["runId"] for one in judged] == [PASSWORD]
    told = judged[0]
    # Both dialects are spoken here, so both have their names.
    assert told["progress"]["total"] == 3
    counts = {one["judgeClassId"]: one["count"] for one in told["progress"]["byClass"]}
    assert counts == {experts: 2, None: 1}
    assert {one["groupId"]: one["count"] for one in told["progress"]["byGroup"]} == counts
    assert (told["closedAt"], told["anyJudgment"], told["anyCorrection"]) == (first["createdAt"], True, True)
    assert told["wantedClassIds"] == told["wantedGroupIds"] == []
    opened = queue.good("GET", path)["data"]
    assert {one["runId"] for one in opened} == {REFUND, PACKAGE}
    assert [one["progress"] for one in opened] == [{"total": 0, "byClass": [], "byGroup": []}] * 2
    assert all("closedAt" not in one for one in opened)


def test_closed_after(queue: Served) -> None:
    project = queue.project("default")
    path = f"/v1/projects/{project}/judging-queue"
    dismissed = queue.good("POST", f"{path}/{PACKAGE}/dismiss", {"reason": "no"})
    assert dismissed["closedAt"]
    now = datetime.now(UTC)
    before, after = ((now + timedelta(hours=hours)).isoformat().replace("+00:00", "Z") for hours in (-1, 1))
    for state, run in (("judged", PASSWORD), ("dismissed", PACKAGE)):
        rows = queue.good("GET", f"{path}?state={state}&closedAfter={before}")["data"]
        assert [one["runId"] for one in rows] == [run]
        assert queue.good("GET", f"{path}?state={state}&closedAfter={after}")["data"] == []
    # What is open is closed at no time.
    assert queue.good("GET", f"{path}?closedAfter={before}")["data"] == []
    assert [one["runId"] for one in queue.good("GET", path)["data"]] == [REFUND]
    queue.good("POST", f"{path}/{PACKAGE}/reopen")


@pytest.mark.parametrize("action", ["dismiss", "reopen"])
def test_a_body_counts_as_it_does_at_the_real_one(queue: Served, action: str) -> None:
    """Read off the real API's code: its harness has no queue to ask."""
    item = f"/v1/projects/{queue.project('default')}/judging-queue/{REFUND}"
    path = f"{item}/{action}"
    for fine in (None, "", "not json", "{", "null", "[1]", '{"reason": ""}', f'{{"reason": "{"x" * 500}"}}'):
        queue.good("POST", f"{item}/dismiss", fine)
        queue.good("POST", f"{item}/reopen", fine)
    for wrong in ("3", '"x"', "true"):
        assert queue.refused(400, "bad-input", "POST", path, wrong) == "The body must be a JSON object"
    for reason in (
        '{"reason": null}',
        '{"reason": 3}',
        {"reason": "x" * 501},
        {"reason": "\U0001f642" * 251},
    ):
        told = queue.refused(400, "bad-input", "POST", path, reason)
        assert told == "`reason` must be a string of at most 500 characters"


def test_one_dialect_has_its_own_names_alone(three_runs: Path, tmp_path: Path) -> None:
    with serving(copied(three_runs, tmp_path / "workspace"), "--dialect", "0.4") as served:
        row = served.good("GET", f"/v1/projects/{served.project('default')}/judging-queue")["data"][0]
        assert (set(row["progress"]), row["wantedGroupIds"]) == ({"total", "byGroup"}, [])
        assert {"anyJudgment", "wantedClassIds"}.isdisjoint(row)
        assert row["agentId"] == AGENT
