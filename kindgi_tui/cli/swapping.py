"""`--with ID@VERSION`: a flow candidate with some of its agents and tools at other versions."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from kindgi_tui.cli.call import Call
from kindgi_tui.domain.flow_swaps import Swaps, swapped

F = TypeVar("F", bound=Callable[..., Any])


class SwapType(click.ParamType[tuple[str, str]]):
    """An id and the exact version it is to run at."""

    name = "id@version"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """The two; a usage error for anything else."""
        if isinstance(value, tuple):
            return value
        identity, at, version = str(value).rpartition("@")
        if not (identity and at and version):
            self.fail(f'"{value}" must be ID@VERSION, such as acme-ops.find-articles@0.2.0.', param, ctx)
        return identity, version


def with_option(function: F) -> F:
    """The option, as `swaps`."""
    return click.option(
        "--with",
        "swaps",
        type=SwapType(),
        multiple=True,
        metavar="ID@VERSION",
        help="With --flow: this agent or tool of it at that version (repeat for more).",
    )(function)


async def swaps_named(
    call: Call, flow: str | None, version: str, named: tuple[tuple[str, str], ...]
) -> Swaps | None:
    """Each id as an agent or a tool of that flow version. Raises UsageError, NotFound, LimitError."""
    if not named:
        return None
    if flow is None:
        raise click.UsageError("--with swaps versions into a flow: it needs --flow.")
    found = await call.bench.flows.get(flow, version)
    return swapped(flow, version, found.definition, named)
