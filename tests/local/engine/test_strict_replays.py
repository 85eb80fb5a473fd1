"""Cases that expect something replay strictly; cases made from nothing have no recording (DESIGN sections 6 and 8)."""

from typing import Any

import pytest

from kindgi_tui.domain.base import Json
from kindgi_tui.local.engine.replay_rules import CHANGING, STRICT
from tests.local.engine.judging import correct, models, own_set, yes
from tests.local.engine.lab import (
    CHANGING as CHANGING_TOOLS,
)
from tests.local.engine.lab import (
    READ_ONLY,
    Lab,
    Recorded,
    calls,
    cases_of,
    seen_results,
    summary_of,
    tools_of,
)
from tests.local.models.server import say

CALLS: dict[str, Any] = {"decisions": "wrong", "shouldCall": [{"toolId": "lab.look", "args": {"text": "a"}}]}


@pytest.mark.parametrize("reads", ["recorded", "live"])
@pytest.mark.parametrize("own", [True, False])
async def test_no_tool_runs_whatever_else_is_set(lab: Lab, reads: Any, own: bool) -> None:
    run = await lab.judged(Recorded("look", {"text": "a"}, {"then": "a"}))
    if own:
        await own_set(lab, {run: {"expect": CALLS}})
    else:
        await correct(lab, run, "correction", CALLS)
    every: list[tuple[str, Json]] = [(name, {"text": "new"}) for name in (*READ_ONLY, *CHANGING_TOOLS)]
    models(lab, calls(("look", {"text": "a"}), *every), say("x"), judge=yes())
    done = await lab.compare(reads=reads)
    first, *rest = tools_of(done)
    assert first["source"] == "recorded"
    assert {trace["toolId"]: trace["reason"] for trace in rest if trace["source"] == "refused"}.keys() == {
        f"lab.{name}" for name, _ in every
    }
    reasons = {trace["toolId"].removeprefix("lab."): trace["reason"] for trace in rest}
    assert {reasons[name] for name in READ_ONLY} == {STRICT} == {"replay: this read has no recorded result"}
    assert lab.witnessed() == []
    results = seen_results(lab.server.received[-1])
    assert results[0] == '{"then": "a"}'
    assert STRICT in results[1]
    (case,) = cases_of(done)
    assert (case["diverged"], summary_of(done)["diverged"]) == (False, 0)
    assert summary_of(done)["refusedWrites"] == len(every)
    # The call it should have made was made; `look` was called once too often, and was refused then.
    (differences,) = case["correctionDifferences"]
    count = differences["differences"][0]
    assert (count["kind"], count["expected"], count["actual"]) == ("count", 1, 2)


@pytest.mark.parametrize("own", [True, False])
async def test_a_case_that_expects_nothing_replays_as_ever(lab: Lab, own: bool) -> None:
    await lab.judged(Recorded("look", {"text": "a"}, {"then": "a"}))
    if own:
        await own_set(lab, {})
    models(lab, calls(("look", {"text": "b"})), say("x"), judge=yes())
    done = await lab.compare()
    assert tools_of(done)[0]["source"] == "live"
    assert summary_of(done)["diverged"] == 1


async def test_a_corrected_case_is_strict_under_experts_only_too(lab: Lab) -> None:
    run = await lab.judged(Recorded("look", {"text": "a"}, {"then": "a"}))
    await correct(lab, run, "correction", CALLS)
    models(lab, calls(("look", {"text": "b"})), say("x"), judge=yes())
    done = await lab.compare(weighing="experts-only")
    assert tools_of(done)[0]["reason"] == STRICT
    assert "corrections" not in summary_of(done)


async def test_a_case_made_from_nothing_reads_live_refuses_writes_and_is_never_diverged(lab: Lab) -> None:
    run = await lab.judged()
    made: dict[str, Any] = {
        "fromNothing": True, "expect": CALLS, "expert": True, "output": None, "context": None, "items": [],
        "runId": None,
    }  # fmt: skip
    await own_set(lab, {run: made})
    models(lab, calls(("look", {"text": "a"}), ("note", {"text": "a"})), say("x"), judge=yes())
    done = await lab.compare()
    (case,) = cases_of(done)
    assert [(t["toolId"], t["source"]) for t in case["tools"]] == [
        ("lab.look", "live"),
        ("lab.note", "refused"),
    ]
    assert case["tools"][1]["reason"] == CHANGING
    assert [each["tool"] for each in lab.witnessed()] == ["lab.look"]
    assert (case["diverged"], summary_of(done)["diverged"], case["refusedWrites"]) == (False, 0, 1)
    assert case["corrections"][0]["pass"] is True
    (replay,) = await lab.replays(done.id)
    # It is a replay all the same, so that lists leave it out.
    assert replay.replay_of == case["caseId"] == f"case-{run}"


async def test_a_replay_names_the_past_run_and_not_the_case(lab: Lab) -> None:
    run = await lab.judged()
    await own_set(lab, {run: {"expect": CALLS}})
    models(lab, say("x"), judge=yes())
    done = await lab.compare()
    (replay,) = await lab.replays(done.id)
    output: Any = replay.output
    assert (replay.replay_of, output["replay"]["of"]) == (run, run)
    assert cases_of(done)[0]["caseId"] == f"case-{run}"
