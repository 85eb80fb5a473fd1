"""The entry point of `kindgi-tui`: which nouns there are, each imported only when it is used."""

import importlib
import sys
from collections.abc import Sequence

import click

from kindgi_tui import __version__
from kindgi_tui.cli.shared_options import Noun, place_asked

NOUNS: dict[str, tuple[str, str]] = {
    "demo": ("demo", "Make the demo workspace, to start from."),
    "judge": ("judge", "Say yes or no, item by item, on the terminal."),
    "projects": ("projects", "Where runs belong: list, add, use."),
    "people": ("people", "Who judges: list, add."),
    "runs": ("runs", "What agents did: list, show, import, start, export."),
    "judgments": ("judgments", "Yes or no on one item of a run: add, list, take back, remove, export."),
    "corrections": ("corrections", "What a run should have done: add, list, show, take back, remove."),
    "groups": ("groups", "Who judges speak as: list, show, add, change, retire, bring back."),
    "test-sets": ("test_sets", "Versioned sets of judged runs: build, list, show, cases, agreement, export."),
    "cases": ("cases", "An agent's own test cases: add, list, show, retire, bring back, freeze."),
    "comparisons": (
        "comparisons",
        "A new version on a test set: start, follow, show, cancel, resume, rescore.",
    ),
    "packs": ("packs", "Your agents and tools: init, publish, watch, list, env."),
    "blocks": ("blocks", "Settings, prompts and model settings that agents pin: publish, list, show."),
    "agents": ("agents", "Published agents: list, show."),
    "flows": ("flows", "Published flows: list."),
    "models": ("models", "Where models are asked: list, check."),
    "serve": ("serve", "Serve the workspace as the Kindgi API."),
    "tokens": ("tokens", "Who may ask the server: add, list, revoke."),
    "audit": ("audit", "What was done here, by whom, when: list."),
    "doctor": ("doctor", "Look at this machine and the workspace."),
    "profiles": ("profiles", "Runtimes to work at, by name: add, list, use, remove."),
    "outbox": ("outbox", "Verdicts a runtime doesn't have yet: list, show, retry, drop."),
    "backup": ("backup", "Copy the workspace's file while it is in use."),
    "completion": ("completion", "Print a script that completes commands in your shell."),
}
"""Each noun: its module in this package, and its line in the help."""

OTHER_SPELLINGS = {
    "eval-suites": "test-sets",
    "eval-runs": "comparisons",
    "test-runs": "comparisons",
    "judge-classes": "groups",
}
"""Nouns as the Kindgi documents spell them; they work and are not listed."""


class Root(Noun):
    """The nouns, found by name and imported when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The nouns, in the order of a person's work."""
        return list(NOUNS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The noun's command, imported now."""
        name = OTHER_SPELLINGS.get(cmd_name, cmd_name)
        if name not in NOUNS:
            return None
        module = importlib.import_module(f"kindgi_tui.cli.{NOUNS[name][0]}")
        found: click.Command = module.noun
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the nouns from the table above, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in NOUNS.items()])


@click.group(
    cls=Root,
    invoke_without_command=True,
    example="kindgi-tui demo\nkindgi-tui comparisons start acme.article-picks --project docs "
    "--agent acme-ops.article-picker --agent-version 0.2.0 --wait",
)
@click.version_option(__version__, prog_name="kindgi-tui", message="%(prog)s %(version)s")
@click.pass_context
def root(ctx: click.Context) -> None:
    """Judge what AI agents did, and decide from it whether a new version is better.

    Alone it opens the workbench where you left it.
    """
    if ctx.invoked_subcommand is not None:
        return
    from kindgi_tui.cli.opening_tui import on_a_terminal, open_tui

    said = place_asked(ctx)
    if not on_a_terminal():
        click.echo(ctx.get_help())
        return
    ctx.exit(open_tui(said.workspace, said.person, url=said.url, profile=said.profile))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line and returns its exit code (DESIGN section 14)."""
    from kindgi_tui.cli.errors import guarded

    words = list(sys.argv[1:] if arguments is None else arguments)
    return guarded(lambda: root.main(args=words, prog_name="kindgi-tui", standalone_mode=False))
