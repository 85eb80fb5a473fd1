"""Where the program starts: opening the workbench, which is what it mostly does, waits for no command's machinery."""

import os
import sys
from pathlib import Path


def main() -> int:
    """Runs the command line of this process and returns its exit code."""
    # Nobody's plugin has anything to do with our models, and looking for one reads the metadata of every installed
    # package. No pack's process sees this: its environment holds the machine's basics alone.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    words = sys.argv[1:]
    plain = _workbench_alone(words)
    if plain is not None:
        from kindgi_tui.cli.opening_tui import on_a_terminal, open_tui

        if on_a_terminal():
            workspace = plain.get("--workspace")
            return open_tui(None if workspace is None else Path(workspace), plain.get("--as"))
    from kindgi_tui.cli.main import main as command_line

    return command_line(words)


def _workbench_alone(words: list[str]) -> dict[str, str] | None:
    """The workspace and person of a line that says nothing else; None when it is a command, or says more."""
    found: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name not in ("--workspace", "--as"):
            return None
        given = value if equals else next(rest, "")
        if not given or given.startswith("-") or not given.isprintable():
            return None
        found[name] = given
    return found
