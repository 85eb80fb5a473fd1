"""Publishing a pack's folder on every save (`packs watch`)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from kindgi_tui.local.packs.snapshot import Entry, entries
from kindgi_tui.workbench import WorkbenchError

T = TypeVar("T")

POLL_SECONDS = 0.5
"""How often the folder is looked at; a change is published once it was the same in two looks."""


@dataclass(frozen=True)
class Changed:
    """Files were saved; a publish follows."""

    paths: tuple[str, ...]
    """Places within the folder that were added, changed or removed, sorted; all of them at the first look."""


@dataclass(frozen=True)
class PublishedAgain(Generic[T]):
    """A publish that worked."""

    result: T
    """What `publish` gave."""


@dataclass(frozen=True)
class Refused:
    """A publish that was refused; the next save tries again."""

    error: WorkbenchError
    """Why, with the sentence for people."""


async def watch(
    folder: Path,
    publish: Callable[[Path], Awaitable[T]],
    stop: asyncio.Event,
    poll_seconds: float = POLL_SECONDS,
) -> AsyncIterator[Changed | PublishedAgain[T] | Refused]:
    """Publishes the folder now and after every save, until `stop` is set.

    What `publish` refuses with an error of the workbench is an event, any other error ends the watch. A folder that
    is away for a while is waited for.
    """
    published: frozenset[Entry] = frozenset()
    last: frozenset[Entry] | None = None
    while not stop.is_set():
        seen = await asyncio.to_thread(_look, folder)
        if seen and seen == last and seen != published:
            yield Changed(tuple(sorted({entry.path for entry in seen ^ published})))
            published = seen
            try:
                event: PublishedAgain[T] | Refused = PublishedAgain(await publish(folder))
            except WorkbenchError as error:
                event = Refused(error)
            yield event
            continue
        settling = seen != published and seen != last
        last = seen
        try:
            await asyncio.wait_for(stop.wait(), poll_seconds / 4 if settling else poll_seconds)
        except TimeoutError:
            continue


def _look(folder: Path) -> frozenset[Entry]:
    """What the folder holds; nothing while it can't be read."""
    try:
        return frozenset(entries(folder))
    except OSError:
        return frozenset()
