"""The workspace's reply cache, for turns taken here."""

from kindgi_tui.domain.base import Json
from kindgi_tui.local.models.asking import Asks
from kindgi_tui.local.models.cache import CachedModels
from kindgi_tui.local.store import catalog
from kindgi_tui.storage.sqlite import Database


def stored_models(database: Database, inner: Asks | None, fresh: bool) -> CachedModels:
    """The models behind the workspace's reply cache; a new reply is on disk before it is used."""

    async def get(key: str) -> Json | None:
        return await database.read(lambda c: catalog.get_reply(c, key))

    async def put(key: str, reply: Json) -> None:
        await database.write(lambda c: catalog.put_replies(c, {key: reply}))

    return CachedModels(inner, get, put, fresh=fresh)
