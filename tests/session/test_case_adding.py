"""The form that adds a test case by hand, without a screen: what is typed means what it says, or says what is wrong."""

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.corrections import Expectation, ExpectedCall
from kindgi_tui.session.case_adding import CaseDraft, read_calls, read_draft, read_items

TOOLS = st.text(string.ascii_lowercase + ".-", min_size=1, max_size=20)
ARGUMENTS = st.none() | st.dictionaries(
    st.text(max_size=8), st.none() | st.booleans() | st.integers() | st.text(max_size=12), max_size=3
)


@given(st.lists(st.tuples(TOOLS, ARGUMENTS), max_size=5), st.sampled_from([", ", ",", " , "]))
def test_calls_are_read_as_they_are_written(
    calls: list[tuple[str, dict[str, object] | None]], comma: str
) -> None:
    typed = comma.join(tool if told is None else f"{tool} {json.dumps(told)}" for tool, told in calls)
    assert [(call.tool_id, call.arguments) for call in read_calls(typed)] == calls


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ('{"query": 1}', "begins with its tool's id"),
        ("shop.refund {query}", r'is not JSON at character 2: a name in double quotes, or "}", is missing\.'),
        ('shop.refund {"a": 1, "a": 2}', '"a" stands there twice'),
        ('shop.refund {"a": 1} shop.look', "a comma"),
        ("shop.refund shop.look", "a comma"),
        ('shop.refund {"a": NaN}', "NaN is no JSON"),
        ("shop.refund " + '{"a":' * 200 + "1" + "}" * 200, "nested"),
    ],
)
def test_calls_that_are_none_say_what_is_wrong(typed: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_calls(typed)


def test_items_are_read_as_they_are_written() -> None:
    assert [(item.key, item.verdict) for item in read_items(" kb-1=yes, a=b = no ,")] == [
        ("kb-1", "yes"),
        ("a=b", "no"),
    ]
    for wrong in ("kb-1", "kb-1=perhaps", "=yes"):
        with pytest.raises(ValueError, match="KEY=yes"):
            read_items(wrong)


def test_a_draft_is_a_case_or_says_which_field_is_wrong() -> None:
    nothing = CaseDraft(input="Open on Sunday?", answer="wrong", should_say="No.", items="kb-1=yes")
    new, problems = read_draft(nothing, "acme.picker", "p")
    assert (new is not None, problems) == (True, {})
    assert new is not None
    assert (new.run_id, new.agent_id, new.project_id, new.input) == (
        None,
        "acme.picker",
        "p",
        "Open on Sunday?",
    )
    assert new.expect == Expectation(answer="wrong", should_say="No.")
    copied = CaseDraft(run_id=" 3f2a ", decisions="wrong", should_call="a.b", must_not_call="c.d, e.f,")
    new, _ = read_draft(copied, "acme.picker", "p")
    assert new is not None
    assert (new.run_id, new.agent_id, new.input) == ("3f2a", None, None)
    assert new.expect.should_call == (ExpectedCall(tool_id="a.b"),)
    assert new.expect.must_not_call == ("c.d", "e.f")


@pytest.mark.parametrize(
    ("given_draft", "field", "says"),
    [
        ({"input": ""}, "input", "what the agent is asked"),
        ({"answer": "right", "should_say": ""}, "answer", "Answer can't be right"),
        ({"answer": "wrong", "should_say": ""}, "answer", "A wrong answer needs Should say, Why or both."),
        ({"answer": "wrong", "should_say": "x" * 4_001}, "should_say", "Should say must be at most"),
        ({"answer": "wrong", "should_say": "", "why": " "}, "why", "Why is blank"),
        ({"decisions": "wrong"}, "decisions", "one call in Should call, or one tool in Must not call."),
        ({"decisions": "right"}, "decisions", "Decisions can't be right"),
        ({"decisions": "wrong", "should_call": "a {"}, "should_call", "What follows a is not JSON"),
        (
            {"decisions": "wrong", "should_call": "a", "must_not_call": "a"},
            "must_not_call",
            'Must not call: "a" is in Should call too',
        ),
        ({"items": "a"}, "items", "KEY=yes or KEY=no"),
        ({"items": "answer=yes"}, "items", "answer"),
        ({"answer": "", "should_say": ""}, "decisions", ""),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_names_the_rows_as_the_form_does(
    given_draft: dict[str, str], field: str, says: str
) -> None:
    whole = CaseDraft(input="q", answer="wrong", should_say="so").model_copy(update=given_draft)
    new, problems = read_draft(whole, "acme.picker", "p")
    assert new is None
    assert list(problems) == [field]
    assert says in problems[field]
    assert "expect." not in problems[field]
