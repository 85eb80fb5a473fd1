"""`kindgi-tui flows`: the flows that the published packs bring."""

import click

from kindgi_tui.cli.agents import COLUMNS, catalog_cells, without_definition
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.shared_options import Noun


@click.group("flows", cls=Noun, example="kindgi-tui flows list")
def noun() -> None:
    """Published flows."""


@noun.verb("list", example="kindgi-tui flows list")
async def list_flows(call: Call) -> None:
    """Lists the flows, each at its newest version."""
    print_list(
        call,
        await call.bench.flows.list(),
        shape=without_definition,
        columns=COLUMNS,
        cells=catalog_cells,
        empty="This runtime has no flows."
        if call.remote
        else "No flows are published yet. Publish a pack: kindgi-tui packs publish DIR",
    )
