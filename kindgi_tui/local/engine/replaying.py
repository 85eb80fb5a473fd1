"""One repetition of one case: the past turn taken again by the candidate, without doing anything new."""

import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.runs import RunDetail, Segment, Subject, recorded_calls
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.blocks.turn_blocks import Asked
from kindgi_tui.local.engine.candidates import Candidate
from kindgi_tui.local.engine.conversation import EVENT_STARTS, as_event, history_messages, text_of
from kindgi_tui.local.engine.replay_rules import ReplayRules
from kindgi_tui.local.engine.tool_calls import ReplayCalls, reads_as_data
from kindgi_tui.local.engine.turns import Answering, Turn, TurnFailed
from kindgi_tui.local.models.calls import Message, ModelRef, UserMessage
from kindgi_tui.local.packs.services import PackServices
from kindgi_tui.local.store.repetitions import FinishedRepetition
from kindgi_tui.workbench import WorkbenchError


@dataclass(frozen=True)
class ReplaySettings:
    """What every replay of a comparison has in common."""

    comparison_id: str
    """The comparison."""
    project_id: str
    """The project the replays land in."""
    candidate: Candidate
    """Who answers."""
    model: ModelRef
    """Which model is asked."""
    reads_live: bool
    """Whether reads run live even where they are recorded."""
    other_settings: frozenset[Subject] = frozenset()
    """The versions of recorded runs that pin other settings than the candidate runs with."""
    asked_at: datetime | None = None
    """The moment its templates read, the same on every repetition; None: now."""


@dataclass(frozen=True)
class Replayed:
    """What one repetition came to: for the comparison, and as a run of its own."""

    repetition: FinishedRepetition
    """The outcome."""
    run: RunDetail | None
    """The replay's run; None when nothing ran."""


_ids = random.Random()
"""Seeded by the system. Asking it for each id anew costs more than the rest of a replay; ids are no secrets."""


def _new_id() -> str:
    return str(uuid.UUID(int=_ids.getrandbits(128), version=4))


def replay_input(case: Case) -> tuple[str, str | None, list[Message]]:
    """The past turn's message, what the model reads in its place (None: the message itself), and the history."""
    context = case.context if isinstance(case.context, dict) else {}
    message = text_of(case.input)
    reads = as_event(message) if context.get("startedBy") in EVENT_STARTS else None
    return message, reads, history_messages(context.get("history"))


def asked_of(case: Case, history: Sequence[Message], at: datetime) -> Asked:
    """What the template reads of a replay: the past turn's place in its conversation, and its values."""
    output = case.output if isinstance(case.output, dict) else {}
    turns = sum(1 for message in history if isinstance(message, UserMessage))
    values = case.context.get("parameters") if isinstance(case.context, dict) else None
    return Asked(
        at, str(output.get("conversationId") or ""), turns + 1, values if isinstance(values, dict) else {}
    )


async def replay_case(
    settings: ReplaySettings, case: Case, repetition: int, models: Answering, services: PackServices
) -> Replayed:
    """Replays a case once. Whatever goes wrong is the repetition's error; only being cancelled is raised."""
    if case.subject.kind != "agent":
        return _nothing_ran(case, repetition, "Flows can't be replayed here yet.")
    if settings.candidate.missing is not None:
        return _nothing_ran(case, repetition, settings.candidate.missing)
    context = case.context if isinstance(case.context, dict) else {}
    if context.get("severalTurns") is True:
        return _nothing_ran(
            case,
            repetition,
            "This run holds several turns of one conversation, which can't be replayed faithfully: the person's later "
            "words answered the recorded agent. It can be judged, and left out with a narrower test set.",
        )
    run_id = _new_id()
    started = datetime.now(UTC)
    rejected = _rejected(context)
    calls = ReplayCalls(
        ReplayRules(
            [call for call in recorded_calls(case.output) if call.finished],
            reads_live=settings.reads_live,
            strict=case.strict,
            other_settings=case.subject in settings.other_settings,
        ),
        settings.candidate.tools,
        services,
        _past_env(context),
        run_id,
        settings.project_id,
        settings.candidate.blocks.settings,
    )
    message, reads, history = replay_input(case)
    turn = Turn(
        settings.candidate,
        settings.model,
        models,
        calls,
        repetition,
        reads_result=reads_as_data,
        asked=asked_of(case, history, settings.asked_at or started),
    )
    error: str | None = None
    output: dict[str, Json] | None = None
    try:
        if rejected:
            output = dict(case.output) if isinstance(case.output, dict) else {}
        else:
            output = await turn.take(message, history, reads)
    except TurnFailed as cause:
        error = cause.sentence
    except WorkbenchError as cause:
        error = cause.sentence
    report: dict[str, Json] = {"tools": list(turn.traces)}
    if settings.candidate.hitl or "sessionApproval" in context:
        report["approval"] = "followed" if "sessionApproval" in context else "skipped"
    outcome: dict[str, Json] = {"runId": run_id, "replay": report}
    if error is not None:
        outcome["error"] = error
    elif turn.provider:
        outcome["provider"] = {"id": turn.provider, "model": turn.answered_by}
    run = _run(settings, case, run_id, started, message, output, report, error, turn)
    return Replayed(
        FinishedRepetition(
            case.case_id,
            repetition,
            run_id,
            outcome,
            error is not None,
            turn.cost_usd,
            cached=turn.steps > 0 and turn.cached == turn.steps,
        ),
        run,
    )


def failed_replay(case_id: str, repetition: int, sentence: str) -> Replayed:
    """A repetition that came to nothing, such as one that took too long."""
    return Replayed(
        FinishedRepetition(case_id, repetition, None, {"error": sentence}, True, 0.0, False), None
    )


def _nothing_ran(case: Case, repetition: int, sentence: str) -> Replayed:
    return failed_replay(case.case_id, repetition, sentence)


def _rejected(context: Mapping[str, Json]) -> bool:
    approval = context.get("sessionApproval")
    return isinstance(approval, dict) and approval.get("approved") is False


def _past_env(context: Mapping[str, Json]) -> dict[str, dict[str, str]]:
    sent = context.get("toolEnv")
    return {
        tool: {name: str(value) for name, value in values.items()}
        for tool, values in (sent.items() if isinstance(sent, dict) else ())
        if isinstance(values, dict)
    }


def _run(
    settings: ReplaySettings,
    case: Case,
    run_id: str,
    started: datetime,
    message: str,
    output: dict[str, Json] | None,
    report: dict[str, Json],
    error: str | None,
    turn: Turn,
) -> RunDetail:
    conversation = _new_id()
    whole: dict[str, Json] | None = None
    if output is not None:
        replay: dict[str, Json] = {"of": case.past_run, "evalRunId": settings.comparison_id, **report}
        whole = {**output, "runId": run_id, "conversationId": conversation, "replay": replay}
    agent = settings.candidate.agent
    segments: tuple[Segment, ...] = ()
    return RunDetail.model_construct(
        id=run_id,
        project_id=settings.project_id,
        subject=Subject(kind="agent", id=agent.id, version=agent.version),
        status="completed" if error is None else "failed",
        created_at=started,
        completed_at=datetime.now(UTC),
        segments=segments,
        conversation_id=conversation,
        replay_of=case.past_run,
        comparison_id=settings.comparison_id,
        failure=error,
        source="recorded",
        judgments=0,
        preview="",
        input=message,
        output=whole,
        # A failed turn keeps what it did, so that its calls can be shown.
        context={} if error is None else {"appended": turn.appended},
        raw=None,
    )
