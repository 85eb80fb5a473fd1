"""Running one turn of an agent here, live, and recording it as a run."""

import asyncio
import contextlib
import sqlite3
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.conversations import history_context
from kindgi_tui.domain.runs import RunDetail, RunStatus, Segment, Subject, TurnGiven
from kindgi_tui.local.blocks.turn_blocks import Asked
from kindgi_tui.local.engine.candidates import Candidate, load_candidate
from kindgi_tui.local.engine.conversation import history_messages
from kindgi_tui.local.engine.launching import launches
from kindgi_tui.local.engine.replies import stored_models
from kindgi_tui.local.engine.tool_calls import LiveCalls
from kindgi_tui.local.engine.turns import Answering, Turn, TurnFailed
from kindgi_tui.local.models.asking import Models
from kindgi_tui.local.models.config import load_models
from kindgi_tui.local.packs.services import PackServices
from kindgi_tui.local.store.conversations import conversation_messages, get_conversation
from kindgi_tui.local.store.runs import get_run, insert_run
from kindgi_tui.storage.sqlite import Database
from kindgi_tui.workbench import Invalid, Unsupported, WorkbenchError


@dataclass(frozen=True)
class Before:
    """What a turn has before it: the conversation it goes on."""

    messages: tuple[dict[str, Json], ...] = ()
    """Its messages, in the wire's names."""
    turns: int = 0
    """How many turns it has."""

    @property
    def context(self) -> dict[str, Json]:
        """What of it is kept with the run."""
        return history_context(self.messages)


async def start_run(
    database: Database,
    folder: Path,
    project_id: str,
    agent_id: str,
    version: str | None,
    message: str,
    segments: tuple[Segment, ...],
    fresh: bool,
    given: TurnGiven,
    noted: Callable[[sqlite3.Connection, str], None] = lambda connection, run_id: None,
    begun: Callable[[RunDetail], None] | None = None,
) -> RunDetail:
    """Takes one turn, with every tool run live, and records it, failed or not.

    `noted` is told of the run's id in the transaction that records it; `begun` of the run before the model is asked,
    and then it is recorded whatever comes of it.

    Raises NotFound, Invalid (another agent's conversation), Unsupported (a tool no pack has, no provider and no
    stored reply), Unavailable.
    """
    candidate = await database.read(lambda c: load_candidate(c, agent_id, version))
    if candidate.missing is not None:
        raise Unsupported(candidate.missing, code="tool-not-published")
    before = await database.read(lambda c: _before(c, agent_id, given.conversation_id))
    config = load_models(folder)
    model = candidate.model(config)
    shell = _running(project_id, candidate, message, segments, given, before)
    if begun is not None:
        begun(shell)
    values = given.parameters if isinstance(given.parameters, dict) else {}
    asked = Asked(shell.created_at, shell.conversation_id or "", before.turns + 1, values)
    calls: LiveCalls | None = None
    turn: Turn | None = None

    def recorded(status: RunStatus, output: dict[str, Json] | None, failure: str | None) -> RunDetail:
        sent = calls.sent_env if calls is not None else {}
        said = turn.appended if turn is not None else []
        return _ended(shell, status, output, failure, sent, said, datetime.now(UTC))

    async def write(run: RunDetail) -> RunDetail:
        def record(connection: sqlite3.Connection) -> None:
            insert_run(connection, run)
            noted(connection, run.id)

        await database.write(record)
        return await database.read(lambda c: get_run(c, run.id))

    try:
        async with (
            PackServices(folder / "packs", launches(database), logs_dir=folder / "logs") as services,
            contextlib.AsyncExitStack() as stack,
        ):
            inner = await stack.enter_async_context(Models(config)) if config.providers else None
            models: Answering = stored_models(database, inner, fresh)
            calls = LiveCalls(
                candidate.tools, services, shell.id, project_id, settings=candidate.blocks.settings
            )
            turn = Turn(
                candidate,
                model,
                models,
                calls,
                asked=asked,
                number=before.turns + 1,
                first_sequence=len(before.messages),
            )
            try:
                output = await turn.take(message, history_messages(shell.context["history"]))
                run = recorded("completed", output, None)
            except TurnFailed as cause:
                run = recorded("failed", None, cause.sentence)
    except asyncio.CancelledError:
        if begun is not None:
            await write(recorded("cancelled", None, None))
        raise
    except WorkbenchError as cause:
        if begun is None:
            raise
        run = recorded("failed", None, cause.sentence)
    except Exception:
        if begun is not None:
            await write(recorded("failed", None, "The turn met something kindgi-tui doesn't expect."))
        raise
    return await write(run)


def _before(connection: sqlite3.Connection, agent_id: str, conversation_id: str | None) -> Before:
    if conversation_id is None:
        return Before()
    found = get_conversation(connection, conversation_id)
    if found.agent_id != agent_id:
        raise Invalid(
            f'Conversation "{conversation_id}" is with {found.agent_id}: a turn of another agent can\'t go it on.',
            field="conversationId",
        )
    return Before(conversation_messages(connection, conversation_id), found.turns)


def _running(
    project_id: str,
    candidate: Candidate,
    message: str,
    segments: tuple[Segment, ...],
    given: TurnGiven,
    before: Before,
) -> RunDetail:
    """A turn as a run before it was taken."""
    now = datetime.now(UTC)
    told: dict[str, Json] = {
        "startedBy": given.started_by,
        "participantId": given.participant_id,
        "parameters": given.parameters,
    }
    return RunDetail(
        id=str(uuid.uuid4()),
        project_id=project_id,
        subject=Subject(kind="agent", id=candidate.agent.id, version=candidate.agent.version),
        status="running",
        # To the millisecond, as it is stored: a run tells the same time before and after it ended.
        created_at=now.replace(microsecond=now.microsecond // 1000 * 1000),
        segments=segments,
        conversation_id=given.conversation_id or str(uuid.uuid4()),
        input=message,
        context=before.context | {name: value for name, value in told.items() if value is not None},
    )


def _ended(
    run: RunDetail,
    status: RunStatus,
    output: dict[str, Json] | None,
    failure: str | None,
    sent_env: dict[str, Json],
    appended: list[Json],
    ended: datetime,
) -> RunDetail:
    """The turn as a run once it ended: with its output, or with why not and the messages it got to."""
    context = dict(run.context)
    if sent_env:
        context["toolEnv"] = sent_env
    if output is None:
        context["appended"] = appended
    ids: dict[str, Json] = {"runId": run.id, "conversationId": run.conversation_id}
    return run.model_copy(
        update={
            "status": status,
            "completed_at": ended,
            "failure": failure,
            "output": None if output is None else {**ids, **output},
            "context": context,
        }
    )


def recorded_turn(
    run_id: str,
    project_id: str,
    agent_id: str,
    version: str,
    message: str,
    output: dict[str, Json] | None,
    failure: str | None,
    started: datetime,
    ended: datetime,
    segments: tuple[Segment, ...],
    sent_env: dict[str, Json],
    appended: list[Json],
    conversation_id: str | None = None,
) -> RunDetail:
    """A turn as a run: completed with its output, or failed with why and the messages it got to."""
    run = RunDetail(
        id=run_id,
        project_id=project_id,
        subject=Subject(kind="agent", id=agent_id, version=version),
        status="running",
        created_at=started,
        segments=segments,
        conversation_id=conversation_id or str(uuid.uuid4()),
        input=message,
        context={"history": []},
    )
    return _ended(
        run, "completed" if failure is None else "failed", output, failure, sent_env, appended, ended
    )
