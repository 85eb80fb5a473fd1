"""When an item stands on the screen: once its row was in a frame, and on a slow link once the terminal answered since.

A frame may wait in a slow link's buffers long after it was written. Over SSH the terminal is asked for its cursor's
place behind the frame (`CSI 6 n`, a status report every terminal answers in order), and what was in the frame counts
from the answer on (DESIGN section 12).
"""

from collections import deque
from collections.abc import Callable, Iterable

from kindgi_tui.session.judging_seen import Place

ASK = "\x1b[6n"
"""Asks the terminal where its cursor is."""

PATIENCE = 5.0
"""Seconds after which a terminal that never answered is not asked any more: what it was sent counts."""


class PaintReports:
    """Takes what was written to the terminal, and tells what stands on it."""

    def __init__(
        self,
        told: Callable[[Iterable[Place]], None],
        ask: Callable[[str], None] | None,
        later: Callable[[float, Callable[[], None]], object],
    ) -> None:
        """`ask` writes to the terminal; None: what was written counts at once. `later` calls back after seconds."""
        self._told = told
        self._ask = ask
        self._later = later
        self._asked: deque[tuple[Place, ...]] = deque()
        self._answers = False

    def written(self, places: Iterable[Place]) -> None:
        """These were in a frame that was written just now."""
        batch = tuple(places)
        if not batch:
            return
        if self._ask is None:
            self._told(batch)
            return
        self._asked.append(batch)
        self._ask(ASK)
        if not self._answers:
            self._later(PATIENCE, self._give_up)

    def answered(self) -> None:
        """The terminal answered the oldest question."""
        self._answers = True
        if self._asked:
            self._told(self._asked.popleft())

    def _give_up(self) -> None:
        if self._answers:
            return
        self._ask = None
        while self._asked:
            self._told(self._asked.popleft())
