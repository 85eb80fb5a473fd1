"""Trajectories of tau-bench: records of `{task_id, trial, reward, info, traj}`, `traj` being chat messages.

A trajectory is one run: its input the first human message, everything after it appended, `severalTurns` set in its
context. Its reward is a machine score; the calls its task should have made stay in the raw record. Task and trial
numbers repeat between files, so the run's id comes from them and the trajectory together.
"""

from collections.abc import Iterator

from kindgi_tui.domain.base import Json
from kindgi_tui.local.imports.identity import named_id, time_of, uuid_of
from kindgi_tui.local.imports.json_values import Found
from kindgi_tui.local.imports.messages import turned
from kindgi_tui.local.imports.records import ImportedRun, ImportOptions, MachineScore, Problem
from kindgi_tui.local.imports.scores import machine_scores
from kindgi_tui.local.imports.told import Unreadable
from kindgi_tui.local.imports.turns import output_of, subject_of, turn_run, whole_trajectory

NAME = "tau-bench"
"""The format's name."""


def sniff(value: Json) -> bool:
    """Whether a value is a record of this format."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("traj"), list)
        and ("reward" in value or "task_id" in value)
    )


def read(found: Found, options: ImportOptions) -> Iterator[ImportedRun | Problem]:
    """The run of one record, or why there is none."""
    record = found.value
    messages = record.get("traj") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(messages, list):
        yield Problem(place=found.place, reason="The record has no `traj`, a list of messages.")
        return
    try:
        shaped = turned(messages)
        turn = whole_trajectory(shaped.messages)
    except Unreadable as error:
        yield Problem(place=found.place, reason=str(error))
        return
    parts: tuple[Json, ...] = (record.get("task_id"), record.get("trial"), messages)
    detail = turn_run(
        uuid_of(record.get("id")) or named_id(NAME, *parts),
        turn,
        output_of(turn, shaped),
        record,
        subject_of(record, found.place, options),
        found.place,
        options,
        NAME,
        times=(time_of(record.get("timestamp")), None),
        context={"severalTurns": True},
    )
    yield ImportedRun(
        detail=detail, machine_scores=(*machine_scores(record), *_reward_parts(record)), place=found.place
    )


def _reward_parts(record: dict[str, Json]) -> Iterator[MachineScore]:
    """What the reward was made of: `info.reward_info.info`'s numbers, such as `r_actions`."""
    node: Json = record
    for key in ("info", "reward_info", "info"):
        node = node.get(key) if isinstance(node, dict) else None
    for name, value in node.items() if isinstance(node, dict) else ():
        if isinstance(value, int | float):
            yield from machine_scores({"scores": {name: value}})
