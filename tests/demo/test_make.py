"""The demo's workspace: what is in it, making it again, and that everything but what was said is computed."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.demo import make, said
from kindgi_tui.demo.make import make_demo
from kindgi_tui.domain.comparison_records import Comparison, ComparisonRequest
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment, RunFilter
from kindgi_tui.domain.runs import Run
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.engine.planning import check_start
from kindgi_tui.local.engine.running import run_comparison
from kindgi_tui.local.models.config import ModelsConfig
from kindgi_tui.local.store import comparisons
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from kindgi_tui.workbench import Conflict
from tests.workspaces import copy_workspace

AGENT = "acme-ops.article-picker"
CHARGE = "5b0c7f1e-9a34-4d0e-8a55-0f3f3f1f2a02"
PASSWORD = "240c0a0b-542b-4cb1-9156-fe7153a4377a"
PACKAGE = "c9d3a6c4-21d7-4a43-9b8e-6f6f5d4b3a03"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "demo"
    asyncio.run(make_demo(folder))
    return folder


@pytest.fixture
def demo(template: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "demo"
    copy_workspace(template, folder)
    return folder


@asynccontextmanager
async def opened(folder: Path, person: str | None = None) -> AsyncIterator[LocalWorkbench]:
    workbench, _ = await open_local(folder, person)
    try:
        yield workbench
    finally:
        await workbench.close()


async def every_run(workbench: LocalWorkbench, project: str) -> list[Run]:
    query = RunFilter(project_id=(await workbench.projects.get(project)).id)
    return list((await workbench.runs.list(query, limit=200)).data)


async def compare(workbench: LocalWorkbench, version: str = "0.2.0") -> Comparison:
    """The documents' comparison, on a test set built now, with no provider."""
    project = (await workbench.projects.get("docs")).id
    await workbench.test_sets.build(
        BuildRequest(test_set_id="picks", version="1.0.0", project_id=project, agent_id=AGENT)
    )
    request = ComparisonRequest(
        test_set_id="picks", project_id=project, agent_id=AGENT, subject_version=version
    )

    def insert(connection: Any) -> str:
        checked = check_start(connection, request, ModelsConfig())
        seq, cases = checked.version_seq, len(checked.cases)
        return comparisons.insert_comparison(connection, checked.request, seq, "root", cases)

    database = workbench.access.database
    identity = await database.write(insert)
    await run_comparison(database, Path(workbench.where), identity, ModelsConfig())
    return await workbench.comparisons.get(identity)


def numbers(comparison: Comparison) -> dict[str, tuple[Any, Any, int]]:
    """Each metric's baseline, candidate and n."""
    result: Any = comparison.result
    metrics = result["summary"]["metrics"]
    return {name: (each["baseline"], each["candidate"], each["n"]) for name, each in metrics.items()}


def expected(
    rate: tuple[float, float], coverage: tuple[float, float], n: int
) -> dict[str, tuple[Any, Any, int]]:
    """The three metrics; with k 10 every item of three lies within the first k."""
    return {
        "weightedYesShare": (pytest.approx(rate[0]), pytest.approx(rate[1]), n),
        "judgedCoverage": (pytest.approx(coverage[0]), pytest.approx(coverage[1]), n),
        "weightedPrecisionAtK": (pytest.approx(rate[0]), pytest.approx(rate[1]), n),
    }


def case_of(comparison: Comparison, case: str) -> dict[str, Any]:
    result: Any = comparison.result
    found: dict[str, Any] = next(each for each in result["perCase"] if each["caseId"] == case)
    return found


async def test_what_is_in_it(demo: Path) -> None:
    async with opened(demo) as workbench:
        projects = await workbench.projects.list()
        assert [(project.slug, project.is_default) for project in projects] == [
            ("default", True),
            ("docs", False),
        ]
        runs = await every_run(workbench, "default")
        assert len(runs) >= 60
        assert {(run.subject.id, run.subject.version) for run in runs} == {(AGENT, "0.1.0")}
        assert runs[0].created_at - runs[-1].created_at > timedelta(days=19)
        assert len({run.segments for run in runs}) > 3
        assert [run.status for run in runs].count("failed") == 1
        assert {run.status for run in runs} == {"completed", "failed"}
        judged = [run for run in runs if run.judgments]
        assert 0 < len(judged) < len(runs)
        said_by = {
            judgment.asserter
            for judgment in (await workbench.judgments.list(JudgmentFilter(), limit=500)).data
        }
        assert said_by == {"mira", "jonas"}
        docs = await every_run(workbench, "docs")
        by_agent = {
            agent: [run for run in docs if run.subject.id == agent] for agent in (AGENT, "acme.rank.scorer")
        }
        assert {run.id for run in by_agent[AGENT]} == {CHARGE, PASSWORD, PACKAGE}
        scored = by_agent["acme.rank.scorer"]
        assert (len(scored), len(docs)) == (20, 23)
        assert {tuple(f"{s.key}:{s.value}" for s in run.segments) for run in scored} == {("company:acme",)}
        assert all(run.judgments for run in docs)


async def test_recorded_runs_were_computed(demo: Path) -> None:
    async with opened(demo) as workbench:
        run = await workbench.runs.get(CHARGE)
        output: Any = run.output
        user, asked, found, answer = output["appended"]
        call = asked["content"]["toolCalls"][0]
        assert found["toolCall"]["invocationId"] == call["id"]
        assert [article["id"] for article in found["content"]["articles"]] == ["kb-201", "kb-203", "kb-202"]
        assert json.loads(answer["content"]) == output["output"]
        assert user["content"] == run.input


async def test_made_again_it_harms_no_verdict_and_adds_nothing(demo: Path) -> None:
    async with opened(demo, "jonas") as workbench:
        mine = NewJudgment(
            run_id=PASSWORD,
            item=ItemRef(key="kb-101", pointer="/output/articles/0", rank=0),
            verdict="no",
            reason="mine",
        )
        kept = await workbench.judgments.add(mine)
        before = await workbench.judgments.list(JudgmentFilter(), limit=500)
    report = await make_demo(demo)
    assert (report.created, report.runs, report.judgments, report.replies) == (False, 0, 0, 0)
    async with opened(demo) as workbench:
        assert (await workbench.judgments.get(kept.id)).reason == "mine"
        assert await workbench.judgments.list(JudgmentFilter(), limit=500) == before


async def test_reset_remakes_it(demo: Path) -> None:
    async with opened(demo, "mira") as workbench:
        await workbench.judgments.remove(
            (await workbench.judgments.list(JudgmentFilter(run_id=CHARGE))).data[0].id
        )
    report = await make_demo(demo, reset=True)
    assert (report.created, report.judgments) == (True, len(said.load_judgments()))
    assert report.runs == len(said.load_runs())


async def test_a_workspace_of_ones_own_is_left_alone(tmp_path: Path) -> None:
    async with opened(tmp_path / "mine") as workbench:
        await workbench.projects.add("Precious")
    for reset in (False, True):
        with pytest.raises(Conflict) as refused:
            await make_demo(tmp_path / "mine", reset=reset)
        assert refused.value.code == "not-the-demo"
    async with opened(tmp_path / "mine") as workbench:
        assert [project.name for project in await workbench.projects.list()] == ["Default", "Precious"]


async def test_one_that_was_interrupted_is_made_whole_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(make, "_judge", killed)
        with pytest.raises(KeyboardInterrupt):
            await make_demo(tmp_path / "demo")
    report = await make_demo(tmp_path / "demo")
    assert (report.runs, report.judgments) == (len(said.load_runs()), len(said.load_judgments()))
    async with opened(tmp_path / "demo") as workbench:
        assert numbers(await compare(workbench)) == expected((1 / 3, 1), (0.75, 0.5), 3)


@pytest.mark.parametrize(
    ("key", "rank", "verdict", "rate"),
    [
        # A no of the recorded answer becomes a yes: 4 of 9 before, and 0.2.0 doesn't show that article.
        ("kb-203", 1, "yes", (4 / 9, 1)),
        # The one yes becomes a no: 2 of 9 before, and 2 of the 3 articles 0.2.0 shows.
        ("kb-201", 0, "no", (2 / 9, 2 / 3)),
    ],
)
async def test_one_verdict_flipped_moves_the_numbers(
    demo: Path, key: str, rank: int, verdict: Any, rate: tuple[float, float]
) -> None:
    async with opened(demo, "mira") as workbench:
        item = ItemRef(key=key, pointer=f"/output/articles/{rank}", rank=rank)
        await workbench.judgments.add(NewJudgment(run_id=CHARGE, item=item, verdict=verdict))
    async with opened(demo) as workbench:
        assert numbers(await compare(workbench)) == expected(rate, (0.75, 0.5), 3)


@contextmanager
def changed_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any) -> Iterator[Path]:
    """The demo's pack with a changed knowledge base, which the demo is then made from."""
    copy = tmp_path / "pack"
    with said.pack_folder() as pack:
        shutil.copytree(pack, copy)
    place = copy / "tools/_articles.json"
    place.write_text(json.dumps(change(json.loads(place.read_text()))))

    @contextmanager
    def folder() -> Iterator[Path]:
        yield copy

    monkeypatch.setattr(said, "pack_folder", folder)
    yield copy


def without(article: str) -> Any:
    return lambda articles: [each for each in articles if each["id"] != article]


def renamed(article: str, other: str) -> Any:
    return lambda articles: [
        {**each, "id": other if each["id"] == article else each["id"]} for each in articles
    ]


@pytest.mark.parametrize(
    "change", [without("kb-102"), renamed("kb-101", "kb-901")], ids=["removed", "renamed"]
)
async def test_a_changed_knowledge_base_makes_the_case_that_reads_it_live_an_error(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    """0.2.0 reads live for the password alone; what it finds there now, no reply was said to."""
    async with opened(demo) as workbench:
        with changed_pack(tmp_path, monkeypatch, change) as pack:
            await workbench.packs.publish(pack)
        done = await compare(workbench)
        assert "no reply to this request is cached" in case_of(done, PASSWORD)["error"]
        result: Any = done.result
        summary = result["summary"]
        assert (summary["status"], summary["errors"], summary["diverged"]) == ("partial", 1, 0)
        # The other two cases: 2 of 6 before, 2 of 2 now; 6 of 8 items judged before, 2 of 4 now.
        assert numbers(done) == expected((1 / 3, 1), (0.75, 0.5), 2)


async def test_made_with_an_article_less_the_run_that_found_it_fails_and_is_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with changed_pack(tmp_path, monkeypatch, without("kb-102")):
        await make_demo(tmp_path / "demo")
    async with opened(tmp_path / "demo") as workbench:
        run = await workbench.runs.get(PASSWORD)
        assert (run.status, run.failure, run.judgments) == (
            "failed",
            "What the model said here is not written down.",
            0,
        )
        done = await compare(workbench)
        assert numbers(done) == expected((1 / 3, 1), (0.75, 0.5), 2)


async def test_an_answer_with_another_id_is_another_item(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = said.load_said()

    def other(sequence: said.SaidSequence) -> said.SaidSequence:
        if sequence.version != "0.2.0" or not sequence.question.startswith("I was charged twice"):
            return sequence
        answer: Any = {"articles": [{"id": "kb-999", "title": "Request a refund"}]}
        last = sequence.replies[-1].model_copy(update={"answer": answer})
        return sequence.model_copy(update={"replies": (*sequence.replies[:-1], last)})

    changed = said.Said(tuple(other(sequence) for sequence in real.sequences))
    monkeypatch.setattr(said, "load_said", lambda: changed)
    await make_demo(tmp_path / "demo")
    async with opened(tmp_path / "demo") as workbench:
        done = await compare(workbench)
        # Two cases have evidence, 2 of 2; of the six items of 0.2.0 only theirs are judged.
        found = numbers(done)
        assert found["weightedYesShare"] == (pytest.approx(1 / 3), 1, 2)
        assert found["judgedCoverage"] == (0.75, pytest.approx(2 / 6), 3)
        changes = case_of(done, CHARGE)["changes"]
        assert [item["key"] for item in changes["dropped"]] == ["kb-201", "kb-203", "kb-202"]
        assert {item["key"] for item in changes["new"]} == {"kb-999", "answer"}
        result: Any = done.result
        # What people said yes to was dropped, and nothing judged stands in its place.
        assert result["ours"]["cases"][0] | {"change": None} == {
            "caseId": CHARGE,
            "standing": "regressed",
            "isNew": True,
            "change": None,
        }
        assert result["ours"]["waiting"] == 4
