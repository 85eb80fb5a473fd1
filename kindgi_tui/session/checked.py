"""What a case expected and whether it passed, part by part, as a person would say it (DESIGN sections 7 and 12).

The words hold what people and agents wrote as it came: a face cleans them before it shows them.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.correction_words import difference_words, expectation_parts, other_tools_words
from kindgi_tui.domain.corrections import CheckedCorrection, CorrectionDifferences, Expectation, ExpectedCall
from kindgi_tui.domain.decisions import made_calls
from kindgi_tui.domain.replays import Outcome, ReplayReport, ToolTrace
from kindgi_tui.domain.runs import RunDetail, recorded_calls
from kindgi_tui.domain.test_sets import Case

Part = Literal["decisions", "answer"]
"""A part of an expectation."""


class CheckedPart(NamedTuple):
    """One part of what was expected."""

    part: Part
    """Which."""
    expected: tuple[str, ...]
    """What was expected, one phrase each. Not cleaned."""
    passed: bool | None
    """Whether it passed on every repetition; None: that isn't known."""
    graded: bool = True
    """Whether it was graded at all: a comparison that counts experts alone grades their cases alone."""
    found: tuple[str, ...] = ()
    """What was found instead, one phrase each: the differences, or the judging model's reason. Not cleaned."""


class CheckedEntry(NamedTuple):
    """One expectation of a case: its own, or a correction of its run."""

    id: str
    """The case's id, or the correction's."""
    expert: bool
    """Whether it is an expert's."""
    parts: tuple[CheckedPart, ...]
    """Its parts, decisions first."""
    passed: bool | None
    """Whether every repetition passed; None: it wasn't checked."""
    repetitions: str = ""
    """How many repetitions passed, in words; empty with one."""
    at: str = ""
    """Which repetition the differences are of, in words; empty with one."""


class _Ended(NamedTuple):
    """What is known of how a case's repetitions ended, beside what checking them came to."""

    trouble: str | None
    """Why there was nothing to check in any repetition, in words; None: one ran."""
    shown: str | None
    """The same of the repetition that is looked at, where others ran."""
    tools: tuple[str, ...] | None
    """How the tools it called differ from the recorded run's, a phrase each; None where they can't be read."""
    at: str
    """Which repetition is looked at, in words; empty with one."""


def checked_entries(
    case: Case | None, result: CaseResult, shown: RunDetail | None = None
) -> tuple[CheckedEntry, ...]:
    """What a case expected and what came of it, in order; empty where nothing was expected.

    What was expected is told from the case, and what came of it from the result; each may be missing. `shown` is the
    run of the repetition that is looked at: it says which tools were called where the result doesn't.
    """
    outcomes = {one.correction_id: one for one in result.corrections}
    differences = {one.correction_id: one for one in result.correction_differences}
    known = dict(_expected(case))
    ids = [*known, *(one for one in outcomes if one not in known)]
    ended = _ended(case, result, shown)
    return tuple(
        _entry(one, *known.get(one, (Expectation(), False)), outcomes.get(one), differences.get(one), ended)
        for one in ids
        if one in outcomes or known[one][0].parts
    )


def _ended(case: Case | None, result: CaseResult, shown: RunDetail | None) -> _Ended:
    trouble: str | None = None
    if isinstance(result.stopped, dict):
        tool = result.stopped.get("toolId")
        told = ExpectedCall.make(tool_id=tool if isinstance(tool, str) else "a tool")
        trouble = (
            f"the run stopped at {told.tool_id}, which the replay refused, so there was nothing to check"
        )
    elif result.error is not None:
        trouble = (
            f"the run ended with an error, so there was nothing to check: {result.error or 'it has no text'}"
        )
    failure = None if shown is None or shown.status == "completed" else shown.failure or shown.status
    runs = [run for run in result.run_ids if run]
    number = runs.index(shown.id) + 1 if shown is not None and shown.id in runs else 1
    return _Ended(
        trouble,
        None if failure is None else f"the run ended with: {failure}",
        None if case is None else _other_tools(case, result, shown, number == 1),
        f"in repetition {number}" if len(runs) > 1 else "",
    )


def _other_tools(
    case: Case, result: CaseResult, shown: RunDetail | None, first: bool
) -> tuple[str, ...] | None:
    """How the tools a repetition called differ from those of the recorded run; None where they can't be read."""
    output: Json = None if shown is None else shown.output
    report = output.get("replay") if isinstance(output, dict) else None
    listed = report.get("tools") if isinstance(report, dict) else None
    told: dict[str, object] = {"output": output}
    if isinstance(listed, list):
        tools = tuple(ToolTrace.read(one) for one in listed if isinstance(one, dict))
        told["replay"] = ReplayReport.make(tools=tools)
    elif first and result.tools is not None:
        told["replay"] = ReplayReport.make(tools=result.tools)
    called = made_calls(Outcome.make(**told))
    if called is None:
        return None
    return other_tools_words(
        [_named(one.tool_id, one.arguments) for one in recorded_calls(case.output)],
        [_named(one.tool_id, one.arguments) for one in called],
    )


def _named(tool_id: str, arguments: Json) -> ExpectedCall:
    return ExpectedCall.make(tool_id=tool_id, arguments=arguments if isinstance(arguments, dict) else None)


def _expected(case: Case | None) -> Iterable[tuple[str, tuple[Expectation, bool]]]:
    if case is None:
        return
    if case.expect is not None:
        yield case.case_id, (case.expect, case.expert)
    for one in case.corrections:
        yield one.correction_id, (one.expect, one.expert)


def _entry(
    identity: str,
    expect: Expectation,
    expert: bool,
    outcome: CheckedCorrection | None,
    differing: CorrectionDifferences | None,
    ended: _Ended,
) -> CheckedEntry:
    phrases = expectation_parts(expect)
    # The answer's phrase is the last one, where there is one.
    split = len(phrases) - (expect.answer is not None)
    parts: list[CheckedPart] = []
    found = () if differing is None else tuple(map(difference_words, differing.differences))
    many = outcome is not None and outcome.repetitions > 1
    at = f"in repetition {differing.repetition}" if many and differing is not None else ""
    # A repetition that gave nothing to check fails every part.
    failed = ended.trouble is not None
    if expect.decisions is not None or found:
        decided = _passed("decisions", expect, outcome, failed or bool(found))
        if decided is False and not found:
            found, at = _why_decisions(expect, ended)
        parts.append(CheckedPart("decisions", phrases[:split], decided, outcome is not None, found))
    why = () if outcome is None or outcome.why is None else (outcome.why,)
    if expect.answer is not None or why:
        answered = _passed("answer", expect, outcome, failed or bool(why))
        if answered is False and not why:
            why = (ended.trouble or ended.shown or NO_ANSWER,)
        parts.append(CheckedPart("answer", phrases[split:], answered, outcome is not None, why))
    count = f"{outcome.repetitions_passed} of {outcome.repetitions} repetitions" if many and outcome else ""
    return CheckedEntry(
        identity, expert, tuple(parts), None if outcome is None else outcome.passed, count, at
    )


NO_ANSWER = "a repetition ended without an answer that could be checked"
"""Why an answer failed that no judging model gave a reason for."""

ELSEWHERE = "another repetition called other tools than the recorded run, or ended before it could be checked"
"""Why decisions failed where the repetition that is looked at called the same tools."""


def _why_decisions(expect: Expectation, ended: _Ended) -> tuple[tuple[str, ...], str]:
    """Why decisions failed that the result names no differences of, and in which repetition, in words."""
    if ended.trouble is not None:
        return (ended.trouble,), ""
    if ended.shown is not None:
        return (ended.shown,), ended.at
    if expect.decisions == "right" and ended.tools:
        return ended.tools, ended.at
    if expect.decisions == "right" and (ended.tools is None or not ended.at):
        return ("it called other tools than the recorded run",), ""
    return (ELSEWHERE if expect.decisions == "right" else NO_END,), ""


NO_END = "a repetition ended before it could be checked"
"""Why listed decisions failed that nothing differs of: each difference is told of the first one that has some."""


def _passed(part: Part, expect: Expectation, outcome: CheckedCorrection | None, failed: bool) -> bool | None:
    """Whether a part passed. A correction of a set built from judged runs isn't told part by part."""
    if outcome is None:
        return None
    if outcome.parts is not None:
        told: bool | None = getattr(outcome.parts, part)
        return told
    if outcome.passed:
        return True
    return False if failed or len(expect.parts) == 1 else None


def repetition_words(entry: CheckedEntry) -> str:
    """In how many repetitions it passed, and of which one the differences are; empty with one."""
    passed = f"passed in {entry.repetitions}" if entry.repetitions else ""
    differed = f"what differed {entry.at}" if entry.at else ""
    return "; ".join(part for part in (passed, differed) if part)


def state_words(part: CheckedPart) -> str:
    """Whether a part passed, as a sign and a word."""
    if not part.graded:
        return "– not graded"
    return {True: "✓ passed", False: "✗ failed", None: "? not told"}[part.passed]
