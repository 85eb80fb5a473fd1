"""Copying runs from a runtime, with their conversations, journals, judgments and corrections, for a local workspace."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import NewCorrection
from kindgi_tui.domain.judgments import Group
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment, RunFilter
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.remote import own
from kindgi_tui.remote.workbench import RemoteWorkbench
from kindgi_tui.workbench import NotFound, Unsupported

MOST_EVENTS = 10_000
"""The longest journal that is copied, in events."""


class Pulled(NamedTuple):
    """One run as it was copied."""

    run: RunDetail
    """The run, with its wire record, conversation and journal in `raw`."""
    judgments: tuple[tuple[NewJudgment, str, datetime | None], ...]
    """Its live judgments: what was said, by whom, when. A group is named by its name."""
    corrections: tuple[tuple[NewCorrection, str, datetime | None], ...]
    """Its live corrections, in the same way; none where the runtime has none."""
    groups: tuple[Group, ...]
    """The groups all of it was said as. Of a restricted one a runtime names the members to admins alone."""


async def pull(bench: RemoteWorkbench, query: RunFilter, most: int | None = None) -> AsyncIterator[Pulled]:
    """The runs of a filter, newest first, each whole; at most `most`. Runs that go on are left out.

    Raises the workbench's errors.
    """
    cursor: str | None = None
    count = 0
    while most is None or count < most:
        page = await bench.runs.list(query, 25, cursor)
        for one in page.data:
            if one.status in ("completed", "failed", "cancelled"):
                yield await _whole(bench, one.id)
                count += 1
                if count == most:
                    return
        if not page.has_more:
            return
        cursor = page.next_cursor


async def _whole(bench: RemoteWorkbench, run_id: str) -> Pulled:
    runtime = bench.context.runtime
    said: list[tuple[NewJudgment, str, datetime | None]] = []
    groups = {one.id: one for one in await bench.context.groups()}
    used: dict[str, Group] = {}
    cursor: str | None = None
    copy: dict[str, Json] = {}
    while True:
        page = await bench.judgments.list(JudgmentFilter(run_id=run_id), 100, cursor)
        for one in page.data:
            group = groups.get(one.group_id) if one.group_id is not None else None
            if group is not None:
                used[group.id] = group
            new = NewJudgment(
                run_id=run_id,
                item=one.item,
                verdict=one.verdict,
                reason=one.reason,
                group=None if group is None else group.name,
                participant=one.participant,
                restricted=one.restricted,
            )
            said.append((new, one.asserter, one.created_at))
        if page.data and not copy:
            copy = await _copy(bench, page.data[0].id)
        if not page.has_more:
            break
        cursor = page.next_cursor
    corrected = await _corrections(bench, run_id, groups, used)
    record = await runtime.get("runs.get", run_id)
    detail = await bench.runs.get(run_id)
    raw: dict[str, Json] = {"run": record}
    if detail.conversation_id is not None:
        raw["messages"] = list(await _messages(bench, detail.conversation_id))
    raw["journal"] = list(await _journal(bench, run_id))
    context = copy.get("context")
    update: dict[str, object] = {"raw": raw, "source": "runtime"}
    if isinstance(context, dict):
        # What the first judgment kept is what the turn had, its tools' environment values too.
        update["context"] = {**detail.context, **context}
    if detail.input is None:
        update["input"] = copy.get("input")
    return Pulled(detail.model_copy(update=update), tuple(said), corrected, tuple(used.values()))


async def _corrections(
    bench: RemoteWorkbench, run_id: str, groups: dict[str, Group], used: dict[str, Group]
) -> tuple[tuple[NewCorrection, str, datetime | None], ...]:
    """What the run should have done, the oldest word first; the groups it was said as go into `used`."""
    if not await bench.context.runtime.offers("corrections.list"):
        return ()
    rows = await bench.context.runtime.all_rows("corrections.list", query=[("runId", run_id)])
    found: list[tuple[NewCorrection, str, datetime | None]] = []
    for one in reversed([own.correction(row) for row in rows]):
        group = groups.get(one.group_id) if one.group_id is not None else None
        if group is not None:
            used[group.id] = group
        new = NewCorrection(
            run_id=run_id,
            expect=one.expect,
            group=None if group is None else group.name,
            participant=one.participant,
            expert=one.expert,
        )
        found.append((new, one.asserter, one.created_at))
    return tuple(found)


async def _copy(bench: RemoteWorkbench, judgment_id: str) -> dict[str, Json]:
    try:
        value = await bench.context.runtime.get("judgments.get", judgment_id)
    except NotFound:
        return {}
    copy = value.get("run")
    return copy if isinstance(copy, dict) else {}


async def _messages(bench: RemoteWorkbench, conversation: str) -> tuple[dict[str, Json], ...]:
    try:
        return await bench.conversations.messages(conversation)
    except (NotFound, Unsupported):
        return ()


async def _journal(bench: RemoteWorkbench, run_id: str) -> tuple[dict[str, Json], ...]:
    runtime = bench.context.runtime
    try:
        rows = await runtime.all_rows("runs.journal", run_id, most=MOST_EVENTS)
    except (NotFound, Unsupported):
        return ()
    return tuple(rows)
