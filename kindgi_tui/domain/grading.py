"""What checking a case's corrections comes to, over all of its repetitions (DESIGN section 7).

Decisions are graded here; answers by a judging model, one at a time: `next_answer` says which is to be judged next, and
with all of their verdicts `grade` says what became of the case. Both depend on the order of the repetitions alone, not
on the order in which they finished.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kindgi_tui.domain.comparisons import CaseResult, Weighing
from kindgi_tui.domain.corrections import (
    AnswerVerdict,
    CheckedCorrection,
    CheckedParts,
    Checks,
    CorrectionDifferences,
    Expectation,
)
from kindgi_tui.domain.decisions import (
    REPLAY_UNREADABLE,
    GradedDecisions,
    grade_decisions,
    made_calls,
    recorded_tools,
    why_unreadable,
)
from kindgi_tui.domain.replays import Outcome
from kindgi_tui.domain.test_sets import Case

NOT_JUDGED = "Its answers weren't judged."
"""Why a case is unchecked whose answers nobody asked a judging model about."""


class GradedEntry(NamedTuple):
    """One expectation a case is graded on: an entry of the result's `corrections`."""

    id: str
    """The correction's id, or on an agent's own test set the case's."""
    expect: Expectation
    """What is expected."""


class Grading(NamedTuple):
    """What checking one case came to. All empty: there was nothing to check."""

    corrections: tuple[CheckedCorrection, ...] = ()
    """Each entry, in order; none when the case is unchecked."""
    correction_differences: tuple[CorrectionDifferences, ...] = ()
    """Of each entry whose listed decisions failed, what differed."""
    unchecked: str | None = None
    """Why the case couldn't be checked; it then has no entry and no check."""
    baseline: Checks | None = None
    """The recorded run's graded parts, on an agent's own test set; None: none count in the pass rate."""
    candidate: Checks | None = None
    """The graded parts of each repetition that ran: the same for all of them."""


def entries(case: Case, weighing: Weighing | None = None) -> tuple[GradedEntry, ...]:
    """What a case is graded on, in order.

    On an agent's own test set its `expect` under the case's id; on a set built from judged runs each of its
    corrections under its own. `experts-only` leaves expert ones alone. Expectations without a part aren't graded.
    """
    experts = weighing == "experts-only"
    if is_own(case):
        told = [(case.case_id, case.expect, case.expert)]
    else:
        told = [(one.correction_id, one.expect, one.expert) for one in case.corrections]
    return tuple(
        [
            GradedEntry(id_, expect)
            for id_, expect, expert in told
            if expect is not None and expect.parts and (expert or not experts)
        ]
    )


def is_own(case: Case) -> bool:
    """Whether a case says what it expects itself, as those of an agent's own test set do."""
    return case.expect is not None


def next_answer(
    case: Case,
    outcomes: Sequence[Outcome],
    verdicts: Sequence[AnswerVerdict] = (),
    weighing: Weighing | None = None,
) -> tuple[GradedEntry, int] | None:
    """Which answer is to be judged next: the entry and the repetition, from 1; None: no more of this case.

    `outcomes` are those of all of the case's repetitions, in their order; `verdicts` those there are so far, in any
    order. An entry's answers are judged in order until one fails; one that errored or stopped fails without being
    judged. Nothing more is judged of a case that is unchecked already: it has no entry, whatever else is found.
    """
    graded = entries(case, weighing)
    if _why_unchecked(case, graded, outcomes) is not None:
        return None
    told = _told(verdicts)
    walks = [(entry, _answers(entry, outcomes, told)) for entry in graded if entry.expect.answer is not None]
    if any(walk.unchecked is not None for _, walk in walks):
        return None
    return next(((entry, walk.next) for entry, walk in walks if walk.next is not None), None)


def grade(
    case: Case,
    outcomes: Sequence[Outcome],
    verdicts: Sequence[AnswerVerdict] = (),
    weighing: Weighing | None = None,
) -> Grading:
    """What checking a case came to; arguments as for `next_answer`.

    A case of which a part can't be checked, or an answer is yet to be judged, is unchecked as a whole.
    """
    graded = entries(case, weighing)
    if not graded or not outcomes:
        return Grading()
    why = _why_unchecked(case, graded, outcomes)
    if why is not None:
        return Grading(unchecked=why)
    told = _told(verdicts)
    corrections: list[CheckedCorrection] = []
    differences: list[CorrectionDifferences] = []
    for entry in graded:
        decided = _decisions(case, entry.expect, outcomes)
        walk = _answers(entry, outcomes, told)
        if walk.unchecked is not None or walk.next is not None:
            return Grading(unchecked=walk.unchecked or NOT_JUDGED)
        corrections.append(_entry(entry, decided, walk, is_own(case)))
        differing = next(((at, one) for at, one in enumerate(decided, 1) if one.differences), None)
        if differing is not None:
            differences.append(
                CorrectionDifferences.make(
                    correction_id=entry.id, repetition=differing[0], differences=differing[1].differences
                )
            )
    return Grading(tuple(corrections), tuple(differences), None, *_checks(case, graded, corrections))


def graded_parts(case: Case, result: CaseResult) -> dict[str, tuple[bool | None, bool | None]]:
    """For each graded part of a case's result, whether the recorded run passed it, and whether the candidate did.

    The recorded run passes a part that people marked right. A correction of a set built from judged runs isn't told
    part by part: it stands as one, which the recorded run passes when every part was marked right.
    """
    expects = {entry.id: entry.expect for entry in entries(case)}
    found: dict[str, tuple[bool | None, bool | None]] = {}
    for checked in result.corrections:
        expect = expects.get(checked.correction_id)
        if expect is None:
            continue
        if checked.parts is None:
            marks = [mark for mark in (expect.decisions, expect.answer) if mark is not None]
            found[checked.correction_id] = (all(mark == "right" for mark in marks), checked.passed)
            continue
        for part in expect.parts:
            found[f"{checked.correction_id}:{part}"] = (
                getattr(expect, part) == "right",
                getattr(checked.parts, part),
            )
    return found


def is_graded(results: Sequence[CaseResult]) -> bool:
    """Whether graded parts count in a result's pass rate: some case that ran was graded part by part."""
    return any(
        checked.parts is not None for result in results if result.candidate for checked in result.corrections
    )


class _Answers(NamedTuple):
    """An entry's answers, as far as they are judged."""

    passed: tuple[bool, ...]
    """Whether each repetition's answer passed; those after the first that failed did not."""
    why: str | None = None
    """The judging model's reason of the one that failed."""
    unchecked: str | None = None
    """Why one couldn't be checked."""
    next: int | None = None
    """The repetition whose answer is to be judged next."""


def _told(verdicts: Sequence[AnswerVerdict]) -> Mapping[tuple[str, int], AnswerVerdict]:
    return {(verdict.entry_id, verdict.repetition): verdict for verdict in verdicts}


def _ran(outcome: Outcome) -> bool:
    """Whether a repetition gave an output: it neither errored nor stopped."""
    return not outcome.model_fields_set & {"error", "stopped"}


def _answers(
    entry: GradedEntry, outcomes: Sequence[Outcome], told: Mapping[tuple[str, int], AnswerVerdict]
) -> _Answers:
    if entry.expect.answer is None:
        return _Answers((True,) * len(outcomes))
    passed = [False] * len(outcomes)
    for at, outcome in enumerate(outcomes):
        if not _ran(outcome):
            break
        verdict = told.get((entry.id, at + 1))
        if verdict is None:
            return _Answers(tuple(passed), next=at + 1)
        if verdict.passed is None:
            return _Answers(tuple(passed), unchecked=verdict.why or NOT_JUDGED)
        if not verdict.passed:
            return _Answers(tuple(passed), why=verdict.why)
        passed[at] = True
    return _Answers(tuple(passed))


def _why_unchecked(case: Case, graded: Sequence[GradedEntry], outcomes: Sequence[Outcome]) -> str | None:
    """Why a case can't be checked, before any answer is judged; None: it can."""
    for entry in graded:
        why = why_unreadable(case, entry.expect)
        if why is not None:
            return why
    if any(entry.expect.decisions is not None for entry in graded):
        for outcome in outcomes:
            if _ran(outcome) and made_calls(outcome) is None:
                return REPLAY_UNREADABLE
    return None


def _decisions(case: Case, expect: Expectation, outcomes: Sequence[Outcome]) -> list[GradedDecisions]:
    """What each repetition's decisions came to; one that errored or stopped fails, where any were expected."""
    if expect.decisions is None:
        return [GradedDecisions(True)] * len(outcomes)
    recorded = recorded_tools(case) or frozenset()
    return [
        grade_decisions(expect, made_calls(outcome) or (), recorded)
        if _ran(outcome)
        else GradedDecisions(False)
        for outcome in outcomes
    ]


def _entry(
    entry: GradedEntry, decided: Sequence[GradedDecisions], walk: _Answers, by_part: bool
) -> CheckedCorrection:
    passes = [one.passed and answered for one, answered in zip(decided, walk.passed, strict=True)]
    more: dict[str, Any] = {}
    if walk.why is not None:
        more["why"] = walk.why
    if by_part:
        parts: dict[str, bool] = {}
        if entry.expect.decisions is not None:
            parts["decisions"] = all(one.passed for one in decided)
        if entry.expect.answer is not None:
            parts["answer"] = all(walk.passed)
        more["parts"] = CheckedParts.make(**parts)
    return CheckedCorrection.make(
        correction_id=entry.id,
        passed=all(passes),
        repetitions_passed=sum(passes),
        repetitions=len(passes),
        **more,
    )


def _checks(
    case: Case, graded: Sequence[GradedEntry], corrections: Sequence[CheckedCorrection]
) -> tuple[Checks | None, Checks | None]:
    """The recorded run's checks and the candidate's, on an agent's own test set."""
    if not is_own(case):
        return None, None
    marks = [getattr(entry.expect, part) for entry in graded for part in entry.expect.parts]
    passed = [
        getattr(checked.parts, part)
        for entry, checked in zip(graded, corrections, strict=True)
        for part in entry.expect.parts
    ]
    return (
        Checks.make(passed=marks.count("right"), total=len(marks)),
        Checks.make(passed=passed.count(True), total=len(passed)),
    )
