"""Comparisons: the settings, and the result with what it is made of (DESIGN sections 4 and 5)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import (
    CheckedCorrection,
    CorrectionCounts,
    CorrectionDifferences,
    UncheckedCases,
)
from kindgi_tui.domain.javascript import Number
from kindgi_tui.domain.plain import Kept, Plain
from kindgi_tui.domain.replays import Halt, Outcome, Provider, ReplayReport, ToolTrace
from kindgi_tui.domain.scores import DroppedItem, FreshEvidence, ItemChanges, KeptItem, NewItem, Score
from kindgi_tui.domain.test_sets import TestSetRef

__all__ = [
    "Baseline",
    "Candidate",
    "CaseResult",
    "ComparisonOptions",
    "ComparisonResult",
    "ComparisonSettings",
    "ComparisonSummary",
    "DroppedItem",
    "FreshEvidence",
    "Halt",
    "ItemChanges",
    "KeptItem",
    "Metric",
    "Metrics",
    "NewItem",
    "Outcome",
    "Provider",
    "Reads",
    "RecordedVersion",
    "ReplayReport",
    "Sample",
    "SamplePart",
    "Sampling",
    "SamplingModel",
    "Scope",
    "Score",
    "Target",
    "ToolTrace",
    "Weighing",
]


def _our_word(value: Any) -> Any:
    return "experts-only" if value == "restricted-only" else value


Weighing = Annotated[Literal["as-recorded", "experts-only"], BeforeValidator(_our_word)]
"""Which judgments count: every one at its group's weight, or only those of groups that were restricted.

The 0.1 wire's `restricted-only` is read as `experts-only`.
"""

Reads = Literal["recorded", "live"]
"""Where a replay's reads come from: the recording, or the world of today."""

SamplePart = Literal["search", "hold-out"]
"""One part of a test set that is split once: to search with, or to check with."""


class Sample(Plain):
    """Which part of a test set is compared."""

    part: SamplePart
    """The part that is run."""
    seed: str
    """What the split depends on, with the case ids: 1 to 200 characters."""
    hold_out_share: Number
    """How much of each stratum is held out: 0.1 to 0.9."""


class Metric(Plain):
    """One number over the cases the candidate ran, on both sides."""

    null_is_a_value = frozenset(("baseline", "candidate", "delta"))

    baseline: Number | None
    """The recorded outputs' value, 0 to 1; None without evidence."""
    candidate: Number | None
    """The mean over repetitions of the candidate's value; None without evidence."""
    delta: Number | None
    """Candidate minus baseline; None when either is."""
    n: Number
    """Cases with evidence on the candidate's side."""
    weight: Number
    """The weight of that evidence, divided by all repetitions."""
    baseline_n: Number
    """Cases with evidence on the recorded side."""
    baseline_weight: Number
    """The weight of that evidence."""
    direction: Literal["higher"]
    """Which way is better."""
    k: Number | None = None
    """How many ranked items count; only for precision at k."""
    spread: Number | None = None
    """The largest value of a repetition minus the smallest; only with two values or more."""
    fresh_weight: Number | None = None
    """Of the weight, what was judged on the replays themselves; only after a rescore."""


class Metrics(Plain):
    """The three metrics of a comparison."""

    pass_rate: Metric = Field(alias="weightedYesShare")
    """Yes weight over all weight."""
    case_coverage: Metric = Field(alias="judgedCoverage")
    """Judged items over items."""
    weighted_precision_at_k: Metric
    """Yes weight over all weight among the first k ranked items."""


class Target(Plain):
    """The candidate: one version of an agent or a flow. Exactly one id is given."""

    agent_id: str | None = None
    """The agent's id."""
    flow_id: str | None = None
    """The flow's id."""
    version: str = ""
    """The version."""


class Candidate(Plain):
    """What was compared."""

    kind: Literal["agent", "flow"]
    """An agent or a flow."""
    agent_id: str | None = None
    """The agent's id, for an agent."""
    flow_id: str | None = None
    """The flow's id, for a flow."""
    version: str
    """Its version."""
    pins_digest: str | None = None
    """The digest of what the agent's version pins, where it pins anything."""
    overrides: dict[str, tuple[str, ...]] | None = None
    """The blocks replaced (`settings`, `prompts`: sorted ids); None when none."""
    versions: Json = None
    """The versions swapped into a flow, as they were given."""


class RecordedVersion(Plain):
    """A version the recorded runs were made by."""

    agent_id: str | None = None
    """The agent's id, for an agent."""
    flow_id: str | None = None
    """The flow's id, for a flow."""
    version: str
    """Its version."""
    cases: int
    """How many of the cases it made."""


class Baseline(Plain):
    """What was compared with."""

    kind: Literal["recorded"]
    """The recorded outputs."""
    versions: tuple[RecordedVersion, ...]
    """Which versions made them, in the order of the cases."""


class Scope(Plain):
    """Where the comparison belongs."""

    project_id: str | None = None
    """The project its judgments came from, else the one it runs in; None when neither is known."""


class SamplingModel(Plain):
    """One model that answered."""

    provider_id: str
    """The provider."""
    model: str
    """The model's name there."""
    runs: Number
    """How many replays it answered."""


class Sampling(Plain):
    """Who answered."""

    models: tuple[SamplingModel, ...]
    """Each model, in the order of its first answer."""


class ComparisonSummary(Plain):
    """A comparison in numbers."""

    comparison_id: str = Field(alias="evalRunId")
    """The comparison's id."""
    status: Literal["completed", "partial", "failed"]
    """`completed` when no case errored, `failed` when all did or none ran, else `partial`."""
    completed_at: datetime
    """When it ended (UTC)."""
    test_set: TestSetRef = Field(alias="suite")
    """The version of the test set it ran on."""
    candidate: Candidate
    """What was compared."""
    baseline: Baseline
    """What it was compared with."""
    scope: Scope
    """Where it belongs."""
    cases: int
    """How many cases have a result."""
    diverged: int
    """Cases that read something the recording does not have."""
    refused_writes: Number
    """Refused calls: of each case the most of its repetitions, summed."""
    errors: int
    """Cases none of whose repetitions ran, for an error."""
    stopped: int
    """Cases none of whose repetitions ran, for a refused call."""
    reads: Reads
    """Where reads came from."""
    weighing: Weighing = Field(alias="classWeights")
    """Which judgments counted."""
    sample: Sample | None = None
    """The part of the test set that was run; None for all of it."""
    sampling: Sampling
    """Which models answered."""
    repetitions: Number
    """How often each case was asked for."""
    metrics: Metrics
    """The numbers."""
    rescore_of: str | None = None
    """The comparison whose replays were rated again; None unless it is a rescore."""
    not_rescored: int | None = None
    """Cases that kept their old scores because their replays are gone; None for none."""
    erased: int | None = None
    """Cases left out because they were erased; None for none."""
    corrections: CorrectionCounts | None = None
    """How many corrections were checked, and how many passed; None: there were none to check."""
    unchecked: UncheckedCases | None = None
    """Cases that couldn't be checked; None for none."""


class CaseResult(Kept):
    """One case of a comparison."""

    case_id: str
    """The case."""
    run_ids: tuple[str | None, ...] = ()
    """The replays that got a run, by repetition; those without one leave no gap."""
    baseline: Score = Score.make()
    """The recorded output's score."""
    candidate: tuple[Score, ...] = ()
    """A score per repetition that ran, in order and without gaps."""
    changes: ItemChanges | None = None
    """What changed in the first repetition that ran or stopped; None when none did."""
    tools: tuple[ToolTrace, ...] | None = None
    """The tool calls of that repetition; None without a report."""
    diverged: bool = False
    """Whether a repetition read something the recording does not have."""
    refused_writes: Number = 0
    """The most refused calls of any of its repetitions."""
    no_context: bool = False
    """Whether nothing was kept of what the run had before it answered."""
    approval_skipped: bool = False
    """Whether a repetition met no recorded approval."""
    stopped: Json = None
    """The refused call it stopped at, when no repetition ran."""
    error: str | None = None
    """The first error, when no repetition ran or stopped."""
    rescored: bool | None = None
    """False when a rescore found its replays gone and kept its scores."""
    corrections: tuple[CheckedCorrection, ...] = ()
    """What checking its corrections, or what it expects, came to (DESIGN section 7)."""
    correction_differences: tuple[CorrectionDifferences, ...] = ()
    """For decisions that failed, what differed."""
    unchecked: str | None = None
    """Why it couldn't be checked; None: it was, or there was nothing to check."""


class ComparisonSettings(Plain):
    """How a comparison is run and rated."""

    always_written = frozenset(("baseline", "reads", "repetitions", "k"))

    baseline: Literal["recorded"] = "recorded"
    """What it is compared with."""
    reads: Reads = "recorded"
    """Where reads come from."""
    repetitions: Number = 1
    """How often each case is replayed, 1 to 10."""
    k: Number = 10
    """How many ranked items precision at k looks at, 1 to 100."""
    versions: Json = None
    """The versions swapped into a flow candidate: `{agents?: {id: version}, tools?: {id: version}}`."""
    weighing: Weighing | None = Field(default=None, alias="classWeights")
    """Which judgments count; None is `as-recorded`."""
    overrides: Json = None
    """The blocks replaced in an agent candidate: `{settings?: {id: values}, prompts?: {id: content}}`."""
    sample: Sample | None = None
    """The part of the test set to run; None for all of it."""
    rescore_of: str | None = None
    """The comparison whose replays are rated again."""


_SETTING_NAMES = frozenset(ComparisonSettings.model_fields) | {
    field.alias for field in ComparisonSettings.model_fields.values() if field.alias
}


class ComparisonOptions(Plain):
    """What a comparison is called, what it runs, and how. Settings may be given in `comparison` or beside it.

    The names a caller leaves out are those the reference line protocol gives a request that leaves them out,
    so that answers can be held against it; whoever runs a comparison names all of them.
    """

    comparison: ComparisonSettings = ComparisonSettings.make()
    """How it is run and rated."""
    comparison_id: str = Field(default="oracle-eval-run", alias="evalRunId")
    """The comparison's id."""
    test_set: TestSetRef = Field(default=TestSetRef.make(), alias="suite")
    """The version of the test set."""
    target: Target = Target.make(agent_id="oracle.agent", version="1.0.0")
    """The candidate."""
    project_id: str | None = "6f1d2c3b-0000-4000-8000-000000000002"
    """The project the replays run in; None leaves it out."""
    pins_digest: str | None = None
    """The digest of what the agent candidate pins."""
    dry_run: bool = False
    """Only say how many cases would run."""
    cancel_after: int | None = None
    """Cancelled as this replay starts, from 1; its case is still finished. None: not cancelled."""
    completed_at: datetime | None = None
    """When it ended (UTC); None is now."""

    @model_validator(mode="before")
    @classmethod
    def _gather_settings(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        beside = {
            name: value for name, value in values.items() if name in _SETTING_NAMES and value is not None
        }
        if not beside and values.get("comparison") is not None:
            return values
        nested = values.get("comparison")
        if isinstance(nested, ComparisonSettings):
            nested = {name: getattr(nested, name) for name in nested.model_fields_set}
        rest = {name: value for name, value in values.items() if name not in _SETTING_NAMES}
        return {**rest, "comparison": {**beside, **(nested or {})}}


class ComparisonResult(Plain):
    """What a comparison came to: a summary with its cases, or what a dry run would do, or why there is none."""

    summary: ComparisonSummary | None = None
    """The comparison in numbers."""
    per_case: tuple[CaseResult, ...] = ()
    """Each case, in the test set's order."""
    error: str | None = None
    """`cancelled`, or why a rescore could not be made."""
    cancel_reason: str | None = None
    """Why it was stopped from outside, as a code."""
    dry_run: bool = False
    """Whether nothing was run."""
    cases: int | None = None
    """How many cases a dry run would take."""
    erased: int | None = None
    """How many of a dry run's cases were erased; None for none."""
    comparison: ComparisonSettings | None = None
    """The settings a dry run would take."""
