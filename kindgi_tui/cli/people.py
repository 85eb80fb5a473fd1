"""`kindgi-tui people`: the directory of people who judge."""

from datetime import UTC, datetime

import click

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs
from kindgi_tui.domain.projects import RIGHTS, Person
from kindgi_tui.wire import v04


@click.group("people", cls=Noun, example="kindgi-tui people list")
def noun() -> None:
    """Who judges here. Whoever owns the workspace's folder is its admin."""


@noun.verb("list", example="kindgi-tui people list")
async def list_people(call: Call) -> None:
    """Lists everybody."""
    print_list(
        call,
        await call.bench.people.list(),
        shape=v04.plain,
        columns=[Column("ID"), Column("NAME", least=8), Column("KIND"), Column("RIGHT"), Column("REVIEWER")],
        cells=lambda one: (one.id, one.name, one.kind, one.right, one.reviewer_role or ""),
        empty="Nobody yet. Add somebody: kindgi-tui people add ID --right judge",
    )


@noun.verb("add", example='kindgi-tui people add maria --name "Maria Silva" --right judge --reviewer senior')
@click.argument("person")
@click.option("--name", help="How they are shown (else by id).")
@click.option("--right", type=click.Choice(RIGHTS), help="The most they may do (judge, for somebody new).")
@click.option(
    "--reviewer", type=click.Choice(["standard", "senior", "admin"]), help="Their rank as a reviewer."
)
@click.option("--service", is_flag=True, default=None, help="A program that acts under its own name.")
async def add(
    call: Call, person: str, name: str | None, right: str | None, reviewer: str | None, service: bool | None
) -> None:
    """Adds PERSON (a login name), or changes what is given of the one with that id."""
    known = next((one for one in await call.bench.people.list() if one.id == person), None)
    before = known or Person(id=person, created_at=datetime.now(UTC))
    given = {"name": name, "right": right, "reviewer_role": reviewer, "kind": "service" if service else None}
    changes = {field: value for field, value in given.items() if value is not None}
    added = await call.bench.people.add(before.model_copy(update=changes))
    if call.json:
        call.out.json(v04.plain(added))
        return
    rows = [("person", added.id), ("name", added.name), ("kind", added.kind), ("right", added.right)]
    call.out.lines(pairs([*rows, ("reviewer", added.reviewer_role)]))
