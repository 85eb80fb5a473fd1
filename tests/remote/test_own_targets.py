"""Corrections and agents' own test sets at a runtime: one job on our 0.4 server, and refused with its reason on 0.1."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pydantic import SecretStr

from kindgi_tui.domain.comparison_records import Comparison, ComparisonRequest
from kindgi_tui.domain.corrections import CorrectionFilter, Expectation, ExpectedCall, NewCorrection
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.own_test_sets import ExpectedItem, NewCase, own_test_set_id
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment, RunFilter
from kindgi_tui.local.engine.judging_prompt import AS_ASKED, AS_RECORDED
from kindgi_tui.local.workbench import open_local
from kindgi_tui.remote.pulling import pull
from kindgi_tui.remote.workbench import RemoteWorkbench, open_remote
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound, Refused, Unsupported
from tests.local.models.server import Answer, ModelServer, Received, typed
from tests.remote.targets import PROGRAM, Target, make_ours, start_ours, start_real, why_not_real
from tests.workspaces import copy_workspace

AGENT = "acme-ops.article-picker"
EXPERTS = "support experts"
SEARCH = "acme-ops.search-articles"
PASSWORD = "240c0a0b-542b-4cb1-9156-fe7153a4377a"
REFUND = "5b0c7f1e-9a34-4d0e-8a55-0f3f3f1f2a02"
PACKAGE = "c9d3a6c4-21d7-4a43-9b8e-6f6f5d4b3a03"
UNKNOWN = "00000000-0000-4000-8000-000000000009"
REASON = "It never says how long the refund takes."

WRONG_CALL = Expectation(
    decisions="wrong", should_call=(ExpectedCall(tool_id=SEARCH, arguments={"query": "reset my password"}),)
)
WRONG_ANSWER = Expectation(answer="wrong", should_say="How long the refund takes.")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("own") / "demo"
    return folder, make_ours(folder)


@pytest.fixture
def newer(made: tuple[Path, str], tmp_path: Path) -> Iterator[tuple[Target, Path]]:
    """Our server in 0.4 on a copy of the demo, and that copy's folder."""
    folder = tmp_path / "served"
    copy_workspace(made[0], folder)
    started = start_ours(folder, made[1], "0.4", MODEL_KEY="k")
    yield started, folder
    started.stop()


@pytest_asyncio.fixture
async def bench(newer: tuple[Target, Path], tmp_path: Path) -> AsyncIterator[RemoteWorkbench]:
    target, _ = newer
    opened = await open_remote(target.address, SecretStr(target.token), tmp_path / "outbox")
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def models(newer: tuple[Target, Path]) -> AsyncIterator[ModelServer]:
    """A model server that the runtime asks: it finds every answer wrong, and picks no article."""

    def respond(received: Received) -> Answer:
        told = json.dumps(received.body)
        if any(json.dumps(words)[1:-1] in told for words in (AS_ASKED, AS_RECORDED)):
            return typed({"passes": False, "reason": REASON})
        return typed({"articles": []})

    async with ModelServer() as server:
        server.respond = respond
        text = f'[providers.anthropic]\nbase_url = "{server.root}"\napi_key_env = "MODEL_KEY"\n'
        (newer[1] / "models.toml").write_text(text)
        yield server


async def compare(bench: RemoteWorkbench, project: str, **more: Any) -> Comparison:
    asked: dict[str, Any] = {"test_set_id": own_test_set_id(AGENT, project), "agent_id": AGENT}
    request = ComparisonRequest(**(asked | {"project_id": project, "subject_version": "0.2.0"} | more))
    started = await bench.comparisons.start(request)
    last = None
    async for event in bench.comparisons.follow(started.id):
        last = event.comparison
    assert last is not None
    assert (last.status, last.error) == ("completed", None)
    return last


def result_of(done: Comparison) -> Any:
    assert isinstance(done.result, dict)
    return done.result


async def test_correct_compare_and_rescore_on_the_agents_own_test_set(
    bench: RemoteWorkbench, newer: tuple[Target, Path], models: ModelServer
) -> None:
    project = (await bench.projects.get("docs")).id
    own = await bench.cases.own(AGENT, project)
    assert (own.id, own.case_count, own.version, own.changed) == (
        own_test_set_id(AGENT, project),
        3,
        None,
        True,
    )
    assert own in await bench.cases.sets(project)

    # The documents' example: nothing corrected yet, so items alone.
    first = await compare(bench, project)
    assert (first.test_set_version, first.request.version) == ("1.0.1", "1.0.1")
    metrics = result_of(first)["summary"]["metrics"]
    assert (metrics["weightedYesShare"]["baseline"], metrics["weightedYesShare"]["candidate"]) == (
        pytest.approx(1 / 3),
        1,
    )
    assert "corrections" not in result_of(first)["summary"]
    assert not (await bench.cases.own(AGENT, project)).changed

    # Corrected: one run's decisions, another's answer.
    for run, expect in ((PASSWORD, WRONG_CALL), (REFUND, WRONG_ANSWER)):
        said = await bench.corrections.add(NewCorrection(run_id=run, expect=expect))
        assert (said.run_id, said.expect, said.ended_at) == (run, expect, None)
        assert await bench.corrections.get(said.id) == said
    assert (await bench.cases.own(AGENT, project)).changed
    asked = ComparisonRequest(test_set_id=own.id, project_id=project, agent_id=AGENT, subject_version="0.2.0")
    plan = await bench.comparisons.plan(asked)
    assert (plan.cases, plan.test_set_version) == (3, "1.0.2")
    done = await compare(bench, project)
    assert done.test_set_version == "1.0.2"
    judged = [one for one in models.received if json.dumps(AS_ASKED)[1:-1] in json.dumps(one.body)]
    assert len(judged) == 1

    summary, rows = result_of(done)["summary"], result_of(done)["perCase"]
    assert summary["corrections"] == {"checked": 2, "passed": 0}
    assert "unchecked" not in summary
    by_case = {row["caseId"]: row for row in rows}
    assert by_case[PASSWORD]["corrections"] == [
        {"correctionId": PASSWORD, "pass": False, "repetitionsPassed": 0, "repetitions": 1,
         "parts": {"decisions": False}}
    ]  # fmt: skip
    (differing,) = by_case[PASSWORD]["correctionDifferences"]
    assert (differing["correctionId"], differing["repetition"]) == (PASSWORD, 1)
    (difference,) = differing["differences"]
    assert {
        name: difference[name] for name in ("kind", "toolId", "field", "expected", "actual", "refused")
    } == {
        "kind": "field-value",
        "toolId": SEARCH,
        "field": "query",
        "expected": "reset my password",
        "actual": "I forgot my password and can't sign in",
        "refused": True,
    }
    assert by_case[REFUND]["corrections"] == [
        {"correctionId": REFUND, "pass": False, "repetitionsPassed": 0, "repetitions": 1, "why": REASON,
         "parts": {"answer": False}}
    ]  # fmt: skip
    assert "corrections" not in by_case[PACKAGE]
    assert by_case[REFUND]["candidate"][0]["checks"] == {"passed": 0, "total": 1}
    # The wire has the documents' own names: nothing in between renamed them.
    wire = await bench.context.runtime.transport.read(f"/v1/test-runs/{done.id}")
    assert isinstance(wire, dict)
    told: Any = wire["result"]
    assert told["perCase"] == rows
    assert (told["summary"]["corrections"], told["summary"]["testSet"]["version"]) == (
        {"checked": 2, "passed": 0},
        "1.0.2",
    )
    assert (
        told["summary"]["metrics"]["passRate"]["baseline"],
        told["summary"]["metrics"]["passRate"]["candidate"],
    ) == (
        pytest.approx(3 / 11),
        pytest.approx(2 / 4),
    )
    # What a person reads is computed of it here, as in a workspace.
    ours = result_of(done)["ours"]
    assert "0 of the 2 corrections that were checked passed." in ours["headline"]
    shown = (await bench.comparisons.list(project, own.id, folded=True)).data
    assert [one.test_set_version for one in shown] == ["1.0.2", "1.0.1"]

    # An answer's new item is judged on the replay; a rescore counts it, and keeps what was checked.
    replay = await bench.runs.get(by_case[PACKAGE]["runIds"][0])
    new = next(one for one in by_case[PACKAGE]["changes"]["new"] if one["key"] == "answer")
    item = ItemRef(key="answer", pointer=new["pointer"])
    await bench.judgments.add(NewJudgment(run_id=replay.id, item=item, verdict="yes"))
    assert (await bench.outbox.settle(20)).waiting == 0
    again = await bench.comparisons.rescore(done.id)
    assert (again.status, again.rescore_of, again.test_set_version) == ("completed", done.id, "1.0.2")
    assert result_of(again)["summary"]["corrections"] == {"checked": 2, "passed": 0}
    # The server holds the very result that was read: the document it keeps, in the other names.
    local, _ = await open_local(newer[1])
    try:
        kept = (await local.comparisons.get(done.id)).result
    finally:
        await local.close()
    assert isinstance(kept, dict)
    assert json.loads(json.dumps(kept["perCase"])) == rows
    assert kept["summary"] == summary


async def test_unchecked_cases_say_why(bench: RemoteWorkbench, newer: tuple[Target, Path]) -> None:
    """No model server answers here: the answer can't be judged, and its case is told of as unchecked."""
    project = (await bench.projects.get("docs")).id
    for run in (PASSWORD, PACKAGE):
        await bench.cases.retire(run)
    await bench.corrections.add(NewCorrection(run_id=REFUND, expect=WRONG_ANSWER))
    (newer[1] / "models.toml").write_text(
        '[providers.anthropic]\nbase_url = "http://127.0.0.1:9"\ntimeout_s = 1\napi_key_env = "MODEL_KEY"\n'
    )
    done = await compare(bench, project)
    summary, (row,) = result_of(done)["summary"], result_of(done)["perCase"]
    assert summary["unchecked"]["count"] == 1
    assert summary["unchecked"]["reasons"] == [row["unchecked"]]
    assert "corrections" not in row


async def test_corrections_are_kept_as_in_a_workspace(bench: RemoteWorkbench) -> None:
    me = (await bench.people.me()).id
    wrong, right = WRONG_CALL, Expectation(decisions="right", answer="right")
    first = await bench.corrections.add(NewCorrection(run_id=PASSWORD[:12], expect=wrong))
    assert (first.asserter, first.run_id) == (me, PASSWORD)
    assert await bench.corrections.add(NewCorrection(run_id=PASSWORD, expect=wrong)) == first
    second = await bench.corrections.add(NewCorrection(run_id=PASSWORD, expect=right))
    history = await bench.corrections.history(PASSWORD)
    assert [one.id for one in history] == [second.id, first.id]
    assert (history[1].superseded_by, history[1].ended_at is not None) == (second.id, True)
    listed = await bench.corrections.list(CorrectionFilter(run_id=PASSWORD))
    assert listed.data == (second,)
    project = (await bench.projects.get("docs")).id
    for query in (
        CorrectionFilter(project_id=project),
        CorrectionFilter(subject_id=AGENT, asserter=me),
    ):
        assert second in (await bench.corrections.list(query, 100)).data
    assert (await bench.corrections.get(second.id[:8])) == second
    back = await bench.corrections.take_back(PASSWORD)
    assert back is not None
    assert (back.expect, back.id != first.id) == (wrong, True)
    assert await bench.corrections.take_back(PASSWORD) is None
    with pytest.raises(NotFound, match="no live correction"):
        await bench.corrections.take_back(PASSWORD)
    made = await bench.corrections.add_all(
        [NewCorrection(run_id=run, expect=right) for run in (PASSWORD, REFUND)]
    )
    await bench.corrections.remove(made[0].id[:8])
    with pytest.raises(NotFound, match="No live correction"):
        await bench.corrections.remove(made[0].id)
    assert (await bench.corrections.list(CorrectionFilter(run_id=REFUND))).data == made[1:]
    assert await bench.corrections.add_all([]) == ()


async def test_what_is_refused_names_its_field(bench: RemoteWorkbench) -> None:
    with pytest.raises(Invalid) as wrong:
        await bench.corrections.add(NewCorrection(run_id=PASSWORD, expect=Expectation(answer="wrong")))
    assert wrong.value.field == "expect.answer"
    right = Expectation(answer="right")
    with pytest.raises(Invalid) as wrong:
        await bench.corrections.add(NewCorrection(run_id=PASSWORD, expect=right, group="nobody"))
    assert (wrong.value.code, wrong.value.field) == ("judge-class-not-applicable", "group")
    with pytest.raises(Denied) as denied:
        await bench.corrections.add(NewCorrection(run_id=PASSWORD, expect=right, group=EXPERTS))
    assert denied.value.code == "judge-class-not-allowed"
    with pytest.raises(NotFound):
        await bench.corrections.add(NewCorrection(run_id=UNKNOWN, expect=right))
    both = [
        NewCorrection(run_id=PASSWORD, expect=each)
        for each in (right, Expectation(), Expectation(decisions="wrong"))
    ]
    with pytest.raises(Refused) as refused:
        await bench.corrections.add_all(both)
    assert [place for place, _ in refused.value.refusals] == [2, 3]
    # Refused there: a flow has no decisions, which only the runtime knows.
    flows = (await bench.runs.list(RunFilter(subject_kind="flow"), 1)).data
    if flows:
        wrong_flow = NewCorrection(run_id=flows[0].id, expect=Expectation(decisions="right"))
        with pytest.raises(Refused) as refused:
            await bench.corrections.add_all([both[0], wrong_flow])
        assert [place for place, _ in refused.value.refusals] == [2]
    assert (await bench.corrections.list(CorrectionFilter(run_id=PASSWORD))).data == ()


async def test_agreement_is_counted_of_the_cases_as_they_are_now(
    bench: RemoteWorkbench, newer: tuple[Target, Path]
) -> None:
    """The same as in the workspace behind it, where two people judged, and corrected, the same run differently."""
    project = (await bench.projects.get("docs")).id
    await bench.corrections.add(NewCorrection(run_id=PASSWORD, expect=WRONG_CALL))
    local, _ = await open_local(newer[1])
    try:
        ben = Person(id="ben", created_at=datetime.now(UTC))
        await local.people.add(ben)
        (mine, *_) = (await local.judgments.list(JudgmentFilter(run_id=PASSWORD), 100)).data
        other = "no" if mine.verdict == "yes" else "yes"
        said = NewJudgment.model_validate({"run_id": PASSWORD, "item": mine.item, "verdict": other})
        await local.acting_as(ben).judgments.add(said)
        await local.acting_as(ben).corrections.add(
            NewCorrection(run_id=PASSWORD, expect=Expectation(decisions="right"))
        )
        there = await local.cases.agreement(AGENT, project)
        found = await bench.cases.agreement(AGENT, project)
    finally:
        await local.close()
    assert found == there
    assert [(one.run_id, one.item_key) for one in found.split] == [(PASSWORD, mine.item.key)]
    assert [(one.run_id, one.people[0]) for one in found.apart] == [(PASSWORD, "ben")]
    frozen = await bench.cases.freeze(AGENT, project)
    assert await bench.test_sets.agreement(frozen.test_set_id, frozen.version) == found


async def test_cases_are_added_retired_brought_back_and_frozen(bench: RemoteWorkbench) -> None:
    project = (await bench.projects.get("docs")).id
    items = (ExpectedItem(key="kb-201", verdict="yes"),)
    from_run = await bench.cases.add(NewCase(run_id=REFUND, expect=WRONG_ANSWER, items=items))
    assert (from_run.run_id, from_run.source, from_run.expert) == (REFUND, "hand", True)
    assert [(one.key, one.yes, one.rank) for one in from_run.items] == [("kb-201", 1, 0)]
    asked = NewCase(agent_id=AGENT, project_id=project, input="Hi?", expect=WRONG_ANSWER)
    nothing = await bench.cases.add(asked)
    assert (nothing.run_id, nothing.input, nothing.expect) == (None, "Hi?", WRONG_ANSWER)
    with pytest.raises(Invalid) as wrong:
        await bench.cases.add(asked.model_copy(update={"input": " "}))
    assert wrong.value.field == "input"
    page = await bench.cases.list(AGENT, project, limit=2)
    assert (page.data, page.has_more) == ((nothing, from_run), True)
    rest = await bench.cases.list(AGENT, project, cursor=page.next_cursor)
    assert {one.id for one in rest.data} == {PASSWORD, REFUND, PACKAGE}
    assert all(one.run_id == one.id and one.case.run_id is None for one in rest.data)
    frozen = await bench.cases.freeze(AGENT, project)
    assert (frozen.version, frozen.case_count) == ("1.0.1", 5)
    cases = {one.case_id: one for one in (await bench.test_sets.cases(frozen.test_set_id)).data}
    assert cases[nothing.id] == nothing.case
    assert (cases[from_run.id].expect, cases[from_run.id].run_id) == (WRONG_ANSWER, REFUND)
    retired = await bench.cases.retire(nothing.id[:8])
    assert retired.retired_at is not None
    assert (await bench.cases.list(AGENT, project, retired=True)).data == (retired,)
    assert await bench.cases.get(nothing.id) == retired
    stands = await bench.cases.own(AGENT, project)
    assert (stands.case_count, stands.retired, stands.changed, stands.version) == (4, 1, True, "1.0.1")
    assert (await bench.cases.bring_back(nothing.id)).retired_at is None
    # A version that isn't the one it would run is refused; the newest may be named while nothing changed.
    request = ComparisonRequest(
        test_set_id=frozen.test_set_id,
        project_id=project,
        agent_id=AGENT,
        subject_version="0.2.0",
        version="1.0.1",
    )
    assert (await bench.comparisons.plan(request)).test_set_version == "1.0.1"
    await bench.cases.retire(from_run.id)
    with pytest.raises(Invalid, match="name none"):
        await bench.comparisons.plan(request)
    for one in (PASSWORD, REFUND, PACKAGE, nothing.id):
        await bench.cases.retire(one)
    with pytest.raises(Conflict, match="has no test cases") as empty:
        await bench.comparisons.plan(request.model_copy(update={"version": None}))
    assert empty.value.code == "suggested-change-nothing-to-check"
    with pytest.raises(Invalid, match=f"takes the agent's own test set, agent.{AGENT}"):
        elsewhere = (await bench.projects.get("default")).id
        await bench.comparisons.plan(request.model_copy(update={"version": None, "project_id": elsewhere}))
    with pytest.raises(NotFound):
        await bench.cases.get(UNKNOWN)
    with pytest.raises(NotFound):
        await bench.cases.get("ffffffff")


async def test_pulled_runs_bring_their_corrections(bench: RemoteWorkbench) -> None:
    me = (await bench.people.me()).id
    said = await bench.corrections.add(NewCorrection(run_id=PASSWORD, expect=WRONG_CALL, participant="p"))
    project = (await bench.projects.get("default")).id
    docs = (await bench.projects.get("docs")).id
    (pulled,) = [
        one
        async for one in pull(bench, RunFilter(project_id=docs, subject_id=AGENT))
        if one.run.id == PASSWORD
    ]
    assert [(new.expect, new.participant, new.expert, who, at) for new, who, at in pulled.corrections] == [
        (WRONG_CALL, "p", False, me, said.created_at)
    ]
    # The demo's experts corrected runs of the other project: the group comes along, and that they were experts.
    experts = [
        one
        async for one in pull(bench, RunFilter(project_id=project, subject_id=AGENT), 200)
        if one.corrections
    ]
    as_experts = [one for one in experts if any(new.expert for new, _, _ in one.corrections)]
    assert len(experts) == 5
    assert {group.name for one in as_experts for group in one.groups} >= {EXPERTS}
    assert all(new.group == EXPERTS for one in as_experts for new, _, _ in one.corrections if new.expert)


async def test_pulled_corrections_are_in_the_workspace(
    bench: RemoteWorkbench, newer: tuple[Target, Path], tmp_path: Path
) -> None:
    said = await bench.corrections.add(NewCorrection(run_id=PASSWORD, expect=WRONG_CALL))
    here = tmp_path / "here"
    words = ["--workspace", str(here), "--url", newer[0].address, "runs", "pull", "--agent", AGENT, "--json"]
    environment = {**os.environ, "KINDGI_API_TOKEN": newer[0].token}
    done = await asyncio.to_thread(
        subprocess.run, [*PROGRAM, *words], capture_output=True, text=True, check=True, env=environment
    )
    assert json.loads(done.stdout)["corrections"] == 6
    local, _ = await open_local(here)
    try:
        (kept,) = await local.corrections.history(PASSWORD)
        assert (kept.expect, kept.asserter, kept.created_at) == (WRONG_CALL, said.asserter, said.created_at)
        everything = (await local.corrections.list(CorrectionFilter(), 100)).data
        assert sum(one.expert for one in everything) == 3
    finally:
        await local.close()


@pytest.fixture(scope="module", params=["the real 0.1.10 API", "our server, 0.1"])
def older(
    request: pytest.FixtureRequest, made: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Target]:
    if request.param == "the real 0.1.10 API":
        reason = why_not_real()
        if reason is not None:
            pytest.skip(f"the real API can't be started: {reason}")
        started = start_real()
    else:
        folder = tmp_path_factory.mktemp("older") / "demo"
        copy_workspace(made[0], folder)
        started = start_ours(folder, made[1], "0.1")
    yield started
    started.stop()


async def test_a_runtime_of_0_1_refuses_each_and_says_what_to_do(older: Target, tmp_path: Path) -> None:
    bench = await open_remote(older.address, SecretStr(older.token), tmp_path / "outbox")
    right = NewCorrection(run_id=PASSWORD, expect=Expectation(decisions="right"))
    corrections = bench.corrections
    for asked in (
        corrections.add(right),
        corrections.add_all([right]),
        corrections.get(UNKNOWN),
        corrections.list(CorrectionFilter()),
        corrections.history(PASSWORD),
        corrections.remove(UNKNOWN),
        corrections.take_back(PASSWORD),
    ):
        with pytest.raises(Unsupported) as told:
            await asked
        assert told.value.sentence == (
            "This runtime doesn't offer corrections of runs. Copy the runs into a workspace with "
            "`kindgi-tui runs pull`, and correct them there."
        )
    project = (await bench.projects.get(older.project)).id
    assert await bench.cases.sets(project) == ()
    new = NewCase(run_id=PASSWORD, expect=Expectation(decisions="right"))
    request = ComparisonRequest(
        test_set_id=own_test_set_id(AGENT, project),
        agent_id=AGENT,
        project_id=project,
        subject_version="0.2.0",
    )
    for asked_of in (
        bench.comparisons.start(request),
        bench.comparisons.plan(request),
        bench.cases.own(AGENT, project),
        bench.cases.list(AGENT, project),
        bench.cases.get(UNKNOWN),
        bench.cases.add(new),
        bench.cases.retire(UNKNOWN),
        bench.cases.bring_back(UNKNOWN),
        bench.cases.freeze(AGENT, project),
    ):
        with pytest.raises(Unsupported, match="This runtime doesn't offer") as told:
            await asked_of
        assert told.value.sentence.endswith(("runs pull`.", "freezes it."))
    pulled = [one async for one in pull(bench, RunFilter(project_id=project, subject_id=AGENT), 2)]
    assert [one.corrections for one in pulled] == [(), ()]
    await bench.close()
