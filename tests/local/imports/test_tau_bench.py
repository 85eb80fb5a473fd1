"""tau-bench trajectories: one run each."""

from pathlib import Path
from typing import Any

from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.runs import recorded_calls
from kindgi_tui.local.imports.records import MachineScore
from tests.local.imports.reading_lines import appended, assistant, call, imported, only, said, user, written


def trajectory(**more: Any) -> dict[str, Any]:
    """A small trajectory whose last agent message says nothing."""
    return {
        "task_id": 3,
        "trial": 0,
        "reward": 0.0,
        "info": {"reward_info": {"reward": 0.0, "info": {"r_actions": 0.5, "gt_data_hash": "x"}}},
        "traj": [
            {"role": "system", "content": "Be brief."},
            user("Hello"),
            assistant("What is it?"),
            user("My bag."),
            assistant(None, tool_calls=[call("find_bag", '{"user": "a_1"}', "c1")]),
            {"role": "tool", "tool_call_id": "c1", "name": "find_bag", "content": '{"bag": 7}'},
            assistant("It is bag 7."),
            user("###STOP###"),
            assistant(None),
        ],
        **more,
    }


def test_a_trajectory_is_one_run(tmp_path: Path) -> None:
    run = only(tmp_path, trajectory())
    assert run.detail.source == "tau-bench"
    assert run.detail.input == "Hello"
    assert run.detail.context == {
        "history": [{"sequence": 0, "role": "system", "content": "Be brief."}],
        "severalTurns": True,
    }
    assert said(run) == [
        ("user", "Hello"),
        ("agent", "What is it?"),
        ("user", "My bag."),
        (
            "agent",
            {"text": "", "toolCalls": [{"id": "c1", "name": "find_bag", "arguments": {"user": "a_1"}}]},
        ),
        ("tool", {"bag": 7}),
        ("agent", "It is bag 7."),
        ("user", "###STOP###"),
    ]
    assert [message["sequence"] for message in appended(run)] == list(range(7))
    (one,) = recorded_calls(run.detail.output)
    assert (one.tool_id, one.arguments, one.result, one.finished) == (
        "find_bag",
        {"user": "a_1"},
        {"bag": 7},
        True,
    )
    assert [item.value for item in output_items(run.detail.output, True)] == ["It is bag 7."]
    assert isinstance(run.detail.output, dict)
    assert run.detail.output["response"] == appended(run)[5]


def test_rewards_are_scores_and_never_judgments(tmp_path: Path) -> None:
    run = only(tmp_path, trajectory())
    assert run.machine_scores == (
        MachineScore(name="reward", value=0.0),
        MachineScore(name="r_actions", value=0.5),
    )
    assert run.judgments == ()


def test_the_same_task_and_trial_of_two_models_are_two_runs(tmp_path: Path) -> None:
    other = trajectory()
    other["traj"][2]["content"] = "Yes?"
    runs, _ = imported(written(tmp_path, trajectory(), other, trajectory()))
    ids = [run.detail.id for run in runs]
    assert ids[0] != ids[1]
    assert ids[0] == ids[2]


def test_a_trajectory_without_an_agent_is_left_out(tmp_path: Path) -> None:
    runs, problems = imported(
        written(tmp_path, trajectory(), trajectory(traj=[user("Hello")]), trajectory(traj=7))
    )
    assert len(runs) == 1
    assert [problem.position for problem in problems] == [2, 3]
    assert problems[0].reason == "The agent said and did nothing."
