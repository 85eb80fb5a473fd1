"""`kindgi-tui tokens`: who may ask the server, and as whom."""

import shlex
from typing import cast

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs
from kindgi_tui.domain.projects import RIGHTS, Right
from kindgi_tui.domain.serving import Token
from kindgi_tui.wire import v04


@click.group("tokens", cls=Noun, example="kindgi-tui tokens list")
def noun() -> None:
    """Tokens of those who work over HTTP. A token acts as a person, and may do no more than its role and theirs."""


@noun.verb(
    "add",
    example="kindgi-tui tokens add mine --role admin\n"
    "kindgi-tui people add robot --service --right editor\n"
    "kindgi-tui tokens add ci --person robot --role editor",
)
@click.argument("name")
@click.option(
    "--person", metavar="PERSON", shell_complete=completing.people, help="Who acts with it (else you)."
)
@click.option(
    "--role", type=click.Choice(RIGHTS), default="judge", show_default=True, help="The most it may do."
)
async def add(call: Call, name: str, person: str | None, role: str) -> None:
    """Makes a token and prints it, this once: only its digest is kept."""
    token, secret = await call.bench.tokens.add(name, person, cast(Right, role))
    await _say_when_less(call, token)
    if call.json:
        shaped = v04.plain(token)
        call.out.json({**(shaped if isinstance(shaped, dict) else {}), "token": secret})
        return
    call.out.line(secret)


async def _say_when_less(call: Call, token: Token) -> None:
    acting = next((one for one in await call.bench.people.list() if one.id == token.person_id), None)
    if acting is not None and RIGHTS.index(acting.right) < RIGHTS.index(token.right):
        more = call.hint(f"kindgi-tui people add {shlex.quote(acting.id)} --right {token.right}")
        say(
            f"Note: this token may do no more than {acting.id} may, who is {_a(acting.right)} here and not "
            f"{_a(token.right)}. To give them more: {more}"
        )


def _a(right: Right) -> str:
    return f"{'a' if right == 'judge' else 'an'} {right}"


@noun.verb("list", example="kindgi-tui tokens list")
async def list_tokens(call: Call) -> None:
    """Lists the tokens, without their secrets."""
    print_list(
        call,
        await call.bench.tokens.list(),
        shape=v04.plain,
        columns=[
            Column("NAME"),
            Column("PERSON"),
            Column("ROLE"),
            Column("ID"),
            Column("MADE"),
            Column("REVOKED"),
        ],
        cells=lambda one: (
            one.name,
            one.person_id,
            one.right,
            one.id,
            v04.time(one.created_at),
            "" if one.revoked_at is None else v04.time(one.revoked_at),
        ),
        empty="No tokens yet. Make one: kindgi-tui tokens add NAME",
    )


@noun.verb("revoke", example="kindgi-tui tokens revoke ci")
@click.argument("token")
async def revoke(call: Call, token: str) -> None:
    """Revokes TOKEN (a name or an id) for good; the server refuses it from now on."""
    revoked = await call.bench.tokens.revoke(token)
    if call.json:
        call.out.json(v04.plain(revoked))
        return
    rows = [("revoked", revoked.name), ("id", revoked.id), ("person", revoked.person_id)]
    call.out.lines(pairs(rows))
