"""Agents' own test sets of a runtime, and their cases. A 0.1 runtime has none, and says so (DESIGN section 8)."""

from kindgi_tui.domain.agreement import Agreement
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.domain.own_test_sets import NewCase, OwnCase, OwnTestSet, checked_case
from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.domain.test_sets import MAX_CASES
from kindgi_tui.remote import own, v01
from kindgi_tui.remote.agreeing import Saying
from kindgi_tui.remote.context import Context
from kindgi_tui.remote.parts.runs import RemoteRuns
from kindgi_tui.workbench import Invalid, NotFound, Page

SHORTEST_ID = 8
"""The fewest characters of an id that name a case."""

PAGES = 20
"""How many pages of each set a beginning of an id is looked for in."""

_WHOLE_ID = 36


class RemoteCases:
    """Agents' own test sets: a case per run people said something of, and cases added by hand."""

    def __init__(self, context: Context, runs: RemoteRuns, saying: Saying) -> None:
        self._context = context
        self._runtime = context.runtime
        self._runs = runs
        self._saying = saying

    async def sets(self, project_id: str | None = None) -> tuple[OwnTestSet, ...]:
        """The own test sets that have a case or a version, by id; none where the runtime doesn't list them."""
        if not await self._runtime.offers("own-sets.list"):
            return ()
        rows = await self._runtime.all_rows("own-sets.list", query=[("projectId", project_id)])
        return tuple(own.own_test_set(row) for row in rows)

    async def own(self, agent_id: str, project_id: str) -> OwnTestSet:
        """An agent's own test set as it stands now."""
        value = await self._runtime.get("agents.test-set", agent_id, query=[("projectId", project_id)])
        return own.own_test_set(value, agent_id)

    async def list(
        self,
        agent_id: str,
        project_id: str,
        retired: bool = False,
        limit: int = 25,
        cursor: str | None = None,
    ) -> Page[OwnCase]:
        """Its live cases, or the retired ones, newest first."""
        asked = [("projectId", project_id), ("retired", "true" if retired else None)]
        page = await self._runtime.page("own-cases.list", agent_id, query=asked, limit=limit, cursor=cursor)
        found = tuple(own.own_case(row) for row in page.rows)
        for one in found:
            if one.run_id is not None:
                self._context.entered.put(one.run_id, (one.case.input, one.case.context))
        return Page(data=found, has_more=page.has_more, next_cursor=page.next_cursor)

    async def get(self, case_id: str) -> OwnCase:
        """One case, live or retired; a unique beginning of its id is enough."""
        await self._offered("own-cases.get")
        if len(case_id) < _WHOLE_ID:
            return await self._searched(case_id)
        return own.own_case(await self._runtime.get("own-cases.get", case_id))

    async def add(self, new: NewCase) -> OwnCase:
        """Adds a case by hand; the runtime has it when this returns."""
        await self._offered("own-cases.add")
        try:
            checked = checked_case(new)
        except LimitError as cause:
            raise Invalid(cause.sentence, field=cause.field) from None
        run_id, agent_id, project_id = None, checked.agent_id or "", checked.project_id or ""
        if checked.run_id is not None:
            run = await self._runs.get(checked.run_id)
            run_id, agent_id, project_id = run.id, run.subject.id, run.project_id
        body = own.case_body(checked, project_id, run_id)
        return own.own_case(await self._runtime.write("own-cases.add", agent_id, body=body))

    async def retire(self, case_id: str) -> OwnCase:
        """Leaves a case out until it is brought back."""
        return await self._changed("own-cases.retire", case_id)

    async def bring_back(self, case_id: str) -> OwnCase:
        """Brings a retired case back."""
        return await self._changed("own-cases.bring-back", case_id)

    async def freeze(self, agent_id: str, project_id: str) -> TestSetVersion:
        """The version that holds its cases as they are now. Verdicts that wait are sent first.

        Raises Conflict also when verdicts still wait.
        """
        await self._offered("own-sets.freeze")
        await self._context.all_sent("the frozen test set")
        body = own.freeze_body(project_id)
        return v01.test_set(await self._runtime.write("own-sets.freeze", agent_id, body=body))

    async def agreement(self, agent_id: str, project_id: str) -> Agreement:
        """How far people agree on its cases as they are now: counted here from what a runtime lists."""
        places: dict[str, int] = {}
        cursor: str | None = None
        for _ in range(MAX_CASES // 100):
            page = await self.list(agent_id, project_id, False, 100, cursor)
            for one in page.data:
                if one.source == "run" and one.run_id is not None:
                    places.setdefault(one.run_id, len(places))
            cursor = page.next_cursor
            if not page.has_more or cursor is None:
                break
        return await self._saying.agreement(project_id, agent_id, places)

    async def _changed(self, operation: str, case_id: str) -> OwnCase:
        await self._offered(operation)
        identity = case_id if len(case_id) >= _WHOLE_ID else (await self._searched(case_id)).id
        return own.own_case(await self._runtime.write(operation, identity, body={}))

    async def _offered(self, operation: str) -> None:
        """Raises Unsupported, which says what to do instead, before anything is asked."""
        (await self._runtime.dialect()).route(operation)

    async def _searched(self, beginning: str) -> OwnCase:
        found: dict[str, OwnCase] = {}
        for one in await self.sets() if len(beginning) >= SHORTEST_ID else ():
            for retired in (False, True):
                found |= await self._beginning_so(one, retired, beginning.lower())
        if len(found) > 1:
            raise Invalid(f'Several cases begin with "{beginning}": give more of the id.', field="case")
        if not found:
            raise NotFound(
                f'No test case begins with "{beginning}". `kindgi-tui cases list --agent AGENT` shows an agent\'s.',
                code="case-not-found",
            )
        return next(iter(found.values()))

    async def _beginning_so(self, of: OwnTestSet, retired: bool, beginning: str) -> dict[str, OwnCase]:
        found: dict[str, OwnCase] = {}
        cursor: str | None = None
        for _ in range(PAGES):
            page = await self.list(of.agent_id, of.project_id, retired, 100, cursor)
            found |= {one.id: one for one in page.data if one.id.startswith(beginning)}
            if not page.has_more:
                break
            cursor = page.next_cursor
        return found
