"""The outbox: what a person says is on disk before it is on screen, and sent when it can be (DESIGN section 10)."""

import asyncio
import contextlib
import sqlite3
from pathlib import Path

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.domain.outbox import OutboxCounts, OutboxEntry
from kindgi_tui.remote import outbox_store as store
from kindgi_tui.remote.failures import NoAnswer, NotSent
from kindgi_tui.remote.identity import Identity
from kindgi_tui.remote.outbox_schema import (
    APPLICATION_ID,
    MIGRATIONS,
    Place,
    Statement,
    Who,
    content_of_judgment,
)
from kindgi_tui.remote.sending import Outcome, Sender
from kindgi_tui.storage.sqlite import Database, translated
from kindgi_tui.workbench import Conflict, NotFound, Unavailable, WorkbenchError

AWAY = frozenset({NotSent.default_code, NoAnswer.default_code, Unavailable.default_code})
"""Codes of what ends by itself when the runtime can be reached again."""

FILE_NAME = "outbox.db"
"""The SQLite file in the outbox's folder."""


def open_outbox(folder: Path) -> Database:
    """Opens the outbox's file, made with its folder (mode 0700) when missing. Raises Trouble."""
    file = folder / FILE_NAME
    with translated(file):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = Database(file, APPLICATION_ID, MIGRATIONS)
    database.write_now(store.forget_old)
    return database


class RemoteOutbox:
    """What a person said to one runtime that isn't there yet."""

    def __init__(self, database: Database, identity: Identity, sender: Sender) -> None:
        self._database = database
        self._identity = identity
        self._sender = sender

    async def begin(self) -> None:
        """Begins to send what waits from earlier."""
        if (await self.counts()).waiting:
            self._sender.wake()

    async def counts(self) -> OutboxCounts:
        """How much waits."""
        (waiting, refused), first = await self._identity.read(
            lambda c, who: (store.counts(c, who), store.next_waiting(c, who))
        )
        told = first is not None and first.code not in AWAY
        sentence = first.sentence if first is not None and told else None
        return OutboxCounts(waiting=waiting, refused=refused, sentence=sentence)

    async def list(self) -> tuple[OutboxEntry, ...]:
        """What waits, in the order it is sent in, with what was put aside and what nobody has claimed."""
        # A new token of the same person finds what was said with the old one only once it is known whose it is.
        await self._identity.asked_who()
        own, others = await self._identity.read(
            lambda c, who: (store.unsent(c, who), store.unclaimed(c, who))
        )
        return (*(_entry(one) for one in own), *(_unclaimed(one) for one in others))

    async def retry(self, entry_id: str | None = None) -> None:
        """Sends an entry again, or without an id tries everything that waits now."""
        await self._identity.asked_who()
        if entry_id is not None:
            await self._identity.write(lambda c, who: _again(c, who, entry_id))
        self._sender.wake(now=True)

    async def drop(self, entry_id: str) -> None:
        """Forgets an entry; one that the runtime answered with trouble only after a look at what is live there."""
        await self._identity.asked_who()
        left = await self._identity.write(lambda c, who: _drop(c, who, entry_id))
        if left is not None:
            await self._drop_unless_live(left)

    async def _drop_unless_live(self, statement: Statement) -> None:
        if statement.code in (None, *AWAY):
            # A request without an answer may still be on its way: a look tells nothing of it.
            raise Conflict(
                "It was sent and not answered yet, so it may have arrived. Take the verdict back instead.",
                code="may-have-arrived",
            )
        try:
            live = await self._sender.live_of(statement)
        except WorkbenchError as cause:
            raise Conflict(
                f"It was sent and not answered yet, so it may have arrived: {cause.sentence}",
                code="may-have-arrived",
            ) from cause
        if live is not None and content_of_judgment(live) == statement.content:
            await self._database.write(lambda c: store.arrived(c, statement.id, live.id))
            raise Conflict(
                "It has arrived at the runtime, so it doesn't wait any more. Take the verdict back instead.",
                code="may-have-arrived",
            )
        await self._database.write(lambda c: store.delete(c, statement))

    async def settle(self, seconds: float) -> OutboxCounts:
        """Sends what waits, for at most so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._identity.asked_who()
        if (await self.counts()).waiting:
            self._sender.wake()
            await self._sender.idle(seconds)
        return await self.counts()

    async def say(
        self, place: Place, content: dict[str, Json], live: Judgment | None, *, wait: bool
    ) -> tuple[Statement, Outcome]:
        """Writes a verdict down and has it sent.

        `live` is the person's verdict there, as far as it was seen. With `wait` the answer is waited for, else it is
        on disk when this returns and nothing more. The same verdict again is not said twice.
        """
        made, fresh = await self._identity.write(lambda c, who: _said(c, who, place, content, live))
        if not fresh:
            return made, Outcome("sent" if made.state == "sent" else "waiting")
        return made, await self._sent(made, wait)

    async def take_back(
        self, place: Place, live: Judgment | None, *, wait: bool
    ) -> tuple[Statement | None, Outcome]:
        """Takes the person's verdict on a place back: what it replaced comes back, or nothing.

        One that never left cancels itself. Raises NotFound when nothing was said there.
        """
        now, to_send = await self._identity.write(lambda c, who: _taken_back(c, who, place, live))
        if to_send is None:
            self._sender.wake()
            return now, Outcome("sent")
        return now, await self._sent(to_send, wait)

    async def unsent(self, run_id: str) -> tuple[Statement, ...]:
        """What was said of a run and isn't there yet, in order; not what was refused."""
        found = await self._identity.read(lambda c, who: store.unsent(c, who, run_id))
        return tuple(one for one in found if one.state == "waiting")

    async def newest(self, place: Place) -> Statement | None:
        """What the person said last on a place, as far as this program knows, of what wasn't refused."""
        return await self._identity.read(lambda c, who: store.newest_on(c, who, place))

    async def known(self, identity: str) -> Statement | None:
        """A statement by its id, ours or the runtime's."""
        return await self._identity.read(lambda c, who: store.find_for(c, who, identity))

    async def forget(self, statement: Statement) -> bool:
        """Forgets a statement that never left, or was put aside; False when it may be there."""
        if statement.state in ("refused", "asked"):
            await self._database.write(lambda c: store.delete(c, statement))
            return True
        return await self._database.write(lambda c: store.delete_untried(c, statement))

    async def _sent(self, statement: Statement, wait: bool) -> Outcome:
        if not wait:
            self._sender.wake_soon()
            return Outcome("waiting")
        expected = self._sender.expect(statement.id)
        self._sender.wake()
        return await expected


def _said(
    connection: sqlite3.Connection, who: Who, place: Place, content: dict[str, Json], live: Judgment | None
) -> tuple[Statement, bool]:
    newest = _newest(connection, who, place, live)
    same = newest is not None and newest.kind == "verdict" and newest.content == content
    # `y` on a yes does nothing (DESIGN section 12). What is live there may have changed unseen, though.
    if same and newest and (newest.state == "waiting" or (live is not None and live.id == newest.server_id)):
        return newest, False
    previous = newest.id if newest is not None and newest.kind == "verdict" else None
    return store.insert(connection, who, place, content, previous=previous), True


def _newest(
    connection: sqlite3.Connection, who: Who, place: Place, live: Judgment | None
) -> Statement | None:
    """What was said last; a verdict that was seen at the runtime and said elsewhere is written down first."""
    newest = store.newest_on(connection, who, place)
    if live is None or (newest is not None and (newest.server_id == live.id or newest.state == "waiting")):
        return newest
    # A taking back that was sent, and what is live there nevertheless: the runtime is right.
    gone = newest is not None and newest.kind == "take-back"
    if newest is not None and newest.made_at >= live.created_at and not gone:
        return newest
    return store.insert(
        connection,
        who,
        place,
        content_of_judgment(live),
        state="sent",
        server_id=live.id,
        made=round(live.created_at.timestamp() * 1000),
    )


def _taken_back(
    connection: sqlite3.Connection, who: Who, place: Place, live: Judgment | None
) -> tuple[Statement | None, Statement | None]:
    """What is live after it, and what is to be sent for it (None: nothing)."""
    aside = store.put_aside_on(connection, who, place)
    if aside is not None:
        # It isn't there: what was live before it still is.
        store.delete(connection, aside)
        newest = store.newest_on(connection, who, place)
        return (newest if newest is not None and newest.kind == "verdict" else None), None
    newest = _newest(connection, who, place, live)
    if newest is None or newest.kind == "take-back":
        raise NotFound(
            f'You have said nothing of "{place.item_key}" in run "{place.run_id}".', code="judgment-not-found"
        )
    before = None if newest.previous is None else store.find(connection, newest.previous)
    if not newest.restores and store.delete_untried(connection, newest):
        return (before if before is not None and before.kind == "verdict" else None), None
    if newest.restores:
        store.delete_untried(connection, newest)
    if before is None:
        target = newest if store.find(connection, newest.id) is not None else None
        if target is None:
            # It was to bring an earlier verdict back and never left: what it replaced is still there.
            target = store.newest_on(connection, who, place)
        if target is None:
            return None, None
        gone = store.insert(connection, who, place, {}, kind="take-back", target=target.id)
        return None, gone
    again = store.insert(connection, who, place, before.content, previous=before.previous, restores=True)
    return again, again


def _again(connection: sqlite3.Connection, who: Who, identity: str) -> None:
    found, own = _entry_of(connection, who, identity)
    if not own:
        store.claim(connection, who, found)
    elif found.state != "waiting":
        store.send_again(connection, found.id, forced=found.state == "asked")


def _drop(connection: sqlite3.Connection, who: Who, identity: str) -> Statement | None:
    """Forgets an entry; gives it back where it was sent without an answer, so that it may have arrived."""
    found, own = _entry_of(connection, who, identity)
    if found.state in ("refused", "asked") or not own:
        store.delete(connection, found)
        return None
    return None if store.delete_untried(connection, found) else found


def _entry_of(connection: sqlite3.Connection, who: Who, identity: str) -> tuple[Statement, bool]:
    """The entry with an id that begins so, and whether it is that person's own."""
    own, others = store.unsent(connection, who), store.unclaimed(connection, who)
    all_of_them = [*((one, True) for one in own), *((one, False) for one in others)]
    found = [entry for entry in all_of_them if entry[0].id.startswith(identity)] if identity else []
    if len(found) != 1:
        raise NotFound(f'Nothing with the id "{identity}" waits. `kindgi-tui outbox list` shows what does.')
    return found[0]


def _unclaimed(statement: Statement) -> OutboxEntry:
    sentence = (
        "It was said with another token, and the runtime never told whose that is. "
        f"`kindgi-tui outbox retry {statement.id[:8]}` sends it as yours, `outbox drop` forgets it."
    )
    update = {"state": "unclaimed", "sentence": sentence, "code": "unclaimed"}
    return _entry(statement).model_copy(update=update)


def _entry(statement: Statement) -> OutboxEntry:
    verdict, reason = statement.content.get("verdict"), statement.content.get("reason")
    return OutboxEntry(
        id=statement.id,
        what="verdict" if statement.kind == "verdict" else "take-back",
        run_id=statement.place.run_id,
        item_key=statement.place.item_key,
        verdict="yes" if verdict == "yes" else "no" if verdict == "no" else None,
        reason=reason if isinstance(reason, str) else None,
        made_at=statement.made_at,
        state="waiting" if statement.state == "sent" else statement.state,
        sentence=statement.sentence,
        code=statement.code,
    )
