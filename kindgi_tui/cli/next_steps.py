"""Next steps that a sentence names work where the command that says it did."""

import re
import shlex
from typing import TYPE_CHECKING

from kindgi_tui.cli.shared_options import Asked

if TYPE_CHECKING:
    from kindgi_tui.workbench import WorkbenchError

_EVERYWHERE = frozenset({"completion", "demo", "profiles"})
"""Nouns that work at no particular place."""

_HERE_ALONE = frozenset({"backup", "blocks", "models", "packs", "serve", "tokens"})
"""Nouns that work on a workspace of this machine, never at a runtime."""

_COMMAND = re.compile(r"\bkindgi-tui ([a-z][a-z-]*)")


def in_place(asked: Asked, words: str) -> str:
    """Words with each command they name given the options that said where this one works."""
    from kindgi_tui.cli.main import NOUNS

    runtime = _flags([("--profile", asked.profile), ("--url", asked.url)])
    workspace = _flags([("--workspace", asked.workspace)])

    def placed(match: re.Match[str]) -> str:
        noun = match[1]
        if noun not in NOUNS or noun in _EVERYWHERE:
            return match[0]
        flags = workspace if noun in _HERE_ALONE else runtime + workspace
        return f"kindgi-tui{flags} {noun}"

    return _COMMAND.sub(placed, words)


def put_in_place(asked: Asked, error: "WorkbenchError") -> None:
    """The same with an error's sentence."""
    error.sentence = in_place(asked, error.sentence)
    error.args = (error.sentence,)


def _flags(named: list[tuple[str, object]]) -> str:
    return "".join(f" {flag} {shlex.quote(str(value))}" for flag, value in named if value is not None)
