"""Reviewing a comparison case by case: how each did, which to look at, what waits for a verdict (DESIGN section 5).

Everything is read from a result as it is stored, or comes in while the comparison runs: the order is the result's own,
regressions first.
"""

import math
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.metric_titles import MetricName, metric_title
from kindgi_tui.domain.regressions import rate_fell
from kindgi_tui.domain.statistics import Interval
from kindgi_tui.domain.test_sets import Case, ItemSummary
from kindgi_tui.text import dumps_line, one_line

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

FILTERS = (
    "all", "regressed", "improved", "failed", "newly failing", "newly passing", "unchecked", "new", "diverged",
    "refused", "stopped", "errors",
)  # fmt: skip
"""What the case list can be narrowed to, in the order one goes through them."""

STANDINGS = {
    "regressed": "got worse", "improved": "got better", "unchanged": "no different", "unknown": "nothing to go by",
}  # fmt: skip
"""How a case did, in words."""

PAGE = 100
"""Cases read at once."""


def standing_words(standing: str, result: CaseResult) -> str:
    """How a case did, in words; with why, where its scores alone would say otherwise.

    A case whose rate didn't fall got worse when an item people said yes to is gone (DESIGN section 5).
    """
    words = STANDINGS.get(standing, "")
    if standing != "regressed" or result.changes is None or not result.changes.dropped:
        return words
    if rate_fell(result) or any(not one.passed for one in result.corrections):
        return words
    return f"{words}: an item people said yes to is gone"


def said_words(item: ItemSummary | None, experts: bool) -> tuple[str, bool | None]:
    """What people said of a recorded item, in words, and whether that is a yes; None: nothing that counts.

    `experts`: the comparison counts expert groups alone, so what the others said weighs nothing (DESIGN section 5).
    """
    if item is None:
        return "judged", None
    if experts:
        told = item.restricted
        if told is None or told.total_weight <= 0:
            return "no expert's", None
        yes = 2 * told.yes_weight > told.total_weight
        return f"experts: {'yes' if yes else 'no'}", yes
    if item.yes + item.no <= 1:
        return ("yes", True) if item.yes else ("no", False)
    return f"{item.yes:g} yes, {item.no:g} no", 2 * item.yes_weight > item.total_weight


def missing_words(item: ItemSummary | None) -> str:
    """What is said of an item that neither the recorded output nor the new one has."""
    wanted = item is not None and item.yes > item.no
    return "the case asks for it, and it was never there" if wanted else "never there, as the case asks"


class Entry:
    """A case as the result has it, read whole only when it is looked at: a result may have a thousand."""

    def __init__(self, case_id: str, raw: dict[str, Json]) -> None:
        self.case_id = case_id
        """The case."""
        self.raw = raw
        """As it stands in the result."""

    @cached_property
    def result(self) -> CaseResult:
        """Its scores, changes and tool calls; an error where it can't be read."""
        try:
            return CaseResult.read(self.raw)
        except ValueError:
            return CaseResult.make(case_id=self.case_id, error="This case's result can't be read.")

    @cached_property
    def graded(self) -> bool:
        """Whether graded parts count in its pass rate: it ran, and was graded part by part."""
        told = self.raw.get("corrections") if self.raw.get("candidate") else None
        listed = [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []
        return any(isinstance(one.get("parts"), dict) for one in listed)

    @property
    def failed(self) -> bool:
        """Whether it failed something it expects."""
        told = self.raw.get("corrections")
        return isinstance(told, list) and any(
            isinstance(one, dict) and one.get("pass") is False for one in told
        )

    def unjudged(self) -> list[str]:
        """The keys of its new items that nobody judged."""
        new = _object(self.raw.get("changes")).get("new")
        items = [item for item in new if isinstance(item, dict)] if isinstance(new, list) else []
        keys = [item.get("key") for item in items if item.get("judged") is None]
        return [key for key in keys if isinstance(key, str)]


class Reviewed(NamedTuple):
    """One case of a comparison."""

    entry: Entry
    """The case in the result."""
    standing: str
    """How the candidate did: `regressed`, `unknown`, `improved` or `unchanged`; empty when it isn't told."""
    is_new: bool
    """Whether its new output has items nobody judged."""
    change: float | None
    """Its pass rate's change, -1 to 1; None without evidence on both sides."""
    newly: str = ""
    """`passing` or `failing`: what it expects came out otherwise than in the recorded run; else empty."""
    graded: bool = False
    """Whether graded parts count in the comparison's pass rate: its numbers are called so in every case."""

    @property
    def result(self) -> CaseResult:
        """Its scores, changes and tool calls."""
        return self.entry.result

    def is_in(self, narrowed: str) -> bool:
        """Whether the filter of that name leaves it in."""
        raw = self.entry.raw
        match narrowed:
            case "all":
                return True
            case "new":
                return self.is_new
            case "failed":
                return self.entry.failed
            case "unchecked":
                return isinstance(raw.get("unchecked"), str)
            case "newly passing" | "newly failing":
                return narrowed == f"newly {self.newly}"
            case "diverged":
                return raw.get("diverged") is True
            case "refused":
                return (number(raw.get("refusedWrites")) or 0) > 0
            case "stopped" | "errors":
                return ("stopped" if narrowed == "stopped" else "error") in raw
            case _:
                return self.standing == narrowed


class Measure(Frozen):
    """One metric as it is shown."""

    label: str
    """Its name, such as `Judged yes` (`domain.metric_titles`)."""
    before: float | None
    """The recorded outputs' value, 0 to 1; None without evidence."""
    now: float | None
    """The candidate's value, 0 to 1; None without evidence."""
    delta: float | None
    """Now minus before; None when either is."""
    interval: Interval | None
    """Where the delta lies with 95% confidence; None when it can't be told."""
    word: str
    """What the interval says."""
    n: int
    """Cases with evidence on the candidate's side."""
    spread: float | None
    """The largest value of a repetition minus the smallest; None with one repetition."""


class Counts(Frozen):
    """What a reader has to know beside the metrics."""

    cases: int = 0
    """Cases that have a result."""
    diverged: int = 0
    """Cases that read something the recording doesn't have."""
    refused: int = 0
    """Tool calls that were refused."""
    errors: int = 0
    """Cases none of whose repetitions ran, for an error."""
    stopped: int = 0
    """Cases that stopped at a refused call."""
    erased: int = 0
    """Cases that were left out because they were erased."""
    not_rescored: int = 0
    """Cases whose replays are gone, which kept their scores."""
    waiting: int = 0
    """New items nobody judged."""
    models: tuple[tuple[str, int], ...] = ()
    """Who answered, and how many replays."""
    checked: int = 0
    """Corrections, or cases' expectations, that were checked."""
    passed: int = 0
    """How many of them passed."""
    unchecked: int = 0
    """Cases that couldn't be checked."""
    reasons: tuple[str, ...] = ()
    """Why they couldn't, each reason once. Not cleaned."""
    judge: str = ""
    """The model that judged the answers; empty where none did."""


_METRICS: tuple[tuple[str, MetricName], ...] = (
    ("weightedYesShare", "pass_rate"),
    ("judgedCoverage", "case_coverage"),
    ("weightedPrecisionAtK", "weighted_precision_at_k"),
)


class Review:
    """The cases of one comparison, as far as they have a result."""

    def __init__(self) -> None:
        self._known: dict[str, Entry] = {}
        self.cases: tuple[Reviewed, ...] = ()
        """The cases, in the order to look at them."""
        self.headline = ""
        """The headline; empty before there is one."""
        self.measures: tuple[Measure, ...] = ()
        """The metrics."""
        self.graded = False
        """Whether graded parts of corrections count in its pass rate."""
        self.counts = Counts()
        """What else a reader has to know."""

    def take(self, result: Json, k: int) -> None:
        """Takes a result, or what one comes to so far; cases that didn't change aren't read again."""
        document = result if isinstance(result, dict) else {}
        ours = _object(document.get("ours"))
        told = document.get("perCase")
        read: dict[str, Entry] = {}
        for entry in told if isinstance(told, list) else []:
            case_id = entry.get("caseId") if isinstance(entry, dict) else None
            if isinstance(entry, dict) and isinstance(case_id, str):
                before = self._known.get(case_id)
                read[case_id] = (
                    before if before is not None and before.raw == entry else Entry(case_id, entry)
                )
        self._known = read
        self.graded = any(entry.graded for entry in read.values())
        self.cases = tuple(_in_order(read, ours.get("cases"), self.graded))
        headline = ours.get("headline")
        self.headline = headline if isinstance(headline, str) else ""
        summary = _object(document.get("summary"))
        intervals = _object(ours.get("intervals"))
        self.measures = tuple(_measures(summary, intervals, k, self.graded)) if summary else ()
        self.counts = _counts(summary, ours)

    def narrowed(self, name: str) -> tuple[Reviewed, ...]:
        """The cases the filter of that name leaves, in order."""
        return tuple(case for case in self.cases if case.is_in(name))

    def sizes(self) -> dict[str, int]:
        """How many cases each filter leaves."""
        return {name: sum(case.is_in(name) for case in self.cases) for name in FILTERS}

    def unjudged(self) -> list[tuple[str, str]]:
        """The new items nobody judged, each with its replay's run: (run id, item key)."""
        found: list[tuple[str, str]] = []
        for case in self.cases:
            runs = case.entry.raw.get("runIds")
            first = (
                next((run for run in runs if isinstance(run, str)), None) if isinstance(runs, list) else None
            )
            if first is not None:
                found.extend((first, key) for key in case.entry.unjudged())
        return found


def _in_order(read: Mapping[str, Entry], told: Json, graded: bool) -> Iterable[Reviewed]:
    left = dict(read)
    for one in told if isinstance(told, list) else []:
        case_id = one.get("caseId") if isinstance(one, dict) else None
        entry = left.pop(case_id, None) if isinstance(case_id, str) else None
        if isinstance(one, dict) and entry is not None:
            yield Reviewed(
                entry,
                str(one.get("standing") or ""),
                one.get("isNew") is True,
                number(one.get("change")),
                str(one.get("newly") or ""),
                graded,
            )
    for entry in left.values():
        yield Reviewed(entry, "", False, None, graded=graded)


def _measures(
    summary: dict[str, Json], intervals: dict[str, Json], k: int, graded: bool
) -> Iterable[Measure]:
    metrics = _object(summary.get("metrics"))
    for wire_name, name in _METRICS:
        metric, told = _object(metrics.get(wire_name)), _object(intervals.get(name))
        low, high = number(told.get("low")), number(told.get("high"))
        said = told.get("word")
        yield Measure(
            label=metric_title(name, k, graded),
            before=number(metric.get("baseline")),
            now=number(metric.get("candidate")),
            delta=number(metric.get("delta")),
            interval=None if low is None or high is None else Interval(low, high),
            word=said if isinstance(said, str) else "",
            n=_whole(metric.get("n")),
            spread=number(metric.get("spread")),
        )


def _counts(summary: dict[str, Json], ours: dict[str, Json]) -> Counts:
    listed = _object(summary.get("sampling")).get("models")
    models = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    corrections, unchecked = _object(summary.get("corrections")), _object(summary.get("unchecked"))
    reasons, judge = unchecked.get("reasons"), _object(ours.get("judge"))
    return Counts(
        checked=_whole(corrections.get("checked")),
        passed=_whole(corrections.get("passed")),
        unchecked=_whole(unchecked.get("count")),
        reasons=tuple(str(one) for one in reasons) if isinstance(reasons, list) else (),
        judge=" ".join(str(judge[name]) for name in ("provider", "model") if judge.get(name)),
        cases=_whole(summary.get("cases")),
        diverged=_whole(summary.get("diverged")),
        refused=_whole(summary.get("refusedWrites")),
        errors=_whole(summary.get("errors")),
        stopped=_whole(summary.get("stopped")),
        erased=_whole(summary.get("erased")),
        not_rescored=_whole(summary.get("notRescored")),
        waiting=_whole(ours.get("waiting")),
        models=tuple(
            (f"{one.get('providerId') or ''} {one.get('model') or ''}".strip(), _whole(one.get("runs")))
            for one in models
        ),
    )


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def number(value: Json) -> float | None:
    """A JSON number that is finite, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def _whole(value: Json) -> int:
    return int(number(value) or 0)


async def questions_of(workbench: "Workbench", comparison: Comparison) -> AsyncIterator[dict[str, str]]:
    """What went into the cases of the version a comparison runs on, on one line each, by case id, a page at a time.

    Nothing where the runtime doesn't offer cases. Raises NotFound.
    """
    from kindgi_tui.workbench import Unsupported

    cursor: str | None = None
    while True:
        try:
            page = await workbench.test_sets.cases(
                comparison.test_set_id, comparison.test_set_version, PAGE, cursor
            )
        except Unsupported:
            return
        yield {case.case_id: question(case) for case in page.data}
        if not page.has_more or page.next_cursor is None:
            return
        cursor = page.next_cursor


def question(case: Case, cells: int = 300) -> str:
    """What went into a case, on one line."""
    return one_line(case.input if isinstance(case.input, str) else dumps_line(case.input), cells)


async def newest_of(workbench: "Workbench", comparison_id: str) -> Comparison:
    """The newest rescore with a result of a comparison, or of what it scores again; else itself. Raises NotFound."""
    asked = await workbench.comparisons.get(comparison_id)
    original = asked.rescore_of or asked.id
    for rescore in await workbench.comparisons.rescores(original):
        if rescore.status == "completed":
            return asked if rescore.id == asked.id else await workbench.comparisons.get(rescore.id)
    return asked if asked.id == original else await workbench.comparisons.get(original)


def place_of(cases: Sequence[Reviewed], case_id: str) -> int | None:
    """Where a case stands in a list; None when it isn't in it."""
    return next((place for place, case in enumerate(cases) if case.entry.case_id == case_id), None)
