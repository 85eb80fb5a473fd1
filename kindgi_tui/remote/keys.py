"""Keys of writes, kept on disk until they are answered: asked again, the same bytes go with the same key."""

import hashlib

from kindgi_tui.remote import outbox_store as store
from kindgi_tui.remote.identity import Identity
from kindgi_tui.remote.runtime import Prepared
from kindgi_tui.storage.sqlite import Database


class KeptKeys:
    """The keys of one person's writes to one runtime."""

    def __init__(self, database: Database, identity: Identity) -> None:
        self._database = database
        self._identity = identity

    async def key_for(self, write: Prepared) -> str:
        """The key of this very write: the kept one when it was sent in the last day and never answered."""
        who, digest = await self._identity.who(), _digest(write)
        return await self._database.write(lambda c: store.key_of_write(c, who, digest))

    async def answered(self, write: Prepared) -> None:
        """The write was answered: the next one like it is another."""
        who, digest = await self._identity.who(), _digest(write)
        await self._database.write(lambda c: store.forget_write(c, who, digest))


def _digest(write: Prepared) -> str:
    told = f"{write.method} {write.path}\n".encode() + (write.body or b"")
    return hashlib.sha256(told).hexdigest()
