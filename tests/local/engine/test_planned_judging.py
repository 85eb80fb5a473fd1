"""A dry run counts the answers that are to be judged, and says what that may cost."""

import json
from typing import Any

import pytest

from kindgi_tui.domain.comparison_records import JudgeModel
from kindgi_tui.workbench import Invalid
from tests.local.engine.judging import PRICES, correct, models, own_set, yes
from tests.local.engine.lab import Lab, Recorded
from tests.local.models.server import say

WRONG: dict[str, Any] = {"answer": "wrong", "shouldSay": "ten days"}
CALLS: dict[str, Any] = {"decisions": "right"}
HERE = JudgeModel(provider="local", model="mock")
ELSEWHERE = JudgeModel(provider="elsewhere", model="m")


async def priced(lab: Lab, run: str, usage: dict[str, Any]) -> None:
    """Has a recorded run say what it used."""
    detail: Any = await lab.workbench.runs.get(run)
    document = json.dumps({**detail.output, "usage": usage})

    def write(connection: Any) -> None:
        connection.execute(
            "UPDATE run_documents SET output = ? WHERE run = (SELECT seq FROM runs WHERE id = ?)",
            (document, run),
        )

    await lab.workbench.access.database.write(write)


async def test_answers_to_judge_are_counted_per_entry_and_repetition(lab: Lab) -> None:
    lab.models(PRICES)
    first = await lab.judged(Recorded("look", {"text": "a"}, "then"))
    second = await lab.judged()
    await lab.judged()
    await priced(lab, first, {"totalCostUsd": 0.6, "steps": 2})
    await priced(lab, second, {"totalCostUsd": 0.2, "steps": 2})
    await correct(lab, first, "one", WRONG)
    await correct(lab, first, "two", {"answer": "right", **CALLS}, asserter="ann", expert=True)
    await correct(lab, second, "three", CALLS)
    await lab.build()
    plan = await lab.workbench.comparisons.plan(lab.request(repetitions=3))
    assert (plan.cases, plan.repetitions, plan.judged) == (3, 9, 6)
    # Nine turns at 40 cents, the mean; six verdicts at 20 cents, what one of their four calls cost.
    assert plan.cost_usd == pytest.approx(9 * 0.4 + 6 * 0.2)
    experts = await lab.workbench.comparisons.plan(lab.request(repetitions=3, weighing="experts-only"))
    assert experts.judged == 3


async def test_calls_are_counted_where_the_recording_does_not_say_how_many_there_were(lab: Lab) -> None:
    run = await lab.judged(Recorded("look", {"text": "a"}, "then"), Recorded("look", {"text": "b"}, "then"))
    await priced(lab, run, {"totalCostUsd": 0.6})
    await own_set(lab, {run: {"expect": WRONG}})
    plan = await lab.workbench.comparisons.plan(lab.request())
    # Two messages with calls, and the answer.
    assert plan.cost_usd == pytest.approx(0.6 + 0.2)


async def test_verdicts_that_were_given_before_cost_nothing_again(lab: Lab) -> None:
    run = await lab.judged()
    await priced(lab, run, {"totalCostUsd": 0.5, "steps": 1})
    await own_set(lab, {run: {"expect": WRONG}})
    models(lab, say("x"), judge=yes())
    comparisons = lab.workbench.comparisons
    assert (await comparisons.plan(lab.request())).cost_usd == pytest.approx(1.0)
    await lab.compare()
    again = await comparisons.plan(lab.request())
    assert (again.cached, again.judged, again.cost_usd) == (1, 1, 0.0)
    assert (await comparisons.plan(lab.request(judge_model=HERE))).cost_usd == 0.0
    # Another judge, fresh replies, another version: they are asked for.
    other = lab.request(judge_model=JudgeModel(provider="local", model="other"))
    assert (await comparisons.plan(other)).cost_usd == pytest.approx(0.5)
    assert (await comparisons.plan(lab.request(fresh=True))).cost_usd == pytest.approx(1.0)
    assert (await comparisons.plan(lab.request("0.4.0"))).cost_usd == pytest.approx(1.0)


async def test_a_judge_nobody_can_ask_is_a_problem(lab: Lab) -> None:
    run = await lab.judged()
    await own_set(lab, {run: {"expect": WRONG}})
    plan = await lab.workbench.comparisons.plan(lab.request(judge_model=ELSEWHERE))
    (problem,) = plan.problems
    assert problem.startswith("1 answer is to be judged by elsewhere/m, and no provider elsewhere is")
    assert plan.cost_usd is None
    assert (await lab.workbench.comparisons.plan(lab.request())).problems == ()


async def test_a_cost_limit_needs_the_judge_s_price_where_there_is_something_to_judge(lab: Lab) -> None:
    lab.models(PRICES)
    run = await lab.judged()
    other = JudgeModel(provider="local", model="other")
    await lab.build()
    comparisons = lab.workbench.comparisons
    await comparisons.plan(lab.request(cost_limit=1.0, judge_model=other))
    await own_set(lab, {run: {"expect": WRONG}})
    with pytest.raises(Invalid, match="The price of local/other is not known"):
        await comparisons.plan(lab.request(cost_limit=1.0, judge_model=other))
    await comparisons.plan(lab.request(cost_limit=1.0))
