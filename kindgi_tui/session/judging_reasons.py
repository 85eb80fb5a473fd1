"""Reasons used before, each with a number that stays its own while it is there."""

MOST = 9
"""How many have a number: 1 to 9."""


class Reasons:
    """The numbered reasons of each agent."""

    def __init__(self) -> None:
        self._kept: dict[str, list[str]] = {}
        self._order: dict[str, list[str]] = {}

    def of(self, subject_id: str) -> tuple[str, ...]:
        """An agent's reasons; the first has number 1."""
        return tuple(self._kept.get(subject_id, ()))

    def restore(self, subject_id: str, reasons: tuple[str, ...]) -> None:
        """The reasons as they were kept."""
        self._kept[subject_id] = list(reasons[:MOST])
        self._order[subject_id] = list(reasons[:MOST])

    def used(self, subject_id: str, reason: str) -> None:
        """A reason was given: a new one takes a free number, or that of the one not used for longest."""
        kept = self._kept.setdefault(subject_id, [])
        order = self._order.setdefault(subject_id, [])
        if reason in kept:
            order.remove(reason)
        elif len(kept) < MOST:
            kept.append(reason)
        else:
            kept[kept.index(order.pop(0))] = reason
        order.append(reason)
