"""What a person sits down to judge: the queue, one run, certain items, the skipped, disputed or dismissed ones."""

from typing import TYPE_CHECKING, Literal

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.judging import QueueFilter
from kindgi_tui.session.judging_queue import (
    Entry,
    Feed,
    dismissed_feed,
    disputed_feed,
    items_feed,
    queue_feed,
    skipped_feed,
)

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

SittingKind = Literal["queue", "run", "items", "skipped", "disputed", "dismissed"]
"""Where the runs come from."""


class Sitting(Frozen):
    """What is judged, from where on."""

    query: QueueFilter
    """Which runs, and in which order; of `run` and `items` only the project counts."""
    kind: SittingKind = "queue"
    """Where the runs come from."""
    limit: int | None = None
    """How many runs of the queue at most."""
    first: str | None = None
    """The run it begins with: before the queue, or the only one."""
    items: tuple[tuple[str, str], ...] = ()
    """Of `items`: exactly these, as run id and item key. Of `disputed`: these alone, with `apart`; both
    empty: all of the filter's."""
    apart: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Of `disputed`: runs that people corrected differently, each with who did; they come after the items."""

    @property
    def words(self) -> str:
        """What it is, for the title."""
        if self.kind == "run":
            return "one run"
        if self.kind == "items":
            return f"{len(self.items):,} new {'item' if len(self.items) == 1 else 'items'}"
        if self.kind == "disputed" and (self.items or self.apart):
            items = f"{len(self.items):,} {'item' if len(self.items) == 1 else 'items'} in disagreement"
            runs = f"{len(self.apart):,} {'run' if len(self.apart) == 1 else 'runs'} corrected differently"
            return ", ".join([*([items] if self.items else []), *([runs] if self.apart else [])])
        path = [f"{part.key}={part.value}" for part in self.query.segments]
        words = [*([self.query.subject_id] if self.query.subject_id else []), *path]
        if self.query.order == "random":
            words.append(f"random, seed {self.query.seed}" if self.query.seed else "random")
        if self.limit is not None and self.kind == "queue":
            words.append(f"{self.limit} at most")
        named = {"skipped": "skipped", "disputed": "in disagreement", "dismissed": "dismissed"}.get(self.kind)
        return " · ".join([*([named] if named else []), *words])


async def open_feed(workbench: "Workbench", sitting: Sitting) -> tuple[Feed, int]:
    """The runs of a sitting, and how many items are open in it as far as is known now. Raises NotFound, Invalid."""
    if sitting.kind == "run" and sitting.first is not None:
        return Feed([Entry(sitting.first, expected=0)]), 0
    if sitting.kind == "items" or (sitting.kind == "disputed" and (sitting.items or sitting.apart)):
        keys: dict[str, list[str]] = {}
        for run_id, key in sitting.items:
            keys.setdefault(run_id, []).append(key)
        apart = dict(sitting.apart)
        for run_id in apart:
            keys.setdefault(run_id, [])
        feed = items_feed(keys, apart=apart)
    elif sitting.kind == "disputed":
        feed = await disputed_feed(workbench, sitting.query)
    elif sitting.kind == "dismissed":
        feed = dismissed_feed(workbench, sitting.query)
    elif sitting.kind == "skipped":
        feed = skipped_feed(workbench, sitting.query)
    else:
        feed = queue_feed(workbench, sitting.query, sitting.limit, sitting.first)
        if sitting.limit is None:
            progress = await workbench.queue.progress(sitting.query)
            await feed.more()
            return feed, progress.items_left
    left = sum(entry.expected or 0 for entry in feed.entries)
    return feed, left + await feed.more()
