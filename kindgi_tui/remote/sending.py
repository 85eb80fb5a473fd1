"""Sending what waits in the outbox: in order, each once, by one process at a time (DESIGN section 10)."""

import asyncio
import contextlib
import logging
from functools import partial
from typing import Literal, NamedTuple

from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.remote import outbox_store as store
from kindgi_tui.remote import v01
from kindgi_tui.remote.failures import REFUSING, NoAnswer, NotSent, retry_after
from kindgi_tui.remote.identity import Identity
from kindgi_tui.remote.live_verdicts import check_taken_back, is_newer, live_on, recorded
from kindgi_tui.remote.one_sender import only_one
from kindgi_tui.remote.outbox_schema import (
    KEY_LIFE_MS,
    Place,
    Statement,
    Who,
    content_of_judgment,
    now_ms,
)
from kindgi_tui.remote.runtime import Prepared, Runtime
from kindgi_tui.remote.transport import Answer, is_in_flight
from kindgi_tui.storage.sqlite import Database
from kindgi_tui.storage.trouble import Trouble
from kindgi_tui.workbench import NotFound, Unavailable, WorkbenchError

log = logging.getLogger("kindgi_tui.remote")

STALE_MS = 5 * 60 * 1000
"""What waited longer than this is sent only after a look at what is live there by now."""

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""How long is waited after a failed try: doubled each time, up to the longest, in seconds."""

KEY_PAUSE = 5.0
"""How long is waited for a write whose first sending still runs there, in seconds."""

SOON_SECONDS = 0.03
"""How long after a verdict of a screen the sending begins, in seconds."""

MOST_STUCK = 3
"""After so many places whose statements the runtime fails at, it is the runtime, and a round ends."""

BUSY_PAUSE = 0.3
"""How long is waited while another process sends, in seconds."""


class Outcome(NamedTuple):
    """What the try of one statement came to."""

    state: Literal["sent", "refused", "asked", "waiting"]
    """Where it stands now."""
    judgment: Judgment | None = None
    """The judgment, as the runtime has it; only of a verdict that was sent."""
    error: WorkbenchError | None = None
    """Why it was refused, or waits."""


class _Stuck(NamedTuple):
    """A statement that the runtime answered with trouble of its own."""

    tries: int
    """How often."""
    until: float
    """When it is tried again, by the loop's clock."""


class Sender:
    """The one that sends. It runs as a task while the workbench is open."""

    def __init__(self, database: Database, runtime: Runtime, identity: Identity) -> None:
        self._database = database
        self._runtime = runtime
        self._identity = identity
        self._wake = asyncio.Event()
        self._waiters: dict[str, asyncio.Future[Outcome]] = {}
        self._failures = 0
        self._not_before = 0.0
        self._task: asyncio.Task[None] | None = None
        self._idle = asyncio.Event()
        self._next_try: float | None = None
        self._soon: asyncio.TimerHandle | None = None
        self._stuck: dict[str, _Stuck] = {}

    def wake(self, *, now: bool = False) -> None:
        """Something waits. With `now` it is tried at once, whatever was to be waited for."""
        if now:
            self._failures, self._not_before = 0, 0.0
            self._stuck.clear()
        self._idle.clear()
        self._wake.set()
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run(), name="outbox")

    def wake_soon(self) -> None:
        """Something waits that nobody waits for: what is on screen is painted first."""
        if self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(SOON_SECONDS, self._wake_now)

    def _wake_now(self) -> None:
        self._soon = None
        self.wake()

    def expect(self, identity: str) -> asyncio.Future[Outcome]:
        """What the next try of a statement will come to. Ask before it is woken."""
        return self._waiters.setdefault(identity, asyncio.get_running_loop().create_future())

    async def idle(self, seconds: float) -> None:
        """Waits until nothing waits, or the next try lies farther ahead than what is left of the seconds."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        try:
            async with asyncio.timeout_at(end):
                while True:
                    await self._idle.wait()
                    if self._next_try is None or self._next_try > end:
                        return
                    self._idle.clear()
        except TimeoutError:
            return

    async def close(self) -> None:
        """Ends it; what is under way is cut, and looked after the next time."""
        if self._soon is not None:
            self._soon.cancel()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._task = None

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                pause = await self._round()
            except WorkbenchError as cause:
                # Trouble of this machine, or a runtime that isn't one: what waits goes on waiting.
                self._give_up(cause)
                pause = self._pause(None)
            except Exception as cause:  # whoever waits for an answer gets one, whatever it is
                log.exception("sending failed")
                self._give_up(Trouble(f"Sending met something unexpected ({type(cause).__name__})."))
                pause = self._pause(None)
            if self._wake.is_set():
                continue
            self._next_try = None if pause is None else asyncio.get_running_loop().time() + pause
            if pause != BUSY_PAUSE:
                self._idle.set()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), pause)

    async def _round(self) -> float | None:
        """Sends what waits; the seconds until the next try, None when nothing waits."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._not_before:
            self._give_up(None)
            return self._not_before - loop.time()
        if not self._waiters and await self._identity.read(store.next_waiting) is None:
            return None
        who = await self._identity.who()
        with only_one(self._database.path.parent, who) as alone:
            if not alone:
                return BUSY_PAUSE
            try:
                who = await self._identity.settled()
            except WorkbenchError as cause:
                await self._all_wait(cause)
                return self._pause(cause.retry_after)
            await self._tell_settled()
            return await self._send_all(who)

    async def _send_all(self, who: Who) -> float | None:
        """Sends what waits, in order; the seconds until the next try, None when nothing waits any more.

        What the runtime alone fails at holds up what was said on its own place, and nothing else.
        """
        loop = asyncio.get_running_loop()
        held: set[Place] = set()
        again: list[float] = []
        last = 0
        while (first := await self._identity.read(partial(store.next_waiting, after=last))) is not None:
            last = first.seq
            stuck = self._stuck.get(first.id)
            left = 0.0 if stuck is None else stuck.until - loop.time()
            if first.place in held or left > 0:
                held.add(first.place)
                again.append(max(left, 0.0))
                continue
            pause = await self._send(who, first)
            if pause is None:
                self._stuck.pop(first.id, None)
                self._failures, self._not_before = 0, 0.0
            elif first.id in self._stuck and len(held) < MOST_STUCK:
                held.add(first.place)
                again.append(pause)
            else:
                self._not_before = loop.time() + pause
                return pause
        self._give_up(None)
        return min((pause for pause in again if pause > 0), default=None)

    async def _send(self, who: Who, statement: Statement) -> float | None:
        """Sends one statement; the seconds to wait when it waits on, None when it is settled."""
        try:
            if statement.kind == "take-back":
                done, prepared = await self._before_take_back(statement)
            else:
                done, prepared = await self._before_verdict(who, statement)
            if done or prepared is None:
                return None
            method, path, body = prepared.method, prepared.path, prepared.body
            settled = await self._database.write(
                lambda c: store.settle_sending(c, statement.id, method, path, body, prepared.new_names)
            )
            if settled is None or settled.method is None or settled.path is None:
                return None
            answer = await self._runtime.transport.send(
                settled.method, settled.path, settled.body, settled.key
            )
        except NotSent as cause:
            return await self._waits(statement, cause, untried=True)
        except NoAnswer as cause:
            return await self._waits(statement, cause, untried=False)
        except Unavailable as cause:
            return await self._waits(statement, cause, untried=False)
        except WorkbenchError as cause:
            return await self._denied_or_refused(statement, cause)
        return await self._answered(settled, prepared, answer)

    async def _before_verdict(self, who: Who, statement: Statement) -> tuple[bool, Prepared | None]:
        """What to do before a verdict is sent: whether it is settled already, else how it is sent."""
        old = now_ms() - (statement.keyed or statement.made) >= KEY_LIFE_MS
        stale = now_ms() - statement.made >= STALE_MS and not statement.forced
        if statement.tried is not None or old or stale:
            live = await live_on(self._runtime, who, statement)
            if live is not None and content_of_judgment(live) == statement.content:
                await self._database.write(lambda c: store.arrived(c, statement.id, live.id))
                self._tell(statement.id, Outcome("sent", live))
                return True, None
            if (
                live is not None
                and not statement.forced
                and await is_newer(self._database, self._runtime, who, live, statement)
            ):
                sentence = (
                    f'The runtime has a newer verdict of yours on "{statement.place.item_key}": {live.verdict}, of '
                    f"{live.created_at:%Y-%m-%d %H:%M} UTC. Send yours over it, or drop it."
                )
                await self._database.write(
                    lambda c: store.put_aside(c, statement.id, "asked", sentence, "newer-judgment")
                )
                self._tell(statement.id, Outcome("asked"))
                return True, None
            if old:
                await self._database.write(lambda c: store.renew_key(c, statement.id))
        item = statement.judgment("").item
        content = statement.content
        reason, group = content.get("reason"), content.get("groupId")
        body = v01.judgment_body(
            statement.place.run_id,
            item,
            "yes" if content.get("verdict") == "yes" else "no",
            reason if isinstance(reason, str) else None,
            group if isinstance(group, str) else None,
            statement.place.participant,
        )
        return False, await self._runtime.prepare("judgments.create", body=body)

    async def _before_take_back(self, statement: Statement) -> tuple[bool, Prepared | None]:
        target = await self._database.read(lambda c: store.find(c, statement.target or ""))
        if target is None or target.server_id is None:
            # What it would take back never arrived: both are done with.
            await self._database.write(lambda c: store.delete(c, target or statement))
            self._tell(statement.id, Outcome("sent"))
            return True, None
        if statement.tried is not None:
            now = await self._runtime.get("judgments.get", target.server_id)
            if now.get("unregisteredAt") is not None or now.get("supersededBy") is not None:
                await self._database.write(lambda c: store.arrived(c, statement.id, None))
                self._tell(statement.id, Outcome("sent"))
                return True, None
        return False, await self._runtime.prepare("judgments.unregister", target.server_id, body={})

    async def _answered(self, statement: Statement, prepared: Prepared, answer: Answer) -> float | None:
        error = None if answer.ok and answer.is_json else self._runtime.transport.error(answer)
        if error is None:
            try:
                value = self._runtime.renamed(prepared, answer.body)
                judgment = recorded(value) if statement.kind == "verdict" else None
                if judgment is None:
                    check_taken_back(value)
            except WorkbenchError as cause:
                return await self._stays(statement, cause)
            server_id = judgment.id if judgment is not None else None
            await self._database.write(lambda c: store.arrived(c, statement.id, server_id))
            self._tell(statement.id, Outcome("sent", judgment))
            return None
        if is_in_flight(answer):
            asked = retry_after(answer.headers)
            return await self._waits(
                statement, error, untried=False, seconds=KEY_PAUSE if asked is None else asked
            )
        if answer.status == 401:
            return await self._waits(statement, error, untried=True, seconds=LONGEST_PAUSE)
        if statement.kind == "take-back" and answer.status in (404, 410):
            await self._database.write(lambda c: store.arrived(c, statement.id, None))
            self._tell(statement.id, Outcome("sent"))
            return None
        if answer.status in REFUSING:
            await self._refused(statement, error)
            return None
        if answer.status == 500 or (400 <= answer.status < 500 and answer.status not in (401, 429)):
            return await self._stays(statement, error)
        # These say that nothing ran; a 502 or nonsense says nothing about it.
        untried = answer.status in (429, 503) or 300 <= answer.status < 400
        return await self._waits(statement, error, untried=untried, seconds=retry_after(answer.headers))

    async def _denied_or_refused(self, statement: Statement, cause: WorkbenchError) -> float | None:
        """A look before the sending was answered with a no: about the token, it waits; about the run, it is refused."""
        if not isinstance(cause, NotFound):
            return await self._waits(statement, cause, untried=False, seconds=LONGEST_PAUSE)
        if statement.kind == "take-back":
            await self._database.write(lambda c: store.arrived(c, statement.id, None))
            self._tell(statement.id, Outcome("sent"))
            return None
        await self._refused(statement, cause)
        return None

    async def _refused(self, statement: Statement, cause: WorkbenchError) -> None:
        await self._database.write(
            lambda c: store.put_aside(c, statement.id, "refused", cause.sentence, cause.code)
        )
        self._tell(statement.id, Outcome("refused", error=cause))

    async def _waits(
        self, statement: Statement, cause: WorkbenchError, *, untried: bool, seconds: float | None = None
    ) -> float:
        await self._database.write(
            lambda c: store.answered_later(c, statement.id, cause.sentence, cause.code, untried)
        )
        self._stuck.pop(statement.id, None)
        self._give_up(cause)
        return self._pause(seconds if seconds is not None else cause.retry_after)

    async def _stays(self, statement: Statement, cause: WorkbenchError) -> float:
        """It waits on by itself: the runtime is there, and answered what is no answer to this one."""
        await self._database.write(
            lambda c: store.answered_later(c, statement.id, cause.sentence, cause.code, False)
        )
        self._tell(statement.id, Outcome("waiting", error=cause))
        tries = 1 if statement.id not in self._stuck else self._stuck[statement.id].tries + 1
        pause = _doubled(tries)
        self._stuck[statement.id] = _Stuck(tries, asyncio.get_running_loop().time() + pause)
        return pause

    async def live_of(self, statement: Statement) -> Judgment | None:
        """What the runtime has live of the person on a statement's place. Raises the workbench's errors."""
        return await live_on(self._runtime, await self._identity.settled(), statement)

    async def _all_wait(self, cause: WorkbenchError) -> None:
        await self._identity.write(lambda c, who: store.mark_all(c, who, cause.sentence, cause.code))
        self._give_up(cause)

    async def _tell_settled(self) -> None:
        """Tells those who wait for statements that another process has sent meanwhile."""
        for identity in list(self._waiters):
            found = await self._database.read(partial(store.find, identity=identity))
            if found is None or found.state != "waiting":
                asserter = (await self._identity.person()).id
                sent = found is not None and found.state == "sent" and found.kind == "verdict"
                judgment = found.judgment(asserter) if found is not None and sent else None
                self._tell(identity, Outcome(found.state if found is not None else "sent", judgment))

    def _tell(self, identity: str, outcome: Outcome) -> None:
        future = self._waiters.pop(identity, None)
        if future is not None and not future.done():
            future.set_result(outcome)

    def _give_up(self, cause: WorkbenchError | None) -> None:
        for identity in list(self._waiters):
            self._tell(identity, Outcome("waiting", error=cause))

    def _pause(self, asked: float | None) -> float:
        self._failures += 1
        own = _doubled(self._failures)
        return own if asked is None else max(asked, BUSY_PAUSE * 2)


def _doubled(tries: int) -> float:
    return float(min(FIRST_PAUSE * 2.0 ** min(tries - 1, 10), LONGEST_PAUSE))
