"""Making the demo's workspace: what was said is read from `data/`, everything else is computed by running it.

The pack is published, each recorded run is the agent's turn taken again with what the model said then, and each
candidate's replies are put into the reply cache by replaying the runs. Made again, nothing that is there changes.
"""

import shutil
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from kindgi_tui.demo import said
from kindgi_tui.demo.corrected import correct, verdict_replies
from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.engine.candidates import Candidate, load_candidate
from kindgi_tui.local.engine.launching import launches
from kindgi_tui.local.engine.replaying import ReplaySettings, replay_case
from kindgi_tui.local.engine.starting import recorded_turn
from kindgi_tui.local.engine.tool_calls import LiveCalls
from kindgi_tui.local.engine.turns import Turn, TurnFailed
from kindgi_tui.local.models.cache import cache_key, dump_reply
from kindgi_tui.local.models.calls import (
    AgentMessage,
    ModelRef,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolResult,
    Usage,
)
from kindgi_tui.local.models.failures import NoReplyCached
from kindgi_tui.local.packs.services import PackServices
from kindgi_tui.local.store.catalog import put_replies
from kindgi_tui.local.store.groups import add_group, find_group
from kindgi_tui.local.store.people import put_person
from kindgi_tui.local.store.projects import add_project, list_projects
from kindgi_tui.local.store.runs import get_run, insert_runs
from kindgi_tui.local.workbench import FILE_NAME, LocalWorkbench, open_local
from kindgi_tui.workbench import Conflict

MARK = "demo"
"""The file that marks a folder as the demo's, which `--reset` may remove."""

AGENT = "acme-ops.article-picker"
"""The agent the demo is about."""

CANDIDATES = ("0.1.0", "0.2.0", "0.3.0")
"""The versions whose replies are written down."""


class DemoReport(Frozen):
    """What making the demo came to."""

    folder: Path
    """The demo's workspace."""
    created: bool
    """Whether it was made just now, or stood there already."""
    runs: int
    """How many runs are new."""
    judgments: int
    """How many judgments are new."""
    corrections: int
    """How many corrections are new."""
    replies: int
    """How many replies of models are in the cache for it."""


async def make_demo(folder: Path, reset: bool = False, person: str | None = None) -> DemoReport:
    """Makes the demo in a folder of its own; one's own verdicts there stay.

    `reset` removes the whole demo first. Raises Conflict when the folder is a workspace that is not the demo's.
    """
    if reset:
        _remove(folder)
    if (folder / FILE_NAME).exists() and not (folder / MARK).exists():
        raise Conflict(
            f"{folder} is a workspace of your own, not the demo. Choose another folder with --workspace.",
            code="not-the-demo",
        )
    workbench, created = await open_local(folder, person)
    try:
        (folder / MARK).touch()
        return await _fill(workbench, folder, created)
    finally:
        await workbench.close()


def _remove(folder: Path) -> None:
    if not folder.exists():
        return
    if not (folder / MARK).exists():
        raise Conflict(f"{folder} is not the demo's folder, so it is not removed.", code="not-the-demo")
    shutil.rmtree(folder)


async def _fill(workbench: LocalWorkbench, folder: Path, created: bool) -> DemoReport:
    access = workbench.access
    projects = await access.write("admin", None, _people_and_projects)
    with said.pack_folder() as pack:
        await workbench.packs.publish(pack)
    recorded = said.load_runs()
    known = await access.read(lambda c: {each.id for each in recorded if _is_there(c, each.id)})
    spoken = said.load_said()
    candidates = {
        version: await access.read(partial(load_candidate, agent_id=AGENT, version=version))
        for version in CANDIDATES
    }
    async with PackServices(
        access.packs_folder, launches(access.database), logs_dir=access.logs_folder
    ) as services:
        new = [
            await _record(each, projects, candidates, spoken, services)
            for each in recorded
            if each.id not in known
        ]
        replies = await _replies(new, recorded, candidates, spoken, services)

    def write(connection: sqlite3.Connection) -> tuple[int, int, int]:
        # At once, so that a demo that was interrupted is made whole the next time.
        put_replies(connection, replies)
        added, _ = insert_runs(connection, new)
        return len(added), _judge(connection, set(added)), correct(connection, set(added))

    runs, judgments, corrections = await access.write("admin", None, write)
    return DemoReport(
        folder=folder,
        created=created,
        runs=runs,
        judgments=judgments,
        corrections=corrections,
        replies=len(replies),
    )


def _people_and_projects(connection: sqlite3.Connection) -> dict[str, str]:
    """Makes the people, groups and projects that are missing; gives the projects' ids by slug."""
    for person in said.load_people():
        put_person(connection, Person(**person.model_dump(), created_at=datetime(2026, 10, 12, tzinfo=UTC)))
    for group in said.load_groups():
        if find_group(connection, group.id) is None:
            add_group(
                connection,
                group.name,
                group.weight,
                group.description,
                None,
                None,
                group.restriction,
                group.id,
            )
    if not any(project.slug == said.DOCS_PROJECT for project in list_projects(connection)):
        add_project(connection, "Documents' examples", said.DOCS_PROJECT)
    return {project.slug: project.id for project in list_projects(connection)}


def _is_there(connection: sqlite3.Connection, run_id: str) -> bool:
    return connection.execute("SELECT 1 FROM runs WHERE id = ?", (run_id,)).fetchone() is not None


@dataclass
class _Speaker:
    """Answers as a model did, reply by reply, and remembers under which key each reply is found again.

    A reply was said with certain articles in sight; where the search finds others now, nothing was said.
    """

    replies: tuple[said.SaidReply, ...]
    repetitions: tuple[int, ...]
    remembered: dict[str, Json]
    call_ids: tuple[str, ...] = ()

    async def complete(self, request: ModelRequest) -> ModelReply:
        place = sum(isinstance(message, AgentMessage) for message in request.messages)
        if place >= len(self.replies) or not self._in_sight(request, place):
            raise NoReplyCached("What the model said here is not written down.")
        told = self.replies[place]
        before = sum(len(reply.calls) for reply in self.replies[:place])
        ids = [*self.call_ids[before : before + len(told.calls)]]
        calls = tuple(
            ToolCall(
                id=ids[i] if i < len(ids) else f"call-{before + i + 1}",
                name=call.tool,
                arguments=call.arguments,
            )
            for i, call in enumerate(told.calls)
        )
        reply = ModelReply(
            text=None if told.calls else told.text,
            tool_calls=calls,
            provider=request.model.provider,
            model=request.model.model,
            finish="tool_calls" if calls else "stop",
            usage=Usage(prompt_tokens=told.tokens[0], completion_tokens=told.tokens[1], cost_usd=0.0),
        )
        for repetition in self.repetitions:
            key = cache_key(request.model_copy(update={"repetition": repetition}))
            self.remembered[key] = dump_reply(reply)
        return reply

    def _in_sight(self, request: ModelRequest, place: int) -> bool:
        wanted = [call.saw for call in self.replies[place - 1].calls] if place else []
        results = [message.content for message in request.messages if isinstance(message, ToolResult)]
        shown = results[len(results) - len(wanted) :] if wanted else []
        return all(
            saw is None or _article_ids(result) == saw for saw, result in zip(wanted, shown, strict=True)
        )


def _article_ids(result: Json) -> tuple[str, ...]:
    articles = result.get("articles") if isinstance(result, dict) else None
    return tuple(
        str(article.get("id"))
        for article in (articles if isinstance(articles, list) else [])
        if isinstance(article, dict)
    )


async def _record(
    recorded: said.RecordedRun,
    projects: dict[str, str],
    candidates: dict[str, Candidate],
    spoken: said.Said,
    services: PackServices,
) -> RunDetail:
    project = projects[recorded.project]
    if recorded.output is not None or recorded.failure is not None:
        return RunDetail(
            id=recorded.id,
            project_id=project,
            subject=Subject(kind="agent", id=recorded.agent, version=recorded.version),
            status="completed" if recorded.failure is None else "failed",
            created_at=recorded.at,
            completed_at=recorded.completed_at,
            segments=recorded.segments,
            conversation_id=recorded.conversation,
            failure=recorded.failure,
            input=recorded.input,
            output=recorded.output,
        )
    candidate = candidates[recorded.version]
    replies = spoken.replies(recorded.agent, recorded.version, recorded.input)
    speaker = _Speaker(replies, (), {}, recorded.call_ids)
    calls = LiveCalls(candidate.tools, services, recorded.id, project)
    turn = Turn(candidate, ModelRef(provider=said.PROVIDER, model=said.MODEL), speaker, calls)
    output: dict[str, Json] | None = None
    failure: str | None = None
    try:
        output = await turn.take(recorded.input)
    except (TurnFailed, NoReplyCached) as cause:
        failure = str(cause)
    moments = [recorded.at, *(recorded.at + timedelta(milliseconds=after) for after in recorded.after_ms)]
    for message, moment in zip(turn.appended, moments, strict=False):
        if isinstance(message, dict):
            message["createdAt"] = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if output is not None and isinstance(output["usage"], dict):
        output["usage"]["durationMs"] = recorded.after_ms[-1]
    return recorded_turn(
        recorded.id,
        project,
        recorded.agent,
        recorded.version,
        recorded.input,
        output,
        failure,
        recorded.at,
        recorded.completed_at,
        recorded.segments,
        calls.sent_env,
        turn.appended,
        recorded.conversation,
    )


def _judge(connection: sqlite3.Connection, fresh: set[str]) -> int:
    """Records what people said of the runs that are new, in the order they said it."""
    from kindgi_tui.local.store.judgments import add_judgment
    from kindgi_tui.local.store.people import find_person
    from kindgi_tui.local.store.values import to_ms

    count = 0
    for told in sorted(said.load_judgments(), key=lambda each: each.at):
        person = find_person(connection, told.by)
        if told.run not in fresh or person is None:
            continue
        run = get_run(connection, told.run)
        found = [item for item in output_items(run.output, agent_turn=True) if item.key == told.item]
        if not found:
            # The item went with an article that is no longer in the knowledge base.
            continue
        rank = found[0].rank
        item = ItemRef(key=told.item, pointer=found[0].pointer, rank=None if rank is None else int(rank))
        add_judgment(
            connection,
            NewJudgment(
                run_id=told.run, item=item, verdict=told.verdict, reason=told.reason, group=told.group
            ),
            person,
            to_ms(told.at),
        )
        count += 1
    return count


async def _replies(
    runs: Iterable[RunDetail],
    recorded: Iterable[said.RecordedRun],
    candidates: dict[str, Candidate],
    spoken: said.Said,
    services: PackServices,
) -> dict[str, Json]:
    """What the model says of every recorded question as each candidate, by the key a comparison looks it up with."""
    remembered: dict[str, Json] = {}
    made = {run.id: run for run in runs}
    answered: dict[tuple[str, str, int], Json] = {}
    for each in recorded:
        run = made.get(each.id)
        if run is None or each.agent != AGENT or each.failure is not None:
            continue
        case = Case(case_id=run.id, subject=run.subject, input=run.input, output=run.output)
        for version, candidate in candidates.items():
            groups: list[tuple[tuple[said.SaidReply, ...], list[int]]] = []
            for repetition in range(1, said.REPETITIONS + 1):
                replies = spoken.replies(each.agent, version, each.input, repetition)
                same = next((group for group in groups if group[0] == replies), None)
                if same is None:
                    groups.append((replies, [repetition]))
                else:
                    same[1].append(repetition)
            settings = ReplaySettings(
                "demo", run.project_id, candidate, ModelRef(provider=said.PROVIDER, model=said.MODEL), False
            )
            for replies, repetitions in groups:
                speaker = _Speaker(replies, tuple(repetitions), remembered)
                replayed = await replay_case(settings, case, repetitions[0], speaker, services)
                output = None if replayed.run is None else replayed.run.output
                answered |= {(run.id, version, repetition): output for repetition in repetitions}
    return remembered | verdict_replies(made.values(), answered)
