"""The progress of a comparison: one line on standard error, only where a person looks at it."""

import sys
import time
from collections.abc import Callable

from kindgi_tui.cli.output import is_terminal, terminal_width
from kindgi_tui.domain.comparison_records import ComparisonProgress
from kindgi_tui.text import for_encoding, truncate_cells

INTERVAL = 0.25
"""Seconds between two repaints, at least (DESIGN section 12)."""

BAR = 24
"""Cells of the bar."""


def duration(seconds: float) -> str:
    """A stretch of time in the two units that matter, such as `2m 05s`."""
    whole = max(int(seconds + 0.5), 0)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02}m"


def progress_line(progress: ComparisonProgress, done_here: int, seconds: float, cells: int) -> str:
    """The line for a comparison as it stands.

    `done_here` repetitions finished in the `seconds` it was followed, which gives the rate and the time left.
    """
    planned = progress.repetitions
    if planned is None:
        # Of how many isn't known, so there is no share of a bar to fill.
        parts = [f"{progress.done()} done"]
    else:
        full = int((progress.finished / planned if planned else 1.0) * BAR)
        parts = [f"{'█' * full}{'░' * (BAR - full)} {progress.done('/')}"]
    if done_here > 0 and seconds > 0:
        rate = done_here / seconds
        parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min")
        left = 0 if planned is None else planned - progress.finished
        if left > 0:
            parts.append(f"{duration(left / rate)} left")
    if progress.errors:
        parts.append(f"{progress.errors:,} error{'s' if progress.errors > 1 else ''}")
    if progress.judged:
        parts.append(f"{progress.judged:,} answer{'s' if progress.judged > 1 else ''} judged")
    if progress.cost_usd:
        parts.append(f"${progress.cost_usd:.4f}")
    return truncate_cells(" · ".join([*parts, "Ctrl-C cancels"]), cells)


class Bar:
    """Paints the line and takes it away again. Without a terminal it paints nothing."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._shows = is_terminal(sys.stderr)
        self._started = clock()
        self._first: int | None = None
        self._painted = 0.0

    def update(self, progress: ComparisonProgress) -> None:
        """Paints the comparison as it stands, unless it was painted a moment ago."""
        if self._first is None:
            self._first = progress.finished
        now = self._clock()
        last = progress.repetitions is not None and progress.finished >= progress.repetitions
        if not self._shows or (now - self._painted < INTERVAL and not last):
            return
        self._painted = now
        cells = (terminal_width(sys.stderr) or 80) - 1
        line = progress_line(progress, progress.finished - self._first, now - self._started, cells)
        self._write(f"\r{for_encoding(line, sys.stderr.encoding or 'ascii')}\x1b[K")

    def clear(self) -> None:
        """Takes the line away, so that what follows starts on a clean one."""
        if self._shows and self._painted:
            self._write("\r\x1b[K")

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
