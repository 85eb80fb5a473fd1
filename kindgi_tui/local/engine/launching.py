"""What a pack's service is started with: its interpreter, and the environment values set for it."""

import sqlite3
from collections.abc import Awaitable, Callable

from kindgi_tui.local.packs.services import Launch
from kindgi_tui.local.store.catalog import get_pack, pack_env
from kindgi_tui.storage.sqlite import Database


def launches(database: Database) -> Callable[[str], Awaitable[Launch]]:
    """Looks up, by a snapshot's digest, how its service is started."""

    def found(connection: sqlite3.Connection, digest: str) -> Launch:
        pack = get_pack(connection, digest)
        return Launch(python=pack.python, env=pack_env(connection, pack.pack_id), name=pack.pack_id)

    async def launch(digest: str) -> Launch:
        return await database.read(lambda connection: found(connection, digest))

    return launch
