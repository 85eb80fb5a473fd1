"""Parts of the remote workbench that the real API's stand-in doesn't have, against scripted answers."""

import json
from typing import Any

import pytest

from kindgi_tui.domain.judging import QueueFilter
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment, RunFilter
from kindgi_tui.remote.pulling import pull
from kindgi_tui.workbench import Conflict, Invalid, NotFound, Unsupported
from tests.remote.conftest import Opener
from tests.remote.fake_runtime import PATHS, PROJECT, RUN, FakeRuntime, Reply, Seen, document, error, page

QUEUE = f"/v1/projects/{PROJECT}/judging-queue"
OTHER = "5b0c7f1e-9a34-4d0e-8a55-0f3f3f1f2a02"
CONVERSATION = "c9d3a6c4-21d7-4a43-9b8e-6f6f5d4b0003"


def item(run_id: str, agent: str = "a.b") -> dict[str, Any]:
    return {
        "runId": run_id,
        "projectId": PROJECT,
        "agentId": agent,
        "agentVersion": "0.1.0",
        "flowId": "agent.turn",
        "runStatus": "completed",
        "completedAt": "2026-05-03T09:00:03.000Z",
        "rules": [],
        "wantedClassIds": [],
        "anyJudgment": False,
        "progress": {"total": 2, "byClass": []},
        "addedAt": "2026-05-03T09:00:04.000Z",
        "state": "open",
        "can": {"dismiss": True, "reopen": False},
    }


def run_record(run_id: str, **more: Any) -> dict[str, Any]:
    return {
        "id": run_id,
        "projectId": PROJECT,
        "flowId": "agent.turn",
        "flowVersion": "1.1.0",
        "status": "completed",
        "createdAt": "2026-05-03T09:00:00.000Z",
        "agent": {"id": "a.b", "version": "0.1.0", "conversationId": CONVERSATION},
        **more,
    }


def turn(first: int, said: str, number: int) -> dict[str, Any]:
    return {
        "turnNumber": number,
        "appended": [
            {"sequence": first, "role": "user", "content": said},
            {"sequence": first + 1, "role": "agent", "content": "Here."},
        ],
        "output": {"articles": [{"id": "kb-1"}, {"id": "kb-2"}]},
    }


async def test_the_projects_queue_is_judged_from(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.more[QUEUE] = {**page([item(RUN), item(OTHER, "c.d")], "c1"), "total": 7}
    bench = await opener(runtime.address)
    query = QueueFilter(project_id=PROJECT)
    found = await bench.queue.list(query, 10)
    assert [(one.run.id, one.run.subject.id, one.run.judgments) for one in found.data] == [
        (RUN, "a.b", 2), (OTHER, "c.d", 2),
    ]  # fmt: skip
    assert (found.has_more, found.next_cursor) == (True, "c1")
    asked = runtime.seen[-1].query
    assert asked == {"state": ["open"], "forMe": ["true"], "limit": ["10"]}
    narrowed = await bench.queue.list(query.model_copy(update={"subject_id": "c.d"}))
    assert [one.run.id for one in narrowed.data] == [OTHER]
    progress = await bench.queue.progress(query)
    assert (progress.left, progress.judged, progress.skipped) == (7, 7, 0)
    assert runtime.seen[-1].query["limit"] == ["0"]
    with pytest.raises(Unsupported):
        await bench.queue.list(query.model_copy(update={"order": "random"}))


async def test_a_skip_is_mine_and_stays_here(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.more[QUEUE] = {**page([item(RUN), item(OTHER)]), "total": 2}
    runtime.more[f"/v1/runs/{RUN}"] = run_record(RUN, output=turn(0, "hi", 1))
    bench = await opener(runtime.address)
    await bench.people.me()
    query = QueueFilter(project_id=PROJECT)
    await bench.queue.skip(RUN)
    assert [one.run.id for one in (await bench.queue.list(query)).data] == [OTHER]
    skipped = (await bench.queue.skipped(query)).data
    assert [(one.run.id, one.owed, one.judged) for one in skipped] == [(RUN, 2, 0)]
    assert (await bench.queue.progress(query)).left == 1
    await bench.close()
    again = await opener(runtime.address)
    assert [one.run.id for one in (await again.queue.list(query)).data] == [OTHER]
    await again.queue.unskip(RUN)
    assert len((await again.queue.list(query)).data) == 2
    assert [seen for seen in runtime.seen if seen.method == "POST"] == []


async def test_dismissing_and_reopening(runtime: FakeRuntime, opener: Opener) -> None:
    dismiss, reopen = f"{QUEUE}/{RUN}/dismiss", f"{QUEUE}/{RUN}/reopen"

    def script(seen: Seen) -> Reply | None:
        if seen.path == dismiss:
            return Reply(body={**item(RUN), "state": "dismissed"})
        return error(409, "judging-item-not-open", "It is open.") if seen.path == reopen else None

    runtime.more[f"/v1/runs/{RUN}"] = run_record(RUN)
    runtime.script = script
    bench = await opener(runtime.address)
    await bench.queue.dismiss(RUN, "Not a real customer.")
    assert json.loads(runtime.seen[-1].body) == {"reason": "Not a real customer."}
    assert runtime.seen[-1].key is None
    with pytest.raises(Conflict, match="It is open"):
        await bench.queue.reopen(RUN)
    with pytest.raises(Invalid):
        await bench.queue.dismiss(RUN, "x" * 501)


@pytest.mark.parametrize("how", ["not in the document", "nothing stands behind it"])
async def test_without_a_queue_the_newest_completed_runs_are_judged(
    runtime: FakeRuntime, opener: Opener, how: str
) -> None:
    if how == "not in the document":
        left = tuple(one for one in PATHS if "judging-queue" not in one)
        runtime.more["/v1/openapi.json"] = document(left)
    rows = [run_record(RUN, output=turn(0, "one", 1)), run_record(OTHER, output=turn(0, "two", 1))]
    runtime.more["/v1/runs"] = page([*rows, run_record("x", output={"appended": []})], "c1")
    for key in ("kb-1", "kb-2"):
        runtime.judge(runId=RUN, item={"key": key}, verdict="yes")
    runtime.judge(runId=OTHER, item={"key": "kb-1"}, verdict="yes")
    runtime.judge(asserter="other", runId=OTHER, item={"key": "kb-2"}, verdict="yes")
    bench = await opener(runtime.address)
    found = await bench.queue.list(QueueFilter(project_id=PROJECT))
    assert [(one.run.id, one.owed, one.judged) for one in found.data] == [(OTHER, 2, 1)]
    assert found.has_more
    asked = next(one.query for one in runtime.seen if one.path == "/v1/runs")
    assert (asked["status"], asked["replays"]) == (["completed"], ["exclude"])
    progress = await bench.queue.progress(QueueFilter(project_id=PROJECT))
    assert (progress.left, progress.items_left, progress.judged) == (1, 1, None)
    before = len(runtime.seen)
    again = await bench.queue.list(QueueFilter(project_id=PROJECT))
    assert again == found
    assert len(runtime.seen) == before


async def test_what_went_in_comes_from_where_it_is(runtime: FakeRuntime, opener: Opener) -> None:
    said = [
        {"sequence": number, "role": "user" if number % 2 == 0 else "agent", "content": f"m{number}"}
        for number in range(4)
    ]
    runtime.more |= {
        f"/v1/conversations/{CONVERSATION}/messages": page(said),
        "/v1/runs/r1": {},
        f"/v1/runs/{RUN}": run_record(RUN, output=turn(2, "m2", 2)),
        f"/v1/runs/{OTHER}": run_record(OTHER, status="failed", failure={"code": "run-failed", "message": "Too dear."}),
    }  # fmt: skip
    bench = await opener(runtime.address)
    second = await bench.runs.get(RUN)
    assert second.input == "m2"
    assert [one["content"] for one in second.context["history"]] == ["m0", "m1"]  # type: ignore[index,union-attr,call-overload]
    failed = await bench.runs.get(OTHER)
    assert (failed.input, failed.failure, failed.output) == ("m2", "Too dear.", None)

    # A flow's run has no conversation: a judgment's copy has what went in.
    flow = "240c0a0b-542b-4cb1-9156-fe7153a4377a"
    runtime.more[f"/v1/runs/{flow}"] = {
        "id": flow, "projectId": PROJECT, "flowId": "f.g", "flowVersion": "1.0.0", "status": "completed",
        "createdAt": "2026-05-03T09:00:00.000Z", "output": {"x": 1},
    }  # fmt: skip
    runtime.judge(
        runId=flow,
        item={"key": "output", "pointer": ""},
        verdict="yes",
        run={"input": {"q": 1}, "context": {"flow": {}}},
    )
    detail = await bench.runs.get(flow)
    assert (detail.subject.kind, detail.input, detail.context) == ("flow", {"q": 1}, {"flow": {}})


async def test_judged_runs_are_told_by_their_judgments(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.more |= {
        "/v1/judgments": page([{"runId": RUN}, {"runId": OTHER}, {"runId": RUN}, {"runId": "gone"}]),
        f"/v1/runs/{RUN}": run_record(RUN, output=turn(0, "hi", 1)),
        f"/v1/runs/{OTHER}": run_record(OTHER, replayOf=RUN),
    }
    gone = error(404, "run-not-found", "No run with id gone")
    runtime.script = lambda seen: gone if seen.path == "/v1/runs/gone" else None
    bench = await opener(runtime.address)
    query = RunFilter(project_id=PROJECT, judged=True)
    assert await bench.runs.count(query) == 1
    assert [(one.id, one.preview) for one in (await bench.runs.list(query)).data] == [(RUN, "hi")]


async def test_filters_are_the_wires(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.more["/v1/runs"] = page([])
    runtime.more["/v1/flows/a.b"] = error(404, "flow-not-found", "x").body
    bench = await opener(runtime.address)
    await bench.runs.list(
        RunFilter(
            project_id=PROJECT, subject_kind="flow", subject_id="f", subject_version="1.0.0",
            statuses=("failed", "completed"), comparison_id="e", replays="exclude",
        )
    )  # fmt: skip
    asked = runtime.seen[-1].query
    assert asked["scopeKind"] == ["project"]
    assert (asked["flowId"], asked["flowVersion"], asked["status"]) == (
        ["f"],
        ["1.0.0"],
        ["failed", "completed"],
    )
    assert (asked["evalRunId"], asked["replays"]) == (["e"], ["include"])
    with pytest.raises(Invalid):
        await bench.runs.list(RunFilter(subject_version="1.0.0"))
    with pytest.raises(NotFound):
        await bench.runs.get("3f2a9c1")
    assert (await bench.runs.list(RunFilter(source="chat"))).data == ()
    with pytest.raises(Invalid):
        await bench.judgments.list(JudgmentFilter(subject_version="1.0.0"))


async def test_runs_are_pulled_whole(runtime: FakeRuntime, opener: Opener) -> None:
    paths = (*PATHS, "get /v1/runs/{runId}/journal")
    events = [{"sequence": 0, "kind": "run.started", "payload": {}}]
    said = [{"sequence": 0, "role": "user", "content": "hi"}]
    classes = [{"id": "g", "name": "experts", "weight": 3, "scope": {"kind": "tenant"}}]
    runtime.more |= {
        "/v1/openapi.json": document(paths),
        "/v1/runs": page([run_record(RUN), run_record(OTHER, status="running")]),
        f"/v1/runs/{RUN}": run_record(RUN, output=turn(0, "hi", 1)),
        f"/v1/runs/{RUN}/journal": page(events),
        f"/v1/conversations/{CONVERSATION}/messages": page(said),
        "/v1/judge-classes": page(classes),
    }
    kept = {"input": "hi", "context": {"toolEnv": {"t": {"A": "1"}}}}
    runtime.judge(runId=RUN, item={"key": "kb-1"}, verdict="no", judgeClassId="g", run=kept)
    bench = await opener(runtime.address)
    pulled = [one async for one in pull(bench, RunFilter(project_id=PROJECT))]
    assert [one.run.id for one in pulled] == [RUN]
    (one,) = pulled
    assert (one.run.input, one.run.source) == ("hi", "runtime")
    assert one.run.context == {"toolEnv": {"t": {"A": "1"}}}
    assert one.run.raw == {
        "run": run_record(RUN, output=turn(0, "hi", 1)),
        "messages": said,
        "journal": events,
    }
    assert [(new.verdict, new.group) for new, _, _ in one.judgments] == [("no", "experts")]
    assert [(each.name, each.weight) for each in one.groups] == [("experts", 3)]


async def test_a_name_that_several_groups_have_is_asked_about(runtime: FakeRuntime, opener: Opener) -> None:
    places: list[dict[str, Any]] = [{"kind": "tenant"}, {"kind": "project", "projectId": PROJECT}]
    runtime.more["/v1/judge-classes"] = page(
        [{"id": f"g{at}", "name": "experts", "weight": 3, "scope": place} for at, place in enumerate(places)]
    )
    bench = await opener(runtime.address)
    said = NewJudgment(run_id=RUN, item=ItemRef(key="kb-1"), verdict="yes", group="experts")
    for asked in (
        bench.groups.get("experts"), bench.groups.retire("experts"), bench.groups.change("experts", weight=9),
        bench.judgments.add(said),
    ):  # fmt: skip
        with pytest.raises(Invalid) as unclear:
            await asked
        assert unclear.value.code == "judge-class-ambiguous"
        assert f"g1 (project {PROJECT}'s)" in unclear.value.sentence
    assert [one for one in runtime.seen if one.method != "GET"] == []
    assert (await bench.groups.get("g1")).project_id == PROJECT
