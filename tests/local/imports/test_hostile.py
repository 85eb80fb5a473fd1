"""Bad records of every kind: nothing is raised, good records beside them come in, values stay unchanged."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.runs import RunDetail, recorded_calls
from kindgi_tui.local.imports import kindgi_jsonl
from kindgi_tui.local.imports.detecting import FORMATS
from kindgi_tui.local.imports.json_values import Found
from kindgi_tui.local.imports.reading import summarise
from kindgi_tui.local.imports.records import ImportedRun, Place, Problem
from tests.hostile import corpus
from tests.local.imports.reading_lines import OPTIONS, assistant, call, imported, only, said, user, written

_KEYS = """
messages conversations conversation traj reward task_id trial info reward_info role content tool_calls
function_call id name arguments function type text tool_call_id tool_use_id input output call_id from value system
request response choices message body model usage prompt_tokens created metadata agent agent_id version subject
kind flowId status failure createdAt completedAt segments key judgments item verdict mark reason assertedBy judge
context history prompt chosen rejected preferred_output non_preferred_output score scores machineScores appended
toolCalls toolCall invocationId toolId replayOf evalRunId participantId pointer rank conversationId is_error refusal
timestamp
"""
_WORDS = """
user assistant tool system function human gpt observation function_call function_call_output reasoning message
tool_use tool_result text image_url agent flow completed failed running yes no right answer final_result {} []
{"name":"t"} 2026-01-01T00:00:00Z 1e5
"""
KEYS = tuple(_KEYS.split())
WORDS = (*_WORDS.split(), "", "\ud800", "\x00", "\x1b[31m")

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**11, 10**400, -1, 0, 1.5e308])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(WORDS)
    | st.text(st.characters(exclude_categories=()), max_size=5)
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.sampled_from(KEYS), children, max_size=6)
    ),
    max_leaves=25,
)
objects = st.dictionaries(st.sampled_from(KEYS), values, max_size=8)
messages = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "role": st.sampled_from(["user", "assistant", "tool", "system", "function"]) | values,
            "content": values,
            "tool_calls": st.lists(objects, max_size=2) | values,
            "function_call": objects,
            "tool_call_id": scalars,
            "name": scalars,
            "type": st.sampled_from(["function_call", "function_call_output", "reasoning"]) | values,
        },
    )
    | values,
    max_size=5,
)
records = (
    values
    | st.fixed_dictionaries({"messages": messages}, optional=dict.fromkeys(KEYS[15:40], values))
    | st.fixed_dictionaries({"traj": messages, "reward": values}, optional={"info": values, "id": values})
    | st.fixed_dictionaries(
        {"agent": values, "output": st.fixed_dictionaries({"appended": messages}) | values},
        optional=dict.fromkeys(KEYS[40:], values),
    )
    | st.fixed_dictionaries({"request": st.fixed_dictionaries({"messages": messages}), "response": objects})
    | st.fixed_dictionaries({"prompt": messages, "chosen": messages, "rejected": messages})
)


_QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=250, deadline=None, suppress_health_check=_QUIET)
@given(records)
def test_no_record_raises(record: Any) -> None:
    nothing_raised_by(record)


@pytest.mark.long
@settings(max_examples=20_000, deadline=None, suppress_health_check=_QUIET)
@given(records)
def test_no_record_raises_at_length(record: Any) -> None:
    nothing_raised_by(record)


def nothing_raised_by(record: Any) -> None:
    """Every format reads it or says why not, the same twice, and leaves it as it was."""
    place = Place(file="runs.jsonl", position=1)
    before = json.dumps(record)
    for known in FORMATS:
        known.sniff(record)
        outcomes = list(known.read(Found(place, record), OPTIONS))
        assert outcomes
        assert list(known.read(Found(place, record), OPTIONS)) == outcomes
        for one in outcomes:
            if isinstance(one, Problem):
                assert one.reason.isascii()
                assert one.reason.isprintable()
                assert one.reason.endswith(".")
            else:
                check(one)
        summarise((one if isinstance(one, Problem) else (one, "new")) for one in outcomes)
    assert json.dumps(record) == before


def check(run: ImportedRun) -> None:
    """What every imported run must hold, whatever it was made from."""
    detail = run.detail
    assert RunDetail.model_validate(detail.model_dump()) == detail
    for text in (detail.id, detail.subject.id, detail.subject.version, detail.failure or "", detail.source):
        text.encode()
    for segment in detail.segments:
        segment.value.encode()
    for score in run.machine_scores:
        f"{score.name}{score.value}{score.explanation}".encode()
    for judgment in run.judgments:
        f"{judgment.judge}{judgment.reason}{judgment.participant}".encode()
    json.dumps([detail.input, detail.output, detail.context, detail.raw], allow_nan=False)
    output_items(detail.output, detail.subject.kind == "agent")
    recorded_calls(detail.output)
    kindgi_jsonl.export_line(detail, run.judgments, run.machine_scores)


def test_bad_lines_between_good_ones(tmp_path: Path) -> None:
    good = {"messages": [user("x"), assistant("y")]}
    bad = [
        b"\0" * 100,
        b"{" * 5000,
        b'{"messages": 7}',
        b"\xff\xfe{}",
        b"null",
        b'"x"',
        b"[]",
        b"7",
        b'{"messages": [7]}',
    ]
    runs, problems = imported(written(tmp_path, good, *(line for one in bad for line in (one, good))))
    assert len(runs) == len(bad) + 1
    assert [problem.position for problem in problems] == [2 * place for place in range(1, len(bad) + 1)]


def test_words_of_agents_stay_as_they_were(tmp_path: Path) -> None:
    words = "\x1b[31m\x1b]52;c;eA==\x07\u202e\x9b\0[/INST]\ud800\u2028\r\n\t"
    run = only(
        tmp_path,
        {
            "messages": [
                user(words),
                assistant(words, tool_calls=[call(words, words, words)]),
                assistant(words),
            ]
        },
    )
    assert run.detail.input == words
    assert said(run)[-1] == ("agent", words)
    (one,) = recorded_calls(run.detail.output)
    assert one.arguments == words
    one.tool_id.encode()


def test_a_list_of_a_hundred_thousand(tmp_path: Path) -> None:
    calls = [call("t", "{}", "same") for _ in range(50_000)]
    answers = [{"role": "tool", "content": "r"} for _ in range(50_000)]
    run = only(
        tmp_path, {"messages": [user("x"), assistant(None, tool_calls=calls), *answers, assistant("y")]}
    )
    recorded = recorded_calls(run.detail.output)
    assert len({one.call_id for one in recorded}) == 50_000
    assert all(one.finished for one in recorded)
    typed = only(tmp_path, {"agent": "a.b", "output": {"appended": [], "output": list(range(100_000))}})
    assert isinstance(typed.detail.output, dict)
    assert len(str(typed.detail.output["output"])) > 100_000


@pytest.mark.parametrize("name", corpus.strings())
def test_the_corpus_comes_in_unchanged(tmp_path: Path, name: str) -> None:
    words = corpus.strings()[name]
    chat = only(
        tmp_path, {"id": words, "messages": [user(words), assistant(words)], "metadata": {"agent": words}}
    )
    assert (chat.detail.input, said(chat)[-1]) == (words, ("agent", words))
    check(chat)
    told = {
        "item": {"key": "answer"},
        "verdict": "no",
        "reason": words[:2000],
        "judge": words,
        "participantId": words,
    }
    ours = {
        "id": words,
        "agent": words,
        "input": words,
        "output": words,
        "judgments": [told],
        "scores": {words: words},
    }
    run = only(tmp_path, ours)
    assert said(run) == [("user", words), ("agent", words)]
    assert len(run.judgments) == 1
    check(run)
