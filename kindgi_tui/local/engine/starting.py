"""Running one turn of an agent here, live, and recording it as a run."""

import contextlib
import sqlite3
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.runs import RunDetail, Segment, Subject
from kindgi_tui.local.engine.candidates import load_candidate
from kindgi_tui.local.engine.launching import launches
from kindgi_tui.local.engine.replies import stored_models
from kindgi_tui.local.engine.tool_calls import LiveCalls
from kindgi_tui.local.engine.turns import Answering, Turn, TurnFailed
from kindgi_tui.local.models.asking import Models
from kindgi_tui.local.models.config import load_models
from kindgi_tui.local.packs.services import PackServices
from kindgi_tui.local.store.runs import get_run, insert_run
from kindgi_tui.storage.sqlite import Database
from kindgi_tui.workbench import Unsupported


async def start_run(
    database: Database,
    folder: Path,
    project_id: str,
    agent_id: str,
    version: str | None,
    message: str,
    segments: tuple[Segment, ...],
    fresh: bool,
    noted: Callable[[sqlite3.Connection, str], None] = lambda connection, run_id: None,
) -> RunDetail:
    """Takes one turn, with every tool run live, and records it, failed or not.

    `noted` is told of the run's id in the transaction that records it.

    Raises NotFound, Unsupported (a tool no pack has, no provider and no stored reply), Unavailable.
    """
    candidate = await database.read(lambda c: load_candidate(c, agent_id, version))
    if candidate.missing is not None:
        raise Unsupported(candidate.missing, code="tool-not-published")
    config = load_models(folder)
    model = config.resolve(candidate.agent.preferred_provider, candidate.agent.preferred_model)
    run_id = str(uuid.uuid4())
    started = datetime.now(UTC)
    async with (
        PackServices(folder / "packs", launches(database), logs_dir=folder / "logs") as services,
        contextlib.AsyncExitStack() as stack,
    ):
        inner = await stack.enter_async_context(Models(config)) if config.providers else None
        models: Answering = stored_models(database, inner, fresh)
        calls = LiveCalls(candidate.tools, services, run_id, project_id)
        turn = Turn(candidate, model, models, calls)
        failure: str | None = None
        output: dict[str, Json] | None = None
        try:
            output = await turn.take(message)
        except TurnFailed as cause:
            failure = cause.sentence
    run = recorded_turn(
        run_id,
        project_id,
        candidate.agent.id,
        candidate.agent.version,
        message,
        output,
        failure,
        started,
        datetime.now(UTC),
        segments,
        calls.sent_env,
        turn.appended,
    )

    def record(connection: sqlite3.Connection) -> None:
        insert_run(connection, run)
        noted(connection, run_id)

    await database.write(record)
    return await database.read(lambda c: get_run(c, run_id))


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
    conversation = conversation_id or str(uuid.uuid4())
    context: dict[str, Json] = {"history": []}
    if sent_env:
        context["toolEnv"] = sent_env
    if failure is not None:
        context["appended"] = appended
    return RunDetail(
        id=run_id,
        project_id=project_id,
        subject=Subject(kind="agent", id=agent_id, version=version),
        status="completed" if failure is None else "failed",
        created_at=started,
        completed_at=ended,
        segments=segments,
        conversation_id=conversation,
        failure=failure,
        input=message,
        output=None if output is None else {"runId": run_id, "conversationId": conversation, **output},
        context=context,
    )
