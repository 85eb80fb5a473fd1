"""What a dry run says: stored answers, those a model judges, and what that may cost."""

from typing import Any

from kindgi_tui.domain.comparison_records import ComparisonPlan, ComparisonRequest
from kindgi_tui.session.launching import CompareCheck, CompareFacts
from kindgi_tui.tui.screens.compare.words import plan_blocks


def words_of(**plan: Any) -> str:
    request = ComparisonRequest(test_set_id="s", project_id="p", agent_id="a", subject_version="1.0.0")
    made = ComparisonPlan(test_set_id="s", test_set_version="1.0.0", **{"cases": 3, "repetitions": 3, **plan})
    check = CompareCheck(facts=CompareFacts(project_id="p"), request=request, plan=made)
    return "\n".join(str(block.text) for block in plan_blocks(check) if hasattr(block, "text"))


def test_answers_that_a_model_judges_are_counted() -> None:
    said = words_of(cached=3, judged=2, cost_usd=0.02)
    assert "Every answer is stored already. A model judges 2 answers at most. It costs about $0.02" in said
    assert "A model judges 1 answer at most. " in words_of(cached=0, judged=1)


def test_without_any_no_model_is_asked_when_everything_is_stored() -> None:
    said = words_of(cached=3, cost_usd=0.0)
    assert "Every answer is stored already: no model is asked. It costs nothing." in said
    assert "judges" not in said


def test_what_a_runtime_does_not_tell_is_not_said() -> None:
    said = words_of(cached=None)
    assert "stored" not in said
    assert said.splitlines()[-1].startswith("Its cost is not known")
    assert "No answer is stored yet: 3 are asked for." in words_of(cached=0)


def test_one_answer_is_asked_for_and_several_are() -> None:
    assert "2 of 3 answers are stored already, 1 is asked for." in words_of(cached=2)
    assert "1 of 3 answers are stored already, 2 are asked for." in words_of(cached=1)
    assert "No answer is stored yet: 3 are asked for." in words_of(cached=0)
    assert "No answer is stored yet: 1 is asked for." in words_of(cached=0, cases=1, repetitions=1)
