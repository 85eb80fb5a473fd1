"""A comparison as it stands: what was asked, how far it is, the events of following it (DESIGN section 9)."""

from datetime import datetime
from typing import Literal

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.flow_swaps import Swaps
from kindgi_tui.domain.overrides import Overrides

ComparisonStatus = Literal["pending", "running", "completed", "failed", "cancelled"]
"""Where a comparison stands; the last three are final, the last two can be resumed."""

Reads = Literal["recorded", "live"]
"""Whether read-only calls take the recorded result first (DESIGN section 6)."""

Weighing = Literal["as-recorded", "experts-only"]
"""Which judgments count (DESIGN section 4)."""


class SamplePart(Frozen):
    """Only part of a test set's cases (DESIGN section 8)."""

    part: Literal["search", "hold-out"]
    """Which part of the split."""
    seed: str
    """1 to 200 characters; the same seed splits the same way on every machine."""
    hold_out_share: float
    """0.1 to 0.9."""


class JudgeModel(Frozen):
    """The model that judges answers (DESIGN section 7)."""

    provider: str
    """The provider's name in the configuration."""
    model: str
    """The model's name as the provider writes it."""


class ComparisonRequest(Frozen):
    """What to compare, and how."""

    test_set_id: str
    """The set; its newest version unless `version` says another."""
    version: str | None = None
    """The test set version; None: the newest, and of an agent's own set the one that its cases are frozen as."""
    project_id: str
    """The project the replay runs land in."""
    agent_id: str | None = None
    """The candidate agent; exactly one of agent and flow."""
    flow_id: str | None = None
    """The candidate flow."""
    subject_version: str
    """The candidate's exact version."""
    reads: Reads = "recorded"
    """Whether reads take the recorded result first."""
    repetitions: int = 1
    """How often each case runs, 1 to 10."""
    k: int = 10
    """The k of precision at k, 1 to 100."""
    weighing: Weighing = "as-recorded"
    """Which judgments count."""
    sample: SamplePart | None = None
    """Only part of the cases."""
    versions: Swaps | None = None
    """Agents and tools a flow candidate runs at other versions than it pins; None: none."""
    concurrency: int = 16
    """How many repetitions run at once, 1 or more."""
    cost_limit: float | None = None
    """The most it may cost in US dollars; reaching it ends the comparison `cancelled`."""
    fresh: bool = False
    """Whether stored replies of models are ignored."""
    case_timeout: float = 600.0
    """After how many seconds a stuck repetition is given up."""
    correlation_id: str | None = None
    """An id of the caller's own; may not start with `pin:` or `latest:`."""
    judge_model: JudgeModel | None = None
    """The model that judges answers: in a set of comparisons the primary's, for all. None: the candidate's own."""
    overrides: Overrides | None = None
    """Block content the replays run in place of what the version pins; None: its own."""


class ComparisonProgress(Frozen):
    """How far a comparison is."""

    cases: int | None
    """How many cases it has; None: a runtime that doesn't tell."""
    repetitions: int | None
    """How many repetitions it runs in all; None: not known."""
    finished: int
    """How many of them finished."""
    finished_cases: int
    """Cases whose every repetition finished."""
    errors: int
    """Finished repetitions that were errors."""
    cost_usd: float | None
    """What they cost so far, in US dollars, judging their answers included; replies from the cache cost nothing. None:
    not known."""
    cached: int | None
    """Finished repetitions whose every reply came from the cache; None: not known."""
    judged: int = 0
    """Answers the judging model was asked about; how many it will be is known at the end."""

    def done(self, between: str = " of ") -> str:
        """How many repetitions finished, of how many where that is known: `4 of 6`, or `4`."""
        whole = "" if self.repetitions is None else f"{between}{self.repetitions:,}"
        return f"{self.finished:,}{whole}"


class ComparisonBrief(Frozen):
    """What a comparison came to, in a few numbers: for lists."""

    before: float | None = None
    """The recorded runs' pass rate, 0 to 1; None without evidence."""
    now: float | None = None
    """The candidate's pass rate, 0 to 1; None without evidence."""
    n: int = 0
    """Cases with evidence on the candidate's side."""
    word: str = ""
    """How sure the change is: `better`, `worse`, `too close to call`, `too few cases`; empty when not told."""
    waiting: int = 0
    """New items nobody had judged."""
    headline: str = ""
    """The headline."""


class Comparison(Frozen):
    """One candidate version, run on one test set version."""

    id: str
    """A UUID."""
    test_set_id: str
    """The test set."""
    test_set_version: str
    """Its version."""
    project_id: str
    """The project its replays land in."""
    request: ComparisonRequest
    """What was asked, defaults filled in."""
    status: ComparisonStatus
    """Where it stands."""
    started_by: str
    """Who started it."""
    created_at: datetime
    """When it was asked for (UTC)."""
    completed_at: datetime | None = None
    """When it ended (UTC)."""
    error: str | None = None
    """Why it failed, in words; only on `failed`."""
    cancel_reason: str | None = None
    """Why it was cancelled: `person` or `cost-limit`; only on `cancelled`."""
    rescore_of: str | None = None
    """The comparison whose replays it scores again."""
    progress: ComparisonProgress
    """How far it is."""
    result: Json = None
    """The result once there is one: `summary` and `perCase` in the 0.1 wire shape, and `ours`: `headline`,
    `intervals` (metric to `low`, `high`, `word`), `costUsd`, `waiting` (new items nobody judged), and `judge`
    (`provider`, `model`) where a model judged answers."""
    brief: ComparisonBrief | None = None
    """In lists, what it came to; in a folded list its newest rescore's. None while there is no result."""
    rescores: int = 0
    """In a folded list, how many rescores it has."""
    newest_rescore: str | None = None
    """In a folded list, the id of the newest of them."""


class ComparisonPlan(Frozen):
    """What a comparison would do: a dry run's answer."""

    test_set_id: str
    """The test set."""
    test_set_version: str
    """Its version."""
    cases: int
    """Cases that would run, after the sample."""
    repetitions: int
    """Repetitions in all."""
    cached: int | None
    """Repetitions whose first reply is stored, so that they likely cost nothing; None: not known."""
    cost_usd: float | None = None
    """What it may cost, from what past turns of the agent cost; None: not known. Judging answers is in it."""
    judged: int = 0
    """Answers the judging model would be asked about, at most: an entry's after one that fails aren't."""
    problems: tuple[str, ...] = ()
    """What would make cases errors, one sentence each."""


class ComparisonEvent(Frozen):
    """One step of following a comparison."""

    kind: Literal["progress", "case", "end"]
    """The numbers moved; one more repetition finished; it ended."""
    comparison: Comparison
    """The comparison as it is now."""
    case_id: str | None = None
    """The case, on `case`."""
