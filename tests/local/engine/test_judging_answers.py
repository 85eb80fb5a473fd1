"""What cases expect of a version, through a whole comparison: each row of DESIGN section 7's table, and the judge."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from kindgi_tui.domain.comparison_records import JudgeModel
from kindgi_tui.domain.corrections import AnswerVerdict, Expectation, NewCorrection
from kindgi_tui.local.store.checks import JudgedAnswer, judged_answers
from tests.local.engine.judging import PRICES, correct, models, no, own_set, yes
from tests.local.engine.lab import (
    Lab,
    Recorded,
    calls,
    cases_of,
    metric_of,
    ours_of,
    question_of,
    summary_of,
)
from tests.local.models.server import Answer, call, drop, failed, garbage, say, typed

THE_ANSWER = "the recorded answer"
WRONG: dict[str, Any] = {"answer": "wrong", "shouldSay": "ten days"}
RIGHT: dict[str, Any] = {"answer": "right"}
LOOK: dict[str, Any] = {"toolId": "lab.look", "args": {"text": "a"}}
CALLS: dict[str, Any] = {"decisions": "wrong", "shouldCall": [LOOK], "mustNotCall": ["lab.note"]}


def entry(passed: bool, parts: Mapping[str, bool], run: str, **more: Any) -> dict[str, Any]:
    """The entry of a case of an agent's own set, of one repetition."""
    return {
        "correctionId": f"case-{run}",
        "pass": passed,
        "repetitionsPassed": int(passed),
        "repetitions": 1,
        "parts": dict(parts),
        **more,
    }


TABLE = [
    # What the case expects, what the version does, what the judging model says; whether it passes, and its parts.
    (WRONG, (say("in ten days"),), yes(), True, {"answer": True}),
    (WRONG, (say("soon"),), no("It names no time."), False, {"answer": False}),
    ({"answer": "wrong", "why": "It named no time."}, (say("in ten days"),), yes(), True, {"answer": True}),
    (RIGHT, (say("the same, otherwise put"),), yes(), True, {"answer": True}),
    (RIGHT, (say("another"),), no("It is another."), False, {"answer": False}),
    (CALLS, (calls(("look", {"text": "a", "more": 1})), say("x")), None, True, {"decisions": True}),
    (CALLS, (say("x"),), None, False, {"decisions": False}),
    (CALLS, (calls(("look", {"text": "a"}), ("note", {"text": "b"})), say("x")), None, False, {"decisions": False}),
    ({"decisions": "right"}, (calls(("look", {"text": "z"})), say("x")), None, True, {"decisions": True}),
    ({"decisions": "right"}, (calls(("count", {"text": "a"})), say("x")), None, False, {"decisions": False}),
    ({**CALLS, **WRONG}, (calls(("look", {"text": "a"})), say("x")), yes(), True, {"decisions": True, "answer": True}),
    ({**CALLS, **WRONG}, (say("x"),), yes(), False, {"decisions": False, "answer": True}),
    ({"decisions": "right", **RIGHT}, (calls(("look", {"text": "a"})), say("x")), no("No."), False,
     {"decisions": True, "answer": False}),
]  # fmt: skip


@pytest.mark.parametrize(("expect", "does", "says", "passed", "parts"), TABLE)
async def test_the_table_on_an_agents_own_set(
    lab: Lab,
    expect: dict[str, Any],
    does: tuple[Answer, ...],
    says: Answer | None,
    passed: bool,
    parts: dict[str, bool],
) -> None:
    run = await lab.judged(Recorded("look", {"text": "a"}, "then"), verdict="no")
    await own_set(lab, {run: {"expect": expect}})
    asked = models(lab, *does, judge=says or failed(500))
    done = await lab.compare()
    (case,) = cases_of(done)
    why = {"why": _reason(says)} if "answer" in parts and not parts["answer"] else {}
    assert case["corrections"] == [entry(passed, parts, run, **why)]
    assert summary_of(done)["corrections"] == {"checked": 1, "passed": int(passed)}
    assert "unchecked" not in summary_of(done)
    assert ("correctionDifferences" in case) == ("shouldCall" in expect and not parts["decisions"])
    # One item that was judged wrong, and changed since; each part is one check more.
    marks = [expect[part] == "right" for part in ("decisions", "answer") if part in expect]
    assert metric_of(done) == (
        pytest.approx(sum(marks) / (1 + len(marks))),
        pytest.approx(sum(parts.values()) / len(parts)),
    )
    assert len(asked.judged) == int("answer" in parts)
    assert done.progress.judged == len(asked.judged)
    assert ours_of(done).get("judge") == ({"provider": "local", "model": "mock"} if asked.judged else None)
    if asked.judged:
        (about,) = asked.judged
        assert (about["question"], about["answer"]) == ("question 1", does[-1].text)
        assert about.get("recordedAnswer") == (THE_ANSWER if expect["answer"] == "right" else None)
        assert (about.get("shouldSay"), about.get("why")) == (expect.get("shouldSay"), expect.get("why"))


def _reason(says: Answer | None) -> str:
    assert says is not None
    return str(json.loads(str(says.text))["reason"])


async def test_the_table_on_a_set_of_judged_runs_has_an_entry_per_correction(lab: Lab) -> None:
    run = await lab.judged(Recorded("look", {"text": "a"}, "then"), verdict="yes")
    await correct(lab, run, "older", WRONG)
    await correct(lab, run, "newer", {**CALLS, **RIGHT}, asserter="ann")
    asked = models(
        lab,
        say("x"),
        judge=lambda about: yes() if "shouldSay" in about else no("It says something else."),
    )
    done = await lab.compare()
    (case,) = cases_of(done)
    assert case["corrections"] == [
        {"correctionId": "older", "pass": True, "repetitionsPassed": 1, "repetitions": 1},
        {
            "correctionId": "newer",
            "pass": False,
            "repetitionsPassed": 0,
            "repetitions": 1,
            "why": "It says something else.",
        },
    ]
    assert [one["correctionId"] for one in case["correctionDifferences"]] == ["newer"]
    assert summary_of(done)["corrections"] == {"checked": 2, "passed": 1}
    assert len(asked.judged) == 2
    # They are not in the pass rate: one yes before, and the answer changed.
    assert metric_of(done) == (1, None)


async def test_what_a_person_corrected_here_is_checked_from_the_next_version_of_the_set_on(lab: Lab) -> None:
    run = await lab.judged()
    await lab.build()
    said = await lab.workbench.corrections.add(
        NewCorrection(run_id=run, expect=Expectation(answer="wrong", should_say="ten days"))
    )
    asked = models(lab, say("x"), judge=no("It names no time."))
    before = await lab.compare()
    assert ("corrections" in summary_of(before), asked.judged) == (False, [])
    await lab.build()
    after = await lab.compare()
    (checked,) = cases_of(after)[0]["corrections"]
    assert (checked["correctionId"], checked["pass"], checked["why"]) == (said.id, False, "It names no time.")
    assert [about["shouldSay"] for about in asked.judged] == ["ten days"]


async def test_items_alone_are_not_checked_and_nobody_is_asked(lab: Lab) -> None:
    await lab.judged()
    asked = models(lab, say("x"), judge=failed(500))
    done = await lab.compare()
    assert "corrections" not in summary_of(done)
    assert "corrections" not in cases_of(done)[0]
    assert (asked.judged, done.progress.judged, "judge" in ours_of(done)) == ([], 0, False)


async def test_experts_only_checks_what_experts_said(lab: Lab) -> None:
    run = await lab.judged()
    await correct(lab, run, "anyone", RIGHT)
    await correct(lab, run, "expert", WRONG, asserter="ann", expert=True)
    asked = models(lab, say("x"), judge=yes())
    done = await lab.compare(weighing="experts-only")
    assert [one["correctionId"] for one in cases_of(done)[0]["corrections"]] == ["expert"]
    assert [about.get("shouldSay") for about in asked.judged] == ["ten days"]


class ByVisit:
    """The first repetition answers last, the last one first; each gives another answer."""

    def __init__(self, delays: tuple[float, ...] = (0.3, 0.15, 0.0)) -> None:
        self.delays = delays
        self.visits: dict[str, int] = {}

    def __call__(self, received: Any) -> Answer:
        question = question_of(received)
        visit = self.visits[question] = self.visits.get(question, 0) + 1
        return say(f"answer {visit}", delay=self.delays[visit - 1])


async def in_turns(lab: Lab, says: Any, expect: dict[str, Any] = WRONG) -> tuple[Any, dict[str, Any], Any]:
    """A comparison of one case in three repetitions that finish the other way round."""
    run = await lab.judged()
    await own_set(lab, {run: {"expect": expect}})
    asked = models(lab, judge=says)
    asked.answers = ByVisit()
    done = await lab.compare(repetitions=3)
    return done, cases_of(done)[0], asked


async def test_answers_are_judged_in_the_order_of_repetitions_whatever_order_they_finished_in(
    lab: Lab,
) -> None:
    done, case, asked = await in_turns(lab, yes())
    outputs: list[Any] = [(await lab.workbench.runs.get(run_id)).output for run_id in case["runIds"]]
    by_repetition = [output["appended"][-1]["content"] for output in outputs]
    assert [about["answer"] for about in asked.judged] == by_repetition
    assert len(asked.judged) == 3
    assert case["corrections"][0]["repetitionsPassed"] == case["corrections"][0]["repetitions"] == 3
    assert case["corrections"][0]["pass"] is True
    # One check, which each repetition passes.
    assert metric_of(done) == (pytest.approx(1 / 2), 1)


async def test_judging_stops_at_the_first_answer_that_fails(lab: Lab) -> None:
    seen: list[str] = []

    def second_fails(about: dict[str, Any]) -> Answer:
        seen.append(about["answer"])
        return no("Too vague.") if len(seen) == 2 else yes()

    done, case, asked = await in_turns(lab, second_fails)
    assert len(asked.judged) == 2
    (checked,) = case["corrections"]
    assert (checked["pass"], checked["repetitionsPassed"], checked["why"]) == (False, 1, "Too vague.")
    assert checked["parts"] == {"answer": False}
    # The part counts as one check, failed, in every repetition.
    assert metric_of(done) == (pytest.approx(1 / 2), 0)


async def test_a_repetition_that_errored_fails_and_nothing_after_it_is_judged(lab: Lab) -> None:
    run = await lab.judged()
    await own_set(lab, {run: {"expect": WRONG}})
    asked = models(lab, judge=yes())
    visits: list[Any] = []

    def second_breaks(received: Any) -> Answer:
        visits.append(received)
        return failed(400, "no") if len(visits) == 2 else say("x")

    asked.answers = second_breaks
    done = await lab.compare(repetitions=3, concurrency=1)
    assert len(asked.judged) == 1
    (checked,) = cases_of(done)[0]["corrections"]
    assert (checked["pass"], checked["repetitionsPassed"], checked["repetitions"]) == (False, 1, 3)
    assert "why" not in checked


UNREADABLE = [
    say("Yes, it passes."),
    say(""),
    typed({"passes": "yes", "reason": "r"}),
    typed({"passes": True}),
    say('It wants ```json\n{"passes": true, "reason": "r"}\n``` to be said.'),
    call(("verdict", {"passes": True, "reason": "r"})),
    say('{"passes": true, "rea', finish="length"),
]


@pytest.mark.parametrize("reply", UNREADABLE)
async def test_an_unreadable_verdict_is_asked_for_three_times_and_is_never_a_pass(
    lab: Lab, reply: Answer
) -> None:
    lab.models(PRICES)
    run = await lab.judged()
    await own_set(lab, {run: {"expect": WRONG}})
    asked = models(lab, say("x"), judge=reply)
    done = await lab.compare()
    (case,) = cases_of(done)
    why = "The judging model's verdict couldn't be read in 3 tries."
    assert (case["unchecked"], "corrections" in case) == (why, False)
    assert summary_of(done)["unchecked"] == {"count": 1, "reasons": [why]}
    assert len(asked.judged) == 3
    assert done.status == "completed"
    # The turn and three verdicts at 2 cents: what couldn't be read was paid for.
    assert done.progress.cost_usd == pytest.approx(0.08)
    assert ours_of(done)["costUsd"] == pytest.approx(0.08)
    assert await cost_of_repetitions(lab, done.id) == [pytest.approx(0.08)]
    # No check: one yes before, and the answer changed.
    assert metric_of(done) == (1, None)


@pytest.mark.parametrize("reply", UNREADABLE)
async def test_a_verdict_that_was_not_readable_is_asked_for_anew_by_the_same_comparison(
    lab: Lab, reply: Answer
) -> None:
    run = await lab.judged()
    await own_set(lab, {run: {"expect": WRONG}})
    models(lab, say("x"), judge=reply)
    assert "unchecked" in cases_of(await lab.compare())[0]
    asked = models(lab, say("another, were it asked again"), judge=yes())
    (case,) = cases_of(await lab.compare())
    assert (case["corrections"][0]["pass"], "unchecked" in case) == (True, False)
    # The answer itself is a cached one.
    assert [about["answer"] for about in asked.judged] == ["x"]


async def cost_of_repetitions(lab: Lab, identity: str) -> list[float]:
    def read(connection: Any) -> list[float]:
        rows = connection.execute(
            "SELECT r.cost FROM repetitions r JOIN comparisons c ON c.seq = r.comparison WHERE c.id = ? "
            "ORDER BY r.case_id, r.repetition",
            (identity,),
        )
        return [row[0] for row in rows]

    return await lab.workbench.access.read(read)


async def test_a_verdict_that_is_readable_at_last_counts(lab: Lab) -> None:
    lab.models(PRICES)
    run = await lab.judged()
    await own_set(lab, {run: {"expect": WRONG}})
    said = iter((say("Hm."), say("{}"), yes("At last.")))
    models(lab, say("x"), judge=lambda _: next(said))
    done = await lab.compare()
    assert cases_of(done)[0]["corrections"][0]["pass"] is True
    assert done.progress.cost_usd == pytest.approx(0.08)


@pytest.mark.parametrize(
    ("reply", "says", "most"),
    [
        (failed(400, "I was made to fail."), "I was made to fail.", 60),
        (failed(500), "The call to the judging model failed: ", 60),
        (garbage(), "The call to the judging model failed: ", 60),
        (drop(), "The call to the judging model failed: ", 60),
        (yes(delay=30), "The judging model took longer than 0.5 seconds and was given up.", 0.5),
    ],
)
async def test_a_call_that_fails_leaves_the_case_unchecked_and_the_others_go_on(
    lab: Lab, reply: Answer, says: str, most: float
) -> None:
    runs = [await lab.judged(), await lab.judged()]
    await own_set(lab, {run: {"expect": {**CALLS, **WRONG}} for run in runs})
    models(lab, say("x"), judge=lambda about: reply if about["question"] == "question 1" else yes())
    done = await lab.compare(case_timeout=most)
    assert done.status == "completed"
    good, bad = cases_of(done)
    assert (good["corrections"][0]["parts"], "unchecked" in good) == (
        {"decisions": False, "answer": True},
        False,
    )
    # As a whole: its decisions could have been graded.
    assert says in bad["unchecked"]
    assert "corrections" not in bad
    assert "correctionDifferences" not in bad
    assert summary_of(done)["corrections"] == {"checked": 1, "passed": 0}
    assert summary_of(done)["unchecked"] == {"count": 1, "reasons": [bad["unchecked"]]}


async def test_what_can_not_be_checked_is_not_asked_about(lab: Lab) -> None:
    wordless = {"output": {"appended": [{"role": "user", "content": "q"}]}}
    first, second, third = [await lab.judged() for _ in range(3)]
    await own_set(
        lab,
        {
            first: {"expect": RIGHT, **wordless},
            second: {"expect": {"answer": "wrong"}},
            third: {"expect": RIGHT, "fromNothing": True, "output": None},
        },
    )
    asked = models(lab, say("x"), judge=yes())
    done = await lab.compare()
    assert asked.judged == []
    assert [case["unchecked"] for case in cases_of(done)] == [
        "The case was made from nothing: there is no recorded run that could have been right.",
        "Its correction says neither what the answer should say nor why it is wrong.",
        "The recorded run has no answer to compare with.",
    ]


async def test_no_answer_at_all_fails_without_asking(lab: Lab) -> None:
    """A past rejection is followed: the replay ends as the past run did, without words."""
    run = await lab.judged(context={"sessionApproval": {"approved": False}})
    await own_set(
        lab,
        {run: {"expect": WRONG, "output": {"appended": [{"role": "user", "content": "q"}]}}},
    )
    asked = models(lab, say("x"), judge=yes())
    done = await lab.compare()
    (checked,) = cases_of(done)[0]["corrections"]
    assert (checked["pass"], checked["why"], asked.judged) == (False, "It gave no answer.", [])


async def test_verdicts_are_cached_like_any_reply_and_fresh_asks_again(lab: Lab) -> None:
    lab.models(PRICES)
    run = await lab.judged()
    await own_set(lab, {run: {"expect": WRONG}})
    asked = models(lab, say("x"), judge=no("It isn't there."))
    first = await lab.compare(repetitions=2)
    assert first.progress.cost_usd == pytest.approx(0.06)
    again = await lab.compare(repetitions=2)
    assert again.progress.cost_usd == 0
    assert len(asked.judged) == 1
    assert cases_of(again)[0]["corrections"] == cases_of(first)[0]["corrections"]
    assert again.progress.judged == 1
    fresh = await lab.compare(repetitions=2, fresh=True)
    assert fresh.progress.cost_usd == pytest.approx(0.06)
    assert len(asked.judged) == 2


async def test_the_model_a_comparison_names_judges_it(lab: Lab) -> None:
    run = await lab.judged()
    await own_set(lab, {run: {"expect": WRONG}})
    asked: list[str] = []

    def judge(about: dict[str, Any]) -> Answer:
        asked.append(lab.server.received[-1].body["model"])
        return yes()

    models(lab, say("x"), judge=judge)
    named = JudgeModel(provider="local", model="primary")
    done = await lab.compare(judge_model=named)
    assert asked == ["primary"]
    assert ours_of(done)["judge"] == {"provider": "local", "model": "primary"}
    assert done.request.judge_model == named
    assert summary_of(done)["sampling"]["models"] == [{"providerId": "local", "model": "mock", "runs": 1}]
    missing = await lab.compare(judge_model=JudgeModel(provider="elsewhere", model="m"))
    assert missing.status == "completed"
    assert "No provider elsewhere is configured" in cases_of(missing)[0]["unchecked"]


async def test_a_rescore_judges_nothing_and_keeps_what_was_found(lab: Lab) -> None:
    runs = [await lab.judged() for _ in range(3)]
    await own_set(lab, {run: {"expect": WRONG} for run in runs})
    asked = models(
        lab,
        say(THE_ANSWER),
        judge=lambda about: {"1": yes(), "2": no("No."), "3": say("?")}[about["question"][-1]],
    )
    done = await lab.compare()
    before = len(asked.judged)
    again = await lab.workbench.comparisons.rescore(done.id)
    assert len(asked.judged) == before == 1 + 1 + 3
    for name in ("corrections", "unchecked"):
        assert [case.get(name) for case in cases_of(again)] == [case.get(name) for case in cases_of(done)]
        assert summary_of(again)[name] == summary_of(done)[name]
    assert metric_of(again) == metric_of(done) == (pytest.approx(3 / 5), pytest.approx(4 / 5))
    assert ours_of(again)["judge"] == ours_of(done)["judge"]
    twice = await lab.workbench.comparisons.rescore(again.id)
    assert ours_of(twice)["judge"] == ours_of(done)["judge"]


async def test_verdicts_stand_in_the_store_with_what_they_took(lab: Lab) -> None:
    lab.models(PRICES)
    run = await lab.judged()
    await own_set(lab, {run: {"expect": WRONG}})
    said = iter((say("Hm."), no("Not so \ud800.")))
    models(lab, say("x"), judge=lambda _: next(said))
    done = await lab.compare()
    found = await lab.workbench.access.read(lambda c: judged_answers(c, done.id))
    (case,) = cases_of(done)
    assert [replace(one, cost_usd=round(one.cost_usd, 6)) for one in found] == [
        JudgedAnswer(
            case["caseId"],
            AnswerVerdict(entry_id=case["caseId"], repetition=1, passed=False, why="Not so \ud800."),
            "local",
            "mock",
            tries=2,
            cost_usd=0.04,
            prompt_tokens=40,
            completion_tokens=10,
        )
    ]
