"""Comparisons at a runtime: it runs them, and they are followed by asking now and then."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import (
    Comparison,
    ComparisonEvent,
    ComparisonPlan,
    ComparisonRequest,
)
from kindgi_tui.domain.own_test_sets import parse_own_test_set_id
from kindgi_tui.domain.test_sets import MAX_CASES, Case
from kindgi_tui.remote import own, v01
from kindgi_tui.remote.comparing import FINAL, comparison, cost_of, request_of, result_of, run_ids, start_body
from kindgi_tui.remote.context import Context, Recent
from kindgi_tui.remote.offered import check_offered
from kindgi_tui.remote.ours import brief_of, so_far, with_ours
from kindgi_tui.remote.parts.test_sets import BUILT, RemoteTestSets
from kindgi_tui.remote.reading import moment_if, text, text_if, whole
from kindgi_tui.remote.runtime import scope
from kindgi_tui.workbench import (
    Invalid,
    NotFound,
    Page,
    Unavailable,
    Unsupported,
    WorkbenchError,
)

POLL_SECONDS = 0.5
"""How often a running comparison is asked for at most."""

POLL_SHARE = 4.0
"""An answer that took long is asked for again only after this many times as long: a result can have megabytes."""

LIST_PAGE = 10
"""Rows of a page of comparisons: the wire gives every row's whole result."""

PAGES = 20
"""How many pages are read at most to find what a list has no filter for."""

PLAN_SECONDS = 20.0
"""How long a dry run is waited for."""

_LOST = 5


class RemoteComparisons:
    """Candidate versions, run on the runtime's test sets."""

    no_resume = "A runtime doesn't resume a comparison: start it again."
    """No runtime resumes them."""

    def __init__(self, context: Context, test_sets: RemoteTestSets) -> None:
        self._context = context
        self._runtime = context.runtime
        self._test_sets = test_sets
        self._cases: Recent[tuple[str, str], tuple[Case, ...]] = Recent(3)
        self._rescores: dict[str, list[Comparison]] = {}
        self._counted = 0
        self._known: dict[tuple[str | None, str | None], int] = {}

    async def plan(self, request: ComparisonRequest) -> ComparisonPlan:
        """A dry run there: how many cases would run. What it may cost, and what is cached, our server says alone."""
        started = await self._start(request, dry_run=True)
        value = await self._runtime.get("comparisons.get", text(started, "runId", "a started comparison"))
        end = time.monotonic() + PLAN_SECONDS
        while text_if(value, "status") not in FINAL and time.monotonic() < end:
            await asyncio.sleep(POLL_SECONDS / 2)
            value = await self._runtime.get("comparisons.get", text(value, "runId", "a comparison"))
        told = started.get("dryRunPreview")
        preview = told if isinstance(told, dict) else {}
        cases = whole(result_of(value), "cases", whole(preview, "cases"))
        cached, problems = preview.get("cached"), preview.get("problems")
        listed = problems if isinstance(problems, list) else ()
        return ComparisonPlan(
            test_set_id=request.test_set_id,
            test_set_version=text_if(value, "suiteVersion") or text_if(preview, "testSetVersion") or "",
            cases=cases,
            repetitions=cases * request.repetitions,
            cached=cached if isinstance(cached, int) else None,
            cost_usd=cost_of(preview),
            problems=tuple(one for one in listed if isinstance(one, str)),
        )

    async def start(self, request: ComparisonRequest) -> Comparison:
        """Starts a comparison there. It always runs the newest version of the test set: another is refused."""
        started = await self._start(request, dry_run=False)
        return await self.get(text(started, "runId", "a started comparison"))

    async def get(self, comparison_id: str) -> Comparison:
        """One comparison, with its result once there is one."""
        value = await self._value(comparison_id)
        shown = await self._shown(value)
        result = result_of(value)
        if shown.status not in FINAL or not isinstance(result.get("summary"), dict):
            return shown
        lacking: str | None = None
        cases: tuple[Case, ...] = ()
        try:
            cases = await self._cases_of(shown)
        except (NotFound, Unsupported) as cause:
            # What a comparison came to stands without them.
            lacking = f"What was asked and recorded can't be shown. {cause.sentence}"
        told = await self._told(value, shown, cases, quick=False)
        if lacking is not None and isinstance(ours := told.get("ours"), dict):
            told["ours"] = {**ours, "notOffered": [lacking]}
        return shown.model_copy(update={"result": told, "brief": brief_of(told)})

    async def list(
        self,
        project_id: str | None = None,
        test_set_id: str | None = None,
        limit: int = 25,
        cursor: str | None = None,
        *,
        backwards: bool = False,
        folded: bool = False,
    ) -> Page[Comparison]:
        """Comparisons, newest first, with what each came to. A page has at most 10 rows, and may have fewer.

        A rescore is newer than what it scores again, so reading from the top meets it first: that is how a folded
        list counts them. Raises Unsupported for reading backwards.
        """
        if backwards:
            raise Unsupported("A runtime's list is read from its newest comparison on.")
        if cursor is None:
            self._rescores.clear()
            self._counted = 0
        asked = [*scope(project_id), ("suiteId", test_set_id)]
        page = await self._runtime.page(
            "comparisons.list", query=asked, limit=min(limit, LIST_PAGE), cursor=cursor
        )
        found: Rows = []
        for row in page.rows:
            if not _is_ours(row):
                continue
            one = await self._listed(row)
            if not folded:
                found.append(one)
            elif one.rescore_of is not None:
                self._rescores.setdefault(one.rescore_of, []).append(one)
            else:
                newer = self._rescores.get(one.id, [])
                if newer:
                    more = {"rescores": len(newer), "newest_rescore": newer[0].id, "brief": newer[0].brief}
                    one = one.model_copy(update=more)
                found.append(one)
        if folded and limit > 1:
            self._counted += len(found)
            self._known[project_id, test_set_id] = self._counted + page.has_more
        return Page(data=tuple(found), has_more=page.has_more, next_cursor=page.next_cursor)

    async def count(self, project_id: str | None = None, test_set_id: str | None = None) -> int:
        """How many of the list are known of: a runtime doesn't count them. One more stands for the rest."""
        if (project_id, test_set_id) not in self._known:
            await self.list(project_id, test_set_id, LIST_PAGE, None, folded=True)
        return self._known.get((project_id, test_set_id), 0)

    async def rescores(self, comparison_id: str) -> tuple[Comparison, ...]:
        """The rescores of a comparison, newest first: those among the test set's that began after it.

        A runtime that lists no comparisons has none to tell of.
        """
        if not await self._runtime.offers("comparisons.list"):
            return ()
        original = await self._shown(await self._value(comparison_id))
        found: Rows = []
        cursor: str | None = None
        for _ in range(PAGES):
            page = await self._runtime.page(
                "comparisons.list",
                query=[("suiteId", original.test_set_id)],
                limit=LIST_PAGE,
                cursor=cursor,
            )
            for row in page.rows:
                began = moment_if(row, "startedAt")
                if began is not None and began < original.created_at:
                    return tuple(found)
                if _is_ours(row) and comparison(row).rescore_of == original.id:
                    found.append(await self._listed(row))
            if not page.has_more:
                break
            cursor = page.next_cursor
        return tuple(found)

    async def partial(self, comparison_id: str) -> Json:
        """The result so far, counted here from the cases it has: a runtime counts at the end."""
        value = await self._value(comparison_id)
        shown = await self._shown(value)
        if shown.status in FINAL:
            return (await self.get(comparison_id)).result
        result = result_of(value)
        if not result:
            return None
        cases: tuple[Case, ...] = ()
        with suppress(NotFound, Unsupported):
            # Without them a case regressed by its scores alone.
            cases = await self._cases_of(shown)
        return await asyncio.to_thread(so_far, result, cases, shown.request, shown.id, shown.test_set_version)

    async def waiting(self, comparison_id: str) -> int:
        """How many verdicts on its replays its result doesn't count; a runtime that lists none has none to tell of."""
        if not await self._runtime.offers("judgments.list"):
            return 0
        value = await self._value(comparison_id)
        shown = await self._shown(value)
        since = shown.created_at if shown.rescore_of is None else shown.completed_at or shown.created_at
        replays = run_ids(value)
        request = shown.request
        query = [
            ("agentId", request.agent_id),
            ("flowId", request.flow_id),
            ("agentVersion", request.subject_version if request.agent_id is not None else None),
        ]
        count = 0
        cursor: str | None = None
        for _ in range(PAGES):
            page = await self._runtime.page("judgments.list", query=query, cursor=cursor)
            for row in page.rows:
                said = v01.judgment(row)
                if said.created_at < since:
                    return count
                count += said.run_id in replays
            if not page.has_more:
                break
            cursor = page.next_cursor
        return count

    async def follow(self, comparison_id: str) -> AsyncIterator[ComparisonEvent]:
        """The events until it ends, by asking; a runtime that can't be reached for a moment is asked again."""
        shown: Comparison | None = None
        lost = 0
        while True:
            began = time.monotonic()
            try:
                now = await self._shown(await self._value(comparison_id))
                lost = 0
            except Unavailable:
                lost += 1
                if lost > _LOST:
                    raise
                await asyncio.sleep(min(POLL_SECONDS * 2**lost, 10))
                continue
            if now.status in FINAL:
                yield ComparisonEvent(kind="end", comparison=await self.get(now.id))
                return
            if now != shown:
                shown = now
                yield ComparisonEvent(kind="progress", comparison=now)
            await asyncio.sleep(max(POLL_SECONDS, POLL_SHARE * (time.monotonic() - began)))

    async def cancel(self, comparison_id: str) -> Comparison:
        """Cancels it. No key is declared for it, so it is asked once."""
        identity = text(await self._value(comparison_id), "runId", "a comparison")
        return await self._shown(await self._runtime.write("comparisons.cancel", identity, body=None))

    async def resume(self, comparison_id: str) -> Comparison:
        """A runtime doesn't go on with one that ended."""
        raise Unsupported(self.no_resume)

    async def rescore(self, comparison_id: str) -> Comparison:
        """Scores its replays again, with what was judged on them since. Verdicts that wait are sent first.

        No key is declared for it, so it is asked once. Raises Conflict when verdicts still wait.
        """
        await self._context.all_sent("the rescore")
        identity = text(await self._value(comparison_id), "runId", "a comparison")
        started = await self._runtime.write("comparisons.rescore", identity, body={})
        made = await self.get(text(started, "runId", "a started rescore"))
        end = time.monotonic() + PLAN_SECONDS
        while made.status not in FINAL and time.monotonic() < end:
            await asyncio.sleep(POLL_SECONDS / 2)
            made = await self.get(made.id)
        return made

    async def _start(self, request: ComparisonRequest, dry_run: bool) -> dict[str, Json]:
        if (request.agent_id is None) == (request.flow_id is None):
            raise Invalid("Name the agent or the flow to compare, one of them.", field="agentRef")
        check_offered(request)
        body = start_body(request, dry_run=dry_run)
        dialect = await self._runtime.dialect()
        is_own = parse_own_test_set_id(request.test_set_id) is not None
        if is_own and dialect.version == "0.1":
            # What it would say is that no eval suite has such an id: the proper reason is that it has none of the kind.
            dialect.route("agents.test-set")
        if is_own and dialect.offers("agents.test-set"):
            # It is frozen as it stands when the comparison starts, dry or not.
            await self._check_own_version(request)
            await self._context.all_sent("the frozen test set")
        elif request.version is not None:
            newest = await self._test_sets.get(request.test_set_id)
            if newest.version != request.version:
                raise Invalid(
                    f"A runtime compares on the newest version of a test set, which is {newest.version}.",
                    field="version",
                )
        return await self._runtime.write("comparisons.start", request.test_set_id, body=body)

    async def _check_own_version(self, request: ComparisonRequest) -> None:
        """Raises Invalid where a version is named that isn't the one the runtime would run."""
        if request.version is None:
            return
        value = await self._runtime.get(
            "agents.test-set", request.agent_id or "", query=[("projectId", request.project_id)]
        )
        stands = own.own_test_set(value, request.agent_id)
        if stands.version != request.version or stands.changed:
            raise Invalid(
                "A runtime freezes an agent's own test set when a comparison starts on it, and runs that version: name "
                "none.",
                field="version",
            )

    async def _value(self, comparison_id: str) -> dict[str, Json]:
        if len(comparison_id) >= 36:
            return await self._runtime.get("comparisons.get", comparison_id)
        try:
            return await self._runtime.get("comparisons.get", comparison_id)
        except (NotFound, Invalid):
            if len(comparison_id) < 8:
                raise
        cursor: str | None = None
        for _ in range(PAGES):
            page = await self._runtime.page("comparisons.list", limit=LIST_PAGE, cursor=cursor)
            found = [row for row in page.rows if str(row.get("runId")).startswith(comparison_id.lower())]
            if found:
                return found[0]
            if not page.has_more:
                break
            cursor = page.next_cursor
        raise NotFound(
            f'None of the newest comparisons begins with "{comparison_id}". Give the whole id.',
            code="eval-run-not-found",
        )

    async def _shown(self, value: dict[str, Json]) -> Comparison:
        if text_if(value, "status") == "completed" or request_of(value).sample is not None:
            # Of a part of the cases nobody says how many they are before its end.
            return comparison(value)
        planned: int | None = None
        identity, version = text_if(value, "suiteId"), text_if(value, "suiteVersion")
        try:
            if identity is not None and version is not None:
                planned = (await self._test_sets.get(identity, version)).case_count
        except WorkbenchError:
            # How many cases there are is only told beside how many are done.
            planned = None
        return comparison(value, planned)

    async def _listed(self, row: dict[str, Json]) -> Comparison:
        one = await self._shown(row)
        if one.status not in FINAL:
            return one
        return one.model_copy(update={"brief": brief_of(await self._told(row, one, (), quick=True))})

    async def _told(
        self, value: dict[str, Json], shown: Comparison, cases: "tuple[Case, ...]", *, quick: bool
    ) -> dict[str, Json]:
        result = result_of(value)
        planned = max(shown.progress.cases or 0, len(cases) if shown.request.sample is None else 0)
        return await asyncio.to_thread(
            with_ours,
            result,
            cases,
            shown.request,
            shown.id,
            shown.test_set_version,
            planned,
            quick=quick,
        )

    async def _cases_of(self, shown: Comparison) -> "tuple[Case, ...]":
        """The cases of its test set version, read once: a case regressed also when what people liked is gone."""
        key = (shown.test_set_id, shown.test_set_version)
        known = self._cases.get(key)
        if known is not None:
            return known
        found: CaseRows = []
        cursor: str | None = None
        while len(found) < MAX_CASES:
            page = await self._test_sets.cases(*key, 100, cursor)
            found += page.data
            if not page.has_more:
                break
            cursor = page.next_cursor
        self._cases.put(key, tuple(found))
        return tuple(found)


Rows = list[Comparison]
CaseRows = list[Case]


def _is_ours(row: dict[str, Json]) -> bool:
    """Whether it is a comparison on a test set, and no dry run."""
    return row.get("kind") == BUILT and row.get("dryRun") is not True
