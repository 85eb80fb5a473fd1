"""What the parts of the remote workbench share: the runtime, the outbox, and what was seen lately."""

from collections import OrderedDict
from typing import Generic, TypeVar

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.groups import groups_called, which_group
from kindgi_tui.domain.judgments import Group, Judgment
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.remote.identity import Identity
from kindgi_tui.remote.outbox import RemoteOutbox
from kindgi_tui.remote.outbox_schema import Place
from kindgi_tui.remote.runtime import Runtime
from kindgi_tui.remote.sending import Sender
from kindgi_tui.storage.sqlite import Database
from kindgi_tui.workbench import Conflict, Invalid, WorkbenchError

SETTLE_SECONDS = 10.0
"""How long what counts judgments waits for those that are still to be sent."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """A mapping that keeps its newest entries."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """The value, where it is still kept."""
        return self._entries.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Keeps a value; the oldest goes when there are too many."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._most:
            self._entries.popitem(last=False)

    def drop(self, key: Key) -> None:
        """Forgets a value."""
        self._entries.pop(key, None)


class Context:
    """One runtime, worked at as one person."""

    def __init__(self, runtime: Runtime, database: Database, identity: Identity, *, patient: bool) -> None:
        self.runtime = runtime
        """The runtime."""
        self.database = database
        """The outbox's file."""
        self.identity = identity
        """Who works."""
        self.sender = Sender(database, runtime, identity)
        """What sends the outbox."""
        self.outbox = RemoteOutbox(database, identity, self.sender)
        """The outbox."""
        self.patient = patient
        """Whether a verdict waits for the runtime's answer, as a command does; a screen never does."""
        self.live: Recent[Place, Judgment] = Recent(20_000)
        """My live verdicts, as lists last showed them."""
        self.entered: Recent[str, tuple[Json, Json]] = Recent(2_000)
        """What went into runs and their contexts, as cases and judgments told it."""
        self.previews: Recent[str, str] = Recent(20_000)
        """The first words of runs that were read."""
        self._groups: tuple[Group, ...] | None = None
        self._seen_groups: tuple[Group, ...] = ()

    async def groups(self, *, fresh: bool = False) -> tuple[Group, ...]:
        """The live groups, asked for once, and again with `fresh`."""
        if self._groups is None or fresh:
            from kindgi_tui.remote import v01

            rows = await self.runtime.all_rows("groups.list")
            self._groups = self._seen_groups = tuple(v01.group(row) for row in rows)
        return self._groups

    def one_group(self, reference: str, groups: tuple[Group, ...]) -> Group | None:
        """The one of `groups` with that id or name. Raises Invalid: several have that name."""
        found = groups_called(reference, groups)
        if len(found) > 1:
            raise Invalid(which_group(reference, found), code="judge-class-ambiguous", field="group")
        return found[0] if found else None

    async def group_id(self, reference: str | None) -> str | None:
        """The id of the live group with that id or name; None for none. Raises Invalid."""
        if reference is None:
            return None
        # A verdict with a group that was seen is written down without asking anybody.
        for known in (self._seen_groups, None):
            found = self.one_group(reference, await self.groups(fresh=True) if known is None else known)
            if found is not None:
                return found.id
        raise Invalid(
            f"The group \"{reference}\" doesn't exist or doesn't apply to this run's project or agent. "
            "`kindgi-tui groups list` shows them.",
            code="judge-class-not-applicable",
            field="group",
        )

    async def is_flow(self, subject_id: str) -> bool:
        """Whether an id is a flow's: the wire asks for one or the other, a filter of ours doesn't say which."""
        try:
            await self.runtime.get("flows.get", subject_id)
        except WorkbenchError:
            return False
        return True

    async def all_sent(self, what: str) -> None:
        """Sends the verdicts that wait, which `what` would miss else. Raises Conflict when some still wait."""
        left = await self.outbox.settle(SETTLE_SECONDS)
        if left.waiting:
            raise Conflict(
                f"{left.waiting} of your verdicts wait to be sent, and {what} would miss them. "
                "`kindgi-tui outbox list` shows them.",
                code="verdicts-wait",
            )

    def forget_groups(self) -> None:
        """They were changed."""
        self._groups = None

    def saw_case(self, case: Case) -> None:
        """Remembers what went into a case's run."""
        self.entered.put(case.case_id, (case.input, case.context))
