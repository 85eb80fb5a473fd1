"""`kindgi-tui completion`: the script that completes commands, options and ids in a shell."""

import click

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.shared_options import as_verb


@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
async def completion(call: Call, shell: str) -> None:
    """Prints the script for SHELL; write it where your shell looks for such scripts, or evaluate it."""
    from click.shell_completion import get_completion_class

    from kindgi_tui.cli.main import root

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    call.out.raw(found(root, {}, "kindgi-tui", "_KINDGI_TUI_COMPLETE").source())


noun = as_verb("completion", example='eval "$(kindgi-tui completion bash)"', opens=False)(completion)
