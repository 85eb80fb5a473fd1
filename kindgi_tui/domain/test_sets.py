"""Test sets and their cases: copies of runs with what people said of each item (DESIGN sections 2 and 8)."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import CaseCorrection, Expectation
from kindgi_tui.domain.javascript import Number
from kindgi_tui.domain.judgments import Judgment, Verdict
from kindgi_tui.domain.plain import Kept, Plain
from kindgi_tui.domain.runs import Segment, Subject

MAX_CASES = 1000
"""The most cases of a test set built from judgments (DESIGN section 8)."""

UNKNOWN = float("nan")
"""A weight nobody gave: no sum with it is a number, and it is written as null."""


class Evidence(Plain):
    """Two sums of weights: of the yes judgments, and of all."""

    yes_weight: Number = UNKNOWN
    """The weight of those who said yes."""
    total_weight: Number = UNKNOWN
    """The weight of all who said anything."""


class JudgedItem(Kept):
    """An item people judged, with the weight of what they said."""

    key: str
    """The judged item's key."""
    pointer: str | None = None
    """Where it stood in the judged output; None when the judgment did not say."""
    rank: Number | None = None
    """Its place in its list, from 0; None without a list."""
    yes_weight: Number = UNKNOWN
    """The weight of those who said yes."""
    total_weight: Number = UNKNOWN
    """The weight of all who said anything; 0 is judged, and weighs nothing."""


class Reason(Plain):
    """Why somebody said yes or no."""

    verdict: Verdict
    """What was said."""
    reason: str | None = None
    """Why, in the judge's words."""
    group_id: str | None = Field(default=None, alias="judgeClassId")
    """The group it was said as; None for none."""
    restricted: bool = False
    """Whether that group was restricted when it was said."""


class ItemSummary(JudgedItem):
    """What everybody said of one item, summed."""

    yes: Number = 0
    """How many judgments say yes."""
    no: Number = 0
    """How many say no."""
    restricted: Evidence | None = None
    """The weights of the judgments made as a restricted group; None when that was not kept."""
    reasons: tuple[Reason, ...] = ()
    """The reasons given, newest first."""


class Case(Plain):
    """A copy of one run, with what people said of its items."""

    null_is_a_value = frozenset(("input", "output"))

    case_id: str
    """The judged run's id."""
    subject: Subject
    """What ran, at which version."""
    input: Json = None
    """What went in."""
    context: Json = None
    """What the run had before it answered (the wire's names); None when nothing was kept."""
    output: Json = None
    """What came out, as it was judged."""
    items: tuple[ItemSummary, ...] = ()
    """The judged items, by rank, those without one last."""
    erased: bool = False
    """Whether its content was erased since; such a case is left out and counted."""
    run_id: str | None = None
    """The past run, where it isn't the case's id: on an agent's own test set."""
    expect: Expectation | None = None
    """What the case expects, on an agent's own test set; None: its items alone."""
    expert: bool = False
    """Whether it is an expert case: of a correction made under an expert group, or added by hand."""
    corrections: tuple[CaseCorrection, ...] = ()
    """The live corrections of its run, oldest first, on a test set built from judged runs."""
    from_nothing: bool = False
    """Whether nothing was recorded: added by hand without a run. It reads live and has no output."""

    @property
    def past_run(self) -> str:
        """The id of the run it is a copy of."""
        return self.case_id if self.run_id is None else self.run_id

    @property
    def corrected(self) -> bool:
        """Whether it carries a correction: it expects decisions or an answer, or its run has live corrections."""
        return bool(self.corrections) or (self.expect is not None and bool(self.expect.parts))

    @property
    def strict(self) -> bool:
        """Whether it replays strictly: it has a correction (DESIGN section 6)."""
        return self.corrected and not self.from_nothing


class TestSetRef(Plain):
    """One version of a test set."""

    __test__ = False

    always_written = frozenset(("id", "version"))

    id: str = "oracle.suite"
    """The test set's id."""
    version: str = "1.0.0"
    """The version (`x.y.z`)."""
    spec: dict[str, Json] = Field(default={}, exclude=True)
    """How it was built, in the wire's names; its `projectId` is where its judgments came from."""


class TestSetQuery(Plain):
    """Which judged runs become cases. A field that is None does not narrow."""

    __test__ = False

    agent_id: str | None = None
    """Runs of this agent."""
    agent_version: str | None = None
    """Runs of this version of the agent."""
    flow_id: str | None = None
    """Runs of this flow."""
    since: str | None = None
    """First judged at or after this time (ISO 8601)."""
    until: str | None = None
    """First judged before this time (ISO 8601)."""
    group_ids: tuple[str, ...] | None = Field(default=None, alias="judgeClassIds")
    """Only judgments made as one of these groups count."""
    min_judgments: Number | None = None
    """The least judgments a run needs, after the groups were picked."""
    segments: tuple[Segment, ...] | None = None
    """Runs started in this segment path or below it."""


class TestSetSpec(Plain):
    """How a test set was built; it stays with the version."""

    __test__ = False

    source: Literal["judgments"]
    """What it was built from."""
    project_id: str
    """The project whose judgments were read."""
    query: TestSetQuery
    """Which judged runs were taken."""
    case_count: int
    """How many cases it has."""
    truncated: bool
    """Whether it holds as many cases as a test set may, perhaps more were left out."""
    built_at: datetime
    """When it was built (UTC)."""


class BuiltCases(Plain):
    """The cases of a new version of a test set, with how they were picked."""

    kind: Literal["ok"]
    """Always `ok`: building has no other end."""
    case_count: int
    """How many cases there are; 0 is possible."""
    truncated: bool
    """Whether there are 1,000 cases, as the wire says it."""
    spec: TestSetSpec
    """How they were picked."""
    cases: tuple[Case, ...]
    """The cases, newest judged run first."""
    more: bool = Field(default=False, exclude=True)
    """Whether at least one more run would have become a case; not on the wire."""


class RunCopy(Plain):
    """The copy of a run that its first judgment keeps."""

    null_is_a_value = frozenset(("input", "output"))

    run_id: str
    """The run's id."""
    subject: Subject
    """What ran."""
    input: Json = None
    """What went in."""
    output: Json = None
    """What came out."""
    context: Json = None
    """What the run had before it answered; None when nothing was kept."""


class Said(Plain):
    """The part of a judgment that counts when judgments are summed."""

    key: str
    """The judged item's key."""
    pointer: str | None = None
    """Its pointer, where the judgment had one."""
    rank: Number | None = None
    """Its rank, where the judgment had one."""
    verdict: Verdict
    """Yes or no."""
    reason: str | None = None
    """Why."""
    group_id: str | None = Field(default=None, alias="judgeClassId")
    """The group it was said as."""
    restricted: bool = False
    """Whether the group was restricted when it was said."""

    @classmethod
    def of(cls, judgment: "Said | Judgment | Mapping[str, Any]") -> "Said":
        """The counting part of a judgment: ours, or plain with its `item`."""
        if isinstance(judgment, Said):
            return judgment
        if isinstance(judgment, Judgment):
            item = judgment.item
            return cls(
                key=item.key,
                pointer=item.pointer,
                rank=item.rank,
                verdict=judgment.verdict,
                reason=judgment.reason,
                group_id=judgment.group_id,
                restricted=judgment.restricted,
            )
        place = {
            name: value for name, value in judgment["item"].items() if name in ("key", "pointer", "rank")
        }
        return cls.read({**judgment, "restricted": judgment.get("restricted") is True, **place})


class JudgedRun(Plain):
    """A run people judged, with its live judgments."""

    project_id: str | None = None
    """The run's project."""
    run: RunCopy
    """The copy kept of the run."""
    judgments: tuple[Said, ...] = ()
    """Its live judgments, newest first."""

    @classmethod
    def of(
        cls, run: RunCopy | Mapping[str, Any], judgments: Iterable[Judgment | Mapping[str, Any]]
    ) -> "JudgedRun":
        """A judged run of a copy and its judgments (newest first)."""
        said = tuple([Said.of(judgment) for judgment in judgments])
        return cls.make(run=RunCopy.read(run), judgments=said)
