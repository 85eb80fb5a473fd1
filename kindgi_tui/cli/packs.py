"""`kindgi-tui packs`: your agents and tools, published into the workspace."""

import shlex
import sys
from pathlib import Path

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.parameters import EXISTING_FOLDER, FOLDER
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.catalog import PackSnapshot, Published
from kindgi_tui.wire import v04

PYTHON = click.option("--python", metavar="PROGRAM", help="The Python that has the pack's own dependencies.")


@click.group("packs", cls=Noun, example="kindgi-tui packs publish ./my-pack")
def noun() -> None:
    """Kindgi packs. Publishing copies the folder; the tools run in processes of their own."""


@noun.verb("init", example="kindgi-tui packs init ./my-pack --name acme-ops", opens=False)
@click.argument("folder", type=FOLDER)
@click.option(
    "--name", help="The pack's id: small letters, digits and dashes (else made from the folder's name)."
)
async def init(call: Call, folder: Path, name: str | None) -> None:
    """Writes a small pack that works into FOLDER, to start from."""
    from kindgi_tui.opening import init_pack

    written = init_pack(folder, name or _own_name(folder))
    if call.json:
        files: list[Json] = [str(path) for path in written]
        call.out.json({"folder": str(folder), "files": files})
        return
    for path in written:
        call.out.line(str(path))
    call.out.line(call.hint(f"Next: kindgi-tui packs publish {shlex.quote(str(folder))}"))


@noun.verb("publish", example="kindgi-tui packs publish ./my-pack --python ./my-pack/.venv/bin/python")
@click.argument("folder", type=FOLDER)
@PYTHON
async def publish(call: Call, folder: Path, python: str | None) -> None:
    """Copies, indexes and registers the pack in FOLDER. A version's content never changes once published."""
    published = await call.bench.packs.publish(folder, python)
    if call.json:
        call.out.json(_shape(published))
    else:
        print_published(call, published)


@noun.verb("watch", example="kindgi-tui packs watch ./my-pack")
@click.argument("folder", type=EXISTING_FOLDER)
@PYTHON
async def watch(call: Call, folder: Path, python: str | None) -> None:
    """Publishes the pack in FOLDER whenever a file of it is saved, until Ctrl-C."""
    from kindgi_tui.opening import watch_pack
    from kindgi_tui.workbench import WorkbenchError

    say(f"Publishing {folder} now and at every save; Ctrl-C ends it.")
    async for came in watch_pack(folder, lambda saved: call.bench.packs.publish(saved, python)):
        if isinstance(came, WorkbenchError):
            # The next save may mend it.
            if call.json:
                call.out.json_line({"error": {"code": came.code, "message": came.sentence}})
            else:
                call.out.line(f"Not published: {came.sentence}")
        elif call.json:
            call.out.json_line(_shape(came))
        else:
            print_published(call, came)


@noun.verb("list", example="kindgi-tui packs list")
async def list_packs(call: Call) -> None:
    """Lists the published snapshots, newest first."""
    print_list(
        call,
        await call.bench.packs.list(),
        shape=v04.plain,
        columns=[
            Column("PACK"),
            Column("VERSION"),
            Column("PUBLISHED"),
            Column("BY", least=8),
            Column("NEEDS", least=8),
            Column("SNAPSHOT", least=12),
        ],
        cells=lambda one: (
            one.pack_id,
            one.pack_version,
            v04.time(one.published_at),
            one.published_by,
            ", ".join(one.env_required),
            one.digest,
        ),
        empty="No packs are published yet. Start one with kindgi-tui packs init DIR, then "
        "kindgi-tui packs publish DIR",
    )


@click.group("env", cls=Noun, example="kindgi-tui packs env list acme-ops")
def env() -> None:
    """Environment values of a pack's tools. They may be secrets: values are never printed."""


noun.add_command(env)


@env.verb(
    "set",
    example="kindgi-tui packs env set acme-ops ACME_OPS_LOG --value suggestions.log\n"
    "echo suggestions.log | kindgi-tui packs env set acme-ops ACME_OPS_LOG\n"
    "kindgi-tui packs env set acme-ops ACME_OPS_LOG --unset",
)
@click.argument("pack", shell_complete=completing.packs)
@click.argument("name")
@click.option(
    "--value", help="The value; other people of this machine may see it. Else it is read or asked for."
)
@click.option("--unset", is_flag=True, help="Remove it.")
async def set_env(call: Call, pack: str, name: str, value: str | None, unset: bool) -> None:
    """Sets NAME for the tools of PACK; NAME=VALUE works too. Else the value comes from standard input."""
    if "=" in name and value is None and not unset:
        name, value = name.split("=", 1)
    if unset and value is not None:
        raise click.UsageError("Give --value or --unset, not both.")
    if not unset and value is None:
        if sys.stdin.isatty():
            value = click.prompt(f"Value of {name}", hide_input=True, err=True)
        else:
            value = sys.stdin.read().rstrip("\r\n")
    await call.bench.packs.set_env(pack, name, None if unset else value)
    if call.json:
        call.out.json({"pack": pack, "name": name, "set": not unset})
    else:
        call.out.line(f"{name} is {'removed' if unset else 'set'} for {pack}.")


@env.verb("list", example="kindgi-tui packs env list acme-ops")
@click.argument("pack", shell_complete=completing.packs)
async def list_env(call: Call, pack: str) -> None:
    """Lists the names that PACK's tools read, and whether each has a value."""
    values = await call.bench.packs.env(pack)
    snapshot = next((one for one in await call.bench.packs.list() if one.pack_id == pack), None)
    names = _names(values, snapshot)
    print_list(
        call,
        names,
        shape=lambda row: {"name": row[0], "set": row[1] == "yes", "needed": row[2] == "yes"},
        columns=[Column("NAME"), Column("SET"), Column("NEEDED")],
        cells=lambda row: row,
        empty=f"{pack} reads no environment values, and none are set.",
    )


def _own_name(folder: Path) -> str:
    return folder.absolute().name


def _names(values: dict[str, str], snapshot: PackSnapshot | None) -> list[tuple[str, str, str]]:
    required = snapshot.env_required if snapshot is not None else ()
    optional = snapshot.env_optional if snapshot is not None else ()
    every = sorted({*values, *required, *optional})
    return [(name, "yes" if name in values else "no", "yes" if name in required else "no") for name in every]


def _shape(published: Published) -> dict[str, Json]:
    return {
        "snapshot": v04.plain(published.snapshot),
        "added": [_entry(one.kind, one.id, one.version) for one in published.added],
        "known": [_entry(one.kind, one.id, one.version) for one in published.known],
    }


def _entry(kind: str, entry_id: str, version: str) -> Json:
    return {"kind": kind, "id": entry_id, "version": version}


def print_published(call: Call, published: Published) -> None:
    """Prints what a publish came to."""
    snapshot = published.snapshot
    call.out.lines(
        pairs([("pack", f"{snapshot.pack_id} {snapshot.pack_version}"), ("snapshot", snapshot.digest)])
    )
    for words, versions in (("new", published.added), ("known", published.known)):
        for one in versions:
            call.out.line(f"  {words}: {one.kind} {one.id} {one.version}")
    if snapshot.env_required:
        needs = f"Its tools need: {', '.join(snapshot.env_required)}."
        call.out.line(f"{needs} {call.hint(f'See kindgi-tui packs env list {snapshot.pack_id}.')}")
