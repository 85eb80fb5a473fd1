"""Opening the terminal face: what `kindgi-tui` alone, `demo` and `judge` end in."""

import gc
import os
import sys
from pathlib import Path
from typing import Any


def on_a_terminal() -> bool:
    """Whether a person sits at a terminal that can show screens."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "unknown")


def say_unknown_profile() -> None:
    """Says on standard error that the environment names a terminal's profile that there isn't, where it does."""
    from kindgi_tui.tui.profile import unknown_profile

    sentence = unknown_profile()
    if sentence is not None:
        from kindgi_tui.cli.errors import say

        say(sentence)


def open_tui(
    workspace: Path | None,
    person: str | None,
    *,
    start: str | None = None,
    project: str | None = None,
    options: dict[str, Any] | None = None,
    url: str | None = None,
    profile: str | None = None,
) -> int:
    """Runs the terminal face until one leaves it; gives the exit code."""
    # Importing makes many objects that stay: looking for garbage among them would cost a tenth of the start. The app
    # lets the collector go on once its first screen stands.
    gc.disable()
    from kindgi_tui.cli.errors import code_of
    from kindgi_tui.opening import Target
    from kindgi_tui.tui.app import WorkbenchApp

    say_unknown_profile()
    app = WorkbenchApp(
        Target(workspace=workspace, person=person, url=url, profile=profile),
        start=start,
        project=project,
        options=options,
    )
    app.run(mouse=app.profile.mouse)
    return code_of(app.failure) or app.return_code or 0
