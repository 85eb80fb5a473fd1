"""The seen guard: a verdict counts only for an item that stood on the screen long enough (DESIGN section 12)."""

import time
from collections.abc import Callable, Iterable

Clock = Callable[[], float]
"""Gives seconds that only go forward."""

DWELL = 0.15
"""Seconds an item must have stood there, from its first paint, before a verdict on it counts."""

Place = tuple[str, str]
"""An item on the screen: its run's id and its key."""


class SeenGuard:
    """Remembers when each item was first painted: its first line and its verdict cell."""

    def __init__(self, clock: Clock = time.monotonic, dwell: float = DWELL) -> None:
        """`dwell` in seconds; 0 counts whatever was painted at all."""
        self._clock = clock
        self._dwell = dwell
        self._first: dict[Place, float] = {}

    def painted(self, places: Iterable[Place]) -> None:
        """These stand on the screen now; what stood there before keeps its time."""
        now = self._clock()
        for place in places:
            self._first.setdefault(place, now)

    def seen(self, place: Place, lag: float = 0.0) -> bool:
        """Whether a verdict on it counts. `lag`: seconds since the key was pressed, which waited in a queue."""
        first = self._first.get(place)
        return first is not None and self._clock() - lag - first >= self._dwell
