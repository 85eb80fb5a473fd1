"""What models and people said in the demo, read from the files in `data/`.

Nothing that a program can compute is in those files: no tool result, no item, no score. A run of the article
picker is made by replaying its model's replies through the engine, with the real tools answering.

The files, each `{"about": …, <name>: [...]}`:

- `said.json`, `sequences`: what a model said to one question, reply by reply (`SaidSequence`).
- `runs.json` and `scorer-runs.json`, `runs`: when a run was recorded, of whom and in which segment
  (`RecordedRun`).
- `judgments.json`, `judgments`: who said yes or no to which item, and when (`RecordedJudgment`).
- `corrections.json`, `corrections`, and `verdicts.json`, `verdicts`: what runs should have done, and what the judging
  model said of the answers since (`demo.corrected`).
- `people.json`, `people` (`Person`), and `groups.json`, `groups` (`kindgi_tui.domain.judgments.Group`).
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.judgments import Group, Verdict
from kindgi_tui.domain.runs import Segment

DOCS_PROJECT = "docs"
"""The slug of the project that holds exactly what Kindgi's guides show."""

REPETITIONS = 10
"""For how many repetitions of a question the files say what a model replied."""

PROVIDER = "anthropic"
"""Whose model it was."""

MODEL = "claude-sonnet-5-5"
"""Which model it was."""


class SaidCall(Frozen):
    """One tool call that a model asked for."""

    tool: str
    """The tool's id, such as `acme-ops.search-articles`."""
    arguments: Json
    """What it called the tool with."""
    saw: tuple[str, ...] | None = None
    """For a search: the ids of the articles that came back, in order. The next reply was said with these in
    sight, so it only holds while the search still finds exactly them. None: what came back did not matter."""


class SaidReply(Frozen):
    """One reply of a model: tool calls to make, or its last word."""

    calls: tuple[SaidCall, ...] = ()
    """The tool calls it asked for; empty in the last reply."""
    answer: Json = None
    """The typed answer; only in the last reply."""
    tokens: tuple[int, int]
    """How many tokens it read and wrote."""

    @property
    def text(self) -> str:
        """The reply's text, as the model wrote it: its answer as compact JSON, empty beside tool calls."""
        if self.calls:
            return ""
        return json.dumps(self.answer, separators=(",", ":"))


class SaidSequence(Frozen):
    """What one version of an agent said to one question, from the question to its answer."""

    agent: str
    """The agent's id."""
    version: str
    """The agent's exact version."""
    question: str
    """The customer's question: the run's input, letter by letter."""
    repetitions: tuple[int, ...] | None = None
    """The repetitions (from 1) in which it said this; None: in every one that no other sequence names."""
    replies: tuple[SaidReply, ...]
    """Its replies, in order; the last one has the answer."""


class Said:
    """Everything the demo's models said."""

    def __init__(self, sequences: tuple[SaidSequence, ...]) -> None:
        self.sequences = sequences
        """Every sequence, in the file's order."""

    def replies(
        self, agent_id: str, version: str, question: str, repetition: int = 1
    ) -> tuple[SaidReply, ...]:
        """What was said to a question in a repetition (from 1); empty when nothing is written down."""
        said = self._by_question.get((agent_id, version, question), {})
        return said.get(repetition) or said.get(None) or ()

    @cached_property
    def _by_question(self) -> dict[tuple[str, str, str], dict[int | None, tuple[SaidReply, ...]]]:
        found: dict[tuple[str, str, str], dict[int | None, tuple[SaidReply, ...]]] = {}
        for sequence in self.sequences:
            key = (sequence.agent, sequence.version, sequence.question)
            by_repetition = found.setdefault(key, {})
            for repetition in sequence.repetitions or (None,):
                by_repetition[repetition] = sequence.replies
        return found


class RecordedRun(Frozen):
    """One run that was recorded: everything of it that nobody can compute."""

    id: str
    """The run's UUID."""
    project: str
    """The slug of its project: `default` or `docs`."""
    agent: str
    """The agent's id."""
    version: str
    """The agent's exact version."""
    conversation: str
    """The UUID of the conversation it is the first turn of."""
    at: datetime
    """When it started (UTC): the user's message."""
    after_ms: tuple[int, ...]
    """When each message after the user's was added, in milliseconds after the start, in order. A failed run
    has the one moment it failed."""
    segments: tuple[Segment, ...] = ()
    """The path it was started in, coarse to fine; empty when none."""
    input: str
    """The user's message."""
    call_ids: tuple[str, ...] = ()
    """The ids of its tool calls, in order."""
    failure: str | None = None
    """Why it failed, in words; None for a completed run."""
    output: Json = None
    """The whole turn result, for an agent whose pack is not here; None: replay what was said to compute it."""

    @property
    def completed_at(self) -> datetime:
        """When it ended (UTC): its last message, or the moment it failed."""
        return self.at + timedelta(milliseconds=self.after_ms[-1])


class RecordedJudgment(Frozen):
    """One verdict of one person. The item's pointer and rank are those of the run's output, once computed."""

    id: str
    """The judgment's UUID."""
    run: str
    """The judged run's id."""
    item: str
    """The judged item's own key, such as `kb-201`."""
    verdict: Verdict
    """Yes or no."""
    reason: str | None = None
    """Why, in the person's words."""
    by: str
    """The person's id."""
    group: str | None = None
    """The id of the group it was said as; None weighs 1."""
    at: datetime
    """When it was said (UTC)."""


class Person(Frozen):
    """One person of the demo."""

    id: str
    """A short name, such as `mira`."""
    name: str
    """The full name."""
    kind: Literal["user", "service"] = "user"
    """A person, or a program."""
    reviewer_role: Literal["standard", "senior", "admin"]
    """How experienced a reviewer."""
    right: Literal["judge", "editor", "admin"]
    """What the person may do in the workspace."""


def load_said() -> Said:
    """What the models said."""
    return Said(TypeAdapter(tuple[SaidSequence, ...]).validate_python(rows("said.json", "sequences")))


def load_runs() -> tuple[RecordedRun, ...]:
    """The recorded runs of both projects: the article picker's by time, then the scorer's by time."""
    told = [*rows("runs.json", "runs"), *rows("scorer-runs.json", "runs")]
    return TypeAdapter(tuple[RecordedRun, ...]).validate_python([_with_segments(row) for row in told])


def load_judgments() -> tuple[RecordedJudgment, ...]:
    """What people said of the runs, by time."""
    return TypeAdapter(tuple[RecordedJudgment, ...]).validate_python(rows("judgments.json", "judgments"))


def load_people() -> tuple[Person, ...]:
    """Who judged."""
    return TypeAdapter(tuple[Person, ...]).validate_python(rows("people.json", "people"))


def load_groups() -> tuple[Group, ...]:
    """The groups they judged as."""
    return TypeAdapter(tuple[Group, ...]).validate_python(rows("groups.json", "groups"))


@contextmanager
def pack_folder() -> Iterator[Path]:
    """The demo's pack as a folder on disk, to publish from; only to be read, and only inside the `with`."""
    with as_file(files("kindgi_tui.demo").joinpath("pack")) as folder:
        yield folder


def rows(name: str, field: str) -> list[dict[str, Json]]:
    """The rows of a data file."""
    text = files("kindgi_tui.demo").joinpath("data", name).read_text("utf-8")
    found: list[dict[str, Json]] = json.loads(text)[field]
    return found


def _with_segments(row: dict[str, Json]) -> dict[str, Json]:
    """The row with its segments taken apart: they are written `company:acme`, as every face writes them."""
    written = row.get("segments")
    if not isinstance(written, list):
        return row
    parts = [str(segment).partition(":") for segment in written]
    return {**row, "segments": [{"key": key, "value": value} for key, _, value in parts]}
