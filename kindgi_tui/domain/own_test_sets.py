"""An agent's own test set: what people said of its runs in one project, and cases added by hand (DESIGN section 8)."""

import re
from datetime import datetime
from typing import Literal

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.corrections import Expectation
from kindgi_tui.domain.expectations import checked_expectation
from kindgi_tui.domain.judgments import Verdict
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.domain.test_sets import Case, Evidence, ItemSummary

INPUT_LIMIT = 100_000
"""The longest input of a case from nothing, in characters."""

ITEMS_LIMIT = 200
"""The most items a case added by hand says yes or no of."""

PLACED = ("answer", "output")
"""Keys that name an item by its place alone: they carry over only where its content is known."""

_PREFIX = "agent."
_PROJECT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def own_test_set_id(agent_id: str, project_id: str) -> str:
    """The id of an agent's own test set in a project: `agent.<agent id>.<project id>`."""
    return f"{_PREFIX}{agent_id}.{project_id}"


def parse_own_test_set_id(test_set_id: str) -> tuple[str, str] | None:
    """The agent and the project whose own test set has that id; None for the id of any other set."""
    named, _, project = test_set_id.rpartition(".")
    agent = named.removeprefix(_PREFIX)
    if not named.startswith(_PREFIX) or not agent or not _PROJECT.fullmatch(project):
        return None
    return agent, project


class OwnTestSet(Frozen):
    """An agent's own test set as it stands now."""

    id: str
    """`agent.<agent id>.<project id>`."""
    agent_id: str
    """The agent."""
    project_id: str
    """The project whose runs it holds."""
    case_count: int
    """How many cases freezing it now would take, at most 1,000."""
    available: int
    """How many cases there are; more than `case_count` when the limit cuts them."""
    retired: int = 0
    """How many cases are retired: they stay out until they are brought back."""
    version: str | None = None
    """The newest frozen version, `1.0.<n>`; None: it was never frozen."""
    frozen_at: datetime | None = None
    """When that version was made (UTC)."""
    changed: bool = False
    """Whether its cases changed since that version, or there is none yet: freezing it now makes the next."""

    @property
    def truncated(self) -> bool:
        """Whether there are more cases than a version takes."""
        return self.available > self.case_count


class OwnCase(Frozen):
    """One case of an agent's own test set, live or retired."""

    case: Case
    """What a version would hold of it: its copy of the run, its items, what it expects."""
    source: Literal["run", "hand"]
    """Where it comes from: what people said of a run, or somebody who added it by hand."""
    by: str | None = None
    """Who added it by hand, or made the correction it expects; None where verdicts alone make it."""
    created_at: datetime
    """When it was added, or when its run was first judged or corrected (UTC)."""
    retired_at: datetime | None = None
    """When it was retired (UTC); None: it is live."""
    retired_by: str | None = None
    """Who retired it."""

    @property
    def id(self) -> str:
        """The case's id: of a run's own case the run's, else one of its own."""
        return self.case.case_id

    @property
    def run_id(self) -> str | None:
        """The run it is a copy of; None for one from nothing."""
        return None if self.case.from_nothing else self.case.past_run

    @property
    def input(self) -> Json:
        """What goes in."""
        return self.case.input

    @property
    def expect(self) -> Expectation | None:
        """What it expects; None: its items alone."""
        return self.case.expect

    @property
    def items(self) -> tuple[ItemSummary, ...]:
        """Its items, with what was said of each."""
        return self.case.items

    @property
    def expert(self) -> bool:
        """Whether it is an expert case: corrected under an expert group, or added by hand."""
        return self.case.expert


class ExpectedItem(Frozen):
    """Yes or no of one item of the output, in a case added by hand."""

    key: str
    """The item's key: an element's own id, or with a run any key of its output."""
    verdict: Verdict
    """Whether it should be there."""


class NewCase(Frozen):
    """A case to add by hand: from a run, or from nothing."""

    run_id: str | None = None
    """The run it copies; a unique beginning of an id is enough. None: it is made from nothing."""
    agent_id: str | None = None
    """From nothing: the agent it is for."""
    project_id: str | None = None
    """From nothing: the project it is for."""
    input: str | None = None
    """From nothing: the message the agent is given."""
    expect: Expectation = Expectation()
    """What it expects."""
    items: tuple[ExpectedItem, ...] = ()
    """Items that should, or should not, be in the output."""


def checked_case(new: NewCase) -> NewCase:
    """The case itself, its expectation as it can be graded.

    Raises LimitError for one that says nothing, or too much, or of a recording that isn't there.
    """
    from_nothing = new.run_id is None
    if from_nothing:
        _check_from_nothing(new)
    elif new.input is not None:
        raise LimitError("input", "A case from a run has the run's input: give a run or an input, not both.")
    _check_items(new)
    if new.expect == Expectation():
        if not new.items:
            raise LimitError(
                "expect", "A case says what is expected: its decisions, its answer, or items with yes or no."
            )
        return new
    expect = checked_expectation(new.expect, recorded=not from_nothing)
    return new.model_copy(update={"expect": expect})


def _check_from_nothing(new: NewCase) -> None:
    if not new.agent_id or not new.project_id:
        raise LimitError("agentId", "Name the run or the agent the case is for.")
    if new.input is None or not new.input.strip():
        raise LimitError("input", "A case from nothing needs an input: what the agent is asked.")
    if len(new.input) > INPUT_LIMIT:
        raise LimitError("input", f"An input has at most {INPUT_LIMIT:,} characters.")
    for item in new.items:
        if item.key in PLACED or item.key.startswith("/"):
            raise LimitError(
                "items",
                f'A case from nothing has no output whose "{item.key}" is known: name elements by their own ids, '
                "and say what the answer should say with --should-say.",
            )


def _check_items(new: NewCase) -> None:
    if len(new.items) > ITEMS_LIMIT:
        raise LimitError("items", f"A case says yes or no of at most {ITEMS_LIMIT} items.")
    keys = [item.key for item in new.items]
    if not all(key.strip() for key in keys):
        raise LimitError("items", "An item is KEY=yes or KEY=no.")
    twice = next((key for at, key in enumerate(keys) if key in keys[:at]), None)
    if twice is not None:
        raise LimitError("items", f'The item "{twice}" is given twice: say yes or no of it once.')


def expected_summary(item: ExpectedItem, pointer: str | None = None, rank: int | None = None) -> ItemSummary:
    """What a case keeps of an item somebody said yes or no of by hand: one expert's word, of weight 1."""
    yes = int(item.verdict == "yes")
    weights = {"yes_weight": yes, "total_weight": 1}
    return ItemSummary(
        key=item.key,
        pointer=pointer,
        rank=rank,
        yes=yes,
        no=1 - yes,
        **weights,
        restricted=Evidence(**weights),
    )
