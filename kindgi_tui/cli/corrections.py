"""`kindgi-tui corrections`: what a run should have done."""

from collections.abc import Sequence
from pathlib import Path

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.commands import command
from kindgi_tui.cli.errors import DONE, NOT_REACHED, WRONG, say
from kindgi_tui.cli.expectation_options import expectation_of, expectation_options, in_words, in_words_of
from kindgi_tui.cli.listing import print_pages
from kindgi_tui.cli.parameters import FILE, paged, pages, project_filter
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs, short_id, table
from kindgi_tui.cli.values import PARTICIPANT
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.correction_words import expectation_parts, expectation_words
from kindgi_tui.domain.corrections import (
    Correction,
    CorrectionFilter,
    Expectation,
    ExpectedCall,
    NewCorrection,
)
from kindgi_tui.session.expected_tools import ToolDoubts
from kindgi_tui.text import one_line
from kindgi_tui.wire import v04
from kindgi_tui.workbench import Denied, Page, Refused

LONGEST = 300
"""The most cells of a line that says what an earlier correction expected."""


@click.group("corrections", cls=Noun, example="kindgi-tui corrections add 3f2a9c11 --decisions right")
def noun() -> None:
    """What runs should have done. Everybody has one live correction of a run; correcting again replaces it."""


@noun.verb(
    "add",
    example="kindgi-tui corrections add 3f2a9c11 --decisions right --answer wrong --should-say "
    '"A refund takes five days."\n'
    "kindgi-tui corrections add 3f2a9c11 --decisions wrong --must-not-call acme-ops.log-suggestion "
    '--should-call \'acme-ops.search-articles {"query": "refund"}\'\n'
    "kindgi-tui corrections add --file corrections.yaml",
)
@click.argument("run", required=False)
@expectation_options
@click.option(
    "--group",
    "--class",
    "-g",
    "group",
    metavar="GROUP",
    shell_complete=completing.groups,
    help="Speak as it.",
)
@click.option(
    "--participant",
    type=PARTICIPANT,
    help="The app's own user it is said for, by an id without a name in it.",
)
@click.option(
    "--file", "file", type=FILE, metavar="FILE",
    help="Read a correction, or a list of them (saved all or none), from this YAML or JSON file; `-`: standard input.",
)  # fmt: skip
async def add(
    call: Call,
    run: str | None,
    decisions: str | None,
    should_call: tuple[ExpectedCall, ...],
    must_not_call: tuple[str, ...],
    answer: str | None,
    should_say: str | None,
    why: str | None,
    group: str | None,
    participant: str | None,
    file: Path | None,
) -> int:
    """Says what RUN (8 characters of its id are enough) should have done. It is on disk when this returns.

    A file has the fields decisions, shouldCall (a list of toolId and args), mustNotCall, answer, shouldSay, why, and
    perhaps runId, group and participantId.
    """
    expect = expectation_of(decisions, should_call, must_not_call, answer, should_say, why)
    if file is not None:
        if expect != Expectation():
            raise click.UsageError("--file can't stand beside flags that say what is expected.")
        return await _add_from_file(call, file, run, group, participant)
    if run is None:
        raise click.UsageError("Name the run, or give --file.")
    if expect == Expectation():
        raise click.UsageError("Say what was right or wrong: --decisions, --answer, or --file.")
    new = NewCorrection(run_id=run, expect=expect, group=group, participant=participant)
    with in_words_of(file):
        made = await call.bench.corrections.add(new)
    _print_one(call, made)
    await _say_doubts(call, (made,))
    return DONE


async def _say_doubts(call: Call, made: Sequence[Correction]) -> None:
    """Says which tools nobody knows, and which arguments don't fit: a typo there fails, or passes, every version."""
    finding = ToolDoubts(call.bench)
    for place, one in enumerate(made, 1):
        which = f"Correction {place}: " if len(made) > 1 else ""
        back = command(call, "corrections take-back", short_id(one.run_id))
        for sentence in await finding.of_run(one.run_id, one.expect):
            say(f"Note: {which}{sentence} If it is a typo: {back}")


async def _add_from_file(
    call: Call, file: Path, run: str | None, group: str | None, participant: str | None
) -> int:
    from kindgi_tui.cli.correction_files import Whose, check_twice, read_corrections

    try:
        with in_words_of(file):
            found = read_corrections(file, Whose(run, group, participant))
            if isinstance(found, NewCorrection):
                one = await call.bench.corrections.add(found)
                _print_one(call, one)
                await _say_doubts(call, (one,))
                return DONE
            await check_twice(call.bench, found)
            made = await call.bench.corrections.add_all(found)
    except Refused as cause:
        for place, why in cause.refusals:
            say(f"Error: Correction {place}: {in_words(why.sentence, file)}")
        say("None was saved.")
        return NOT_REACHED if all(isinstance(why, Denied) for _, why in cause.refusals) else WRONG
    if call.json:
        call.out.json(v04.page(made, v04.correction))
    else:
        call.out.lines(table(_COLUMNS, [_cells(one) for one in made], call.out.width))
    await _say_doubts(call, made)
    return DONE


@noun.verb("list", example="kindgi-tui corrections list --agent acme-ops.article-picker --mine")
@project_filter
@click.option("--run", "run_id", metavar="RUN", help="Of this run.")
@click.option("--agent", shell_complete=completing.agents, help="Of runs of this agent.")
@click.option("--flow", shell_complete=completing.flows, help="Of runs of this flow.")
@click.option(
    "--group", "--class", "-g", "group", shell_complete=completing.groups, help="Said as this group."
)
@click.option("--by", "asserter", metavar="PERSON", shell_complete=completing.people, help="Said by.")
@click.option("--mine", is_flag=True, help="Said by you.")
@paged
async def list_corrections(
    call: Call,
    project: str | None,
    run_id: str | None,
    agent: str | None,
    flow: str | None,
    group: str | None,
    asserter: str | None,
    mine: bool,
    limit: int,
    cursor: str | None,
    whole: bool,
) -> None:
    """Lists live corrections, newest first."""
    if agent is not None and flow is not None:
        raise click.UsageError("Give --agent or --flow, not both.")
    if mine and asserter is not None:
        raise click.UsageError("Give --mine or --by, not both.")
    query = CorrectionFilter(
        project_id=await call.project_id_if(project),
        run_id=None if run_id is None else (await call.bench.runs.get(run_id)).id,
        subject_id=agent or flow,
        asserter=(await call.bench.people.me()).id if mine else asserter,
        group_id=None if group is None else (await call.bench.groups.get(group)).id,
    )

    async def read(size: int, place: str | None) -> Page[Correction]:
        return await call.bench.corrections.list(query, size, place)

    await print_pages(
        call,
        pages(read, limit, cursor, whole),
        shape=v04.correction,
        columns=_COLUMNS,
        cells=_cells,
        empty="No corrections match. Find a run with kindgi-tui runs list, and say what it should have done: "
        'kindgi-tui corrections add RUN --answer wrong --should-say "…"',
    )


_COLUMNS = (Column("ID"), Column("RUN"), Column("WHO", least=8), Column("EXPECTS", least=24), Column("WHEN"))


def _cells(one: Correction) -> tuple[str, ...]:
    who = f"{one.asserter} (expert)" if one.expert else one.asserter
    return (
        short_id(one.id),
        short_id(one.run_id),
        who,
        expectation_words(one.expect),
        v04.time(one.created_at),
    )


@noun.verb("show", example="kindgi-tui corrections show 0b1c7a52")
@click.argument("correction", shell_complete=completing.corrections)
async def show(call: Call, correction: str) -> None:
    """Shows CORRECTION (8 characters of its id are enough): what it expects, who said it, and what they said before."""
    one = await call.bench.corrections.get(correction)
    others = [
        each
        for each in await call.bench.corrections.history(one.run_id)
        if (each.asserter, each.participant) == (one.asserter, one.participant) and each.id != one.id
    ]
    if call.json:
        history: list[Json] = [v04.correction(each) for each in others]
        call.out.json({**v04.correction(one), "history": history})
        return
    _print_one(call, one)
    if not others:
        return
    call.out.line()
    call.out.line("Said of this run by them at other times", heading=True)
    for each in others:
        live = "live" if each.ended_at is None else f"until {v04.time(each.ended_at)}"
        words = expectation_words(each.expect)
        call.out.line(
            f"  {v04.time(each.created_at)}, {live}, {short_id(each.id)}: {one_line(words, LONGEST)}"
        )


@noun.verb("take-back", example="kindgi-tui corrections take-back 3f2a9c11")
@click.argument("run")
@click.option("--participant", type=PARTICIPANT, help="The app's own user it was said for.")
async def take_back(call: Call, run: str, participant: str | None) -> None:
    """Takes your correction of RUN back: what you said before it comes back, a first one goes."""
    before = await call.bench.corrections.take_back(run, participant)
    if before is not None:
        _print_one(call, before)
    elif call.json:
        call.out.json({"runId": (await call.bench.runs.get(run)).id, "correction": None})
    else:
        call.out.line("Taken back. You have no correction of that run now.")


@noun.verb("remove", example="kindgi-tui corrections remove 0b1c7a52", also="unregister")
@click.argument("correction", shell_complete=completing.corrections)
async def remove(call: Call, correction: str) -> None:
    """Removes one of your live corrections (8 characters of its id are enough)."""
    one = await call.bench.corrections.get(correction)
    await call.bench.corrections.remove(one.id)
    if call.json:
        call.out.json({"correctionId": one.id, "removed": True})
    else:
        call.out.line(f"Removed {one.id}.")


def _print_one(call: Call, one: Correction) -> None:
    if call.json:
        call.out.json(v04.correction(one))
        return
    group = None if one.group_id is None else f"{one.group_id}{' (experts)' if one.expert else ''}"
    rows = [("correction", one.id), ("of run", one.run_id), ("who", one.asserter), ("group", group)]
    rows += [("for", one.participant), ("when", v04.time(one.created_at))]
    rows += [("ended", None if one.ended_at is None else v04.time(one.ended_at))]
    call.out.lines(pairs([*rows, ("replaced by", one.superseded_by)]))
    for part in expectation_parts(one.expect):
        call.out.paragraph(part)
