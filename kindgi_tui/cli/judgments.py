"""`kindgi-tui judgments`: yes or no on one item of a run."""

import shlex
from typing import cast

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.items import item_of, word_of
from kindgi_tui.cli.listing import print_pages
from kindgi_tui.cli.parameters import MOST, F, paged, pages, project_filter
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs, short_id
from kindgi_tui.cli.unsent import marked, state_of, unsent_verdicts
from kindgi_tui.cli.values import PARTICIPANT
from kindgi_tui.domain.judgments import ItemRef, Judgment, Verdict
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
from kindgi_tui.wire import v04
from kindgi_tui.workbench import Conflict, Page, Unavailable

WHOLE_ID = 36
"""The characters of a whole id."""


@click.group("judgments", cls=Noun, example="kindgi-tui judgments add --run 3f2a9c11 --item kb-101 --yes")
def noun() -> None:
    """What people said. Everybody has one live verdict on an item; judging again replaces it."""


@noun.verb(
    "add",
    example='kindgi-tui judgments add --run 3f2a9c11 --item kb-101 --yes --reason "Resets the password"\n'
    "kindgi-tui judgments add --run 3f2a9c11 --item kb-102 --no --group experts",
)
@click.option(
    "--run", "run_id", required=True, metavar="RUN", help="The run; 8 characters of its id are enough."
)
@click.option(
    "--item", "key", required=True, metavar="KEY", help="The item's key, as `runs show` lists them."
)
@click.option("--pointer", help="Where it stands in the output (else looked up).")
@click.option("--rank", type=click.IntRange(0), help="Its place in its list, 0 first (else looked up).")
@click.option("--yes", "yes", is_flag=True, help="The item is right.")
@click.option("--no", "no", is_flag=True, help="The item is wrong.")
@click.option("--reason", help="Why, in at most 4,000 characters.")
@click.option(
    "--group", "--class", "group", metavar="GROUP", shell_complete=completing.groups, help="Speak as it."
)
@click.option(
    "--participant",
    type=PARTICIPANT,
    help="The app's own user it is said for, by an id without a name in it.",
)
async def add(
    call: Call,
    run_id: str,
    key: str,
    pointer: str | None,
    rank: int | None,
    yes: bool,
    no: bool,
    reason: str | None,
    group: str | None,
    participant: str | None,
) -> None:
    """Says yes or no of one item. It is on disk when this returns."""
    if yes == no:
        raise click.UsageError("Give exactly one of --yes and --no.")
    verdict: Verdict = "yes" if yes else "no"
    identity, item = await _item(call, run_id, key, pointer, rank)
    added = await call.bench.judgments.add(
        NewJudgment(
            run_id=identity,
            item=item,
            verdict=verdict,
            reason=reason or None,
            group=group,
            participant=participant,
        )
    )
    await _print_one(call, added)


async def _item(
    call: Call, run_id: str, key: str, pointer: str | None, rank: int | None
) -> tuple[str, ItemRef]:
    """The run's id and the item in it; as they are told, where the runtime that has the run can't be reached."""
    try:
        run = await call.bench.runs.get(run_id)
    except Unavailable as cause:
        if len(run_id) != WHOLE_ID or pointer is None:
            raise Unavailable(
                f"{cause.sentence} To keep the verdict until then, give the run's whole id, --pointer and --rank.",
                code=cause.code,
                retry_after=cause.retry_after,
            ) from cause
        return run_id, ItemRef(key=key, pointer=pointer, rank=rank)
    return run.id, item_of(run, key, pointer, rank)


@noun.verb("take-back", example="kindgi-tui judgments take-back --run 3f2a9c11 --item kb-101")
@click.option(
    "--run", "run_id", required=True, metavar="RUN", help="The run; 8 characters of its id are enough."
)
@click.option("--item", "key", required=True, metavar="KEY", help="The item's key.")
@click.option("--participant", type=PARTICIPANT, help="The app's own user it was said for.")
async def take_back(call: Call, run_id: str, key: str, participant: str | None) -> None:
    """Takes your verdict on an item back: what you said before it comes back, a first one goes."""
    identity = await _run_id(call, run_id)
    before = await call.bench.judgments.take_back(identity, key, participant)
    if before is not None:
        await _print_one(call, before)
    elif call.json:
        call.out.json({"runId": identity, "itemKey": key, "judgment": None})
    else:
        call.out.line("Taken back. You have no verdict on that item now.")


async def _run_id(call: Call, run_id: str) -> str:
    """The run's whole id; one that is told whole needs no runtime that can be reached."""
    try:
        return (await call.bench.runs.get(run_id)).id
    except Unavailable:
        if len(run_id) != WHOLE_ID:
            raise
        return run_id


def filters(function: F) -> F:
    """The filters of a list of judgments."""
    for add_option in reversed(
        [
            project_filter,
            click.option("--run", "run_id", metavar="RUN", help="On this run."),
            click.option("--agent", shell_complete=completing.agents, help="On runs of this agent."),
            click.option("--flow", shell_complete=completing.flows, help="On runs of this flow."),
            click.option(
                "--agent-version", "--flow-version", "version", metavar="X.Y.Z", help="Of this version."
            ),
            click.option("--verdict", type=click.Choice(["yes", "no"]), help="Saying this."),
            click.option(
                "--group", "--class", "group", shell_complete=completing.groups, help="Said as this group."
            ),
            click.option(
                "--by", "asserter", metavar="PERSON", shell_complete=completing.people, help="Said by."
            ),
        ]
    ):
        function = add_option(function)
    return function


async def query_of(
    call: Call,
    project: str | None,
    run_id: str | None,
    agent: str | None,
    flow: str | None,
    version: str | None,
    verdict: str | None,
    group: str | None,
    asserter: str | None,
) -> JudgmentFilter:
    """The filter the options make. Raises NotFound for a project, run or group that isn't there."""
    if agent is not None and flow is not None:
        raise click.UsageError("Give --agent or --flow, not both.")
    if version is not None and agent is None and flow is None:
        raise click.UsageError("--agent-version needs --agent.")
    return JudgmentFilter(
        project_id=await call.project_id_if(project),
        run_id=None if run_id is None else (await call.bench.runs.get(run_id)).id,
        subject_id=agent or flow,
        subject_version=version,
        verdict=cast(Verdict | None, verdict),
        group_id=None if group is None else (await call.bench.groups.get(group)).id,
        asserter=asserter,
    )


@noun.verb("list", example="kindgi-tui judgments list --agent acme-ops.article-picker --verdict no")
@filters
@paged
async def list_judgments(
    call: Call, limit: int, cursor: str | None, whole: bool, **asked: str | None
) -> None:
    """Lists live judgments, newest first."""
    query = await query_of(call, **asked)
    unsent = await unsent_verdicts(call)

    async def read(size: int, place: str | None) -> Page[Judgment]:
        return await call.bench.judgments.list(query, size, place)

    await print_pages(
        call,
        pages(read, limit, cursor, whole),
        shape=lambda one: marked(one, unsent),
        columns=[
            Column("RUN"),
            Column("ITEM"),
            Column("VERDICT"),
            Column("WHO", least=8),
            Column("REASON", least=16),
            Column("WHEN"),
            Column("ID"),
            *([Column("OUTBOX")] if unsent else []),
        ],
        cells=lambda one: (
            short_id(one.run_id),
            one.item.key,
            one.verdict,
            one.asserter,
            one.reason or "",
            v04.time(one.created_at),
            one.id,
            *([state_of(one, unsent)] if unsent else []),
        ),
        empty="No judgments match. Find a run with kindgi-tui runs list, and judge one of its items: "
        "kindgi-tui judgments add --run RUN --item KEY --yes",
    )


@noun.verb("export", example="kindgi-tui judgments export --project docs > judgments.jsonl")
@filters
async def export(call: Call, **asked: str | None) -> None:
    """Prints every live judgment as JSON, one a line, newest first."""
    query = await query_of(call, **asked)
    unsent = await unsent_verdicts(call)

    async def read(size: int, place: str | None) -> Page[Judgment]:
        return await call.bench.judgments.list(query, size, place)

    async for page in pages(read, MOST, None, True):
        for one in page.data:
            call.out.json_line(marked(one, unsent))
        if call.out.gone:
            return


@noun.verb(
    "remove", example="kindgi-tui judgments remove 0b1c7a52-61c5-4f4e-9a8e-1f3a4d5e6f70", also="unregister"
)
@click.argument("judgment")
async def remove(call: Call, judgment: str) -> None:
    """Removes one of your live judgments, by its id; one that waits in the outbox too."""
    found = [
        one for one in (await unsent_verdicts(call)).values() if judgment and one.id.startswith(judgment)
    ]
    entry = found[0] if len(found) == 1 else None
    judgment = judgment if entry is None else entry.id
    try:
        await call.bench.judgments.remove(judgment)
    except Conflict as cause:
        if entry is None or cause.code != "may-have-arrived":
            raise
        raise Conflict(
            "It was sent and not answered yet, so it may have arrived. Take the verdict back instead: "
            f"kindgi-tui judgments take-back --run {entry.run_id} --item {shlex.quote(entry.item_key)}",
            code=cause.code,
        ) from cause
    if call.json:
        call.out.json({"judgmentId": judgment, "removed": True})
    else:
        call.out.line(f"Removed {judgment}.")


async def _print_one(call: Call, one: Judgment) -> None:
    unsent = await unsent_verdicts(call)
    if call.json:
        call.out.json(marked(one, unsent))
        return
    rows = [("item", one.item.key), ("verdict", word_of(one)), ("reason", one.reason), ("who", one.asserter)]
    rows += [("group", one.group_id), ("for", one.participant), ("run", one.run_id), ("id", one.id)]
    call.out.lines(pairs([*rows, ("outbox", state_of(one, unsent) or None)]))
