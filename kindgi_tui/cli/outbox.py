"""`kindgi-tui outbox`: verdicts that a runtime doesn't have yet."""

import click

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, short_id
from kindgi_tui.wire import v04

SECONDS = 10.0
"""How long a retry waits for what it sends."""


@click.group("outbox", cls=Noun, example="kindgi-tui --url https://kindgi.example.com outbox list")
def noun() -> None:
    """Verdicts a runtime doesn't have yet: they wait on this machine, and are sent in order when it can be reached."""


@noun.verb("list", example="kindgi-tui outbox list")
async def list_outbox(call: Call) -> None:
    """Lists what waits, and what was refused with the runtime's reason."""
    print_list(
        call,
        await call.bench.outbox.list(),
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


@noun.verb("retry", example="kindgi-tui outbox retry\nkindgi-tui outbox retry 3f2a9c11")
@click.argument("entry", required=False)
async def retry(call: Call, entry: str | None) -> int:
    """Sends ENTRY again, over a newer verdict too; without it, tries now what waits. Exit code 1 when some is left."""
    await call.bench.outbox.retry(entry)
    left = await call.bench.outbox.settle(SECONDS)
    if call.json:
        call.out.json(v04.plain(left))
    elif not left.waiting and not left.refused:
        call.out.line("Nothing waits any more.")
    return 1 if left.waiting or left.refused else 0


@noun.verb("drop", example="kindgi-tui outbox drop 3f2a9c11")
@click.argument("entry")
async def drop(call: Call, entry: str) -> None:
    """Forgets ENTRY: it is not sent."""
    await call.bench.outbox.drop(entry)
    if call.json:
        call.out.json({"id": entry})
        return
    call.out.line(f"Dropped {entry}.")
