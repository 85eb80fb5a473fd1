"""What every part of the local workbench stands on: the store, who is acting, and what they may do."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.domain.projects import RIGHTS, Person, Right
from kindgi_tui.local.store.people import find_person, write_audit
from kindgi_tui.storage.sqlite import Database
from kindgi_tui.workbench import Denied, Invalid

if TYPE_CHECKING:
    from kindgi_tui.domain.serving import KeyedRequest

T = TypeVar("T")


@dataclass(frozen=True)
class Access:
    """The store of one workspace, opened by one person."""

    folder: Path
    """The workspace folder."""
    database: Database
    """Its file."""
    person: Person
    """Who is acting."""
    request: "KeyedRequest | None" = None
    """The request with a key that is being answered; None: none is."""

    @property
    def packs_folder(self) -> Path:
        """Where snapshots of packs stand."""
        return self.folder / "packs"

    @property
    def logs_folder(self) -> Path:
        """Where child processes and faults write their logs."""
        return self.folder / "logs"

    async def read(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Reads from the store. Raises the workbench's errors."""
        with limits_told():
            return await self.database.read(operation)

    async def write(
        self,
        right: Right,
        action: str | None,
        operation: Callable[[sqlite3.Connection], T],
        subject: Callable[[T], str] | str = "",
        details: Json = None,
    ) -> T:
        """Writes to the store as someone who must have `right`, and notes `action` in the audit log.

        What counts is the right they have now, not the one they had when the workbench was opened.
        Raises Denied, and the workbench's other errors.
        """
        self.require(right)

        def noted(connection: sqlite3.Connection) -> T:
            _require(find_person(connection, self.person.id) or self.person, right)
            result = operation(connection)
            on = subject if isinstance(subject, str) else subject(result)
            if action is not None:
                write_audit(connection, self.person.id, action, on, details)
            self.note_made(connection, on if result is None else result)
            return result

        with limits_told():
            return await self.database.write(noted)

    def note_made(self, connection: sqlite3.Connection, made: object) -> None:
        """Notes under the request's key what it made, in the transaction that makes it: a retry finds it."""
        if self.request is None:
            return
        from kindgi_tui.domain.test_set_versions import TestSetVersion
        from kindgi_tui.local.store.kept_answers import note_made

        if isinstance(made, TestSetVersion):
            identity: object = f"{made.test_set_id}@{made.version}"
        else:
            identity = made if isinstance(made, str) else getattr(made, "id", "")
        note_made(connection, self.request, identity if isinstance(identity, str) else "")

    def require(self, right: Right) -> None:
        """Raises Denied unless the acting person had this right, or more, when the workbench was opened."""
        _require(self.person, right)


def _require(person: Person, right: Right) -> None:
    if RIGHTS.index(person.right) < RIGHTS.index(right):
        raise Denied(
            f"{person.id} may not do this here: it takes the right of {'an' if right != 'judge' else 'a'} {right}, "
            f"and {person.id} has that of {'an' if person.right != 'judge' else 'a'} {person.right}. Ask an admin: "
            f"kindgi-tui people add {person.id} --right {right}."
        )


class limits_told:  # noqa: N801 - reads as a statement
    """Turns a limit that was passed, or a value of the wrong shape, into Invalid."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, LimitError):
            raise Invalid(error.sentence, field=error.field) from error
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise Invalid(f"{place}: {first['msg']}.", field=place) from error
        if isinstance(error, UnicodeEncodeError):
            raise Invalid("A text here holds half of a character (a lone surrogate).") from error
