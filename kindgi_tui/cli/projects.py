"""`kindgi-tui projects`: where runs belong."""

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs
from kindgi_tui.domain.projects import Project
from kindgi_tui.wire import v04


@click.group("projects", cls=Noun, example="kindgi-tui projects list")
def noun() -> None:
    """Where runs, test sets and comparisons belong. One project is the default."""


@noun.verb("list", example="kindgi-tui projects list")
async def list_projects(call: Call) -> None:
    """Lists the projects, the default one first."""
    print_list(
        call,
        await call.bench.projects.list(),
        shape=v04.plain,
        columns=[Column("SLUG"), Column("NAME", least=12), Column("DEFAULT"), Column("ID")],
        cells=lambda one: (one.slug, one.name, "yes" if one.is_default else "", one.id),
        empty="No projects yet. Make one: kindgi-tui projects add NAME",
    )


@noun.verb("add", example='kindgi-tui projects add "Help desk" --slug help-desk')
@click.argument("name")
@click.option("--slug", help="Its short name: lowercase letters, digits and `-` (else made from the name).")
async def add(call: Call, name: str, slug: str | None) -> None:
    """Makes a project."""
    _print_one(call, await call.bench.projects.add(name, slug))


@noun.verb("use", example="kindgi-tui projects use help-desk")
@click.argument("project", shell_complete=completing.projects)
async def use(call: Call, project: str) -> None:
    """Makes PROJECT (an id, slug or name) the default one."""
    _print_one(call, await call.bench.projects.use(project))


def _print_one(call: Call, project: Project) -> None:
    if call.json:
        call.out.json(v04.plain(project))
        return
    rows = [("project", project.name), ("slug", project.slug), ("id", project.id)]
    call.out.lines(pairs([*rows, ("default", "yes" if project.is_default else "no")]))
