"""Judging beside other repetitions, and how it ends before its time: killed, cancelled, at a cost limit."""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.local.engine.running import run_comparison
from kindgi_tui.local.store import comparisons
from kindgi_tui.local.store.checks import judged_answers
from tests.local.engine.judging import PRICES, UNJUDGED, asks_to_judge, models, no, own_set, yes
from tests.local.engine.lab import Lab, cases_of, ours_of, question_of, summary_of
from tests.local.engine.test_comparing import comparable
from tests.local.models.server import Answer, Received, say

WRONG: dict[str, Any] = {"answer": "wrong", "shouldSay": "ten days"}


async def many(lab: Lab, count: int) -> None:
    """That many cases that expect something of the answer."""
    runs = [await lab.judged(question=f"question {number}") for number in range(count)]
    await own_set(lab, {run: {"expect": WRONG} for run in runs})


async def until_judged(lab: Lab, identity: str, judged: int) -> Comparison:
    """Waits until that many verdicts are written down; at most 20 seconds."""
    for _ in range(2000):
        now = await lab.workbench.comparisons.get(identity)
        if now.progress.judged >= judged:
            return now
        await asyncio.sleep(0.01)
    raise AssertionError(f"fewer than {judged} verdicts")


async def test_judging_runs_beside_other_repetitions_and_no_more_at_once_than_asked(lab: Lab) -> None:
    await many(lab, 12)
    models(lab, say("x", delay=0.02), judge=yes(delay=0.02))
    done = await lab.compare(concurrency=3)
    assert done.progress.judged == 12
    assert lab.server.max_in_flight == 3
    kinds = [asks_to_judge(received) for received in lab.server.received]
    # The first verdicts were asked for while repetitions were still to come.
    assert kinds.index(True) < len(kinds) - 1 - kinds[::-1].index(False)


async def test_the_result_is_the_same_whatever_order_cases_are_judged_in(lab: Lab) -> None:
    await many(lab, 6)

    def judge(about: dict[str, Any]) -> Answer:
        number = int(about["question"].split()[-1])
        return no(f"Not {number}.", delay=0.02 * (6 - number)) if number % 2 else yes(delay=0.02)

    models(lab, say("x"), judge=judge)
    alone = await lab.compare(concurrency=1, repetitions=2, fresh=True)
    together = await lab.compare(concurrency=12, repetitions=2, fresh=True)
    assert comparable(together) == comparable(alone)
    assert summary_of(alone)["corrections"] == {"checked": 6, "passed": 3}


async def test_while_answers_are_judged_nothing_has_failed_yet(lab: Lab) -> None:
    await many(lab, 2)
    models(lab, say("x"), judge=lambda about: yes() if about["question"] == "question 0" else yes(delay=1.5))
    identity = await lab.pending(concurrency=4)
    running = asyncio.create_task(lab.run(identity))
    now = await until_judged(lab, identity, 1)
    assert now.progress.finished == now.progress.repetitions == 2
    partial: Any = await lab.workbench.comparisons.partial(identity)
    assert now.status == "running"
    by_question = {
        question: case
        for case in partial["perCase"]
        for question in [(await lab.workbench.runs.get(case["runIds"][0])).input]
    }
    assert by_question["question 0"]["corrections"][0]["pass"] is True
    waiting = by_question["question 1"]
    assert not {"corrections", "unchecked"} & set(waiting)
    assert "checks" not in waiting["candidate"][0]
    assert partial["summary"]["corrections"] == {"checked": 1, "passed": 1}
    assert "unchecked" not in partial["summary"]
    assert partial["ours"]["judge"] == {"provider": "local", "model": "mock"}
    done = await running
    assert summary_of(done)["corrections"] == {"checked": 2, "passed": 2}


async def test_a_partial_result_follows_verdicts_when_no_repetition_is_left(lab: Lab) -> None:
    await many(lab, 3)
    models(lab, say("x"), judge=lambda about: yes(delay=0.4 * int(about["question"][-1])))
    identity = await lab.pending(concurrency=4)
    running = asyncio.create_task(lab.run(identity))
    checked: list[int] = []
    while not running.done():
        partial: Any = await lab.workbench.comparisons.partial(identity)
        if partial is not None:
            checked.append(partial["summary"].get("corrections", {}).get("checked", 0))
        await asyncio.sleep(0.05)
    await running
    assert checked == sorted(checked)
    assert {1, 2} <= set(checked)


async def test_killed_in_the_middle_of_judging_nothing_is_judged_twice(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KINDGI_TUI_MODELS", str(lab.folder / "models.toml"))
    await many(lab, 8)
    asked: list[str] = []
    turns: list[str] = []
    slow = True

    def judge(about: dict[str, Any]) -> Answer:
        asked.append(about["question"])
        # Until it is killed, the fourth verdict and those after it are under way.
        delay = 60 if slow and len(asked) > 3 else 0
        return no("Not it.", delay=delay) if about["question"][-1] in "246" else yes(delay=delay)

    made = models(lab, say("x"), judge=judge)
    made.answers = lambda received: turns.append(question_of(received)) or say("x")  # type: ignore[func-returns-value]
    identity = await lab.pending(concurrency=2, fresh=True)
    log = (tmp_path / "log").open("wb")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "kindgi_tui.local.engine.executor", str(lab.folder), identity,
        stdout=log, stderr=log,
    )  # fmt: skip
    try:
        await until_judged(lab, identity, 3)
    finally:
        process.kill()
        await process.wait()
        log.close()
    written = await lab.workbench.access.read(lambda c: judged_answers(c, identity))
    assert len(written) == 3
    # Its lease runs out; before, it must last for as long as a process takes to start.
    monkeypatch.setenv(comparisons.LEASE_VARIABLE, "0.1")
    for _ in range(100):
        stopped = await lab.workbench.comparisons.get(identity)
        if stopped.status == "failed":
            break
        await asyncio.sleep(0.1)
    assert str(stopped.error).startswith("Interrupted: ")
    # What was found by then counts; nothing else has failed for that.
    assert summary_of(stopped)["corrections"]["checked"] == len(written)
    reasons = summary_of(stopped).get("unchecked", {"reasons": [UNJUDGED]})["reasons"]
    assert reasons == [UNJUDGED]
    finished = stopped.progress.finished
    monkeypatch.delenv(comparisons.LEASE_VARIABLE)
    slow = False
    asked.clear()
    turns.clear()
    done = await lab.reopened(identity)
    assert (done.status, done.progress.judged, done.progress.finished) == ("completed", 8, 8)
    judged_before = {
        question
        for one in written
        for question in [(await lab.workbench.runs.get(one.case_id.removeprefix("case-"))).input]
    }
    assert not judged_before & set(asked)
    assert len(asked) == 5
    assert len(turns) == 8 - finished
    undisturbed = await lab.compare(fresh=True)
    assert comparable(done)["perCase"] == comparable(undisturbed)["perCase"]
    assert summary_of(done)["corrections"] == {"checked": 8, "passed": 5}


async def test_told_to_end_while_judging_it_can_be_resumed_with_the_model_that_judged(lab: Lab) -> None:
    await many(lab, 4)
    models(lab, say("x"), judge=lambda about: yes(delay=0 if about["question"][-1] in "01" else 20))
    identity = await lab.pending(concurrency=4, fresh=True)
    running = asyncio.create_task(lab.run(identity))
    await until_judged(lab, identity, 2)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    stopped = await lab.workbench.comparisons.get(identity)
    assert (stopped.status, stopped.progress.finished, stopped.progress.judged) == ("failed", 4, 2)
    assert summary_of(stopped)["corrections"] == {"checked": 2, "passed": 2}
    assert summary_of(stopped)["unchecked"] == {"count": 2, "reasons": [UNJUDGED]}
    # Another model is asked in its place from now on; the answers that are left are judged by the first one.
    asked: list[str] = []

    def judge(about: dict[str, Any]) -> Answer:
        asked.append(lab.server.received[-1].body["model"])
        return yes()

    models(lab, say("x"), judge=judge)
    with (lab.folder / "models.toml").open("a") as file:
        file.write('[instead]\n"local/mock" = "local/another"\n')
    done = await lab.reopened(identity)
    assert asked == ["mock", "mock"]
    assert ours_of(done)["judge"] == {"provider": "local", "model": "mock"}
    assert summary_of(done)["corrections"] == {"checked": 4, "passed": 4}


async def test_cancelling_ends_it_within_a_second_while_the_judging_model_hangs(lab: Lab) -> None:
    await many(lab, 2)
    models(lab, say("x"), judge=lambda about: yes(delay=0 if about["question"][-1] == "0" else 30))
    identity = await lab.pending(concurrency=2)
    running = asyncio.create_task(lab.run(identity))
    await until_judged(lab, identity, 1)
    asked_at = time.monotonic()
    await lab.workbench.comparisons.cancel(identity)
    done = await running
    took = time.monotonic() - asked_at
    assert (done.status, done.cancel_reason, done.progress.judged) == ("cancelled", "person", 1)
    assert took < 5, f"{took:.2f} s; a second on a quiet machine"
    assert summary_of(done)["corrections"] == {"checked": 1, "passed": 1}
    assert summary_of(done)["unchecked"] == {"count": 1, "reasons": [UNJUDGED]}
    models(lab, say("x"), judge=no("It says nothing."))
    again = await lab.reopened(identity)
    assert (again.status, again.progress.judged) == ("completed", 2)
    assert summary_of(again)["corrections"] == {"checked": 2, "passed": 1}


async def test_a_cancelled_case_with_repetitions_to_come_has_not_failed(lab: Lab) -> None:
    await many(lab, 1)
    turns: list[Received] = []
    made = models(lab, judge=yes())
    made.answers = lambda received: turns.append(received) or say("x", delay=0 if len(turns) == 1 else 30)  # type: ignore[func-returns-value]
    identity = await lab.pending(concurrency=2, repetitions=2)
    running = asyncio.create_task(lab.run(identity))
    await lab.until(identity, 1)
    await lab.workbench.comparisons.cancel(identity)
    done = await running
    assert (done.status, made.judged) == ("cancelled", [])
    assert not {"corrections", "unchecked"} & set(summary_of(done))
    assert not {"corrections", "unchecked"} & set(cases_of(done)[0])


async def test_the_cost_limit_holds_for_verdicts_too(lab: Lab) -> None:
    lab.models(PRICES)
    await many(lab, 5)
    models(lab, say("x", delay=0.01), judge=yes(delay=0.01))
    # Three turns and their verdicts are 12 cents; a thirteenth would pass it.
    done = await lab.compare(cost_limit=0.13, concurrency=1)
    assert (done.status, done.cancel_reason) == ("cancelled", "cost-limit")
    assert done.progress.cost_usd == pytest.approx(0.12)
    assert (done.progress.finished, done.progress.judged) == (3, 3)
    again = await lab.reopened(done.id)
    assert again.status == "cancelled"
    assert again.progress.cost_usd == pytest.approx(0.12)
    # Seven cents end in the middle of the second case: it was replayed, and isn't judged.
    short = await lab.compare(cost_limit=0.07, concurrency=1, fresh=True)
    assert (short.status, short.progress.finished, short.progress.judged) == ("cancelled", 2, 1)
    assert short.progress.cost_usd == pytest.approx(0.06)
    assert summary_of(short)["corrections"] == {"checked": 1, "passed": 1}
    assert summary_of(short)["unchecked"] == {"count": 1, "reasons": [UNJUDGED]}


async def test_progress_and_partial_cost_have_what_judging_cost(lab: Lab) -> None:
    lab.models(PRICES)
    await many(lab, 1)
    models(lab, say("x"), judge=say("Hm."))
    done = await lab.compare(repetitions=3)
    # Three turns, and three tries at the first answer; one that can't be checked ends it.
    assert done.progress.cost_usd == pytest.approx(0.12)
    assert ours_of(done)["costUsd"] == pytest.approx(0.12)
    assert len(lab.server.received) == 6


async def test_one_whose_lease_was_taken_writes_no_verdict(lab: Lab) -> None:
    await many(lab, 1)
    models(lab, say("x"), judge=yes(delay=1.0))
    identity = await lab.pending()
    running = asyncio.create_task(run_comparison(lab.workbench.access.database, lab.folder, identity))
    await lab.until(identity, 1)

    def steal(connection: Any) -> None:
        connection.execute("UPDATE comparisons SET owner = 'thief' WHERE id = ?", (identity,))

    await lab.workbench.access.database.write(steal)
    await running
    assert await lab.workbench.access.read(lambda c: judged_answers(c, identity)) == []
