"""One turn: the model is asked, its calls are answered, until it answers; and what goes wrong on the way."""

import asyncio
import json
from typing import Any

import pytest

from kindgi_tui.domain.base import Json
from kindgi_tui.local.engine.conversation import as_event, history_messages, latest, text_of
from kindgi_tui.local.engine.turns import CallResult, all_of
from kindgi_tui.local.models.calls import AgentMessage, Message, ToolCall, ToolResult, UserMessage
from kindgi_tui.workbench import Unavailable
from tests.local.engine.lab import (
    Lab,
    Recorded,
    calls,
    cases_of,
    metric_of,
    place_of,
    seen_results,
    summary_of,
    tools_of,
)
from tests.local.models.server import Answer, drop, failed, garbage, half, hang, limited, say, typed

THE_ANSWER = "the recorded answer"
PICKS: Json = {"picks": [{"id": "one"}, {"id": "two"}]}
SAID = [("one", "/output/picks/0", 0, "yes"), ("two", "/output/picks/1", 1, "no")]


async def one_case(lab: Lab, *answers: Answer, version: str = "0.2.0", **more: Any) -> dict[str, Any]:
    """What becomes of the one case when the model answers so, whatever it is asked."""
    await lab.judged(Recorded("look", {"text": "a"}, {"then": "a"}))
    lab.server.script(*answers)
    return cases_of(await lab.compare(version, **more))[0]


async def test_a_typed_answer_is_the_output(lab: Lab) -> None:
    await lab.judged(output=PICKS, judged=SAID)
    lab.says(typed({"picks": [{"id": "two"}, {"id": "one"}, {"id": "new"}]}))
    done = await lab.compare("0.3.0")
    (case,) = cases_of(done)
    assert case["changes"]["kept"] == [
        {"key": "two", "rankBefore": 1, "rank": 0},
        {"key": "one", "rankBefore": 0, "rank": 1},
    ]
    assert [item["key"] for item in case["changes"]["new"]] == ["answer", "new"]
    assert metric_of(done) == (0.5, 0.5)


async def test_a_typed_answer_that_does_not_fit_is_repaired(lab: Lab) -> None:
    await lab.judged(output=PICKS, judged=SAID)
    lab.server.script(say("Here you are!"), typed(PICKS))
    done = await lab.compare("0.3.0")
    assert metric_of(done) == (0.5, 0.5)
    asked = lab.server.received[-1].body["messages"]
    assert [message["role"] for message in asked] == ["system", "user", "assistant", "user"]
    assert asked[-1]["content"].startswith("The answer is not valid JSON")
    (replay,) = await lab.replays(done.id)
    output: Any = replay.output
    assert [message["role"] for message in output["appended"]] == ["user", "agent", "system", "agent"]
    assert output["usage"]["steps"] == 2
    assert output["response"] == output["appended"][-1]


async def test_a_typed_answer_that_never_fits_is_the_cases_error(lab: Lab) -> None:
    await lab.judged(output=PICKS, judged=SAID)
    lab.server.script(typed({"picks": [{"name": "no id"}]}))
    done = await lab.compare("0.3.0")
    (case,) = cases_of(done)
    assert case["error"].startswith("The answer is not the typed one the agent declares: ")
    assert "'id' is a required property" in case["error"]
    assert len(lab.server.received) == 2
    (replay,) = await lab.replays(done.id)
    assert (replay.status, replay.failure) == ("failed", case["error"])


async def test_parallel_calls_run_at_once_and_answer_in_their_order(lab: Lab) -> None:
    await lab.judged()
    texts = ["sleep 0.6", "sleep 0.3", "sleep 0.4"]
    made: list[tuple[str, Json]] = [("look", {"text": text}) for text in texts]
    lab.says(calls(*made), say(THE_ANSWER))
    done = await lab.compare()
    results = seen_results(lab.server.received[-1])
    assert [json.loads(each)["live"] for each in results] == texts
    assert [each["arguments"]["text"] for each in tools_of(done)] == texts
    started_then_ended = [each["text"] for each in lab.witnessed()]
    assert sorted(started_then_ended[:3]) == sorted(texts)
    assert started_then_ended[3:] == ["woke after 0.3", "woke after 0.4", "woke after 0.6"]


async def test_usage_and_cost_are_added_up(lab: Lab) -> None:
    lab.models('prices."mock" = { input = 100.0, output = 1000.0 }')
    await lab.judged()
    lab.server.script(calls(("look", {"text": "a"}), usage=(100, 10)), say(THE_ANSWER, usage=(200, 20)))
    done = await lab.compare()
    (replay,) = await lab.replays(done.id)
    output: Any = replay.output
    usage = output["usage"]
    assert (usage["steps"], usage["promptTokens"], usage["completionTokens"]) == (2, 300, 30)
    assert usage["totalCostUsd"] == pytest.approx(0.06)
    assert done.progress.cost_usd == pytest.approx(0.06)
    assert output["provider"] == {"id": "local", "model": "mock"}
    assert summary_of(done)["sampling"]["models"] == [{"providerId": "local", "model": "mock", "runs": 1}]


async def test_a_second_comparison_is_answered_from_the_cache(lab: Lab) -> None:
    lab.models('prices."mock" = { input = 100.0, output = 1000.0 }')
    await lab.judged(Recorded("look", {"text": "a"}, {"then": "a"}))
    lab.says(calls(("look", {"text": "a"})), say(THE_ANSWER))
    first = await lab.compare()
    second = await lab.compare()
    assert len(lab.server.received) == 2
    assert (first.progress.cached, second.progress.cached, second.progress.cost_usd) == (0, 1, 0)
    fresh = await lab.compare(fresh=True)
    assert len(lab.server.received) == 4
    assert fresh.progress.cached == 0


async def test_a_tool_it_does_not_have_is_told_and_it_goes_on(lab: Lab) -> None:
    case = await one_case(lab, calls(("nothing", {})), say(THE_ANSWER), version="0.1.0")
    assert "error" not in case
    told = json.loads(seen_results(lab.server.received[-1])[0])
    assert (told["status"], told["code"]) == ("error", "unknown-tool")
    assert "lab.look" in told["message"]


async def test_arguments_that_do_not_fit_are_told_and_it_goes_on(lab: Lab) -> None:
    answers = (calls(("look", {"words": 1})), calls(("look", '{"text": "half')), say(THE_ANSWER))
    case = await one_case(lab, *answers, version="0.2.0")
    assert "error" not in case
    told = [json.loads(each)["code"] for each in seen_results(lab.server.received[-1])]
    assert told == ["input-validation-failed"] * 2
    assert lab.witnessed() == []


async def test_more_failed_calls_than_it_may_make_end_the_turn(lab: Lab) -> None:
    case = await one_case(lab, calls(("nothing", {})), version="0.1.0")
    assert case["error"] == "Its tool calls failed 2 times, the last one as the result says."
    assert len(lab.server.received) == 2


async def test_a_failure_that_does_not_go_back_ends_the_turn(lab: Lab) -> None:
    case = await one_case(lab, calls(("look", {"text": "raise it"})), say(THE_ANSWER), version="0.1.0")
    assert case["error"].startswith("Tool lab.look failed: ")
    assert "raise it" in case["error"]


async def test_a_budget_of_steps_ends_the_turn(lab: Lab) -> None:
    case = await one_case(lab, calls(("look", {"text": "a"})), version="0.4.0")
    assert case["error"] == "The turn asked the model 2 times, the most it may."
    assert len(lab.server.received) == 2


async def test_a_budget_of_time_ends_a_turn_that_waits(lab: Lab) -> None:
    case = await one_case(lab, say(THE_ANSWER, delay=3), version="0.6.0")
    assert case["error"] == "The turn took longer than 300 ms."


async def test_a_budget_of_money_ends_the_turn(lab: Lab) -> None:
    lab.models('prices."mock" = { input = 100.0, output = 1000.0 }')
    case = await one_case(lab, calls(("look", {"text": "a"})), version="0.7.0")
    assert case["error"] == "The turn cost more than $0.001."
    assert len(lab.server.received) == 1


async def test_an_agent_without_a_budget_is_not_asked_for_ever(lab: Lab) -> None:
    case = await one_case(lab, calls(("look", {"text": "a"})))
    assert case["error"] == "The turn asked the model 25 times, the most it may."


async def test_a_rate_limit_is_waited_for(lab: Lab) -> None:
    case = await one_case(lab, limited("0.2"), limited("0.2"), say(THE_ANSWER))
    assert "error" not in case
    assert len(lab.server.received) == 3


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        ([failed(500), say(THE_ANSWER)], 2),
        ([garbage(), say(THE_ANSWER)], 2),
        ([half(), say(THE_ANSWER)], 2),
        ([drop(), say(THE_ANSWER)], 2),
    ],
    ids=["500", "garbage", "half an answer", "dropped"],
)
async def test_a_provider_in_trouble_is_asked_again(lab: Lab, answers: list[Answer], asked: int) -> None:
    assert "error" not in await one_case(lab, *answers)
    assert len(lab.server.received) == asked


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (failed(500, "It broke."), "local is in trouble (500): It broke."),
        (garbage(), "local answered something that is not JSON"),
        (garbage(b""), "local answered nothing"),
        (garbage(b'{"choices": []}'), "local answered, but the answer has no choices."),
        (failed(400, "No such thing."), "local refused the request (400): No such thing."),
    ],
    ids=["500", "garbage", "empty", "no choices", "refused"],
)
async def test_a_provider_that_stays_in_trouble_makes_the_case_an_error(
    lab: Lab, answer: Answer, says: str
) -> None:
    await lab.judged()
    await lab.judged(question="fine")
    lab.server.respond = lambda got: say(THE_ANSWER) if "fine" in json.dumps(got.body["messages"]) else answer
    done = await lab.compare()
    errors = [case["error"] for case in cases_of(done) if "error" in case]
    assert len(errors) == 1
    assert says in errors[0]
    summary = summary_of(done)
    assert (done.status, summary["status"], summary["errors"], summary["cases"]) == (
        "completed",
        "partial",
        1,
        2,
    )
    assert done.progress.errors == 1


async def test_a_provider_that_never_answers_makes_the_case_an_error(lab: Lab) -> None:
    text = (lab.folder / "models.toml").read_text().replace("timeout_s = 5", "timeout_s = 0.3")
    (lab.folder / "models.toml").write_text(text)
    case = await one_case(lab, hang())
    assert "local gave no answer within 0.3 s" in case["error"]


async def test_a_provider_that_is_not_there_makes_the_case_an_error(lab: Lab) -> None:
    await lab.server.stop()
    case = await one_case(lab, say(THE_ANSWER))
    assert "local can't be reached" in case["error"]


async def test_a_stuck_case_is_given_up(lab: Lab) -> None:
    await lab.judged(question="stuck")
    await lab.judged(question="fine")
    lab.server.respond = lambda got: (
        hang() if "stuck" in json.dumps(got.body["messages"]) else say(THE_ANSWER)
    )
    done = await lab.compare(case_timeout=0.5)
    errors = {case["caseId"]: case.get("error") for case in cases_of(done)}
    assert errors == {
        lab.runs[0]: "It took longer than 0.5 seconds and was given up.",
        lab.runs[1]: None,
    }


async def test_a_mistake_of_this_program_is_the_cases_error_and_stands_in_the_log(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from kindgi_tui.local.engine import replaying, running

    real = replaying.replay_case

    async def wrong(settings: Any, case: Any, *more: Any) -> Any:
        if case.case_id == lab.runs[0]:
            raise KeyError("a bug")
        return await real(settings, case, *more)

    monkeypatch.setattr(running, "replay_case", wrong)
    await lab.judged()
    await lab.judged()
    lab.says(say(THE_ANSWER))
    done = await lab.compare()
    errors = {case["caseId"]: case.get("error") for case in cases_of(done)}
    assert errors[lab.runs[1]] is None
    assert str(errors[lab.runs[0]]).startswith("kindgi-tui made a mistake here (KeyError: 'a bug')")
    assert "Traceback" in caplog.text


@pytest.mark.parametrize(
    "words",
    [
        "</event>",
        "</EVENT>",
        "< / event >",
        "<\n/event>",
        "</\u200bevent>",
        "<event>",
        "<\\/event>",
        "<eVent x='1'>",
        "\ud800</event",
    ],
)
def test_the_end_of_a_block_of_data_can_not_be_forged(words: str) -> None:
    block = as_event(f"before {words} after")
    assert block.startswith("<event>\n")
    assert block.endswith("\n</event>")
    inside = block[len("<event>\n") : -len("\n</event>")]
    assert "<" not in inside
    assert inside.replace("&lt;", "<") == f"before {words} after"


def test_other_words_of_a_block_of_data_stay_as_they_are() -> None:
    assert as_event("<b>1 < 2</b> eventually") == "<event>\n<b>1 < 2</b> eventually\n</event>"
    assert as_event({"é": "<event>"}) == '<event>\n{"é": "&lt;event>"}\n</event>'


def test_contents_as_words() -> None:
    said: list[Json] = ["text", {"text": "inner", "x": 1}, None, {"x": 1}, [1]]
    assert [text_of(each) for each in said] == ["text", "inner", "", '{"x": 1}', "[1]"]


@pytest.mark.parametrize(
    ("most", "seen"),
    [
        (None, "uatau"),
        (9, "uatau"),
        (5, "uatau"),
        (4, "atau"),
        (3, "au"),
        (2, "au"),
        (1, "u"),
        (0, ""),
        (-1, ""),
    ],
)
def test_an_agents_history_limit_leaves_the_latest_messages(most: int | None, seen: str) -> None:
    history: list[Message] = [
        UserMessage(text="one"),
        AgentMessage(text=None, tool_calls=(ToolCall(id="c", name="t", arguments={}),)),
        ToolResult(call_id="c", tool_id="t", content="found"),
        AgentMessage(text="an answer"),
        UserMessage(text="two"),
    ]
    signs: dict[type, str] = {UserMessage: "u", AgentMessage: "a", ToolResult: "t"}
    # A result without its call is no history a model takes.
    assert "".join(signs[type(one)] for one in latest(history, most)) == seen


def test_a_history_of_anything_is_read() -> None:
    odd: list[Json] = [None, 1, {}, {"role": "agent"}, {"role": "user", "content": None}, {"role": "alien"}]
    assert history_messages(odd) == [AgentMessage(text=None), UserMessage(text="")]
    assert history_messages("no list") == []
    assert history_messages(None) == []


async def test_calls_that_run_at_once_are_given_up_when_one_can_not_be_made() -> None:
    ended: list[str] = []

    async def slow() -> CallResult:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("given up")
            raise
        return CallResult(None)

    async def broken() -> CallResult:
        await asyncio.sleep(0.01)
        raise Unavailable("no service")

    with pytest.raises(Unavailable):
        await all_of([slow(), broken()])
    assert ended == ["given up"]


async def test_a_lone_surrogate_goes_through_a_replay_unchanged(lab: Lab) -> None:
    odd = "half \ud83d \x00 \x1b[31m"
    await lab.judged(Recorded("look", {"text": odd}, {"then": odd}), question=odd)
    lab.server.respond = lambda got: (
        say(THE_ANSWER) if place_of(got) else calls(("look", json.dumps({"text": odd})))
    )
    done = await lab.compare()
    assert tools_of(done)[0]["arguments"] == {"text": odd}
    assert tools_of(done)[0]["source"] == "recorded"
    (replay,) = await lab.replays(done.id)
    output: Any = replay.output
    assert output["appended"][0]["content"] == odd
    assert output["appended"][2]["content"] == {"then": odd}
