"""`kindgi-tui runs`: what agents did, as recorded."""

import sys
from datetime import datetime
from pathlib import Path
from typing import cast

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.errors import ANSWER_NO, DONE
from kindgi_tui.cli.import_text import print_report
from kindgi_tui.cli.listing import print_pages
from kindgi_tui.cli.parameters import (
    FILES,
    MOST,
    F,
    paged,
    pages,
    project_filter,
    project_option,
    segment_option,
    since_and_until,
)
from kindgi_tui.cli.run_text import print_run, run_with_items, runs_corrections, runs_judgments
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, short_id
from kindgi_tui.domain.imports import ImportOptions
from kindgi_tui.domain.queries import Replays, RunFilter
from kindgi_tui.domain.runs import Run, RunStatus, Segment, SubjectKind
from kindgi_tui.wire import v04
from kindgi_tui.workbench import Page

STATUSES = ["pending", "running", "suspended", "completed", "failed", "cancelled"]
"""Where a run may stand."""


@click.group("runs", cls=Noun, example="kindgi-tui runs list --agent acme-ops.article-picker --unjudged")
def noun() -> None:
    """Recorded runs: list and read them, bring them in from files, start one."""


def filters(function: F) -> F:
    """Every filter of a list of runs."""
    for add_option in reversed(
        [
            project_filter,
            click.option("--agent", shell_complete=completing.agents, help="Of this agent."),
            click.option("--flow", shell_complete=completing.flows, help="Of this flow."),
            click.option("--agent-version", "--flow-version", "version", metavar="X.Y.Z", help="Of this version."),
            click.option("--kind", type=click.Choice(["agent", "flow"]), help="Agents' turns, or flows' runs."),
            click.option("--status", "statuses", multiple=True, type=click.Choice(STATUSES), help="Repeat for more."),
            click.option("--judged/--unjudged", "judged", default=None, help="With a live judgment, or with none."),
            segment_option,
            since_and_until("runs started"),
            click.option("--text", help="Holding these words, or this substring of 3 and more characters."),
            click.option(
                "--replays", type=click.Choice(["exclude", "include", "only"]), help="Replays too, or alone."
            ),
            click.option(
                "--comparison", "--test-run", "--eval-run", "comparison", metavar="ID",
                shell_complete=completing.comparisons,
                help="Replays of this comparison.",
            ),
            click.option("--source", help="`recorded` here, or imported from this format."),
        ]
    ):  # fmt: skip
        function = add_option(function)
    return function


async def query_of(
    call: Call,
    project: str | None,
    agent: str | None,
    flow: str | None,
    version: str | None,
    kind: str | None,
    statuses: tuple[str, ...],
    judged: bool | None,
    segments: tuple[Segment, ...],
    since: datetime | None,
    until: datetime | None,
    text: str | None,
    replays: str | None,
    comparison: str | None,
    source: str | None,
) -> RunFilter:
    """The filter the options make; without --project, runs of every project. Raises NotFound."""
    if agent is not None and flow is not None:
        raise click.UsageError("Give --agent or --flow, not both.")
    if version is not None and agent is None and flow is None:
        raise click.UsageError("--agent-version needs --agent.")
    if comparison is not None and replays == "exclude":
        raise click.UsageError("--comparison lists replays: it can't stand beside --replays exclude.")
    if kind is None and (agent or flow):
        kind = "agent" if agent else "flow"
    return RunFilter(
        project_id=await call.project_id_if(project),
        subject_kind=cast(SubjectKind | None, kind),
        subject_id=agent or flow,
        subject_version=version,
        statuses=cast(tuple[RunStatus, ...], statuses),
        judged=judged,
        segments=segments,
        created_since=since,
        created_until=until,
        text=text,
        replays=cast(Replays, replays or ("exclude" if comparison is None else "include")),
        comparison_id=None if comparison is None else (await call.bench.comparisons.get(comparison)).id,
        source=source,
    )


@noun.verb(
    "list",
    example="kindgi-tui runs list --agent acme-ops.article-picker --unjudged --limit 10\n"
    "kindgi-tui runs list --comparison 5d1c0f2e",
)
@filters
@paged
async def list_runs(call: Call, limit: int, cursor: str | None, whole: bool, **asked: object) -> None:
    """Lists runs, newest first."""
    query = await query_of(call, **asked)  # type: ignore[arg-type]

    async def read(size: int, place: str | None) -> Page[Run]:
        return await call.bench.runs.list(query, size, place)

    await print_pages(
        call,
        pages(read, limit, cursor, whole),
        shape=v04.run,
        columns=[
            Column("ID"),
            Column("WHEN"),
            Column("WHAT RAN", least=12),
            Column("VERSION"),
            Column("STATUS"),
            Column("JUDGED", right=True),
            Column("INPUT", least=20),
        ],
        cells=lambda one: (
            short_id(one.id),
            f"{one.created_at:%Y-%m-%d}",
            one.subject.id,
            one.subject.version,
            one.status,
            f"{one.judgments}" if one.judgments else "",
            one.preview,
        ),
        empty="No runs match."
        if call.remote
        else "No runs match. Bring some in with kindgi-tui runs import FILE, or make the demo: kindgi-tui demo",
    )


@noun.verb("show", example="kindgi-tui runs show 3f2a9c11")
@click.argument("run")
@click.option("--raw", is_flag=True, help="Only the record an import made it from, as it stood in the file.")
async def show(call: Call, run: str, raw: bool) -> None:
    """Shows RUN (8 characters of its id are enough): what went in and out, and each item to judge."""
    found = await call.bench.runs.get(run)
    if raw:
        call.out.json(found.raw)
        return
    said = await runs_judgments(call.bench, found.id)
    corrected = await runs_corrections(call.bench, found.id)
    if call.json:
        call.out.json(run_with_items(found, said, corrected))
    else:
        print_run(call.out, found, said, corrected)


@noun.verb(
    "start",
    example='kindgi-tui runs start acme-ops.article-picker --message "I forgot my password." --project docs',
)
@click.argument("agent", shell_complete=completing.agents)
@click.option("--message", required=True, help="What the user says; `-` reads it from standard input.")
@click.option("--agent-version", "version", metavar="X.Y.Z", help="Which version (else the newest).")
@project_option
@segment_option
@click.option("--fresh", is_flag=True, help="Ask the model again, whatever replies are stored.")
async def start(
    call: Call,
    agent: str,
    message: str,
    version: str | None,
    project: str | None,
    segments: tuple[Segment, ...],
    fresh: bool,
) -> int:
    """Runs one turn of AGENT and records it. Exit code 1 when the turn failed."""
    words = sys.stdin.read() if message == "-" else message
    project_id = await call.project_id(project)
    made = await call.bench.runs.start(project_id, agent, version, words, segments, fresh)
    if call.json:
        call.out.json(run_with_items(made, ()))
    else:
        print_run(call.out, made, ())
    return 0 if made.status == "completed" else 1


@noun.verb(
    "import",
    example="kindgi-tui runs import runs.jsonl --project docs\n"
    "kindgi-tui runs import trajectories.json --agent acme.airline --agent-version 1.0.0 --dry-run",
)
@click.argument("files", nargs=-1, required=True, type=FILES)
@project_option
@click.option("--agent", help="The agent the runs are ascribed to (else what the file says).")
@click.option("--agent-version", "version", metavar="X.Y.Z", help="Its version (else what the file says).")
@segment_option
@click.option("--format", "format_name", help="Read every file as this format (else told by what is in it).")
@click.option(
    "--keep-judges", is_flag=True, help="Keep judges' names as the files have them, without an alias."
)
@click.option("--preferences", is_flag=True, help="Take preference pairs as judgments.")
@click.option("--dry-run", is_flag=True, help="Only say what would come in.")
async def import_runs(
    call: Call,
    files: tuple[Path, ...],
    project: str | None,
    agent: str | None,
    version: str | None,
    segments: tuple[Segment, ...],
    format_name: str | None,
    keep_judges: bool,
    preferences: bool,
    dry_run: bool,
) -> int:
    """Brings runs in from FILES (JSONL, chats, trajectories; folders too). Importing twice adds nothing.

    Exit code 1 when something was left out.
    """
    options = ImportOptions(
        project_id=await call.project_id(project),
        agent=agent,
        agent_version=version,
        segments=segments,
        format=format_name,
        keep_judges=keep_judges,
        preferences=preferences,
    )
    report = await call.bench.runs.import_files(files, options, dry_run)
    print_report(call, report, dry_run)
    return ANSWER_NO if report.left_out else DONE


@noun.verb(
    "pull",
    example="kindgi-tui runs pull --url https://kindgi.example.com --from-project docs --agent acme-ops.article-picker",
    opens=False,
    both=True,
)
@click.option("--from-project", metavar="PROJECT", help="Only runs of this project of the runtime.")
@click.option("--agent", help="Of this agent.")
@click.option("--flow", help="Of this flow.")
@click.option("--agent-version", "--flow-version", "version", metavar="X.Y.Z", help="Of this version.")
@since_and_until("runs started")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many, the newest (else all).")
@click.option(
    "--to-project", metavar="PROJECT", help="The workspace's project they go to (else its default one)."
)
async def pull(
    call: Call,
    from_project: str | None,
    agent: str | None,
    flow: str | None,
    version: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int | None,
    to_project: str | None,
) -> None:
    """Copies runs from a runtime into the workspace, with their conversations, journals and judgments.

    The runtime is named with --url, --profile or KINDGI_API_URL, the workspace with --workspace. Runs that are here
    already stay as they are.
    """
    from kindgi_tui.cli.pulling import pull_into

    if agent is not None and flow is not None:
        raise click.UsageError("Give --agent or --flow, not both.")
    query = RunFilter(
        project_id=from_project,
        subject_kind="agent" if agent else "flow" if flow else None,
        subject_id=agent or flow,
        subject_version=version,
        created_since=since,
        created_until=until,
    )
    await pull_into(call, query, limit, to_project)


@noun.verb("export", example="kindgi-tui runs export --project docs > runs.jsonl")
@filters
async def export(call: Call, **asked: object) -> None:
    """Prints runs with their judgments and corrections as JSON, one a line, newest first; `runs import` reads it."""
    query = await query_of(call, **asked)  # type: ignore[arg-type]

    async def read(size: int, place: str | None) -> Page[Run]:
        return await call.bench.runs.list(query, size, place)

    async for page in pages(read, MOST, None, True):
        for one in page.data:
            line = await call.bench.runs.export(one.id)
            # JSON leaves this one control byte unescaped.
            call.out.raw(line.replace("\x7f", "\\u007f") + "\n")
            if call.out.gone:
                return
