"""Values for the parameters of an agent's instructions, in a turn that is started and in its replay."""

from datetime import UTC, datetime
from typing import Any

from kindgi_tui.domain.blocks import Parameter
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.blocks.turn_blocks import Asked, TurnBlocks
from kindgi_tui.local.engine.replaying import asked_of

AT = datetime(2026, 5, 4, tzinfo=UTC)
BLOCKS = TurnBlocks(
    template="Answer in {{ language }}, {{ tone }}.",
    parameters=(
        Parameter(name="language", default="English", has_default=True),
        Parameter(name="tone", default="briefly", has_default=True),
    ),
)


def test_given_values_stand_in_for_defaults_and_undeclared_ones_are_not_read() -> None:
    assert BLOCKS.instructions(Asked(AT)) == "Answer in English, briefly."
    given = Asked(AT, values={"language": "German", "today": "never", "other": "x"})
    assert BLOCKS.instructions(given) == "Answer in German, briefly."
    today = TurnBlocks(template="{{ today }}", parameters=())
    assert today.instructions(Asked(AT, values={"today": "never"})) == "2026-05-04"


def case(**context: Any) -> Case:
    subject = {"kind": "agent", "id": "a", "version": "0.1.0"}
    return Case.read(
        {"caseId": "c", "subject": subject, "input": "hi", "output": {}, "items": [], "context": context}
    )


def test_a_replay_has_the_past_turns_values() -> None:
    asked = asked_of(case(history=[], parameters={"tone": "at length"}), (), AT)
    assert BLOCKS.instructions(asked) == "Answer in English, at length."
    assert (
        BLOCKS.instructions(asked_of(case(history=[], parameters=3), (), AT)) == "Answer in English, briefly."
    )
