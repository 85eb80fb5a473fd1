"""`kindgi-tui demo`: the demo workspace, to start from."""

from pathlib import Path

import click

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.parameters import FOLDER
from kindgi_tui.cli.shared_options import as_verb
from kindgi_tui.wire import v04


@click.argument("folder", required=False, type=FOLDER)
@click.option("--reset", is_flag=True, help="Make it anew; what you said in it goes.")
@click.option("--no-open", is_flag=True, help="Only make it, and print no words about what to try.")
async def demo(call: Call, folder: Path | None, reset: bool, no_open: bool) -> None:
    """Makes the demo workspace in FOLDER (else a folder of its own). Again and again: your verdicts stay.

    It holds a real pack, three versions of an agent and recorded runs. What its models said is stored, so that
    it needs no key; everything computed from that is computed when you ask.
    """
    from kindgi_tui.demo.make import make_demo
    from kindgi_tui.opening import demo_folder

    place = (folder or call.asked.workspace or demo_folder()).expanduser().absolute()
    report = await make_demo(place, reset)
    if call.json:
        call.out.json(v04.plain(report))
        return
    call.out.line(f"The demo is in {place}.")
    if report.runs or report.judgments:
        call.out.line(f"Recorded now: {report.runs:,} runs and {report.judgments:,} judgments of two people.")
    if no_open:
        return
    call.out.line()
    call.out.line("Try, with KINDGI_TUI_WORKSPACE set to that folder:")
    for words in (
        "kindgi-tui runs list --project docs",
        "kindgi-tui test-sets build acme.article-picks --version 1.0.0 --project docs --agent acme-ops.article-picker",
        "kindgi-tui comparisons start acme.article-picks --project docs --agent acme-ops.article-picker "
        "--agent-version 0.2.0 --wait",
    ):
        call.out.line(f"  {words}")


noun = as_verb("demo", example="kindgi-tui demo\nkindgi-tui demo ./demo --reset", opens=False)(demo)
