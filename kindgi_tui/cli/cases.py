"""`kindgi-tui cases`: the test cases of an agent, its own test set."""

from pathlib import Path

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.commands import command
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.expectation_options import expectation_of, expectation_options, in_words_of
from kindgi_tui.cli.listing import print_pages
from kindgi_tui.cli.own_case_text import marks_of, print_own_case
from kindgi_tui.cli.parameters import FILE, paged, pages, project_option
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.tables import Column, pairs, short_id
from kindgi_tui.cli.values import FILLED
from kindgi_tui.domain.correction_words import expectation_words
from kindgi_tui.domain.corrections import Expectation, ExpectedCall
from kindgi_tui.domain.own_test_sets import ExpectedItem, NewCase, OwnCase
from kindgi_tui.session.equal_cases import EqualCases, equal_words
from kindgi_tui.session.expected_tools import ToolDoubts
from kindgi_tui.session.known_agents import check_agent
from kindgi_tui.text import dumps_line
from kindgi_tui.wire import v04
from kindgi_tui.workbench import Page


class ItemType(click.ParamType[ExpectedItem]):
    """An item that should, or should not, be in the output: `KEY=yes` or `KEY=no`."""

    name = "key=yes|no"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> ExpectedItem:
        """Splits at the last `=`: a key may hold others."""
        if isinstance(value, ExpectedItem):
            return value
        key, _, verdict = str(value).rpartition("=")
        if not key.strip() or verdict not in ("yes", "no"):
            self.fail(f"An item is KEY=yes or KEY=no, such as kb-301=yes; got {value!r}.", param, ctx)
        return ExpectedItem(key=key, verdict="yes" if verdict == "yes" else "no")


CASE = click.argument("case")


@click.group("cases", cls=Noun, example="kindgi-tui cases list --agent acme-ops.article-picker")
def noun() -> None:
    """The test cases of an agent: each run people said something of, and those added by hand.

    Together they are its own test set, agent.AGENT.PROJECT; a comparison on it freezes them as a version.
    """


@noun.verb(
    "add",
    example='kindgi-tui cases add --run 3f2a9c11 --answer wrong --should-say "A refund takes five days."\n'
    'kindgi-tui cases add --agent acme-ops.article-picker --input "Is support open on Sunday?" --item kb-410=yes\n'
    "kindgi-tui cases add --file case.yaml",
)
@click.option("--run", "run_id", metavar="RUN", help="Copy this run; 8 characters of its id are enough.")
@click.option("--agent", shell_complete=completing.agents, help="Without a run: the agent it is for.")
@project_option
@click.option("--input", "given", type=FILLED, metavar="TEXT", help="Without a run: what the agent is asked.")
@click.option(
    "--input-file", type=FILE, metavar="FILE", help="The same, read from a file; `-`: standard input."
)
@expectation_options
@click.option(
    "--item", "items", type=ItemType(), multiple=True, metavar="KEY=yes|no",
    help="An item that should (yes) or should not (no) be in the output; repeat for more.",
)  # fmt: skip
@click.option(
    "--file", "file", type=FILE, metavar="FILE",
    help="Read the case from this YAML or JSON file; `-`: standard input.",
)  # fmt: skip
async def add(
    call: Call,
    run_id: str | None,
    agent: str | None,
    project: str | None,
    given: str | None,
    input_file: Path | None,
    decisions: str | None,
    should_call: tuple[ExpectedCall, ...],
    must_not_call: tuple[str, ...],
    answer: str | None,
    should_say: str | None,
    why: str | None,
    items: tuple[ExpectedItem, ...],
    file: Path | None,
) -> None:
    """Adds a test case by hand, from a run or from nothing. It counts as an expert's.

    A file has the fields runId, or agentId and input; items (a field each, yes or no); and those of a correction:
    decisions, shouldCall (a list of toolId and args), mustNotCall, answer, shouldSay, why.
    """
    if run_id is not None and agent is not None:
        raise click.UsageError("Give --run or --agent, not both: a run says whose it is.")
    if given is not None and input_file is not None:
        raise click.UsageError("Give --input or --input-file, not both.")
    expect = expectation_of(decisions, should_call, must_not_call, answer, should_say, why)
    new = NewCase(run_id=run_id, agent_id=agent, input=given, expect=expect, items=items)
    if input_file is not None:
        from kindgi_tui.cli.documents import read_text

        new = new.model_copy(update={"input": read_text(input_file)})
    if file is not None:
        if expect != Expectation() or items:
            raise click.UsageError("--file can't stand beside flags that say what is expected.")
        from kindgi_tui.cli.case_files import read_case

        with in_words_of(file):
            new = read_case(file, new)
    if new.run_id is None:
        new = new.model_copy(update={"project_id": await call.project_id(project)})
    with in_words_of(file):
        made = await call.bench.cases.add(new)
    _print_one(call, made)
    await _say_doubts(call, made)
    await _say_equal(call, made, new.project_id)


async def _say_doubts(call: Call, made: OwnCase) -> None:
    """Says which tools nobody knows, and which arguments don't fit: a typo there fails, or passes, every version."""
    if made.expect is None:
        return
    finding = ToolDoubts(call.bench)
    told = (
        await finding.of_agent(made.case.subject.id, made.expect)
        if made.run_id is None
        else await finding.of_run(made.run_id, made.expect)
    )
    back = command(call, "cases retire", short_id(made.id))
    for sentence in told:
        say(f"Note: {sentence} If it is a typo: {back}")


async def _say_equal(call: Call, made: OwnCase, project_id: str | None) -> None:
    """Says which live case says the same already."""
    if project_id is None:
        project_id = (await call.bench.runs.get(made.run_id or "")).project_id
    other = await EqualCases(call.bench).of_made(made, project_id)
    if other is not None:
        back = command(call, "cases retire", short_id(made.id))
        say(f"Note: {equal_words(other, made.run_id is not None)} If one is enough: {back}")


@noun.verb("list", example="kindgi-tui cases list --agent acme-ops.article-picker --project docs")
@click.option(
    "--agent", shell_complete=completing.agents, help="Whose cases (needed where several have some)."
)
@project_option
@click.option("--retired", is_flag=True, help="The retired ones instead.")
@paged
async def list_cases(
    call: Call,
    agent: str | None,
    project: str | None,
    retired: bool,
    limit: int,
    cursor: str | None,
    whole: bool,
) -> None:
    """Lists an agent's test cases, newest first, with what each expects."""
    project_id = await call.project_id(project)
    if agent is not None:
        await check_agent(call.bench, agent)
    whose = agent if agent is not None else await _only_agent(call, project_id)

    async def read(size: int, place: str | None) -> Page[OwnCase]:
        if whose is None:
            return Page(data=(), has_more=False, next_cursor=None)
        return await call.bench.cases.list(whose, project_id, retired, size, place)

    await print_pages(
        call,
        pages(read, limit, cursor, whole),
        shape=v04.own_case,
        columns=_COLUMNS,
        cells=_cells,
        empty="No test case is retired."
        if retired
        else "No test cases yet. Judge runs (kindgi-tui judge), correct one (kindgi-tui corrections add RUN …), or "
        "add one by hand: kindgi-tui cases add --run RUN …",
    )


async def _only_agent(call: Call, project_id: str) -> str | None:
    """The one agent with test cases in the project; None when there is none."""
    agents = [one.agent_id for one in await call.bench.cases.sets(project_id)]
    if len(agents) > 1:
        raise click.UsageError(
            f"Several agents have test cases here: add --agent {' or --agent '.join(agents)}."
        )
    return agents[0] if agents else None


_COLUMNS = (
    Column("CASE"),
    Column("ASKED", least=16),
    Column("YES", right=True),
    Column("NO", right=True),
    Column("EXPECTS", least=20),
    Column("NOTE", least=8),
)


def _cells(one: OwnCase) -> tuple[str, ...]:
    yes, no = sum(item.yes for item in one.items), sum(item.no for item in one.items)
    return (
        short_id(one.id),
        one.input if isinstance(one.input, str) else dumps_line(one.input),
        f"{yes:g}",
        f"{no:g}",
        "items alone" if one.expect is None else expectation_words(one.expect),
        marks_of(one),
    )


@noun.verb("show", example="kindgi-tui cases show 240c0a0b")
@CASE
async def show(call: Call, case: str) -> None:
    """Shows CASE (8 characters of its id are enough): what goes in, what it expects, its items."""
    _print_one(call, await call.bench.cases.get(case))


@noun.verb("retire", example="kindgi-tui cases retire 240c0a0b")
@CASE
async def retire(call: Call, case: str) -> None:
    """Leaves CASE out of the next versions, until it is brought back. Frozen versions keep it."""
    found = await call.bench.cases.retire(case)
    back = command(call, "cases bring-back", short_id(found.id))
    _say_done(call, found, f"Retired case {found.id}. To bring it back: {back}")


@noun.verb("bring-back", example="kindgi-tui cases bring-back 240c0a0b")
@CASE
async def bring_back(call: Call, case: str) -> None:
    """Brings a retired CASE back."""
    found = await call.bench.cases.bring_back(case)
    _say_done(call, found, f"Case {found.id} is live.")


@noun.verb("freeze", example="kindgi-tui cases freeze --agent acme-ops.article-picker")
@click.option("--agent", required=True, shell_complete=completing.agents, help="Whose cases.")
@project_option
async def freeze(call: Call, agent: str, project: str | None) -> None:
    """Makes a version of an agent's test cases as they are now, when they changed since the newest.

    A comparison does it by itself; this is for comparing several versions on the same cases, with --version.
    """
    project_id = await call.project_id(project)
    await check_agent(call.bench, agent)
    made = await call.bench.cases.freeze(agent, project_id)
    if call.json:
        call.out.json(v04.test_set(made))
    else:
        call.out.lines(
            pairs(
                [("test set", made.test_set_id), ("version", made.version), ("cases", f"{made.case_count:,}")]
            )
        )


def _say_done(call: Call, one: OwnCase, sentence: str) -> None:
    if call.json:
        call.out.json(v04.own_case(one))
    else:
        call.out.line(sentence)


def _print_one(call: Call, one: OwnCase) -> None:
    if call.json:
        call.out.json(v04.own_case(one))
    else:
        print_own_case(call.out, one)
