"""One runtime: its dialect, found when it is first needed, and requests in 0.1's words whatever it speaks."""

import asyncio
import uuid
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from kindgi_tui.domain.base import Json
from kindgi_tui.remote import v04
from kindgi_tui.remote.address import segment
from kindgi_tui.remote.dialect import DOCUMENT, Dialect, read_dialect
from kindgi_tui.remote.paths import ONLY_NEW, OPERATIONS, Operation
from kindgi_tui.remote.reading import next_page, object_of, rows_of
from kindgi_tui.remote.transport import Query, Transport, json_bytes
from kindgi_tui.workbench import NotFound, Unavailable, Unsupported, WorkbenchError

PAGE = 100
"""The most rows a runtime gives in one page."""


class Prepared(NamedTuple):
    """A write as it will be sent: these bytes, now or later, once or again."""

    method: str
    """The HTTP method."""
    path: str
    """The path."""
    body: bytes | None
    """The body."""
    shape: str
    """What its answer is."""
    new_names: bool
    """Whether its answer has 0.4's names."""


class Keys(Protocol):
    """Where the key of a write is kept until it is answered, so that asking again sends the same key."""

    async def key_for(self, write: Prepared) -> str:
        """The key of this very write: the kept one when it was sent before and never answered."""
        ...

    async def answered(self, write: Prepared) -> None:
        """The write was answered, or never left: its key is done."""
        ...


class Page(NamedTuple):
    """A page of an answer's rows, in 0.1's names."""

    rows: list[dict[str, Json]]
    """The rows."""
    has_more: bool
    """Whether more follow."""
    next_cursor: str | None
    """Where they begin."""
    size: int
    """The bytes of the answer."""


class Runtime:
    """Requests to one runtime."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        """The requests themselves."""
        self._keys: Keys | None = None
        self._dialect: Dialect | None = None
        self._finding = asyncio.Lock()

    def keep_keys(self, keys: Keys) -> None:
        """Has the keys of writes kept on disk until they are answered."""
        self._keys = keys

    @property
    def address(self) -> str:
        """Where it is."""
        return self.transport.address

    async def dialect(self) -> Dialect:
        """Its dialect, read off its OpenAPI document once. Raises Unsupported, Unavailable."""
        if self._dialect is None:
            async with self._finding:
                if self._dialect is None:
                    self._dialect = read_dialect(await self._document(), self.address)
        return self._dialect

    async def _document(self) -> Json:
        try:
            return await self.transport.read(DOCUMENT, offered=f"its {DOCUMENT}")
        except (NotFound, Unsupported) as cause:
            raise Unsupported(
                f"{self.address} has no {DOCUMENT}, as every Kindgi runtime has. Is this the address of a Kindgi "
                "runtime? Give the right one with --url or a profile.",
                code="unknown-dialect",
                request_id=cause.request_id,
            ) from cause

    async def get(self, operation: str, *ids: str, query: Query = ()) -> dict[str, Json]:
        """One object. Raises the workbench's errors."""
        value, _ = await self._read(operation, ids, query)
        return object_of(value, operation)

    async def page(
        self, operation: str, *ids: str, query: Query = (), limit: int = PAGE, cursor: str | None = None
    ) -> Page:
        """A page of a list."""
        asked = [*query, ("limit", str(min(limit, PAGE))), ("cursor", cursor)]
        value, size = await self._read(operation, ids, asked)
        more, following = next_page(value, operation)
        return Page(rows_of(value, operation), more, following, size)

    async def all_rows(
        self, operation: str, *ids: str, query: Query = (), most: int = 10_000
    ) -> list[dict[str, Json]]:
        """Every row of a list that is shown whole; at most `most`, and never the same page twice."""
        found: list[dict[str, Json]] = []
        cursor: str | None = None
        seen: set[str | None] = set()
        while cursor not in seen and len(found) < most:
            seen.add(cursor)
            page = await self.page(operation, *ids, query=query, cursor=cursor)
            found += page.rows
            if not page.has_more:
                break
            cursor = page.next_cursor
        return found[:most]

    async def write(self, operation: str, *ids: str, body: Json) -> dict[str, Json]:
        """The answer to a write. One whose operation declares a key is sent with one, kept until it is answered."""
        prepared = await self.prepare(operation, *ids, body=body)
        known = _operation(operation)
        if not known.keyed:
            value = await self.transport.write(
                prepared.method, prepared.path, prepared.body, None, known.what
            )
        elif self._keys is None or known.steady:
            value = await self.transport.write(
                prepared.method, prepared.path, prepared.body, str(uuid.uuid4()), known.what
            )
        else:
            value = await self._kept_write(self._keys, prepared, known.what)
        return object_of(self.renamed(prepared, value), operation)

    async def prepare(self, operation: str, *ids: str, body: Json) -> Prepared:
        """A write as it will be sent. Raises Unsupported when the runtime doesn't offer it."""
        route = (await self.dialect()).route(operation)
        new = route.names == "0.4"
        told = None if body is None else json_bytes(v04.body_up(body) if new else body)
        shape = _operation(operation).shape
        return Prepared(route.method, _filled(route.path, ids), told, shape, new)

    def renamed(self, prepared: Prepared, value: Json) -> Json:
        """An answer to that write in 0.1's names."""
        return v04.down(prepared.shape, value) if prepared.new_names else value

    async def offers(self, operation: str) -> bool:
        """Whether the runtime's document has an operation."""
        return (await self.dialect()).offers(operation)

    async def _kept_write(self, keys: Keys, prepared: Prepared, what: str) -> Json:
        key = await keys.key_for(prepared)
        try:
            value = await self.transport.write(prepared.method, prepared.path, prepared.body, key, what)
        except Unavailable:
            # It may have run: asked again, the same bytes go with the same key.
            raise
        except WorkbenchError:
            await keys.answered(prepared)
            raise
        await keys.answered(prepared)
        return value

    async def _read(self, operation: str, ids: tuple[str, ...], query: Query) -> tuple[Json, int]:
        route = (await self.dialect()).route(operation)
        known = _operation(operation)
        new = route.names == "0.4"
        asked = [(v04.query_up(name), value) for name, value in query] if new else query
        answer = await self.transport.read_answer(_filled(route.path, ids), asked, known.what)
        return (v04.down(known.shape, answer.body) if new else answer.body), answer.size


def _operation(name: str) -> Operation:
    return OPERATIONS.get(name) or ONLY_NEW[name]


def _filled(path: str, ids: tuple[str, ...]) -> str:
    return path.format(*[segment(one) for one in ids])


def scope(project_id: str | None) -> list[tuple[str, str | None]]:
    """The query that narrows a list to a project."""
    return [] if project_id is None else [("scopeKind", "project"), ("scopeId", project_id)]


def given(values: Mapping[str, Json]) -> dict[str, Json]:
    """The fields that are there: a body never holds null."""
    return {name: value for name, value in values.items() if value is not None}
