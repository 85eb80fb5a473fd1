"""One line about how far a comparison is: a bar, the rate, the time left; or what there is to say of it at its end."""

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from kindgi_tui.domain.comparison_records import ComparisonProgress
from kindgi_tui.text import one_line, truncate_cells, width

_LEAST, _MOST = 8, 30
"""Cells of the bar."""


class ProgressLine(Widget):
    """The line. It is painted anew only when it says something else."""

    DEFAULT_CSS = """
    ProgressLine { height: 1; background: $background; color: $primary; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._progress: tuple[ComparisonProgress, float | None, float | None] | None = None
        self._words = ""

    @property
    def words(self) -> str:
        """What it says now."""
        if self._progress is None:
            return self._words
        return progress_words(*self._progress, self.size.width)

    def show(
        self, progress: ComparisonProgress, rate: float | None = None, left: float | None = None
    ) -> None:
        """Shows how far it is, at so many repetitions a second, with so many seconds left."""
        before = self.words
        self._progress = (progress, rate, left)
        if self.words != before:
            self.refresh()

    def say(self, sentence: str) -> None:
        """Shows a sentence in place of the bar; words from outside are cleaned here."""
        before = self.words
        self._progress, self._words = None, one_line(sentence, 400)
        if self._words != before:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line."""
        room = self.size.width
        words = truncate_cells(f" {self.words}", room)
        return Strip([Segment(words + " " * (room - width(words)), self.rich_style)], room)


def progress_words(progress: ComparisonProgress, rate: float | None, left: float | None, cells: int) -> str:
    """The line for a comparison as it stands."""
    size = max(_LEAST, min(_MOST, cells // 4))
    planned = progress.repetitions
    if planned is None:
        # Of how many isn't known, so there is no share of a bar to fill.
        parts = [f"{progress.done()} done"]
    else:
        full = int((progress.finished / planned if planned else 1.0) * size)
        parts = [f"{'█' * full}{'░' * (size - full)} {progress.done()}"]
    if rate is not None:
        parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min")
    if left is not None and planned is not None and progress.finished < planned:
        parts.append(f"{duration(left)} left")
    if progress.errors:
        parts.append(f"{progress.errors:,} error{'s' if progress.errors > 1 else ''}")
    if progress.judged:
        parts.append(f"{progress.judged:,} answer{'s' if progress.judged > 1 else ''} judged")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """A stretch of time in the two units that matter, such as `2m 05s`."""
    whole = max(int(seconds + 0.5), 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02}m"
