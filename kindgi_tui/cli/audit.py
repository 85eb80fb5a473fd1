"""`kindgi-tui audit`: what was done in the workspace, by whom, when."""

from datetime import datetime

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.listing import print_pages
from kindgi_tui.cli.parameters import paged, pages, since_and_until
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, short_id
from kindgi_tui.domain.projects import AuditEntry
from kindgi_tui.domain.queries import AuditFilter
from kindgi_tui.text import dumps_line
from kindgi_tui.wire import v04
from kindgi_tui.workbench import Page


@click.group("audit", cls=Noun, example="kindgi-tui audit list")
def noun() -> None:
    """What was done in the workspace, by whom, when.

    Judgments and corrections stand in their own lists, which say who made each and when; here is who removed one.
    """


@noun.verb("list", example="kindgi-tui audit list --by maria --what test-sets --since 2026-10-01")
@click.option("--by", "actor", metavar="PERSON", shell_complete=completing.people, help="Done by.")
@click.option("--mine", is_flag=True, help="Done by you.")
@click.option(
    "--what",
    "action",
    metavar="ACTION",
    help="What was done, such as test-sets.build; a noun alone (test-sets) for all that was done to them.",
)
@click.option("--on", "subject", metavar="ID", help="On what: an id, or how it begins.")
@since_and_until("what was done")
@paged
async def list_audit(
    call: Call,
    actor: str | None,
    mine: bool,
    action: str | None,
    subject: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    cursor: str | None,
    whole: bool,
) -> None:
    """Lists what was done, newest first."""
    if mine and actor is not None:
        raise click.UsageError("Give --mine or --by, not both.")
    query = AuditFilter(
        actor=(await call.bench.people.me()).id if mine else actor,
        action=action,
        subject=subject,
        since=since,
        until=until,
    )

    async def read(size: int, place: str | None) -> Page[AuditEntry]:
        return await call.bench.audit.list(query, size, place)

    await print_pages(
        call,
        pages(read, limit, cursor, whole),
        shape=v04.plain,
        columns=[
            Column("WHEN"),
            Column("WHO", least=8),
            Column("WHAT"),
            Column("ON", least=12),
            Column("DETAILS", least=8),
        ],
        cells=_cells,
        empty="Nothing that was done matches."
        if query != AuditFilter()
        else "Nothing was done here yet that is noted.",
    )


def _cells(one: AuditEntry) -> tuple[str, ...]:
    details = "" if one.details is None else dumps_line(one.details)
    return (v04.time(one.at), one.actor, one.action, short_id(one.subject), details)
