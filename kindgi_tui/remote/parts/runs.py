"""Runs of a runtime. The wire has no input: it comes from the turn, its conversation, a judgment's copy or a case."""

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import NewCorrection
from kindgi_tui.domain.imports import ImportOptions, ImportReport
from kindgi_tui.domain.queries import NewJudgment, RunFilter
from kindgi_tui.domain.runs import Run, RunDetail, Segment, TurnGiven
from kindgi_tui.remote import v01
from kindgi_tui.remote.context import Context
from kindgi_tui.remote.reading import text, text_if
from kindgi_tui.remote.runtime import given as there
from kindgi_tui.remote.runtime import scope
from kindgi_tui.wire.v01 import time_text
from kindgi_tui.workbench import ImportOutcome, Invalid, NotFound, Page, Unsupported

HEAVY_PAGE = 4_000_000
"""A page of more bytes than this is the last one that is asked for with its outputs, for the previews."""

SHORT_IDS = 1_000
"""How many of the newest runs a beginning of an id is looked for in."""

AT_ONCE = 6
"""How many runs are asked for at once."""

START_SECONDS = 600.0
"""How long a started run is waited for."""

Rows = list[dict[str, Json]]
"""Rows of an answer."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MESSAGES = 2_000
_FINAL = ("completed", "failed", "cancelled")


class RemoteRuns:
    """The runtime's runs."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._runtime = context.runtime
        self._with_outputs = True
        self._known: dict[RunFilter, int] = {}

    async def list(
        self, query: RunFilter, limit: int = 25, cursor: str | None = None, backwards: bool = False
    ) -> Page[Run]:
        """Runs, newest first. One page is asked for, and it may hold fewer rows than `limit`.

        Raises Unsupported for what a runtime can't filter by, and for reading backwards.
        """
        if backwards:
            raise Unsupported("A runtime's list is read from its newest run on: its end isn't known before.")
        if query.source not in (None, "recorded"):
            return Page(data=(), has_more=False)
        if query.judged:
            return await self._judged(query, limit, cursor)
        asked = run_query(query)
        if self._with_outputs:
            # What went in stands in the output alone, and a list shows its first words.
            asked.append(("include", "output"))
        page = await self._runtime.page("runs.list", query=asked, limit=limit, cursor=cursor)
        if page.size > HEAVY_PAGE:
            self._with_outputs = False
        rows = [self._row(row) for row in page.rows]
        shown = tuple(one for one in rows if _passes(one, query))
        self._count_up(query, cursor, len(shown), page.has_more)
        return Page(data=shown, has_more=page.has_more, next_cursor=page.next_cursor)

    async def _judged(self, query: RunFilter, limit: int, cursor: str | None) -> Page[Run]:
        """Judged runs, the one judged last first: the runs of a page of judgments, each asked for."""
        whole = query.model_copy(update={"judged": None})
        run_query(whole)
        kind = "flow" if query.subject_kind == "flow" else "agent"
        asked = [*scope(query.project_id), (f"{kind}Id", query.subject_id)]
        if query.subject_version is not None and kind == "agent":
            asked.append(("agentVersion", query.subject_version))
        page = await self._runtime.page("judgments.list", query=asked, limit=limit, cursor=cursor)
        ids = each_once(text(row, "runId", "a judgment") for row in page.rows)
        gate = asyncio.Semaphore(AT_ONCE)

        async def look(identity: str) -> Run | None:
            async with gate:
                try:
                    return self._row(await self._runtime.get("runs.get", identity))
                except NotFound:
                    return None

        found = [one for one in await asyncio.gather(*(look(each) for each in ids)) if one is not None]
        shown = tuple(one for one in found if _passes(one, query) and _is_wanted(one, query))
        self._count_up(query, cursor, len(shown), page.has_more)
        return Page(data=shown, has_more=page.has_more, next_cursor=page.next_cursor)

    async def count(self, query: RunFilter) -> int:
        """How many runs of the list are known of: a runtime doesn't count them. One more stands for the rest."""
        if query not in self._known:
            await self.list(query)
        return self._known.get(query, 0)

    async def get(self, run_id: str) -> RunDetail:
        """One run, whole, with what went in."""
        identity = await self.whole_id(run_id)
        value = await self._runtime.get("runs.get", identity)
        entered, context = await self._entered(value)
        detail = v01.run_detail(value, entered, context)
        self._context.previews.put(detail.id, detail.preview)
        return detail

    async def whole_id(self, run_id: str) -> str:
        """The id itself; of a beginning of one, the id that begins so. Raises NotFound, Invalid."""
        return run_id if _UUID.fullmatch(run_id) else await self._searched_id(run_id)

    async def add(
        self,
        runs: Sequence[RunDetail],
        judgments: Sequence[tuple[NewJudgment, str, datetime | None]] = (),
        corrections: Sequence[tuple[NewCorrection, str, datetime | None]] = (),
    ) -> ImportOutcome:
        """A runtime records its runs itself."""
        raise Unsupported("A runtime records its runs itself: bring others into a local workspace.")

    async def import_files(
        self, paths: Sequence[Path], options: ImportOptions, dry_run: bool = False
    ) -> ImportReport:
        """A runtime records its runs itself."""
        raise Unsupported("A runtime takes no runs from files: import them into a local workspace.")

    async def export(self, run_id: str) -> str:
        """Runs leave a runtime through a workspace."""
        raise Unsupported("Copy runs into a workspace with `kindgi-tui runs pull`, and export them there.")

    async def start(
        self,
        project_id: str,
        agent_id: str,
        version: str | None,
        message: str,
        segments: Sequence[Segment] = (),
        fresh: bool = False,
        given: TurnGiven | None = None,
        begun: Callable[[RunDetail], None] | None = None,
    ) -> RunDetail:
        """Runs one turn of an agent there, and asks until it ended; it is always fresh.

        However long a model takes, no request waits for it.
        """
        told = given or TurnGiven()
        entered = {
            "userMessage": message,
            "conversationId": told.conversation_id,
            "participantId": told.participant_id,
            "parameters": told.parameters,
        }
        path: list[Json] = [{"key": one.key, "value": one.value} for one in segments]
        body = there(
            {
                "agent": agent_id,
                "agentVersion": version,
                "projectId": project_id,
                "segments": path or None,
                "input": there(entered),
                "options": {"wait": False},
            }
        )
        started = await self._runtime.write("runs.start", body=body)
        if begun is not None:
            begun(v01.run_detail(started, message))
        return await self._ended(text(started, "id", "a started run"))

    async def _ended(self, run_id: str) -> RunDetail:
        pause = 0.2
        waited = 0.0
        while True:
            value = await self._runtime.get("runs.get", run_id)
            status = text_if(value, "status")
            if status in _FINAL or status == "suspended" or waited > START_SECONDS:
                entered, context = await self._entered(value)
                return v01.run_detail(value, entered, context)
            await asyncio.sleep(pause)
            waited, pause = waited + pause, min(pause * 1.5, 2.0)

    async def _entered(self, value: dict[str, Json]) -> tuple[Json, dict[str, Json]]:
        """What went into a run, and what it had before."""
        identity = text(value, "id", "a run")
        output = value.get("output")
        entered = v01.run_input(output)
        kept = self._context.entered.get(identity)
        if kept is not None:
            return (entered if entered is not None else kept[0]), (
                kept[1] if isinstance(kept[1], dict) else {}
            )
        agent = value.get("agent")
        conversation = text_if(agent, "conversationId") if isinstance(agent, dict) else None
        if conversation is not None:
            if entered is not None and isinstance(output, dict) and output.get("turnNumber") == 1:
                return entered, {}
            messages = await self._messages(conversation)
            if entered is None:
                said = [one for one in messages if one.get("role") == "user"]
                entered = said[-1].get("content") if said else None
            return entered, v01.history(messages, output)
        if entered is None:
            return await self._copied(identity)
        return entered, {}

    async def _messages(self, conversation: str) -> Rows:
        try:
            return await self._runtime.all_rows("conversations.messages", conversation, most=_MESSAGES)
        except (NotFound, Unsupported):
            return []

    async def _copied(self, run_id: str) -> tuple[Json, dict[str, Json]]:
        """The input and context that a judgment's copy kept; else the input its journal tells."""
        try:
            page = await self._runtime.page("judgments.list", query=[("runId", run_id)], limit=1)
            if page.rows:
                identity = text(page.rows[0], "id", "a judgment")
                copy = (await self._runtime.get("judgments.get", identity)).get("run")
                if isinstance(copy, dict):
                    context = copy.get("context")
                    self._context.entered.put(run_id, (copy.get("input"), context))
                    return copy.get("input"), context if isinstance(context, dict) else {}
            events = await self._runtime.page("runs.journal", run_id, limit=1)
            payload = events.rows[0].get("payload") if events.rows else None
            return (payload.get("input") if isinstance(payload, dict) else None), {}
        except (NotFound, Unsupported):
            return None, {}

    def _row(self, row: dict[str, Json]) -> Run:
        shown = v01.run(row)
        preview = shown.preview or self._context.previews.get(shown.id) or ""
        if shown.preview:
            self._context.previews.put(shown.id, shown.preview)
        return shown if preview == shown.preview else shown.model_copy(update={"preview": preview})

    def _count_up(self, query: RunFilter, cursor: str | None, rows: int, more: bool) -> None:
        if len(self._known) > 100:
            self._known.clear()
        before = self._known.get(query, 0) if cursor is not None else 0
        self._known[query] = max(0, before - 1 if before else 0) + rows + (1 if more else 0)

    async def _searched_id(self, beginning: str) -> str:
        if len(beginning) < 8:
            raise NotFound(
                f'No run with id "{beginning}". Give 8 characters of it or more.', code="run-not-found"
            )
        found: set[str] = set()
        cursor: str | None = None
        for _ in range(SHORT_IDS // 100):
            page = await self._runtime.page("runs.list", query=[("replays", "include")], cursor=cursor)
            found |= {
                one for row in page.rows if (one := text_if(row, "id") or "").startswith(beginning.lower())
            }
            cursor = page.next_cursor
            if found or not page.has_more:
                break
        if len(found) > 1:
            raise Invalid(f'Several runs begin with "{beginning}": give more of the id.', field="run")
        if not found:
            raise NotFound(
                f'None of the newest {SHORT_IDS:,} runs begins with "{beginning}". Give the whole id.',
                code="run-not-found",
            )
        return found.pop()


def run_query(query: RunFilter) -> list[tuple[str, str | None]]:
    """A filter as the wire takes it. Raises Unsupported for what a runtime's list can't be narrowed by."""
    if query.text is not None and query.text.strip():
        raise Unsupported(
            "A runtime doesn't search the words of runs. Copy them with `kindgi-tui runs pull`."
        )
    if query.judged is not None:
        raise Unsupported(
            "A runtime's list of runs doesn't say which are not judged: its judging queue does."
        )
    if query.subject_version is not None and query.subject_id is None:
        raise Invalid("`agentVersion` needs `agentId`", field="agentVersion")
    kind = "flow" if query.subject_kind == "flow" else "agent"
    asked: list[tuple[str, str | None]] = [
        *scope(query.project_id),
        (f"{kind}Id", query.subject_id),
        (f"{kind}Version", query.subject_version),
        ("createdAfter", None if query.created_since is None else time_text(query.created_since)),
        ("createdBefore", None if query.created_until is None else time_text(query.created_until)),
        ("evalRunId", query.comparison_id),
    ]
    asked += [("status", status) for status in query.statuses]
    replays = query.replays
    if query.comparison_id is not None and replays == "exclude":
        # Together they are refused; naming a comparison means its replays.
        replays = "include"
    return [*asked, ("replays", replays)]


def each_once(ids: Iterable[str]) -> tuple[str, ...]:
    """Each id once, in order."""
    return tuple(dict.fromkeys(ids))


def _is_wanted(run: Run, query: RunFilter) -> bool:
    """The filters that only a list of runs knows, for runs that came another way."""
    since, until = query.created_since, query.created_until
    return (
        (not query.statuses or run.status in query.statuses)
        and (query.subject_version is None or run.subject.version == query.subject_version)
        and (since is None or run.created_at >= since)
        and (until is None or run.created_at < until)
        and (query.comparison_id is None or run.comparison_id == query.comparison_id)
        and (query.replays == "include" or (run.replay_of is not None) == (query.replays == "only"))
    )


def _passes(run: Run, query: RunFilter) -> bool:
    """What the runtime can't filter by and every row tells: the kind, and the segment path."""
    if query.subject_kind is not None and run.subject.kind != query.subject_kind:
        return False
    path = query.segments
    return not path or run.segments[: len(path)] == path
