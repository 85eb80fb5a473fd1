"""Having a comparison's answers judged by a model, where people said what they should be (DESIGN section 7).

The rules say which answer is next (`grading.next_answer`); here it is asked about, one answer of a case after the
other, and many cases at once. What comes of it is a verdict, or why there is none; nothing but a cost limit stops it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import JudgeModel, Weighing
from kindgi_tui.domain.corrections import AnswerVerdict
from kindgi_tui.domain.grading import GradedEntry, entries, next_answer
from kindgi_tui.domain.items import answer_of
from kindgi_tui.domain.replays import Outcome
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.engine.judging_prompt import judging_request, read_verdict
from kindgi_tui.local.engine.spending import LimitReached
from kindgi_tui.local.engine.turns import Answering
from kindgi_tui.local.models.calls import ModelRef
from kindgi_tui.local.models.failures import ModelError
from kindgi_tui.local.store.checks import JudgedAnswer
from kindgi_tui.local.store.repetitions import FinishedRepetition

TRIES = 3
"""How often the judging model is asked about one answer, when its replies can't be read."""

NO_MODEL = "No model is named to judge answers with."
"""Why a case is unchecked when nobody can be asked."""

NO_RECORDED_ANSWER = "The recorded run has no answer to compare with."
"""Why a case is unchecked whose recorded answer was right, and isn't there."""

NOTHING_ASKED = "Its correction says neither what the answer should say nor why it is wrong."
"""Why a case is unchecked when there is nothing to hold an answer against."""

NO_ANSWER = "It gave no answer."
"""Why a repetition fails that ended without words."""

_log = logging.getLogger(__name__)


async def judge_answer(
    models: Answering,
    judge: ModelRef | None,
    case: Case,
    entry: GradedEntry,
    repetition: int,
    output: Json,
    most_seconds: float | None = None,
) -> JudgedAnswer:
    """One answer's verdict, after as many tries as it takes to read one, at most `TRIES`.

    What goes wrong is why it is unchecked, also when it takes longer than `most_seconds`. Raises LimitReached.
    """
    asked = _Asked(case, entry, repetition, judge)
    expect = entry.expect
    agent_turn = case.subject.kind == "agent"
    answer = answer_of(output, agent_turn)
    if expect.answer == "right" and answer_of(case.output, agent_turn) is None:
        return asked.ends(None, NO_RECORDED_ANSWER)
    if expect.answer == "wrong" and not (expect.should_say or expect.why):
        return asked.ends(None, NOTHING_ASKED)
    if judge is None:
        return asked.ends(None, NO_MODEL)
    if answer is None:
        return asked.ends(False, NO_ANSWER)
    try:
        async with asyncio.timeout(most_seconds):
            return await _tried(models, judge, asked, answer)
    except TimeoutError:
        return asked.ends(
            None, f"The judging model took longer than {most_seconds:g} seconds and was given up."
        )
    except ModelError as cause:
        return asked.ends(None, f"The call to the judging model failed: {cause.sentence}")
    except LimitReached:
        raise
    except Exception as cause:  # noqa: BLE001  # told in the case and the log
        _log.exception("Judging case %s, repetition %d", case.case_id, repetition)
        return asked.ends(None, f"kindgi-tui made a mistake in judging it ({type(cause).__name__}).")


async def _tried(models: Answering, judge: ModelRef, asked: "_Asked", answer: Json) -> JudgedAnswer:
    for attempt in range(1, TRIES + 1):
        request = judging_request(judge, asked.case, asked.entry.expect, answer, asked.repetition, attempt)
        reply = await models.complete(request)
        asked.tries += 1
        asked.cost_usd += reply.spent_usd or 0.0
        asked.prompt_tokens += reply.usage.prompt_tokens
        asked.completion_tokens += reply.usage.completion_tokens
        verdict = read_verdict(reply)
        if verdict is not None:
            return asked.ends(verdict.passes, verdict.reason or None)
    return asked.ends(None, f"The judging model's verdict couldn't be read in {TRIES} tries.")


@dataclass
class _Asked:
    """One answer's judging under way: what was spent on it counts, however it ends."""

    case: Case
    entry: GradedEntry
    repetition: int
    judge: ModelRef | None
    tries: int = 0
    cost_usd: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def ends(self, passed: bool | None, why: str | None) -> JudgedAnswer:
        judge = self.judge
        return JudgedAnswer(
            self.case.case_id,
            AnswerVerdict(entry_id=self.entry.id, repetition=self.repetition, passed=passed, why=why),
            None if judge is None else judge.provider,
            None if judge is None else judge.model,
            self.tries,
            self.cost_usd,
            self.prompt_tokens,
            self.completion_tokens,
        )


@dataclass
class Judging:
    """The answers of one comparison that are to be judged: those of cases whose repetitions have all finished."""

    judge: ModelRef | None
    """Who judges; None: no model is named."""
    repetitions: int
    """How many repetitions a case has."""
    weighing: Weighing
    """Which corrections count."""
    most_seconds: float
    """After how many seconds judging one answer is given up."""
    _outcomes: dict[str, dict[int, Outcome]] = field(default_factory=dict, init=False)
    _verdicts: dict[str, list[AnswerVerdict]] = field(default_factory=dict, init=False)

    def resumed(
        self,
        cases: Iterable[Case],
        finished: Iterable[FinishedRepetition],
        outputs: Mapping[str, Json],
        judged: Iterable[JudgedAnswer],
    ) -> list[Case]:
        """Takes in what there is of a comparison that runs on; gives the cases whose answers can be judged now.

        `outputs` are those of the finished repetitions, by run id. No verdict of `judged` is asked for again.
        """
        for verdict in judged:
            self._verdicts.setdefault(verdict.case_id, []).append(verdict.verdict)
        by_id = {case.case_id: case for case in cases}
        ready: list[Case] = []
        for one in finished:
            case = by_id.get(one.case_id)
            output = None if one.run_id is None else outputs.get(one.run_id)
            if case is not None and self.finished(case, one, output):
                ready.append(case)
        return ready

    def expected_of(self, case: Case) -> bool:
        """Whether a case expects something of its answers that counts."""
        return bool(judged_entries(case, self.weighing))

    def finished(self, case: Case, one: FinishedRepetition, output: Json) -> bool:
        """Takes in a finished repetition; whether the case's answers can be judged now, and any is to be."""
        if not self.expected_of(case):
            return False
        outcome = dict(one.outcome)
        if "error" not in outcome:
            outcome["output"] = output
        outcomes = self._outcomes.setdefault(case.case_id, {})
        outcomes[one.repetition] = Outcome.read(outcome)
        if len(outcomes) < self.repetitions:
            return False
        if self._next(case) is None:
            del self._outcomes[case.case_id]
            return False
        return True

    async def case(
        self, case: Case, models: Answering, write: Callable[[JudgedAnswer], Awaitable[None]]
    ) -> None:
        """Judges a case's answers in the order of its repetitions, and has each verdict written down.

        Raises LimitReached, and what `write` raises.
        """
        while (found := self._next(case)) is not None:
            entry, repetition = found
            output = self._outcomes[case.case_id][repetition].output
            judged = await judge_answer(
                models, self.judge, case, entry, repetition, output, self.most_seconds
            )
            self._verdicts.setdefault(case.case_id, []).append(judged.verdict)
            await write(judged)
        # A case's outputs are kept no longer than they are needed.
        self._outcomes.pop(case.case_id, None)

    def _next(self, case: Case) -> tuple[GradedEntry, int] | None:
        outcomes = self._outcomes[case.case_id]
        ordered = [outcomes[repetition] for repetition in sorted(outcomes)]
        return next_answer(case, ordered, self._verdicts.get(case.case_id, ()), self.weighing)


def judged_entries(case: Case, weighing: Weighing) -> list[GradedEntry]:
    """What each repetition's answer of a case is held against."""
    return [entry for entry in entries(case, weighing) if entry.expect.answer is not None]


def judge_of(
    named: JudgeModel | None, own: ModelRef | None, judged: Sequence[JudgedAnswer] = ()
) -> ModelRef | None:
    """Which model judges a comparison: the one it names, else the one that judged before, else the candidate's own.

    One model judges all of its answers, also when another is configured before it is resumed.
    """
    if named is not None:
        return ModelRef(provider=named.provider, model=named.model)
    for one in judged:
        if one.provider is not None and one.model is not None:
            return ModelRef(provider=one.provider, model=one.model)
    return own
