"""Whatever text a question holds, a call raises only the workbench's errors (DESIGN section 3)."""

from collections.abc import Awaitable, Callable

import pytest

from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.corrections import CorrectionFilter, Expectation, ExpectedCall, NewCorrection
from kindgi_tui.domain.judging import QueueFilter
from kindgi_tui.domain.judgments import ItemRef, Restriction
from kindgi_tui.domain.queries import AuditFilter, JudgmentFilter, NewJudgment, RunFilter
from kindgi_tui.domain.runs import Segment, Subject
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.workbench import LocalWorkbench
from kindgi_tui.workbench import WorkbenchError
from tests.local.parts.conftest import As
from tests.local.store.making import person, run, said

Ask = Callable[[LocalWorkbench, str], Awaitable[object]]

TEXTS = (
    "",
    " ",
    "\ud800",
    "\x00",
    "a\x00b",
    "\x01",
    "\x01\ud800é",
    "x" * 100_000,
    "'; --",
    "%",
    "\U0010ffff",
    "-1",
    "é",
)

ASKS: dict[str, Ask] = {
    "projects.get": lambda b, t: b.projects.get(t),
    "projects.add name": lambda b, t: b.projects.add(t),
    "projects.add slug": lambda b, t: b.projects.add("A name", t),
    "projects.use": lambda b, t: b.projects.use(t),
    "people.add": lambda b, t: b.people.add(person(t)),
    "people.add name": lambda b, t: b.people.add(person("someone").model_copy(update={"name": t})),
    "runs.list cursor": lambda b, t: b.runs.list(RunFilter(), cursor=t),
    "runs.list text": lambda b, t: b.runs.list(RunFilter(text=t)),
    "runs.list project": lambda b, t: b.runs.list(RunFilter(project_id=t)),
    "runs.list agent": lambda b, t: b.runs.list(RunFilter(subject_id=t, subject_version=t)),
    "runs.list source": lambda b, t: b.runs.list(RunFilter(source=t)),
    "runs.list comparison": lambda b, t: b.runs.list(RunFilter(comparison_id=t)),
    "runs.list path": lambda b, t: b.runs.list(RunFilter(segments=(Segment(key=t, value=t),))),
    "runs.count": lambda b, t: b.runs.count(RunFilter(source=t, subject_id=t, project_id=t)),
    "runs.count text": lambda b, t: b.runs.count(RunFilter(text=t)),
    "runs.get": lambda b, t: b.runs.get(t),
    "runs.export": lambda b, t: b.runs.export(t),
    "judgments.get": lambda b, t: b.judgments.get(t),
    "judgments.remove": lambda b, t: b.judgments.remove(t),
    "judgments.take_back": lambda b, t: b.judgments.take_back(t, t, t),
    "judgments.list": lambda b, t: b.judgments.list(
        JudgmentFilter(asserter=t, group_id=t, subject_id=t, project_id=t)
    ),
    "judgments.list run": lambda b, t: b.judgments.list(JudgmentFilter(run_id=t)),
    "judgments.list cursor": lambda b, t: b.judgments.list(JudgmentFilter(), cursor=t),
    "corrections.get": lambda b, t: b.corrections.get(t),
    "corrections.remove": lambda b, t: b.corrections.remove(t),
    "corrections.take_back": lambda b, t: b.corrections.take_back(t, t),
    "corrections.history": lambda b, t: b.corrections.history(t),
    "corrections.list": lambda b, t: b.corrections.list(
        CorrectionFilter(project_id=t, subject_id=t, asserter=t, group_id=t)
    ),
    "corrections.list run": lambda b, t: b.corrections.list(CorrectionFilter(run_id=t)),
    "corrections.list cursor": lambda b, t: b.corrections.list(CorrectionFilter(), cursor=t),
    "corrections.add": lambda b, t: b.corrections.add(
        NewCorrection(
            run_id="here",
            expect=Expectation(
                decisions="wrong",
                should_call=(ExpectedCall(tool_id=t, arguments={t: t}),),
                answer="wrong",
                should_say=t,
                why=t,
            ),
            participant=t,
        )
    ),
    "corrections.add group": lambda b, t: b.corrections.add(
        NewCorrection(run_id="here", expect=Expectation(decisions="right"), group=t)
    ),
    "judgments.add run": lambda b, t: b.judgments.add(said(t)),
    "judgments.add item": lambda b, t: b.judgments.add(
        NewJudgment(
            run_id="here", item=ItemRef(key=t, pointer=t), verdict="yes", reason=t, group=t, participant=t
        )
    ),
    "groups.list": lambda b, t: b.groups.list(t),
    "groups.get": lambda b, t: b.groups.get(t),
    "groups.add": lambda b, t: b.groups.add(t, 1, description=t, project_id=t, agent_id=t),
    "groups.change": lambda b, t: b.groups.change(
        t, description=t, restriction=Restriction(principal_ids=(t,))
    ),
    "groups.retire": lambda b, t: b.groups.retire(t),
    "groups.bring_back": lambda b, t: b.groups.bring_back(t),
    "queue.corrected_apart": lambda b, t: b.queue.corrected_apart(
        QueueFilter(project_id=t, subject_id=t), cursor=t
    ),
    "cases.agreement": lambda b, t: b.cases.agreement(t, t),
    "test_sets.agreement": lambda b, t: b.test_sets.agreement(t, t),
    "test_sets.preview": lambda b, t: b.test_sets.preview(
        BuildRequest(test_set_id=t, version=t, project_id=t, agent_id=t, groups=(t,))
    ),
    "test_sets.build": lambda b, t: b.test_sets.build(
        BuildRequest(
            test_set_id="s", version="1.0.0", project_id=t, agent_id=t, description=t, subject_version=t
        )
    ),
    "test_sets.list": lambda b, t: b.test_sets.list(t),
    "test_sets.versions": lambda b, t: b.test_sets.versions(t),
    "test_sets.get": lambda b, t: b.test_sets.get(t, t),
    "test_sets.cases": lambda b, t: b.test_sets.cases(t, t, cursor=t),
    "comparisons.get": lambda b, t: b.comparisons.get(t),
    "comparisons.list": lambda b, t: b.comparisons.list(t, t),
    "comparisons.list cursor": lambda b, t: b.comparisons.list(cursor=t),
    "comparisons.cancel": lambda b, t: b.comparisons.cancel(t),
    "comparisons.plan": lambda b, t: b.comparisons.plan(
        ComparisonRequest(test_set_id=t, version=t, project_id=t, agent_id=t, subject_version=t)
    ),
    "agents.get": lambda b, t: b.agents.get(t, t),
    "agents.versions": lambda b, t: b.agents.versions(t),
    "packs.env": lambda b, t: b.packs.env(t),
    "packs.set_env": lambda b, t: b.packs.set_env(t, t, t),
    "audit.list": lambda b, t: b.audit.list(cursor=t),
    "audit.count": lambda b, t: b.audit.count(AuditFilter(actor=t, action=t, subject=t)),
}


@pytest.fixture
async def filled(bench: LocalWorkbench) -> LocalWorkbench:
    project = (await bench.projects.get()).id
    made = run(id="here", project_id=project)
    await bench.runs.add([made])
    await bench.judgments.add(said("here"))
    await bench.groups.add("G", 1)
    return bench


@pytest.mark.parametrize("name", ASKS)
async def test_only_the_workbenchs_errors(filled: LocalWorkbench, name: str) -> None:
    for text in TEXTS:
        try:
            await ASKS[name](filled, text)
        except WorkbenchError as refused:
            assert refused.sentence and refused.code, text[:20]
    assert (await filled.runs.get("here")).judgments >= 1
    assert len(await filled.projects.list()) >= 1


NUMBERS = (0, -1, 2**31, 2**63, 2**70)


@pytest.mark.parametrize("number", NUMBERS)
async def test_numbers_of_any_size(filled: LocalWorkbench, number: int) -> None:
    asks = (
        lambda: filled.runs.list(RunFilter(), limit=number),
        lambda: filled.judgments.list(JudgmentFilter(), limit=number),
        lambda: filled.audit.list(limit=number),
        lambda: filled.comparisons.list(limit=number),
        lambda: filled.judgments.add(
            said("here", "b").model_copy(update={"item": ItemRef(key="b", rank=number)})
        ),
    )
    for ask in asks:
        try:
            await ask()
        except WorkbenchError as refused:
            assert refused.sentence


async def test_a_run_keeps_every_text(bench: LocalWorkbench, opened_as: As) -> None:
    nasty = "\ud800\x00\x01\x1b[31m[/INST]\u202e\U0001f469"
    made = run(
        id=nasty,
        project_id=(await bench.projects.get()).id,
        subject=Subject(kind="agent", id=nasty, version=nasty),
        segments=(Segment(key="k", value=nasty),),
        conversation_id=nasty,
        failure=nasty,
        replay_of=nasty,
        comparison_id=nasty,
        source=nasty,
        input={nasty: [nasty, 10**400, float("inf"), -0.0]},
        output={"appended": [{"role": nasty}], "output": nasty},
        context={nasty: nasty},
        raw=[nasty],
    )
    assert (await bench.runs.add([made])).added == (nasty,)
    assert (await bench.runs.add([made])).known == (nasty,)
    kept = await bench.runs.get(nasty)
    assert kept.model_copy(update={"preview": ""}) == made
    query = RunFilter(
        subject_id=nasty, subject_version=nasty, comparison_id=nasty, source=nasty, segments=made.segments
    )
    assert [each.id for each in (await bench.runs.list(query)).data] == [nasty]
    assert await bench.runs.count(query) == 1
