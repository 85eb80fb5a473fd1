"""Corrections of a runtime's runs: what they should have done. A 0.1 runtime has none (DESIGN section 7)."""

from collections.abc import Sequence

from kindgi_tui.domain.corrections import Correction, CorrectionFilter, NewCorrection
from kindgi_tui.domain.expectations import checked_expectation
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.remote import own
from kindgi_tui.remote.context import Context
from kindgi_tui.remote.parts.runs import RemoteRuns
from kindgi_tui.remote.reading import object_of, rows_of
from kindgi_tui.workbench import Invalid, NotFound, Page, Refused, WorkbenchError

SHORTEST_ID = 8
"""The fewest characters of an id that name a correction."""

PAGES = 20
"""How many pages of the newest ones a beginning of an id is looked for in."""

_WHOLE_ID = 36


class RemoteCorrections:
    """What the runtime's runs should have done."""

    def __init__(self, context: Context, runs: RemoteRuns) -> None:
        self._context = context
        self._runtime = context.runtime
        self._runs = runs

    async def add(self, new: NewCorrection) -> Correction:
        """Records a correction of the caller; the runtime has it when this returns."""
        await self._offered("corrections.create")
        group_id = await self._context.group_id(new.group)
        checked = _checked(new)
        run_id = await self._runs.whole_id(new.run_id)
        body = own.correction_body(run_id, checked.expect, group_id, new.participant)
        return own.correction(await self._runtime.write("corrections.create", body=body))

    async def add_all(self, new: Sequence[NewCorrection]) -> tuple[Correction, ...]:
        """Records corrections of the caller in their order, all or none, in one request."""
        await self._offered("corrections.several")
        if not new:
            return ()
        rows: Rows = []
        refusals: list[tuple[int, WorkbenchError]] = []
        for place, one in enumerate(new, 1):
            try:
                group_id = await self._context.group_id(one.group)
                expect, run_id = _checked(one).expect, await self._runs.whole_id(one.run_id)
                rows.append(own.correction_body(run_id, expect, group_id, one.participant))
            except (Invalid, NotFound) as cause:
                refusals.append((place, cause))
        if refusals:
            place, first = refusals[0]
            of = f"{len(refusals)} of {len(new)} corrections can't be saved, so none was."
            raise Refused(f"{of} Number {place}: {first.sentence}", tuple(refusals))
        answer = await self._runtime.write("corrections.several", body={"corrections": [*rows]})
        return tuple(own.correction(row) for row in rows_of(answer, "saved corrections"))

    async def get(self, correction_id: str) -> Correction:
        """One correction, live or not, by its id; a live one by a beginning of it too."""
        await self._offered("corrections.get")
        if len(correction_id) >= _WHOLE_ID:
            return own.correction(await self._runtime.get("corrections.get", correction_id))
        return await self._searched(correction_id)

    async def list(
        self, query: CorrectionFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[Correction]:
        """Live corrections, newest first."""
        await self._offered("corrections.list")
        kind, run_id = "agentId", query.run_id
        if query.subject_id is not None and await self._context.is_flow(query.subject_id):
            kind = "flowId"
        asked = [
            ("projectId", query.project_id),
            ("runId", None if run_id is None else await self._runs.whole_id(run_id)),
            (kind, query.subject_id),
            ("asserter", query.asserter),
            ("groupId", query.group_id),
        ]
        page = await self._runtime.page("corrections.list", query=asked, limit=limit, cursor=cursor)
        found = tuple(own.correction(row) for row in page.rows)
        return Page(data=found, has_more=page.has_more, next_cursor=page.next_cursor)

    async def history(self, run_id: str) -> tuple[Correction, ...]:
        """Every correction ever made of a run, newest first."""
        await self._offered("corrections.history")
        rows = await self._runtime.all_rows("corrections.history", await self._runs.whole_id(run_id))
        return tuple(own.correction(row) for row in rows)

    async def remove(self, correction_id: str) -> None:
        """Removes a live correction."""
        await self._offered("corrections.unregister")
        identity = correction_id
        if len(correction_id) < _WHOLE_ID:
            identity = (await self._searched(correction_id)).id
        await self._runtime.write("corrections.unregister", identity, body={})

    async def take_back(self, run_id: str, participant: str | None = None) -> Correction | None:
        """Takes the caller's correction of a run back: the one that is live now and no other, however often it is
        asked."""
        await self._offered("corrections.take-back")
        identity = await self._runs.whole_id(run_id)
        me = (await self._context.identity.asked_who()).person
        made = [
            one
            for one in await self.history(identity)
            if (one.asserter, one.participant) == (me, participant)
        ]
        live = next((one for one in made if one.ended_at is None), None)
        if live is None:
            raise NotFound(
                f"You have no live correction of run {identity} to take back.", code="correction-not-found"
            )
        body = own.take_back_body(live.id, participant)
        answer = await self._runtime.write("corrections.take-back", identity, body=body)
        now = answer.get("correction")
        return None if now is None else own.correction(object_of(now, "the earlier correction"))

    async def _offered(self, operation: str) -> None:
        """Raises Unsupported, which says what to do instead, before anything is asked."""
        (await self._runtime.dialect()).route(operation)

    async def _searched(self, beginning: str) -> Correction:
        cursor: str | None = None
        for _ in range(PAGES if len(beginning) >= SHORTEST_ID else 0):
            page = await self._runtime.page("corrections.list", cursor=cursor)
            found = [row for row in page.rows if str(row.get("id")).startswith(beginning.lower())]
            if len(found) > 1:
                raise Invalid(
                    f'Several corrections begin with "{beginning}": give more of the id.', field="correction"
                )
            if found:
                return own.correction(found[0])
            if not page.has_more:
                break
            cursor = page.next_cursor
        raise NotFound(
            f'No live correction begins with "{beginning}". `kindgi-tui corrections list` shows them; of one that '
            "ended, give the whole id.",
            code="correction-not-found",
        )


Rows = list[own.Body]


def _checked(new: NewCorrection) -> NewCorrection:
    """The correction as it can be graded. Raises Invalid, with the field, before anything is sent."""
    if new.participant is not None and not new.participant.strip():
        raise Invalid("participantId must be a non-empty string.", field="participant")
    try:
        return new.model_copy(update={"expect": checked_expectation(new.expect)})
    except LimitError as cause:
        raise Invalid(cause.sentence, field=cause.field) from None
