"""Who a token is: asked once, and remembered for when nobody can be asked (DESIGN section 10)."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from typing import TypeVar

from pydantic import SecretStr

from kindgi_tui.domain.projects import Person
from kindgi_tui.remote import outbox_store as store
from kindgi_tui.remote import v01
from kindgi_tui.remote.outbox_schema import Who
from kindgi_tui.remote.runtime import Runtime
from kindgi_tui.storage.sqlite import Database
from kindgi_tui.workbench import Unavailable, WorkbenchError

T = TypeVar("T")


class Identity:
    """The person or service behind a runtime's token."""

    def __init__(self, runtime: Runtime, database: Database, token: SecretStr | None) -> None:
        self._runtime = runtime
        self._database = database
        self._token = token.get_secret_value() if token is not None else ""
        self._person: Person | None = None
        self._mark: Who | None = None
        self._asking = asyncio.Lock()

    async def person(self) -> Person:
        """Who it is. Asked of the runtime; where that can't be reached, what it said the last time.

        Raises Unavailable when it was never told, Denied.
        """
        if self._person is None:
            async with self._asking:
                if self._person is None:
                    try:
                        return await self._ask()
                    except Unavailable:
                        remembered = await self._remembered()
                        if remembered is None:
                            raise
                        return remembered
        return self._person

    async def who(self) -> Who:
        """Whose outbox it is, without asking the runtime: the person where known, else a mark of the token."""
        return await self.read(lambda c, who: who)

    async def asserter(self) -> str:
        """Who says what is said now: the person's id where it is known, else the mark; nobody is asked."""
        return self._person.id if self._person is not None else (await self.who()).person

    async def read(self, operation: Callable[[sqlite3.Connection, Who], T]) -> T:
        """Reads the outbox as whoever it belongs to at that moment. Raises Trouble."""
        mark = await self._marked()
        return await self._database.read(lambda c: operation(c, store.who_of(c, mark)))

    async def write(self, operation: Callable[[sqlite3.Connection, Who], T]) -> T:
        """Writes to the outbox as whoever it belongs to at that moment. Raises Trouble."""
        mark = await self._marked()
        return await self._database.write(lambda c: operation(c, store.who_of(c, mark)))

    async def settled(self) -> Who:
        """Whose outbox it is, once it is known who the token is. Raises Unavailable, Denied."""
        return Who(self._runtime.address, (await self.person()).id)

    async def asked_who(self) -> Who:
        """Whose outbox it is, after asking the runtime where that can be."""
        try:
            return await self.settled()
        except WorkbenchError:
            return await self.who()

    async def _ask(self) -> Person:
        person = v01.person(await self._runtime.get("whoami"))
        mark, who = await self._marked(), Who(self._runtime.address, person.id)
        told = json.dumps(person.model_dump(mode="json"))

        def remember(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO people (address, mark, person) VALUES (?, ?, ?)", (*mark, told)
            )
            store.adopt(connection, mark, who)

        await self._database.write(remember)
        self._person = person
        return person

    async def _remembered(self) -> Person | None:
        mark = await self._marked()
        row = await self._database.read(
            lambda c: c.execute(
                "SELECT person FROM people WHERE address = ? AND mark = ?", (*mark,)
            ).fetchone()
        )
        return None if row is None else Person.model_validate_json(row[0])

    async def _marked(self) -> Who:
        if self._mark is None:
            mark = await self._database.read(lambda c: store.token_mark(c, self._token))
            self._mark = Who(self._runtime.address, mark)
        return self._mark
