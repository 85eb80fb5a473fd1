"""What comparisons cost, and limits: a dear call is reserved for each in flight, and what was paid is counted."""

import asyncio

import pytest

from kindgi_tui.local.engine.spending import LimitReached, Spending
from kindgi_tui.local.models.calls import ModelRef, ModelReply, ModelRequest, Usage
from kindgi_tui.workbench import Invalid
from tests.local.engine.lab import Lab, Recorded, calls, place_of, summary_of
from tests.local.models.server import hang, say

THE_ANSWER = "the recorded answer"
PRICES = 'prices."mock" = { input = 1000.0, output = 0.0 }'
"""A call that reads 20 tokens costs 2 cents."""


def reply_of(cost: float | None) -> ModelReply:
    return ModelReply(text="x", provider="p", model="m", finish="stop", usage=Usage(cost_usd=cost))


class Priced:
    """A model whose calls cost what is told, one after the other, and wait until they are let go."""

    def __init__(self, *costs: float | None) -> None:
        self.costs = list(costs)
        self.started = 0
        self.go = asyncio.Event()

    async def complete(self, request: ModelRequest) -> ModelReply:
        place = self.started
        self.started += 1
        await self.go.wait()
        return reply_of(self.costs[min(place, len(self.costs) - 1)])


ASK = ModelRequest(model=ModelRef(provider="p", model="m"), messages=())


async def test_spending_waits_for_the_first_price_and_reserves_the_dearest_for_each_in_flight() -> None:
    model = Priced(0.1, 0.3, 0.1)
    spending = Spending(model, 1.0)
    tasks = [asyncio.ensure_future(spending.complete(ASK)) for _ in range(9)]
    await asyncio.sleep(0)
    assert model.started == 1, "nothing is known of prices yet"
    model.go.set()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    refused = [end for end in ends if isinstance(end, LimitReached)]
    assert refused
    assert spending.spent_usd <= 1.0
    assert spending.spent_usd == pytest.approx(0.1 + 0.3 + 0.1 * (model.started - 2))


async def test_spending_without_a_limit_counts_alone() -> None:
    model = Priced(0.1, None)
    model.go.set()
    spending = Spending(model)
    await asyncio.gather(*(spending.complete(ASK) for _ in range(3)))
    assert spending.spent_usd == pytest.approx(0.1)


async def test_free_calls_under_a_limit_run_at_once() -> None:
    model = Priced(0.0)
    spending = Spending(model, 1.0)
    first = asyncio.ensure_future(spending.complete(ASK))
    await asyncio.sleep(0)
    model.go.set()
    await first
    model.go.clear()
    tasks = [asyncio.ensure_future(spending.complete(ASK)) for _ in range(5)]
    await asyncio.sleep(0.01)
    assert model.started == 6
    model.go.set()
    await asyncio.gather(*tasks)


async def test_a_cost_limit_ends_the_comparison_cancelled_and_it_can_be_resumed(lab: Lab) -> None:
    lab.models(PRICES)
    await lab.ten()
    lab.says(say(THE_ANSWER, delay=0.01))
    done = await lab.compare(cost_limit=0.09, concurrency=4)
    assert (done.status, done.cancel_reason, done.error) == ("cancelled", "cost-limit", None)
    assert len(lab.server.received) == 4
    assert done.progress.finished == 4
    assert done.progress.cost_usd == pytest.approx(0.08)
    assert summary_of(done)["cases"] == 4
    # Resumed under the same limit it may spend no more; what was paid for is not paid again.
    again = await lab.reopened(done.id)
    assert (again.status, again.progress.finished) == ("cancelled", 4)
    assert len(lab.server.received) == 4


async def test_what_a_case_cost_that_the_limit_stopped_is_counted(lab: Lab) -> None:
    lab.models(PRICES)
    await lab.judged(Recorded("look", {"text": "a"}, "then"))
    lab.says(calls(("look", {"text": "a"})), calls(("look", {"text": "a"})), say(THE_ANSWER))
    done = await lab.compare(cost_limit=0.05)
    assert (done.status, done.progress.finished) == ("cancelled", 0)
    assert done.progress.cost_usd == pytest.approx(0.04)
    assert len(lab.server.received) == 2


async def test_a_stuck_cases_calls_are_counted(lab: Lab) -> None:
    lab.models(PRICES)
    await lab.judged(Recorded("look", {"text": "a"}, "then"))
    lab.server.respond = lambda got: hang() if place_of(got) else calls(("look", {"text": "a"}))
    done = await lab.compare(case_timeout=0.5)
    assert done.progress.cost_usd == pytest.approx(0.02)


async def test_a_limit_of_nothing_runs_on_stored_replies_alone(lab: Lab) -> None:
    lab.models(PRICES)
    await lab.judged()
    lab.says(say(THE_ANSWER))
    await lab.compare()
    free = await lab.compare(cost_limit=0.0)
    assert (free.status, free.progress.cost_usd) == ("completed", 0)
    with pytest.raises(Invalid, match="price"):
        lab.models("")
        await lab.compare(cost_limit=1.0)
