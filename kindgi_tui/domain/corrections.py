"""Corrections: what a run should have done, as a person said it (DESIGN sections 2 and 7)."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.plain import Plain

Mark = Literal["right", "wrong"]
"""What a person says of a run's decisions, or of its answer."""

TEXT_LIMIT = 4_000
"""The longest `should_say` or `why`, in characters."""

CALLS_LIMIT = 100
"""The most calls a correction lists, and the most tools it forbids."""


class ExpectedCall(Plain):
    """A tool call that a run should have made."""

    tool_id: str
    """Which tool."""
    arguments: dict[str, Json] | None = Field(default=None, alias="args")
    """Top-level fields the call must have, each JSON-equal; its other fields are free. None: any arguments."""


class Expectation(Plain):
    """What a run should have done: graded part by part on each replay (DESIGN section 7). Items are no part of it."""

    decisions: Mark | None = None
    """Whether the recorded run's tool calls were right; None: not said."""
    should_call: tuple[ExpectedCall, ...] = ()
    """With wrong decisions: the calls it should have made, each as often as it is listed; other tools are free."""
    must_not_call: tuple[str, ...] = ()
    """With wrong decisions: ids of tools it must not call."""
    answer: Mark | None = None
    """Whether the recorded answer was right; None: not said."""
    should_say: str | None = None
    """With a wrong answer: what it should say."""
    why: str | None = None
    """With a wrong answer: why it is wrong, or what a right one has to do."""

    @property
    def parts(self) -> tuple[Literal["decisions", "answer"], ...]:
        """The parts that are graded, decisions first."""
        told: list[Literal["decisions", "answer"]] = []
        if self.decisions is not None:
            told.append("decisions")
        if self.answer is not None:
            told.append("answer")
        return tuple(told)


class NewCorrection(Frozen):
    """A correction to record; the workbench adds who and when."""

    run_id: str
    """The run; it must have ended."""
    expect: Expectation
    """What it should have done; at least one part."""
    group: str | None = None
    """The id or name of the group it is said as."""
    participant: str | None = None
    """The app's own user it is said for."""
    expert: bool | None = None
    """Whether its group was restricted when it was said. Counts for what is copied from elsewhere (`Runs.add`) alone:
    of a correction that is made here the group itself tells."""


class Correction(Frozen):
    """One person's correction of one run. One is live per run, asserter and participant; others stay as history."""

    id: str
    """A UUID."""
    run_id: str
    """The corrected run."""
    expect: Expectation
    """What it should have done."""
    group_id: str | None = None
    """The group it was said as."""
    expert: bool = False
    """Whether that group was restricted (an expert group) when this was recorded; never changes later."""
    asserter: str
    """Who said it: a person's id."""
    participant: str | None = None
    """The app's own user on whose behalf it was said, by an opaque id."""
    created_at: datetime
    """When it was recorded (UTC)."""
    ended_at: datetime | None = None
    """When it was replaced, removed or taken back (UTC); None: it is live."""
    superseded_by: str | None = None
    """The correction that replaced it."""


class CorrectionFilter(Frozen):
    """Which live corrections a list holds; every part given must hold."""

    project_id: str | None = None
    """On runs of this project."""
    run_id: str | None = None
    """On this run."""
    subject_id: str | None = None
    """On runs of this agent or flow."""
    asserter: str | None = None
    """Said by this person."""
    group_id: str | None = None
    """Said as this group."""


class CaseCorrection(Plain):
    """A live correction of a case's run, as a test set version keeps it."""

    correction_id: str
    """The correction."""
    expect: Expectation
    """What the run should have done."""
    expert: bool = False
    """Whether it was made under an expert group."""


class AnswerVerdict(Frozen):
    """What the judging model found of one repetition's answer."""

    entry_id: str
    """What it was held against: a correction's id, or on an agent's own test set the case's."""
    repetition: int
    """The repetition, from 1."""
    passed: bool | None
    """Whether the answer does what is asked; None: it couldn't be checked."""
    why: str | None = None
    """The judging model's reason, or why it couldn't be checked."""


class DecisionDifference(Plain):
    """One way in which a repetition's tool calls differ from what was expected."""

    kind: Literal["count", "must-not-call", "missing-field", "field-value"]
    """How many calls of a tool; a forbidden one; an argument that is missing, or has another value."""
    tool_id: str
    """The tool."""
    expected: Json = None
    """For `count` how many calls were expected, for a field its expected value; None for a forbidden tool."""
    actual: Json = None
    """For `count` how many calls were made, for a field the value it had, for a forbidden tool its arguments."""
    field: str | None = None
    """The argument's name, of `missing-field` and `field-value`."""
    call: int | None = None
    """Which of the listed calls of this tool it is about, from 1; None for a count."""
    refused: bool = False
    """Whether the replay refused the call."""


def _readable(told: Any) -> Any:
    """The differences that can be read: their shape is hardly stated, and another must not cost the result."""
    if not isinstance(told, list | tuple):
        return told
    found = []
    for one in told:
        try:
            found.append(DecisionDifference.read(one))
        except ValueError:
            continue
    return tuple(found)


class CorrectionDifferences(Plain):
    """What differed in the first repetition that failed a correction's decisions."""

    correction_id: str
    """The correction, or the case's id on an agent's own test set."""
    repetition: int
    """That repetition's number, from 1."""
    differences: Annotated[tuple[DecisionDifference, ...], BeforeValidator(_readable)]
    """What differed; of another runtime's, those that can be read."""


class CheckedParts(Plain):
    """Whether each part a case expects passed on every repetition."""

    decisions: bool | None = None
    """The decisions; None: none were expected."""
    answer: bool | None = None
    """The answer; None: none was expected."""


class CheckedCorrection(Plain):
    """What checking one correction, or one case's expectation, came to."""

    correction_id: str
    """The correction, or the case's id on an agent's own test set."""
    passed: bool = Field(alias="pass")
    """Whether every repetition passed."""
    repetitions_passed: int
    """How many did."""
    repetitions: int
    """Of how many."""
    why: str | None = None
    """The judging model's reason, when an answer failed."""
    parts: CheckedParts | None = None
    """Part by part; on an agent's own test set alone."""


class CorrectionCounts(Plain):
    """A summary's corrections."""

    checked: int
    """How many were checked."""
    passed: int
    """How many of them passed."""


class UncheckedCases(Plain):
    """A summary's cases that couldn't be checked."""

    count: int
    """How many."""
    reasons: tuple[str, ...]
    """Why, each once."""


class Checks(Plain):
    """Graded parts of one output: each is one check of weight 1 in the pass rate (DESIGN section 7)."""

    passed: int
    """How many passed."""
    total: int
    """How many there are."""
