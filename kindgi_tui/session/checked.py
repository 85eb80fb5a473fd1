"""What a case expected and whether it passed, part by part, as a person would say it (DESIGN sections 7 and 12).

The words hold what people and agents wrote as it came: a face cleans them before it shows them.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.correction_words import difference_words, expectation_parts
from kindgi_tui.domain.corrections import CheckedCorrection, CorrectionDifferences, Expectation
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


def checked_entries(case: Case | None, result: CaseResult) -> tuple[CheckedEntry, ...]:
    """What a case expected and what came of it, in order; empty where nothing was expected.

    What was expected is told from the case, and what came of it from the result; each may be missing.
    """
    outcomes = {one.correction_id: one for one in result.corrections}
    differences = {one.correction_id: one for one in result.correction_differences}
    known = dict(_expected(case))
    ids = [*known, *(one for one in outcomes if one not in known)]
    ended = not result.error and result.stopped is None
    return tuple(
        _entry(one, *known.get(one, (Expectation(), False)), outcomes.get(one), differences.get(one), ended)
        for one in ids
        if one in outcomes or known[one][0].parts
    )


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
    ended: bool,
) -> CheckedEntry:
    phrases = expectation_parts(expect)
    # The answer's phrase is the last one, where there is one.
    split = len(phrases) - (expect.answer is not None)
    parts: list[CheckedPart] = []
    found = () if differing is None else tuple(map(difference_words, differing.differences))
    if expect.decisions is not None or found:
        decided = _passed("decisions", expect, outcome, bool(found))
        if decided is False and not found and not ended:
            found = ("it came to no end that could be checked",)
        elif decided is False and not found and expect.decisions == "right":
            found = ("it called other tools than the recorded run",)
        parts.append(CheckedPart("decisions", phrases[:split], decided, outcome is not None, found))
    why = () if outcome is None or outcome.why is None else (outcome.why,)
    if expect.answer is not None or why:
        answered = _passed("answer", expect, outcome, bool(why))
        parts.append(CheckedPart("answer", phrases[split:], answered, outcome is not None, why))
    many = outcome is not None and outcome.repetitions > 1
    count = f"{outcome.repetitions_passed} of {outcome.repetitions} repetitions" if many and outcome else ""
    at = f"in repetition {differing.repetition}" if many and differing is not None else ""
    return CheckedEntry(
        identity, expert, tuple(parts), None if outcome is None else outcome.passed, count, at
    )


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


def state_words(part: CheckedPart) -> str:
    """Whether a part passed, as a sign and a word."""
    if not part.graded:
        return "– not graded"
    return {True: "✓ passed", False: "✗ failed", None: "? not told"}[part.passed]
