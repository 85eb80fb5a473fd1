"""The numbers of the demo, by the processes a person's command starts (issue 2, "The numbers")."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from kindgi_tui.domain.comparison_records import Comparison, ComparisonRequest
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from kindgi_tui.workbench import Conflict, Invalid, NotFound, Unsupported
from tests.local.engine.lab import cases_of, metric_of, ours_of, summary_of

AGENT = "acme-ops.article-picker"
SET = "acme.article-picks"
CHARGE = "5b0c7f1e-9a34-4d0e-8a55-0f3f3f1f2a02"
PASSWORD = "240c0a0b-542b-4cb1-9156-fe7153a4377a"
PACKAGE = "c9d3a6c4-21d7-4a43-9b8e-6f6f5d4b3a03"


@pytest_asyncio.fixture
async def docs(demo: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalWorkbench]:
    """The demo, with the test set of its project `docs` built, and no provider whatever the machine has."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "KINDGI_TUI_MODELS"):
        monkeypatch.delenv(name, raising=False)
    workbench, _ = await open_local(demo)
    project = (await workbench.projects.get("docs")).id
    await workbench.test_sets.build(
        BuildRequest(test_set_id=SET, version="1.0.0", project_id=project, agent_id=AGENT)
    )
    try:
        yield workbench
    finally:
        await workbench.close()


async def request(workbench: LocalWorkbench, version: str, **more: Any) -> ComparisonRequest:
    project = (await workbench.projects.get("docs")).id
    return ComparisonRequest(
        test_set_id=SET, project_id=project, agent_id=AGENT, subject_version=version, **more
    )


async def compare(workbench: LocalWorkbench, version: str, **more: Any) -> Comparison:
    """A whole comparison, followed to its end."""
    started = await workbench.comparisons.start(await request(workbench, version, **more))
    return await followed(workbench, started.id)


async def followed(workbench: LocalWorkbench, identity: str) -> Comparison:
    last: Comparison | None = None
    async for event in workbench.comparisons.follow(identity):
        last = event.comparison
    assert last is not None
    return last


def changes_of(comparison: Comparison, case: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in cases_of(comparison) if each["caseId"] == case)
    return found


async def test_the_numbers_of_0_2_0(docs: LocalWorkbench) -> None:
    done = await compare(docs, "0.2.0")
    assert (done.status, done.error, done.cancel_reason) == ("completed", None, None)
    summary = summary_of(done)
    expected = {
        "weightedYesShare": (1 / 3, 1),
        "judgedCoverage": (0.75, 0.5),
        "weightedPrecisionAtK": (1 / 3, 1),
    }
    for name, (baseline, candidate) in expected.items():
        metric = summary["metrics"][name]
        assert (metric["baseline"], metric["candidate"], metric["n"]) == (
            pytest.approx(baseline),
            pytest.approx(candidate),
            3,
        )
    assert summary["metrics"]["weightedPrecisionAtK"]["k"] == 10
    counts = {
        name: summary[name]
        for name in ("cases", "diverged", "refusedWrites", "errors", "stopped", "repetitions")
    }
    assert counts == {
        "cases": 3,
        "diverged": 1,
        "refusedWrites": 0,
        "errors": 0,
        "stopped": 0,
        "repetitions": 1,
    }
    assert summary["status"] == "completed"
    assert summary["suite"] == {"id": SET, "version": "1.0.0"}
    assert summary["candidate"] == {"kind": "agent", "agentId": AGENT, "version": "0.2.0"}
    assert summary["baseline"] == {
        "kind": "recorded",
        "versions": [{"agentId": AGENT, "version": "0.1.0", "cases": 3}],
    }
    assert summary["sampling"] == {
        "models": [{"providerId": "anthropic", "model": "claude-sonnet-5-5", "runs": 3}]
    }
    password = changes_of(done, PASSWORD)
    assert password["diverged"] is True
    assert [tool["source"] for tool in password["tools"]] == ["live"]
    assert password["tools"][0]["arguments"] == {"query": "I forgot my password and can't sign in"}
    assert password["changes"] == {
        "kept": [{"key": "kb-101", "rankBefore": 0, "rank": 0}],
        "dropped": [{"key": "kb-102", "rankBefore": 1}, {"key": "kb-103", "rankBefore": 2}],
        "new": [{"key": "answer", "pointer": "/appended/3/content"}],
    }
    for case in (CHARGE, PACKAGE):
        told = changes_of(done, case)
        assert [tool["source"] for tool in told["tools"]] == ["recorded"]
        assert not told["diverged"]
        assert [len(told["changes"][name]) for name in ("kept", "dropped", "new")] == [1, 2, 1]
    ours = ours_of(done)
    assert ours["headline"] == (
        "People's judgments rate acme-ops.article-picker 0.2.0 better than the recorded runs: 33% yes before, 100% "
        "now, on the 3 of 3 cases with answers people judged. In 1 case it read something the recording didn't have."
    )
    assert ours["intervals"]["pass_rate"]["word"] == "too few cases"
    assert ours["waiting"] == 3
    assert [each["caseId"] for each in ours["cases"]] == [each["caseId"] for each in cases_of(done)]
    assert {each["standing"] for each in ours["cases"]} == {"improved"}
    assert done.progress.model_dump() == {
        "cases": 3,
        "repetitions": 3,
        "finished": 3,
        "finished_cases": 3,
        "errors": 0,
        "cost_usd": 0.0,
        "cached": 3,
        "judged": 0,
    }


async def test_0_3_0_is_refused_its_note_and_still_rated(docs: LocalWorkbench, tmp_path: Path) -> None:
    log = tmp_path / "suggestions.jsonl"
    await docs.packs.set_env("acme-ops", "ACME_OPS_LOG", str(log))
    done = await compare(docs, "0.3.0")
    assert metric_of(done) == (pytest.approx(1 / 3), 1)
    assert summary_of(done)["refusedWrites"] == 3
    assert summary_of(done)["diverged"] == 0
    for case in cases_of(done):
        read, note = case["tools"]
        assert (read["source"], note["source"]) == ("recorded", "refused")
        assert note["toolId"] == "acme-ops.log-suggestion"
        assert note["reason"] == "replay: this call changes things and has no recorded result"
        assert case["refusedWrites"] == 1
    assert not log.exists()
    # ASYNC240 is about slow folders; this one has a dozen files.
    assert [path.name for path in Path(docs.where).rglob("suggestions.jsonl")] == []  # noqa: ASYNC240
    assert "3 tool calls were refused" in ours_of(done)["headline"]


async def test_repetitions_and_their_spread(docs: LocalWorkbench) -> None:
    done = await compare(docs, "0.2.0", repetitions=3)
    metric = summary_of(done)["metrics"]["weightedYesShare"]
    # The third answer about the package keeps an article people said no to, besides the one they said yes to.
    per_repetition = []
    for repetition in range(3):
        scores = [case["candidate"][repetition] for case in cases_of(done)]
        yes, total = (sum(score[name] for score in scores) for name in ("yesWeight", "totalWeight"))
        per_repetition.append(yes / total)
    assert per_repetition == [1, 1, 3 / 4]
    assert metric["candidate"] == pytest.approx(sum(per_repetition) / 3)
    assert metric["spread"] == pytest.approx(max(per_repetition) - min(per_repetition))
    assert all(len(case["runIds"]) == 3 for case in cases_of(done))
    assert done.progress.repetitions == 9


async def test_live_reads_find_what_was_recorded(docs: LocalWorkbench) -> None:
    done = await compare(docs, "0.2.0", reads="live")
    assert (summary_of(done)["reads"], summary_of(done)["diverged"]) == ("live", 0)
    assert {tool["source"] for case in cases_of(done) for tool in case["tools"]} == {"live"}
    assert metric_of(done) == (pytest.approx(1 / 3), 1)


async def test_k_counts_the_first_places_alone(docs: LocalWorkbench) -> None:
    done = await compare(docs, "0.2.0", k=1)
    metric = summary_of(done)["metrics"]["weightedPrecisionAtK"]
    firsts = sum(case["baseline"]["topK"]["yesWeight"] for case in cases_of(done))
    assert metric["k"] == 1
    assert metric["baseline"] == pytest.approx(firsts / 3)
    assert metric["candidate"] == 1


async def test_a_rescore_counts_what_was_judged_since(docs: LocalWorkbench) -> None:
    done = await compare(docs, "0.2.0")
    before = changes_of(done, CHARGE)
    (item,) = before["changes"]["new"]
    run = before["runIds"][0]
    await docs.judgments.add(
        NewJudgment(
            run_id=run, item=ItemRef(key=item["key"], pointer=item["pointer"], rank=None), verdict="no"
        )
    )
    # The replay's picked article has its yes already: said again on the replay, it never overrides.
    kept = before["changes"]["kept"][0]
    await docs.judgments.add(
        NewJudgment(
            run_id=run,
            item=ItemRef(key=kept["key"], pointer="/output/articles/0", rank=kept["rank"]),
            verdict="no",
        )
    )
    again = await docs.comparisons.rescore(done.id)
    assert (again.status, again.rescore_of) == ("completed", done.id)
    # Three yes of three before; one new answer judged no makes it three of four.
    assert metric_of(again) == (pytest.approx(1 / 3), pytest.approx(3 / 4))
    # Four of six items are judged now, after three of six.
    assert metric_of(again, "judgedCoverage") == (0.75, pytest.approx(4 / 6))
    assert summary_of(again)["metrics"]["weightedYesShare"]["freshWeight"] == 1
    assert (again.progress.finished, again.progress.finished_cases) == (3, 3)
    assert ours_of(again)["waiting"] == 2
    twice = await docs.comparisons.rescore(again.id)
    assert (twice.rescore_of, metric_of(twice)) == (done.id, metric_of(again))
    with pytest.raises(Conflict, match="rescore"):
        await docs.comparisons.resume(again.id)


async def test_a_dry_run_says_what_would_run_and_runs_nothing(docs: LocalWorkbench) -> None:
    plan = await docs.comparisons.plan(await request(docs, "0.2.0", repetitions=2))
    assert (plan.cases, plan.repetitions, plan.cached, plan.cost_usd, plan.problems) == (3, 6, 6, 0.0, ())
    assert (plan.test_set_id, plan.test_set_version) == (SET, "1.0.0")
    assert (await docs.comparisons.list()).data == ()


async def test_fresh_without_a_provider_is_refused_at_once(docs: LocalWorkbench) -> None:
    asked = await request(docs, "0.2.0", fresh=True)
    for call in (docs.comparisons.start, docs.comparisons.plan):
        with pytest.raises(Unsupported, match="ANTHROPIC_API_KEY") as refused:
            await call(asked)
        assert refused.value.code == "no-provider"
    assert (await docs.comparisons.list()).data == ()


async def test_fresh_with_a_provider_whose_key_is_missing_is_refused_at_once(docs: LocalWorkbench) -> None:
    (Path(docs.where) / "models.toml").write_text("[providers.anthropic]\nconcurrency = 2\n")
    with pytest.raises(Unsupported, match="ANTHROPIC_API_KEY"):
        await docs.comparisons.start(await request(docs, "0.2.0", fresh=True))


async def test_a_repetition_nobody_wrote_down_is_the_cases_error(docs: LocalWorkbench) -> None:
    def forget(connection: Any) -> None:
        connection.execute("DELETE FROM replies")

    await docs.access.database.write(forget)
    plan = await docs.comparisons.plan(await request(docs, "0.2.0"))
    assert plan.cached == 0
    assert "no provider anthropic is configured" in plan.problems[0]
    done = await compare(docs, "0.2.0")
    assert (done.status, summary_of(done)["status"], summary_of(done)["errors"]) == ("completed", "failed", 3)
    assert metric_of(done) == (None, None)
    assert "no reply to this request is cached" in cases_of(done)[0]["error"]


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        ({"correlation_id": "pin:x"}, Invalid),
        ({"correlation_id": "latest:x"}, Invalid),
        ({"repetitions": 0}, Invalid),
        ({"repetitions": 11}, Invalid),
        ({"k": 0}, Invalid),
        ({"k": 101}, Invalid),
        ({"concurrency": 0}, Invalid),
        ({"cost_limit": -1.0}, Invalid),
        ({"case_timeout": 0.0}, Invalid),
        ({"subject_version": "1.0"}, Invalid),
        ({"subject_version": "0.9.0"}, NotFound),
        ({"version": "2.0.0"}, NotFound),
        ({"test_set_id": "acme.nothing"}, NotFound),
        ({"agent_id": "acme.nobody"}, NotFound),
        ({"flow_id": "acme.flow"}, Invalid),
        ({"agent_id": None, "flow_id": "acme.flow"}, Unsupported),
    ],
)
async def test_what_can_not_be_compared_is_refused_at_once(
    docs: LocalWorkbench, wrong: dict[str, Any], kind: type[Exception]
) -> None:
    asked = (await request(docs, "0.2.0")).model_copy(update=wrong)
    with pytest.raises(kind):
        await docs.comparisons.start(asked)
    assert (await docs.comparisons.list()).data == ()


FOLLOWER = """
import asyncio, json, sys
from pathlib import Path
from kindgi_tui.local.workbench import open_local


async def follow(folder, identity):
    workbench, _ = await open_local(Path(folder))
    async for event in workbench.comparisons.follow(identity):
        last = event
    print(json.dumps([last.kind, last.comparison.status, last.comparison.result["summary"]["metrics"]]))
    await workbench.close()


asyncio.run(follow(*sys.argv[1:]))
"""


async def test_another_process_follows_the_same_comparison(docs: LocalWorkbench) -> None:
    started = await docs.comparisons.start(await request(docs, "0.2.0"))
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", FOLLOWER, docs.where, started.id, stdout=asyncio.subprocess.PIPE
    )
    done = await followed(docs, started.id)
    told, _ = await other.communicate()
    assert json.loads(told) == ["end", "completed", summary_of(done)["metrics"]]


async def test_results_are_json_of_ascii(docs: LocalWorkbench) -> None:
    done = await compare(docs, "0.2.0")
    assert json.loads(json.dumps(done.result)) == done.result
