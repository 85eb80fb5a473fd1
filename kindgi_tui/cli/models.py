"""`kindgi-tui models`: where models' replies come from."""

from collections.abc import Sequence

import click

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.errors import DONE, NOT_REACHED
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column
from kindgi_tui.wire import v04
from kindgi_tui.workbench import ModelStatus


@click.group("models", cls=Noun, example="kindgi-tui models check")
def noun() -> None:
    """Where models are asked. Without any, stored replies still answer: the demo runs with no key."""


@noun.verb("list", example="kindgi-tui models list")
async def list_models(call: Call) -> None:
    """Lists the configured providers, without calling them."""
    _print(call, await call.bench.models.list())


@noun.verb("check", example="kindgi-tui models check")
async def check(call: Call) -> int:
    """Asks each provider for one tiny reply. Exit code 3 when one of them doesn't answer."""
    found = await call.bench.models.check()
    _print(call, found)
    return DONE if all(one.ready for one in found) else NOT_REACHED


def _print(call: Call, found: Sequence[ModelStatus]) -> None:
    print_list(
        call,
        found,
        shape=v04.plain,
        columns=[
            Column("PROVIDER"),
            Column("MODEL"),
            Column("ADDRESS", least=16),
            Column("READY"),
            Column("WHAT IS SO", least=20),
        ],
        cells=lambda one: (one.provider, one.model or "", one.address, _ready(one), one.sentence),
        empty="No models are configured. Name one in models.toml, or set a provider's key such as "
        "ANTHROPIC_API_KEY or OPENAI_API_KEY.",
    )


def _ready(status: ModelStatus) -> str:
    return "not asked" if status.ready is None else "yes" if status.ready else "no"
