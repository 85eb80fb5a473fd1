"""The outbox of the local workbench: a verdict is recorded where it is said, so nothing ever waits."""

from kindgi_tui.domain.outbox import OutboxCounts, OutboxEntry
from kindgi_tui.workbench import NotFound


class NoOutbox:
    """An outbox that is always empty."""

    async def begin(self) -> None:
        """There is nothing to send."""

    async def counts(self) -> OutboxCounts:
        """Nothing waits."""
        return OutboxCounts()

    async def list(self) -> tuple[OutboxEntry, ...]:
        """Nothing waits."""
        return ()

    async def retry(self, entry_id: str | None = None) -> None:
        """Nothing is there to send. Raises NotFound for an id."""
        if entry_id is not None:
            raise _nothing(entry_id)

    async def drop(self, entry_id: str) -> None:
        """Raises NotFound."""
        raise _nothing(entry_id)

    async def settle(self, seconds: float) -> OutboxCounts:
        """Nothing waits."""
        return OutboxCounts()


def _nothing(entry_id: str) -> NotFound:
    return NotFound(f'Nothing with the id "{entry_id}" waits here: verdicts are recorded at once.')
