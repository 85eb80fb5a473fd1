"""Next steps that a command names work where the command that says it did."""

from typing import TYPE_CHECKING

from kindgi_tui.cli.shared_options import Asked
from kindgi_tui.text import next_steps

if TYPE_CHECKING:
    from kindgi_tui.workbench import WorkbenchError


def in_place(asked: Asked, words: str) -> str:
    """Words with each command they name given the options that said where this one works."""
    return next_steps.in_place(words, url=asked.url, profile=asked.profile, workspace=asked.workspace)


def put_in_place(asked: Asked, error: "WorkbenchError") -> None:
    """The same with an error's sentence."""
    error.sentence = in_place(asked, error.sentence)
    error.args = (error.sentence,)
