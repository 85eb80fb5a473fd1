"""`kindgi-tui groups`: who judges speak as, with a weight, perhaps for experts alone."""

from typing import Literal, cast

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.commands import command
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.parameters import F, project_filter
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs
from kindgi_tui.cli.values import WEIGHT
from kindgi_tui.domain.groups import who_may
from kindgi_tui.domain.judgments import Group, Restriction
from kindgi_tui.session.known_agents import check_agent
from kindgi_tui.text import one_line
from kindgi_tui.wire import v04

NAME = 80
"""The most cells of a person's id in a sentence."""

ROLES = ["standard", "senior", "admin"]
"""Ranks of reviewers, lowest first."""


@click.group("groups", cls=Noun, example="kindgi-tui groups list")
def noun() -> None:
    """Who judges speak as. A group's judgments weigh its weight; one that is for experts alone is restricted."""


def restriction_options(function: F) -> F:
    """Who may speak as a group; every part given must hold."""
    person = click.option(
        "--only", "only", multiple=True, metavar="PERSON", shell_complete=completing.people,
        help="Only this person may speak as it; repeat for more.",
    )  # fmt: skip
    kind = click.option(
        "--kind", "kinds", multiple=True, type=click.Choice(["user", "service"]),
        help="Only this kind of caller may.",
    )  # fmt: skip
    role = click.option(
        "--reviewer", type=click.Choice(ROLES), help="Only reviewers of this rank and above may."
    )
    return person(kind(role(function)))


def restriction(only: tuple[str, ...], kinds: tuple[str, ...], reviewer: str | None) -> Restriction | None:
    """The restriction that the options make; None when none of them was given."""
    if not only and not kinds and reviewer is None:
        return None
    return Restriction(
        principal_ids=only,
        principal_kinds=cast(tuple[Literal["user", "service"], ...], kinds),
        min_reviewer_role=cast(Literal["standard", "senior", "admin"] | None, reviewer),
    )


@noun.verb("list", example="kindgi-tui groups list --retired")
@project_filter
@click.option("--retired", is_flag=True, help="Retired ones too.")
async def list_groups(call: Call, project: str | None, retired: bool) -> None:
    """Lists the groups of the workspace, and of the project."""
    print_list(
        call,
        await call.bench.groups.list(await call.project_id_if(project), retired),
        shape=v04.group,
        columns=[
            Column("NAME"),
            Column("WEIGHT", right=True),
            Column("FOR"),
            Column("WHO MAY", least=12),
            Column("RETIRED"),
            Column("ID"),
        ],
        cells=lambda one: (
            one.name,
            f"{one.weight:g}",
            _scope(one),
            who_may(one.restriction),
            "" if one.retired_at is None else v04.time(one.retired_at),
            one.id,
        ),
        empty="No groups yet: every judgment weighs 1. Make one: kindgi-tui groups add experts --weight 3",
    )


@noun.verb("add", example="kindgi-tui groups add experts --weight 3 --reviewer senior")
@click.argument("name")
@click.option("--weight", type=WEIGHT, required=True, help="How much its judgments weigh, 0 or more.")
@click.option("--description", help="What it is for.")
@click.option(
    "--project", metavar="PROJECT", shell_complete=completing.projects, help="Only in this project."
)
@click.option("--agent", shell_complete=completing.agents, help="Only for this agent; needs --project.")
@restriction_options
async def add(
    call: Call,
    name: str,
    weight: float,
    description: str | None,
    project: str | None,
    agent: str | None,
    only: tuple[str, ...],
    kinds: tuple[str, ...],
    reviewer: str | None,
) -> None:
    """Makes a group."""
    if agent is not None and project is None:
        raise click.UsageError("--agent needs --project.")
    if agent is not None:
        await check_agent(call.bench, agent)
    made = await call.bench.groups.add(
        name,
        weight,
        description=description,
        project_id=await call.project_id_if(project),
        agent_id=agent,
        restriction=restriction(only, kinds, reviewer),
    )
    _print_one(call, made)
    await _say_strangers(call, made, only)


async def _say_strangers(call: Call, group: Group, only: tuple[str, ...]) -> None:
    """Says which of those who alone may speak as it nobody knows: a name that is nobody's lets nobody speak."""
    if not only or call.remote:
        # A runtime doesn't tell who there is.
        return
    known = {one.id for one in await call.bench.people.list()}
    again = command(call, "groups change", group.id, "--only", "PERSON")
    for person in dict.fromkeys(only):
        if person not in known:
            say(f"Note: {one_line(person, NAME)} is nobody in this workspace. If it is a typo: {again}")


@noun.verb("change", example="kindgi-tui groups change experts --weight 2 --unrestricted", also="set")
@click.argument("group", shell_complete=completing.groups)
@click.option("--weight", type=WEIGHT, help="How much its judgments weigh, 0 or more.")
@click.option("--description", help="What it is for.")
@click.option("--unrestricted", is_flag=True, help="Anyone who may judge may speak as it.")
@restriction_options
async def change(
    call: Call,
    group: str,
    weight: float | None,
    description: str | None,
    unrestricted: bool,
    only: tuple[str, ...],
    kinds: tuple[str, ...],
    reviewer: str | None,
) -> None:
    """Changes GROUP (an id or name). What was said as it before stays as restricted as it was."""
    asked = restriction(only, kinds, reviewer)
    if unrestricted and asked is not None:
        raise click.UsageError("--unrestricted can't stand beside --only, --kind or --reviewer.")
    if weight is None and description is None and asked is None and not unrestricted:
        raise click.UsageError(
            "Say what to change: --weight, --description, --only, --kind, --reviewer, --unrestricted."
        )
    changed = await call.bench.groups.change(
        group, weight=weight, description=description, restriction=asked, unrestricted=unrestricted
    )
    _print_one(call, changed)
    await _say_strangers(call, changed, only)


@noun.verb("retire", example="kindgi-tui groups retire experts", also="unregister")
@click.argument("group", shell_complete=completing.groups)
async def retire(call: Call, group: str) -> None:
    """Retires GROUP (an id or name): nobody speaks as it any more; what was said as it still counts."""
    _print_one(call, await call.bench.groups.retire(group))


@noun.verb("bring-back", example="kindgi-tui groups bring-back experts")
@click.argument("group", shell_complete=completing.groups)
async def bring_back(call: Call, group: str) -> None:
    """Brings GROUP (an id or name) back that was retired: it may be spoken as again."""
    _print_one(call, await call.bench.groups.bring_back(group))


@noun.verb("show", example="kindgi-tui groups show experts", also="get")
@click.argument("group", shell_complete=completing.groups)
async def show(call: Call, group: str) -> None:
    """Shows GROUP (an id or name), retired or not."""
    _print_one(call, await call.bench.groups.get(group))


def _scope(group: Group) -> str:
    if group.agent_id is not None:
        return group.agent_id
    return "workspace" if group.project_id is None else group.project_id


def _print_one(call: Call, group: Group) -> None:
    if call.json:
        call.out.json(v04.group(group))
        return
    rows = [
        ("group", group.name),
        ("weight", f"{group.weight:g}"),
        ("for", _scope(group)),
        ("who may", who_may(group.restriction)),
    ]
    retired = None if group.retired_at is None else v04.time(group.retired_at)
    call.out.lines(pairs([*rows, ("about", group.description), ("retired", retired), ("id", group.id)]))
