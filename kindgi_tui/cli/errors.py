"""From what went wrong to one sentence on standard error and an exit code (DESIGN section 14)."""

import contextlib
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, TextIO

import click

DONE = 0
"""It is done."""
ANSWER_NO = 1
"""The answer is no: a gate, a failed or partial comparison, an import that left something out."""
WRONG = 2
"""Usage, invalid, not found, conflict, unsupported."""
NOT_REACHED = 3
"""Unreachable, or not allowed."""
MACHINE = 4
"""Trouble on this machine: disk, lock, newer file."""
INTERRUPTED = 130
"""Ctrl-C."""

LIMIT = 2000
"""The longest sentence printed, in characters."""


def say(sentence: str) -> None:
    """Writes one line to standard error; whatever words it holds come out harmless."""
    from kindgi_tui.cli.output import harmless_line

    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(harmless_line(sentence, LIMIT) + "\n")
        sys.stderr.flush()


def guarded(run: Callable[[], Any]) -> int:
    """Runs a command line, says what went wrong in one sentence, and gives the exit code."""
    _survive_any_text(sys.stdout)
    _survive_any_text(sys.stderr)
    try:
        code = _run(run)
    except BrokenPipeError:
        code = DONE
    except OSError as cause:
        say(f"Error: {_machine_sentence(cause)}")
        code = MACHINE
    return _flushed(code)


def _run(run: Callable[[], Any]) -> int:
    from kindgi_tui.cli import logs

    try:
        code = run()
        return code if isinstance(code, int) else DONE
    except click.exceptions.NoArgsIsHelpError as cause:
        sys.stderr.write(cause.format_message() + "\n")
        return WRONG
    except click.UsageError as cause:
        say(f"Error: {cause.format_message()}{_see(cause.ctx)}")
        return WRONG
    except click.ClickException as cause:
        say(f"Error: {cause.format_message()}")
        return WRONG
    except (click.Abort, KeyboardInterrupt):
        say("Interrupted.")
        return INTERRUPTED
    except OSError:
        raise
    except Exception as cause:  # noqa: BLE001 - the last door before the person: a sentence, never a traceback
        known = code_of(cause)
        if known is not None:
            say(f"Error: {cause}")
            return known
        path = logs.write(traceback.format_exc())
        where = f" The details are in {path}." if path is not None else ""
        say(f"Error: kindgi-tui met something it doesn't expect ({type(cause).__name__}).{where}")
        return MACHINE


def code_of(cause: Exception | None) -> int | None:
    """The exit code of an error of the workbench (DESIGN section 14); None for another, and for none."""
    if "kindgi_tui.workbench" not in sys.modules:
        return None
    from kindgi_tui.workbench import Denied, Interrupted, Unavailable, WorkbenchError

    if cause is None:
        return None
    if not isinstance(cause, WorkbenchError):
        return WRONG if _out_of_limits(cause) else None
    if cause.code.startswith("machine-"):
        return MACHINE
    if isinstance(cause, Denied | Unavailable):
        return NOT_REACHED
    return INTERRUPTED if isinstance(cause, Interrupted) else WRONG


def _out_of_limits(cause: Exception) -> bool:
    from kindgi_tui.domain.limits import LimitError

    return isinstance(cause, LimitError)


def _see(ctx: click.Context | None) -> str:
    return "" if ctx is None else f" See: {ctx.command_path} --help"


def _machine_sentence(cause: OSError) -> str:
    where = f" {os.fsdecode(cause.filename)}" if isinstance(cause.filename, str | bytes) else ""
    return f"This machine refused{where or ' a file or folder'}: {cause.strerror or cause}. Check it and try again."


def _survive_any_text(stream: TextIO) -> None:
    # A locale without UTF-8 shows what it can't write as an escape, and never stops a command.
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read us has gone; what is still buffered has nowhere to go.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - stands in until the process ends
    except OSError as cause:
        say(f"Error: {_machine_sentence(cause)}")
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
        return code or MACHINE
    return code
