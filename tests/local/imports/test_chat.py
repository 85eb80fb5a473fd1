"""The chat family: what each spelling becomes."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.runs import recorded_calls
from tests.local.imports.reading_lines import (
    OPTIONS,
    appended,
    assistant,
    call,
    imported,
    only,
    said,
    user,
    written,
)

UUID = "2f0e1c5a-0b1d-4c8e-9d55-0a4b7d1c9e01"


def calls_of(run: Any) -> list[tuple[str, str, Any, Any, bool]]:
    return [
        (one.call_id, one.tool_id, one.arguments, one.result, one.finished)
        for one in recorded_calls(run.detail.output)
    ]


def test_the_last_turn_is_the_run_and_the_rest_its_history(tmp_path: Path) -> None:
    system = {"role": "system", "content": "Be kind."}
    run = only(tmp_path, {"messages": [system, user("One"), assistant("1"), user("Two"), assistant("2")]})
    assert run.detail.input == "Two"
    assert said(run) == [("user", "Two"), ("agent", "2")]
    history = run.detail.context["history"]
    assert isinstance(history, list)
    assert [(one["role"], one["content"]) for one in history if isinstance(one, dict)] == [
        ("system", "Be kind."),
        ("user", "One"),
        ("agent", "1"),
    ]
    assert isinstance(run.detail.output, dict)
    assert run.detail.output["turnNumber"] == 2
    assert run.detail.status == "completed"
    assert (run.detail.subject.id, run.detail.subject.version) == ("runs", "unknown")


def test_history_keeps_the_newest_200_messages(tmp_path: Path) -> None:
    talk = [message for i in range(150) for message in (user(f"q{i}"), assistant(f"a{i}"))]
    run = only(tmp_path, {"messages": talk})
    history = run.detail.context["history"]
    assert isinstance(history, list)
    assert len(history) == 200
    assert isinstance(history[-1], dict)
    assert history[-1]["content"] == "a148"
    assert run.detail.context["historyTruncated"] is True


def test_exactly_200_messages_are_not_truncated(tmp_path: Path) -> None:
    talk = [message for i in range(101) for message in (user(f"q{i}"), assistant(f"a{i}"))]
    assert "historyTruncated" not in only(tmp_path, {"messages": talk}).detail.context


def test_no_human_message_is_an_empty_input(tmp_path: Path) -> None:
    run = only(tmp_path, {"messages": [{"role": "system", "content": "x"}, assistant("Hello!")]})
    assert run.detail.input == ""
    assert said(run) == [("agent", "Hello!")]


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('{"a": ', '{"a": '),
        ("{'a': None}", "{'a': None}"),
        ("42", "42"),
        ("", ""),
        (None, None),
        ('{"a": NaN}', {"a": None}),
        ("[" * 200 + "]" * 200, "[" * 200 + "]" * 200),
    ],
)
def test_arguments_stay_what_they_were(tmp_path: Path, told: Any, kept: Any) -> None:
    run = only(tmp_path, {"messages": [user("x"), assistant(None, tool_calls=[call("t", told, "c")])]})
    assert calls_of(run) == [("c", "t", kept, None, False)]


def test_results_answer_their_calls_by_id_then_by_order(tmp_path: Path) -> None:
    run = only(
        tmp_path,
        {
            "messages": [
                user("x"),
                assistant("Let me see.", tool_calls=[call("a", "{}", "1"), call("b", "{}", "2")]),
                {"role": "tool", "tool_call_id": "2", "content": "from b"},
                {"role": "tool", "tool_call_id": "1", "content": '{"from": "a"}'},
                assistant(None, function_call={"name": "a", "arguments": '{"n": 2}'}),
                {"role": "function", "name": "a", "content": "42"},
                assistant("Done."),
            ]
        },
    )
    assert calls_of(run) == [
        ("1", "a", {}, {"from": "a"}, True),
        ("2", "b", {}, "from b", True),
        ("call-3", "a", {"n": 2}, "42", True),
    ]
    assert said(run)[1][1]["text"] == "Let me see."


def test_a_call_id_used_twice_is_two_calls(tmp_path: Path) -> None:
    messages = [user("x")]
    for number in range(3):
        messages += [
            assistant(None, tool_calls=[call("t", f'{{"n": {number}}}', "call_0")]),
            {"role": "tool", "tool_call_id": "call_0", "content": f"result {number}"},
        ]
    run = only(tmp_path, {"messages": [*messages, assistant("ok")]})
    assert calls_of(run) == [
        ("call_0", "t", {"n": 0}, "result 0", True),
        ("call_0#2", "t", {"n": 1}, "result 1", True),
        ("call_0#3", "t", {"n": 2}, "result 2", True),
    ]


def test_a_call_without_a_result_is_unfinished(tmp_path: Path) -> None:
    run = only(tmp_path, {"messages": [user("x"), assistant("", tool_calls=[call("t", "{}", "c")])]})
    assert calls_of(run) == [("c", "t", {}, None, False)]
    assert output_items(run.detail.output, True) == ()


def test_content_parts(tmp_path: Path) -> None:
    parts = [
        {"type": "text", "text": "See"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "weird"},
    ]
    run = only(tmp_path, {"messages": [user(parts), assistant([{"type": "text", "text": "A cat."}])]})
    assert run.detail.input == "See\n[image]\n[weird]"
    assert said(run)[-1] == ("agent", "A cat.")
    assert isinstance(run.detail.raw, dict)
    assert run.detail.raw["messages"][0]["content"] == parts  # type: ignore[index,call-overload]


def test_anthropic_parts(tmp_path: Path) -> None:
    run = only(
        tmp_path,
        {
            "messages": [
                user("x"),
                assistant(
                    [
                        {"type": "thinking", "thinking": "hm"},
                        {"type": "tool_use", "id": "t1", "name": "look", "input": {"a": 1}},
                    ]
                ),
                user([{"type": "tool_result", "tool_use_id": "t1", "content": "no such", "is_error": True}]),
                assistant("Not there."),
            ]
        },
    )
    assert run.detail.input == "x"
    (one,) = recorded_calls(run.detail.output)
    assert (one.tool_id, one.result, one.failed) == ("look", "no such", True)


def test_responses_items(tmp_path: Path) -> None:
    run = only(
        tmp_path,
        {
            "request": {"instructions": "Be brief.", "input": "x", "model": "m-1"},
            "response": {
                "output": [
                    {"type": "reasoning", "summary": []},
                    {"type": "function_call", "call_id": "1", "name": "a", "arguments": "{}"},
                    {"type": "function_call", "call_id": "2", "name": "b", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "1", "output": "A"},
                    {"type": "function_call_output", "call_id": "2", "output": "B"},
                    {
                        "type": "message",
                        "role": "assistant",
                        "content": [{"type": "output_text", "text": "AB"}],
                    },
                ],
                "usage": {"input_tokens": 3, "output_tokens": 4},
                "created_at": 1_700_000_000,
            },
        },
    )
    assert [role for role, _ in said(run)] == ["user", "agent", "tool", "tool", "agent"]
    assert [(one[1], one[3]) for one in calls_of(run)] == [("a", "A"), ("b", "B")]
    assert isinstance(run.detail.output, dict)
    assert run.detail.output["usage"] == {"steps": 2, "promptTokens": 3, "completionTokens": 4}
    assert run.detail.output["provider"] == {"id": "unknown", "model": "m-1"}
    assert run.detail.created_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


def test_stored_completion_with_two_choices(tmp_path: Path) -> None:
    record = {
        "id": UUID,
        "request": {"messages": [user("x")]},
        "response": {"choices": [{"message": {"content": "a"}}, {"message": {"content": "b"}}], "model": "m"},
    }
    runs, problems = imported(written(tmp_path, record))
    assert problems == []
    assert [said(run)[-1] for run in runs] == [("agent", "a"), ("agent", "b")]
    assert runs[0].detail.id == UUID != runs[1].detail.id


def test_sharegpt(tmp_path: Path) -> None:
    run = only(
        tmp_path,
        {
            "system": "Be kind.",
            "conversations": [
                {"from": "human", "value": "x"},
                {"from": "function_call", "value": '{"name": "t", "arguments": {"a": 1}}'},
                {"from": "observation", "value": "seen"},
                {"from": "gpt", "value": "y"},
            ],
        },
    )
    assert calls_of(run) == [("call-1", "t", {"a": 1}, "seen", True)]
    assert said(run)[-1] == ("agent", "y")
    assert isinstance(run.detail.context["history"], list)
    assert len(run.detail.context["history"]) == 1


def test_preference_pairs_are_judged_only_when_asked(tmp_path: Path) -> None:
    record = {
        "prompt": "x",
        "chosen": [user("x"), assistant("good")],
        "rejected": [user("x"), assistant("bad")],
    }
    other = {
        "input": {"messages": [user("y")]},
        "preferred_output": [assistant("yes")],
        "non_preferred_output": [assistant("no")],
    }
    path = written(tmp_path, record, other)
    runs, problems = imported(path)
    assert problems == []
    assert [said(run) for run in runs] == [
        [("user", "x"), ("agent", "good")],
        [("user", "x"), ("agent", "bad")],
        [("user", "y"), ("agent", "yes")],
        [("user", "y"), ("agent", "no")],
    ]
    assert all(run.judgments == () for run in runs)
    judged, _ = imported(path, options=OPTIONS.model_copy(update={"preferences": True}))
    assert [run.judgments[0].verdict for run in judged] == ["yes", "no", "yes", "no"]
    assert judged[0].judgments[0].item.pointer == "/appended/1/content"
    assert [run.detail.id for run in judged] == [run.detail.id for run in runs]


def test_final_result_is_the_typed_answer_and_no_call(tmp_path: Path) -> None:
    run = only(
        tmp_path,
        {
            "messages": [
                user("x"),
                assistant(None, tool_calls=[call("final_result", '{"articles": [{"id": "kb-1"}]}', "f")]),
                {"role": "tool", "tool_call_id": "f", "content": "Final result processed."},
            ]
        },
    )
    assert calls_of(run) == []
    assert [item.key for item in output_items(run.detail.output, True)] == ["answer", "kb-1"]


def test_an_answer_that_looks_like_json_has_no_typed_output(tmp_path: Path) -> None:
    run = only(tmp_path, {"messages": [user("x"), assistant('{"articles": []}')]})
    assert isinstance(run.detail.output, dict)
    assert "output" not in run.detail.output
    assert said(run)[-1] == ("agent", '{"articles": []}')


def test_an_unanswered_chat_is_left_out(tmp_path: Path) -> None:
    runs, problems = imported(written(tmp_path, {"messages": [user("x"), assistant("y"), user("thanks")]}))
    assert runs == []
    assert problems[0].reason == "The agent said and did nothing after the last human message."


def test_an_unknown_role_is_left_out_with_its_place(tmp_path: Path) -> None:
    good = {"messages": [user("x"), assistant("y")]}
    runs, problems = imported(
        written(tmp_path, good, {"messages": [{"role": "c\x1b[31m", "content": "x"}]}, good)
    )
    assert len(runs) == 2
    assert str(problems[0].place).endswith("runs.jsonl, line 2")
    assert problems[0].reason == "Message 1 has no role that is known (its role is 'c\\x1b[31m')."


def test_ids_come_from_the_uuid_or_from_id_and_messages(tmp_path: Path) -> None:
    talk = [user("x"), assistant("y")]
    runs, _ = imported(
        written(
            tmp_path,
            {"id": UUID.upper(), "messages": talk},
            {"id": 1, "messages": talk},
            {"id": 1, "messages": [user("x"), assistant("z")]},
            {"messages": talk},
            {"messages": talk, "metadata": {"score": 1}},
        )
    )
    ids = [run.detail.id for run in runs]
    assert ids[0] == UUID
    assert len(set(ids)) == 4
    assert ids[3] == ids[4]


def test_options_win_and_change_no_id(tmp_path: Path) -> None:
    record = {
        "messages": [user("x"), assistant("y")],
        "metadata": {"agent": "Shop Bot", "agent_version": "1.2.0"},
    }
    run = only(tmp_path, record)
    assert (run.detail.subject.id, run.detail.subject.version) == ("shop-bot", "1.2.0")
    chosen = OPTIONS.model_copy(update={"agent": "acme.bot", "agent_version": "9.0.0"})
    other = only(tmp_path, record, chosen)
    assert (other.detail.subject.id, other.detail.subject.version) == ("acme.bot", "9.0.0")
    assert other.detail.id == run.detail.id


def test_a_run_without_a_time_starts_with_the_import_in_file_order(tmp_path: Path) -> None:
    runs, _ = imported(written(tmp_path, *({"messages": [user(str(i)), assistant("y")]} for i in range(3))))
    times = [run.detail.created_at for run in runs]
    assert times == sorted(set(times))
    assert all((time - OPTIONS.imported_at).total_seconds() < 1 for time in times)


def test_scores_are_kept_apart(tmp_path: Path) -> None:
    scores = {"exact": 1, "tone": {"value": "warm", "explanation": "kind words"}, "list": [1]}
    run = only(tmp_path, {"messages": [user("x"), assistant("y")], "reward": 0.5, "scores": scores})
    assert [(one.name, one.value, one.explanation) for one in run.machine_scores] == [
        ("reward", 0.5, None),
        ("exact", 1.0, None),
        ("tone", "warm", "kind words"),
    ]
    assert run.judgments == ()


def test_messages_say_their_times(tmp_path: Path) -> None:
    run = only(tmp_path, {"messages": [user("x"), assistant("y", timestamp="2026-01-02T03:04:05+01:00")]})
    assert appended(run)[1]["createdAt"] == "2026-01-02T02:04:05Z"
