"""The runs that owe a verdict: the project's judging queue, or, where there is none, its newest completed runs."""

import asyncio
import json

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.judging import (
    DISMISSAL_REASON_LIMIT,
    CorrectedApart,
    Disagreement,
    Dismissal,
    QueuedRun,
    QueueFilter,
    QueueProgress,
    QueueState,
    SaidAs,
    owed_items,
)
from kindgi_tui.domain.queries import JudgmentFilter
from kindgi_tui.domain.runs import Run, Subject
from kindgi_tui.remote import v01
from kindgi_tui.remote.context import Context, Recent
from kindgi_tui.remote.outbox_schema import as_text, now_ms
from kindgi_tui.remote.parts.judgments import RemoteJudgments
from kindgi_tui.remote.reading import moment, moment_if, text, text_if, whole
from kindgi_tui.remote.runtime import scope
from kindgi_tui.workbench import Invalid, NotFound, Page, Unsupported

Queued = list[QueuedRun]
"""Rows of the queue."""

AT_ONCE = 6
"""How many runs' judgments are asked for at once."""

RUNS_PAGE = 25
"""How many runs are looked at in one go where there is no queue."""


SENT_SECONDS = 2.0
"""How long the queue waits for verdicts that are still to be sent, in seconds."""


class RemoteQueue:
    """A project's judging queue. What one skips is one's own, and kept on this machine."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._runtime = context.runtime
        self._first: tuple[QueueFilter, Page[QueuedRun]] | None = None
        self._projects: Recent[str, str] = Recent(1_000)

    async def list(self, query: QueueFilter, limit: int = 25, cursor: str | None = None) -> Page[QueuedRun]:
        """The next runs: the judging queue's, oldest first. Without a queue there, the newest completed runs.

        A page may hold fewer rows than asked. Raises Unsupported for a random order.
        """
        if query.order != "oldest":
            raise Unsupported("A runtime's queue comes in its own order, oldest first.")
        if cursor is None:
            await self._sent_first()
        first, self._first = self._first, None
        if first is not None and cursor is None and first[0] == query and limit >= RUNS_PAGE:
            # It was looked at a moment ago, to say how far one is.
            return first[1]
        skipped = await self._skipped_ids()
        try:
            page = await self._runtime.page(
                "queue.list", query.project_id, query=_asked(query, "open"), limit=limit, cursor=cursor
            )
        except Unsupported:
            return await self._from_runs(query, limit, cursor, skipped)
        rows = [self._read(row) for row in page.rows]
        shown = tuple(one for one in rows if one.run.id not in skipped and _passes(one.run, query))
        return Page(data=shown, has_more=page.has_more, next_cursor=page.next_cursor)

    async def progress(self, query: QueueFilter) -> QueueProgress:
        """How far the caller is, by the queue's own totals. Items are not counted there: a run counts as one.

        Without a judging queue nobody counts: then it says what the first page holds, and more may follow.
        """
        await self._sent_first()
        try:
            left, judged, dismissed = await asyncio.gather(
                *(self._total(query, state) for state in ("open", "judged", "dismissed"))
            )
        except Unsupported:
            page = await self.list(query)
            self._first = (query, page)
            items = sum(one.owed - one.judged for one in page.data)
            skipped = len(await self._skipped_ids())
            return QueueProgress(left=len(page.data), items_left=items, skipped=skipped, judged=None)
        skipped = len(await self._skipped_ids())
        left = max(0, left - skipped)
        return QueueProgress(left=left, items_left=left, skipped=skipped, judged=judged, dismissed=dismissed)

    async def _sent_first(self) -> None:
        """What waits from earlier takes runs off the queue: it is sent before anybody looks, where that is soon."""
        if (await self._context.outbox.counts()).waiting:
            await self._context.outbox.settle(SENT_SECONDS)

    async def skip(self, run_id: str) -> None:
        """Leaves a run out for the caller."""
        await self._context.identity.write(
            lambda c, who: c.execute(
                "INSERT OR IGNORE INTO skips (address, who, run, made) VALUES (?, ?, ?, ?)",
                (*who, as_text(run_id), now_ms()),
            )
        )

    async def unskip(self, run_id: str) -> None:
        """Puts a run back."""
        await self._context.identity.write(
            lambda c, who: c.execute(
                "DELETE FROM skips WHERE address = ? AND who = ? AND run = ?", (*who, as_text(run_id))
            )
        )

    async def skipped(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[QueuedRun]:
        """The runs the caller skipped, the first skipped first."""
        found: Queued = []
        ids = await self._skipped_ids()
        start = int(cursor) if cursor is not None and cursor.isdigit() else 0
        for run_id in ids[start : start + limit]:
            try:
                value = await self._runtime.get("runs.get", run_id)
            except NotFound:
                continue
            queued = await self._owing(value)
            if (
                queued is not None
                and _passes(queued.run, query)
                and queued.run.project_id == query.project_id
            ):
                found.append(queued)
        more = start + limit < len(ids)
        return Page(data=tuple(found), has_more=more, next_cursor=str(start + limit) if more else None)

    async def disagreements(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[Disagreement]:
        """A runtime doesn't look for them."""
        raise Unsupported(
            "A runtime doesn't tell where people disagree. `kindgi-tui runs pull` copies them here."
        )

    async def corrected_apart(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[CorrectedApart]:
        """A runtime doesn't look for them."""
        raise Unsupported(
            "A runtime doesn't tell which runs people corrected differently. `kindgi-tui runs pull` copies them here."
        )

    async def dismiss(self, run_id: str, reason: str | None = None) -> None:
        """Takes a run off the queue for everybody. No key is declared for it, so it is asked once."""
        if reason is not None and len(reason) > DISMISSAL_REASON_LIMIT:
            raise Invalid(
                f"reason must be a string of at most {DISMISSAL_REASON_LIMIT} characters.", field="reason"
            )
        body: dict[str, Json] = {} if not reason else {"reason": reason}
        await self._runtime.write("queue.dismiss", await self._project_of(run_id), run_id, body=body)

    async def reopen(self, run_id: str) -> None:
        """Puts a dismissed run back on the queue. No key is declared for it, so it is asked once."""
        await self._runtime.write("queue.reopen", await self._project_of(run_id), run_id, body={})

    async def dismissed(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[QueuedRun]:
        """The dismissed runs, the one added first first."""
        page = await self._runtime.page(
            "queue.list", query.project_id, query=_asked(query, "dismissed"), limit=limit, cursor=cursor
        )
        rows = tuple(one for one in map(self._read, page.rows) if _passes(one.run, query))
        return Page(data=rows, has_more=page.has_more, next_cursor=page.next_cursor)

    def _read(self, row: dict[str, Json]) -> QueuedRun:
        queued = _queued(row)
        self._projects.put(queued.run.id, queued.run.project_id)
        return queued

    async def _project_of(self, run_id: str) -> str:
        known = self._projects.get(run_id)
        if known:
            return known
        return text(await self._runtime.get("runs.get", run_id), "projectId", "a run")

    async def _total(self, query: QueueFilter, state: str) -> int:
        asked = [*_asked(query, state), ("limit", "0")]
        return whole(await self._runtime.get("queue.list", query.project_id, query=asked), "total")

    async def _skipped_ids(self) -> "tuple[str, ...]":
        rows = await self._context.identity.read(
            lambda c, who: c.execute(
                "SELECT run FROM skips WHERE address = ? AND who = ? ORDER BY made, run", (*who,)
            ).fetchall()
        )
        return tuple(str(json.loads(row[0])) for row in rows)

    async def _from_runs(
        self, query: QueueFilter, limit: int, cursor: str | None, skipped: "tuple[str, ...]"
    ) -> Page[QueuedRun]:
        kind = "flowId" if query.subject_kind == "flow" else "agentId"
        asked = [
            *scope(query.project_id),
            (kind, query.subject_id),
            ("status", "completed"),
            ("replays", "exclude"),
            ("include", "output"),
        ]
        page = await self._runtime.page("runs.list", query=asked, limit=min(limit, RUNS_PAGE), cursor=cursor)
        gate = asyncio.Semaphore(AT_ONCE)

        async def look(row: dict[str, Json]) -> QueuedRun | None:
            async with gate:
                return await self._owing(row)

        wanted = [row for row in page.rows if text_if(row, "id") not in skipped]
        found = await asyncio.gather(*(look(row) for row in wanted))
        shown = tuple(one for one in found if one is not None and _passes(one.run, query))
        return Page(data=shown, has_more=page.has_more, next_cursor=page.next_cursor)

    async def _owing(self, row: dict[str, Json]) -> QueuedRun | None:
        """A run that owes a verdict of the caller; None when it doesn't."""
        run = v01.run(row)
        owed = owed_items(output_items(row.get("output"), run.subject.kind == "agent"))
        if not owed:
            return None
        mine = (await self._context.identity.person()).id
        said = await RemoteJudgments(self._context).list(JudgmentFilter(run_id=run.id), limit=100)
        keys = {one.item.key for one in said.data if one.asserter == mine and one.participant is None}
        judged = sum(1 for item in owed if item.key in keys)
        return None if judged == len(owed) else QueuedRun(run=run, owed=len(owed), judged=judged)


def _asked(query: QueueFilter, state: str) -> list[tuple[str, str | None]]:
    return [("state", state), ("agentId", query.subject_id), ("forMe", "true" if state == "open" else None)]


def _queued(row: dict[str, Json]) -> QueuedRun:
    """A queue's item. It has no content, so how many items the run has is not known: at least one."""
    what = "an item of the judging queue"
    agent = text_if(row, "agentId")
    state = _state(row)
    run = Run(
        id=text(row, "runId", what),
        project_id=text_if(row, "projectId") or "",
        subject=Subject(kind="agent", id=agent, version=text_if(row, "agentVersion") or "unknown")
        if agent is not None
        else Subject(kind="flow", id=text_if(row, "flowId") or "", version="unknown"),
        status="completed",
        created_at=moment_if(row, "completedAt") or moment(row, "addedAt", what),
        completed_at=moment_if(row, "completedAt"),
        judgments=state.said,
    )
    return QueuedRun(run=run, owed=1, judged=0, state=state)


def _state(row: dict[str, Json]) -> QueueState:
    """What the queue tells of an item beside its run."""
    told, can, wanted = row.get("progress"), row.get("can"), row.get("wantedClassIds")
    progress = told if isinstance(told, dict) else {}
    by_group = progress.get("byClass")
    said_as = [
        SaidAs(group_id=text_if(one, "judgeClassId"), count=whole(one, "count"))
        for one in (by_group if isinstance(by_group, list) else ())
        if isinstance(one, dict)
    ]
    dismissal: Dismissal | None = None
    if row.get("state") == "dismissed":
        dismissal = Dismissal(
            by=text_if(row, "closedBy"), at=moment_if(row, "closedAt"), reason=text_if(row, "reason")
        )
    may = can if isinstance(can, dict) else {}
    return QueueState(
        said=whole(progress, "total"),
        said_as=tuple(said_as),
        wanted_groups=tuple(
            one for one in (wanted if isinstance(wanted, list) else ()) if isinstance(one, str)
        ),
        can_dismiss=may.get("dismiss") is True,
        can_reopen=may.get("reopen") is True,
        dismissal=dismissal,
    )


def _passes(run: Run, query: QueueFilter) -> bool:
    if query.subject_kind is not None and run.subject.kind != query.subject_kind:
        return False
    if query.subject_id is not None and run.subject.id != query.subject_id:
        return False
    return not query.segments or run.segments[: len(query.segments)] == query.segments
