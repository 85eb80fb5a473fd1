"""Ids that complete in the shell, read from the workspace where there is one; never an error, never a new one."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from kindgi_tui.cli.shared_options import asked

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

Names = list[tuple[str, str]]
"""Values with a few words about each."""


def projects(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Projects, by slug."""

    async def read(bench: "Workbench") -> Names:
        return [(one.slug, one.name) for one in await bench.projects.list()]

    return _complete(ctx, incomplete, read)


def people(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """People, by id."""

    async def read(bench: "Workbench") -> Names:
        return [(one.id, one.name) for one in await bench.people.list()]

    return _complete(ctx, incomplete, read)


def corrections(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The newest corrections, by id."""

    async def read(bench: "Workbench") -> Names:
        from kindgi_tui.domain.corrections import CorrectionFilter

        page = await bench.corrections.list(CorrectionFilter(), limit=50)
        return [(one.id, f"{one.asserter}: run {one.run_id}") for one in page.data]

    return _complete(ctx, incomplete, read)


def groups(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Groups, by name."""

    async def read(bench: "Workbench") -> Names:
        return [(one.name, one.description or "") for one in await bench.groups.list()]

    return _complete(ctx, incomplete, read)


def test_sets(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Test sets, by id."""

    async def read(bench: "Workbench") -> Names:
        built = [(one.test_set_id, one.description or one.version) for one in await bench.test_sets.list()]
        return built + [(one.id, f"the own set of {one.agent_id}") for one in await bench.cases.sets()]

    return _complete(ctx, incomplete, read)


def comparisons(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The newest comparisons, by id."""

    async def read(bench: "Workbench") -> Names:
        page = await bench.comparisons.list(limit=50)
        return [(one.id, f"{one.test_set_id} {one.request.subject_version}") for one in page.data]

    return _complete(ctx, incomplete, read)


def agents(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Published agents, by id."""

    async def read(bench: "Workbench") -> Names:
        return [(one.id, one.version) for one in await bench.agents.list()]

    return _complete(ctx, incomplete, read)


def flows(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Published flows, by id."""

    async def read(bench: "Workbench") -> Names:
        return [(one.id, one.version) for one in await bench.flows.list()]

    return _complete(ctx, incomplete, read)


def tools(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Published tools, by id."""

    async def read(bench: "Workbench") -> Names:
        return [(one.id, one.version) for one in await bench.tools.list()]

    return _complete(ctx, incomplete, read)


def blocks(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Published blocks, by id."""

    async def read(bench: "Workbench") -> Names:
        return [(one.id, f"{one.kind} {one.version}") for one in await bench.blocks.list()]

    return _complete(ctx, incomplete, read)


def packs(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Published packs, by id."""

    async def read(bench: "Workbench") -> Names:
        return [(one.pack_id, one.pack_version) for one in await bench.packs.list()]

    return _complete(ctx, incomplete, read)


def _complete(
    ctx: click.Context, incomplete: str, read: "Callable[[Workbench], Awaitable[Names]]"
) -> list[CompletionItem]:
    try:
        names = asyncio.run(_read(ctx, read))
    except Exception:  # noqa: BLE001 - a shell waiting for words must never be shown an error
        return []
    shown = {name: words for name, words in names if name.startswith(incomplete) and name.isprintable()}
    return [
        CompletionItem(name, help="".join(c for c in words if c.isprintable()))
        for name, words in shown.items()
    ]


async def _read(ctx: click.Context, read: "Callable[[Workbench], Awaitable[Names]]") -> Names:
    from kindgi_tui.opening import Target, open_workbench, workspace_folder

    options = asked(ctx)
    target = Target(workspace=options.workspace, person=options.person)
    if options.url or options.profile or not workspace_folder(target).is_dir():
        # A Tab asks no network.
        return []
    target = target.model_copy(update={"workspace": workspace_folder(target)})
    bench, _ = await open_workbench(target)
    try:
        return await read(bench)
    finally:
        await bench.close()
