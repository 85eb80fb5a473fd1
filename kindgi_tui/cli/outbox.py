"""`kindgi-tui outbox`: verdicts that a runtime doesn't have yet."""

import click

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs, short_id
from kindgi_tui.domain.outbox import OutboxEntry
from kindgi_tui.wire import v04
from kindgi_tui.workbench import NotFound

SECONDS = 10.0
"""How long a retry waits for what it sends."""


@click.group("outbox", cls=Noun, example="kindgi-tui --url https://kindgi.example.com outbox list")
def noun() -> None:
    """Verdicts a runtime doesn't have yet: they wait on this machine, and are sent in order when it can be reached."""


@noun.verb("list", example="kindgi-tui outbox list")
async def list_outbox(call: Call) -> None:
    """Lists what waits, and what was refused with the beginning of the runtime's reason; `show` has the whole."""
    call.waiting_told = True
    entries = await call.bench.outbox.list()
    print_list(
        call,
        entries,
        shape=v04.plain,
        columns=[
            Column("ID"),
            Column("STATE"),
            Column("RUN"),
            Column("ITEM", least=8),
            Column("SAID"),
            Column("WHEN"),
            Column("WHY", least=20),
        ],
        cells=lambda one: (
            short_id(one.id),
            one.state,
            short_id(one.run_id),
            one.item_key,
            one.verdict or "taken back",
            v04.time(one.made_at),
            one.sentence or "",
        ),
        empty="Nothing waits.",
    )
    if not call.json and any(one.sentence for one in entries):
        say(call.hint("Why, in full, and what to do: kindgi-tui outbox show ID"))


@noun.verb("show", example="kindgi-tui outbox show 3f2a9c11")
@click.argument("entry")
async def show(call: Call, entry: str) -> None:
    """Shows ENTRY with the whole reason why it waits or was refused."""
    found = [one for one in await call.bench.outbox.list() if one.id.startswith(entry)] if entry else []
    if len(found) != 1:
        raise NotFound(f'Nothing with the id "{entry}" waits. `kindgi-tui outbox list` shows what does.')
    call.waiting_told = True
    one = found[0]
    if call.json:
        call.out.json(v04.plain(one))
        return
    rows = [("id", one.id), ("state", one.state), ("run", one.run_id), ("item", one.item_key)]
    rows += [("said", one.verdict or "taken back"), ("when", v04.time(one.made_at))]
    call.out.lines(pairs([*rows, ("code", one.code)]))
    for told in (one.reason and f"Reason: {one.reason}", one.sentence, call.hint(_next_step(one))):
        if told:
            call.out.line()
            call.out.paragraph(told)


def _next_step(one: OutboxEntry) -> str:
    name = short_id(one.id)
    if one.state == "waiting":
        return f"It is sent when the runtime can be reached. To try now: kindgi-tui outbox retry {name}"
    again = "Send it over the newer one" if one.state == "asked" else "Send it again"
    return f"{again}: kindgi-tui outbox retry {name}. Forget it: kindgi-tui outbox drop {name}"


@noun.verb("retry", example="kindgi-tui outbox retry\nkindgi-tui outbox retry 3f2a9c11")
@click.argument("entry", required=False)
async def retry(call: Call, entry: str | None) -> int:
    """Sends ENTRY again, over a newer verdict too; without it, tries now what waits. Exit code 1 when it is left."""
    await call.bench.outbox.retry(entry)
    left = await call.bench.outbox.settle(SECONDS)
    still = left.waiting or left.refused
    if entry is not None:
        found = next((one for one in await call.bench.outbox.list() if one.id.startswith(entry)), None)
        still = int(found is not None)
        if not call.json:
            call.waiting_told = True
            call.out.line(f"Sent {entry}." if found is None else f"Not sent: {found.sentence or found.state}")
    if call.json:
        call.out.json(v04.plain(left))
    elif not left.waiting and not left.refused:
        call.out.line("Nothing waits any more.")
    return 1 if still else 0


@noun.verb("drop", example="kindgi-tui outbox drop 3f2a9c11")
@click.argument("entry")
async def drop(call: Call, entry: str) -> None:
    """Forgets ENTRY: it is not sent."""
    await call.bench.outbox.drop(entry)
    if call.json:
        call.out.json({"id": entry})
        return
    call.out.line(f"Dropped {entry}.")
