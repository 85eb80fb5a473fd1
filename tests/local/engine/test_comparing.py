"""Comparisons: options, what they cost, how they are resumed and cancelled, and how they end when nobody ends them."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison, SamplePart
from kindgi_tui.domain.judgments import ItemRef, Restriction
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.local.engine.notebook import Notebook
from kindgi_tui.local.engine.replaying import Replayed, failed_replay
from kindgi_tui.local.engine.running import run_comparison
from kindgi_tui.local.models.config import load_models
from kindgi_tui.local.store import comparisons
from kindgi_tui.workbench import Conflict
from tests.local.engine.lab import (
    Lab,
    calls,
    cases_of,
    metric_of,
    ours_of,
    place_of,
    question_of,
    summary_of,
)
from tests.local.models.server import Answer, Received, say

THE_ANSWER = "the recorded answer"
PRICES = 'prices."mock" = { input = 1000.0, output = 0.0 }'
"""A call that reads 20 tokens costs 2 cents."""


class ByVisit:
    """Answers the first and the second repetition of a question differently, the first one much later."""

    def __init__(self) -> None:
        self.visits: dict[str, int] = {}

    def __call__(self, received: Received) -> Answer:
        question = question_of(received)
        visit = self.visits[question] = self.visits.get(question, 0) + 1
        number = int(question.split()[-1])
        right = (number + visit * (number % 3 == 0)) % 2 == 0
        return say(
            THE_ANSWER if right else f"new {number}", delay=0.15 if visit == 1 else 0.01 * (number % 4)
        )


def comparable(comparison: Comparison) -> Any:
    """A result without what differs between any two comparisons: ids and times."""
    result: Any = json.loads(json.dumps(comparison.result))
    del result["summary"]["evalRunId"], result["summary"]["completedAt"]
    for case in result["perCase"]:
        case["runIds"] = len(case["runIds"])
    result["ours"]["headline"] = result["ours"]["headline"].replace(comparison.id, "")
    return result


async def test_the_result_is_the_same_whatever_the_order_of_completion(lab: Lab) -> None:
    await lab.ten()
    lab.server.respond = ByVisit()
    alone = await lab.compare(concurrency=1, repetitions=2)
    lab.server.respond = ByVisit()
    together = await lab.compare(concurrency=16, repetitions=2, fresh=True)
    assert comparable(together) == comparable(alone)
    assert [case for case in cases_of(alone) if case["candidate"][0] != case["candidate"][1]]
    assert [case["caseId"] for case in cases_of(alone)] == list(reversed(lab.runs))
    assert ours_of(alone)["intervals"]["pass_rate"]["word"] == "too few cases"


@pytest.mark.parametrize("concurrency", [1, 3, 24])
async def test_as_many_run_at_once_as_asked_and_no_more(lab: Lab, concurrency: int) -> None:
    await lab.ten()
    lab.says(say(THE_ANSWER, delay=1.0 if concurrency > 3 else 0.02))
    await lab.compare(concurrency=concurrency, repetitions=3, fresh=True)
    assert lab.server.max_in_flight == concurrency


async def test_a_provider_s_own_concurrency_wins_over_the_comparison_s(lab: Lab) -> None:
    await lab.ten()
    lab.models("free = true\nconcurrency = 2")
    lab.says(say(THE_ANSWER, delay=0.02))
    await lab.compare(concurrency=24)
    assert lab.server.max_in_flight == 2


async def test_spread_over_repetitions(lab: Lab) -> None:
    await lab.judged(verdict="yes")
    await lab.judged(verdict="no")

    asked: dict[str, int] = {}

    def respond(received: Received) -> Answer:
        question = question_of(received)
        asked[question] = asked.get(question, 0) + 1
        # The second case drops its wrong answer in one of four repetitions.
        return say("another" if question == "question 2" and asked[question] == 2 else THE_ANSWER)

    lab.server.respond = respond
    done = await lab.compare(repetitions=4, concurrency=1)
    metric = summary_of(done)["metrics"]["weightedYesShare"]
    # Three repetitions at 1 of 2, one at 1 of 1.
    assert metric["candidate"] == pytest.approx((3 * 0.5 + 1) / 4)
    assert metric["spread"] == pytest.approx(0.5)
    assert metric["n"] == 2


async def test_a_sample_splits_the_same_way_every_time_and_completely(lab: Lab) -> None:
    await lab.ten()
    lab.says(say(THE_ANSWER))

    async def part(which: Any, seed: str = "s") -> list[str]:
        sample = SamplePart(part=which, seed=seed, hold_out_share=0.3)
        done = await lab.compare(sample=sample)
        assert summary_of(done)["sample"] == {"part": which, "seed": seed, "holdOutShare": 0.3}
        assert done.progress.cases == len(cases_of(done)) == summary_of(done)["cases"]
        return [case["caseId"] for case in cases_of(done)]

    held, searched = await part("hold-out"), await part("search")
    assert not set(held) & set(searched)
    assert set(held) | set(searched) == set(lab.runs)
    # Four cases with a no and six without: 0.3 of each, rounded half up.
    assert len(held) == 1 + 2
    assert await part("hold-out") == held
    assert [each for seed in ("a", "b", "c") if (each := await part("hold-out", seed)) != held]


async def test_a_sample_is_rescored_as_it_was_taken(lab: Lab) -> None:
    await lab.ten()
    lab.says(say(THE_ANSWER))
    sample = SamplePart(part="hold-out", seed="s", hold_out_share=0.3)
    done = await lab.compare(sample=sample)
    again = await lab.workbench.comparisons.rescore(done.id)
    assert [case["caseId"] for case in cases_of(again)] == [case["caseId"] for case in cases_of(done)]
    assert metric_of(again) == metric_of(done)


async def test_experts_only_counts_what_experts_said(lab: Lab) -> None:
    wb = lab.workbench
    me = (await wb.people.me()).id
    experts = await wb.groups.add("experts", 2.0, restriction=Restriction(principal_ids=(me,)))
    first, second = await lab.judged(verdict="yes"), await lab.judged(verdict="yes")
    item = ItemRef(key="answer", pointer="/appended/1/content")
    await wb.judgments.add(NewJudgment(run_id=first, item=item, verdict="no", group=experts.id))
    lab.says(say(THE_ANSWER))
    everybody = await lab.compare()
    # 1 yes and 2 no of the first case, 1 yes of the second.
    assert metric_of(everybody) == (pytest.approx(2 / 4), pytest.approx(2 / 4))
    alone = await lab.compare(weighing="experts-only")
    assert metric_of(alone) == (0, 0)
    assert summary_of(alone)["metrics"]["weightedYesShare"]["n"] == 1
    assert metric_of(alone, "judgedCoverage") == (0.5, 0.5)
    assert second in {case["caseId"] for case in cases_of(alone)}


async def test_resuming_runs_no_finished_repetition_again(lab: Lab) -> None:
    await lab.ten()
    asked: list[str] = []

    def respond(received: Received) -> Answer:
        asked.append(question_of(received))
        return say(THE_ANSWER, delay=0.02)

    lab.server.respond = respond
    identity = await lab.pending(concurrency=2, repetitions=2, fresh=True)
    running = asyncio.create_task(lab.run(identity))
    await lab.until(identity, 5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    stopped = await lab.workbench.comparisons.get(identity)
    finished = stopped.progress.finished
    assert stopped.status == "failed"
    assert str(stopped.error).startswith("Interrupted: the test run's executor stopped before it finished. ")
    assert 5 <= finished < 20
    assert finished <= len(asked) <= finished + 2
    asked.clear()
    done = await lab.reopened(identity)
    assert (done.status, done.progress.finished, done.error) == ("completed", 20, None)
    assert len(asked) == 20 - finished
    undisturbed = await lab.compare(repetitions=2)
    assert comparable(done)["perCase"] == comparable(undisturbed)["perCase"]
    with pytest.raises(Conflict, match="completed"):
        await lab.workbench.comparisons.resume(identity)


async def test_cancelling_ends_it_within_a_second_also_while_a_tool_hangs(lab: Lab) -> None:
    await lab.judged()
    await lab.judged(question="quick")
    lab.server.respond = lambda got: (
        say(THE_ANSWER)
        if question_of(got) == "quick" or place_of(got)
        else calls(("look", {"text": "sleep 30"}))
    )
    identity = await lab.pending(concurrency=2)
    running = asyncio.create_task(lab.run(identity))
    await lab.until(identity, 1)
    for _ in range(500):
        if lab.witnessed():
            break
        await asyncio.sleep(0.02)
    asked_at = time.monotonic()
    await lab.workbench.comparisons.cancel(identity)
    while (now := await lab.workbench.comparisons.get(identity)).status == "running":
        assert time.monotonic() - asked_at < 10
        await asyncio.sleep(0.01)
    took = time.monotonic() - asked_at
    assert (now.status, now.cancel_reason, now.progress.finished) == ("cancelled", "person", 1)
    assert metric_of(now) == (1, 1)
    assert took < 5, f"{took:.2f} s; a second on a quiet machine"
    await running
    with pytest.raises(Conflict) as refused:
        await lab.workbench.comparisons.cancel(identity)
    assert refused.value.code == "eval-run-already-terminal"


async def test_one_that_nobody_runs_yet_is_cancelled_at_once(lab: Lab) -> None:
    await lab.judged()
    identity = await lab.pending()
    cancelled = await lab.workbench.comparisons.cancel(identity)
    assert (cancelled.status, cancelled.cancel_reason) == ("cancelled", "person")
    config = load_models(lab.folder, environment={})
    assert not await run_comparison(lab.workbench.access.database, lab.folder, identity, config)
    assert lab.server.received == []


async def test_only_one_runs_a_comparison(lab: Lab) -> None:
    await lab.judged()
    lab.says(say(THE_ANSWER, delay=0.05))
    identity = await lab.pending()
    config = load_models(lab.folder, environment={})
    database = lab.workbench.access.database
    ran = await asyncio.gather(*(run_comparison(database, lab.folder, identity, config) for _ in range(3)))
    assert sorted(ran) == [False, False, True]
    assert len(lab.server.received) == 1


async def test_an_executor_whose_lease_was_taken_ends_and_writes_nothing_more(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(comparisons.LEASE_VARIABLE, "1")
    await lab.ten()
    lab.says(say(THE_ANSWER, delay=0.3))
    identity = await lab.pending(concurrency=1)
    running = asyncio.create_task(lab.run(identity))
    database = lab.workbench.access.database
    await lab.until(identity, 1)

    def steal(connection: Any) -> None:
        connection.execute("UPDATE comparisons SET owner = 'thief' WHERE id = ?", (identity,))

    await database.write(steal)
    before = (await lab.workbench.comparisons.get(identity)).progress.finished
    ended = await running
    assert ended.status == "running", "it is the thief's to end"
    assert ended.progress.finished <= before
    replays = await lab.replays(identity)
    assert len(replays) == ended.progress.finished


async def test_what_is_not_ones_own_is_not_written_but_paid_replies_are(lab: Lab) -> None:
    case = await lab.judged()
    identity = await lab.pending()
    database = lab.workbench.access.database
    await database.write(lambda c: comparisons.claim(c, identity, "another", 1))
    run = (await lab.workbench.runs.get(case)).model_copy(
        update={"id": "00000000-0000-4000-8000-888888888888", "replay_of": case, "comparison_id": identity}
    )
    repetition = failed_replay(case, 1, "it failed").repetition
    with Notebook(database, identity, "me", lambda: None) as notebook:
        await notebook.keep("key", {"text": "paid for"})
        assert await notebook.reply("key") == {"text": "paid for"}
        await notebook.finished(Replayed(repetition, run))
        notebook.close()
        assert not await notebook.write()
        assert await notebook.reply("key") == {"text": "paid for"}
        assert await notebook.reply("other") is None
    assert await lab.replays(identity) == []
    assert (await lab.workbench.comparisons.get(identity)).progress.finished == 0


async def test_a_dead_lease_is_ended_by_whoever_finds_it(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        await lab.judged()
    lab.says(say(THE_ANSWER))
    identity = await lab.pending()
    await lab.run(identity)

    def dead(connection: Any) -> None:
        connection.execute(
            "DELETE FROM repetitions WHERE case_id = ? AND comparison = (SELECT seq FROM comparisons WHERE id = ?)",
            (lab.runs[0], identity),
        )
        connection.execute(
            "UPDATE comparisons SET status = 'running', owner = 'gone', result = NULL, completed = NULL, "
            "finished = 2, finished_cases = 2, heartbeat = heartbeat - 11000 WHERE id = ?",
            (identity,),
        )

    await lab.workbench.access.database.write(dead)
    found = await lab.workbench.comparisons.get(identity)
    assert found.status == "failed"
    assert found.error == (
        "Interrupted: the test run's executor stopped before it finished. 2 of 3 cases finished."
    )
    assert summary_of(found)["cases"] == 2
    done = await lab.reopened(identity)
    assert (done.status, summary_of(done)["cases"], done.error) == ("completed", 3, None)


async def test_a_living_lease_is_left_alone(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(comparisons.LEASE_VARIABLE, "0.5")
    await lab.judged()
    lab.says(say(THE_ANSWER, delay=1.5))
    identity = await lab.pending()
    running = asyncio.create_task(lab.run(identity))
    seen = set()
    while not running.done():
        seen.add((await lab.workbench.comparisons.get(identity)).status)
        await asyncio.sleep(0.1)
    assert (await running).status == "completed"
    assert seen <= {"pending", "running", "completed"}


async def test_a_models_file_that_broke_meanwhile_ends_it_with_the_sentence(lab: Lab) -> None:
    await lab.judged()
    identity = await lab.pending()
    (lab.folder / "models.toml").write_text("this is = not = toml")
    database = lab.workbench.access.database
    assert await run_comparison(database, lab.folder, identity)
    ended = await lab.workbench.comparisons.get(identity)
    assert ended.status == "failed"
    assert "models.toml" in str(ended.error)
    lab.models()
    lab.says(say(THE_ANSWER))
    assert (await lab.reopened(identity)).status == "completed"


async def test_a_mistake_of_this_program_ends_it_with_a_sentence(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from kindgi_tui.local.engine import running

    def wrong(*_: Any) -> Any:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(running, "load_candidate", wrong)
    await lab.judged()
    identity = await lab.pending()
    ended = await lab.run(identity)
    assert ended.status == "failed"
    assert str(ended.error).startswith("kindgi-tui made a mistake here (ZeroDivisionError: a bug)")
    assert "Traceback" in caplog.text


async def test_a_plan_tells_what_is_stored_what_it_may_cost_and_what_is_wrong(lab: Lab) -> None:
    lab.models(PRICES)
    usage: dict[str, Json] = {"totalCostUsd": 0.5}
    run = await lab.judged()
    detail = await lab.workbench.runs.get(run)
    output: Any = detail.output

    def priced(connection: Any) -> None:
        connection.execute(
            "UPDATE run_documents SET output = ? WHERE run = (SELECT seq FROM runs WHERE id = ?)",
            (json.dumps({**output, "usage": usage}), run),
        )

    await lab.workbench.access.database.write(priced)
    await lab.judged(context={"severalTurns": True})
    await lab.build()
    plan = await lab.workbench.comparisons.plan(lab.request(repetitions=2))
    assert (plan.cases, plan.repetitions, plan.cached) == (2, 4, 0)
    assert plan.cost_usd == pytest.approx(2.0)
    assert len(plan.problems) == 1
    assert plan.problems[0].startswith("1 of 2 cases hold several turns")
    lab.says(say(THE_ANSWER))
    await lab.compare()
    after = await lab.workbench.comparisons.plan(lab.request(repetitions=2))
    assert after.cached == 1


async def test_an_executor_that_can_not_be_started_is_told_and_can_be_resumed(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kindgi_tui.local.engine import executor
    from kindgi_tui.workbench import Unavailable

    def no_process(folder: Path, identity: str) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(executor, "spawn", no_process)
    await lab.judged()
    await lab.build()
    with pytest.raises(Unavailable, match="comparisons resume"):
        await lab.workbench.comparisons.start(lab.request())
