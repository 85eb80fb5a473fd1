"""Keys of writes, kept on disk until they are answered: asked again, the same bytes go with the same key."""

import hashlib

from kindgi_tui.remote import outbox_store as store
from kindgi_tui.remote.identity import Identity
from kindgi_tui.remote.runtime import Prepared


class KeptKeys:
    """The keys of one person's writes to one runtime."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    async def key_for(self, write: Prepared) -> str:
        """The key of this very write: the kept one when it was sent in the last day and never answered."""
        digest = _digest(write)
        return await self._identity.write(lambda c, who: store.key_of_write(c, who, digest))

    async def answered(self, write: Prepared) -> None:
        """The write was answered: the next one like it is another."""
        digest = _digest(write)
        await self._identity.write(lambda c, who: store.forget_write(c, who, digest))


def _digest(write: Prepared) -> str:
    told = f"{write.method} {write.path}\n".encode() + (write.body or b"")
    return hashlib.sha256(told).hexdigest()
