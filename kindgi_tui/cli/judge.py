"""`kindgi-tui judge`: straight into Judge, on the terminal."""

import sys

import click

from kindgi_tui.cli import completing, logs
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.parameters import project_option, segment_option
from kindgi_tui.cli.shared_options import as_verb
from kindgi_tui.domain.runs import Segment


@click.option(
    "--agent", metavar="AGENT", shell_complete=completing.agents, help="Only runs of this agent or flow."
)
@segment_option
@click.option(
    "--order",
    type=click.Choice(["oldest", "random"]),
    default="oldest",
    show_default=True,
    help="Oldest runs first, or in an order of the seed's.",
)
@click.option(
    "--seed", metavar="TEXT", help="What a random order is made from; the same seed gives the same order."
)
@click.option("--limit", type=click.IntRange(1, 100_000), metavar="N", help="At most so many runs.")
@project_option
async def judge(
    call: Call,
    agent: str | None,
    segments: tuple[Segment, ...],
    order: str,
    seed: str | None,
    limit: int | None,
    project: str | None,
) -> None:
    """Judges runs that owe a verdict of yours: completed ones, no replays, oldest first.

    y says yes to an item, n no; everything else is under ?. What you say is stored at once.
    """
    if seed is not None and order != "random":
        raise click.UsageError("--seed needs --order random.")
    if call.json:
        raise click.UsageError(
            "judge draws on the terminal and has no --json: judgments add records a verdict."
        )
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("judge needs a terminal: judgments add records a verdict without one.")
    from kindgi_tui.cli.opening_tui import say_unknown_profile
    from kindgi_tui.opening import Target, workspace_folder
    from kindgi_tui.tui.app import WorkbenchApp

    asked = call.asked
    target = Target(workspace=asked.workspace, person=asked.person, url=asked.url, profile=asked.profile)
    logs.remember_workspace(workspace_folder(target))
    say_unknown_profile()
    app = WorkbenchApp(
        target,
        start="judge",
        project=project,
        options={
            "judge_queue": True, "judge_agent": agent, "judge_segments": segments, "judge_order": order,
            "judge_seed": seed, "judge_limit": limit,
        },
    )  # fmt: skip
    await app.run_async(mouse=app.profile.mouse)


noun = as_verb(
    "judge",
    example="kindgi-tui judge\nkindgi-tui judge --agent acme-ops.article-picker --order random --seed 7 --limit 50",
    opens=False,
)(judge)
