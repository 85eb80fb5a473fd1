"""Test sets of a runtime, built there from its judgments."""

from collections.abc import Sequence

from kindgi_tui.domain.agreement import Agreement
from kindgi_tui.domain.test_set_versions import BuildPreview, BuildRequest, TestSetVersion
from kindgi_tui.domain.test_sets import MAX_CASES, Case
from kindgi_tui.remote import v01
from kindgi_tui.remote.agreeing import Saying
from kindgi_tui.remote.context import Context, Recent
from kindgi_tui.remote.parts.catalog import version_order
from kindgi_tui.remote.reading import text
from kindgi_tui.remote.runtime import scope
from kindgi_tui.workbench import Invalid, NotFound, Page, Unsupported

Ids = list[str]
"""Ids of groups."""

Pairs = list[tuple[str, str | None]]
"""Query parameters."""

BUILT = "judged"
"""The kind of the test sets that were built from judgments; other kinds are not ours."""


class RemoteTestSets:
    """Versioned test sets."""

    __test__ = False

    def __init__(self, context: Context, saying: Saying) -> None:
        self._context = context
        self._saying = saying
        self._runtime = context.runtime
        self._versions: Recent[tuple[str, str], TestSetVersion] = Recent(200)

    async def preview(self, request: BuildRequest) -> BuildPreview:
        """A runtime counts nothing beforehand."""
        raise Unsupported("A runtime doesn't say beforehand what a build would take: build it and look.")

    async def build(self, request: BuildRequest, empty: bool = False) -> TestSetVersion:
        """Builds a version. Where nobody judged a matching run it is refused before the version is used up."""
        if (request.agent_id is None) == (request.flow_id is None):
            raise Invalid(
                "Name the agent (agentId) or the flow (flowId) whose judged runs to use.", field="agentId"
            )
        ids = [await self._group_id(one) for one in request.groups]
        await self._context.all_sent("the test set")
        if not empty:
            await self._check_judged(request, ids)
        built = await self._runtime.write(
            "suites.build", request.test_set_id, body=v01.build_body(request, ids)
        )
        return await self.get(request.test_set_id, text(built, "version", "a built test set"))

    async def list(self, project_id: str | None = None) -> tuple[TestSetVersion, ...]:
        """The newest version of each set, by id."""
        asked = [*scope(project_id), ("kind", BUILT)]
        rows = await self._runtime.all_rows("suites.list", query=await self._kinds(asked))
        found = [v01.test_set(row) for row in rows if row.get("kind") == BUILT]
        return tuple(sorted(found, key=lambda one: one.test_set_id))

    async def versions(self, test_set_id: str) -> tuple[TestSetVersion, ...]:
        """The versions of a set, newest first."""
        rows = await self._runtime.all_rows("suites.versions", test_set_id)
        found = [v01.test_set(row) for row in rows]
        if not found:
            # A list of versions of what isn't there may be empty and no error.
            return (await self.get(test_set_id),)
        return tuple(sorted(found, key=lambda one: version_order(one.version), reverse=True))

    async def get(self, test_set_id: str, version: str | None = None) -> TestSetVersion:
        """One version, the newest when none is named."""
        if version is None:
            return v01.test_set(await self._runtime.get("suites.get", test_set_id))
        known = self._versions.get((test_set_id, version))
        if known is None:
            known = v01.test_set(await self._runtime.get("suites.version", test_set_id, version))
            # A version never changes.
            self._versions.put((test_set_id, version), known)
        return known

    async def cases(
        self, test_set_id: str, version: str | None = None, limit: int = 25, cursor: str | None = None
    ) -> Page[Case]:
        """Its cases, in the order they were taken."""
        if version is None or cursor is None:
            # Without authorization the cases of a set that isn't there are an empty list.
            version = (await self.get(test_set_id, version)).version
        page = await self._runtime.page("suites.cases", test_set_id, version, limit=limit, cursor=cursor)
        found = tuple(v01.case(row) for row in page.rows)
        for one in found:
            self._context.saw_case(one)
        return Page(data=found, has_more=page.has_more, next_cursor=page.next_cursor)

    async def case(self, test_set_id: str, version: str, case_id: str) -> Case:
        """One of a version's cases: the list is read up to it."""
        cursor: str | None = None
        for _ in range(MAX_CASES):
            page = await self.cases(test_set_id, version, 100, cursor)
            for one in page.data:
                if one.case_id == case_id:
                    return one
            if not page.has_more:
                break
            cursor = page.next_cursor
        raise NotFound(f'Test set "{test_set_id}" {version} has no case "{case_id}".', code="case-not-found")

    async def agreement(self, test_set_id: str, version: str | None = None) -> Agreement:
        """How far people agree: counted here from what a runtime lists."""
        found = await self.get(test_set_id, version)
        places: dict[str, int] = {}
        cursor: str | None = None
        for _ in range(MAX_CASES):
            page = await self.cases(test_set_id, found.version, 100, cursor)
            for one in page.data:
                places.setdefault(one.case_id, len(places))
            cursor = page.next_cursor
            if not page.has_more or cursor is None:
                break
        asked = found.request
        groups = {await self._group_id(one) for one in asked.groups}
        return await self._saying.agreement(asked.project_id, asked.agent_id or asked.flow_id, places, groups)

    async def _check_judged(self, request: BuildRequest, group_ids: Ids) -> None:
        """Refuses a build that nothing could match: an empty one would be built, and use up its version."""
        asked = [
            *scope(request.project_id),
            ("agentId", request.agent_id),
            ("flowId", request.flow_id),
            ("agentVersion", request.subject_version if request.agent_id is not None else None),
        ]
        wanted: Sequence[str | None] = [*group_ids] or [None]
        for group in wanted:
            page = await self._runtime.page(
                "judgments.list", query=[*asked, ("judgeClassId", group)], limit=1
            )
            if page.rows or page.has_more:
                return
        raise Invalid(
            "No judged run matches, so the test set would have no cases. Judge some runs first, or ask for more.",
            code="nothing-matches",
        )

    async def _group_id(self, reference: str) -> str:
        for fresh in (False, True):
            for one in await self._context.groups(fresh=fresh):
                if reference in (one.id, one.name):
                    return one.id
        # A retired group isn't listed, and its judgments still count: its id is taken as it is.
        return reference

    async def _kinds(self, asked: Pairs) -> Pairs:
        if (await self._runtime.dialect()).version == "0.1":
            return asked
        # What 0.4 calls this kind isn't stated: its rows are sorted out here.
        return [pair for pair in asked if pair[0] != "kind"]
