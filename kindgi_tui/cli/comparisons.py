"""`kindgi-tui comparisons`: a new version on a test set, beside what was recorded."""

from collections.abc import Awaitable
from typing import Literal, cast

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.commands import command
from kindgi_tui.cli.comparison_text import note, print_plan, rated
from kindgi_tui.cli.errors import ANSWER_NO, DONE, INTERRUPTED, say
from kindgi_tui.cli.following import FINAL, wait_for_end
from kindgi_tui.cli.gates import Least, Regression, failed_gates, finished_well, gate_options
from kindgi_tui.cli.listing import print_pages
from kindgi_tui.cli.overriding import (
    OverriddenPrompt,
    OverriddenSettings,
    gathered,
    overriding,
    told_by_source,
)
from kindgi_tui.cli.parameters import paged, pages, project_filter, project_option
from kindgi_tui.cli.report import CASES, candidate_name, print_comparison
from kindgi_tui.cli.review import regressed
from kindgi_tui.cli.shared_options import Noun
from kindgi_tui.cli.swapping import swaps_named, with_option
from kindgi_tui.cli.tables import Column, short_id
from kindgi_tui.cli.values import CORRELATION, DOLLARS, SECONDS, SEED, SHARE, VERSION
from kindgi_tui.domain.comparison_records import (
    Comparison,
    ComparisonRequest,
    Reads,
    SamplePart,
    Weighing,
)
from kindgi_tui.domain.limits import check_gate, check_sample
from kindgi_tui.domain.overrides import Overrides
from kindgi_tui.domain.own_test_sets import own_test_set_id, parse_own_test_set_id
from kindgi_tui.wire import v04
from kindgi_tui.workbench import Page

WEIGHINGS = {"as-recorded": "as-recorded", "experts-only": "experts-only", "restricted-only": "experts-only"}
"""Spellings of the weighing, and ours."""

IDENTIFIER = click.argument("comparison", shell_complete=completing.comparisons)


@click.group("comparisons", cls=Noun, example="kindgi-tui comparisons list")
def noun() -> None:
    """Replays each case with a new version, and rates its answers with what people already said."""


@noun.verb(
    "start",
    example="kindgi-tui comparisons start acme.article-picks --project docs --agent acme-ops.article-picker "
    "--agent-version 0.2.0 --wait\n"
    "kindgi-tui comparisons start acme.article-picks --project docs --agent acme-ops.article-picker "
    "--agent-version 0.2.0 --fail-under pass-rate=0.9 --fail-on-regression=any\n"
    "kindgi-tui comparisons start --own --agent acme-ops.article-picker --agent-version 0.2.0 --wait",
)
@click.argument("test_set", required=False, shell_complete=completing.test_sets)
@click.option("--own", is_flag=True, help="On the agent's own test set, in place of TEST_SET.")
@project_option
@click.option(
    "--version",
    "--suite-version",
    "version",
    type=VERSION,
    metavar="X.Y.Z",
    help="The test set's (else the newest).",
)
@click.option("--agent", shell_complete=completing.agents, help="The candidate agent.")
@click.option("--flow", shell_complete=completing.flows, help="The candidate flow.")
@click.option(
    "--agent-version", "--flow-version", "subject_version", required=True, type=VERSION, metavar="X.Y.Z",
    help="The candidate's version.",
)  # fmt: skip
@with_option
@click.option(
    "--repetitions", type=click.IntRange(1, 10), default=1, show_default=True, help="Runs of each case."
)
@click.option("--reads", type=click.Choice(["recorded", "live"]), default="recorded", show_default=True,
    help="Whether reads take the recorded result first.")  # fmt: skip
@click.option("--sample", type=click.Choice(["search", "hold-out"]), help="Only this part of the cases.")
@click.option(
    "--seed",
    type=SEED,
    help="What splits the cases, with --sample; the same seed always splits the same way.",
)
@click.option(
    "--hold-out-share", type=SHARE, default=0.3, show_default=True, help="Of the cases, 0.1 to 0.9."
)
@click.option(
    "--k", type=click.IntRange(1, 100), default=10, show_default=True, help="The k of precision at k."
)
@click.option(
    "--weighing", "--group-weights", "--class-weights", "weighing", type=click.Choice(list(WEIGHINGS)),
    default="as-recorded", show_default=True, help="Which judgments count.",
)  # fmt: skip
@click.option("--cost-limit", type=DOLLARS, metavar="USD", help="Ends it when it would cost more.")
@click.option(
    "--concurrency", type=click.IntRange(1, 1000), default=16, show_default=True, help="Runs at once."
)
@click.option("--case-timeout", type=SECONDS, default=600.0, show_default=True,
    metavar="SECONDS", help="After this a stuck run is given up.")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Ask the models again, whatever replies are stored.")
@overriding
@click.option("--correlation-id", type=CORRELATION, help="An id of your own, kept with it.")
@click.option("--dry-run", is_flag=True, help="Only say what would run, and what it may cost.")
@click.option("--wait", is_flag=True, help="Wait for the end and print the report; Ctrl-C cancels.")
@gate_options
async def start(
    call: Call,
    test_set: str | None,
    own: bool,
    project: str | None,
    version: str | None,
    agent: str | None,
    flow: str | None,
    subject_version: str,
    swaps: tuple[tuple[str, str], ...],
    repetitions: int,
    reads: str,
    sample: str | None,
    seed: str | None,
    hold_out_share: float,
    k: int,
    weighing: str,
    cost_limit: float | None,
    concurrency: int,
    case_timeout: float,
    fresh: bool,
    override_settings: tuple[OverriddenSettings, ...],
    override_prompt: tuple[OverriddenPrompt, ...],
    correlation_id: str | None,
    dry_run: bool,
    wait: bool,
    least: tuple[Least, ...],
    regression: Regression | None,
) -> int:
    """Runs one version of an agent or flow on TEST_SET.

    An agent's own test set (agent.AGENT.PROJECT, agent.AGENT, or --own) is frozen first: its cases as they are now.

    Exit code 1 when it failed, was cancelled, some cases were errors, or a gate says no.
    """
    if (agent is None) == (flow is None):
        raise click.UsageError("Give exactly one of --agent and --flow.")
    if own and test_set is not None:
        raise click.UsageError(f"{test_set} and --own name two test sets: leave one of them out.")
    if not own and test_set is None:
        raise click.UsageError("Name one test set: TEST_SET, or --own for the agent's own.")
    if seed is not None and sample is None:
        raise click.UsageError("--seed needs --sample.")
    part = _sample(sample, seed, hold_out_share)
    overrides = gathered(override_settings, override_prompt)
    gated = _check_gate(least, regression, part, overrides)
    named, project_id = await named_set(call, test_set, agent, project)
    request = ComparisonRequest(
        test_set_id=named,
        version=version,
        project_id=project_id,
        agent_id=agent,
        flow_id=flow,
        subject_version=subject_version,
        versions=await swaps_named(call, flow, subject_version, swaps),
        reads=cast(Reads, reads),
        repetitions=repetitions,
        k=k,
        weighing=cast(Weighing, WEIGHINGS[weighing]),
        sample=part,
        concurrency=concurrency,
        cost_limit=cost_limit,
        fresh=fresh,
        case_timeout=case_timeout,
        correlation_id=correlation_id,
        overrides=overrides,
    )
    if dry_run and gated:
        raise click.UsageError("A dry run has no result for a gate to decide by.")
    with told_by_source(override_settings, override_prompt):
        if dry_run:
            print_plan(call, await call.bench.comparisons.plan(request))
        elif wait or gated:
            return await _ended(call, call.bench.comparisons.start(request), least, regression)
        else:
            _print_started(call, await call.bench.comparisons.start(request))
    return DONE


@noun.verb("follow", example="kindgi-tui comparisons follow 5d1c0f2e")
@IDENTIFIER
@gate_options
async def follow(call: Call, comparison: str, least: tuple[Least, ...], regression: Regression | None) -> int:
    """Waits for the end of COMPARISON and prints its report. Ctrl-C cancels it."""
    found = await call.bench.comparisons.get(comparison)
    _check_gate(least, regression, found.request.sample, found.request.overrides)
    return await _ended(call, _given(found), least, regression)


@noun.verb("list", example="kindgi-tui comparisons list --project docs")
@project_filter
@click.option(
    "--test-set", "--suite", "test_set", shell_complete=completing.test_sets, help="On this test set."
)
@paged
async def list_comparisons(
    call: Call, project: str | None, test_set: str | None, limit: int, cursor: str | None, whole: bool
) -> None:
    """Lists comparisons, newest first."""
    project_id = await call.project_id_if(project)

    async def read(size: int, place: str | None) -> Page[Comparison]:
        return await call.bench.comparisons.list(project_id, test_set, size, place)

    await print_pages(
        call,
        pages(read, limit, cursor, whole),
        shape=v04.comparison,
        columns=[
            Column("ID"),
            Column("WHEN"),
            Column("TEST SET", least=14),
            Column("CANDIDATE", least=14),
            Column("STATUS"),
            Column("DONE", right=True),
            Column("RATED", least=11),
            Column("NOTE", least=8),
        ],
        cells=lambda one: (
            short_id(one.id),
            f"{one.created_at:%Y-%m-%d %H:%M}",
            f"{one.test_set_id} {one.test_set_version}",
            candidate_name(one),
            one.status,
            one.progress.done("/"),
            rated(one.brief),
            note(one),
        ),
        empty="No comparisons yet. Start one: kindgi-tui comparisons start TEST_SET --agent AGENT "
        "--agent-version X.Y.Z --wait",
    )


@noun.verb("show", example="kindgi-tui comparisons show 5d1c0f2e --all > report.txt")
@IDENTIFIER
@click.option(
    "--cases", type=click.IntRange(0), default=CASES, show_default=True, help="How many cases to show."
)
@click.option("--all", "whole", is_flag=True, help="Show every case.")
async def show(call: Call, comparison: str, cases: int, whole: bool) -> None:
    """Prints the report of COMPARISON (8 characters of its id are enough), cases that got worse first.

    Of one that runs it says what it comes to so far.
    """
    found = await call.bench.comparisons.get(comparison)
    if call.json:
        call.out.json(v04.comparison(found))
        return
    if found.status not in FINAL:
        found = found.model_copy(update={"result": await call.bench.comparisons.partial(found.id)})
    await print_comparison(call, found, None if whole else cases)


@noun.verb("cancel", example="kindgi-tui comparisons cancel 5d1c0f2e")
@IDENTIFIER
async def cancel(call: Call, comparison: str) -> None:
    """Cancels COMPARISON; what has finished is kept, and in a workspace it can be resumed."""
    found = await call.bench.comparisons.get(comparison)
    cancelled = await call.bench.comparisons.cancel(found.id)
    if call.json:
        call.out.json(v04.comparison(cancelled))
    else:
        call.out.line(f"Comparison {cancelled.id} is {cancelled.status}.")


@noun.verb("resume", example="kindgi-tui comparisons resume 5d1c0f2e --wait")
@IDENTIFIER
@click.option("--wait", is_flag=True, help="Wait for the end and print the report; Ctrl-C cancels.")
@gate_options
async def resume(
    call: Call, comparison: str, wait: bool, least: tuple[Least, ...], regression: Regression | None
) -> int:
    """Runs what is left of COMPARISON, which failed or was cancelled; finished runs stay as they are."""
    found = await call.bench.comparisons.get(comparison)
    if _check_gate(least, regression, found.request.sample, found.request.overrides) or wait:
        return await _ended(call, call.bench.comparisons.resume(found.id), least, regression)
    _print_started(call, await call.bench.comparisons.resume(found.id))
    return DONE


@noun.verb("rescore", example="kindgi-tui comparisons rescore 5d1c0f2e")
@IDENTIFIER
@click.option(
    "--wait",
    is_flag=True,
    hidden=True,
    expose_value=False,
    help="It always waits: nothing is replayed. Taken as `start` and `resume` take it.",
)
@gate_options
async def rescore(
    call: Call, comparison: str, least: tuple[Least, ...], regression: Regression | None
) -> int:
    """Rates the replays of COMPARISON again, with what was judged on them since, as a new comparison."""
    found = await call.bench.comparisons.get(comparison)
    _check_gate(least, regression, found.request.sample, found.request.overrides)
    return await _ended(call, call.bench.comparisons.rescore(found.id), least, regression)


def _sample(part: str | None, seed: str | None, share: float) -> SamplePart | None:
    if part is None:
        return None
    if seed is None:
        raise click.UsageError("--sample needs --seed: the same seed always splits the same way.")
    check_sample(part, seed, share)
    return SamplePart(part=cast(Literal["search", "hold-out"], part), seed=seed, hold_out_share=share)


async def _ended(
    call: Call,
    begin: Awaitable[Comparison],
    least: tuple[Least, ...] = (),
    regression: Regression | None = None,
) -> int:
    """Waits for the end of the comparison that `begin` gives, prints it, and gives the exit code."""
    ended, interrupted = await wait_for_end(call, begin)
    if call.json:
        call.out.json(v04.comparison(ended))
    else:
        await print_comparison(call, ended)
    if interrupted and ended.status == "cancelled":
        return INTERRUPTED
    sentences = failed_gates(ended, least, regression, regressed(ended))
    for sentence in sentences:
        say(sentence)
    return ANSWER_NO if sentences or not finished_well(ended) else DONE


def _print_started(call: Call, comparison: Comparison) -> None:
    if call.json:
        call.out.json(v04.comparison(comparison))
        return
    call.out.line(f"Started comparison {comparison.id}.")
    call.out.line(f"Next: {command(call, 'comparisons follow', comparison.id)}")


async def named_set(
    call: Call, test_set: str | None, agent: str | None, project: str | None
) -> tuple[str, str]:
    """The id of the test set to compare on, and the project's: none named, or `agent.AGENT`, is the agent's own."""
    known = None if test_set is None else parse_own_test_set_id(test_set)
    if test_set is not None and known is not None:
        return test_set, known[1] if project is None else await call.project_id(project)
    project_id = await call.project_id(project)
    if agent is not None and test_set in (None, f"agent.{agent}"):
        return own_test_set_id(agent, project_id), project_id
    if test_set is None:
        raise click.UsageError(
            "A flow has no test set of its own: name one that was built from its judged runs."
        )
    return test_set, project_id


async def _given(comparison: Comparison) -> Comparison:
    return comparison


def _check_gate(
    least: tuple[Least, ...],
    regression: Regression | None,
    sample: SamplePart | None,
    overrides: Overrides | None,
) -> bool:
    """Whether there is a gate. Raises LimitError when none may decide by that comparison."""
    gated = bool(least) or regression is not None
    if gated:
        check_gate(None if sample is None else sample.part, overridden=overrides is not None)
    return gated
