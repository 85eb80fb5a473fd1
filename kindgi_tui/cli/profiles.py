"""`kindgi-tui profiles`: runtimes to work at, by name, with their tokens."""

import getpass
import sys

import click

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs
from kindgi_tui.config.profiles import LOCAL, Profile, Profiles, load_profiles, save_profiles


@click.group("profiles", cls=Noun, example="kindgi-tui profiles add team --url https://kindgi.example.com")
def noun() -> None:
    """Runtimes to work at, by name. Tokens stand in a file that only you can read, and are never printed.

    Where kindgi-tui works is what is named first of: --url, --profile or --workspace on the line;
    KINDGI_TUI_WORKSPACE; KINDGI_API_URL; the profile in use; the default workspace.
    """


@noun.verb(
    "add",
    example="kindgi-tui profiles add team --url https://kindgi.example.com\n"
    "kindgi-tui profiles add team --url https://kindgi.example.com < token.txt",
    opens=False,
)
@click.argument("name")
async def add(call: Call, name: str) -> None:
    """Keeps the runtime at --url as NAME; the one of that name is replaced.

    The token is read from KINDGI_API_TOKEN (unless KINDGI_API_URL says that it belongs elsewhere), else asked for
    unseen, else read from standard input: on a command line everybody on this machine could read it.
    """
    from pydantic import SecretStr

    from kindgi_tui.opening import runtime_address, token_given

    if call.asked.url is None:
        raise click.UsageError("Say where it is: --url https://…")
    known = load_profiles()
    address = runtime_address(call.asked.url)
    token = token_given(address) or _asked_token()
    if not token:
        raise click.UsageError("No token was given.")
    profile = Profile(name=name, address=address, token=SecretStr(token))
    path = save_profiles(known.with_profile(profile))
    if call.json:
        call.out.json({"name": name, "url": profile.address})
        return
    call.out.lines(pairs([("profile", name), ("url", profile.address), ("kept in", str(path))]))
    call.out.line(f"Work there: kindgi-tui --profile {name}, or from now on: kindgi-tui profiles use {name}")


@noun.verb("list", example="kindgi-tui profiles list", opens=False)
async def list_profiles(call: Call) -> None:
    """Lists the profiles, without their tokens."""
    known = load_profiles()
    print_list(
        call,
        known.profiles,
        shape=lambda one: {"name": one.name, "url": one.address, "inUse": one.name == known.current},
        columns=[Column("NAME"), Column("URL", least=20), Column("IN USE")],
        cells=lambda one: (one.name, one.address, "yes" if one.name == known.current else ""),
        empty="No profiles. Keep a runtime: kindgi-tui profiles add NAME --url URL",
    )


@noun.verb("use", example="kindgi-tui profiles use team\nkindgi-tui profiles use local", opens=False)
@click.argument("name")
async def use(call: Call, name: str) -> None:
    """Works at the runtime NAME from now on, where nothing else is said; `local` is this machine's workspace."""
    known = load_profiles().using(name)
    save_profiles(known)
    _say_what_counts_before(known)
    where = "this machine's workspace" if known.current is None else known.get(known.current).address
    if call.json:
        call.out.json({"name": known.current or LOCAL})
        return
    call.out.line(f"From now on kindgi-tui works at {where}, unless another is named.")


@noun.verb("remove", example="kindgi-tui profiles remove team", opens=False)
@click.argument("name")
async def remove(call: Call, name: str) -> None:
    """Forgets the profile NAME with its token."""
    save_profiles(load_profiles().without(name))
    if call.json:
        call.out.json({"name": name})
        return
    call.out.line(f"Forgot {name}.")


def _say_what_counts_before(known: Profiles) -> None:
    from kindgi_tui.opening import WORKSPACE_VARIABLE, naming_variables

    chosen, named = known.current, naming_variables()
    if chosen is None and named[:1] == (WORKSPACE_VARIABLE,):
        # It names a workspace on this machine, as was asked for.
        return
    if named:
        once = "--workspace DIR" if chosen is None else f"--profile {chosen}"
        told = "is set, and counts" if len(named) == 1 else "are set, and count"
        them = "it" if len(named) == 1 else "them"
        say(
            f"Note: {' and '.join(named)} {told} before what is chosen here: unset {them}, or say {once} each time."
        )


def _asked_token() -> str:
    if sys.stdin.isatty():
        return getpass.getpass("Token: ").strip()
    return sys.stdin.readline().strip()
