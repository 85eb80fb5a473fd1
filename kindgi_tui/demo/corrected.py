"""What people said some of the demo's runs should have done, and what a model found of the answers since."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from kindgi_tui.demo import said
from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.corrections import Expectation, NewCorrection
from kindgi_tui.domain.items import answer_of
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.engine.judging_prompt import judging_request
from kindgi_tui.local.models.cache import cache_key, dump_reply
from kindgi_tui.local.models.calls import ModelRef, ModelReply, Usage
from kindgi_tui.local.store.corrections import add_correction
from kindgi_tui.local.store.people import find_person
from kindgi_tui.local.store.values import to_ms
from kindgi_tui.wire.expectations import read_expectation


class RecordedCorrection(Frozen):
    """One person's correction of one run."""

    run: str
    """The corrected run's id."""
    by: str
    """The person's id."""
    group: str | None = None
    """The id of the group it was said as."""
    at: datetime
    """When it was said (UTC)."""
    expect: dict[str, Any]
    """What the run should have done, in the wire's names."""

    @property
    def expectation(self) -> Expectation:
        """What the run should have done."""
        return read_expectation(self.expect)


class SaidVerdict(Frozen):
    """What the judging model said of a version's answer to a corrected run's question."""

    run: str
    """The corrected run's id."""
    version: str
    """The version that answered."""
    passes: bool
    """Whether the answer does what is asked."""
    reason: str
    """Why."""
    tokens: tuple[int, int]
    """How many tokens it read and wrote."""


def load_corrections() -> tuple[RecordedCorrection, ...]:
    """What people corrected, by time."""
    rows = said.rows("corrections.json", "corrections")
    return TypeAdapter(tuple[RecordedCorrection, ...]).validate_python(rows)


def load_verdicts() -> tuple[SaidVerdict, ...]:
    """What the judging model said."""
    return TypeAdapter(tuple[SaidVerdict, ...]).validate_python(said.rows("verdicts.json", "verdicts"))


def correct(connection: sqlite3.Connection, fresh: set[str]) -> int:
    """Records what people corrected of the runs that are new, in the order they said it; how many there are."""
    count = 0
    for told in sorted(load_corrections(), key=lambda each: each.at):
        person = find_person(connection, told.by)
        if told.run not in fresh or person is None:
            continue
        new = NewCorrection(run_id=told.run, expect=told.expectation, group=told.group)
        add_correction(connection, new, person, to_ms(told.at))
        count += 1
    return count


def verdict_replies(
    runs: Iterable[RunDetail], answers: Mapping[tuple[str, str, int], Json]
) -> dict[str, Json]:
    """The judging model's replies, by the key a comparison looks them up with.

    `answers` are the outputs that each version gave to each run's question, by run, version and repetition.
    """
    remembered: dict[str, Json] = {}
    made = {run.id: run for run in runs}
    expected = {told.run: told.expectation for told in load_corrections()}
    model = ModelRef(provider=said.PROVIDER, model=said.MODEL)
    for told in load_verdicts():
        run = made.get(told.run)
        if run is None:
            continue
        case = Case(case_id=run.id, subject=run.subject, input=run.input, output=run.output)
        reply = ModelReply(
            text=json.dumps({"passes": told.passes, "reason": told.reason}),
            tool_calls=(),
            provider=said.PROVIDER,
            model=said.MODEL,
            finish="stop",
            usage=Usage(prompt_tokens=told.tokens[0], completion_tokens=told.tokens[1], cost_usd=0.0),
        )
        for repetition in range(1, said.REPETITIONS + 1):
            output = answers.get((told.run, told.version, repetition))
            answer = answer_of(output, agent_turn=True)
            if answer is not None:
                asked = judging_request(model, case, expected[told.run], answer, repetition)
                remembered[cache_key(asked)] = dump_reply(reply)
    return remembered
