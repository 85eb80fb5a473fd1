"""The judging queue of a project: the runs that owe a verdict of the caller.

There are no judging rules here: every completed run that is no replay is in it, dismissing one takes it out of
everybody's queue, and an item is `judged` once anybody judged it. So any judgment is wanted
(`anyJudgment`), and no group's above another's.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.judging import (
    DISMISSAL_REASON_LIMIT,
    Dismissal,
    QueuedRun,
    QueueFilter,
    QueueState,
)
from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.domain.queries import JudgmentFilter, RunFilter
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.server.asking import MOST, Answer, Ask
from kindgi_tui.server.bodies import NOTHING
from kindgi_tui.server.errors import bad, missing
from kindgi_tui.server.fields import fields_or_none, find_project
from kindgi_tui.server.operations import PAGED, Operation
from kindgi_tui.server.pages import page, sifted
from kindgi_tui.server.queries import loose_time, one_of
from kindgi_tui.wire import v01_records as records
from kindgi_tui.workbench import NotFound, Page

STATES = ("open", "judged", "dismissed", "erased")
"""Where an item of the queue may stand."""


async def list_queue(ask: Ask) -> Answer:
    """A page of the queue, oldest first, and how many items there are."""
    project = await _project(ask)
    sentence = f"`state` must be one of: {', '.join(STATES)}"
    state = one_of(ask, "state", STATES, sentence) or "open"
    one_of(ask, "forMe", ("true", "false"), "`forMe` must be `true` or `false`")
    for name in ("addedAfter", "closedAfter"):
        told = ask.given(name)
        if told is not None and loose_time(told) is None:
            raise bad(f"`{name}` must be a date-time")
    if state == "erased" or ask.given("ruleId") or ask.given("judgeClassId"):
        # Nothing here is erased, and there are no rules that could want a class.
        return Answer({**page([], False, None), "total": 0})
    query = QueueFilter(project_id=project, subject_id=ask.given("agentId"))
    total = await _total(ask, query, state)
    if ask.get("limit") == "0":
        return Answer({**page([], False, None), "total": total})
    found = await _page(ask, query, state)
    rows = [_shown(one, state) for one in found.data]
    return Answer({**page(rows, found.has_more, found.next_cursor), "total": total})


async def _project(ask: Ask) -> str:
    identity = ask.params["projectId"]
    found = await find_project(ask, identity)
    if found is None:
        raise missing("project-not-found", f'No project with id "{identity}"', {"projectId": identity})
    return found.id


async def _total(ask: Ask, query: QueueFilter, state: str) -> int:
    if state == "judged":
        return await ask.bench.runs.count(_judged(query))
    progress = await ask.bench.queue.progress(query)
    return progress.left if state == "open" else progress.dismissed


def _judged(query: QueueFilter) -> RunFilter:
    return RunFilter(
        project_id=query.project_id, subject_id=query.subject_id, statuses=("completed",), judged=True
    )


@dataclass(frozen=True)
class _Item:
    """A run of the queue with the live judgments people made of it."""

    queued: QueuedRun
    said: tuple[Judgment, ...]

    def closed_at(self, state: str) -> datetime | None:
        """When it left the queue: with its first judgment, or when it was dismissed; None while it is in it."""
        if state == "judged":
            return min((one.created_at for one in self.said), default=None)
        dismissal = self.queued.state.dismissal
        return dismissal.at if dismissal is not None else None


async def _with_said(ask: Ask, queued: QueuedRun) -> _Item:
    said: list[Judgment] = []
    cursor: str | None = None
    # A run without any, which most in the queue are, costs nothing.
    while len(said) < queued.run.judgments:
        page = await ask.bench.judgments.list(JudgmentFilter(run_id=queued.run.id), MOST, cursor)
        said += page.data
        cursor = page.next_cursor
        if not page.has_more:
            break
    return _Item(queued, tuple(said))


def _shown(item: _Item, state: str) -> dict[str, Json]:
    counts = Counter(one.group_id for one in item.said)
    closed = item.closed_at(state)
    return records.queued(item.queued, state, counts, closed if state == "judged" else None)


async def _page(ask: Ask, query: QueueFilter, state: str) -> Page[_Item]:
    since, closed_since = (
        None if (told := ask.given(name)) is None else loose_time(told)
        for name in ("addedAfter", "closedAfter")
    )

    async def judged(limit: int, cursor: str | None) -> Page[QueuedRun]:
        runs = await ask.bench.runs.list(_judged(query), limit, cursor)
        rows = tuple(QueuedRun(run=run, owed=1, judged=1) for run in runs.data)
        return Page(data=rows, has_more=runs.has_more, next_cursor=runs.next_cursor)

    fetch: Callable[[int, str | None], Awaitable[Page[QueuedRun]]] = judged
    if state == "open":
        fetch = lambda limit, cursor: ask.bench.queue.list(query, limit, cursor)  # noqa: E731
    elif state == "dismissed":
        fetch = lambda limit, cursor: ask.bench.queue.dismissed(query, limit, cursor)  # noqa: E731

    async def with_said(limit: int, cursor: str | None) -> Page[_Item]:
        found = await fetch(limit, cursor)
        rows = tuple([await _with_said(ask, one) for one in found.data])
        return Page(data=rows, has_more=found.has_more, next_cursor=found.next_cursor)

    def keep(item: _Item) -> bool:
        run, closed = item.queued.run, item.closed_at(state)
        return (since is None or (run.completed_at or run.created_at) > since) and (
            closed_since is None or (closed is not None and closed > closed_since)
        )

    return await sifted(with_said, keep, ask.limit, ask.cursor)


async def _item(ask: Ask) -> RunDetail:
    project, identity = await _project(ask), ask.params["runId"]
    try:
        about = await ask.bench.runs.get(identity)
    except NotFound:
        about = None
    fits = about is not None and about.id == identity and about.project_id == project
    if about is None or not fits or about.status != "completed" or about.replay_of is not None:
        raise missing(
            "judging-item-not-found", f'Run "{identity}" isn\'t in the judging queue of this project.'
        )
    return about


def _reason(ask: Ask) -> str | None:
    """The reason in the body, where there is one; a body that is no JSON counts as none. Raises Refusal."""
    value = ask.body()
    if value is not NOTHING and value is not None and not isinstance(value, dict | list):
        raise bad("The body must be a JSON object")
    told = fields_or_none(value)
    reason = told.get("reason")
    if "reason" not in told:
        return None
    # Counted as JavaScript counts: in UTF-16.
    if (
        not isinstance(reason, str)
        or len(reason.encode("utf-16-le", "surrogatepass")) > 2 * DISMISSAL_REASON_LIMIT
    ):
        raise bad(f"`reason` must be a string of at most {DISMISSAL_REASON_LIMIT} characters")
    return reason


async def dismiss(ask: Ask) -> Answer:
    """Takes a run out of everybody's queue."""
    reason = _reason(ask)
    run = await _item(ask)
    await ask.bench.queue.dismiss(run.id, reason)
    dismissal = Dismissal(
        by=ask.bearer.person.id, at=datetime.now(UTC), reason=(reason or "").strip() or None
    )
    state = QueueState(said=run.judgments, dismissal=dismissal)
    item = await _with_said(ask, QueuedRun(run=run, owed=1, judged=0, state=state))
    return Answer(_shown(item, "dismissed"))


async def reopen(ask: Ask) -> Answer:
    """Puts a dismissed run back into the queue."""
    _reason(ask)
    run = await _item(ask)
    await ask.bench.queue.reopen(run.id)
    return Answer(_shown(await _with_said(ask, QueuedRun(run=run, owed=1, judged=0)), "open"))


_BASE = "/v1/projects/{projectId}/judging-queue"
OPERATIONS = (
    Operation(
        "GET",
        _BASE,
        list_queue,
        "The runs that owe a verdict of the caller, oldest first.",
        "page:queued",
        query=(
            *PAGED,
            "state",
            "agentId",
            "ruleId",
            "judgeClassId",
            "forMe",
            "addedAfter",
            "closedAfter",
        ),
    ),
    Operation(
        "POST",
        f"{_BASE}/{{runId}}/dismiss",
        dismiss,
        "Takes a run out of everybody's queue.",
        "queued",
        body="dismiss",
        body_required=False,
    ),
    Operation(
        "POST",
        f"{_BASE}/{{runId}}/reopen",
        reopen,
        "Puts a dismissed run back into the queue.",
        "queued",
        body="dismiss",
        body_required=False,
    ),
)
"""The judging queue."""
