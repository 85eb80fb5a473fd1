"""Printing: words for people through the one door, JSON for programs, and never a control byte in either."""

import os
import shutil
import sys
from typing import TextIO

from kindgi_tui.domain.base import Json
from kindgi_tui.text import clean, dumps_line, dumps_pretty, for_encoding, one_line, wrap

WIDEST = 120
"""The most cells a paragraph takes on a wide terminal, and where nothing says how wide it is."""


def harmless_line(text: str, limit: int) -> str:
    """`text` on one line, as standard error can show it."""
    return for_encoding(one_line(text, limit), getattr(sys.stderr, "encoding", None) or "ascii")


def terminal_width(stream: TextIO) -> int | None:
    """The cells of the terminal behind a stream; None where there is none and `COLUMNS` says nothing."""
    told = os.environ.get("COLUMNS", "")
    if told.isdigit() and int(told) > 0:
        return int(told)
    return shutil.get_terminal_size().columns if is_terminal(stream) else None


def is_terminal(stream: TextIO) -> bool:
    """Whether a person looks at the stream."""
    try:
        return stream.isatty()
    except ValueError:
        return False


class Out:
    """Where a command prints. When whoever reads has gone, it stays quiet and the command goes on."""

    def __init__(self) -> None:
        self.gone = False
        """Whether nobody reads any more; a long listing may stop."""

    @property
    def width(self) -> int | None:
        """The cells of a line; None: no limit (a file or a pipe)."""
        return terminal_width(sys.stdout)

    @property
    def bold(self) -> bool:
        """Whether headings may be bold: on a terminal that can, and not with `NO_COLOR`."""
        return (
            is_terminal(sys.stdout)
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM", "dumb") != "dumb"
        )

    def line(self, text: str = "", *, heading: bool = False) -> None:
        """Prints text, made harmless; a heading is bold where that can be."""
        shown = for_encoding(clean(text), getattr(sys.stdout, "encoding", None) or "ascii")
        self._write(f"\x1b[1m{shown}\x1b[0m\n" if heading and self.bold and shown else f"{shown}\n")

    def lines(self, texts: list[str]) -> None:
        """Prints lines, each made harmless."""
        for text in texts:
            self.line(text)

    def paragraph(self, text: str, *, heading: bool = False) -> None:
        """Prints text wrapped at its words."""
        for part in wrap(clean(text), min(self.width or WIDEST, WIDEST)):
            self.line(part, heading=heading)

    def json(self, value: Json) -> None:
        """Prints a JSON document over several lines."""
        self._write(dumps_pretty(value) + "\n")

    def json_line(self, value: Json) -> None:
        """Prints a JSON document on one line, for files of such lines."""
        self._write(dumps_line(value) + "\n")

    def raw(self, text: str) -> None:
        """Prints text of our own as it is, such as a shell's script."""
        self._write(text)

    def _write(self, text: str) -> None:
        if self.gone:
            return
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            self.gone = True
            # The next flush, also the one at exit, must not fail on what is still buffered.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
