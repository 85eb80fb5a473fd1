"""`kindgi-tui agents`: what the published packs bring."""

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.catalog import CatalogVersion
from kindgi_tui.text import json_text
from kindgi_tui.wire import v04

COLUMNS = [Column("ID"), Column("VERSION"), Column("NAME", least=12), Column("PUBLISHED")]
"""The columns of a list of agents or flows."""


@click.group("agents", cls=Noun, example="kindgi-tui agents list")
def noun() -> None:
    """Published agents. A comparison's candidate is one version of one of them."""


@noun.verb("list", example="kindgi-tui agents list")
async def list_agents(call: Call) -> None:
    """Lists the agents, each at its newest version."""
    print_list(
        call,
        await call.bench.agents.list(),
        shape=without_definition,
        columns=COLUMNS,
        cells=catalog_cells,
        empty="This runtime has no agents."
        if call.remote
        else "No agents are published yet. Publish a pack: kindgi-tui packs publish DIR",
    )


@noun.verb("show", example="kindgi-tui agents show acme-ops.article-picker --agent-version 0.2.0")
@click.argument("agent", shell_complete=completing.agents)
@click.option("--agent-version", "version", metavar="X.Y.Z", help="Which version (else the newest).")
async def show(call: Call, agent: str, version: str | None) -> None:
    """Shows one version of AGENT: its definition, and which other versions there are."""
    found = await call.bench.agents.get(agent, version)
    versions = await call.bench.agents.versions(agent)
    if call.json:
        shaped = v04.plain(found)
        listed: list[Json] = [one.version for one in versions]
        call.out.json({**shaped, "versions": listed} if isinstance(shaped, dict) else shaped)
        return
    rows: list[tuple[str, str | None]] = [("agent", found.id), ("version", found.version)]
    rows += [
        ("versions", ", ".join(one.version for one in versions)),
        ("published", None if found.published_at is None else v04.time(found.published_at)),
    ]
    rows += [("pack snapshot", found.pack_digest), ("digest", found.digest)]
    call.out.lines(pairs(rows))
    call.out.line()
    call.out.line(json_text(found.definition))


def catalog_cells(one: CatalogVersion) -> tuple[str, str, str, str]:
    """A row for a list of agents or flows."""
    name = one.definition.get("name") if isinstance(one.definition, dict) else None
    return (
        one.id,
        one.version,
        name if isinstance(name, str) else "",
        v04.time(one.published_at) if one.published_at else "",
    )


def without_definition(one: CatalogVersion) -> Json:
    """A row for programs; the definition is what `show` is for."""
    return v04.plain(one.model_copy(update={"definition": None}))
