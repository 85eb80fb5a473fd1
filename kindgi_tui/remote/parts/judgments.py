"""Judgments at a runtime. Saying and taking back go through the outbox; everything else asks the runtime."""

from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.domain.limits import LimitError, check_item, check_reason, check_verdict
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
from kindgi_tui.remote import v01
from kindgi_tui.remote.context import Context
from kindgi_tui.remote.outbox_schema import Place, Statement, content_of
from kindgi_tui.remote.runtime import Page as RowPage
from kindgi_tui.remote.runtime import scope
from kindgi_tui.remote.sending import Outcome
from kindgi_tui.workbench import Conflict, Invalid, Page, Unavailable


class RemoteJudgments:
    """Verdicts on items of the runtime's runs."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._runtime = context.runtime
        self._outbox = context.outbox

    async def add(self, new: NewJudgment) -> Judgment:
        """Records a verdict: it is on disk when this returns, and sent as soon as it can be.

        A patient workbench waits for the runtime, and raises what it refuses with; what it can't reach waits.
        """
        _check(new)
        group_id = await self._context.group_id(new.group)
        place = Place(new.run_id, new.item.key, new.participant)
        content = content_of(new.item, new.verdict, new.reason, group_id)
        said, outcome = await self._outbox.say(
            place, content, self._context.live.get(place), wait=self._context.patient
        )
        return await self._came_to(said, outcome)

    async def get(self, judgment_id: str) -> Judgment:
        """One judgment, live or not."""
        said = await self._outbox.known(judgment_id)
        if said is not None and said.server_id is None:
            return said.judgment(await self._context.identity.asserter())
        identity = said.server_id if said is not None and said.server_id is not None else judgment_id
        return v01.judgment(await self._runtime.get("judgments.get", identity))

    async def list(self, query: JudgmentFilter, limit: int = 25, cursor: str | None = None) -> Page[Judgment]:
        """Live judgments, newest first. A run's own list also has what waits in the outbox, first."""
        if query.subject_version is not None and query.subject_id is None:
            raise Invalid("agentVersion needs agentId.", field="agentVersion")
        waiting = (
            () if query.run_id is None or cursor is not None else await self._outbox.unsent(query.run_id)
        )
        page = await self._page(query, limit, cursor)
        found = [v01.judgment(row) for row in page.rows]
        mine = (await self._context.identity.asked_who()).person
        if query.run_id is not None:
            # What is being taken back, or said anew, is no longer what is live there.
            unsent = {one.place for one in waiting}
            for one in found:
                place = Place(one.run_id, one.item.key, one.participant)
                if one.asserter == mine and place not in unsent:
                    self._context.live.put(Place(one.run_id, one.item.key, one.participant), one)
        found = [one for one in found if query.asserter in (None, one.asserter)]
        shown = _with_waiting(found, waiting, mine) if waiting else found
        return Page(data=tuple(shown), has_more=page.has_more, next_cursor=page.next_cursor)

    async def remove(self, judgment_id: str) -> None:
        """Removes a live judgment."""
        said = await self._outbox.known(judgment_id)
        if said is not None and said.server_id is None:
            if not await self._outbox.forget(said):
                raise Conflict(
                    "It was sent and not answered yet: try again in a moment.", code="may-have-arrived"
                )
            return
        identity = said.server_id if said is not None and said.server_id is not None else judgment_id
        await self._runtime.write("judgments.unregister", identity, body={})
        if said is not None:
            self._context.live.drop(said.place)

    async def take_back(self, run_id: str, key: str, participant: str | None = None) -> Judgment | None:
        """Takes the caller's verdict on an item back, as far as this program said or saw what was before it."""
        place = Place(run_id, key, participant)
        live = self._context.live.get(place)
        if live is None and await self._must_look(place):
            live = await self._look(place)
        now, outcome = await self._outbox.take_back(place, live, wait=self._context.patient)
        self._context.live.drop(place)
        if outcome.state == "refused" and outcome.error is not None:
            raise outcome.error
        if now is None:
            return None
        return outcome.judgment or now.judgment(await self._context.identity.asserter())

    async def _must_look(self, place: Place) -> bool:
        """Whether the runtime is asked what is live there before it is written down what is taken back.

        Never about what waits here, and never for a screen about what this program said: nothing may come between
        a key and the disk.
        """
        said = await self._outbox.newest(place)
        return said is None or (self._context.patient and said.state != "waiting")

    async def _look(self, place: Place) -> Judgment | None:
        """My live verdict there, where nothing is known of it and somebody can be asked."""
        try:
            await self.list(JudgmentFilter(run_id=place.run_id), limit=100)
        except Unavailable:
            return None
        return self._context.live.get(place)

    async def _page(self, query: JudgmentFilter, limit: int, cursor: str | None) -> RowPage:
        asked = [
            *scope(query.project_id),
            ("runId", query.run_id),
            ("verdict", query.verdict),
            ("judgeClassId", query.group_id),
        ]
        if query.subject_version is not None:
            asked += [("agentId", query.subject_id), ("agentVersion", query.subject_version)]
            return await self._runtime.page("judgments.list", query=asked, limit=limit, cursor=cursor)
        kind = "agentId"
        if query.subject_id is not None and await self._context.is_flow(query.subject_id):
            kind = "flowId"
        asked.append((kind, query.subject_id))
        return await self._runtime.page("judgments.list", query=asked, limit=limit, cursor=cursor)

    async def _came_to(self, said: Statement, outcome: Outcome) -> Judgment:
        if outcome.judgment is not None:
            self._context.live.put(said.place, outcome.judgment)
            return outcome.judgment
        if outcome.state == "refused":
            # Whoever waited for the answer has it now: nothing is kept for them.
            now = await self._outbox.known(said.id)
            if now is not None:
                await self._outbox.forget(now)
            raise outcome.error or Conflict("The runtime refused this verdict.")
        return said.judgment(await self._context.identity.asserter())


def _check(new: NewJudgment) -> None:
    try:
        check_item(new.item.key, new.item.pointer, new.item.rank)
        check_verdict(new.verdict)
        check_reason(new.reason or "")
    except LimitError as cause:
        raise Invalid(cause.sentence, field=cause.field) from None
    if new.participant is not None and not new.participant.strip():
        raise Invalid("participantId must be a non-empty string.", field="participant")


def _with_waiting(found: "list[Judgment]", waiting: tuple[Statement, ...], mine: str) -> "list[Judgment]":
    """A run's judgments with what waits put over them."""
    newest = {one.place: one for one in waiting}
    rest = [
        one
        for one in found
        if one.asserter != mine or Place(one.run_id, one.item.key, one.participant) not in newest
    ]
    said = [one.judgment(mine) for one in newest.values() if one.kind == "verdict"]
    return [*reversed(said), *rest]
