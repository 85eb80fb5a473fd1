"""Judgments that a runtime doesn't have yet, marked as what they are."""

from collections.abc import Mapping

from kindgi_tui.cli.call import Call
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.judgments import Judgment
from kindgi_tui.domain.outbox import OutboxEntry
from kindgi_tui.wire import v04


async def unsent_verdicts(call: Call) -> dict[str, OutboxEntry]:
    """What waits in the outbox or was put aside, by the id it has until the runtime has it; {} in a workspace."""
    if not call.remote:
        return {}
    return {one.id: one for one in await call.bench.outbox.list() if one.what == "verdict"}


def state_of(one: Judgment, unsent: Mapping[str, OutboxEntry]) -> str:
    """Where a judgment stands that isn't at the runtime: `waiting`, `refused`, `asked`; "" for one that is."""
    entry = unsent.get(one.id)
    return "" if entry is None else entry.state


def marked(one: Judgment, unsent: Mapping[str, OutboxEntry]) -> dict[str, Json]:
    """A judgment as JSON; with `outbox`, its state there, where it isn't at the runtime."""
    state = state_of(one, unsent)
    return {**v04.judgment(one), **({"outbox": state} if state else {})}
