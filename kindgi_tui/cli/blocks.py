"""`kindgi-tui blocks`: settings, prompts and model settings that agent versions pin."""

from pathlib import Path
from typing import cast

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.listing import print_list
from kindgi_tui.cli.parameters import FILES
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.blocks import KINDS, BlockKind, BlockVersion
from kindgi_tui.text import clean, json_text
from kindgi_tui.wire import v04
from kindgi_tui.workbench import Invalid


@click.group("blocks", cls=Noun, example="kindgi-tui blocks publish ./blocks")
def noun() -> None:
    """Settings, prompts (Liquid templates) and model settings that an agent version pins when it is published."""


@noun.verb(
    "publish",
    example="kindgi-tui blocks publish weights.yaml intake-prompt.yaml\nkindgi-tui blocks publish ./blocks",
)
@click.argument("files", nargs=-1, required=True, type=FILES, metavar="FILE|DIR...")
async def publish(call: Call, files: tuple[Path, ...]) -> None:
    """Publishes the blocks in YAML or JSON files, all of them or none. A version's content never changes.

    A block has an id, a version, a kind (settings, prompt or model-settings) and its content: values with an
    optional JSON Schema under schema, or a template with its parameters.
    """
    from kindgi_tui.cli.block_files import read_blocks, told

    blocks = read_blocks(files)
    documents = [each.document for each in blocks]
    problems = await call.bench.blocks.check(documents)
    if problems:
        sentences = "; ".join(told(problems, blocks))
        raise Invalid(f"Nothing was published. {sentences}.", code="validation-failed", field="files")
    published = await call.bench.blocks.publish(documents)
    if call.json:
        added: list[Json] = [shape(each) for each in published.added]
        known: list[Json] = [shape(each) for each in published.known]
        call.out.json({"added": added, "known": known})
        return
    for words, versions in (("new", published.added), ("known", published.known)):
        for each in versions:
            call.out.line(f"{words}: {each.kind} {each.id} {each.version}")


@noun.verb("list", example="kindgi-tui blocks list --kind settings")
@click.option("--kind", type=click.Choice(KINDS), help="Only blocks of this kind.")
async def list_blocks(call: Call, kind: str | None) -> None:
    """Lists the blocks, each at its newest version."""
    print_list(
        call,
        await call.bench.blocks.list(cast(BlockKind | None, kind)),
        shape=shape,
        columns=[
            Column("ID"),
            Column("VERSION"),
            Column("KIND"),
            Column("PUBLISHED"),
            Column("BY", least=8),
            Column("DESCRIPTION", least=12),
        ],
        cells=lambda one: (
            one.id,
            one.version,
            one.kind,
            v04.time(one.published_at),
            one.published_by,
            one.description,
        ),
        empty="No blocks are published yet. Publish some: kindgi-tui blocks publish FILE",
    )


@noun.verb("show", example="kindgi-tui blocks show acme.weights --block-version 1.0.0")
@click.argument("block", shell_complete=completing.blocks)
@click.option("--block-version", "version", metavar="X.Y.Z", help="Which version (else the newest).")
async def show(call: Call, block: str, version: str | None) -> None:
    """Shows one version of BLOCK: its content, and which other versions there are."""
    found = await call.bench.blocks.get(block, version)
    versions = await call.bench.blocks.versions(block)
    if call.json:
        listed: list[Json] = [one.version for one in versions]
        call.out.json({**shape(found), "versions": listed})
        return
    rows: list[tuple[str, str | None]] = [("block", found.id), ("version", found.version)]
    rows += [("kind", found.kind), ("description", found.description or None)]
    rows += [("versions", ", ".join(one.version for one in versions))]
    rows += [("published", v04.time(found.published_at)), ("by", found.published_by)]
    rows += [("digest", found.digest)]
    call.out.lines(pairs(rows))
    call.out.line()
    if found.kind != "prompt":
        call.out.line(json_text(found.content))
        return
    for line in found.template.splitlines():
        call.out.line(clean(line))
    if found.parameters:
        call.out.line()
        call.out.line(json_text(found.content.get("parameters")))


def shape(block: BlockVersion) -> dict[str, Json]:
    """A block as `--json` prints it: the runtime's names."""
    shaped: dict[str, Json] = {
        "id": block.id,
        "version": block.version,
        "kind": block.kind,
        "content": block.content,
        "digest": block.digest,
        "publishedAt": v04.time(block.published_at),
        "publishedBy": block.published_by,
    }
    return shaped | ({"description": block.description} if block.description else {})
