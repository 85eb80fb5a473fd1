"""Next steps that a sentence names work where one works: the commands in it are given the options that say where."""

import re
import shlex

COMMANDS = frozenset(
    {
        "agents", "audit", "backup", "blocks", "cases", "comparisons", "completion", "corrections", "demo", "doctor",
        "flows", "groups", "judge", "judgments", "models", "outbox", "packs", "people", "profiles", "projects", "runs",
        "serve", "test-sets", "tokens",
    }
)  # fmt: skip
"""The first words of commands; another word after the program's name is part of a sentence."""

_EVERYWHERE = frozenset({"completion", "demo", "profiles"})
_HERE_ALONE = frozenset({"backup", "blocks", "models", "packs", "serve", "tokens"})
_COMMAND = re.compile(r"\bkindgi-tui ([a-z][a-z-]*)")


def in_place(
    words: str, *, url: str | None = None, profile: str | None = None, workspace: object | None = None
) -> str:
    """Words in which each command works at that runtime, or on that workspace; None: that wasn't said.

    A command that works at no particular place stays as it is, and one that works on workspaces alone is never sent to
    a runtime.
    """
    runtime = _flags([("--profile", profile), ("--url", url)])
    here = _flags([("--workspace", workspace)])

    def placed(match: re.Match[str]) -> str:
        command = match[1]
        if command not in COMMANDS or command in _EVERYWHERE:
            return match[0]
        flags = here if command in _HERE_ALONE else runtime + here
        return f"kindgi-tui{flags} {command}"

    return _COMMAND.sub(placed, words)


def _flags(named: list[tuple[str, object]]) -> str:
    return "".join(f" {flag} {shlex.quote(str(value))}" for flag, value in named if value is not None)
