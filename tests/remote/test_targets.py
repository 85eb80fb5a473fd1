"""One job, three runtimes, the same assertions: the real 0.1.10 API, and our server in both dialects."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.judging import QueueFilter
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment, RunFilter
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.remote.workbench import RemoteWorkbench, open_remote
from kindgi_tui.session.judging import JudgingSession
from kindgi_tui.session.judging_sitting import Sitting
from kindgi_tui.workbench import Conflict, Invalid, NotFound, Unsupported, Workbench
from tests.remote.targets import Target, make_ours, start_ours, start_real, why_not_real
from tests.workspaces import copy_workspace

AGENT = "acme-ops.article-picker"
RIGHT = {"kb-201": 0, "kb-101": 0, "kb-301": 0}
PACKAGE = "My package hasn't arrived yet. Where is it?"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("ours") / "demo"
    return folder, make_ours(folder)


@pytest.fixture(scope="module", params=["the real 0.1.10 API", "our server, 0.1", "our server, 0.4"])
def target(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, demo: tuple[Path, str]
) -> Iterator[Target]:
    if request.param == "the real 0.1.10 API":
        reason = why_not_real()
        if reason is not None:
            pytest.skip(f"the real API can't be started: {reason}")
        started = start_real()
    else:
        folder = tmp_path_factory.mktemp("served") / "demo"
        copy_workspace(demo[0], folder)
        started = start_ours(folder, demo[1], str(request.param)[-3:])
    yield started
    started.stop()


@pytest.fixture
async def bench(target: Target, tmp_path: Path) -> AsyncIterator[RemoteWorkbench]:
    made = await open_remote(target.address, SecretStr(target.token), tmp_path / "outbox")
    yield made
    await made.close()


async def test_the_judging_loop(bench: RemoteWorkbench, target: Target) -> None:
    """The session that the Judge screen stands on, on a runtime: with a queue, and without one."""
    me = await bench.people.me()
    project = await bench.projects.get(target.project)
    now = [1_000.0]
    errors: list[Exception] = []
    session = JudgingSession(bench, me, lambda what: None, errors.append, clock=lambda: now[0])

    async def arrive() -> None:
        for _ in range(500):
            if session.walk.sheet is not None or session.walk.at_end:
                break
            await asyncio.sleep(0.02)
        sheet = session.walk.sheet
        if sheet is not None:
            session.seen.painted([(sheet.run.id, item.key) for item in sheet.items])
            now[0] += 1.0

    query = QueueFilter(project_id=project.id, subject_kind="agent", subject_id=AGENT)
    await session.start(Sitting(query=query))
    said: list[tuple[str, str]] = []
    for _ in range(20):
        await arrive()
        sheet, item = session.walk.sheet, session.walk.item
        if sheet is None or item is None:
            break
        said.append((sheet.run.id, item.key))
        session.say("no")
    assert len(said) == 9
    await session.writes.drain()
    assert (await bench.outbox.settle(20)).waiting == 0
    assert errors == []
    run_id, key = said[-1]
    last = await bench.judgments.list(JudgmentFilter(run_id=run_id, asserter=me.id), 100)
    assert {one.item.key: one.verdict for one in last.data} == {
        name: "no" for where, name in said if where == run_id
    }
    assert (await bench.queue.list(query)).data == ()
    await bench.judgments.take_back(run_id, key)
    assert (await bench.outbox.settle(20)).waiting == 0
    assert [one.run.id for one in (await bench.queue.list(query)).data] == [run_id]
    await session.close()


async def test_judge_build_compare_review_rescore(bench: RemoteWorkbench, target: Target) -> None:
    workbench: Workbench = bench
    me = await workbench.people.me()
    assert me.id
    project = await workbench.projects.get(target.project)
    assert project in await workbench.projects.list()
    query = RunFilter(project_id=project.id, subject_kind="agent", subject_id=AGENT)

    # Browse: pages by their cursors, what went in from the turn itself.
    first = await workbench.runs.list(query, 2)
    rest = await workbench.runs.list(query, 2, first.next_cursor)
    rows = [*first.data, *rest.data]
    assert first.has_more
    assert len({one.id for one in rows}) == 3
    assert rows[0].preview == PACKAGE
    assert [one.version for one in await workbench.agents.versions(AGENT)][-2:] == ["0.2.0", "0.1.0"]
    newest = await workbench.runs.get(rows[0].id)
    assert newest.input == PACKAGE
    assert newest.subject.version == "0.1.0"
    with pytest.raises(NotFound):
        await workbench.runs.get("00000000-0000-4000-8000-000000000000")

    # Judge: every article, the first one right.
    for row in rows:
        detail = await workbench.runs.get(row.id)
        for item in output_items(detail.output, True):
            if item.rank is None:
                continue
            reference = ItemRef(key=item.key, pointer=item.pointer, rank=item.rank)
            verdict = "yes" if RIGHT.get(item.key) == item.rank else "no"
            await workbench.judgments.add(NewJudgment(run_id=row.id, item=reference, verdict=verdict))
    assert (await workbench.outbox.settle(20)).waiting == 0
    said = await workbench.judgments.list(JudgmentFilter(run_id=rows[0].id, asserter=me.id))
    assert sorted((one.item.key, one.verdict) for one in said.data) == [
        ("kb-201", "no"), ("kb-301", "yes"), ("kb-303", "no"),
    ]  # fmt: skip
    # Change one's mind and take it back.
    changed = ItemRef(key="kb-301", pointer="/output/articles/0", rank=0)
    await workbench.judgments.add(
        NewJudgment(run_id=rows[0].id, item=changed, verdict="no", reason="changed")
    )
    back = await workbench.judgments.take_back(rows[0].id, "kb-301")
    assert back is not None
    assert back.verdict == "yes"
    assert (await workbench.outbox.settle(20)).waiting == 0

    # Gather.
    request = BuildRequest(
        test_set_id="acme.three-targets", version="1.0.0", project_id=project.id, agent_id=AGENT
    )
    built = await workbench.test_sets.build(request)
    assert (built.case_count, built.truncated) == (3, False)
    with pytest.raises(Conflict, match="already registered") as taken:
        await workbench.test_sets.build(request)
    assert taken.value.code == "eval-suite-already-registered"
    with pytest.raises(Invalid, match="no cases"):
        await workbench.test_sets.build(
            request.model_copy(update={"agent_id": "acme.nobody", "version": "2.0.0"})
        )
    assert "acme.three-targets" in [one.test_set_id for one in await workbench.test_sets.list(project.id)]
    cases = await workbench.test_sets.cases("acme.three-targets")
    assert {one.case_id for one in cases.data} == {one.id for one in rows}
    assert next(one for one in cases.data if one.case_id == rows[0].id).input == PACKAGE
    with pytest.raises(NotFound):
        await workbench.test_sets.cases("acme.nothing")
    agreement = await workbench.test_sets.agreement("acme.three-targets")
    if target.judges == 1:
        assert (agreement.alone, agreement.shared) == ((me.id,), 0)
    else:
        assert me.id in agreement.people
        assert (len(agreement.people), agreement.shared, agreement.agreed) == (2, 9, 9)
        assert (agreement.yes, agreement.verdicts, agreement.coefficient) == (6, 18, None)

    # Compare, and follow.
    asked = ComparisonRequest(
        test_set_id="acme.three-targets", project_id=project.id, agent_id=AGENT, subject_version="0.2.0"
    )
    plan = await workbench.comparisons.plan(asked)
    assert (plan.cases, plan.repetitions, plan.test_set_version) == (3, 3, "1.0.0")
    started = await workbench.comparisons.start(asked)
    events = [event async for event in workbench.comparisons.follow(started.id)]
    assert events[-1].kind == "end"
    done = events[-1].comparison
    assert (done.status, done.progress.finished_cases, done.test_set_version) == ("completed", 3, "1.0.0")
    assert isinstance(done.result, dict)
    summary, ours, results = (done.result[name] for name in ("summary", "ours", "perCase"))
    assert isinstance(summary, dict)
    assert isinstance(ours, dict)
    assert isinstance(results, list)
    metrics = summary["metrics"]
    assert isinstance(metrics, dict)
    told = {
        name: (one["baseline"], one["candidate"], one["n"])
        for name, one in metrics.items()
        if isinstance(one, dict)
    }
    assert told == {
        "weightedYesShare": (pytest.approx(1 / 3), 1, 3),
        "judgedCoverage": (0.75, 0.5, 3),
        "weightedPrecisionAtK": (pytest.approx(1 / 3), 1, 3),
    }
    assert [summary[name] for name in ("diverged", "refusedWrites", "errors", "stopped")] == [1, 0, 0, 0]
    assert "33% yes before, 100% now, on the 3 of 3 cases" in str(ours["headline"])
    assert ours["waiting"] == 3
    assert done.brief is not None
    with pytest.raises(Conflict) as ended:
        await workbench.comparisons.cancel(done.id)
    assert ended.value.code == "eval-run-already-terminal"

    # Review: a new item of a replay is judged there, and a rescore counts it.
    replays = await workbench.runs.list(RunFilter(comparison_id=done.id, replays="only"))
    assert len(replays.data) == 3
    replay = await workbench.runs.get(replays.data[0].id)
    assert replay.comparison_id == done.id
    answer = next(one for one in output_items(replay.output, True) if one.key == "answer")
    await workbench.judgments.add(
        NewJudgment(run_id=replay.id, item=ItemRef(key="answer", pointer=answer.pointer), verdict="no")
    )
    assert (await workbench.outbox.settle(20)).waiting == 0
    assert await workbench.comparisons.waiting(done.id) == 1
    again = await workbench.comparisons.rescore(done.id)
    assert (again.status, again.rescore_of) == ("completed", done.id)
    assert again.brief is not None
    right = 3 * target.judges
    assert again.brief.now == pytest.approx(right / (right + 1))
    assert again.brief.waiting == 2
    assert await workbench.comparisons.waiting(again.id) == 0
    folded = await workbench.comparisons.list(project.id, "acme.three-targets", folded=True)
    assert [(one.id, one.rescores) for one in folded.data] == [(done.id, 1)]
    assert [one.id for one in await workbench.comparisons.rescores(done.id)] == [again.id]
    assert (await workbench.comparisons.get(done.id[:8])).id == done.id
    unfolded = await workbench.comparisons.list(project.id, "acme.three-targets")
    assert [one.id for one in unfolded.data] == [again.id, done.id]


async def test_what_is_not_offered_says_so(bench: RemoteWorkbench, target: Target) -> None:
    project = await bench.projects.get(target.project)
    query = QueueFilter(project_id=project.id, subject_id=AGENT)
    queue = await bench.queue.list(query)
    assert all(one.owed >= 1 for one in queue.data)
    for refused in (
        bench.comparisons.resume("x"),
        bench.packs.list(),
        bench.audit.list(),
        bench.audit.count(),
        bench.runs.list(RunFilter(text="parcel")),
        bench.runs.list(RunFilter(judged=False)),
        bench.runs.add([]),
        bench.projects.add("x"),
        bench.guidelines.save(project.id, "agent", AGENT, "x"),
        bench.backup(Path("x")),
    ):
        with pytest.raises(Unsupported) as told:
            await refused
        assert told.value.sentence.endswith((".", ")"))
    with pytest.raises(NotFound):
        await bench.agents.get("nobody.here")
    with pytest.raises(NotFound):
        await bench.comparisons.get("00000000-0000-4000-8000-000000000000")
