"""How fast a person judges, without the time they were away."""

import time
from collections import deque

from kindgi_tui.session.judging_seen import Clock

IDLE = 60.0
"""A pause longer than this, in seconds, was no judging and does not count."""

REMEMBERED = 30
"""How many of the last verdicts the pace is taken from."""

FEWEST = 3
"""From so many intervals on the pace says something."""


class Pace:
    """The time between verdicts, the last ones only."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._last: float | None = None
        self._taken: deque[tuple[float, int]] = deque(maxlen=REMEMBERED)

    def said(self, items: int = 1) -> None:
        """Somebody judged so many items now, with one key."""
        now = self._clock()
        if self._last is not None and now - self._last <= IDLE and items > 0:
            self._taken.append((now - self._last, items))
        self._last = now

    def seconds_left(self, items: int) -> float | None:
        """How long so many items take at this pace; None while too little is known."""
        if len(self._taken) < FEWEST:
            return None
        seconds = sum(each for each, _ in self._taken)
        return items * seconds / sum(count for _, count in self._taken)


def duration(seconds: float) -> str:
    """A time left, in words: `31 s`, `4 min`, `2 h 10 min`."""
    whole = max(1, round(seconds))
    if whole < 90:
        return f"{whole} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"
