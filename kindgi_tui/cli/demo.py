"""`kindgi-tui demo`: the demo workspace, to start from."""

from pathlib import Path

import click

from kindgi_tui.cli.call import Call, opened, run_call
from kindgi_tui.cli.opening_tui import on_a_terminal, open_tui
from kindgi_tui.cli.parameters import FOLDER
from kindgi_tui.cli.shared_options import Asked, Verb, place_asked
from kindgi_tui.wire import v04

PROJECT = "docs"
"""The demo's project that the first comparison is of."""

AGENT, CANDIDATE, TEST_SET = "acme-ops.article-picker", "0.2.0", "acme.first-look"
"""What it compares, and on which test set: one of its own, so that the documents' name stays free."""


@click.command("demo", cls=Verb, example="kindgi-tui demo\nkindgi-tui demo ./demo --reset")
@click.argument("folder", required=False, type=FOLDER)
@click.option("--reset", is_flag=True, help="Make it anew; what you said in it goes.")
@click.option("--no-open", is_flag=True, help="Only make it.")
@click.pass_context
def noun(ctx: click.Context, folder: Path | None, reset: bool, no_open: bool) -> None:
    """Makes the demo workspace in FOLDER (else a folder of its own) and opens it. Your verdicts in it stay.

    It holds a real pack, three versions of an agent and recorded runs. What its models said is stored, so that
    it needs no key; everything computed from that is computed when you ask. Where there is no terminal to open,
    it compares version 0.2.0 on the project `docs` and prints what came of it.
    """
    from kindgi_tui.opening import demo_folder

    said = place_asked(ctx)
    place = (folder or said.workspace or demo_folder()).expanduser().absolute()
    there = Asked(place, said.person, said.json)
    showing = not (no_open or said.json)
    code = run_call(there, _make, {"reset": reset, "compare": showing and not on_a_terminal()}, opens=False)
    if showing and on_a_terminal():
        code = open_tui(place, said.person)
    if code:
        ctx.exit(code)


async def _make(call: Call, reset: bool, compare: bool) -> int | None:
    from kindgi_tui.demo.make import make_demo

    place = call.asked.workspace
    if place is None:
        raise RuntimeError("the demo needs a folder")
    report = await make_demo(place, reset, call.asked.person)
    if call.json:
        call.out.json(v04.plain(report))
        return None
    call.out.line(f"The demo is in {place}.")
    if report.runs or report.judgments:
        said = f"{report.judgments:,} judgments and {report.corrections:,} corrections of two people"
        call.out.line(f"Recorded now: {report.runs:,} runs, {said}.")
    if compare:
        call.out.line()
        return await _compare(call)
    return None


async def _compare(call: Call) -> int | None:
    """Compares the candidate on the documents' runs, or shows the comparison that is there, and what to try next."""
    from kindgi_tui.cli.commands import command
    from kindgi_tui.cli.gates import finished_well
    from kindgi_tui.cli.report import print_comparison
    from kindgi_tui.domain.comparison_records import ComparisonRequest
    from kindgi_tui.domain.test_set_versions import BuildRequest

    async with opened(call.asked) as bench:
        open_call = Call(call.asked, bench)
        project = await bench.projects.get(PROJECT)
        if all(made.test_set_id != TEST_SET for made in await bench.test_sets.list(project.id)):
            await bench.test_sets.build(
                BuildRequest(test_set_id=TEST_SET, version="1.0.0", project_id=project.id, agent_id=AGENT)
            )
        known = await bench.comparisons.list(project.id, TEST_SET, limit=1)
        if known.data and known.data[0].status == "completed":
            comparison = await bench.comparisons.get(known.data[0].id)
        else:
            started = await bench.comparisons.start(
                ComparisonRequest(
                    test_set_id=TEST_SET, project_id=project.id, agent_id=AGENT, subject_version=CANDIDATE
                )
            )
            async for _ in bench.comparisons.follow(started.id):
                pass
            comparison = await bench.comparisons.get(started.id)
        await print_comparison(open_call, comparison)
        call.out.line()
        call.out.line("Try next:")
        for words in (
            "runs list --project docs",
            f"test-sets build acme.article-picks --version 1.0.0 --project docs --agent {AGENT}",
            f"comparisons start acme.article-picks --project docs --agent {AGENT} --agent-version 0.3.0 --wait",
        ):
            call.out.line(f"  {command(call, words)}")
        return 0 if finished_well(comparison) else 1
