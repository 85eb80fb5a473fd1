"""Comparisons on an agent's own test set: frozen first, and the numbers of the demo (issue 5, point 3)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from kindgi_tui.domain.comparison_records import Comparison, ComparisonRequest
from kindgi_tui.domain.corrections import Expectation
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.own_test_sets import ExpectedItem, NewCase, own_test_set_id
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.store.values import from_ms
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound
from tests.local.engine.lab import cases_of, metric_of, summary_of

AGENT = "acme-ops.article-picker"
PACKAGE = "c9d3a6c4-21d7-4a43-9b8e-6f6f5d4b3a03"
SAYS = Expectation(answer="wrong", should_say="It comes on Monday.")


@pytest_asyncio.fixture
async def docs(demo: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalWorkbench]:
    """The demo, and no provider whatever the machine has."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "KINDGI_TUI_MODELS"):
        monkeypatch.delenv(name, raising=False)
    workbench, _ = await open_local(demo)
    try:
        yield workbench
    finally:
        await workbench.close()


async def project_of(workbench: LocalWorkbench) -> str:
    return (await workbench.projects.get("docs")).id


async def request(workbench: LocalWorkbench, **more: Any) -> ComparisonRequest:
    project = await project_of(workbench)
    asked = {
        "test_set_id": own_test_set_id(AGENT, project),
        "project_id": project,
        "agent_id": AGENT,
        "subject_version": "0.2.0",
        **more,
    }
    return ComparisonRequest.model_validate(asked)


async def compare(workbench: LocalWorkbench, **more: Any) -> Comparison:
    """A whole comparison, followed to its end."""
    started = await workbench.comparisons.start(await request(workbench, **more))
    last: Comparison | None = None
    async for event in workbench.comparisons.follow(started.id):
        last = event.comparison
    assert last is not None
    assert (last.status, last.error) == ("completed", None)
    return last


async def judge(workbench: LocalWorkbench) -> None:
    """One more judgment: the answer about the package."""
    run = await workbench.runs.get(PACKAGE)
    answer = output_items(run.output, True)[0]
    item = ItemRef(key=answer.key, pointer=answer.pointer)
    await workbench.judgments.add(NewJudgment(run_id=PACKAGE, item=item, verdict="yes"))


async def test_the_documents_example_holds_on_the_agents_own_test_set(docs: LocalWorkbench) -> None:
    project = await project_of(docs)
    done = await compare(docs)
    assert (done.test_set_id, done.test_set_version) == (own_test_set_id(AGENT, project), "1.0.1")
    assert done.request.version == "1.0.1"
    summary = summary_of(done)
    for name, baseline, candidate in (
        ("weightedYesShare", 1 / 3, 1),
        ("judgedCoverage", 0.75, 0.5),
        ("weightedPrecisionAtK", 1 / 3, 1),
    ):
        metric = summary["metrics"][name]
        assert (metric["baseline"], metric["candidate"], metric["n"]) == (
            pytest.approx(baseline),
            pytest.approx(candidate),
            3,
        )
    assert [summary[name] for name in ("cases", "diverged", "refusedWrites", "errors")] == [3, 1, 0, 0]
    assert summary["suite"] == {"id": done.test_set_id, "version": "1.0.1"}
    assert "corrections" not in summary

    again = await compare(docs)
    assert again.test_set_version == "1.0.1"
    assert [one.version for one in await docs.test_sets.versions(done.test_set_id)] == ["1.0.1"]

    await judge(docs)
    assert (await docs.cases.own(AGENT, project)).changed
    third = await compare(docs)
    assert third.test_set_version == "1.0.2"
    # Ten of the twelve items are judged now, four of them yes.
    assert metric_of(third)[0] == pytest.approx(4 / 10)
    assert [one.version for one in await docs.test_sets.versions(done.test_set_id)] == ["1.0.2", "1.0.1"]
    audit = (await docs.audit.list(limit=100)).data
    made = [entry.subject for entry in audit if entry.action == "test-sets.freeze"]
    assert made == [f"{done.test_set_id}@1.0.2", f"{done.test_set_id}@1.0.1"]


async def test_a_dry_run_freezes_too_and_a_version_may_be_named(docs: LocalWorkbench) -> None:
    plan = await docs.comparisons.plan(await request(docs))
    assert (plan.cases, plan.test_set_version, plan.cached) == (3, "1.0.1", 3)
    await judge(docs)
    assert (await docs.comparisons.plan(await request(docs))).test_set_version == "1.0.2"
    assert (await docs.comparisons.plan(await request(docs))).test_set_version == "1.0.2"
    named = await docs.comparisons.plan(await request(docs, version="1.0.1"))
    assert named.test_set_version == "1.0.1"
    assert (await compare(docs, version="1.0.1")).test_set_version == "1.0.1"
    with pytest.raises(NotFound):
        await docs.comparisons.plan(await request(docs, version="1.0.9"))


async def test_people_who_start_at_once_share_one_version(docs: LocalWorkbench) -> None:
    asked = await request(docs)
    plans = await asyncio.gather(*(docs.comparisons.plan(asked) for _ in range(6)))
    started = await docs.comparisons.start(asked)
    assert {plan.test_set_version for plan in plans} | {started.test_set_version} == {"1.0.1"}
    assert len(await docs.test_sets.versions(asked.test_set_id)) == 1
    await docs.comparisons.cancel(started.id)


async def test_the_set_is_shown_like_any_other_once_it_is_frozen(docs: LocalWorkbench) -> None:
    project = await project_of(docs)
    identity = own_test_set_id(AGENT, project)
    with pytest.raises(NotFound):
        await docs.test_sets.get(identity)
    assert identity in [one.id for one in await docs.cases.sets(project)]
    made = await docs.cases.freeze(AGENT, project)
    assert (made.version, made.case_count, made.request.agent_id) == ("1.0.1", 3, AGENT)
    assert await docs.test_sets.get(identity) == made
    assert made in await docs.test_sets.list(project)
    page = await docs.test_sets.cases(identity)
    assert [case.case_id for case in page.data] == [
        one.id for one in (await docs.cases.list(AGENT, project)).data
    ]
    with pytest.raises(Invalid, match="isn't built"):
        await docs.test_sets.build(
            BuildRequest(test_set_id=identity, version="2.0.0", project_id=project, agent_id=AGENT)
        )


async def test_what_does_not_fit_the_set_is_refused_and_named(docs: LocalWorkbench) -> None:
    project, other = await project_of(docs), (await docs.projects.get()).id
    for wrong, fitting in (
        ({"agent_id": "acme.rank.scorer", "subject_version": "0.1.0"}, f"agent.acme.rank.scorer.{project}"),
        ({"project_id": other}, f"agent.{AGENT}.{other}"),
        ({"agent_id": None, "flow_id": "acme.flow"}, f"agent.{AGENT}.{project}"),
    ):
        for call in (docs.comparisons.start, docs.comparisons.plan):
            with pytest.raises(Invalid) as refused:
                await call(await request(docs, **wrong))
            assert refused.value.code == "bad-input"
            assert fitting in refused.value.sentence
    assert (await docs.comparisons.list()).data == ()
    assert await docs.test_sets.list(project) == ()


async def test_nothing_to_check_is_refused_and_a_refused_start_leaves_no_version(
    docs: LocalWorkbench,
) -> None:
    project = (await docs.projects.add("Empty")).id
    asked = await request(docs, project_id=project, test_set_id=own_test_set_id(AGENT, project))
    for call in (docs.comparisons.start, docs.comparisons.plan):
        with pytest.raises(Conflict, match="kindgi-tui cases add") as refused:
            await call(asked)
        assert refused.value.code == "suggested-change-nothing-to-check"
    for wrong in ({"subject_version": "0.9.0"}, {"repetitions": 0}):
        with pytest.raises((NotFound, Invalid)):
            await docs.comparisons.start(await request(docs, **wrong))
    assert await docs.test_sets.list(await project_of(docs)) == ()


async def test_a_hand_made_case_replays_its_run_under_its_own_id(docs: LocalWorkbench) -> None:
    project = await project_of(docs)
    for each in (await docs.cases.list(AGENT, project)).data:
        await docs.cases.retire(each.id)
    made = await docs.cases.add(NewCase(run_id=PACKAGE, expect=SAYS))
    done = await compare(docs)
    (case,) = cases_of(done)
    assert case["caseId"] == made.id
    replay = await docs.runs.get(case["runIds"][0])
    assert (replay.replay_of, replay.comparison_id) == (PACKAGE, done.id)
    # The past run was read as it is: its search has the recorded result.
    assert {tool["source"] for tool in case["tools"]} == {"recorded"}


async def test_what_the_recording_never_had_is_not_lost(docs: LocalWorkbench) -> None:
    """A wanted item that was never there is no regression; one that was there and is gone is (DESIGN section 5)."""
    project = await project_of(docs)
    for each in (await docs.cases.list(AGENT, project)).data:
        await docs.cases.retire(each.id)
    recorded = output_items((await docs.runs.get(PACKAGE)).output, True)
    wanted, gone = "kb-999", recorded[-1].key
    standings = []
    for key in (wanted, gone):
        made = await docs.cases.add(NewCase(run_id=PACKAGE, items=(ExpectedItem(key=key, verdict="yes"),)))
        done = await compare(docs)
        result: Any = done.result
        (told,) = result["ours"]["cases"]
        standings.append(told["standing"])
        (case,) = result["perCase"]
        assert [item["key"] for item in case["changes"]["dropped"]] == [key]
        await docs.cases.retire(made.id)
    assert standings == ["unknown", "regressed"]


async def test_only_editors_change_a_set(docs: LocalWorkbench) -> None:
    project = await project_of(docs)
    judy = docs.acting_as(Person(id="judy", right="judge", created_at=from_ms(0)))
    calls = (
        judy.cases.add(NewCase(run_id=PACKAGE, expect=SAYS)),
        judy.cases.retire(PACKAGE),
        judy.cases.bring_back(PACKAGE),
        judy.cases.freeze(AGENT, project),
        judy.comparisons.plan(await request(docs)),
    )
    for call in calls:
        with pytest.raises(Denied):
            await call
    assert len((await judy.cases.list(AGENT, project)).data) == 3
    assert (await judy.cases.get(PACKAGE)).id == PACKAGE
