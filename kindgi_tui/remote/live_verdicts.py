"""What stands at a runtime of the person's verdicts, and whether an answer says what was asked for."""

from datetime import timedelta

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.remote import outbox_store as store
from kindgi_tui.remote import v01
from kindgi_tui.remote.failures import garbled
from kindgi_tui.remote.outbox_schema import Statement, Who
from kindgi_tui.remote.runtime import Runtime
from kindgi_tui.storage.sqlite import Database


async def live_on(runtime: Runtime, who: Who, statement: Statement) -> Judgment | None:
    """The person's live verdict there, on a statement's place. Raises the workbench's errors."""
    place = statement.place
    query = [("runId", place.run_id), ("participantId", place.participant)]
    for row in await runtime.all_rows("judgments.list", query=query):
        live = v01.judgment(row)
        if (live.item.key, live.asserter, live.participant) == (
            place.item_key,
            who.person,
            place.participant,
        ):
            return live
    return None


async def is_newer(
    database: Database, runtime: Runtime, who: Who, live: Judgment, statement: Statement
) -> bool:
    """Whether what is live there was said after the statement was. What waited has the time of its arrival."""
    known = await database.read(lambda c: store.find_for(c, who, live.id))
    if known is not None:
        return known.seq > statement.seq
    ours = statement.made_at + runtime.transport.skew
    return live.created_at > ours + timedelta(seconds=1)


def recorded(value: Json) -> Judgment:
    """The judgment an answer holds. Raises Unavailable: it holds none."""
    if not isinstance(value, dict):
        raise garbled("the answer to a verdict is no judgment")
    return v01.judgment(value)


def check_taken_back(value: Json) -> None:
    """Raises Unavailable where an answer doesn't say that a judgment was taken back."""
    if not isinstance(value, dict) or value.get("unregistered") is not True:
        raise garbled("it doesn't say that the verdict is taken back")
