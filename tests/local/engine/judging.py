"""What the tests of judging are made of: cases that expect something, and a judging model with verdicts to order."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.engine.judging_prompt import AS_ASKED, AS_RECORDED, CLOSING, OPENING
from kindgi_tui.local.store.test_sets import all_cases, version_seq
from kindgi_tui.local.store.values import dump_json
from tests.local.engine.lab import Lab
from tests.local.models.server import Answer, Received, typed

PRICES = 'prices."mock" = { input = 1000.0, output = 0.0 }'
"""A call that reads 20 tokens costs 2 cents."""

UNJUDGED = "Its answers weren't judged."


def yes(reason: str = "It does.", **more: Any) -> Answer:
    """The judging model says yes."""
    return typed({"passes": True, "reason": reason}, **more)


def no(reason: str = "It doesn't.", **more: Any) -> Answer:
    """The judging model says no."""
    return typed({"passes": False, "reason": reason}, **more)


def asks_to_judge(received: Received) -> bool:
    """Whether a request is one to a judging model."""
    return str(received.body["messages"][0]["content"]).startswith((AS_ASKED, AS_RECORDED))


def asked_about(received: Received) -> dict[str, Any]:
    """What a judging model was asked about: the object in its message."""
    text = str(received.body["messages"][1]["content"])
    found: dict[str, Any] = json.loads(text.split(f"{OPENING}\n")[1].split(f"\n{CLOSING}")[0])
    return found


@dataclass
class Models:
    """The candidate and the judging model on one server, as a script of each says."""

    answers: Callable[[Received], Answer]
    """What the candidate answers."""
    verdicts: Callable[[dict[str, Any]], Answer]
    """What the judging model answers, about what it was asked."""
    judged: list[dict[str, Any]] = field(default_factory=list)
    """What it was asked about, in order."""

    def __call__(self, received: Received) -> Answer:
        if not asks_to_judge(received):
            return self.answers(received)
        about = asked_about(received)
        self.judged.append(about)
        return self.verdicts(about)


def models(lab: Lab, *answers: Answer, judge: Answer | Callable[[dict[str, Any]], Answer]) -> Models:
    """The candidate answers so in every turn (the last one again and again), the judging model as told."""
    lab.says(*answers)
    made = Models(lab.server.respond, judge if callable(judge) else lambda _: judge)
    lab.server.respond = made
    return made


async def correct(
    lab: Lab, run_id: str, identity: str, expect: Json, *, asserter: str = "judge", expert: bool = False
) -> None:
    """Writes a live correction of a run down."""

    def write(connection: sqlite3.Connection) -> None:
        connection.execute(
            "INSERT INTO corrections (id, run, expect, expert, asserter, participant, created) VALUES "
            "(?, (SELECT seq FROM runs WHERE id = ?), ?, ?, ?, '', (SELECT count(*) FROM corrections))",
            (identity, run_id, dump_json(expect), int(expert), asserter),
        )

    await lab.workbench.access.database.write(write)


async def own_set(lab: Lab, changes: Mapping[str, Mapping[str, Any]]) -> None:
    """A version of the test set whose cases are those of an agent's own: `changes` by run id, to each run's case."""
    version = await lab.build()

    def write(connection: sqlite3.Connection) -> None:
        seq = version_seq(connection, "lab.set", version)
        for case in all_cases(connection, seq):
            changed = _own(case, changes.get(case.case_id, {}))
            connection.execute(
                "UPDATE cases SET case_id = ?, document = ? WHERE version = ? AND case_id = ?",
                (str(changed["caseId"]), dump_json(changed), seq, case.case_id),
            )

    await lab.workbench.access.database.write(write)


def _own(case: Case, changes: Mapping[str, Any]) -> dict[str, Any]:
    from kindgi_tui.wire import v01

    document: Any = v01.dump(case)
    return {**document, "runId": case.case_id, "caseId": f"case-{case.case_id}", **changes}
